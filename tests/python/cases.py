"""The parameters of scipy's filters: modes, sizes, origins, types, and the judge of a result. Taps and sizes of arrays
are arguments of a definition, so that each one that is compiled has many cases.
"""

import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure  # noqa: E402

MODES = ('reflect', 'constant', 'nearest', 'mirror', 'wrap')
TYPES = ('float32', 'float64', 'uint8', 'int16', 'uint16', 'int8', 'float16')
IMAGES = [(1, 1), (1, 9), (3, 2), (8, 8), (13, 37), (40, 33), (5, 140), (2, 2), (70, 9)]
VOLUMES = [(1, 1, 1), (2, 3, 1), (4, 5, 6), (7, 9, 33), (3, 17, 40), (9, 2, 8)]


class Case(NamedTuple):
    """calls of a function, with the same keywords: taps is their shape"""
    function: str
    shapes: list
    taps: tuple
    dtype: str
    keywords: dict

    def __str__(self):
        words = ', '.join(f'{name}={value}' for name, value in self.keywords.items())
        return f'{self.function}, taps {self.taps}, {self.dtype}, {words}'


def drawn(random, shape, dtype):
    if np.dtype(dtype).kind == 'f':
        return random.uniform(-2, 2, shape).astype(dtype)
    kind = np.iinfo(dtype)
    return random.integers(kind.min, kind.max, shape, dtype, endpoint=True)


class Judge:
    """what a case comes to by the ndimage of scipy, or of cupyx"""

    def __init__(self, ndimage):
        self.ndimage = ndimage

    def filtered(self, x, taps, how='correlation', **keywords):
        return (self.ndimage.convolve if how == 'convolution' else self.ndimage.correlate)(x, taps, **keywords)

    def in_turn(self, x, taps, mode='reflect', cval=0.0, origin=0):
        """the product of taps of one axis each; scipy's modes for an axis each are those of correlate1d"""
        if isinstance(mode, str):
            product = taps[0]
            for line in taps[1:]:
                product = product[..., None] * line
            return self.ndimage.correlate(x, product, mode=mode, cval=cval, origin=origin)
        for axis, (line, one) in enumerate(zip(taps, mode)):
            x = self.ndimage.correlate1d(x, line, axis, mode=one, cval=cval, origin=origin)
        return x

    def __call__(self, case, x, taps):
        """the exact sums of an array of double, those of absolute values, and how many taps they have"""
        one = self.in_turn if case.function == 'separable' else self.filtered
        magnitude = {**case.keywords, 'cval': abs(case.keywords.get('cval', 0))}
        return one(x, taps, **case.keywords), one(abs(x), abs(taps), **magnitude), int(np.prod(case.taps))


def compare(result, x, exact, size, taps):
    """exact: in double; size: the same sums of absolute values, of so many taps, each of which may be rounded"""
    kind = result.dtype
    bound = size * (taps + 3) * (2.0 ** -53 if x.dtype == np.float64 else 2.0 ** -24)
    if kind.kind != 'f':
        exact = np.clip(exact, np.iinfo(kind).min, np.iinfo(kind).max)
        bound = bound + 0.5
    elif kind == np.float16:
        bound = bound + (np.abs(exact) + bound) * 2.0 ** -11 + 2.0 ** -25
    if result.shape != exact.shape or not np.all(np.abs(result.astype(np.float64) - exact) <= bound):
        raise Failure(f'shape {x.shape}, {kind}:\n{result}\nnot\n{exact}')


def ends(size):
    """the least origin and the largest"""
    return -(size // 2), (size - 1) // 2


def images():
    sizes = [(1, 1), (3, 3), (2, 4), (5, 1), (1, 6), (4, 7)]
    for number, (mode, size) in enumerate(itertools.product(MODES, sizes)):
        (top, bottom), (left, right) = (ends(length) for length in size)
        for turn, (row, column) in enumerate(sorted({(0, 0), (top, right), (bottom, left)})):
            keywords = {'mode': mode, 'origin': (row, column)}
            keywords['how'] = ('correlation', 'convolution')[(number + turn) % 2]
            keywords['cval'] = 3 * ((number + turn) % 3)
            yield Case('conv2d', IMAGES * 2, size, TYPES[(number + turn) % len(TYPES)], keywords)
    for dtype in TYPES:
        yield Case('conv2d', IMAGES, (9, 9), dtype, {'mode': 'mirror'})


def lines():
    shapes = {2: IMAGES, 3: VOLUMES}
    for number, (mode, axes, length) in enumerate(itertools.product(MODES, (2, 3), (1, 3, 4, 7))):
        dtype = TYPES[number % (len(TYPES) if axes == 2 else 2)]
        keywords = {'mode': mode, 'origin': (0, *ends(length))[number % 3]}
        if axes == 2:
            keywords['cval'] = number % 3
        yield Case('separable', shapes[axes], (axes, length), dtype, keywords)
    for modes in (('wrap', 'nearest'), ('reflect', 'mirror'), ('constant', 'reflect'), ('mirror', 'wrap', 'nearest')):
        yield Case('separable', shapes[len(modes)], (len(modes), 5), 'float64', {'mode': modes})


def volumes():
    for number, (mode, size) in enumerate(itertools.product(MODES, [(1, 1, 1), (3, 3, 3), (2, 3, 4), (5, 1, 3)])):
        for origin in (0, (0, 0, -1)):
            if size != (1, 1, 1) or origin == 0:
                yield Case('conv3d', VOLUMES * 2, size, TYPES[number % 2], {'mode': mode, 'origin': origin})
