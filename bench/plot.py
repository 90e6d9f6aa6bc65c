"""Draws the bench's tables.

usage: plot.py TABLE.csv PLOT.svg              bars: the share of the copy that each kernel reaches
       plot.py --radius TABLE.csv PLOT.svg     lines: the share of the limit by the radius of convolutions
       plot.py --roofline TABLE.csv PLOT.svg   of the table steps: what is computed by what is computed for a
                                               byte moved, of single steps and of several in a pass, below what the GPU
                                               can do

Needs matplotlib: axes, ticks and labels by hand would be longer than the bench.
"""

import csv
import re
import sys

import matplotlib
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

# what is drawn of convolutions: a panel each, with the radius of a kernel in its name, in float at one size
PANELS = [('n x n taps, 16384^2 floats', r'conv2d (\d+)x\d+, 16384\^2$', lambda taps: taps // 2),
          ('separable, 16384^2 floats', r'separable r=(\d+), 16384\^2$', lambda radius: radius)]
# whose steps are drawn: a panel each, of the rows of one size
ROOFS = [('2D', '16384^2'), ('3D', '512^3')]
COLOURS = {'cmk': '#2a6f97', 'NPP': '#76a021', 'Triton': '#c1440e', 'cuDNN': '#7b4ea3', 'cuFFT': '#c29a00',
           'CuPy': '#808080'}


def read_all(table):
    with open(table, newline='') as file:
        return list(csv.DictReader(file))


def read(table):
    return [row for row in read_all(table) if row['kernel'].split(':')[0] not in ('copy', 'peak')]


def frame(axes):
    axes.tick_params(labelsize=8)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


def bars(table, plot):
    rows = read(table)
    names = [row['kernel'] for row in rows][::-1]
    shares = [float(row['percent of copy']) for row in rows][::-1]
    colours = ['#2a6f97' if name.startswith(('stencil1d', 'transpose', 'volume')) else '#a0a0a0' for name in names]
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(rows) + 1.2))
    drawn = axes.barh(names, shares, color=colours)
    axes.bar_label(drawn, fmt='%.1f', padding=3, fontsize=8)
    axes.axvline(100, color='black', linewidth=0.8)
    axes.set_xlabel('percent of the bandwidth of a copy (blue: definitions of cmk, grey: kernels by hand)')
    frame(axes)
    figure.tight_layout()
    figure.savefig(plot)


def by_radius(table, plot):
    figure, panels = plt.subplots(1, len(PANELS), figsize=(9, 4), sharey=True)
    for axes, (title, pattern, radius) in zip(panels, PANELS):
        lines = {}
        for row in read(table):
            by, colon, work = row['kernel'].rpartition(': ')
            found = re.match(pattern, work)
            if found:
                point = radius(int(found[1])), float(row['percent of limit'])
                lines.setdefault(by or 'cmk', []).append(point)
        for by, points in sorted(lines.items(), key=lambda line: list(COLOURS).index(line[0])):
            axes.plot(*zip(*sorted(points)), marker='o', markersize=4, color=COLOURS[by], label=by,
                      linewidth=2.5 if by == 'cmk' else 1.2)
        radii = sorted({point[0] for points in lines.values() for point in points})
        axes.set_xscale('log')
        axes.set_xticks(radii, [str(r) for r in radii])
        axes.minorticks_off()
        axes.axhline(100, color='black', linewidth=0.8)
        axes.set_ylim(0, None)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel('radius', fontsize=9)
        frame(axes)
    panels[0].set_ylabel('percent of the limit: of the copy or of\nthe FMA peak, whichever takes longer', fontsize=9)
    panels[0].legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(plot)


def of_a_step(row):
    """(operations for a byte, TFLOP/s) of a single step, and of a step of a pass; bytes are those that must be moved"""
    rate, milliseconds = float(row['TFLOP/s']), float(row['milliseconds'])
    operations = rate * milliseconds * 1e9 / float(row['points'])
    alone = operations / float(row['bytes alone']), rate * milliseconds / float(row['milliseconds alone'])
    return alone, (1000.0 * rate / float(row['GB/s']), rate)


def draw_roof(axes, gbs, peak, least):
    """what a copy and independent FMAs reach, from so many operations for a byte on"""
    corner = 1000.0 * peak / gbs
    axes.plot([least, corner, 4 * corner], [least * gbs / 1000.0, peak, peak], color='black', linewidth=1.2)
    axes.annotate(f'copy, {gbs:.0f} GB/s', (0.15 * corner, 0.15 * peak), (0, 4), textcoords='offset points', fontsize=8,
                  rotation=45, rotation_mode='anchor', transform_rotates_text=True, ha='center', va='bottom')
    axes.annotate(f'FMA of floats, {peak:.0f} TFLOP/s', (4 * corner, peak), (0, 3), textcoords='offset points',
                  fontsize=8, ha='right')


def roofline(table, plot):
    rows = {row['kernel']: row for row in read_all(table)}
    peak = float(rows['peak: independent FMAs']['TFLOP/s'])
    figure, panels = plt.subplots(1, len(ROOFS), figsize=(11, 5.5), sharey=True)
    for axes, (title, size) in zip(panels, ROOFS):
        for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
            scale('log')
            axis.set_major_formatter('{x:g}')
        drawn = {name[:-len(size) - 2]: row for name, row in rows.items()
                 if name.endswith(f', {size}') and not name.startswith('copy')}
        for number, (name, row) in enumerate(drawn.items()):
            points, steps = of_a_step(row), int(row['steps of a pass'])
            line, = axes.plot(*zip(*points), marker='o', markersize=4, linewidth=1, color=f'C{number % 10}',
                              label=f'{name}, {steps} steps' if steps > 1 else f'{name}, single steps only')
            axes.plot(*points[0], marker='o', markersize=5, markerfacecolor='white', color=line.get_color())
        if drawn:
            least = min(of_a_step(row)[0][0] for row in drawn.values())
            draw_roof(axes, float(rows[f'copy, {size}']['GB/s']), peak, least / 2)
            axes.legend(fontsize=8, frameon=False, loc='lower right')
        axes.set_title(f'{title}, {size}: single steps (white), several in a pass', fontsize=10)
        axes.set_xlabel('operations for a byte moved', fontsize=9)
        frame(axes)
    panels[0].set_ylabel('TFLOP/s', fontsize=9)
    figure.tight_layout()
    figure.savefig(plot)


if __name__ == '__main__':
    if sys.argv[1:2] == ['--radius']:
        by_radius(*sys.argv[2:])
    elif sys.argv[1:2] == ['--roofline']:
        roofline(*sys.argv[2:])
    else:
        bars(*sys.argv[1:])
