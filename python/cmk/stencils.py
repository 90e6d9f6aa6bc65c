"""Stencils of an update in C: the definitions of point.h, kernel/stencil2d.h and kernel/stencil3d.h."""

from collections import namedtuple
from typing import NamedTuple

from .backends import backend_of
from .definition import EDGES, TYPES, Array, Definition, index_of, number_of, value_of

FIELDS = ('IN', 'OUT', 'SAME', 'NEXT', 'LEAPFROG')


def use_of(use):
    """a line of uses, checked: (KIND, T, name, SHAPE, edge), or (VALUE, T, name)"""
    kind, word, name, *more = use
    if kind not in (*FIELDS, 'VALUE'):
        raise ValueError(f'stencil: no kind {kind!r}: it is one of {", ".join(FIELDS)} and VALUE')
    if word not in TYPES:
        raise TypeError(f'stencil: {name} is of {word!r}, none of {", ".join(TYPES)}')
    if not name.isidentifier() or (kind == 'VALUE' and more) or len(more) not in (0, 2):
        raise ValueError(f'stencil: {use} is none of (KIND, type, name), (KIND, type, name, shape, mode)')
    if more and more[1] not in EDGES and not more[1].startswith('CMK_EDGE_'):
        raise ValueError(f'stencil: {name}: no mode {more[1]!r}: it is one of {", ".join(EDGES)}, or a word of edge.h')
    return (kind, word, name, *([more[0], EDGES.get(more[1], more[1])] if more else []))


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
        if dims not in (2, 3):
            raise ValueError(f'stencil: dims is {dims}, not 2 or 3')
        stages = index_of('stencil', 'stages', stages)
        if not 1 <= stages <= 4:
            raise ValueError(f'stencil: stages is {stages}: from 1 to 4')
        self.uses, self.dims = [use_of(use) for use in uses], dims
        lists = ' '.join(f'USES({", ".join(use)})' for use in self.uses)
        of_stages = f'_STAGES(update, LIST_, {stages})' if stages > 1 else '(update, LIST_)'
        text = (f'#define LIST_(USES) {lists}\nCMK_POINT_{dims}D{of_stages}\n'
                f'{{\n#line 1 "body"\n{body}\n}}\nCMK_DEFINE_STENCIL{dims}D(update, LIST_);\n')
        self.members = [member for use in self.uses if use[0] != 'VALUE' for member in members_of(*use)]
        self.values = [(name, word) for kind, word, name, *_ in self.uses if kind == 'VALUE']
        self.outsides = [(name, word) for kind, word, name, *shape in self.uses if kind != 'VALUE' and shape]
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
                raise TypeError(f'stencil: {member.given} is of {dtype}, and its field of {member.word}')
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
        unknown = set(given) - set(names) - {f'{name}_outside' for name, _ in self.outsides}
        if unknown or any(name not in given for name, _ in self.values):
            raise TypeError(f'stencil: its arguments are {", ".join(names)}, not {", ".join(given)}')
        if steps != int(steps) or steps < 0:
            raise ValueError(f'stencil: steps is {steps}')
        shape, arrays = self.arrays(backend, given)
        numbers = [value_of('stencil', name, given[name], word, finite=False) for name, word in self.values]
        numbers += [value_of('stencil', f'{name}_outside', given.get(f'{name}_outside', 0), word, finite=False)
                    for name, word in self.outsides]
        written = backend.run('stencil', self.definition, arrays, [*shape, int(steps)], numbers)
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
