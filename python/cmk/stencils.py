"""Stencils of an update in C: the definitions of point.h, kernel/stencil2d.h and kernel/stencil3d.h."""

import functools
import re
from collections import namedtuple
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .backends import backend_of
from .cpu import get_include
from .definition import EDGES, TYPES, Array, Definition, index_of, number_of, value_of
from .errors import CompileError

OF_FIELDS = ('CMK_POINT_AT', 'CMK_POINT_HERE', 'CMK_POINT_BEFORE', 'CMK_POINT_SET')  # words that begin with one
FIELDS = ('IN', 'OUT', 'SAME', 'NEXT', 'LEAPFROG')


MOST_STEPS = 2 ** 63 - 1
C_WORDS = frozenset('auto break case char const continue default do double else enum extern float for goto if inline '
                    'int long register restrict return short signed sizeof static struct switch typedef union unsigned '
                    'void volatile while half bfloat16'.split())


@functools.lru_cache(maxsize=None)
def words_of_headers():
    """the words that a shape or an edge may have"""
    text = ''.join((Path(get_include()) / 'cmk' / name).read_text(encoding='utf-8') for name in ('point.h', 'edge.h'))
    return frozenset(re.findall(r'\bCMK_(?:POINT|EDGE)_\w*[A-Z0-9]\b', text))


def check_words(name, kind, text, start):
    """that a shape, or an edge, is of words of point.h and edge.h"""
    found = re.findall(r'[A-Za-z_]\w*', text) if isinstance(text, str) else []
    unknown = [word for word in found if word not in words_of_headers() and (word == found[0] or word[:4] == 'CMK_')]
    if unknown or not found or not found[0].startswith(start):
        raise ValueError(f'stencil: {name}: no {kind} {text!r}' + (f': {unknown[0]} is no word of point.h and edge.h'
                                                                   if unknown else ''))


def name_of(name):
    if not isinstance(name, str) or not re.fullmatch(r'[A-Za-z_]\w*', name, re.ASCII) or \
            name in C_WORDS or name == 'steps':
        raise ValueError(f'stencil: {name!r} is no name for a field or a number')
    return name


def use_of(use):
    """a line of uses, checked: (KIND, T, name, SHAPE, edge), or (VALUE, T, name)"""
    if isinstance(use, str) or not isinstance(use, Sequence) or len(use) not in (3, 5):
        raise ValueError(f'stencil: {use!r} is none of (KIND, type, name), (KIND, type, name, shape, mode)')
    kind, word, name, *more = use
    if kind not in (*FIELDS, 'VALUE'):
        raise ValueError(f'stencil: no kind {kind!r}: it is one of {", ".join(FIELDS)} and VALUE')
    if not isinstance(word, str) or word not in TYPES:
        raise TypeError(f'stencil: {name} is of {word!r}, none of {", ".join(TYPES)}')
    if kind == 'VALUE' and more:
        raise ValueError(f'stencil: {use} is none of (KIND, type, name), (KIND, type, name, shape, mode)')
    if not more:
        return kind, word, name_of(name)
    check_words(name, 'shape', more[0], 'CMK_POINT_')
    if not isinstance(more[1], str) or more[1] not in EDGES and not more[1].startswith('CMK_EDGE_'):
        raise ValueError(f'stencil: {name}: no mode {more[1]!r}: it is one of {", ".join(EDGES)}, or a word of edge.h')
    edge = EDGES.get(more[1], more[1])
    check_words(name, 'mode', edge, 'CMK_EDGE_')
    return kind, word, name_of(name), more[0], edge


class Member(NamedTuple):
    """a buffer of the grid: its name there, the argument that fills it, whether that must be given, and whether the
    buffer is returned"""
    name: str
    given: str
    needed: bool
    written: bool
    word: str


def members_of(kind, word, name, *_):
    found = [Member(name, name, kind != 'OUT', kind != 'IN', word)]
    if kind == 'NEXT':  # has the level too, so that what is not updated is kept
        found.append(Member(name + '_next', name, True, False, word))
    if kind == 'LEAPFROG':
        found.append(Member(name + '_before', name + '_before', True, True, word))
    return found


