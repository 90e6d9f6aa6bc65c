"""Draws the bench's table: the share of the copy that each kernel reaches.

usage: plot.py TABLE.csv PLOT.svg    Needs matplotlib.
"""

import csv
import sys

import matplotlib
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402


def main(table, plot):
    with open(table, newline='') as file:
        rows = [row for row in csv.DictReader(file) if row['kernel'].split(':')[0] not in ('copy', 'peak')]
    names = [row['kernel'] for row in rows][::-1]
    shares = [float(row['percent of copy']) for row in rows][::-1]
    colours = ['#2a6f97' if name.startswith(('stencil1d', 'transpose', 'volume')) else '#a0a0a0' for name in names]
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(rows) + 1.2))
    bars = axes.barh(names, shares, color=colours)
    axes.bar_label(bars, fmt='%.1f', padding=3, fontsize=8)
    axes.axvline(100, color='black', linewidth=0.8)
    axes.set_xlabel('percent of the bandwidth of a copy (blue: definitions of cmk, grey: kernels by hand)')
    axes.tick_params(labelsize=8)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(plot)


if __name__ == '__main__':
    main(*sys.argv[1:])
