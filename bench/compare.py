"""Compares tables of two versions that were measured in turns: A B A B ...

usage: compare.py OLD.csv NEW.csv [OLD.csv NEW.csv ...]

Each pair is one turn. Prints a line for each row: the medians of the milliseconds, new over old of the medians, and the
ratio of each turn.
"""

import csv
import statistics
import sys


def times(path):
    with open(path, encoding='utf-8') as file:
        return {row['kernel']: float(row['milliseconds']) for row in csv.DictReader(file)}


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    old, new = [times(path) for path in sys.argv[1::2]], [times(path) for path in sys.argv[2::2]]
    rows = [row for row in old[0] if all(row in table for table in old + new)]
    print('| row | old, ms | new, ms | new / old | by turn |\n| --- | --- | --- | --- | --- |')
    for row in rows:
        before, after = [table[row] for table in old], [table[row] for table in new]
        ratios = ' '.join(f'{b / a:.4f}' for a, b in zip(before, after))
        medians = statistics.median(before), statistics.median(after)
        print(f'| {row} | {medians[0]:.4f} | {medians[1]:.4f} | {medians[1] / medians[0]:.4f} | {ratios} |')
    missing = sorted({row for table in old + new for row in table} - set(rows))
    if missing:
        sys.exit(f'not in every table: {missing}')


if __name__ == '__main__':
    main()
