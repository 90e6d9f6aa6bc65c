"""What nvcc makes of the parts, on every architecture, without a GPU.

equal    a kernel made from parts has the same cubin, byte for byte, as the kernel written by hand
spills   no kernel of the parts, the definitions and the examples spills or uses local memory
ptx      global loads of inputs take the read-only path, 16 bytes wide where they should be, and a coefficient
         table is read at constant addresses
sass     no thread loads a coefficient of a table: it is a c[] operand or in a uniform register
"""

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, arguments, compiler, folder, must, program, report, run  # noqa: E402

HERE = Path(__file__).resolve().parent
ARCHITECTURES = ['75', '80', '90', '100', '120']
PAIRS = ['stencil1d', 'conv2d']
NO_LOCAL = '-Xptxas=--warn-on-spills,--warn-on-local-memory-usage,--warning-as-error'


@functools.lru_cache(maxsize=None)
def known_architectures():
    return run(compiler('NVCC') + ['--list-gpu-arch'])[1].split()


def nvcc(include, source, output, arch, *more):
    if f'compute_{arch}' not in known_architectures():
        raise Skip(f'this nvcc does not know sm_{arch}')
    must(compiler('NVCC') + ['-std=c++17', '-O3', f'-arch=sm_{arch}', '-I', include, *more, '-o', output, source])
    return output


def equal(include, pair, arch):
    with folder() as work:
        made = [Path(nvcc(include, HERE / f'{pair}_{kind}.cu', Path(work) / kind, arch, '-cubin')).read_bytes()
                for kind in ('parts', 'hand')]
    if made[0] != made[1]:
        raise Failure(f'the cubins differ: {len(made[0])} and {len(made[1])} bytes')


def spills(include, source, arch):
    with folder() as work:
        nvcc(include, source, Path(work) / 'cubin', arch, '-cubin', NO_LOCAL)


def body_of(kernel, text, begin):
    """the text of a kernel, its name mangled or not; begin matches a kernel's first line and captures the name"""
    parts = re.split(begin, text, flags=re.MULTILINE)
    bodies = [body for name, body in zip(parts[1::2], parts[2::2]) if re.fullmatch(rf'(_Z\w*\d)?{kernel}(P\w*)?', name)]
    if len(bodies) != 1:
        raise Failure(f'{len(bodies)} kernels are called {kernel}')
    return bodies[0]


def expect(body, kernel, wanted=(), unwanted=()):
    for pattern in wanted:
        if not re.search(pattern, body):
            raise Failure(f'{kernel}: nothing matches {pattern}')
    for pattern in unwanted:
        found = re.search(f'.*{pattern}.*', body)
        if found:
            raise Failure(f'{kernel}: {found.group(0).strip()} matches {pattern}')


def ptx(include, source, arch, kernel, wanted, unwanted):
    with folder() as work:
        text = Path(nvcc(include, source, Path(work) / 'ptx', arch, '-ptx')).read_text()
    expect(body_of(kernel, text, r'^.*\.entry (\w+)\('), kernel, wanted, unwanted)


def sass(include, source, arch, kernel, unwanted):
    disassembler = program('nvdisasm')
    with folder() as work:
        cubin = nvcc(include, source, Path(work) / 'cubin', arch, '-cubin')
        text = must([disassembler, '-c', cubin])
    expect(body_of(kernel, text, r'^\.text\.(\w+):'), kernel, [r'c\[0x3\]'], unwanted)


DEFINITION = HERE / 'definition.cu'
PARTS = {pair: HERE / f'{pair}_parts.cu' for pair in PAIRS}
CONSTANT_ADDRESS = r'ld\.const\.f32\s+%f\d+, \[(coefficients|weights)(\+\d+)?\]'
PER_THREAD_CONSTANT = r'ld\.const\.f32\s+%f\d+, \[%'
READ_ONLY = [r'ld\.global\.nc\.f32', CONSTANT_ADDRESS]
NOT_READ_ONLY = [PER_THREAD_CONSTANT, r'ld\.global\.f']
PTX = [
    (PARTS['stencil1d'], 'stencil_1d', READ_ONLY, NOT_READ_ONLY),
    (PARTS['conv2d'], 'conv_constant', READ_ONLY, NOT_READ_ONLY),
    (PARTS['conv2d'], 'conv_tiled', READ_ONLY, NOT_READ_ONLY),
    (DEFINITION, 'derivative_kernel', [r'ld\.global\.nc\.v4\.[ufb]32', r'st\.global\S*\.v4\.[ufb]32', CONSTANT_ADDRESS],
     [PER_THREAD_CONSTANT, r'ld\.global\.[vfu]']),
]
# LDC with a bank other than 0, the bank of parameters and launch sizes, is a load of a table by the thread
SASS = [(source, kernel, [r'\bLDC(\.\w+)* R\w+, c\[0x[1-9]']) for source, kernel, *_ in PTX]


def checks(include):
    sources = [*PARTS.values(), DEFINITION, *sorted((ROOT / 'examples').glob('*.cu'))]
    everything = {'equal': [], 'spills': [], 'ptx': [], 'sass': []}
    for arch in ARCHITECTURES:
        everything['equal'] += [(f'{pair}: parts and hand give one cubin, sm_{arch}',
                                 lambda p=pair, a=arch: equal(include, p, a)) for pair in PAIRS]
        everything['sass'] += [(f'{kernel}: no thread loads a coefficient, sm_{arch}',
                                lambda s=source, k=kernel, u=unwanted, a=arch: sass(include, s, a, k, u))
                               for source, kernel, unwanted in SASS]
    everything['spills'] = [(f'{source.name}: no spills and no local memory, sm_90',
                             lambda s=source: spills(include, s, '90')) for source in sources]
    everything['ptx'] = [(f'{kernel}: loads in PTX', lambda row=row: ptx(include, row[0], '90', *row[1:]))
                         for row in PTX for kernel in [row[1]]]
    return everything


if __name__ == '__main__':
    chosen = arguments(__doc__, ['equal', 'spills', 'ptx', 'sass'], 'CHECK')
    report([check for which in chosen.which for check in checks(chosen.include)[which]], chosen)
