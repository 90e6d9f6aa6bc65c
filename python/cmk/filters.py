"""Complete filters and transposes: the definitions of kernel/conv2d.h, separable.h, conv3d.h and transpose.h."""

import numpy as np

from .backends import FILTERED, filtered
from .definition import (TYPES, Call, Definition, Loops, Table, axes_of, edge_text, edges_of, for_axes, index_of,
                         literal, number_from, type_of, value_of)

HOWS = {'correlation': 'CORRELATION', 'convolution': 'CONVOLUTION'}
OF_IMAGES = ('float', 'double', 'half', 'bfloat16', 'unsigned char', 'signed char', 'unsigned short', 'short')
OF_VOLUMES = ('float', 'double')


def table(what, taps, name, word, shape):
    """a table that has taps, and its text"""
    kind, most = np.dtype(TYPES[word]), np.max(np.abs(taps), initial=0.0, where=np.isfinite(taps))
    if most > np.finfo(kind).max:
        raise ValueError(f'{what}: a tap is {most}, which no {kind.name} is')
    text = f'CMK_TABLE(PARAMETER, {word}, {name}, {"".join(f"[{size}]" for size in shape)});\n'
    return Table(name, word, int(np.prod(shape))), text


def taps_of(what, taps, axes, most):
    """taps of so many axes, each of no more than most"""
    taps = np.asarray(taps)
    if taps.dtype.kind == 'c':
        raise TypeError(f'{what}: taps are complex')
    if taps.dtype.kind == 'O':
        taps = np.array([number_from(what, 'a tap', one) for one in taps.ravel()], np.float64).reshape(taps.shape)
    if taps.dtype.kind not in 'buif':
        raise TypeError(f'{what}: taps are of {taps.dtype}, which are no numbers')
    taps = taps.astype(np.float64)
    if taps.ndim != axes or taps.size == 0:
        raise ValueError(f'{what}: taps must have {axes} ax{"e" if axes > 1 else "i"}s, and one element at least')
    if max(taps.shape) > most:
        raise ValueError(f'{what}: taps are {" x ".join(map(str, taps.shape))}: from 1 to {most} along an axis')
    return taps


def anchor_of(what, size, origin):
    """the element of the filter that lies on the output, of an axis"""
    at = size // 2 + index_of(what, 'origin', origin)
    if not 0 <= at < size:
        raise ValueError(f'{what}: origin {origin} leaves a filter of {size}: from {-(size // 2)} to '
                         f'{(size - 1) - size // 2}')
    return at


def centred(taps, anchor):
    """taps with zeros at one end, so that their anchor is in the middle"""
    reach = [max(at, size - 1 - at) for at, size in zip(anchor, taps.shape)]
    return np.pad(taps, [(far - at, far - (size - 1 - at)) for far, at, size in zip(reach, anchor, taps.shape)])


class Images:
    """an array as count images of rows x columns pixels of channels, of the two axes that are filtered"""

    def __init__(self, what, shape, axes):
        count = len(shape)
        axes = axes_of(what, axes, count)
        if len(axes) != 2 or axes[1] != axes[0] + 1 or count - 2 > axes[0] + 1:
            raise ValueError(f'{what}: x has {count} axes and axes is {axes}: it must be two that follow one another, '
                             'behind those of a batch and before one of channels at the most')
        self.count = int(np.prod(shape[:axes[0]]))
        self.rows, self.columns = shape[axes[0]:axes[0] + 2]
        self.channels = shape[axes[1] + 1] if axes[1] + 1 < count else 1
        if self.channels > 4:
            raise ValueError(f'{what}: x has {self.channels} channels: from 1 to 4')

    def sizes(self):
        return [self.count, self.rows, self.columns]

    def loops(self, words, taps, lengths, anchor, edges, outside):
        return Loops(words, self.count, self.channels, (1, self.rows, self.columns), (1, *lengths), (0, *anchor),
                     (edges[0], *edges), outside, taps, taps.ndim == 1)

    def definition(self, text, tables):
        row = f'(sizes[2] * {self.channels})'
        step = f'sizes[1] * {row}'
        return Definition(text, 'filter', 'filter_batch',
                          f'arrays[0], {row}, {step}, arrays[1], {row}, {step}, sizes[1], sizes[2], sizes[0]', tables)


def volumes(text, tables):
    """the definition of a filter of volumes"""
    return Definition(text, 'filter', 'filter', 'arrays[0], sizes[2], sizes[1] * sizes[2], arrays[1], sizes[2], '
                                                'sizes[1] * sizes[2], sizes[0], sizes[1], sizes[2]', tables)


