"""Draws definitions of stencil2d.h and stencil3d.h, each with its update in plain loops, and writes them as C.

usage: draw.py quick|all UNIT...              shares the definitions out among these files, each a program
       draw.py all --seed 8 drawn.cu          those of another seed, 60 again

Many definitions, by hand, on the CPU and on a GPU:
    python3 tests/point/build.py drawn --seeds 8-24
    for seed in $(seq 8 24); do
        python3 tests/point/draw.py all --seed $seed drawn.cu &&
        nvcc -std=c++17 -arch=native -Iinclude -Itests -o drawn drawn.cu && ./drawn
    done

An update is a list of terms, which is written twice: in the words of point.h, and in those of judge.h over doubles.
Each list below in capitals is a deck: shuffled by the seed, a card of each makes a definition, so that every card is
used. Coefficients are multiples of 1/256 whose sum stays below 1, and the term that is not linear is bounded: so many
steps stay finite. Updates of integers are taken modulo 97, and exact.

Some definitions have reductions. One is of values that are exact: of places, of IN fields and of integers. Another is
of what is set, of which the result is judged by the values that the call has left in memory. Some definitions raise a
flag behind a number of steps. Either ends the loop of a name_until. Some see the colour of their points: in a value, or
in a sweep, of which each stage sets the points of one colour.
"""

import argparse
import collections
import random
import sys

SEED = 7
MODULUS = 97
Field = collections.namedtuple('Field', 'kind type name count shape edges')
Term = collections.namedtuple('Term', 'factor field index offset')
Set = collections.namedtuple('Set', 'field index terms bent place when')
Reduction = collections.namedtuple('Reduction', 'kind type name stage set terms place when')
Definition = collections.namedtuple('Definition',
                                    'number dims stages fields table gain gain_by sets reductions flag_stage')

C_TYPES = {'float': 'float', 'double': 'double', 'half': 'test_half', 'bfloat16': 'test_bfloat16', 'int': 'int',
           'short': 'short', 'uchar': 'unsigned char', 'pair': 'judge_pair', 'triple': 'judge_triple'}
SIZES = {'float': 4, 'double': 8, 'half': 2, 'bfloat16': 2, 'int': 4, 'short': 2, 'uchar': 1, 'pair': 8, 'triple': 12}
MEMBERS = {'pair': '.x .y'.split(), 'triple': '.x .y .z'.split()}
INTEGERS = ('int', 'short', 'uchar')
VERBS = {'SUM': 'ADD', 'MAX': 'MOST', 'MIN': 'LEAST'}
EDGES = ['ZERO', 'CLAMP', 'WRAP', 'MIRROR', 'REFLECT']
ODD = ['MIRROR_ODD', 'REFLECT_ODD']

KINDS = ['NEXT'] * 9 + ['NEXT IN'] * 3 + ['IN OUT'] * 4 + [
    'INS OUT', 'IN OUTS', 'INS OUTS', 'NEXT NEXT', 'NEXT NEXT IN', 'NEXTS', 'NEXTS IN', 'LEAPFROG', 'LEAPFROG',
    'LEAPFROG IN', 'LEAPFROGS', 'LEAPFROG NEXT', 'SAME', 'SAME IN', 'SAMES IN', 'NEXT SAME', 'NEXT OUT', '2 SAME SAME',
    '2 SAMES SAME IN', '2 NEXT', '2 NEXT OUT', '3 SAME SAME IN', '2 NEXT SAME']
TYPES = ['float'] * 16 + ['double'] * 5 + ['int'] * 2 + [
    'short', 'uchar', 'uchar', 'uchar', 'half', 'half', 'bfloat16', 'pair', 'pair', 'triple']
