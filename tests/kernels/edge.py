"""Judges what every edge reads by numpy.pad: radius 1 to 8, sizes from 1 to 2 radius + 2, 1D and 2D.

usage: edge.py host|gpu EDGE
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, must, need_device, report  # noqa: E402

try:
    import numpy as np
except ImportError:
    print('1..0 # SKIP no numpy')
    sys.exit(0)

MODES = [('constant', {'constant_values': -9}), ('edge', {}), ('wrap', {}), ('symmetric', {}), ('reflect', {})]


def judge(rows, mode, axes):
    name, more = MODES[mode]
    mine = [row for row in rows if row[0] == axes and row[1] == mode]
    if len(mine) != sum(2 * radius + 2 for radius in range(1, 9)):
        raise Failure(f'{len(mine)} domains')
    for row in mine:
        radius, shape, values = row[2], row[3:3 + axes], row[3 + axes:]
        expected = np.pad(np.arange(1, 1 + np.prod(shape)).reshape(shape), radius, name, **more)
        if expected.size != len(values) or not np.array_equal(expected.ravel(), values):
            raise Failure(f'radius {radius}, shape {shape}:\n{values}\n{expected.ravel()}')


if __name__ == '__main__':
    need_device(sys.argv[1])
    table = [[int(word) for word in line.split()] for line in must([sys.argv[2]]).splitlines()]
    report([(f'{axes}D, numpy.pad {name}', lambda mode=mode, axes=axes: judge(table, mode, axes))
            for mode, (name, _) in enumerate(MODES) for axes in (1, 2)])
