"""Plans of calls (kernel/plan.h): they are what launchers launch; of a device that is told of they are the same by gcc,
g++ and nvcc; and NVRTC, or nvcc with CMK_C_NAMES, gives kernels the names and parameters that plans have.

usage: plan.py [c|kernels|nvrtc|cuda ...]
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / 'alone')]
from harness import Failure, arguments, compile_command, compiler, folder, must, report, unoptimized  # noqa: E402
from nvrtc import Nvrtc  # noqa: E402

ONLY = ['-DCMK_PLAN_ONLY=1']
CALLED = ['-O0', '-Dalways_inline=unused']  # kernels as they are, for their addresses
KINDS = ('small smooth bytes across far volume through line turn heat wave diffuse heat_bordered wave_bordered '
         'diffuse_bordered').split()


class Programs:
    """plan.cu by each compiler, built when it is asked for"""
    def __init__(self, include, work):
        self.include, self.work, self.built = include, Path(work), {}

    def run(self, mode, flags, *words):
        key = (mode, *flags)
        if key not in self.built:
            path = self.work / f'plans{len(self.built)}'
            how = [] if mode == 'cuda' else ['-pthread', '-lm']
            command = [*compile_command(mode, self.include), '-D_GNU_SOURCE', *flags, f'-I{HERE.parent}', f'-I{HERE}']
            if mode == 'cuda':  # as users build: a debug build plans otherwise
                command = [word for word in command if word not in unoptimized()]
            must([*command, '-o', path, HERE / 'plan.cu', *how])
            self.built[key] = path
        return must([self.built[key], *words])


def lines_of(text):
    """(kernel, bytes of each argument) of each launch that the program has printed"""
    for line in text.splitlines():
        found = re.match(r'  (\w+) grid', line)
        if found:
            yield found.group(1), [int(bytes_) for bytes_ in re.findall(r', (\d+): [0-9a-f]+', line)]


def check_equal(programs, one, other):
    """by each, the plans of some devices"""
    first, second = (programs.run(*how, '7').splitlines() for how in (one, other))
    if len(first) < 1000:
        raise Failure(f'{len(first)} lines')
    if first != second:
        differing = [pair for pair in zip(first, second) if pair[0] != pair[1]]
        raise Failure(f'{len(differing)} lines differ\n' + '\n'.join('\n'.join(pair) for pair in differing[:8]))


def entries(ptx):
    """bytes of the parameters of each kernel, by its name"""
    found = {}
    for name, inside in re.findall(r'\.entry (\w+)\((.*?)\)', ptx, re.DOTALL):
        found[name] = [int(count) if count else {'u64': 8, 'f64': 8, 's64': 8, 'b64': 8, 'u16': 2, 's16': 2, 'b16': 2,
                                                 'u8': 1, 'b8': 1}.get(kind, 4)
                       for kind, count in re.findall(r'\.param (?:\.align \d+ )?\.(\w+)[^,\[]*(?:\[(\d+)\])?', inside)]
    return found


def check_names(programs, ptx):
    """what plans name is there, with parameters of so many bytes"""
    kernels = entries(ptx())
    planned = dict(lines_of(''.join(programs.run('c', ONLY, str(seed)) for seed in range(3))))
    missing = [kind for kind in KINDS if not any(name.startswith(kind) for name in planned)]
    if missing or len(planned) < 25:
        raise Failure(f'no plan of {" ".join(missing)}; {len(planned)} kernels:\n' + '\n'.join(sorted(planned)))
    wrong = [f'{name}: planned {sizes}, compiled {kernels.get(name)}' for name, sizes in planned.items()
             if kernels.get(name) != sizes]
    if wrong:
        raise Failure(f'{len(wrong)} kernels\n' + '\n'.join(wrong))


def check_shared(programs):
    """a filter's own kernel has as much shared memory where tensor cores would be sooner done, but are not there"""
    found = {}
    for seed in range(5):
        for kernel, count in re.findall(r'^  (\w+) grid .*?, (\d+) bytes', programs.run('c', ONLY, str(seed)), re.M):
            found.setdefault(kernel, set()).add(count)
    wrong = {kernel: found.get(kernel) for kernel in ('small_kernel', 'smooth_kernel', 'bytes_kernel', 'far_kernel')
             if len(found.get(kernel, ())) != 1}
    if wrong:
        raise Failure(f'{wrong}')


def checks_of(which, include, work):
    programs = Programs(include, work)
    if which == 'c':
        yield 'plans are what is launched, c', lambda: programs.run('c', ONLY)
        yield 'plans are what is launched, c++', lambda: programs.run('c++', ONLY)
        yield 'plans of a device, c and c++', lambda: check_equal(programs, ('c', ONLY), ('c++', ONLY))
        yield 'shared memory of each way', lambda: check_shared(programs)
    if which == 'kernels':
        yield 'plans are what is launched, addresses too', lambda: programs.run('c', CALLED)
    if which == 'nvrtc':
        text = (HERE / 'plans.h').read_text()
        options = [f'-I{include}', '--gpu-architecture=compute_90']
        yield 'names and parameters of kernels by NVRTC', lambda: check_names(
            programs, lambda: Nvrtc().ptx(text, options))
    if which == 'cuda':
        yield 'plans of a device, c and nvcc', lambda: check_equal(programs, ('c', ONLY), ('cuda', []))

        def ptx():
            path = Path(work) / 'plans.ptx'
            must([*compiler('NVCC'), '-arch=sm_90', '-std=c++17', '-DCMK_C_NAMES=1', f'-I{include}', '-x', 'cu', '-ptx',
                  '-o', path, HERE / 'plans.h'])
            return path.read_text()
        yield 'names and parameters of kernels by nvcc', lambda: check_names(programs, ptx)


def main():
    options = arguments(__doc__, ['c', 'kernels', 'nvrtc', 'cuda'], 'KIND')
    with folder() as work:
        report([check for which in options.which for check in checks_of(which, options.include, work)], options)


main()
