"""Common slips: the compiler must come to the point with its first error, and say little else, by gcc, g++ and nvcc;
of clang and clang++ only how much they say is judged.

A slip is a name, a program without its #include, and what the sentence is: a text that begins with "cmk: ", or a word
that the compiler must call unknown, or declared already.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Failure, arguments, compile_command, folder, report, run  # noqa: E402

MODES = ('c', 'c++', 'cuda')
SAID = (r"""(identifier "{0}" is undefined|'{0}' undeclared|'{0}' was not declared|'{0}' does not name a type"""
        r"""|unknown type name '{0}'|implicit declaration of function '{0}'|has no member (named )?['"]{0}['"]"""
        r"""|redeclaration of enumerator '{0}'|'(<unnamed enum> )?{0}' conflicts with a previous declaration"""
        r"""|"{0}" has already been declared)""")
CLANG = ('clang', 'clang++')
# Bytes of all that it says, without folders. A name that is defined twice, or an update that is none, is told of at
# each function of the definition: nothing in C stops a compiler there. These bounds are only ever lowered.
MOST = 16384
MOST_OF_ALL = {'table: a name twice': 20000, 'stencil2d: no update': 110000, 'stencil2d: a name twice': 120000,
               'stencil1d: in a function': 37000, 'conv2d: a name twice': 59000, 'separable: a name twice': 59000,
               'conv3d: a name twice': 47000, 'transpose: a name twice': 43000}
SHOWN = 900  # characters of a line of code that nvcc shows with its first error
LATER = ['stencil1d: BODY misspelt']  # C++ takes the arguments of what nobody has declared first
NINE = '1, 2, 1, 2, 4, 2, 1, 2, 1'
TABLE = f'CMK_TABLE_VALUES(CONSTANT, float, w, [3][3], {NINE});\n'
LINE = 'CMK_TABLE_VALUES(CONSTANT, float, w, [3], 1, 2, 1);\n'
CUBE = f'CMK_TABLE_VALUES(CONSTANT, float, w, [3][3][3], {NINE}, {NINE}, {NINE});\n'
POINT = '#define F(USES) {}\nCMK_POINT_2D(f, F)\n{{\n    {}\n}}\nCMK_DEFINE_STENCIL2D(f, F);'
NEXT = 'USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)'
INTS = LINE.replace('float', 'int')
PAIR = 'typedef struct {\n    float x, y;\n} pair;\n'
AS_2D = 'CMK_DEFINE_CONV2D_AS(f, CORRELATION, ({}), (3, 3), (1, 1), w, ({}));'
AS_LINE = 'CMK_DEFINE_SEPARABLE_AS(f, ({}), 1, (w, w), ({}));'
ZERO = 'CMK_EDGE_ZERO, 0'
CONV2D, SEPARABLE, CONV3D = 'cmk: CMK_DEFINE_CONV2D: ', 'cmk: CMK_DEFINE_SEPARABLE: ', 'cmk: CMK_DEFINE_CONV3D: '
SEPARABLE3D, STENCIL1D = 'cmk: CMK_DEFINE_SEPARABLE3D: ', 'cmk: CMK_DEFINE_STENCIL1D: '
FILE_SCOPE = 'cmk: tables and definitions must stand at file scope'
SLIPS = [
    ('conv2d: EDGE misspelt', TABLE + 'CMK_DEFINE_CONV2D(f, float, 3, 3, w, CMK_EDGE_CLAP);', 'CMK_EDGE_CLAP'),
    ('conv2d: EDGE a number', TABLE + 'CMK_DEFINE_CONV2D(f, float, 3, 3, w, 7);', CONV2D + 'EDGE'),
    ('conv2d: EDGE of three axes, one of them wrong',
     TABLE + 'CMK_DEFINE_CONV2D(f, float, 3, 3, w, CMK_EDGE_AXES(CMK_EDGE_CLAMP, 5));', CONV2D + 'EDGE'),
    ('conv2d: no table', 'CMK_DEFINE_CONV2D(f, float, 3, 3, taps, CMK_EDGE_ZERO);', 'taps_is_a_table_'),
    ('conv2d: T misspelt', TABLE + 'CMK_DEFINE_CONV2D(f, flaot, 3, 3, w, CMK_EDGE_ZERO);', 'flaot'),
    ('conv2d: a name twice', TABLE + 2 * 'CMK_DEFINE_CONV2D(f, float, 3, 3, w, CMK_EDGE_ZERO);\n', 'f_is_defined_'),
    ('conv2d: an array in place of a table',
     f'static const float w[9] = {{{NINE}}};\nCMK_DEFINE_CONV2D(f, float, 3, 3, w, CMK_EDGE_ZERO);', 'w'),
    ('conv2d: wrong number of taps', LINE + 'CMK_DEFINE_CONV2D(f, float, 3, 3, w, CMK_EDGE_ZERO);', CONV2D + 'TABLE'),
    ('conv2d: too large', TABLE + 'CMK_DEFINE_CONV2D(f, float, 35, 35, w, CMK_EDGE_ZERO);', CONV2D + 'ROWS'),
    ('conv2d: T an integer', TABLE + 'CMK_DEFINE_CONV2D(f, unsigned char, 3, 3, w, CMK_EDGE_ZERO);', CONV2D + 'T'),
    ('conv2d: T a struct', PAIR + TABLE + 'CMK_DEFINE_CONV2D(f, pair, 3, 3, w, CMK_EDGE_ZERO);', CONV2D + 'T'),
    ('conv2d: IN a struct', PAIR + TABLE + AS_2D.format('pair, float, float, 1', ZERO), CONV2D + 'IN'),
    ('conv2d: OUT of 64 bits', TABLE + AS_2D.format('float, float, long long, 1', ZERO), CONV2D + 'IN'),
    ('conv2d: 5 channels', TABLE + AS_2D.format('float, float, float, 5', ZERO), CONV2D + 'CHANNELS'),
    ('conv2d: OUTSIDE out of range', TABLE + AS_2D.format('unsigned char, float, float, 1', 'CMK_EDGE_ZERO, 300'),
     CONV2D + 'OUTSIDE'),
    ('conv2d: a value outside for each channel',
     TABLE + AS_2D.format('unsigned char, float, unsigned char, 3', 'CMK_EDGE_ZERO, {0, 0, 255}'),
     CONV2D + '(EDGE, OUTSIDE)'),
    ('conv2d: int sums of float taps', TABLE + AS_2D.format('short, int, short, 1', ZERO), CONV2D + 'SUM'),
    ('separable: EDGE misspelt', LINE + 'CMK_DEFINE_SEPARABLE(f, float, 1, w, w, CMK_EDGE_CLAP);', 'CMK_EDGE_CLAP'),
    ('separable: no table', 'CMK_DEFINE_SEPARABLE(f, float, 1, taps, taps, CMK_EDGE_ZERO);', 'taps_is_a_table_'),
    ('separable: a name twice', LINE + 2 * 'CMK_DEFINE_SEPARABLE(f, float, 1, w, w, CMK_EDGE_ZERO);\n',
     'f_is_defined_'),
    ('separable: RADIUS too large', LINE + 'CMK_DEFINE_SEPARABLE(f, float, 33, w, w, CMK_EDGE_ZERO);',
     SEPARABLE + 'RADIUS'),
    ('separable: wrong number of taps', LINE + 'CMK_DEFINE_SEPARABLE(f, float, 2, w, w, CMK_EDGE_ZERO);',
     SEPARABLE + 'DOWN'),
    ('separable: T an integer', LINE + 'CMK_DEFINE_SEPARABLE(f, short, 1, w, w, CMK_EDGE_ZERO);', SEPARABLE + 'T'),
    ('separable: no value outside', LINE + AS_LINE.format('float, float, float, 1', 'CMK_EDGE_ZERO'),
     SEPARABLE + '(EDGE, OUTSIDE)'),
    ('separable: OUT of 64 bits', LINE + AS_LINE.format('float, float, long long, 1', ZERO), SEPARABLE + 'IN'),
    ('conv3d: EDGE misspelt', CUBE + 'CMK_DEFINE_CONV3D(f, float, (3, 3, 3), w, CMK_EDGE_CLAP);', 'CMK_EDGE_CLAP'),
    ('conv3d: EDGE a number', CUBE + 'CMK_DEFINE_CONV3D(f, float, (3, 3, 3), w, 7);', CONV3D + 'EDGE'),
    ('conv3d: no table', 'CMK_DEFINE_CONV3D(f, float, (3, 3, 3), taps, CMK_EDGE_ZERO);', 'taps_is_a_table_'),
    ('conv3d: T misspelt', CUBE + 'CMK_DEFINE_CONV3D(f, flaot, (3, 3, 3), w, CMK_EDGE_ZERO);', 'flaot'),
    ('conv3d: a name twice', CUBE + 2 * 'CMK_DEFINE_CONV3D(f, float, (3, 3, 3), w, CMK_EDGE_ZERO);\n', 'f_is_defined_'),
    ('conv3d: wrong number of taps', LINE + 'CMK_DEFINE_CONV3D(f, float, (3, 3, 3), w, CMK_EDGE_ZERO);',
     CONV3D + 'TABLE'),
    ('conv3d: T an integer', CUBE + 'CMK_DEFINE_CONV3D(f, int, (3, 3, 3), w, CMK_EDGE_ZERO);', CONV3D + 'T'),
    ('separable3d: wrong number of taps', LINE + 'CMK_DEFINE_SEPARABLE3D(f, float, 2, (w, w, w), CMK_EDGE_ZERO);',
     SEPARABLE3D + 'each table'),
    ('stencil1d: EDGE misspelt',
     LINE + 'CMK_DEFINE_STENCIL1D(f, float, 1, CMK_STENCIL_1D, w, CMK_EDGE_CLAP);', 'CMK_EDGE_CLAP'),
    ('stencil1d: EDGE of axes',
     LINE + 'CMK_DEFINE_STENCIL1D(f, float, 1, CMK_STENCIL_1D, w, CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_WRAP));',
     STENCIL1D + 'EDGE'),
    ('stencil1d: BODY misspelt', LINE + 'CMK_DEFINE_STENCIL1D(f, float, 1, CMK_STENCIL_D1, w, CMK_EDGE_ZERO);',
     'CMK_STENCIL_D1'),
    ('stencil1d: wrong number of taps', LINE + 'CMK_DEFINE_STENCIL1D(f, float, 4, CMK_STENCIL_1D, w, CMK_EDGE_ZERO);',
     STENCIL1D + 'TABLE'),
    ('stencil1d: int sums of float taps', LINE + 'CMK_DEFINE_STENCIL1D(f, int, 1, CMK_STENCIL_1D, w, CMK_EDGE_ZERO);',
     STENCIL1D + 'T must keep'),
    ('stencil1d: T a struct', PAIR + LINE + 'CMK_DEFINE_STENCIL1D(f, pair, 1, CMK_STENCIL_1D, w, CMK_EDGE_ZERO);',
     STENCIL1D),
    ('stencil1d: no table', 'CMK_DEFINE_STENCIL1D(f, float, 1, CMK_STENCIL_1D, taps, CMK_EDGE_ZERO);',
     'taps_is_a_table_'),
    ('stencil1d: T misspelt', LINE + 'CMK_DEFINE_STENCIL1D(f, flaot, 1, CMK_STENCIL_1D, w, CMK_EDGE_ZERO);', 'flaot'),
    ('stencil2d: T misspelt', POINT.format(NEXT.replace('float', 'flaot'), 'CMK_POINT_SET(u, CMK_POINT_HERE(u));'),
     'flaot'),
    ('stencil2d: no table', POINT.format('USES(TABLE, taps) ' + NEXT, 'CMK_POINT_SET(u, CMK_POINT_HERE(u));'),
     'taps_is_a_table_'),
    ('stencil2d: no update', f'#define F(USES) {NEXT}\nCMK_DEFINE_STENCIL2D(f, F);', 'f_has_an_update_'),
    ('stencil2d: a name twice', POINT.format(NEXT, 'CMK_POINT_SET(u, CMK_POINT_HERE(u));') +
     '\nCMK_DEFINE_STENCIL2D(f, F);', 'f_is_defined_'),
    ('stencil2d: SHAPE too large', POINT.format(NEXT.replace('STAR(1)', 'STAR(9)'), ''), 'cmk: CMK_POINT: a SHAPE'),
    ('stencil2d: KIND misspelt', POINT.format(NEXT.replace('NEXT', 'NXT'), 'CMK_POINT_SET(u, CMK_POINT_HERE(u));'),
     'cmk_point_KIND_NXT'),
    ('stencil2d: VALUE misspelt',
     POINT.format(NEXT + ' USES(VALU, float, k)', 'CMK_POINT_SET(u, CMK_POINT_HERE(u) * k);'), 'cmk_point_KIND_VALU'),
    ('stencil2d: TABLE misspelt',
     TABLE + POINT.format(NEXT + ' USES(TABEL, w)', 'CMK_POINT_SET(u, CMK_POINT_HERE(u));'), 'cmk_point_KIND_TABEL'),
    ('stencil2d: EDGE misspelt', POINT.format(NEXT.replace('CLAMP', 'CLAP'), 'CMK_POINT_SET(u, CMK_POINT_HERE(u));'),
     'CMK_EDGE_CLAP'),
    ('stencil2d: a field that is not in the list', POINT.format(NEXT, 'CMK_POINT_SET(u, CMK_POINT_HERE(v));'), 'v'),
    ('transpose: T misspelt', 'CMK_DEFINE_TRANSPOSE(f, flaot);', 'flaot'),
    ('transpose: a name twice', 2 * 'CMK_DEFINE_TRANSPOSE(f, float);\n', 'f_is_defined_'),
    ('transpose: T of 3 bytes', 'typedef struct {\n    char rgb[3];\n} pixel;\nCMK_DEFINE_TRANSPOSE(f, pixel);',
     'cmk: CMK_DEFINE_TRANSPOSE: the size of T'),
    ('table: in a function', f'void g(void);\nvoid g(void)\n{{\n    {LINE}}}', FILE_SCOPE),
    ('stencil1d: in a function', LINE + 'void g(void);\nvoid g(void)\n{\n    CMK_DEFINE_STENCIL1D(f, float, 1, '
     'CMK_STENCIL_1D, w, CMK_EDGE_ZERO);\n}', FILE_SCOPE),
    ('table: source misspelt', 'CMK_TABLE(CONSTNAT, float, w, [3]);', 'CMK_TABLE_IS_CONSTNAT_'),
    ('table: a name twice', LINE + LINE, 'w_is_a_table_'),
    ('table: too few values', 'CMK_TABLE_VALUES(CONSTANT, float, w, [5], 1, 2, 1);',
     'cmk: CMK_TABLE_VALUES: the values'),
    ('table: doubles into floats', LINE + 'int g(const double *taps);\nint g(const double *taps)\n{\n'
     '    return CMK_TABLE_UPLOAD(w, taps, 0, 3) != cudaSuccess;\n}', 'cmk: CMK_TABLE_UPLOAD: source'),
    ('table: more than 64 KB', 'CMK_TABLE(CONSTANT, double, w, [8193]);', 'cmk: CMK_TABLE: the table exceeds'),
    ('tile: more than 48 KB', '__global__ void k(float *out)\n{\n    CMK_TILE(float, t, 128, 128, 0);\n'
     '    CMK_STORE(out, CMK_TILE_GET(t, 0, 0));\n}', 'cmk: CMK_TILE: the tile exceeds'),
    ('load: hint misspelt', '__global__ void k(float *out)\n{\n    CMK_STORE(out, CMK_LOAD_AS(STREAM, out));\n}',
     'cmk_load_by_STREAM_'),
    ('fill: transport misspelt', '__global__ void k(void)\n{\n    CMK_FILL_PIPE_SYNC(TENSOR, pipe, 2, 0);\n}',
     'cmk_fill_bulk_TENSOR_'),
]


def check_length(mode, include, temporary, name, output):
    said = len(output.replace(str(temporary), '').replace(str(include), ''))
    most = MOST_OF_ALL.get(name, MOST)
    if said > most:
        raise Failure(f'says {said} bytes, not {most}\n{output}')


def check(mode, include, name, text, sentence):
    with folder() as temporary:
        path = Path(temporary) / 'slip.cu'
        path.write_text('#include <cmk/cmk.h>\n\n' + text + '\n')
        status, output = run(compile_command(mode, include) + ['-c', path, '-o', path.with_suffix('.o')])
    check_length(mode, include, temporary, name, output)
    if mode in CLANG:
        return
    pattern = re.escape(sentence) if sentence.startswith('cmk: ') else SAID.format(rf'(?:{sentence}(?:_\w+)?)')
    lines = output.splitlines() + ['', '']
    at = next((i for i, line in enumerate(lines) if re.search(r'\berror: ', line)), -2)
    first, shown = lines[at:at + 2]
    if status == 0 or not re.search(pattern, output if name in LATER else first):
        raise Failure(f'{"compiles" if status == 0 else "does not say first"}: {sentence}\n{output}')
    if mode == 'cuda' and len(shown) > SHOWN:
        raise Failure(f'shows {len(shown)} characters of code\n{output}')


def main():
    options = arguments(__doc__, [*MODES, *CLANG], 'MODE')
    report([(f'{mode}: {name}', lambda mode=mode, slip=(name, text, sentence): check(mode, options.include, *slip))
            for mode in options.which for name, text, sentence in SLIPS], options)


main()
