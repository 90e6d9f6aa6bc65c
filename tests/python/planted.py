"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['python/python.py', group, '--only', check]


ROWS = [
    ('grid', 'conv2d, taps (2, 4), uint16, mode=reflect, origin=(0, 0)', 'edge.h', '2 * count - 1 - at',
     '2 * count - 2 - at'),
    ('grid', 'conv3d, taps (2, 3, 4), float32, mode=wrap, origin=0', 'edge.h',
     'if (mode == CMK_EDGE_WRAP) return cmk_edge_modulo_(i, count);',
     'if (mode == CMK_EDGE_WRAP) return cmk_edge_modulo_(i + 1, count);'),
    ('interface', 'what the backend stops is an exception', 'host/failure.h', 'abort();', '_exit(0);'),
    ('package', 'wheel: builds', 'kernel/conv2d.h', '(ROW) < (ROWS)', '(ROW) < 0'),
]
