"""Complete filters and transposes: the definitions of kernel/conv2d.h, separable.h, conv3d.h and transpose.h."""

import numpy as np

from .backends import FILTERED, filtered
from .definition import Call, Definition, Table, edges_of, for_axes, literal, type_of

HOWS = {'correlation': 'CORRELATION', 'convolution': 'CONVOLUTION'}


def table(name, word, shape):
    """a table, and its text"""
    text = f'CMK_TABLE(PARAMETER, {word}, {name}, {"".join(f"[{size}]" for size in shape)});\n'
    return Table(name, word, int(np.prod(shape))), text


def taps_of(what, taps, axes):
    taps = np.asarray(taps, dtype=np.float64)
    if taps.ndim != axes or taps.size == 0:
        raise ValueError(f'{what}: taps must have {axes} ax{"e" if axes > 1 else "i"}s, and one element at least')
    return taps


def anchor_of(what, size, origin):
    """the element of the filter that lies on the output, of an axis"""
    at = size // 2 + int(origin)
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
        axes = tuple(range(count)) if axes is None else tuple(axis % max(count, 1) for axis in axes)
        if len(axes) != 2 or axes[1] != axes[0] + 1 or count - 2 > axes[0] + 1:
            raise ValueError(f'{what}: x has {count} axes and axes is {axes}: it must be two that follow one another, '
                             'behind those of a batch and before one of channels at the most')
        self.count = int(np.prod(shape[:axes[0]]))
        self.rows, self.columns = shape[axes[0]:axes[0] + 2]
        self.channels = shape[axes[1] + 1] if axes[1] + 1 < count else 1

    def sizes(self):
        return [self.count, self.rows, self.columns]

    def definition(self, text, tables):
        row = f'(sizes[2] * {self.channels})'
        step = f'sizes[1] * {row}'
        return Definition(text, 'filter', 'filter_batch',
                          f'arrays[0], {row}, {step}, arrays[1], {row}, {step}, sizes[1], sizes[2], sizes[0]', tables)


def volumes(text, tables):
    """the definition of a filter of volumes"""
    return Definition(text, 'filter', 'filter', 'arrays[0], sizes[2], sizes[1] * sizes[2], arrays[1], sizes[2], '
                                                'sizes[1] * sizes[2], sizes[0], sizes[1], sizes[2]', tables)


def types_of(what, dtype, result):
    """C's words for the input, the sums and the output, and the output's type"""
    result = np.dtype(dtype if result is None else result)
    words = type_of(what, dtype), type_of(what, result)
    return words[0], 'double' if 'double' in words else 'float', words[1], result


def conv2d_of(shape, dtype, result, taps, mode, cval, origin, how, axes):
    what = 'conv2d'
    taps = taps_of(what, taps, 2)
    images = Images(what, shape, axes)
    if how not in HOWS:
        raise ValueError(f'{what}: how is correlation or convolution, not {how!r}')
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, for_axes(what, 'origin', origin, 2))]
    word_in, word_sum, word_out, result = types_of(what, dtype, result)
    weights, text = table('taps', word_sum, taps.shape)
    text += (f'CMK_DEFINE_CONV2D_AS(filter, {HOWS[how]}, ({word_in}, {word_sum}, {word_out}, {images.channels}), '
             f'({taps.shape[0]}, {taps.shape[1]}), ({anchor[0]}, {anchor[1]}), taps, '
             f'({edges_of(what, mode, 2)}, {literal(what, "cval", cval, word_in)}));\n')
    return Call(images.definition(text, (weights,)), images.sizes(), taps.ravel(), shape, result)


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


