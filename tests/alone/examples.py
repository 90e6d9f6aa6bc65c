"""Compiles the example of each header's opening comment, as it stands there, every warning an error.

docs/reference.py says what the example is. FRAMES has what a reader supplies:
the names that it uses. Its definitions stand at file scope, its statements in a function of the host, or in a kernel
where the frame names a kernel's parameters. Dots that leave something out are replaced as the frame says.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import MODES, ROOT, Failure, arguments, compile_command, folder, library_of, report, run  # noqa: E402

sys.path.insert(0, str(ROOT / 'docs'))
from reference import example_of  # noqa: E402

FILE_SCOPE = re.compile(r'#define |CMK_TABLE(_VALUES|_SLOTS)?\(|CMK_DEFINE_|CMK_POINT_[23]D|(static )?__global__ |'
                        r'static cudaError_t ')


@dataclass
class Frame:
    kernel: str = ''  # its parameters; a function of the host where there are none
    host: str = ''    # the parameters of the function of the host
    result: str = 'void'
    before: str = ''  # at file scope
    first: str = ''   # in the function, before and after the example's statements
    last: str = ''
    dots: dict = field(default_factory=dict)
    in_c: bool = True


IMAGE = 'const float *in, float *out, {0} rows, {0} columns, cudaStream_t stream'
HEAT = """#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_{0}({1}, HEAT) {{ CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * CMK_POINT_AT(u, {2}1)); }}
CMK_DEFINE_STENCIL{0}({1}, HEAT);"""
WEIGHTS = 'CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 1, 4, 6, 4, 1);'
RESULT = '        the result is grid.u'
HALO = 'cmk_grid grid, {}'
DRIVER = '''#if defined(__CUDACC__)
#include <cuda.h>
#else
typedef void *CUmodule, *CUfunction;
static inline void cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    *function = name == NULL ? NULL : module;
}
static inline void cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned bytes,
                                  cudaStream_t stream, void **arguments, void **extra)
{
    (void)function, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)bytes, (void)stream, (void)arguments, (void)extra;
}
#endif
'''
FRAMES = {
    'base.h': Frame(host='float *x, int count', dots={'{ ... }': '{ if (count > 0) CMK_STORE(x, 2 * *x); }'}),
    'check.h': Frame(host='size_t bytes', first='float *in;', last='CMK_CHECK(cudaFree(in));'),
    'edge.h': Frame(kernel='const float *in, float *out, int count', before=WEIGHTS.replace('5', '9').replace(
        '1, 4, 6, 4, 1', '1, 2, 3, 4, 5, 4, 3, 2, 1') + '\n#define WEIGHT(k) CMK_TABLE_AT(weights, k)',
        first='const int i = (int)threadIdx.x; float sum = 0.0f;', last='CMK_STORE(&out[i], sum);'),
    'fill.h': Frame(kernel='float *out, int steps, int left, CMK_FILL_PARAMETER(in)',
                    dots={'...                                     reads ring[n % 3]':
                          'CMK_STORE(&out[n], CMK_TILE_GET(ring[n % 3], 0, 0)); __syncthreads();'}),
    'filter.h': Frame(),
    'grid.h': Frame(host='int rank, int ranks', result='int', before='#include <cmk/grid.h>', last='return grid.rank;'),
    'halo.h': Frame(host=HALO.format('void *a, void *b, cmk_i64 row_pitch, cmk_i64 plane_pitch, cudaStream_t stream'),
                    result='int', before='#include <cmk/halo.h>', last='return 0;'),
    'load.h': Frame(kernel='const float *in, float *out, cmk_i64 thread, cmk_i64 count'),
    'point.h': Frame(last='(void)heat_point_;'),
    'span.h': Frame(host='IMAGE<const float> in, IMAGE<float> out', in_c=False,
                    before=WEIGHTS.replace('[5]', '[1][5]') +
                    f'\n#include <cmk/span.h>\n#include "{ROOT / "tests/consumers/views.h"}"\n'
                    'template <class T> using IMAGE = cs::mdspan<T, cs::dextents<size_t, 2>>;'),
    'stencil.h': Frame(kernel='float *out', before=WEIGHTS,
                       first='const int column = (int)threadIdx.x + 4;\nCMK_TILE(float, tile, 1, 40, 0);\n'
                             'CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f); __syncthreads();',
                       last='CMK_STORE(out, sum);'),
    'stream.h': Frame(host='const float *in, float *out, float *ghosts, unsigned *done, cudaStream_t compute, '
                           'cudaStream_t copies, cudaEvent_t begun'),
    'table.h': Frame(host='const float *in, float *out, int blocks, cudaStream_t stream',
                     dots={'{ ... WEIGHT(2) ... }': '{ CMK_STORE(out, WEIGHT(2) * CMK_LDG(in)); }'}),
    'tile.h': Frame(kernel='const float *in, float *out, int x0, int y0, int pitch', first='float value;',
                    last='CMK_STORE(out, value);'),
    'until.h': Frame(host='float *x, cmk_turns *turns, cudaStream_t stream',
                     before='__global__ void halve_kernel(float *x)\n{\n    *x *= 0.5f;\n}'),
    'halo/reduce.h': Frame(host='heat_grid grid, cmk_halo halo, cudaStream_t stream',
                           before=HEAT.format('2D', 'heat', '0, ') + '\n#include <cmk/halo/reduce.h>'),
    'halo/mpi.h': Frame(host=HALO.format('cmk_halo halo, cmk_field u'), before='#include <cmk/halo/mpi.h>'),
    'halo/nccl.h': Frame(host=HALO.format('ncclComm_t comm, cmk_halo halo, cmk_field u'),
                         before='#include <cmk/halo/nccl.h>'),
    'halo/put.h': Frame(host=HALO.format('ncclComm_t comm, cmk_halo halo, cmk_field u'),
                        before='#include <cmk/halo/put.h>'),
    'kernel/bordered.h': Frame(
        host='cmk_grid split, heat_grid grid, unsigned *word, cudaStream_t stream, cudaStream_t messages',
        before=HEAT.format('2D', 'heat', '0, ') + '\nCMK_DEFINE_BORDERED(heat, HEAT);',
        first='const int ghosts[3] = {0, 1, 1};'),
    'kernel/conv2d.h': Frame(host=IMAGE.format('size_t')),
    'kernel/conv3d.h': Frame(host='const float *in, float *out, size_t nx, size_t ny, size_t nz, cudaStream_t stream'),
    'kernel/plan.h': Frame(
        host='CUmodule module, cmk_plan_device device, const float *in, float *out, size_t pitch, size_t rows, '
        'size_t columns, cudaStream_t stream', result='cudaError_t',
        before=DRIVER + 'CMK_TABLE(CONSTANT, float, weights, [3][3]);\n'
        'CMK_DEFINE_CONV2D(blur, float, 3, 3, weights, CMK_EDGE_CLAMP);',
        first='CUfunction function; cudaError_t error;', last='return error;'),
    'kernel/filter_steps.h': Frame(host='const float *in, float *out, float *spare, size_t rows, size_t columns, '
                                   'cudaStream_t stream', before='#include <cmk/kernel/filter_steps.h>'),
    'kernel/separable.h': Frame(host=IMAGE.format('size_t')),
    'kernel/stencil1d.h': Frame(host='const float *in, float *out, size_t count, cudaStream_t stream'),
    'kernel/stencil2d.h': Frame(host='float *a, float *b, size_t rows, size_t columns, size_t pitch, '
                                'cudaStream_t stream', before=HEAT.format('2D', 'heat', '0, '), dots={RESULT: ''}),
    'kernel/stencil3d.h': Frame(host='float *a, float *b, size_t planes, size_t rows, size_t columns, size_t pitch, '
                                'cudaStream_t stream', before=HEAT.format('3D', 'heat3d', '0, 0, ')),
    'kernel/transfer.h': Frame(host='float *fine, float *coarse, size_t n, cudaStream_t stream',
                               before='#include <cmk/kernel/transfer.h>'),
    'kernel/transpose.h': Frame(host=IMAGE.format('size_t') + ', float *square, size_t n, size_t depth, size_t height, '
                                'size_t width'),
}


def at_file_scope(lines):
    """for each line whether it stands there; a brace that opens a line goes on with what is before it"""
    function = False
    for number, line in enumerate(lines):
        function = function or (line == '{' and number > 0 and bool(FILE_SCOPE.match(lines[number - 1])))
        yield function or bool(FILE_SCOPE.match(line))
        function = function and line != '}'


def program(name, lines, frame):
    text = '\n'.join(lines)
    for dots, words in frame.dots.items():
        if dots not in text:
            raise Failure(f'the example has no {dots}')
        text = text.replace(dots, words)
    lines = text.splitlines()
    scopes = list(at_file_scope(lines))
    outside = [line for line, scope in zip(lines, scopes) if scope]
    inside = [line for line, scope in zip(lines, scopes) if not scope]
    qualifier, parameters = ('__global__ ', frame.kernel) if frame.kernel else ('', frame.host or 'void')
    declaration = f'{qualifier}{frame.result} example({parameters})'
    return '\n'.join(['#include <cmk/cmk.h>', frame.before, *outside, declaration + ';', declaration, '{', frame.first,
                      *inside, frame.last, '}', ''])


def is_engine(name):
    """what its comment shows is the loop that it equals, or a drawing: nobody calls it"""
    return name.startswith('host/') or (name.startswith('kernel/') and name.count('/') > 1)


def checks_of(mode, include, temporary):
    def check(name, lines):
        if name not in FRAMES:
            raise Failure('no frame for its example:\n' + '\n'.join(lines))
        path = Path(temporary) / f'{mode}_{name.replace("/", "_")}.cu'
        path.write_text(program(name, lines, FRAMES[name]))
        words = library_of(f'cmk/{name}', mode)
        status, output = run([*compile_command(mode, include), *words, '-c', path, '-o', path.with_suffix('.o')])
        if status != 0:
            raise Failure(output)

    found = set()
    for path in sorted((include / 'cmk').glob('**/*.h')):
        name, lines = path.relative_to(include / 'cmk').as_posix(), example_of(path)
        if lines and not is_engine(name):
            found.add(name)
            if mode in ('c', 'clang') and name in FRAMES and not FRAMES[name].in_c:
                continue
            yield f'{mode}: the example of {name}', lambda name=name, lines=lines: check(name, lines)
    for name in sorted(set(FRAMES) - found):
        def gone(name=name):
            raise Failure(f'{name} has no example any more')
        yield f'{mode}: the example of {name}', gone


def main():
    options = arguments(__doc__, list(MODES), 'MODE')
    with folder() as temporary:
        report([check for mode in options.which for check in checks_of(mode, options.include, temporary)], options)


main()