EDGE_KINDS = EDGES * 2 + ODD * 3 + ['SIDES'] * 4 + ['AXES'] * 5 + ['AXES OF SIDES'] * 9
SHAPES = {
    2: [('STAR', 1)] * 4 + [('STAR', 2), ('STAR', 2), ('STAR', 3), ('STAR', 4), ('STAR', 5), ('STAR', 8), ('BOX', 1),
                            ('BOX', 1), ('BOX', 1), ('BOX', 2), ('BOX', 3), ('BOX', 4), ('BOX', 8), ('REACH', 0, 1, 0),
                            ('REACH', 0, 0, 1), ('REACH', 0, 2, 5), ('REACH', 0, 8, 1), ('REACH', 3, 1, 7), ('STAR', 0),
                            None],
    3: [('STAR', 1)] * 4 + [('STAR', 2), ('STAR', 2), ('STAR', 3), ('STAR', 4), ('STAR', 6), ('BOX', 1), ('BOX', 1),
                            ('BOX', 2), ('REACH', 1, 0, 0), ('REACH', 0, 1, 2), ('REACH', 2, 1, 0), ('REACH', 0, 0, 5),
                            ('REACH', 1, 2, 1), ('BOX', 0), None]}
TABLES = [None] * 6 + ['LITERAL', 'CONSTANT', 'PARAMETER', 'GLOBAL']
GAINS = [None, None, 'float', 'pair']
WHENS = [None] * 6 + ['where', 'steps', 'border', 'last', 'far']
PLACES = [None] * 3 + ['{row} % 4', '{column} % 3', '{plane} % 2', '(int)({step} % 3)', '{rows} - {row} > 2', '{stage}',
                       '{planes} - {plane}', '{columns} - {column} == 1']
CONDITIONS = {'where': '({row} + 2 * {column} + {plane}) % 3 != 0', 'steps': '({step} + {row}) % 2 == 0',
              'border': '{border} && {row} == 0', 'last': '{row} == {rows} - 1 && 2 * {column} < {columns}',
              'far': '{plane} == {planes} - 1 || {column} > 4', 'colour': '{colour} == {stage} % 2'}
QUICK = [('NEXT', 'float', ('STAR', 2), 2, 'AXES OF SIDES'), ('LEAPFROG IN', 'float', ('STAR', 1), 3, 'REFLECT_ODD'),
         ('IN OUT', 'uchar', ('BOX', 1), 2, 'MIRROR'), ('2 SAMES SAME IN', 'double', ('BOX', 1), 3, 'AXES OF SIDES'),
         ('INS OUTS', 'float', ('STAR', 6), 3, 'AXES OF SIDES'), ('NEXTS', 'float', ('STAR', 8), 3, 'AXES OF SIDES'),
         ('NEXTS', 'float', ('REACH', 1, 8, 1), 3, 'MIRROR_ODD')]


# ---- Definitions

def reach(shape):
    """planes, rows, columns"""
    if shape is None:
        return 0, 0, 0
    return shape[1:] if shape[0] == 'REACH' else (shape[1],) * 3


def sides(draw, edges):
    return tuple(draw.sample(edges, 2))


def edges_of(draw, kind, type_):
    """low and high of planes, rows and columns; odd ones only of float and double"""
    can_turn = type_ in ('float', 'double')
    edges = EDGES + ODD * can_turn
    if kind in EDGES or (kind in ODD and can_turn):
        return ((kind, kind),) * 3
    if kind in ('SIDES', *ODD):
        return (sides(draw, edges),) * 3
    if kind == 'AXES':
        return tuple((edge, edge) for edge in draw.sample(edges, 3))
    return tuple(sides(draw, edges) for _ in range(3))


def one_field(draw, kind, type_, name, shape, edge_kind):
    plural = kind.endswith('S')
    if kind.startswith('OUT'):
        shape = None
    elif shape is None and kind in ('NEXT', 'NEXTS', 'LEAPFROG', 'LEAPFROGS'):
        shape = ('BOX', 0)
    count = draw.choice([2, 3]) if plural else 1
    return Field(kind.rstrip('S'), type_, name, count if plural else 0, shape, edges_of(draw, edge_kind, type_))