def lines_of(what, taps, origin, axes):
    """taps of one length for each axis, from those of one axis each, or of all"""
    first = next(iter(taps), 0.0)
    lines = [taps] * axes if np.ndim(first) == 0 else list(taps)
    if len(lines) != axes:
        raise ValueError(f'{what}: taps are of {len(lines)} axes, not {axes}')
    lines = [taps_of(what, line, 1) for line in lines]
    origins = for_axes(what, 'origin', origin, axes)
    lines = [centred(line, [anchor_of(what, line.size, one)]) for line, one in zip(lines, origins)]
    length = max(3, *(line.size for line in lines))
    return [np.pad(line, (length - line.size) // 2) for line in lines]


def separable_of(shape, dtype, result, taps, mode, cval, origin, axes):
    what = 'separable'
    volume = axes is None and len(shape) == 3
    lines = lines_of(what, taps, origin, 3 if volume else 2)
    length = lines[0].size
    word_in, word_sum, word_out, result = types_of(what, dtype, result)
    names = ['through', 'down', 'across'][-len(lines):]
    tables, texts = zip(*[table(name, word_sum, [length]) for name in names])
    text = ''.join(texts)
    if volume:
        only_float(what, word_in, word_out, cval)
        text += (f'CMK_DEFINE_SEPARABLE3D(filter, {word_in}, {length // 2}, (through, down, across), '
                 f'{edges_of(what, mode, 3)});\n')
        return Call(volumes(text, tables), shape, np.concatenate(lines), shape, result)
    images = Images(what, shape, axes)
    text += (f'CMK_DEFINE_SEPARABLE_AS(filter, ({word_in}, {word_sum}, {word_out}, {images.channels}), '
             f'{length // 2}, (down, across), ({edges_of(what, mode, 2)}, {literal(what, "cval", cval, word_in)}));\n')
    return Call(images.definition(text, tables), images.sizes(), np.concatenate(lines), shape, result)


def separable(x, taps, *, mode='reflect', cval=0.0, origin=0, output=None, axes=None):
    """x correlated with the product of taps of one axis each, in one pass: an image, or a volume (x of three axes).

    taps    of one axis, for all; or a list of one for each axis. Of radius 32 at the most, in volumes 8: zeros are put
            beside those that are shorter, even or moved by origin

    All else is as of conv2d; a volume is float32 or float64, without cval. Equal to scipy.ndimage.correlate1d along
    each axis in turn; with a cval to its correlate with the product.
    """
    return FILTERED.get(type(x), filtered)('separable', separable_of, x, output, taps, (mode, cval, origin, axes))


def only_float(what, word_in, word_out, cval):
    if word_in != word_out:
        raise TypeError(f'{what}: the output of a volume has its type')
    if cval != 0:
        raise ValueError(f'{what}: cval must be 0 for volumes: subtract it before, and add cval * taps.sum() after')


def conv3d_of(shape, dtype, result, taps, mode, cval, origin):
    what = 'conv3d'
    taps = taps_of(what, taps, 3)
    if len(shape) != 3:
        raise ValueError(f'{what}: x has {len(shape)} axes, not 3')
    origins = for_axes(what, 'origin', origin, 3)
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, origins)]
    if any(origins):
        taps = centred(taps, anchor)
    word_in, word_sum, word_out, result = types_of(what, dtype, result)
    only_float(what, word_in, word_out, cval)
    weights, text = table('taps', word_sum, taps.shape)
    text += (f'CMK_DEFINE_CONV3D(filter, {word_in}, ({", ".join(map(str, taps.shape))}), taps, '
             f'{edges_of(what, mode, 3)});\n')
    return Call(volumes(text, (weights,)), shape, taps.ravel(), shape, result)


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
    axes = tuple(reversed(range(count))) if axes is None else tuple(axis % count for axis in axes)
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
    return Call(definition, shape, [], tuple(shape[axis] for axis in axes), dtype)


def transpose(x, axes=None):
    """x with its axes in another order, as numpy.transpose, but moved: matrices and volumes of elements of 1, 2, 4, 8
    or 16 bytes"""
    return FILTERED.get(type(x), filtered)('transpose', transpose_of, x, None, (), (axes,))
