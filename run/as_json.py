"""./cmk report --json FILE: the table of a report and its bounds, in one object. docs/report.md has its shape."""

import json

from bounds import of_kernels
from machine import forms_of

TEXTS = ('file', 'kind', 'tile', 'pad', 'source', 'machine_form')  # the columns of a record that are no numbers
LEFT_OUT = ('record', 'kernel', 'forms', 'symbol', 'loop')  # forms is an object, the last two are for machine.py
SIZES = ('grid', 'block')


def value_of(column, text):
    if column in TEXTS:
        return text
    if column in SIZES:
        return [int(size) for size in text.split('x')]
    return float(text) if '.' in text else int(text)


def record(row):
    """the columns of a record that have a value"""
    return {column: value_of(column, text) for column, text in row.items()
            if text and column not in LEFT_OUT}


def access(row):
    """with what its forms cost more or less than the source"""
    forms = {name: {'requests': requests, 'cost': cost} for name, (requests, cost) in forms_of(row).items()}
    return {**record(row), **({'forms': forms} if forms else {})}


def of_kernel(bounds, rows):
    own = [row for row in rows if row['kernel'] == bounds.kernel['kernel']]
    return {'name': bounds.kernel['kernel'], **record(bounds.kernel),
            'bound_by': bounds.bound(), 'seconds': bounds.seconds,
            'accesses': [access(row) for row in own if row['record'] == 'access'],
            'branches': [record(row) for row in own if row['record'] == 'branch']}


def write(path, rows, card):
    """rows: the records of a report's table"""
    everything = {'card': card._asdict(), 'kernels': [of_kernel(bounds, rows) for bounds in of_kernels(rows, card)]}
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(everything, file, indent=1, allow_nan=False)
        file.write('\n')