def loops_of_volumes(words, shape, taps, lengths, edges):
    return Loops(words, 1, 1, shape, lengths, tuple(length // 2 for length in lengths), edges, 0.0, taps,
                 taps.ndim == 1)


def types_of(what, dtype, result, known):
    """C's words for the input, the sums and the output, of those that are known; and the output's type"""
    result = np.dtype(dtype if result is None else result)
    words = type_of(what, dtype, known), type_of(what, result, known)
    return (words[0], 'double' if 'double' in words else 'float', words[1]), result


def conv2d_of(shape, dtype, result, taps, mode, cval, origin, how, axes):
    what = 'conv2d'
    taps = taps_of(what, taps, 2, 33)
    images = Images(what, shape, axes)
    if not isinstance(how, str) or how not in HOWS:
        raise ValueError(f'{what}: how is correlation or convolution, not {how!r}')
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, for_axes(what, 'origin', origin, 2))]
    words, result = types_of(what, dtype, result, OF_IMAGES)
    edges, outside = edges_of(what, mode, 2), value_of(what, 'cval', cval, words[0])
    weights, text = table(what, taps, 'taps', words[1], taps.shape)
    text += (f'CMK_DEFINE_CONV2D_AS(filter, {HOWS[how]}, ({", ".join(words)}, {images.channels}), '
             f'({taps.shape[0]}, {taps.shape[1]}), ({anchor[0]}, {anchor[1]}), taps, '
             f'({edge_text(edges)}, {literal(outside, words[0])}));\n')
    turned = taps[::-1, ::-1] if how == 'convolution' else taps
    at = [size - 1 - one for size, one in zip(taps.shape, anchor)] if how == 'convolution' else anchor
    loops = images.loops(words, turned, taps.shape, at, edges, outside)
    return Call(images.definition(text, (weights,)), images.sizes(), taps.ravel(), shape, result, loops)


def conv2d(x, taps, *, mode='reflect', cval=0.0, origin=0, how='correlation', output=None, axes=None):
    """x correlated with taps, as scipy.ndimage.correlate(x, taps, ...); how='convolution': as its convolve.

    x       of two axes; or axes names the two of more: axes=(0, 1) has up to 4 channels behind them, (1, 2) a batch
            before. float16, float32, float64, PyTorch's bfloat16, or integers of 8 and 16 bits
    taps    1 x 1 to 33 x 33
    mode    reflect, constant, nearest, mirror, wrap, or one for each axis
    cval    what lies outside by mode='constant': a value of x's type
    origin  moves the filter, one for both axes or one for each
    output  a type, or an array that is written; x's type where it is None

    Sums are of float, or of double where x or output is. Integers are rounded to the nearest, ties to even, and kept in
    their range, where scipy cuts them off.
    """
    return FILTERED.get(type(x), filtered)('conv2d', conv2d_of, x, output, taps, (mode, cval, origin, how, axes))