class Stencil:
    """a stencil; called, with an array for each field that is read, it does steps of its update, and returns those that
    are written, by their names"""

    def __init__(self, uses, body, dims, stages, inner):
        dims = index_of('stencil', 'dims', dims)
        if dims not in (2, 3):
            raise ValueError(f'stencil: dims is {dims}, not 2 or 3')
        stages = index_of('stencil', 'stages', stages)
        if not 1 <= stages <= 4:
            raise ValueError(f'stencil: stages is {stages}: from 1 to 4')
        if not isinstance(body, str):
            raise TypeError(f'stencil: body is {body!r}, and not a text')
        if isinstance(uses, str) or not isinstance(uses, Iterable):
            raise TypeError(f'stencil: uses is {uses!r}, and not a list')
        self.uses, self.dims, self.body = [use_of(use) for use in uses], dims, body
        lists = ' '.join(f'USES({", ".join(use)})' for use in self.uses)
        of_stages = f'_STAGES(update, LIST_, {stages})' if stages > 1 else '(update, LIST_)'
        text = (f'#define LIST_(USES) {lists}\nCMK_POINT_{dims}D{of_stages}\n'
                f'{{\n#line 1 "body"\n{body}\n}}\nCMK_DEFINE_STENCIL{dims}D(update, LIST_);\n')
        self.members = [member for use in self.uses if use[0] != 'VALUE' for member in members_of(*use)]
        self.values = [(name, word) for kind, word, name, *_ in self.uses if kind == 'VALUE']
        self.outsides = [(name, word) for kind, word, name, *shape in self.uses if kind != 'VALUE' and shape]
        names = [member.name for member in self.members] + [name for name, _ in self.values]
        names += [f'{name}_outside' for name, _ in self.outsides]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f'stencil: {twice} is the name of two things')
        self.result = namedtuple('Written', [member.name for member in self.members if member.written])
        self.definition = self.defined(text, inner)

    def defined(self, text, inner):
        sizes = 'sizes[0], sizes[1], sizes[1]' if self.dims == 2 else \
            'sizes[0], sizes[1], sizes[2], sizes[1] * sizes[2], sizes[2]'
        before = [f'update_grid grid = update_{"inner" if inner else "domain"}({sizes});']
        before += [f'grid.{member.name} = arrays[{k}];' for k, member in enumerate(self.members)]
        at = len(self.values)
        before += [f'grid.{name}_outside = {number_of(word, at + k)};' for k, (name, word) in enumerate(self.outsides)]
        values = ''.join(f', {number_of(word, k)}' for k, (_, word) in enumerate(self.values))
        after = [f'arrays[{k}] = (void *)grid.{member.name};' for k, member in enumerate(self.members)]
        return Definition(text, 'update', 'update_steps', f'&grid, sizes[{self.dims}] CMK_PYTHON_PLANNED_{values}',
                          before='\n    '.join(before), after='\n    '.join(after))

    def slip(self):
        """of a body that does not compile, the first word that is none of a field or of point.h, with its line"""
        fields = [name for kind, _, name, *_ in self.uses if kind != 'VALUE']
        text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda found: '\n' * found.group().count('\n'),
                      self.body, flags=re.DOTALL)
        parameters = set(re.findall(r'\w+', ' '.join(re.findall(r'#\s*define\s+\w+\(([^)]*)\)', text))))
        for found in re.finditer(r'\b(CMK_(?:POINT|EDGE)_\w+)(?:\s*\(\s*(\w+))?', text):
            word, field = found.groups()
            line = text.count('\n', 0, found.start()) + 1
            if word not in words_of_headers():
                return f'body:{line}: {word} is no word of point.h'
            if word in OF_FIELDS and field and field not in fields and field not in parameters:
                return f'body:{line}: {word}({field}, ...): there is no field {field}: it is one of {", ".join(fields)}'
        return None

    def arrays(self, backend, given):
        """(shape, the arguments of a call), of copies"""
        taken, shape = {}, None
        for member in self.members:
            if member.given not in given:
                if member.needed:
                    raise TypeError(f'stencil: no array {member.given} is given')
                continue
            x = given[member.given]
            its_shape, dtype = backend.shape_of(x)
            if dtype != TYPES[member.word]:
                kind = np.dtype(TYPES[member.word])
                hint = '' if member.word == 'bfloat16' else f': use {member.given}.astype of {kind}'
                raise TypeError(f'stencil: {member.given} is of {dtype}, and its field of {member.word}{hint}')
            if len(its_shape) != self.dims or shape not in (None, its_shape):
                raise ValueError(f'stencil: {member.given} has the shape {its_shape}, not '
                                 + str(shape or f'{self.dims} axes'))
            taken[member.name], shape = backend.copy(x), its_shape
        if shape is None:
            raise TypeError('stencil: it reads no field, so that one which it writes must be given, for its shape')
        for member in self.members:
            if member.name not in taken:
                taken[member.name] = backend.zeros(shape, TYPES[member.word])
        return shape, [Array(taken[member.name], True, member.written) for member in self.members]

    def __call__(self, *, steps=1, **given):
        backend = backend_of('stencil', given)
        names = [*dict.fromkeys(member.given for member in self.members), *(name for name, _ in self.values)]
        unknown = [name for name in given if name not in names and name not in
                   [f'{field}_outside' for field, _ in self.outsides]]
        absent = [name for name, _ in self.values if name not in given]
        if unknown or absent:
            wrong = f'there is no {unknown[0]}' if unknown else f'no number {absent[0]} is given'
            raise TypeError(f'stencil: {wrong}: its arguments are {", ".join(names)}')
        steps = index_of('stencil', 'steps', steps)
        if not 0 <= steps <= MOST_STEPS:
            raise ValueError(f'stencil: steps is {steps}: from 0 to {MOST_STEPS}')
        shape, arrays = self.arrays(backend, given)
        numbers = [value_of('stencil', name, given[name], word, finite=False) for name, word in self.values]
        numbers += [value_of('stencil', f'{name}_outside', given.get(f'{name}_outside', 0), word, finite=False)
                    for name, word in self.outsides]
        try:
            written = backend.run('stencil', self.definition, arrays, [*shape, steps], numbers)
        except CompileError as error:
            sentence = self.slip()
            if not sentence:
                raise
            raise CompileError(sentence, error.output) from None
        return self.result(*[data for data, one in zip(written, arrays) if one.written])


def stencil(uses, body, *, dims=2, stages=1, inner=False):
    """a function that updates the points of a grid, of a body in C (point.h, docs/stencils.md).

    uses    what the body uses: (KIND, type, name) or (KIND, type, name, shape, mode), where KIND is IN, OUT, SAME, NEXT
            or LEAPFROG, the shape a word of point.h, the mode one of conv2d or a word of edge.h; ('VALUE', type, name)
            is a number
    inner   points that would read outside keep their values, of an OUT that is not given 0
    stages  of a step, 1 to 4

        heat = stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest'), ('VALUE', 'float', 'k')], '''
            #define U(dy, dx) CMK_POINT_AT(u, dy, dx)
            CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4 * U(0, 0)));''')
        u = heat(u=u, k=0.2, steps=100).u

    A LEAPFROG field u takes and returns the level before, u_before, too; u_outside is what lies outside of u by
    mode='constant'. The arrays that are given stay as they are.
    """
    return Stencil(uses, body, dims, stages, inner)
