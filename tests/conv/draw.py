"""Draws the definitions that the judge of the convolutions tests, and writes them as C.

usage: draw.py conv2d|separable UNIT...      writes the definitions of a header and of the default seed, shared out
among these files; the first has main

Each list below in capitals is a deck: shuffled by the seed, one card of each makes a definition, so that every card is
used.
"""

import collections
import random
import struct
import sys

SEED = 6
Definition = collections.namedtuple(
    'Definition', 'number form how in_ sum_ out channels rows columns anchor sources weight edges outside literals '
    'exact')

C_TYPES = {'float': 'float', 'double': 'double', 'half': 'test_half', 'bfloat16': 'test_bfloat16', 'int': 'int',
           'u8': 'unsigned char', 's8': 'signed char', 'u16': 'unsigned short', 's16': 'short'}
RANGES = {'u8': (0, 255), 's8': (-128, 127), 'u16': (0, 65535), 's16': (-32768, 32767)}
EDGES = ['ZERO', 'CLAMP', 'WRAP', 'MIRROR', 'REFLECT']

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (3, 3), (3, 3), (3, 1), (1, 3), (3, 5), (5, 3), (4, 4), (5, 5),
          (5, 5), (5, 2), (2, 6), (7, 7), (7, 7), (4, 7), (7, 6), (6, 3), (9, 9), (8, 8), (9, 1), (1, 9), (11, 11),
          (10, 13), (15, 15), (13, 4), (16, 16), (17, 17), (1, 33), (33, 1), (2, 32), (21, 19), (25, 25), (33, 33),
          (32, 33)]
TYPES = [('float', 'float', 'float')] * 7 + [
    ('double', 'double', 'double'), ('double', 'double', 'double'), ('float', 'double', 'float'),
    ('double', 'double', 'float'), ('double', 'double', 's16'), ('half', 'float', 'half'), ('half', 'float', 'float'),
    ('half', 'float', 'u8'), ('half', 'double', 'half'), ('bfloat16', 'float', 'bfloat16'),
    ('bfloat16', 'float', 'half'), ('float', 'float', 'bfloat16'), ('float', 'float', 'half'), ('u8', 'float', 'u8'),
    ('u8', 'float', 'u8'), ('u8', 'float', 'float'), ('u8', 'float', 'half'), ('u8', 'int', 'u8'),
    ('u8', 'int', 's16'), ('u8', 'int', 'float'), ('s8', 'float', 's8'), ('s8', 'int', 's8'), ('s8', 'int', 's16'),
    ('u16', 'float', 'u16'), ('u16', 'int', 'u16'), ('u16', 'double', 'u8'), ('s16', 'float', 's16'),
    ('s16', 'int', 's16'), ('s16', 'float', 'float'), ('float', 'float', 'u8'), ('float', 'double', 'double')]
CHANNELS = [1] * 17 + [2] * 6 + [3] * 9 + [4] * 6
SOURCES = ['LITERAL'] * 9 + ['CONSTANT'] * 11 + ['PARAMETER'] * 9 + ['GLOBAL'] * 9
HOWS = ['CORRELATION', 'CONVOLUTION'] * 19
ANCHORS = ['centre'] * 16 + ['corner'] * 6 + ['anywhere'] * 16
EDGE_KINDS = ['ZERO'] * 2 + ['VALUE'] * 4 + EDGES[1:] * 4 + ['SIDES'] * 6 + ['AXES'] * 5 + ['AXES OF SIDES'] * 5

RADII = [1, 2, 3, 4, 5, 8, 11, 16, 23, 32]
SEPARABLE_TYPES = [('float', 'float', 'float'), ('float', 'float', 'float'), ('double', 'double', 'double'),
                   ('u8', 'float', 'u8'), ('u8', 'float', 'u8'), ('u8', 'int', 's16'), ('u16', 'float', 'u16'),
                   ('s16', 'float', 'float'), ('half', 'float', 'half'), ('bfloat16', 'float', 'bfloat16')]
SEPARABLE_CHANNELS = [1, 1, 1, 1, 2, 3, 3, 4, 1, 3]
SEPARABLE_SOURCES = ['LITERAL'] * 3 + ['CONSTANT'] * 3 + ['PARAMETER'] * 2 + ['GLOBAL'] * 2
SEPARABLE_EDGES = ['ZERO', 'VALUE', *EDGES[1:], 'SIDES', 'SIDES', 'AXES', 'AXES OF SIDES']


