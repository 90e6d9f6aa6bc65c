"""Stencils of an update in C: the definitions of point.h, kernel/stencil2d.h and kernel/stencil3d.h."""

from collections import namedtuple

import numpy as np

from .backends import backend_of
from .definition import EDGES, TYPES, Array, Definition

FIELDS = ('IN', 'OUT', 'SAME', 'NEXT', 'LEAPFROG')
AXES = {2: ('rows', 'columns'), 3: ('planes', 'rows', 'columns')}


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


class Stencil:
    """a stencil; called, with an array for each field that is read, it does steps of its update, and returns those that
    are written, by their names"""

    def __init__(self, uses, body, dims, stages, inner):
        if dims not in AXES:
            raise ValueError(f'stencil: dims is {dims}, not 2 or 3')
        self.uses, self.dims = [use_of(use) for use in uses], dims
        lists = ' '.join(f'USES({", ".join(use)})' for use in self.uses)
        of_stages = f'_STAGES(update, LIST_, {int(stages)})' if stages > 1 else '(update, LIST_)'
        self.text = (f'#define LIST_(USES) {lists}\nCMK_POINT_{dims}D{of_stages}\n'
                     f'{{\n#line 1 "body"\n{body}\n}}\nCMK_DEFINE_STENCIL{dims}D(update, LIST_);\n')
        self.pairs = []  # (name of a member of the grid, whether read, whether written, C's word)
        for kind, word, name, *_ in (use for use in self.uses if use[0] != 'VALUE'):
            self.pairs.append((name, kind != 'OUT', kind != 'IN', word))
            if kind == 'NEXT':
                self.pairs.append((name + '_next', True, False, word))
            if kind == 'LEAPFROG':
                self.pairs.append((name + '_before', True, True, word))
        self.values = [(name, word) for kind, word, name, *_ in self.uses if kind == 'VALUE']
        self.outsides = [(name, word) for kind, word, name, *shape in self.uses if kind != 'VALUE' and shape]
        self.result = namedtuple('Written', [name for name, _, written, _ in self.pairs if written])
        self.definition = Definition(self.text, self.call(inner))

    def call(self, inner):
        sizes = 'sizes[0], sizes[1], sizes[1]' if self.dims == 2 else \
            'sizes[0], sizes[1], sizes[2], sizes[1] * sizes[2], sizes[2]'
        lines = [f'update_grid grid = update_{"inner" if inner else "domain"}({sizes});']
        lines += [f'grid.{name} = arrays[{k}];' for k, (name, *_) in enumerate(self.pairs)]
        at = len(self.values)
        lines += [f'grid.{name}_outside = ({word})numbers[{at + k}];' for k, (name, word) in enumerate(self.outsides)]
        values = ''.join(f', ({word})numbers[{k}]' for k, (_, word) in enumerate(self.values))
        lines += [f'const cudaError_t error = update_steps(&grid, sizes[{self.dims}]{values}, 0);']
        lines += [f'arrays[{k}] = (void *)grid.{name};' for k, (name, *_) in enumerate(self.pairs)]
        return '\n    '.join([*lines, 'return error;'])

    def arrays(self, backend, given):
        """copies for a call: both buffers of NEXT have the level, so that what is not updated is kept"""
        arrays, shape = [], None
        for name, read, written, word in self.pairs:
            own = name[:-5] if name.endswith('_next') and name not in given else name
            if own not in given and read:
                raise TypeError(f'stencil: no array {own} is given')
            if own not in given:
                arrays.append((None, read, written, word))
                continue
            x = backend.array(given[own])
            if x.dtype != TYPES[word]:
                raise TypeError(f'stencil: {own} is of {x.dtype}, and its field of {word}')
            if x.ndim != self.dims or (shape is not None and x.shape != shape):
                raise ValueError(f'stencil: {own} has the shape {x.shape}, not {shape or f"{self.dims} axes"}')
            shape = x.shape
            arrays.append((x.copy(), read, written, word))
        if shape is None:
            raise TypeError('stencil: it reads no field, so that one which it writes must be given, for its shape')
        return shape, [Array(backend.empty(shape, TYPES[word]) if x is None else x, read, written)
                       for x, read, written, word in arrays]

    def __call__(self, *, steps=1, **given):
        backend = backend_of('stencil', *given.values())
        names = [name for name, *_ in self.pairs] + [name for name, _ in self.values]
        unknown = set(given) - set(names) - {f'{name}_outside' for name, _ in self.outsides}
        if unknown or any(name not in given for name, _ in self.values):
            raise TypeError(f'stencil: its arguments are {", ".join(names)}, not {", ".join(given)}')
        shape, arrays = self.arrays(backend, given)
        numbers = [float(given[name]) for name, _ in self.values]
        numbers += [float(given.get(f'{name}_outside', 0)) for name, _ in self.outsides]
        backend.run('stencil', self.definition, arrays, [*shape, steps], numbers)
        return self.result(*[one.data for one in arrays if one.written])


def stencil(uses, body, *, dims=2, stages=1, inner=False):
    """a function that updates the points of a grid, of a body in C (point.h, docs/stencils.md).

    uses    what the body uses: (KIND, type, name) or (KIND, type, name, shape, mode), where KIND is IN, OUT, SAME, NEXT
            or LEAPFROG, the shape a word of point.h, the mode one of conv2d or a word of edge.h; ('VALUE', type, name)
            is a number
    inner   points that would read outside keep their values
    stages  of a step, 1 to 4

        heat = stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest'), ('VALUE', 'float', 'k')], '''
            #define U(dy, dx) CMK_POINT_AT(u, dy, dx)
            CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4 * U(0, 0)));''')
        u = heat(u=u, k=0.2, steps=100).u

    A LEAPFROG field u takes and returns the level before, u_before, too; u_outside is what lies outside of u by
    mode='constant'. The arrays that are given stay as they are.
    """
    return Stencil(uses, body, dims, stages, inner)