def lines_of(what, taps, origin, axes, most):
    """taps of one length for each axis, from those of one axis each, or of all"""
    try:
        first = next(iter(taps), 0.0)
    except TypeError:
        raise TypeError(f'{what}: taps are {taps!r}, and not those of an axis, or of each') from None
    lines = [taps] * axes if np.ndim(first) == 0 else list(taps)
    if len(lines) != axes:
        raise ValueError(f'{what}: taps are of {len(lines)} axes, not {axes}')
    lines = [taps_of(what, line, 1, most) for line in lines]
    origins = for_axes(what, 'origin', origin, axes)
    lines = [taps_of(what, centred(line, [anchor_of(what, line.size, one)]), 1, most)
             for line, one in zip(lines, origins)]
    length = max(3, *(line.size for line in lines))
    return [np.pad(line, (length - line.size) // 2) for line in lines]


def separable_of(shape, dtype, result, taps, mode, cval, origin, axes):
    what = 'separable'
    volume = axes is None and len(shape) == 3
    lines = lines_of(what, taps, origin, *((3, 17) if volume else (2, 65)))
    length, taps = lines[0].size, np.concatenate(lines)
    words, result = types_of(what, dtype, result, OF_VOLUMES if volume else OF_IMAGES)
    edges = edges_of(what, mode, len(lines))
    names = ['through', 'down', 'across'][-len(lines):]
    tables, texts = zip(*[table(what, taps, name, words[1], [length]) for name in names])
    text = ''.join(texts)
    if volume:
        only_float(what, words, cval)
        text += (f'CMK_DEFINE_SEPARABLE3D(filter, {words[0]}, {length // 2}, (through, down, across), '
                 f'{edge_text(edges)});\n')
        return Call(volumes(text, tables), shape, taps, shape, result,
                    loops_of_volumes(words, shape, taps, (length,) * 3, edges))
    images, outside = Images(what, shape, axes), value_of(what, 'cval', cval, words[0])
    text += (f'CMK_DEFINE_SEPARABLE_AS(filter, ({", ".join(words)}, {images.channels}), {length // 2}, (down, across), '
             f'({edge_text(edges)}, {literal(outside, words[0])}));\n')
    loops = images.loops(words, np.append(1.0, taps), (length,) * 2, (length // 2,) * 2, edges, outside)
    return Call(images.definition(text, tables), images.sizes(), taps, shape, result, loops)


def separable(x, taps, *, mode='reflect', cval=0.0, origin=0, output=None, axes=None):
    """x correlated with the product of taps of one axis each, in one pass: an image, or a volume (x of three axes).

    taps    of one axis, for all; or a list of one for each axis. Of radius 32 at the most, in volumes 8: zeros are put
            beside those that are shorter, even or moved by origin

    All else is as of conv2d; a volume is float32 or float64, without cval. Equal to scipy.ndimage.correlate1d along
    each axis in turn; with a cval to its correlate with the product.
    """
    return FILTERED.get(type(x), filtered)('separable', separable_of, x, output, taps, (mode, cval, origin, axes))


def only_float(what, words, cval):
    if words[0] != words[2]:
        raise TypeError(f'{what}: the output of a volume has its type')
    if cval != 0:
        raise ValueError(f'{what}: cval must be 0 for volumes: subtract it before, and add cval * taps.sum() after')


def conv3d_of(shape, dtype, result, taps, mode, cval, origin):
    what = 'conv3d'
    taps = taps_of(what, taps, 3, 7)
    if len(shape) != 3:
        raise ValueError(f'{what}: x has {len(shape)} axes, not 3')
    origins = for_axes(what, 'origin', origin, 3)
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, origins)]
    if any(origins):
        taps = taps_of(what, centred(taps, anchor), 3, 7)
    words, result = types_of(what, dtype, result, OF_VOLUMES)
    only_float(what, words, cval)
    edges = edges_of(what, mode, 3)
    weights, text = table(what, taps, 'taps', words[1], taps.shape)
    text += (f'CMK_DEFINE_CONV3D(filter, {words[0]}, ({", ".join(map(str, taps.shape))}), taps, '
             f'{edge_text(edges)});\n')
    return Call(volumes(text, (weights,)), shape, taps.ravel(), shape, result,
                loops_of_volumes(words, shape, taps, taps.shape, edges))


def conv3d(x, taps, *, mode='reflect', cval=0.0, origin=0, output=None):
    """the volume x correlated with taps, as scipy.ndimage.correlate(x, taps, ...).

    x       of three axes, float32 or float64
    taps    1 x 1 x 1 to 7 x 7 x 7, with the zeros that are put beside those which origin moves
    cval    0

    All else is as of conv2d.
    """
    return FILTERED.get(type(x), filtered)('conv3d', conv3d_of, x, output, taps, (mode, cval, origin))


ELEMENTS = {1: 'unsigned char', 2: 'unsigned short', 4: 'unsigned', 8: 'unsigned long long', 16: 'uint4'}
AXES = {(0, 2, 1): 'ZXY', (1, 0, 2): 'YZX', (1, 2, 0): 'YXZ', (2, 0, 1): 'XZY', (2, 1, 0): 'XYZ'}


def transpose_of(shape, dtype, _, __, axes):
    what, count = 'transpose', len(shape)
    if count not in (2, 3):
        raise ValueError(f'{what}: x has {count} axes, not 2 or 3')
    axes = tuple(reversed(range(count))) if axes is None else axes_of(what, axes, count)
    if sorted(axes) != list(range(count)):
        raise ValueError(f'{what}: axes {axes} are no order of {count}')
    if dtype.hasobject or dtype.itemsize not in ELEMENTS:
        raise TypeError(f'{what}: elements of {dtype} have not 1, 2, 4, 8 or 16 bytes')
    if axes == tuple(range(count)):
        return Call(None, [], [], shape, dtype)
    text = f'CMK_DEFINE_TRANSPOSE(turn, {ELEMENTS[dtype.itemsize]});\n'
    if count == 2:
        arguments = 'arrays[0], sizes[1], arrays[1], sizes[0], sizes[0], sizes[1]'
        definition = Definition(text, 'turn', 'turn', arguments)
    else:
        arguments = f'arrays[0], arrays[1], sizes[0], sizes[1], sizes[2], CMK_TRANSPOSE_{AXES[axes]}'
        definition = Definition(text, 'turn', 'turn_volume', arguments)
    return Call(definition, shape, [], tuple(shape[axis] for axis in axes), dtype, axes=axes)


def transpose(x, axes=None):
    """x with its axes in another order, as numpy.transpose, but moved: matrices and volumes of elements of 1, 2, 4, 8
    or 16 bytes"""
    return FILTERED.get(type(x), filtered)('transpose', transpose_of, x, None, (), (axes,))