def rounded(type_, value):
    """value as a number of a table's type"""
    if type_ == 'float':
        return struct.unpack('f', struct.pack('f', value))[0]
    return int(value) if type_ == 'int' else value


def integer_weights(draw, count, most):
    """from -most to most; where most is 2, their sum is made 1, so that outputs stay in the range of the input"""
    values = [draw.randint(-most, most) for _ in range(count)]
    while most == 2 and sum(values) != 1:
        values[draw.randrange(count)] += 1 if sum(values) < 1 else -1
    return values


def table(draw, d, count):
    """weights for one table: of a sum of the size of OUT's range where OUT is an integer; where d.exact, multiples of a
    power of two, so that sums of integers are exact and halves occur"""
    if d.sum_ == 'int':
        return integer_weights(draw, count, 9 if d.in_ in ('u8', 's8') and d.out not in ('u8', 's8') else 2)
    if d.out not in RANGES:
        return [rounded(d.weight, draw.gauss(0, 1) / count ** 0.5) for _ in range(count)]
    values = [draw.uniform(-0.3, 1) for _ in range(count)]
    whole, steps = sum(abs(value) for value in values), 2.0 ** (count.bit_length() + 1 if d.exact else 60)
    gain = draw.choice([1, 1, 3])
    if d.in_ in RANGES:
        gain *= 2.0 ** (RANGES[d.out][1].bit_length() - RANGES[d.in_][1].bit_length())
    return [rounded(d.weight, round(value / whole * steps) / steps * gain) for value in values]


def tables(draw, d):
    if d.form.startswith('conv2d'):
        return [table(draw, d, d.rows * d.columns)]
    return [table(draw, d, d.rows), table(draw, d, d.columns)]


def edge_pair(draw):
    return tuple(draw.sample(EDGES, 2))


def axes(draw, kind):
    """the edges of rows and of columns, each (low, high)"""
    if kind == 'SIDES':
        return (edge_pair(draw),) * 2
    if kind == 'AXES':
        return tuple((edge, edge) for edge in edge_pair(draw))
    if kind == 'AXES OF SIDES':
        return edge_pair(draw), draw.choice([edge_pair(draw), ('CLAMP', 'CLAMP'), ('ZERO', 'ZERO')])
    edge = 'ZERO' if kind == 'VALUE' else kind
    return ((edge, edge),) * 2


def value_outside(draw, in_, kind, edges):
    if kind == 'ZERO' or 'ZERO' not in edges[0] + edges[1] or kind != 'VALUE' and draw.random() < 0.3:
        return 0
    return draw.choice([draw.randint(*RANGES[in_]), RANGES[in_][1]]) if in_ in RANGES else draw.choice([0.5, -1.25, 3])


def make(draw, number, form, how, types, channels, shape, anchor, sources, edge_kind):
    in_, sum_, out = types
    edges = axes(draw, edge_kind)
    outside = 0 if form.endswith('short') else value_outside(draw, in_, edge_kind, edges)
    weight = 'float' if sum_ == 'double' and out == 'float' else sum_
    bytes_ = shape[0] * shape[1] * (8 if weight == 'double' else 4)
    sources = ['GLOBAL' if source == 'PARAMETER' and bytes_ > 3000 else source for source in sources]
    d = Definition(number, form, how, in_, sum_, out, channels, *shape, anchor, sources, weight, edges, outside, None,
                   draw.random() < 0.7)
    literals = [values if source == 'LITERAL' else None for values, source in zip(tables(draw, d), sources)]
    return d._replace(literals=literals)


