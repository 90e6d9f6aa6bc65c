"""Debug builds, without a GPU: nvcc -G builds each kind of definition, in at most BUDGET times the processor time of a
kernel written by hand, built beside it, and in at most MEMORY; it fails at 1.5 times these. That they are right is seen
where debug.cu runs: on the CPU backend, and where there is a GPU."""

import os
import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, arguments, compiler, folder, program, report  # noqa: E402

BUDGET = 10  # 9 s beside 0.9
MEMORY = 2 << 20  # KB
MORE = 1.5
ARCHITECTURES = ['90', '75', '80', '90a']  # of one kind in turn, so that each has some

PLAIN = """__global__ void plain(const float *in, float *out, int rows, int columns, const float *taps)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    if (x < 1 || y < 1 || x >= columns - 1 || y >= rows - 1) return;
    for (int k = 0; k < 9; ++k) sum += taps[k] * in[(y + k / 3 - 1) * columns + x + k % 3 - 1];
    out[y * columns + x] = sum;
}
"""

HEAT = """#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_{dims}D(heat, HEAT)
{{
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * (CMK_POINT_AT(u, {zero}0, 1) + CMK_POINT_AT(u, {zero}1, 0)));
}}
CMK_DEFINE_STENCIL{dims}D(heat, HEAT);
"""


def image(types, side):
    return (f'CMK_TABLE(CONSTANT, float, taps, [{side}][{side}]);\nCMK_DEFINE_CONV2D_AS(smooth, CORRELATION, {types}, '
            f'({side}, {side}), ({side // 2}, {side // 2}), taps, (CMK_EDGE_CLAMP, 0));\n')


FLAT, DEEP = HEAT.format(dims=2, zero=''), HEAT.format(dims=3, zero='0, ')
KINDS = {
    'conv2d 3 x 3': image('(float, float, float, 1)', 3),
    'conv2d 15 x 15': image('(float, float, float, 1)', 15),
    'conv2d 33 x 33': image('(float, float, float, 1)', 33),
    'conv2d of bytes': image('(unsigned char, float, unsigned char, 1)', 3),
    'conv2d of colours': image('(unsigned char, float, unsigned char, 3)', 5),
    'separable': 'CMK_TABLE(CONSTANT, float, taps, [9]);\n'
                 'CMK_DEFINE_SEPARABLE(smooth, float, 4, taps, taps, CMK_EDGE_CLAMP);\n',
    'conv3d': 'CMK_TABLE(CONSTANT, float, taps, [3][5][5]);\n'
              'CMK_DEFINE_CONV3D(smooth, float, (3, 5, 5), taps, CMK_EDGE_CLAMP);\n',
    'separable3d': 'CMK_TABLE(CONSTANT, float, taps, [9]);\n'
                   'CMK_DEFINE_SEPARABLE3D(smooth, float, 4, (taps, taps, taps), CMK_EDGE_CLAMP);\n',
    'stencil1d': 'CMK_TABLE(CONSTANT, float, taps, [61]);\n'
                 'CMK_DEFINE_STENCIL1D(smooth, float, 30, CMK_STENCIL_1D, taps, CMK_EDGE_CLAMP);\n',
    'transpose': 'CMK_DEFINE_TRANSPOSE(turn, float);\n',
    'stencil2d': FLAT,
    'stencil3d': DEEP,
    'bordered': DEEP + 'CMK_DEFINE_BORDERED(heat, HEAT);\n',
}


def cost(include, text, arch):
    """seconds of all processes of a build, and the most memory of one in KB; what takes much more is stopped"""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    with folder() as work:
        source = Path(work) / 'kind.cu'
        source.write_text(text)
        command = compiler('NVCC') + ['-G', '-g', '-std=c++17', f'-arch=sm_{arch}', '--Werror=all-warnings',
                                      '-I', str(include), '-c', '-o', str(source.with_suffix('.o')), str(source)]
        with open(Path(work) / 'said', 'w+') as said:
            process = subprocess.Popen(command, stdout=said, stderr=said, preexec_fn=bound)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            said.seek(0)
            if status != 0:
                raise Failure(f'nvcc -G does not build it:\n{said.read()}')
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def check(include, kind, arch):
    program('nvcc')
    plain = min(cost(include, PLAIN, arch)[0] for _ in range(2))
    seconds, memory = cost(include, '#include <cmk/cmk.h>\n' + KINDS[kind], arch)
    print(f'# {kind}, sm_{arch}: {seconds:.1f} s beside {plain:.1f}, {memory >> 10} MB', flush=True)
    if seconds > MORE * BUDGET * plain:
        raise Failure(f'{seconds:.1f} s, {seconds / plain:.0f} times as long as a plain kernel: {BUDGET} at most')
    if memory > MORE * MEMORY:
        raise Failure(f'{memory >> 10} MB, of {MEMORY >> 10}')


def main():
    options = arguments(__doc__, list(KINDS), 'kind')
    architecture = {kind: ARCHITECTURES[k % len(ARCHITECTURES)] for k, kind in enumerate(KINDS)}
    report([(f'{kind}, sm_{architecture[kind]}: nvcc -G',
             lambda kind=kind: check(options.include, kind, architecture[kind])) for kind in options.which], options)


main()
