"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['python/python.py', group, '--only', check]


ROWS = [
    ('grid', 'conv2d, taps (2, 4), uint16, mode=reflect, origin=(0, 0)', 'python/cmk/cpu.py', '2 * size - 1 - at',
     '2 * size - 2 - at'),
    ('grid', 'conv3d, taps (2, 3, 4), float32, mode=wrap, origin=0', 'python/cmk/cpu.py', 'lambda at, size: at % size',
     'lambda at, size: (at + 1) % size'),
    ('grid', 'conv2d, taps (3, 3), uint8, mode=reflect, origin=(0, 0)', 'python/cmk/filter.h',
     '!(sum > least) ? least : sum < most ? sum : most', 'sum'),
    ('interface', 'filters of many strips', 'python/cmk/filter.h', 'strip->first + at', 'at'),
    ('interface', 'filters are compiled once', 'python/cmk/cpu.py', "print(f'cmk: {what}",
     "not words and print(f'cmk: {what}"),
    ('interface', 'loops give what kernels give', 'python/cmk/stencil.h', 'p->columns - columns', 'p->columns'),
    ('interface', 'loops give what kernels give', 'python/cmk/stencil.h', 'if (!cmk_sets_.field[0]) cmk_values_',
     'if (0) cmk_values_'),
    ('interface', 'what the backend stops is an exception', 'host/failure.h', 'vfprintf(stderr, format, values);', ''),
    ('interface', 'what the backend stops is an exception', 'python/cmk/cpu.py', 'else self.ended()', "else ''"),
    ('interface', 'the program of a stencil stays', 'python/cmk/cpu.py', 'program.environment != environment()',
     'False'),
    ('package', 'wheel: builds', 'point.h', '(STAGES) >= 1 && (STAGES) <= 4', '(STAGES) >= 2 && (STAGES) <= 4'),
]
