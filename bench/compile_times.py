"""Measures what compilers take for a definition of cmk, beside plain kernels, CUB, thrust and CUTLASS.

usage: compile_times.py [--quick] [--only TEXT] [--include DIR] [--cutlass DIR] [--jobs N] [--write]

Each row is a file with one definition, of the header that has it, and a function that calls it. A figure is of CPU
seconds, user and system, of the compiler and all that it starts: the median of 3, with --quick one, for sm_90 and gcc
-O2 alone.
Seconds depend on the machine and on what else it does. So each row is measured in turns with a plain kernel, and judged
by how many times as long it takes; in C the measure is a file of loops. A budget is of seconds on a machine that takes
0.9 for the plain kernel. --jobs compiles so many files at a time, at most half of the cores that are idle. --write puts
the tables into docs/compile-times.md; --cutlass names the folder of cutlass/.

Needs nvcc or a C compiler; tests/budgets judges by the same rows.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'compile-times.md'
PATH = os.pathsep.join([os.environ.get('PATH', os.defpath), '/usr/local/cuda/bin'])

# ---- Budgets: of a row, for sm_90, sm_90a and gcc -O2, in seconds where the plain kernel takes PLAIN and loops LOOPS

PLAIN, LOOPS = 0.9, 0.9
OF_SM_90A = 1.5  # times the budget for sm_90

NVCC = {
    'sm_90': ['-arch=sm_90'],
    'sm_90a': ['-gencode', 'arch=compute_90a,code=sm_90a'],
    'sm_80': ['-arch=sm_80'],
    '80;89;90': [word for arch in ('80', '89', '90') for word in ('-gencode', f'arch=compute_{arch},code=sm_{arch}')],
}
CC = {'gcc -O2': ['-O2'], 'gcc -O0': ['-O0']}

# plain: the row of the kernel by hand that does the same; nvcc, gcc: budgets, None where there is none
Row = namedtuple('Row', 'name text plain nvcc gcc', defaults=(None, None, None))


# ---- Plain kernels

def plain_kernel(parameters, index, body):
    """a kernel of a thread an element, and a function that launches it"""
    names = ', '.join(re.findall(r'(\w+)(?:,|$)', parameters))
    return f'''
__global__ void kernel({parameters})
{{
    const long long {index} = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    {body}
}}

void use({parameters})
{{
    kernel<<<1024, 256>>>({names});
}}
'''


IMAGE = 'const float *in, float *out, int rows, int columns'
PIXEL = 'const int y = (int)(i / columns), x = (int)(i % columns);\n    if (y >= rows) return;\n    '
VOLUME = 'const float *in, float *out, int planes, int rows, int columns'
VOXEL = ('const int z = (int)(i / columns / rows), y = (int)(i / columns % rows), x = (int)(i % columns);\n'
         '    if (z >= planes) return;\n    ')
AT_2D = ('#define AT(f, dy, dx) (y + (dy) < 0 || y + (dy) >= rows || x + (dx) < 0 || x + (dx) >= columns ? 0.0f '
         ': (float)f[(long long)(y + (dy)) * columns + x + (dx)])\n')
AT_3D = ('#define AT(f, dz, dy, dx) (z + (dz) < 0 || z + (dz) >= planes || y + (dy) < 0 || y + (dy) >= rows '
         '|| x + (dx) < 0 || x + (dx) >= columns ? 0.0f '
         ': (float)f[((long long)(z + (dz)) * rows + y + (dy)) * columns + x + (dx)])\n')


def plain_filter(rows, columns, element='float', channels=1):
    cast = '(unsigned char)fminf(fmaxf(rintf(sum), 0.0f), 255.0f)' if element != 'float' else 'sum'
    return (f'__constant__ float taps[{rows * columns}];\n' + AT_2D + plain_kernel(
        IMAGE.replace('float', element), 'i', PIXEL + f'''float sum = 0.0f;
    for (int r = 0; r < {rows}; ++r)
        for (int c = 0; c < {columns}; ++c)
            sum += taps[r * {columns} + c] * AT(in, r - {rows // 2}, (c - {columns // 2}) * {channels});
    out[i] = {cast};'''))


LAPLACE = '(AT(f, -1, 0) + AT(f, 1, 0) + AT(f, 0, -1) + AT(f, 0, 1) - 4.0f * AT(f, 0, 0))'
PLAIN_HEAT = AT_2D + plain_kernel(IMAGE + ', float k', 'i', PIXEL + f'out[i] = in[i] + k * {LAPLACE};'.replace(
    'AT(f', 'AT(in'))
PLAIN_STENCIL1D = '__constant__ float taps[5];\n' + plain_kernel(
    'const float *in, float *out, int count', 'i', '''if (i >= count) return;
    float sum = taps[0] * in[i];
    for (int k = 1; k <= 4; ++k)
        sum += taps[k] * ((i >= k ? in[i - k] : 0.0f) + (i + k < count ? in[i + k] : 0.0f));
    out[i] = sum;''')
PLAIN_CONV3D = '__constant__ float taps[27];\n' + AT_3D + plain_kernel(VOLUME, 'i', VOXEL + '''float sum = 0.0f;
    for (int k = 0; k < 27; ++k) sum += taps[k] * AT(in, k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
    out[i] = sum;''')
PLAIN_TRANSPOSE = plain_kernel(IMAGE, 'i', '''__shared__ float tile[16][17];
    const int across = (columns + 15) / 16, r = threadIdx.x / 16, c = threadIdx.x % 16;
    const int y = blockIdx.x / across * 16, x = blockIdx.x % across * 16;
    if (y + r < rows && x + c < columns) tile[r][c] = in[(long long)(y + r) * columns + x + c];
    __syncthreads();
    if (i >= 0 && x + r < columns && y + c < rows) out[(long long)(x + r) * rows + y + c] = tile[c][r];''')
PLAIN_GRAY_SCOTT = AT_2D + f'#define LAPLACE(f) {LAPLACE}\n' + plain_kernel(
    'const float *u, const float *v, float *u_next, float *v_next, int rows, int columns, float feed, float kill', 'i',
    PIXEL + '''const float a = u[i], b = v[i], reaction = a * b * b;
    u_next[i] = a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a);
    v_next[i] = b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b;''')
PLAIN_FDTD = AT_2D + plain_kernel(
    'float *ez, float *hx, float *hy, const float *permittivity, int rows, int columns, float courant, int stage', 'i',
    PIXEL + '''if (stage == 0) {
        hx[i] -= courant * (AT(ez, 1, 0) - ez[i]);
        hy[i] += courant * (AT(ez, 0, 1) - ez[i]);
    } else if (y > 0 && x > 0)
        ez[i] += courant / permittivity[i] * (hy[i] - AT(hy, 0, -1) - hx[i] + AT(hx, -1, 0));''')
PLAIN_SEVEN = AT_3D + plain_kernel(VOLUME, 'i', VOXEL + '''const float around =
        AT(in, -1, 0, 0) + AT(in, 1, 0, 0) + AT(in, 0, -1, 0) + AT(in, 0, 1, 0) + AT(in, 0, 0, -1) + AT(in, 0, 0, 1);
    out[i] = in[i] + 0.125f * (around - 6.0f * in[i]);''')
PLAIN_ACOUSTIC = '__constant__ float taps[5];\n' + AT_3D + plain_kernel(
    VOLUME + ', const float *speed', 'i', VOXEL + '''float sum = 3.0f * taps[0] * in[i];
    for (int k = 1; k <= 4; ++k)
        sum += taps[k] * (AT(in, -k, 0, 0) + AT(in, k, 0, 0) + AT(in, 0, -k, 0) + AT(in, 0, k, 0) + AT(in, 0, 0, -k) +
                          AT(in, 0, 0, k));
    out[i] = 2.0f * in[i] - out[i] + speed[i] * sum;''')
PLAINS = {
    'stencil1d': PLAIN_STENCIL1D, '3x3': plain_filter(3, 3), '5x5': plain_filter(5, 5), '9x9': plain_filter(9, 9),
    '15x15': plain_filter(15, 15), 'bytes': plain_filter(3, 3, 'unsigned char'),
    'RGB': plain_filter(3, 3, 'unsigned char', 3), 'conv3d': PLAIN_CONV3D, 'transpose': PLAIN_TRANSPOSE,
    'heat': PLAIN_HEAT, 'Gray-Scott': PLAIN_GRAY_SCOTT, 'fdtd': PLAIN_FDTD, '7 points': PLAIN_SEVEN,
    'acoustic': PLAIN_ACOUSTIC,
}
MEASURE = PLAIN_HEAT  # which all rows are judged by

# what all rows in C are judged by: functions of loops that gcc keeps
C_MEASURE = 'float sums[64];\n' + ''.join(f'''
void work{k}(const float *in, float *out, int rows, int columns)
{{
    for (int y = 1; y < rows - 1; ++y)
        for (int x = 1; x < columns - 1; ++x) {{
            const float *at = in + y * columns + x;
            float sum = {k}.5f * at[0];
            for (int d = -1; d <= 1; ++d) sum += at[d] * at[d * columns] + (d > {k % 3 - 1} ? at[d] : {k}.0f);
            if (sum > {k}.25f) sums[{k % 64}] += sum - at[columns];
            out[y * columns + x] = sum < at[1] ? at[-1] / (sum + {k + 1}.0f) : sum;
        }}
}}
''' for k in range(76))


# ---- Definitions

def filtered(header, definition, call, *tables):
    storage = ''.join(f'CMK_TABLE(CONSTANT, float, {table});\n' for table in tables)
    return (f'#include <cmk/kernel/{header}.h>\n{storage}{definition}\n'
            f'cudaError_t use(const T *in, T *out, size_t rows, size_t columns)\n'
            f'{{\n    return {call};\n}}\n')


def conv2d(rows, columns):
    return filtered('conv2d', 'typedef float T;\n'
                    f'CMK_DEFINE_CONV2D(blur, float, {rows}, {columns}, taps, CMK_EDGE_ZERO);',
                    'blur(in, columns, out, columns, rows, columns, taps, 0)', f'taps, [{rows}][{columns}]')


def conv2d_bytes(channels):
    return filtered('conv2d', 'typedef unsigned char T;\n'
                    f'CMK_DEFINE_CONV2D_AS(blur, CORRELATION, (T, float, T, {channels}), (3, 3), (1, 1), taps, '
                    '(CMK_EDGE_ZERO, 0));',
                    f'blur(in, columns * {channels}, out, columns * {channels}, rows, columns, taps, 0)',
                    'taps, [3][3]')


def separable(radius):
    return filtered('separable', 'typedef float T;\n'
                    f'CMK_DEFINE_SEPARABLE(blur, float, {radius}, taps, taps, CMK_EDGE_ZERO);',
                    'blur(in, columns, out, columns, rows, columns, taps, taps, 0)', f'taps, [{2 * radius + 1}]')


STENCIL1D = filtered('stencil1d', 'typedef float T;\n'
                     'CMK_DEFINE_STENCIL1D(line, float, 4, CMK_STENCIL_1D_SYMMETRIC, taps, CMK_EDGE_ZERO);',
                     'line(in, out, rows * columns, taps, 0)', 'taps, [5]')
CONV3D = filtered('conv3d', 'typedef float T;\nCMK_DEFINE_CONV3D(blur, float, (3, 3, 3), taps, CMK_EDGE_ZERO);',
                  'blur(in, columns, rows * columns, out, columns, rows * columns, rows, rows, columns, taps, 0)',
                  'taps, [3][3][3]')
TRANSPOSE = filtered('transpose', 'typedef float T;\nCMK_DEFINE_TRANSPOSE(transpose, float);',
                     'transpose(in, columns, out, rows, rows, columns, 0)')

HEAT = '''#include <cmk/kernel/stencil2d.h>
#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(VALUE, float, k)
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0f * U(0, 0)));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
'''
GRAY_SCOTT = '''#include <cmk/kernel/stencil2d.h>
#define GRAY_SCOTT(USES) \\
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP) USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP) \\
    USES(VALUE, float, feed) USES(VALUE, float, kill)
#define AT(field, dy, dx) CMK_POINT_AT(field, dy, dx)
#define LAPLACE(field) \\
    (AT(field, -1, 0) + AT(field, 1, 0) + AT(field, 0, -1) + AT(field, 0, 1) - 4.0f * AT(field, 0, 0))
CMK_POINT_2D(gray_scott, GRAY_SCOTT)
{
    const float a = AT(u, 0, 0), b = AT(v, 0, 0), reaction = a * b * b;
    CMK_POINT_SET(u, a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a));
    CMK_POINT_SET(v, b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b);
}
CMK_DEFINE_STENCIL2D(gray_scott, GRAY_SCOTT);
'''
SEVEN = '''#include <cmk/kernel/stencil3d.h>
#define SEVEN(USES) USES(NEXT, float, t, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define T(dz, dy, dx) CMK_POINT_AT(t, dz, dy, dx)
CMK_POINT_3D(seven, SEVEN)
{
    const float around = T(-1, 0, 0) + T(1, 0, 0) + T(0, -1, 0) + T(0, 1, 0) + T(0, 0, -1) + T(0, 0, 1);
    CMK_POINT_SET(t, T(0, 0, 0) + 0.125f * (around - 6.0f * T(0, 0, 0)));
}
CMK_DEFINE_STENCIL3D(seven, SEVEN);
'''
ACOUSTIC = '''#include <cmk/kernel/stencil3d.h>
CMK_TABLE_VALUES(LITERAL, float, taps, [5], -205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560);
#define ACOUSTIC(USES) \\
    USES(LEAPFROG, float, p, CMK_POINT_STAR(4), CMK_EDGE_ZERO) USES(IN, float, speed) USES(TABLE, taps)
#define P(dz, dy, dx) CMK_POINT_AT(p, dz, dy, dx)
CMK_POINT_3D(acoustic, ACOUSTIC)
{
    float sum = 3.0f * CMK_TABLE_AT(taps, 0) * P(0, 0, 0);
    CMK_UNROLL
    for (int k = 1; k <= 4; ++k)
        sum += CMK_TABLE_AT(taps, k) * (P(-k, 0, 0) + P(k, 0, 0) + P(0, -k, 0) + P(0, k, 0) + P(0, 0, -k) + P(0, 0, k));
    CMK_POINT_SET(p, 2.0f * P(0, 0, 0) - CMK_POINT_BEFORE(p) + CMK_POINT_HERE(speed) * sum);
}
CMK_DEFINE_STENCIL3D(acoustic, ACOUSTIC);
'''
BORDERED = '#include <cmk/kernel/bordered.h>\n' + SEVEN + 'CMK_DEFINE_BORDERED(seven, SEVEN);\n'


def stepped(text, name, values='', steps=False):
    """a definition and a call of single steps, or of several"""
    call = f'{name}_steps(grid, 100, ' if steps else f'{name}(grid, '
    return text + f'cudaError_t use({name}_grid *grid)\n{{\n    return {call}{values}0);\n}}\n'


def example(name):
    return (ROOT / 'examples' / name).read_text(encoding='utf-8')


CUB = '''#include <cub/cub.cuh>
cudaError_t use(void *space, size_t *bytes, const float *in, float *out, int count)
{
    return cub::DeviceReduce::Sum(space, *bytes, in, out, count);
}
'''
THRUST = '''#include <thrust/device_vector.h>
#include <thrust/sort.h>
void use(thrust::device_vector<float> &values)
{
    thrust::sort(values.begin(), values.end());
}
'''
OTHERS = [
    Row('an empty file', '\n'),
    Row('cuda_runtime.h', '#include <cuda_runtime.h>\n'),
    Row('CUB: cub/cub.cuh, unused', '#include <cub/cub.cuh>\n'),
    Row('CUB: a sum', CUB),
    Row('thrust: a sort', THRUST),
    Row('CUTLASS: cutlass/gemm/device/gemm.h, unused', '#include <cutlass/gemm/device/gemm.h>\n'),
]
ROWS = [
    Row('cmk/cmk.h, unused', '#include <cmk/cmk.h>\n', gcc=0.5),
    Row('STENCIL1D, radius 4', STENCIL1D, 'stencil1d', 1.2, 3),
    Row('CONV2D 3x3', conv2d(3, 3), '3x3', 2.5, 3),
    Row('CONV2D 5x5', conv2d(5, 5), '5x5', 2.5, 3),
    Row('CONV2D 9x9', conv2d(9, 9), '9x9', 2.5, 3),
    Row('CONV2D 15x15', conv2d(15, 15), '15x15', 2.5, 3),
    Row('CONV2D 3x3, bytes', conv2d_bytes(1), 'bytes', 3.5, 3),
    Row('CONV2D 3x3, bytes, RGB', conv2d_bytes(3), 'RGB', 4.5, 3),
    Row('SEPARABLE, radius 4', separable(4), '9x9', 2.5, 3),
    Row('SEPARABLE, radius 16', separable(16), '15x15', 2.5, 3),
    Row('CONV3D 3x3x3', CONV3D, 'conv3d', 1.5, 3),
    Row('TRANSPOSE', TRANSPOSE, 'transpose', 1.4, 3),
    Row('STENCIL2D, heat', stepped(HEAT, 'heat', '0.1f, '), 'heat', 2.5, 3),
    Row('STENCIL2D, heat, steps called', stepped(HEAT, 'heat', '0.1f, ', True), 'heat', 5, 3),
    Row('STENCIL2D, Gray-Scott', stepped(GRAY_SCOTT, 'gray_scott', '0.04f, 0.06f, '), 'Gray-Scott', 3.5, 3),
    Row('STENCIL2D, Gray-Scott, steps called', stepped(GRAY_SCOTT, 'gray_scott', '0.04f, 0.06f, ', True), 'Gray-Scott',
        9, 3),
    Row('examples/fdtd2d.cu, steps called', example('fdtd2d.cu'), 'fdtd', 12, 8),
    Row('STENCIL3D, 7 points', stepped(SEVEN, 'seven'), '7 points', 3, 3),
    Row('STENCIL3D, 7 points, steps called', stepped(SEVEN, 'seven', steps=True), '7 points', 5, 3),
    Row('STENCIL3D, 7 points, BORDERED', stepped(BORDERED, 'seven'), '7 points', 4, 4),
    Row('STENCIL3D, acoustic, radius 4', stepped(ACOUSTIC, 'acoustic', 'taps, '), 'acoustic', 4, 6),
]
EXAMPLES = [Row(f'examples/{path.name}', path.read_text(encoding='utf-8'), gcc=8)
            for path in sorted((ROOT / 'examples').glob('*.cu')) if path.name != 'fdtd2d.cu']


# ---- Compilers

class Refused(Exception):
    pass


def words_of(variable, default):
    """the command of a compiler, or None where there is none"""
    words = shlex.split(os.environ.get(variable, '')) or [default]
    path = shutil.which(words[0], path=PATH)
    return [path, *words[1:]] if path else None


class Compilers:
    """what compiles a row, and how long it took: CPU seconds of the compiler and of all that it started"""

    def __init__(self, include, folders=()):
        self.nvcc, self.cc = words_of('NVCC', 'nvcc'), words_of('CC', 'gcc')
        self.folders = [f'-I{path}' for path in (include, *folders)]

    def command(self, target):
        if target in NVCC:
            return self.nvcc and [*self.nvcc, '-std=c++17', '-O3', *NVCC[target]]
        return self.cc and [*self.cc, *CC[target], '-std=gnu11', '-x', 'c']

    def seconds(self, text, target):
        with tempfile.TemporaryDirectory(prefix='cmk-compile-') as work:
            source = Path(work) / 'file.cu'
            source.write_text(text, encoding='utf-8')
            with open(Path(work) / 'said', 'w+', encoding='utf-8', errors='replace') as said:
                process = subprocess.Popen([*self.command(target), *self.folders, '-c', '-o', Path(work) / 'object',
                                            source], stdout=said, stderr=said)
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                said.seek(0)
                if process.returncode != 0:
                    raise Refused(said.read().strip() or f'exit status {process.returncode}')
        return used.ru_utime + used.ru_stime


def measure_of(target):
    return MEASURE if target in NVCC else C_MEASURE


def budget_of(row, target):
    """how many times as long as its measure it may take, or None"""
    if target in CC:
        return row.gcc / LOOPS if target == 'gcc -O2' and row.gcc else None
    times = {'sm_90': 1, 'sm_90a': OF_SM_90A}.get(target)
    return row.nvcc * times / PLAIN if times and row.nvcc else None


# ---- The table

def say(*words):
    print(*words, file=sys.stderr, flush=True)


def median_seconds(compilers, text, target, runs):
    """the median of its seconds, and over that of its measure, in turns"""
    own, measure = [], []
    for _ in range(runs):
        measure.append(compilers.seconds(measure_of(target), target))
        own.append(compilers.seconds(text, target))
    return statistics.median(own), statistics.median(own) / statistics.median(measure)


def cell(compilers, row, target, runs):
    try:
        seconds, times = median_seconds(compilers, row.text, target, runs)
    except Refused as why:
        say(f'{row.name}, {target}: not compiled: {str(why).splitlines()[0]}')
        return None
    say(f'{row.name}, {target}: {seconds:.2f} s, {times:.2f} times the measure')
    return seconds, times


def shown(measured):
    return '' if measured is None else f'{measured[0]:.2f}'


def judged(row, target, measured):
    """times and budget"""
    if measured is None:
        return ' | '
    budget = budget_of(row, target)
    return f'{measured[1]:.1f} | ' + ('' if budget is None else f'{budget:.1f}')


def line(*cells):
    return '| ' + ' | '.join(cells) + ' |'


def table(heads, lines):
    return '\n'.join([line(*heads), line(*['---'] * len(heads)), *lines]) + '\n'


def cells_of(compilers, rows, targets, runs, jobs):
    """for each row what its cells are by target, of `jobs` at a time"""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        all_cells = [{target: pool.submit(cell, compilers, row, target, runs) for target in targets} for row in rows]
    return [{target: one.result() for target, one in cells.items()} for cells in all_cells]


def cuda_table(compilers, rows, runs, targets, jobs):
    """also the seconds of the plain kernels, each measured once"""
    kernels = [Row(f'plain kernel: {name}', PLAINS[name])
               for name in dict.fromkeys(row.plain for row in rows if row.plain)]
    measured = cells_of(compilers, kernels, ['sm_90'], runs, jobs)
    plains = {kernel.name.split(': ')[1]: cells['sm_90'] for kernel, cells in zip(kernels, measured)}
    lines = []
    for row, cells in zip(rows, cells_of(compilers, rows, targets, runs, jobs)):
        if cells['sm_90'] is None:
            continue
        lines.append(line(row.name, shown(plains.get(row.plain)), shown(cells['sm_90']),
                          judged(row, 'sm_90', cells['sm_90']),
                          *(shown(cells.get(target)) for target in list(NVCC)[1:])))
    heads = ['nvcc -O3, CPU seconds', 'plain kernel of the same', 'sm_90', 'times the measure', 'budget',
             *list(NVCC)[1:]]
    return table(heads, lines)


def c_table(compilers, rows, runs, targets, jobs):
    lines = []
    for row, cells in zip(rows, cells_of(compilers, rows, targets, runs, jobs)):
        if cells['gcc -O2'] is not None:
            lines.append(line(row.name, shown(cells['gcc -O2']), judged(row, 'gcc -O2', cells['gcc -O2']),
                              shown(cells.get('gcc -O0'))))
    return table(['C, CPU seconds', '-O2', 'times the measure', 'budget', '-O0'], lines)


# ---- Where

def first_line(pattern, command):
    said = subprocess.run(command, encoding='utf-8', errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = re.search(pattern, said.stdout, re.MULTILINE)
    return found.group(0) if found else 'unknown'


def conditions(compilers, include, runs):
    machine = 'an unknown processor'
    if Path('/proc/cpuinfo').is_file():
        found = re.search(r'^model name\s*: (.*)$', Path('/proc/cpuinfo').read_text(encoding='utf-8'), re.MULTILINE)
        machine = found.group(1) if found else machine
    commit = first_line(r'^\w+ of \d{4}-\d\d-\d\d$',
                        ['git', '-C', str(include), 'log', '-1', '--format=%h of %cs', '--', '.'])
    parts = [f'{machine}, {os.cpu_count()} cores']
    if compilers.nvcc:
        parts.append('nvcc ' + first_line(r'(?<=release )[\d.]+', [*compilers.nvcc, '--version']))
        plain = [compilers.seconds(MEASURE, 'sm_90') for _ in range(runs)]
        parts.append(f'the measure {statistics.median(plain):.2f} s')
    if compilers.cc:
        parts.append(first_line(r'^.+$', [*compilers.cc, '--version']))
        loops = [compilers.seconds(C_MEASURE, 'gcc -O2') for _ in range(runs)]
        parts.append(f'the loops {statistics.median(loops):.2f} s')
    return '; '.join(parts) + f'. include/ at commit {commit}. ' + (f'Medians of {runs}.' if runs > 1 else 'One run.')


def put(name, text):
    """between the page's comments of this name"""
    page = PAGE.read_text(encoding='utf-8')
    begin, end = f'<!-- {name}: by bench/compile_times.py -->\n', f'<!-- end of {name} -->'
    if page.count(begin) != 1 or end not in page.partition(begin)[2]:
        raise Refused(f'{PAGE} has no place for {name}')
    before, _, rest = page.partition(begin)
    PAGE.write_text(before + begin + text + end + rest.partition(end)[2], encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='one run, for sm_90 and gcc -O2')
    parser.add_argument('--only', default='', metavar='TEXT', help='rows with this text in their name')
    parser.add_argument('--include', type=Path, default=ROOT / 'include', help='the folder that holds cmk/')
    parser.add_argument('--cutlass', type=Path, help='the folder that holds cutlass/')
    parser.add_argument('--jobs', type=int, default=1, metavar='N', help='files that are compiled at a time')
    parser.add_argument('--write', action='store_true', help='writes the tables into docs/compile-times.md')
    options = parser.parse_args()
    if options.write and options.only:
        parser.error('--write needs all rows')
    if options.jobs < 1:
        parser.error('--jobs: at least 1')
    compilers = Compilers(options.include.resolve(), [options.cutlass] if options.cutlass else [])
    if not compilers.nvcc and not compilers.cc:
        sys.exit('compile_times: no nvcc and no C compiler')
    runs = 1 if options.quick else 3
    wanted = [row for row in OTHERS + ROWS if options.only in row.name]
    in_c = [row for row in ROWS + EXAMPLES if options.only in row.name]
    tables = {'conditions': textwrap.fill(conditions(compilers, options.include, runs), 120) + '\n'}
    if compilers.nvcc and wanted:
        tables['nvcc'] = cuda_table(compilers, wanted, runs, list(NVCC)[:1] if options.quick else list(NVCC),
                                     options.jobs)
    if compilers.cc and in_c:
        tables['C'] = c_table(compilers, in_c, runs, list(CC)[:1] if options.quick else list(CC), options.jobs)
    for name, text in tables.items():
        print(text)
        if options.write:
            put(name, text)


if __name__ == '__main__':
    main()
