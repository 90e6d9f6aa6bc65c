"""Complete filters and transposes: the definitions of kernel/conv2d.h, separable.h, conv3d.h and transpose.h."""

import numpy as np

from .backends import backend_of
from .definition import Array, Definition, edges_of, for_axes, literal, type_of

HOWS = {'correlation': 'CORRELATION', 'convolution': 'CONVOLUTION'}


def table(name, word, shape, first):
    """a table that a call fills from numbers[first] on, and the statement that does"""
    count = int(np.prod(shape))
    text = f'CMK_TABLE(PARAMETER, {word}, {name}, {"".join(f"[{size}]" for size in shape)});\n'
    return text, f'''{{
        static {word} values[{count}];
        for (int k = 0; k < {count}; ++k) values[k] = ({word})numbers[{first} + k];
        const cudaError_t error = CMK_TABLE_UPLOAD({name}, values, 0, {count});
        if (error != cudaSuccess) return error;
    }}
    '''


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
    """x as count images of rows x columns pixels of channels, of the two axes that are filtered"""

    def __init__(self, what, x, axes):
        axes = tuple(range(x.ndim)) if axes is None else tuple(axis % max(x.ndim, 1) for axis in axes)
        if len(axes) != 2 or axes[1] != axes[0] + 1 or x.ndim - 2 > axes[0] + 1:
            raise ValueError(f'{what}: x has {x.ndim} axes and axes is {axes}: it must be two that follow one another, '
                             'behind those of a batch and before one of channels at the most')
        self.count = int(np.prod(x.shape[:axes[0]]))
        self.rows, self.columns = x.shape[axes[0]:axes[0] + 2]
        self.channels = x.shape[axes[1] + 1] if axes[1] + 1 < x.ndim else 1

    def sizes(self):
        return [self.count, self.rows, self.columns]

    def call(self, tables):
        row = f'(sizes[2] * {self.channels})'
        step = f'sizes[1] * {row}'
        return (f'return filter_batch(arrays[0], {row}, {step}, arrays[1], {row}, {step}, sizes[1], sizes[2], '
                f'sizes[0], {tables}, 0);')


def types_of(what, x, output):
    """C's words for the input, the sums and the output, and the array for it"""
    result = output if isinstance(output, np.ndarray) else None
    kind = x.dtype if output is None else result.dtype if result is not None else np.dtype(output)
    if result is not None and result.shape != x.shape:
        raise ValueError(f'{what}: output has the shape {result.shape}, and x {x.shape}')
    words = type_of(what, x.dtype), type_of(what, kind)
    return words[0], 'double' if 'double' in words else 'float', words[1]


def filtered(what, backend, definition, x, output, sizes, taps):
    """runs a definition of one array in and one out"""
    result = backend.empty(x.shape, x.dtype if output is None else getattr(output, 'dtype', output))
    backend.run(what, definition, [Array(x, True, False), Array(result, False, True)], sizes, taps)
    if output is None or not isinstance(output, np.ndarray):
        return result
    output[...] = result
    return output


def conv2d(x, taps, *, mode='reflect', cval=0.0, origin=0, how='correlation', output=None, axes=None):
    """x correlated with taps, as scipy.ndimage.correlate(x, taps, ...); how='convolution': as its convolve.

    x       of two axes; or axes names the two of more: axes=(0, 1) has up to 4 channels behind them, (1, 2) a batch
            before. float32, float64, or integers of 8 and 16 bits
    taps    1 x 1 to 33 x 33
    mode    reflect, constant, nearest, mirror, wrap, or one for each axis
    cval    what lies outside by mode='constant': a value of x's type
    origin  moves the filter, one for both axes or one for each
    output  a type, or an array that is written; x's type where it is None

    Sums are of float, or of double where x or output is. Integers are rounded to the nearest, ties to even, and kept in
    their range, where scipy cuts them off.
    """
    what = 'conv2d'
    backend = backend_of(what, x, output)
    x, taps = backend.array(x), taps_of(what, taps, 2)
    images = Images(what, x, axes)
    if how not in HOWS:
        raise ValueError(f'{what}: how is correlation or convolution, not {how!r}')
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, for_axes(what, 'origin', origin, 2))]
    word_in, word_sum, word_out = types_of(what, x, output)
    text, upload = table('taps', word_sum, taps.shape, 0)
    text += (f'CMK_DEFINE_CONV2D_AS(filter, {HOWS[how]}, ({word_in}, {word_sum}, {word_out}, {images.channels}), '
             f'({taps.shape[0]}, {taps.shape[1]}), ({anchor[0]}, {anchor[1]}), taps, '
             f'({edges_of(what, mode, 2)}, {literal(what, "cval", cval, word_in)}));\n')
    return filtered(what, backend, Definition(text, upload + images.call('taps')), x, output, images.sizes(),
                    taps.ravel())


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


