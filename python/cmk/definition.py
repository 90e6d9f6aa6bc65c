"""What a call comes to, for any backend: a definition of cmk, and one call of what it defines."""

import operator
import re
from typing import NamedTuple

import numpy as np

BFLOAT16 = np.dtype([('bfloat16', np.uint16)])  # which NumPy has not: that of PyTorch, in the memory of a GPU
# C's words for the types of arrays
TYPES = {'float': np.float32, 'double': np.float64, 'half': np.float16, 'bfloat16': BFLOAT16,
         'unsigned char': np.uint8, 'signed char': np.int8, 'unsigned short': np.uint16, 'short': np.int16,
         'unsigned': np.uint32, 'int': np.int32, 'unsigned long long': np.uint64, 'long long': np.int64}
# scipy.ndimage's words for edges; of a filter its grid-... are the others
EDGES = {'reflect': 'CMK_EDGE_MIRROR', 'grid-mirror': 'CMK_EDGE_MIRROR', 'constant': 'CMK_EDGE_ZERO',
         'grid-constant': 'CMK_EDGE_ZERO', 'nearest': 'CMK_EDGE_CLAMP', 'mirror': 'CMK_EDGE_REFLECT',
         'wrap': 'CMK_EDGE_WRAP', 'grid-wrap': 'CMK_EDGE_WRAP'}


class Table(NamedTuple):
    """a PARAMETER table of a definition"""
    name: str
    word: str
    count: int


class Definition(NamedTuple):
    """text: C at file scope, with its tables; name: of what it defines; launcher: the function of a call, and
    arguments: its own, of arrays[k] in device memory, sizes[k], and numbers[k], which are doubles and fill the tables
    first; before, after: statements around the call"""
    text: str
    name: str
    launcher: str
    arguments: str
    tables: tuple = ()
    before: str = ''
    after: str = ''


class Loops(NamedTuple):
    """a filter as filter.h has it, of three axes: C's words for the input, the sums and the output; count images of
    channels; for each axis its size, the length of the filter, its anchor and the edge; what is outside; whether taps
    are of the axes, one behind the other, or their products"""
    words: tuple
    count: int
    channels: int
    sizes: tuple
    lengths: tuple
    anchor: tuple
    edges: tuple
    outside: float
    taps: np.ndarray
    separable: bool


class Call(NamedTuple):
    """a call of one array: the definition, None where the result is a copy; and the result. For NumPy the loops of a
    filter, or the axes of a transpose"""
    definition: Definition
    sizes: list
    numbers: list
    shape: tuple
    dtype: np.dtype
    loops: Loops = None
    axes: tuple = None


class Array(NamedTuple):
    """an argument: read before the call, written after it"""
    data: object
    read: bool
    written: bool


def fill_of(table, first):
    """the statement that fills a table from numbers[first] on"""
    return f'''{{
        static {table.word} values[{table.count}];
        for (int k = 0; k < {table.count}; ++k) values[k] = ({table.word})numbers[{first} + k];
        const cudaError_t error = CMK_TABLE_UPLOAD({table.name}, values, 0, {table.count});
        if (error != cudaSuccess) return error;
    }}
    '''


def fills_of(definition):
    """the statements that fill all its tables"""
    first, text = 0, ''
    for table in definition.tables:
        text += fill_of(table, first)
        first += table.count
    return text


def declared(text, declarations):
    """those of the declarations, by their words, that a text has the word of"""
    return ''.join(f'{line}\n' for word, line in declarations.items() if re.search(rf'\b{word}\b', text))


def number_of(word, k):
    """numbers[k] as a C type"""
    return f'cmk_python_bfloat16(numbers[{k}])' if word == 'bfloat16' else f'({word})numbers[{k}]'


def type_of(what, dtype, words):
    """C's word for a NumPy type, one of these"""
    for word in words:
        if np.dtype(dtype) == TYPES[word]:
            return word
    raise TypeError(f'{what}: arrays of {np.dtype(dtype)} are none of its: use x.astype of one of '
                    + ', '.join(np.dtype(TYPES[word]).name for word in words if word != 'bfloat16'))


def index_of(what, name, value):
    """an integer of Python"""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f'{what}: {name} is {value!r}, which is no integer') from None


def axis_of(what, axis, count):
    """an axis of an array of count, from the end where it is negative"""
    at = index_of(what, 'an axis', axis)
    if not -count <= at < count:
        raise ValueError(f'{what}: there is no axis {at} of {count}')
    return at % count


def axes_of(what, axes, count):
    """the axes that are given, or all"""
    if axes is None:
        return tuple(range(count))
    try:
        axes = tuple(axes)
    except TypeError:
        raise TypeError(f'{what}: axes is {axes!r}, which are no axes') from None
    return tuple(axis_of(what, axis, count) for axis in axes)


def edge_of(what, mode):
    if not isinstance(mode, str) or mode not in EDGES:
        raise ValueError(f'{what}: no mode {mode!r}: it is one of {", ".join(EDGES)}')
    return EDGES[mode]


def for_axes(what, name, value, axes):
    """one value for each axis, as scipy.ndimage takes them"""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * axes
    if len(value) != axes:
        raise ValueError(f'{what}: {name} has {len(value)} values for {axes} axes')
    return list(value)


def edges_of(what, mode, axes):
    """the edge of each axis"""
    return tuple(edge_of(what, one) for one in for_axes(what, 'mode', mode, axes))


def edge_text(edges):
    return f'CMK_EDGE_AXES{"_3D" * (len(edges) == 3)}({", ".join(edges)})'


def number_from(what, name, value):
    """what is given as a number, as one of Python"""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, complex):
        raise TypeError(f'{what}: {name} is complex')
    if isinstance(value, (str, bytes)):
        raise TypeError(f'{what}: {name} is {value!r}, which is no number')
    try:
        return value if isinstance(value, int) else float(value)
    except (TypeError, ValueError):
        raise TypeError(f'{what}: {name} is {value!r}, which is no number') from None


def value_of(what, name, value, word, finite=True):
    """a number as one of a type, by a double; finite, or else one that has not become infinite"""
    kind = np.dtype(TYPES['float' if word == 'bfloat16' else word])
    value = number_from(what, name, value)
    try:
        with np.errstate(over='ignore'):
            number = float(kind.type(value)) if kind.kind == 'f' else float(value)
    except OverflowError:
        number = np.inf
    if kind.kind == 'f' and not np.isfinite(number) and (finite or number != value == value):
        raise ValueError(f'{what}: {name} must be finite' + f' as {kind.name}' * (not finite))
    if kind.kind == 'f':
        return number
    if not (value == value and abs(value) != np.inf and value == int(value)
            and np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max):
        raise ValueError(f'{what}: {name} is {value}, which no {kind.name} is')
    if number != value:
        raise ValueError(f'{what}: {name} is {value}, and numbers go as doubles, of which none is that')
    return number


def literal(number, word):
    """a C constant of a type for such a number"""
    return str(int(number)) if np.dtype(TYPES[word]).kind in 'iu' else number.hex() + 'f' * (word != 'double')
