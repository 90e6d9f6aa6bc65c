"""One bit pattern: tests/bits/bits.cu by all compilers prints the tables of docs/same-bits.md.

usage: bits.py [SCENARIO...] [--only TEXT] [--include DIR]
       bits.py --write                           makes the hashes of the page, by cc
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import (C11, CXX17, ROOT, Failure, Skip, arguments, compiler, folder, must, program,  # noqa: E402
                     report, run)

HERE = Path(__file__).resolve().parent
SOURCE, PAGE = HERE / 'bits.cu', ROOT / 'docs' / 'same-bits.md'
ROW = re.compile(r'^(\| `(\w+)` \| [^|]+ \| `)(\w*)(` \|)$', re.MULTILINE)
CALLED = ['-Dalways_inline=unused', '-w']  # engines are called: a fraction of the time
LIBRARIES = ['-lm', '-lpthread']
PLAIN = ['-ffp-contract=off']

# compiler, language and flags; FEW: what a slow program does
BUILDS = {
    'C11': ('CC', [*C11, '-O1', *CALLED, *PLAIN]),
    'C11 -O0': ('CC', [*C11, '-O0', *CALLED, *PLAIN]),
    'C11 -O3 -march=native': ('CC', [*C11, '-O3', '-march=native', *CALLED, *PLAIN]),
    'C++17 -O2 -march=native': ('CXX', [*CXX17, '-O2', '-march=native', *CALLED, *PLAIN]),
    'C11 by clang -O2 -march=native': ('CLANG', [*C11, '-O2', '-march=native', *CALLED, *PLAIN]),
    'C++17 by clang -O1': ('CLANGXX', [*CXX17, '-O1', *CALLED, *PLAIN]),
}
FEW = ['heat', 'asked', 'basin', 'limiter', 'jacobi', 'conv_9x9', 'separable_double', 'volume_3']
WITHOUT_DIVISION = ['heat', 'box', 'gray_scott', 'wave', 'cube', 'star', 'fdtd', 'sums']


def build(words, include, work):
    must([*words, f'-I{include}', f'-I{HERE.parent}', SOURCE, '-o', work / 'bits', *LIBRARIES])
    return work / 'bits'


def judge(words):
    status, said = run(words)
    if status != 0:
        raise Failure('\n'.join(line for line in said.splitlines() if line.startswith('not ok')) or said)


def table(include, work):
    def check_rows():
        on_page = [row[1] for row in ROW.findall(PAGE.read_text())]
        tested = re.findall(r'ONE\((\w+)\)[,}]', SOURCE.read_text())
        if on_page != tested:
            raise Failure(f'the page has   {on_page}\nthe program has {tested}')

    yield 'docs/same-bits.md has a row for each update and filter of bits.cu', check_rows


def first(include, work):
    yield from builds(include, work, ['C11'])


def compilers(include, work):
    yield from builds(include, work, list(BUILDS)[1:])


def builds(include, work, names):
    def check(name):
        variable, flags = BUILDS[name]
        judge([build([*compiler(variable), *flags], include, work), PAGE])

    for name in names:
        yield f'{name}: the hashes of the page', lambda name=name: check(name)


def aarch64(include, work):
    def check():
        words = [program('aarch64-linux-gnu-gcc'), *C11, '-O2', '-static', *CALLED, *PLAIN]
        judge([program('qemu-aarch64'), build(words, include, work), PAGE, *FEW])

    yield 'C11 for AArch64: the hashes of the page', check


def contracted(include, work):
    """without the flag all updates have other bits, and those that need no flag do not"""
    def check():
        if ' fma ' not in Path('/proc/cpuinfo').read_text():
            raise Skip('this CPU has no FMA')
        words = [*compiler('CC'), '-x', 'c', '-std=gnu11', '-O2', '-mfma', '-ffp-contract=fast', *CALLED]
        said = run([build(words, include, work), PAGE])[1]
        results = re.findall(r'^(ok|not ok) \d+ - (\w+), (?:single steps|one call|passes)', said, re.MULTILINE)
        same = sorted({name for ok, name in results if ok == 'ok'})
        wanted = sorted(['asked', *[row[1] for row in ROW.findall(PAGE.read_text()) if '_' in row[1]]])
        wanted.remove('gray_scott')
        if same != wanted or 'not ok 1 - compiled for these bits' not in said:
            raise Failure(f'the same are {same}\nwanted       {wanted}')

    yield 'C11 with contraction: what needs the flag differs, and the program says so', check


def sass(include, work):
    def check():
        disassembler = program('nvdisasm')
        source, cubin = work / 'updates.cu', work / 'updates.cubin'
        source.write_text('#include "bits/updates.h"\nint main(void) { return is_shown + steps_done; }\n')
        must([*compiler('NVCC'), '-std=c++17', '-O3', '-arch=sm_90a', '-fmad=false', '-w', '-cubin', f'-I{include}',
              f'-I{HERE.parent}', '-o', cubin, source])
        kernels = re.split(r'^\s*\.section\s+\.text\.', must([disassembler, '-c', cubin]), flags=re.MULTILINE)[1:]
        for name in [*WITHOUT_DIVISION, 'asked']:
            mine = [text for text in kernels if re.match(rf'_Z\d+{name}_(steps_|unaligned_)?kernel', text)]
            fused = [bool(re.search(r'\b[FD]FMA\b', text)) for text in mine]
            if not mine or any(found != (name == 'asked') for found in fused):
                raise Failure(f'{name}: kernels with FMA: {fused}')

    yield 'nvcc for sm_90a: kernels have an FMA where the text asks for it, and no other', check


SCENARIOS = {function.__name__: function for function in (table, first, compilers, aarch64, contracted, sass)}


def write():
    with folder() as work:
        variable, flags = BUILDS['C11']
        made = dict(line.split() for line in must([build([*compiler(variable), *flags], ROOT / 'include', Path(work))])
                    .splitlines())
    PAGE.write_text(ROW.sub(lambda row: row[1] + made[row[2]] + row[4], PAGE.read_text()))


def main():
    if sys.argv[1:] == ['--write']:
        return write()
    options = arguments(__doc__, SCENARIOS, 'SCENARIO', parallel=False)
    with folder() as work:
        report([check for which in options.which for check in SCENARIOS[which](options.include, Path(work))], options)


main()