def separable(x, taps, *, mode='reflect', cval=0.0, origin=0, output=None, axes=None):
    """x correlated with the product of taps of one axis each, in one pass: an image, or a volume (x of three axes).

    taps    of one axis, for all; or a list of one for each axis. Of radius 32 at the most, in volumes 8: zeros are put
            beside those that are shorter, even or moved by origin

    All else is as of conv2d; a volume is float32 or float64, without cval. Equal to scipy.ndimage.correlate1d along
    each axis in turn; with a cval to its correlate with the product.
    """
    what = 'separable'
    backend = backend_of(what, x, output)
    x = backend.array(x)
    volume = axes is None and x.ndim == 3
    lines = lines_of(what, taps, origin, 3 if volume else 2)
    length = lines[0].size
    word_in, word_sum, word_out = types_of(what, x, output)
    names = ['through', 'down', 'across'][-len(lines):]
    tables = [table(name, word_sum, [length], k * length) for k, name in enumerate(names)]
    text, uploads = (''.join(parts) for parts in zip(*tables))
    if volume:
        only_float(what, word_in, word_out, cval)
        text += (f'CMK_DEFINE_SEPARABLE3D(filter, {word_in}, {length // 2}, (through, down, across), '
                 f'{edges_of(what, mode, 3)});\n')
        call, sizes = volume_call('through, down, across'), x.shape
    else:
        images = Images(what, x, axes)
        text += (f'CMK_DEFINE_SEPARABLE_AS(filter, ({word_in}, {word_sum}, {word_out}, {images.channels}), '
                 f'{length // 2}, (down, across), '
                 f'({edges_of(what, mode, 2)}, {literal(what, "cval", cval, word_in)}));\n')
        call, sizes = images.call('down, across'), images.sizes()
    return filtered(what, backend, Definition(text, uploads + call), x, output, sizes, np.concatenate(lines))


def only_float(what, word_in, word_out, cval):
    if word_in != word_out:
        raise TypeError(f'{what}: the output of a volume has its type')
    if cval != 0:
        raise ValueError(f'{what}: cval must be 0 for volumes: subtract it before, and add cval * taps.sum() after')


def volume_call(tables):
    return ('const size_t step = sizes[1] * sizes[2];\n    return filter(arrays[0], sizes[2], step, arrays[1], '
            f'sizes[2], step, sizes[0], sizes[1], sizes[2], {tables}, 0);')


def conv3d(x, taps, *, mode='reflect', cval=0.0, origin=0, output=None):
    """the volume x correlated with taps, as scipy.ndimage.correlate(x, taps, ...).

    x       of three axes, float32 or float64
    taps    1 x 1 x 1 to 7 x 7 x 7, with the zeros that are put beside those which origin moves
    cval    0

    All else is as of conv2d.
    """
    what = 'conv3d'
    backend = backend_of(what, x, output)
    x, taps = backend.array(x), taps_of(what, taps, 3)
    if x.ndim != 3:
        raise ValueError(f'{what}: x has {x.ndim} axes, not 3')
    origins = for_axes(what, 'origin', origin, 3)
    anchor = [anchor_of(what, size, one) for size, one in zip(taps.shape, origins)]
    if any(origins):
        taps = centred(taps, anchor)
    word_in, word_sum, word_out = types_of(what, x, output)
    only_float(what, word_in, word_out, cval)
    text, upload = table('taps', word_sum, taps.shape, 0)
    text += (f'CMK_DEFINE_CONV3D(filter, {word_in}, ({", ".join(map(str, taps.shape))}), taps, '
             f'{edges_of(what, mode, 3)});\n')
    return filtered(what, backend, Definition(text, upload + volume_call('taps')), x, output, x.shape, taps.ravel())


ELEMENTS = {1: 'unsigned char', 2: 'unsigned short', 4: 'unsigned', 8: 'unsigned long long', 16: 'uint4'}
AXES = {(0, 2, 1): 'ZXY', (1, 0, 2): 'YZX', (1, 2, 0): 'YXZ', (2, 0, 1): 'XZY', (2, 1, 0): 'XYZ'}


def transpose(x, axes=None):
    """x with its axes in another order, as numpy.transpose, but moved: matrices and volumes of elements of 1, 2, 4, 8
    or 16 bytes"""
    what = 'transpose'
    backend = backend_of(what, x)
    x = backend.array(x)
    if x.ndim not in (2, 3):
        raise ValueError(f'{what}: x has {x.ndim} axes, not 2 or 3')
    axes = tuple(reversed(range(x.ndim))) if axes is None else tuple(axis % x.ndim for axis in axes)
    if sorted(axes) != list(range(x.ndim)):
        raise ValueError(f'{what}: axes {axes} are no order of {x.ndim}')
    if x.dtype.hasobject or x.dtype.itemsize not in ELEMENTS:
        raise TypeError(f'{what}: elements of {x.dtype} have not 1, 2, 4, 8 or 16 bytes')
    result = backend.empty([x.shape[axis] for axis in axes], x.dtype)
    if axes == tuple(range(x.ndim)):
        result[...] = x
        return result
    text = f'CMK_DEFINE_TRANSPOSE(turn, {ELEMENTS[x.dtype.itemsize]});\n'
    call = ('return turn(arrays[0], sizes[1], arrays[1], sizes[0], sizes[0], sizes[1], 0);' if x.ndim == 2 else
            f'return turn_volume(arrays[0], arrays[1], sizes[0], sizes[1], sizes[2], CMK_TRANSPOSE_{AXES[axes]}, 0);')
    backend.run(what, Definition(text, call), [Array(x, True, False), Array(result, False, True)], x.shape, [])
    return result