def offsets(draw, dims, shape, count):
    """of the shape: to its ends along each axis first, then any"""
    most = reach(shape) if dims == 3 else (0, *reach(shape)[1:])
    ends = [tuple(sign * most[axis] if axis == along else 0 for axis in range(3)) for along in range(3) if most[along]
            for sign in (-1, 1)]
    if shape and shape[0] != 'STAR' and sum(side > 0 for side in most) > 1:
        ends += [tuple(draw.choice([-1, 1]) * side for side in most) for _ in range(2)]
    draw.shuffle(ends)
    while len(ends) < count:
        at = tuple(draw.randint(-side, side) for side in most)
        if shape and shape[0] == 'STAR':
            along = draw.randrange(3)
            at = tuple(at[axis] if axis == along else 0 for axis in range(3))
        ends.append(at)
    return ends[:max(count, 6)]


def factor(draw, type_, table, gain, terms):
    """a number, ('table', k) or 'gain'"""
    if type_ in INTEGERS:
        return draw.randint(1, 5) * draw.choice([-1, 1])
    if table and draw.random() < 0.3:
        return 'table', draw.randrange(len(table[1]))
    if gain and draw.random() < 0.2:
        return 'gain'
    return draw.randint(1, 255 // terms) * draw.choice([-1, 1]) / 256


def readable(fields, target, stage, stages):
    """(field, index, whether only at the point) of what a stage may read"""
    for number, f in enumerate(fields):
        if f.kind == 'OUT' or (target.type in INTEGERS and f.type not in INTEGERS):
            continue
        at_point = f.kind == 'SAME' and sets_in(fields, number, stage, stages)
        for index in range(max(f.count, 1)):
            yield number, index, at_point


def sets_in(fields, number, stage, stages):
    """whether a stage sets a field: those that are written take turns"""
    written = [k for k, f in enumerate(fields) if f.kind != 'IN']
    return stages == 1 or written.index(number) == stage % len(written)


def set_of(draw, d, number, index, stage):
    target, terms = d.fields[number], []
    sources = list(readable(d.fields, target, stage, d.stages))
    draw.shuffle(sources)
    for field, k, at_point in sources[:3]:
        shape = None if at_point else d.fields[field].shape
        for at in [(0, 0, 0)] if at_point else offsets(draw, d.dims, shape, draw.choice([2, 3, 4])):
            terms.append((field, k, at))
    if target.kind == 'LEAPFROG':
        terms.append((number, index, 'before'))
    terms = [Term(factor(draw, target.type, d.table, d.gain, len(terms)), *term) for term in terms]
    when = draw.choice(WHENS)
    around = any('WRAP' in f.edges[1] for f in d.fields) # of a part of a larger grid the first row may be INSIDE
    if when == 'border' and (max(reach(f.shape)[1] for f in d.fields) == 0 or around):
        when = 'where'
    return Set(number, index, terms, draw.randrange(len(terms)) if terms else None, draw.choice(PLACES), when)


def make(draw, number, kinds, type_, shape, dims, edge_kind):
    words = kinds.split()
    stages = int(words.pop(0)) if words[0].isdigit() else 1
    fields = []
    for k, kind in enumerate(words):
        other = draw.choice(['float', 'double', 'uchar', 'half']) if type_ not in INTEGERS else draw.choice(INTEGERS)
        mine = other if k > 0 and draw.random() < 0.3 else type_
        its_shape = shape if k == 0 else draw.choice([shape, None, ('STAR', 1), ('BOX', 1)])
        fields.append(one_field(draw, kind, mine, 'uvw'[k], its_shape, draw.choice([edge_kind, 'AXES OF SIDES'])
                                if k > 0 else edge_kind))
    source, gain = draw.choice(TABLES), draw.choice(GAINS)
    floats = any(f.kind != 'IN' and f.type not in INTEGERS for f in fields)
    table = (source, [draw.randint(-40, 40) / 256 for _ in range(5)]) if source and floats else None
    d = Definition(number, dims, stages, fields, table, gain if floats else None, 'VALUE', [], [], None)
    for stage in range(stages):
        mine = [set_of(draw, d, k, index, stage) for k, f in enumerate(fields)
                if f.kind != 'IN' and sets_in(fields, k, stage, stages)
                for index in range(max(f.count, 1)) if index == 0 or draw.random() < 0.8]
        d.sets.append(mine)
    return d


def final_sets(d):
    """(stage, set) of floats and doubles that no later stage sets again"""
    for stage, sets in enumerate(d.sets):
        later = {set_.field for others in d.sets[stage + 1:] for set_ in others}
        for set_ in sets:
            if d.fields[set_.field].type in ('float', 'double') and set_.field not in later:
                yield stage, set_


def exact_terms(draw, d):
    """samples whose values are exact: of IN fields, and of integers at the point"""
    found = []
    for number, f in enumerate(d.fields):
        at = (0, 0, 0)
        if f.kind == 'IN':
            at = offsets(draw, d.dims, f.shape, 1)[0]
        elif f.kind == 'OUT' or f.type not in INTEGERS:
            continue
        found.append(Term(draw.randint(1, 5) * draw.choice([-1, 1]) / 16, number, 0, at))
    return found


def reductions(draw, d):
    """of a third of the definitions none; else one or two"""
    sets = list(final_sets(d))
    for number in range(draw.randrange(3)):
        kind, type_, name = draw.choice(['SUM', 'SUM', 'MAX', 'MIN']), draw.choice(['float', 'double']), f'r{number}'
        if sets and draw.random() < 0.6:
            stage, set_ = draw.choice(sets)
            yield Reduction(kind, type_, name, stage, set_, [], None, None)
        else:
            yield Reduction(kind, type_, name, draw.randrange(d.stages), None, exact_terms(draw, d),
                            [draw.randint(1, 9) for _ in range(4)],
                            draw.choice(['where', 'steps', 'colour', None, None]))


def definitions(seed, which):
    draw = random.Random(f'{which} {seed}')
    if which == 'quick':
        return [with_more(seed, make(draw, number, *row)) for number, row in enumerate(QUICK)]
    made = []
    decks = [draw.sample(deck, len(deck)) for deck in (KINDS, TYPES, EDGE_KINDS, SHAPES[2], SHAPES[3])]
    for number in range(COUNT):
        dims = 3 if number % 5 in (1, 3) else 2
        kinds, type_, edges = (deck[number % len(deck)] for deck in decks[:3])
        shapes = decks[dims + 1]
        made.append(make(draw, number, kinds, type_, shapes[number % len(shapes)], dims, edges))
    return [with_more(seed, d) for d in made]


def see_colours(draw, d):
    """a third of the definitions are sweeps; in others some values see their colour"""
    is_sweep = draw.random() < 0.33
    for sets in d.sets:
        for k, set_ in enumerate(sets):
            if is_sweep:
                sets[k] = set_._replace(when='colour')
            elif set_.place is None and draw.random() < 0.3:
                sets[k] = set_._replace(place='{colour}')


def with_more(seed, d):
    """a definition with colours, reductions, values of device memory and flags, each of a draw of its own"""
    see_colours(random.Random(f'colours {seed} {d.number}'), d)
    d.reductions.extend(reductions(random.Random(f'reductions {seed} {d.number}'), d))
    draw = random.Random(f'ends {seed} {d.number}')
    return d._replace(gain_by=draw.choice(['VALUE', 'VALUE_OF']),
                      flag_stage=draw.randrange(d.stages) if draw.random() < 0.3 else None)


def can_end(d):
    """whether something of a definition can end a loop"""
    return d.reductions or d.flag_stage is not None


COUNT = 60


# ---- Their C

def shape_text(shape):
    return f'CMK_POINT_{shape[0]}({", ".join(map(str, shape[1:]))})'


def edge_text(dims, edges):
    each = [f'CMK_EDGE_{low}' if low == high else f'CMK_EDGE_SIDES(CMK_EDGE_{low}, CMK_EDGE_{high})'
            for low, high in edges]
    if each[1] == each[2] and (dims == 2 or each[0] == each[1]):
        return each[1]
    return (f'CMK_EDGE_AXES_3D({each[0]}, {each[1]}, {each[2]})' if dims == 3 and each[0] != each[1] else
            f'CMK_EDGE_AXES({each[1]}, {each[2]})')


def line(d, f):
    words = [f.kind + 'S' * (f.count > 0), C_TYPES[f.type], f.name] + [str(f.count)] * (f.count > 0)
    if f.shape:
        words += [shape_text(f.shape), edge_text(d.dims, f.edges)]
    return f'USES({", ".join(words)})'


def list_text(d):
    lines = [line(d, f) for f in d.fields]
    lines += [f'USES({r.kind}, {r.type}, {r.name})' for r in d.reductions]
    if d.gain:
        lines.append(f'USES({d.gain_by}, {C_TYPES[d.gain]}, gain)')
    if d.table:
        lines.append(f'USES(TABLE, taps{d.number})')
    if d.flag_stage is not None:
        lines += ['USES(VALUE_OF, cmk_i64, last)', 'USES(VALUE, unsigned *, flag)']
    return lines


def title(d):
    words = [text[5:-1].replace('CMK_EDGE_', '').replace('CMK_POINT_', '') for text in list_text(d)]
    return f'{d.dims}D, {d.stages} stage{"s" * (d.stages > 1)}, {"; ".join(words)}'


def components(type_):
    return MEMBERS.get(type_, [''])


def member(f, index):
    return f.name + (f'[{index}]' if f.count else '')


def array_of(d, field, index):
    """the number of an array among those of all fields"""
    return sum(max(f.count, 1) for f in d.fields[:field]) + index


class Words:
    """an update in the words of point.h"""
    place = {word: f'CMK_POINT_{word.upper()}'
             for word in ('plane', 'row', 'column', 'planes', 'rows', 'columns', 'step', 'stage', 'colour')}
    place['border'] = '!CMK_POINT_INSIDE'

    def __init__(self, d):
        self.d = d

    def number(self, target, value):
        if target.type in INTEGERS:
            return f'{value}'
        return f'{value!r}' if target.type == 'double' else f'{float(value)!r}f'

    def work(self, target):
        return 'int' if target.type in INTEGERS else 'double' if target.type == 'double' else 'float'

    def gain(self):
        return 'gain.y' if self.d.gain == 'pair' else 'gain'

    def tap(self, k):
        return f'CMK_TABLE_AT(taps{self.d.number}, {k})'

    def sample(self, target, term, component):
        f = self.d.fields[term.field]
        if term.offset == 'before':
            text = f'CMK_POINT_BEFORE({member(f, term.index)})'
        elif term.offset == (0, 0, 0) and f.shape is None:
            text = f'CMK_POINT_HERE({member(f, term.index)})'
        else:
            at = ', '.join(map(str, term.offset[3 - self.d.dims:]))
            text = f'CMK_POINT_AT({member(f, term.index)}, {at})'
        parts = components(f.type)
        return f'({self.work(target)}){text}{parts[component % len(parts)]}'

    def bend(self, target, text):
        a = f'({text})'
        if target.type in INTEGERS:
            return f'{a} * {a}'
        quarter, one = self.number(target, 0.25), self.number(target, 1.0)
        return f'{quarter} * {a} / ({one} + {a} * {a})'

    def whole(self, target, text):
        """the value that is set"""
        type_ = C_TYPES[target.type]
        if target.type not in INTEGERS:
            return text if target.type in ('float', 'double', *MEMBERS) else f'({type_})({text})'
        rest = f'({text}) % {MODULUS}'
        return f'({type_})(({rest} + {MODULUS}) % {MODULUS})' if target.type == 'uchar' else f'({type_})({rest})'

    def assignment(self, set_, texts):
        f = self.d.fields[set_.field]
        if f.type not in MEMBERS:
            return [f'CMK_POINT_SET({member(f, set_.index)}, {texts[0]});']
        name = f'new_{f.name}{set_.index}'
        parts = [f'{name}{part} = {text};' for part, text in zip(MEMBERS[f.type], texts)]
        return [f'{C_TYPES[f.type]} {name};', *parts, f'CMK_POINT_SET({member(f, set_.index)}, {name});']

    def said(self, r, text):
        """what a point says of a reduction: the value of a text"""
        return f'CMK_POINT_{VERBS[r.kind]}({r.name}, ({r.type})({text}));'

    def flagged(self):
        """what raises the flag, from the last step on"""
        return ['if (CMK_POINT_MINE && CMK_POINT_STEP >= last) atomicOr(flag, 1u);']

    def said_of_set(self, set_, text):
        """what is set, and said; the value is rounded once to the type of the field"""
        f = self.d.fields[set_.field]
        name = f'said_{f.name}{set_.index}'
        reductions_ = [r for r in self.d.reductions if r.set is set_]
        if not reductions_:
            return self.assignment(set_, [text])
        return [f'const {f.type} {name} = {text};', f'CMK_POINT_SET({member(f, set_.index)}, {name});',
                *(f'CMK_POINT_{VERBS[r.kind]}({r.name}, {"(float)" * (r.type == "float")}{name});'
                  for r in reductions_)]


class Doubles(Words):
    """the same over doubles, in the words of judge.h"""
    place = {word: f'judge_place(p, {axis})' for axis, word in enumerate(('plane', 'row', 'column'))}
    place.update({word: f'(int)p->call->global[{axis}]' for axis, word in enumerate(('planes', 'rows', 'columns'))})
    place.update({word: f'p->{word}' for word in ('step', 'stage')})
    place.update({'border': '1', 'colour': 'judge_colour(p)'})

    def number(self, target, value):
        return f'{float(value)!r}'

    def work(self, target):
        return 'double'

    def gain(self):
        return 'p->call->gain'

    def tap(self, k):
        return f'{self.d.table[1][k]!r}'

    def sample(self, target, term, component):
        array = array_of(self.d, term.field, term.index)
        component %= len(components(self.d.fields[term.field].type))
        if term.offset == 'before':
            return f'judge_before(p, {array}, {component})'
        return f'judge_at(p, {array}, {", ".join(map(str, term.offset))}, {component})'

    def whole(self, target, text):
        if target.type not in INTEGERS:
            return text
        rest = f'fmod({text}, {MODULUS})'
        return f'fmod({rest} + {MODULUS}, {MODULUS})' if target.type == 'uchar' else rest

    def assignment(self, set_, texts):
        array = array_of(self.d, set_.field, set_.index)
        return [f'judge_set(p, {array}, {component}, {text});' for component, text in enumerate(texts)]

    def said(self, r, text):
        return f'judge_say(p, {self.d.reductions.index(r)}, {text});'

    def flagged(self):
        return []

    def said_of_set(self, set_, text):
        array = array_of(self.d, set_.field, set_.index)
        return [*self.assignment(set_, [text]),
                *(f'judge_say_set(p, {self.d.reductions.index(r)}, {array});' for r in self.d.reductions
                  if r.set is set_)]


def scaled(words, set_, term, component):
    """a sample; of integers in a sum of floats a share of it"""
    target = words.d.fields[set_.field]
    text = words.sample(target, term, component)
    is_large = target.type not in INTEGERS and words.d.fields[term.field].type in INTEGERS
    return f'{words.number(target, 1 / 128)} * {text}' if is_large else text


def factor_text(words, target, by):
    if by == 'gain':
        return words.gain()
    return words.tap(by[1]) if isinstance(by, tuple) else words.number(target, by)


def sum_text(words, set_, component):
    target = words.d.fields[set_.field]
    parts = [f'{factor_text(words, target, term.factor)} * {scaled(words, set_, term, component)}'
             for term in set_.terms]
    if set_.bent is not None:
        parts.append(words.bend(target, scaled(words, set_, set_.terms[set_.bent], component)))
    if set_.place:
        parts.append(f'{words.number(target, 1 if target.type in INTEGERS else 0.0625)} * '
                     f'({words.work(target)})({set_.place.format(**words.place)})')
    return words.whole(target, ' +\n            '.join(parts or ['1']))


def set_text(words, set_):
    count = len(components(words.d.fields[set_.field].type))
    texts = [sum_text(words, set_, component) for component in range(count)]
    return guarded(words, set_.when, words.said_of_set(set_, texts[0]) if count == 1 else
                   words.assignment(set_, texts))


def guarded(words, when, lines):
    """lines under a condition, or in braces of their own"""
    condition = f'if ({CONDITIONS[when].format(**words.place)}) ' if when else ''
    if when in ('border', 'last', 'far'):
        condition = f'if (!({CONDITIONS[when].format(**words.place)})) '
    return [condition + '{', *('    ' + text for text in lines), '}'] if condition or len(lines) > 1 else lines


def say_text(words, r):
    """an exact value: samples and a place, by factors of few bits"""
    target = Field('NEXT', r.type, '', 0, None, None)
    place = ('((' + ' + '.join(f'{by} * {{{word}}}' for by, word in zip(r.place, ('row', 'column', 'plane'))) +
             f' + (int)({{step}} % {r.place[3]})) % 61 - 20)').format(**words.place)
    parts = [f'{words.number(target, term.factor)} * {words.sample(target, term, 0)}' for term in r.terms]
    return guarded(words, r.when, [words.said(r, ' + '.join([f'({words.work(target)}){place}', *parts]))])


def update_text(words):
    stages = [[text for set_ in sets for text in set_text(words, set_)] +
              [text for r in words.d.reductions if r.set is None and r.stage == stage for text in say_text(words, r)] +
              (words.flagged() if words.d.flag_stage == stage else [])
              for stage, sets in enumerate(words.d.sets)]
    if len(stages) == 1:
        return '\n'.join('    ' + text for text in stages[0])
    blocks = [[f'if ({words.place["stage"]} == {k}) {{', *('    ' + text for text in lines), '}']
              for k, lines in enumerate(stages)]
    return '\n'.join('    ' + text for block in blocks for text in block)


def run_text(d):
    lines = [f'JUDGE_GRID_{d.dims}D(point{d.number})']
    results = []
    for number, f in enumerate(d.fields):
        lines.append(f'JUDGE_LINE({f.name}, {array_of(d, number, 0)})')
        type_ = f'const {C_TYPES[f.type]}' if f.kind == 'IN' else C_TYPES[f.type]
        for index in range(max(f.count, 1)):
            array, at = array_of(d, number, index), f'[{index}]' if f.count else ''
            second = {'NEXT': ['_next'], 'LEAPFROG': ['_before', '_spare', '_before_spare'],
                      'SAME': ['_spare']}.get(f.kind, [])
            for b, suffix in enumerate(['', *second]):
                lines.append(f'JUDGE_POINTER({type_}, {f.name}{suffix}{at}, {array}, {b})')
                results.append(f'JUDGE_RESULT({f.name}{suffix}{at}, {array}, {b})')
    lines += [f'JUDGE_REDUCTION({r.type}, {r.name}, {k})' for k, r in enumerate(d.reductions)]
    values = []
    if d.gain:
        member = 'gain' if d.gain == 'pair' else 'gain.y'
        values.append(f'&c->device->{member}' if d.gain_by == 'VALUE_OF' else f'c->beside.{member}')
    if d.table:
        values.append(f'taps{d.number}')
    if d.flag_stage is not None:
        values += ['&c->device->last', '&c->device->flag']
    macro = 'JUDGE_TURNS_OR_STEPS' if can_end(d) else 'JUDGE_STEPS'
    lines.append(f'{macro}(point{d.number}, {", ".join([*values, "0"])})')
    return '\n'.join('    ' + text for text in lines + results)


def operations(d):
    return max([2 * len(set_.terms) + 8 for sets in d.sets for set_ in sets] or [1])


def lanes(d):
    widest = max(SIZES[f.type] for f in d.fields)
    return 1 if any(16 % SIZES[f.type] for f in d.fields) else 16 // widest


def field_row(d, f):
    base = 'float' if f.type in MEMBERS else f.type
    planes = f.edges[:1] if d.dims == 3 else (('ZERO', 'ZERO'),)
    edges = ', '.join(f'{{CMK_EDGE_{low}, CMK_EDGE_{high}}}' for low, high in (*planes, *f.edges[1:]))
    type_ = C_TYPES[f.type]
    counts = f'{len(components(f.type))}, {max(f.count, 1)}'
    return (f'    {{"{f.name}", {f.kind}_KIND, OF_{base}, {counts}, sizeof({type_}), __alignof__({type_}), '
            f'{{{", ".join(map(str, reach(f.shape)))}}}, {{{edges}}}}},')


def reduction_row(d, r):
    """the values are floats unless they are doubles that a double is said of"""
    given = r.type if r.set is None or d.fields[r.set.field].type == 'double' else 'float'
    return f'    {{"{r.name}", {r.kind}_KIND, OF_{r.type}, OF_{given}}},'


def code(d):
    name, lines = f'point{d.number}', [f'/* {title(d)} */']
    if d.table:
        values = ', '.join(f'{float(value)!r}f' for value in d.table[1])
        lines.append(f'CMK_TABLE_VALUES({d.table[0]}, float, taps{d.number}, [5], {values});')
    lines.append(f'#define LIST{d.number}(USES) ' + ' \\\n    '.join(list_text(d)))
    begin = f'CMK_POINT_{d.dims}D' + (f'_STAGES({name}, LIST{d.number}, {d.stages})' if d.stages > 1 else
                                      f'({name}, LIST{d.number})')
    lines += [begin, '{', update_text(Words(d)), '}', f'CMK_DEFINE_STENCIL{d.dims}D({name}, LIST{d.number});']
    lines += [f'static void {name}_update(const judge_point *p)', '{', update_text(Doubles(d)), '}']
    lines += [f'static cudaError_t {name}_run(judge_call *c)', '{', run_text(d), '    return error;', '}']
    lines += [f'static const judge_field {name}_list[] = {{', *(field_row(d, f) for f in d.fields), '};']
    lines += [f'static const judge_reduction {name}_reductions[] = {{', *(reduction_row(d, r) for r in d.reductions),
              '    {NULL, 0, 0, 0}};']
    if can_end(d):
        lines += [f'static size_t {name}_pass(void)', '{',
                  f'    return cmk_point_turn_steps_({name}_definition_(), {d.stages}, 0);', '}']
    text = '\n'.join(lines)
    types = {f.type for f in d.fields}
    needs = ' && '.join(f'TEST_HAS_{type_}' for type_ in ('half', 'bfloat16') if type_ in types)
    if needs:
        text = (f'#if {needs}\n{text}\n#else\n#define {name}_update NULL\n#define {name}_run NULL\n'
                f'#define {name}_list NULL\n#define {name}_reductions NULL\n#define {name}_pass NULL\n#endif')
    return text


def row(d):
    most = [max(reach(f.shape)[axis] for f in d.fields) for axis in range(3)]
    most = ', '.join(map(str, most))
    return (f'    {{{d.number}, "{title(d)}", {d.dims}, {d.stages}, {lanes(d)}, {operations(d)}, {len(d.fields)}, '
            f'{{{most}}}, point{d.number}_list, {len(d.reductions)}, point{d.number}_reductions, '
            f'point{d.number}_update, point{d.number}_run, {int(d.flag_stage is not None)}, '
            f'{f"point{d.number}_pass" if can_end(d) else "NULL"}}},')


def unit(chosen):
    """the text of a program of these definitions"""
    return '\n\n'.join(['#include "point/judge.h"', *map(code, chosen),
                        '\n'.join(['static const judge_definition definitions[] = {', *map(row, chosen), '};']),
                        'int main(int count, char **words)\n{\n'
                        f'    return judge_main(definitions, {len(chosen)}, count, words);\n}}']) + '\n'


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('which', choices=['quick', 'all'])
    parser.add_argument('--seed', type=int, default=SEED)
    parser.add_argument('units', nargs='+')
    options = parser.parse_args()
    made = definitions(options.seed, options.which)
    for number_, path in enumerate(options.units):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(unit(made[number_::len(options.units)]))
