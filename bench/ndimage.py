"""Times filters of NumPy arrays beside scipy.ndimage, and what their first calls cost.

usage: ndimage.py TABLE.csv TABLE.md

The first call of a function, with an empty cache: CPU seconds, those of the compiler among them. Then a call: CPU
milliseconds of all threads and milliseconds on the clock, medians of turns in which cmk and scipy follow one another,
of random data and mode nearest. On a busy machine the share of scipy's CPU time holds, and no time by itself. Each
result is verified beside scipy's in double.

Needs numpy, scipy; CC.
"""

import csv
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.ndimage as ndimage

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'python'))
import cmk  # noqa: E402

HEAT = '''
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4 * U(0, 0)));
'''


def median(values):
    return sorted(values)[len(values) // 2]


def cpu():
    """seconds of this process and of those that it has waited for"""
    return sum(os.times()[:4])


def heat():
    update = cmk.stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest'), ('VALUE', 'float', 'k')], HEAT)
    return lambda x: update(u=x, k=0.2).u


def turns(calls, count):
    """of each call the medians: CPU milliseconds, and on the clock"""
    times = [[] for _ in calls]
    for _ in range(count):
        for call, mine in zip(calls, times):
            start, begun = time.process_time(), time.perf_counter()
            call()
            mine.append(((time.process_time() - start) * 1e3, (time.perf_counter() - begun) * 1e3))
    return [tuple(median(column) for column in zip(*mine)) for mine in times]


def verify(what, result, x, exact, magnitude):
    error = np.abs(result.astype(float) - exact)
    bound = 1e-5 * magnitude + (0.51 if result.dtype.kind in 'iu' else 0)
    if not np.all(error <= bound):
        sys.exit(f'{what}, {x.shape}: off by {error.max()}')


def filters(random):
    """(name, function, taps, scipy's taps, type, shape, turns)"""
    lines = [random.random(9) / 9, random.random(9) / 9]
    for shape, count in (((256, 256), 101), ((4096, 4096), 9)):
        for dtype in ('float32', 'float64', 'uint8'):
            taps = random.random((3, 3)) / 9
            yield f'3 x 3, {dtype}', cmk.conv2d, taps, taps, dtype, shape, count
        taps, large = random.random((15, 15)) / 225, tuple(min(size, 1024) for size in shape)
        yield '15 x 15, float32', cmk.conv2d, taps, taps, 'float32', large, max(count // 3, 3)
        taps = np.outer(*lines)
        yield 'separable, radius 4, float32', cmk.separable, lines, taps, 'float32', shape, max(count // 3, 3)
    taps = random.random((3, 3, 3)) / 27
    yield '3 x 3 x 3, float32', cmk.conv3d, taps, taps, 'float32', (128, 256, 256), 9


def compared(random, cores):
    for name, function, taps, weights, dtype, shape, count in filters(random):
        x = (random.random(shape) * 255).astype(dtype)
        os.environ['CMK_HOST_CORES'] = str(cores)
        exact = ndimage.correlate(x.astype(float), weights, mode='nearest')
        verify(name, function(x, taps, mode='nearest'), x, exact, exact)
        ours, theirs = turns([lambda: function(x, taps, mode='nearest'),
                              lambda: ndimage.correlate(x, weights, mode='nearest')], count)
        yield [f'{name}, {" x ".join(map(str, shape))}', cores, *(f'{one:.3f}' for one in (*ours, *theirs)),
               f'{ours[0] / theirs[0]:.2f}']


def first_calls():
    x, taps = np.ones((8, 8), np.float32), np.ones((3, 3))
    for name, call in (('conv2d, float32', lambda: cmk.conv2d(x, taps)),
                       ('conv2d, another mode, cval, origin and size',
                        lambda: cmk.conv2d(x, np.ones((5, 4)), mode='constant', cval=2, origin=1)),
                       ('conv2d, uint8', lambda: cmk.conv2d(x.astype('u1'), taps)),
                       ('separable and conv3d, float64', lambda: (cmk.separable(np.ones((8, 8)), [1, 2, 1]),
                                                                  cmk.conv3d(np.ones((4, 4, 4)), np.ones((3, 3, 3))))),
                       ('transpose', lambda: cmk.transpose(x)),
                       ('stencil, heat', lambda: heat()(x))):
        start = cpu()
        call()
        yield [name, f'{cpu() - start:.2f}']


def write(words, table_csv, table_md):
    head, *rows = words
    csv.writer(table_csv).writerows(words)
    table_md.write(''.join(f'| {" | ".join(map(str, row))} |\n' for row in [head, ['---'] * len(head), *rows]) + '\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    random = np.random.default_rng(20261127)
    with tempfile.TemporaryDirectory() as cache, open(sys.argv[1], 'w', newline='', encoding='utf-8') as table_csv, \
            open(sys.argv[2], 'w', encoding='utf-8') as table_md:
        os.environ['XDG_CACHE_HOME'] = cache
        write([['first call', 'CPU s'], *first_calls()], table_csv, table_md)
        head = ['a call', 'cores', 'cmk, CPU ms', 'ms', 'scipy, CPU ms', 'ms', 'share of CPU']
        write([head, *compared(random, 1), *compared(random, 2)], table_csv, table_md)


if __name__ == '__main__':
    main()