def anchor_of(draw, kind, shape):
    if kind == 'centre':
        return tuple(side // 2 for side in shape)
    return tuple(draw.choice([0, side - 1]) if kind == 'corner' else draw.randrange(side) for side in shape)


def chosen(draw, first, rows):
    """the definitions that rows say, numbered from first"""
    return [make(draw, number, form, how, types, channels, shape, anchor_of(draw, anchor, shape), sources, edge)
            for number, (form, how, types, channels, shape, anchor, sources, edge) in enumerate(rows, first)]


def hand_chosen(draw):
    """the short forms; the largest; those of large images"""
    rows = [('conv2d short', 'CORRELATION', ('float',) * 3, 1, (3, 3), ['LITERAL'], 'ZERO'),
            ('conv2d short', 'CORRELATION', ('float',) * 3, 1, (9, 9), ['CONSTANT'], 'CLAMP'),
            ('conv2d short', 'CORRELATION', ('double',) * 3, 1, (6, 4), ['PARAMETER'], 'AXES'),
            ('conv2d', 'CORRELATION', ('double',) * 3, 4, (33, 33), ['GLOBAL'], 'MIRROR'),
            ('conv2d', 'CONVOLUTION', ('u8', 'float', 'u8'), 1, (3, 3), ['CONSTANT'], 'CLAMP'),
            ('conv2d', 'CORRELATION', ('u8', 'float', 'u8'), 1, (15, 15), ['CONSTANT'], 'REFLECT'),
            ('separable short', 'CORRELATION', ('float',) * 3, 1, (17, 17), ['CONSTANT', 'CONSTANT'], 'CLAMP'),
            ('separable short', 'CORRELATION', ('double',) * 3, 1, (5, 5), ['LITERAL', 'PARAMETER'], 'ZERO')]
    return chosen(draw, 0, [(*row[:5], 'centre', *row[5:]) for row in rows])


def each_table(rows):
    """rows that name one source, with it for each of their tables"""
    return [(*row[:6], row[6] * (2 if row[0].startswith('separable') else 1), *row[7:]) for row in rows]


def zero_edged(draw, first):
    """zeros outside, where the kernels that march have a way of their own"""
    rows = [('conv2d', 'CORRELATION', ('float',) * 3, 1, (7, 7), 'centre', ['CONSTANT']),
            ('conv2d', 'CONVOLUTION', ('u8', 'float', 'u8'), 1, (5, 5), 'anywhere', ['PARAMETER']),
            ('conv2d', 'CORRELATION', ('u8', 'int', 's16'), 3, (3, 9), 'corner', ['LITERAL']),
            ('conv2d', 'CORRELATION', ('half', 'float', 'half'), 1, (6, 7), 'anywhere', ['GLOBAL']),
            ('conv2d', 'CONVOLUTION', ('double',) * 3, 2, (4, 6), 'corner', ['CONSTANT']),
            ('conv2d', 'CORRELATION', ('float',) * 3, 1, (15, 15), 'centre', ['LITERAL']),
            ('separable', 'CORRELATION', ('float',) * 3, 1, (17, 17), 'centre', ['CONSTANT']),
            ('separable', 'CORRELATION', ('u8', 'float', 'u8'), 3, (7, 7), 'centre', ['LITERAL']),
            ('separable', 'CORRELATION', ('float',) * 3, 1, (33, 33), 'centre', ['PARAMETER'])]
    return chosen(draw, first, [(*row, 'ZERO') for row in each_table(rows)])


def small_on_bytes(draw, first):
    """small filters of bytes, where tensor cores have a way of their own: each size of window, channels, both signs"""
    rows = [('conv2d', 'CORRELATION', ('u8', 'float', 's16'), 1, (3, 3), 'corner', ['LITERAL'], 'ZERO'),
            ('conv2d', 'CONVOLUTION', ('s8', 'float', 's8'), 1, (4, 5), 'centre', ['CONSTANT'], 'SIDES'),
            ('conv2d', 'CORRELATION', ('u8', 'float', 'u8'), 3, (5, 5), 'centre', ['PARAMETER'], 'CLAMP'),
            ('conv2d', 'CORRELATION', ('u8', 'float', 'u8'), 4, (1, 4), 'centre', ['GLOBAL'], 'VALUE'),
            ('conv2d', 'CONVOLUTION', ('s8', 'float', 's16'), 2, (9, 3), 'corner', ['CONSTANT'], 'AXES'),
            ('conv2d', 'CORRELATION', ('u8', 'float', 'u8'), 1, (9, 9), 'centre', ['CONSTANT'], 'WRAP'),
            ('conv2d', 'CORRELATION', ('u8', 'float', 'u16'), 1, (6, 7), 'centre', ['LITERAL'], 'MIRROR'),
            ('separable', 'CORRELATION', ('u8', 'float', 'u8'), 1, (5, 5), 'centre', ['CONSTANT'], 'VALUE'),
            ('separable', 'CORRELATION', ('s8', 'float', 's8'), 3, (3, 3), 'centre', ['LITERAL'], 'REFLECT')]
    return chosen(draw, first, each_table(rows))


def in_order(draw, first):
    """the words that forbid tensor cores, whose steps are of one row"""
    rows = [('conv2d', 'CORRELATION_IN_ORDER', ('float',) * 3, 1, (7, 7), 'anywhere', ['PARAMETER'], 'SIDES'),
            ('conv2d', 'CONVOLUTION_IN_ORDER', ('u8', 'float', 'u8'), 3, (5, 4), 'corner', ['CONSTANT'], 'VALUE'),
            ('conv2d', 'CONVOLUTION_IN_ORDER', ('half', 'float', 'half'), 1, (21, 20), 'centre', ['CONSTANT'], 'AXES'),
            ('separable in order', 'CORRELATION', ('u8', 'float', 'u8'), 1, (17, 17), 'centre', ['CONSTANT'], 'ZERO')]
    return chosen(draw, first, each_table(rows))


def large_tables(draw, first):
    """tables that do not fit in the constant cache, whose kernels are rolled: all and no columns left over, one part to
    three"""
    rows = [('conv2d', 'CORRELATION', ('float',) * 3, 1, (33, 33), 'centre', ['CONSTANT'], 'ZERO'),
            ('conv2d', 'CONVOLUTION', ('u8', 'float', 'u8'), 3, (27, 24), 'anywhere', ['CONSTANT'], 'CLAMP'),
            ('conv2d', 'CORRELATION', ('double',) * 3, 2, (17, 18), 'corner', ['CONSTANT'], 'WRAP'),
            ('conv2d', 'CONVOLUTION', ('float',) * 3, 1, (22, 22), 'anywhere', ['PARAMETER'], 'REFLECT'),
            ('conv2d', 'CORRELATION', ('half', 'float', 'half'), 4, (16, 31), 'centre', ['CONSTANT'], 'SIDES'),
            ('conv2d', 'CORRELATION', ('double',) * 3, 1, (10, 33), 'corner', ['GLOBAL'], 'ZERO'),
            ('conv2d', 'CONVOLUTION', ('u8', 'int', 's16'), 1, (30, 21), 'anywhere', ['CONSTANT'], 'ZERO')]
    return chosen(draw, first, rows)


def has_zeros(d):
    """whether all outside is zero"""
    return d.edges == (('ZERO', 'ZERO'),) * 2 and d.outside == 0


LARGE = [4, 5]  # the numbers, above, of the definitions that filter large images


def definitions(seed, header):
    """those of kernel/conv2d.h or kernel/separable.h"""
    return [d for d in all_definitions(seed) if d.form.split()[0] == header]


def all_definitions(seed):
    draw = random.Random(f'definitions {seed}')
    made = hand_chosen(draw)
    decks = [draw.sample(deck, len(deck)) for deck in (HOWS, TYPES, CHANNELS, SHAPES, ANCHORS, SOURCES, EDGE_KINDS)]
    for how, types, channels, shape, anchor, source, edge in zip(*decks):
        made.append(make(draw, len(made), 'conv2d', how, types, channels, shape, anchor_of(draw, anchor, shape),
                         [source], edge))
    decks = [draw.sample(deck, len(deck))
             for deck in (SEPARABLE_TYPES, SEPARABLE_CHANNELS, RADII, SEPARABLE_SOURCES, SEPARABLE_EDGES)]
    for types, channels, radius, source, edge in zip(*decks):
        shape = (2 * radius + 1,) * 2
        made.append(make(draw, len(made), 'separable', 'CORRELATION', types, channels, shape, (radius, radius),
                         [source, draw.choice(SOURCES)], edge))
    made += zero_edged(draw, len(made))
    made += large_tables(draw, len(made))
    made += small_on_bytes(draw, len(made))
    return made + in_order(draw, len(made))


# ---- The C of a definition

def edge_text(edges):
    sides = [f'CMK_EDGE_{low}' if low == high else f'CMK_EDGE_SIDES(CMK_EDGE_{low}, CMK_EDGE_{high})'
             for low, high in edges]
    return sides[0] if sides[0] == sides[1] else f'CMK_EDGE_AXES({sides[0]}, {sides[1]})'


def number_text(type_, value):
    return f'{value:.9e}f' if type_ == 'float' else f'{value:.17e}' if type_ == 'double' else str(value)


def outside_text(d):
    return f'{d.outside!r}f' if isinstance(d.outside, float) and d.in_ != 'double' else str(d.outside)


def way(d):
    """how a kernel of conv2d.h goes: with a large table its columns are a loop, small filters load directly"""
    taps, bytes_ = d.rows * d.columns, 8 if d.weight == 'double' else 4
    if d.form.startswith('separable'):
        return 'marching'
    if d.sources[0] != 'LITERAL' and (taps * bytes_ > 1920 or taps > 400):
        return 'rolled'
    return 'small' if max(d.rows, d.columns) <= 5 and (d.columns - 1) * d.channels <= 8 else 'marching'


def title(d):
    anchor = '' if d.form.startswith('separable') else f' at ({d.anchor[0]}, {d.anchor[1]})'
    return (f'{d.form} {d.how.lower()}, {way(d)}, {d.rows} x {d.columns}{anchor}, {d.in_} {d.sum_} {d.out}, '
            f'{d.channels} channel{"s" * (d.channels > 1)}, {" and ".join(d.sources)}, '
            f'{edge_text(d.edges).replace("CMK_EDGE_", "")}' + (f' {d.outside}' if d.outside else ''))


def macro(d, names):
    """the definition's line"""
    name, types = f'conv{d.number}', [C_TYPES[type_] for type_ in (d.in_, d.sum_, d.out)]
    edge, radius = edge_text(d.edges), str(d.anchor[0])
    grouped, outside = f'({", ".join(types)}, {d.channels})', f'({edge}, {outside_text(d)})'
    words = {'conv2d short': ['CONV2D', name, types[0], str(d.rows), str(d.columns), *names, edge],
             'conv2d': ['CONV2D_AS', name, d.how, grouped, f'({d.rows}, {d.columns})',
                        f'({d.anchor[0]}, {d.anchor[1]})', *names, outside],
             'separable short': ['SEPARABLE', name, types[0], radius, *names, edge],
             'separable': ['SEPARABLE_AS', name, grouped, radius, f'({", ".join(names)})', outside]}
    words['separable in order'] = ['SEPARABLE_IN_ORDER', *words['separable'][1:]]
    first, *rest = words[d.form]
    return f'CMK_DEFINE_{first}({", ".join(rest)});'


def code(d):
    name, lines, names, fills = f'conv{d.number}', [], [], []
    two = d.form.startswith('separable')
    shapes = [(d.rows,), (d.columns,)] if two else [(d.rows, d.columns)]
    for k, (source, shape, values) in enumerate(zip(d.sources, shapes, d.literals)):
        names.append(f'{name}_weights{k}')
        dimensions = ''.join(f'[{side}]' for side in shape)
        if values is None:
            lines.append(f'CMK_TABLE({source}, {C_TYPES[d.weight]}, {names[-1]}, {dimensions});')
        else:
            numbers = [number_text(d.weight, value) for value in values]
            rows = [', '.join(numbers[at:at + shape[-1]]) for at in range(0, len(numbers), shape[-1])]
            text = ',\n    '.join('{' + row + '}' for row in rows) if len(shape) > 1 else rows[0]
            lines.append(f'CMK_TABLE_VALUES({source}, {C_TYPES[d.weight]}, {names[-1]}, {dimensions},\n    {text});')
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        fills.append(f'{"CONV_SAME" if values else "CONV_FILLED"}({names[-1]}, c->weights[{k}], {count})')
    fills += ['cudaSuccess'] * (2 - len(fills))
    lines.append(macro(d, names))
    lines.append(f'CONV_RUN({name}, {C_TYPES[d.in_]}, {C_TYPES[d.out]}, {", ".join(fills)}, {", ".join(names)})')
    needs = ' && '.join(f'TEST_HAS_{type_}' for type_ in ('half', 'bfloat16') if type_ in (d.in_, d.out))
    text = '\n'.join([f'/* {title(d)} */', *lines])
    if needs:
        text = f'#if {needs}\n{text}\n#else\n#define {name}_run NULL\n#endif'
    return text


def unit(number, units, chosen):
    """the text of a unit: the definitions whose turn it is"""
    mine = chosen[number::units]
    rows = [f'    {{"conv{d.number}", conv{d.number}_run}},' for d in mine]
    list_ = [f'extern const struct conv_definition conv_unit_{number}[];',
             f'const struct conv_definition conv_unit_{number}[] = {{', *rows, '    {NULL, NULL}};']
    includes = sorted({f'#include <cmk/kernel/{d.form.split()[0]}.h>' for d in mine})
    parts = ['\n'.join(['#include "conv/call.h"', *includes]), *map(code, mine), '\n'.join(list_)]
    if number == 0:
        others = [f'extern const struct conv_definition conv_unit_{k}[];' for k in range(1, units)]
        names = ', '.join(f'conv_unit_{k}' for k in range(units))
        parts += ['\n'.join([*others, f'static const struct conv_definition *const conv_units[] = {{{names}}};']),
                  '#include "conv/program.h"']
    return '\n\n'.join(parts) + '\n'


if __name__ == '__main__':
    header, _, step = sys.argv[1].partition(':')  # conv2d, or conv2d:8 for every eighth definition
    for number_, path in enumerate(sys.argv[2:]):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(unit(number_, len(sys.argv) - 2, definitions(SEED, header)[::int(step or 1)]))
