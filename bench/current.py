"""Makes the tables and the index of bench/results/README.md: of each kernel and card the newest row of all records.

usage: current.py [TABLE.csv ...]

A TABLE is one of ./cmk bench (build/bench.csv, convolution.csv, ...): its rows become records of their day and card
before. Without one, the page is made anew.
"""

import re
import sys
from pathlib import Path

from table import COLUMNS, read_table, write_table

RESULTS = Path(__file__).resolve().parent / 'results'
HISTORY, PAGE = RESULTS / 'history', RESULTS / 'README.md'
# title, the table of ./cmk bench, the names of its rows that are shown
SHOWN = [
    ('1D stencils and transposes', 'bench', r'stencil1d .*|volume .*|transpose (in place )?16.*'),
    ('Filters', 'convolution', r'(conv2d|separable|conv3d|separable3d|bytes) .*, (16384\^2|16384 x 5461|512\^3)'),
    ('Stencils of an update of your own, one step', 'stencils', r'.*, (16384\^2|512\^3)'),
    ('The same, several steps in a pass: a step', 'steps', r'.*, (2\^28|16384\^2|512\^3)'),
]


def card_of(name):
    return name.removeprefix('NVIDIA ').split()[0]


def records():
    """the tables of the one format, the oldest first"""
    tables = ((path, read_table(path)) for path in sorted(HISTORY.glob('*.csv')))
    own = [(path, rows) for path, rows in tables if rows and list(rows[0]) == COLUMNS]
    return sorted(own, key=lambda record: record[1][0]['date'])


def newest():
    """(row, the name of its record) by table, kernel and card"""
    return {(row['table'], row['kernel'], card_of(row['card'])): (row, path.name)
            for path, rows in records() for row in rows}


def cells(found):
    if found is None:
        return ['', '', '']
    row, record = found
    share = row['percent of limit']
    return [f'{float(row["milliseconds"]):.4f}', f'{float(share):.1f}' if share else '',
            f'[{row["date"][5:10]} {row["commit"]}](history/{record})']


def figures():
    rows = newest()
    cards = sorted({card for _, _, card in rows})
    for title, name, shown in SHOWN:
        kernels = dict.fromkeys(kernel for of, kernel, _ in rows if of == name and re.fullmatch(shown, kernel)
                                and not re.search(': |^copy|^peak|by FMAs|in order', kernel))
        yield f'\n## {title}\n'
        yield '| | ' + ' | '.join(f'{card}, ms | % of the limit | of' for card in cards) + ' |'
        yield '| --- ' * (1 + 3 * len(cards)) + '|'
        for kernel in kernels:
            yield f'| {kernel} | ' + ' | '.join(
                cell for card in cards for cell in cells(rows.get((name, kernel, card)))) + ' |'


def index():
    yield '\n| record | what |\n| --- | --- |'
    for path in sorted(HISTORY.glob('*.md')):
        title = path.read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')
        yield f'| [{path.stem}](history/{path.name}) | {title} |'


def made(text):
    """the page, with its made parts as the records have them"""
    for name, lines in (('figures', figures()), ('records', index())):
        first, last = f'<!-- {name}: made by bench/current.py -->', f'<!-- end of {name} -->'
        text, count = re.subn(rf'{first}.*{last}', lambda _: '\n'.join([first, *lines, '', last]), text,
                              flags=re.DOTALL)
        if count != 1:
            sys.exit(f'{PAGE}: no part {first}')
    return text


def add(path):
    """the rows that are new, to the records of their day, card and table"""
    added = {}
    for row in read_table(path):
        if list(row) != COLUMNS:
            sys.exit(f'{path}: not a table of ./cmk bench')
        name = f'{row["date"][:10]}-{card_of(row["card"]).lower()}-{row["table"]}.csv'
        added.setdefault(HISTORY / name, []).append(row)
    for record, rows in added.items():
        old = read_table(record) if record.exists() else []
        write_table(record, old + [row for row in rows if row not in old])


def main():
    for path in sys.argv[1:]:
        add(path)
    PAGE.write_text(made(PAGE.read_text(encoding='utf-8')), encoding='utf-8')


if __name__ == '__main__':
    main()
