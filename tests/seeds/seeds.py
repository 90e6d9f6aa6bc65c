"""The tutorials whose kernels the examples rebuild: what their texts print is cut out, run by ./cmk run, and judged.

usage: seeds.py [GROUP...] [--include DIR] [--only TEXT]

CMK_SEEDS of the environment, or ../shared/reference beside the checkout, is the folder of the texts 000_*.txt to
004_*.txt. No text is part of this repository: without the folder all is skipped.

programs: whole programs run as they are printed, but for MENDS, and print what the text says that they print
kernels: the programs of this folder include what is cut out, and judge it by closed forms and by sums in double; the
report counts what the text has read by a profiler
mends: without its mend a text does not compile
loads: nvcc reads coefficients as the text says, in PTX
figures: what a page quotes of a text stands in it
"""

import os
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / 'run'), str(TESTS / 'model')]
from harness import ROOT, Failure, Skip, arguments, compiler, folder, must, report  # noqa: E402
import model  # noqa: E402
from plain import counted  # noqa: E402
from run import Kit  # noqa: E402

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get('CMK_SEEDS') or ROOT.parent / 'shared' / 'reference')

# name of the file that is written; the text; for each listing in it words that no other listing of the text has, or
# the first of those that have them
PARTS = {
    'stencil.cu': ('000', ['common/common.h']),
    'config.cu': ('001', ['printSharedMemConfig']),
    'square.cu': ('001', ['DIM_X 32']),
    'small.cu': ('001', ['DIM_X 4']),
    'layouts.cuh': ('001', ['DIM_X 32', 'setRowReadCol(', 'setRowReadColDyn(int * out)', 'setRowReadColPad(int * out)',
                            'setRowReadColDynPad(int * out)', 'setRowReadColRect(int * out)',
                            'setRowReadColRectPad(int * out)', 'setRowReadColRectDyn(int * out)']),
    'barrier.cuh': ('001', ['threadID % 2']),
    'filter.cuh': ('002', ['FILTER_RADIUS 2']),
    'elsewhere.cuh': ('002', ['FILTER_RADIUS 2']),
    'convolve.cuh': ('002', ['__global__']),
    'loop.cuh': ('003', ['KERNEL_LOOP 65536']),
    'literal.cuh': ('003', ['const_test_gpu_literal(']),
    'scalars.cuh': ('003', ['static const u32 const_data_01', 'static const u32 const_data_02',
                            'static const u32 const_data_03', 'static const u32 const_data_04', 'd = const_data_01']),
    'global.cuh': ('003', ['static u32 data_01', 'd ^= data_01']),
    'array.cuh': ('003', ['const_data[4]', 'd = const_data[0]']),
    'updated.cuh': ('003', ['d = const_data_gpu', 'd = gmem_data_gpu']),
    'sums.cu': ('004', ['measure_performance(std::function']),
    'launched_once.cu': ('004', ['measure_performance(std::function']),
}

# what does not compile as printed: the file, the words, what replaces them, why
MENDS = [
    ('stencil.cu', 'HostToDevice);)', 'HostToDevice));', 'the semicolon stands inside the brackets of a macro'),
]

# what the same words become for another purpose: the file, the words, what replaces them, why
CHANGES = [
    ('launched_once.cu', 'num_warmups{100U};', 'num_warmups{0U};', '4 launches of 12,800,000 sums, and not 402'),
    ('launched_once.cu', 'num_repeats{100U};', 'num_repeats{1U};', 'the same'),
    ('elsewhere.cuh', '__constant__ float', 'extern __constant__ float', 'as the text says of a filter that is in '
     'another file'),
]

PATTERNS = ['one_access_per_block', 'one_access_per_warp', 'one_access_per_thread', 'pseudo_random']


def listings(text):
    """What a text prints as code: behind lines of the numbers 1, 2 ... N the next N lines; between fences; and where
    it has neither, from a line that only code begins with to an empty line, or to the brace of a function."""
    found, lines, at = [], text.split('\n'), 0
    while at < len(lines):
        count = 0
        while at + count < len(lines) and lines[at + count].strip() == str(count + 1):
            count += 1
        end = at + 2 * count
        if count:
            at += count
        elif lines[at].startswith('```'):
            at += 1
            end = next((line for line in range(at, len(lines)) if lines[line].startswith('```')), len(lines))
        elif re.match(r'#define |__global__ ', lines[at]):
            end = next((line for line in range(at, len(lines)) if lines[line] in ('', '}')), len(lines)) + 1
        found += ['\n'.join(lines[at:end]) + '\n'] * (end > at)
        at = max(end, at) + 1 - bool(count)
    return found


def text_of(number):
    """the text of a number"""
    if not FOLDER.is_dir():
        raise Skip(f'no texts: {FOLDER} is not there, and CMK_SEEDS names no other folder')
    paths = sorted(FOLDER.glob(f'{number}_*.txt'))
    if len(paths) != 1:
        raise Failure(f'{FOLDER}: {len(paths)} texts {number}_*.txt, not 1')
    return paths[0].read_text(encoding='utf-8')


def listing(number, words):
    found = next((found for found in listings(text_of(number)) if words in found), None)
    if found is None:
        raise Failure(f'text {number}: no listing has: {words}')
    return found


def changed(text, rows):
    for name, words, instead, _ in rows:
        if text.count(words) != 1:
            raise Failure(f'{name}: {text.count(words)} places have {words}, not 1')
        text = text.replace(words, instead)
    return text


def cut(place, mended=True):
    """writes all files of PARTS into a folder, and the header that text 000 includes and does not show"""
    for path in (place / 'chapter', place / 'common'):
        path.mkdir(parents=True)
    (place / 'common' / 'common.h').write_text((TESTS / 'run' / 'check.h').read_text())
    for name, (number, words) in PARTS.items():
        text = ''.join(listing(number, word) for word in words)
        rows = MENDS * mended + CHANGES
        (place / 'chapter' / name).write_text(changed(text, [row for row in rows if row[0] == name]))


class Seeds:
    def __init__(self, work, include):
        self.kit, self.work, self.places = Kit(work, include), Path(work), 0

    def place(self, mended=True):
        """a new folder of what is cut out"""
        self.places += 1
        place = self.work / f'cut{self.places}'
        cut(place, mended)
        return place / 'chapter'

    def run(self, *words, mended=True):
        """status and output of ./cmk run for a program of a text"""
        return self.kit.run(*words, cwd=self.place(mended))

    def judge(self, *words):
        """the same for a program of this folder, which includes what is cut out"""
        return self.kit.run('-I', TESTS / 'run', '-I', self.place(), *words, cwd=HERE)


def right(result, *lines):
    """status 0, nothing said by cmk, and of the output these lines, each a regular expression"""
    status, output = result
    printed = [line.strip() for line in output.splitlines() if line.strip()]
    good = len(printed) == len(lines) and all(map(re.fullmatch, lines, printed))
    if status != 0 or not good:
        wanted = '\n'.join(lines)
        raise Failure(f'exit status {status}, not 0\n{output}\nwanted, as regular expressions:\n{wanted}')


def printed(number, words):
    """the lines of a listing of output, as regular expressions"""
    return [re.escape(line.strip()) for line in listing(number, words).splitlines()]


def the_four_outputs(seeds):
    """as the text prints them, and as they must be: two identities, two transposes"""
    rows = ' '.join(map(str, range(16)))
    columns = ' '.join(str(at % 4 * 4 + at // 4) for at in range(16))
    wanted = [f'setRowReadRow: {rows}', f'setColReadCol: {rows}', f'setRowReadCol: {columns}',
              f'setColReadRow: {columns}']
    if printed('001', 'setRowReadRow: 0') != list(map(re.escape, wanted)):
        raise Failure('the text prints other outputs')
    right(seeds.run('small.cu'), '1', *map(re.escape, wanted))


def a_derivative(seeds):
    """2^24 points, each compared by the program: it says nothing where all agree"""
    run = re.search(r'array size: (\d+) \(grid, block\) (\d+,\d+)', listing('000', 'nvprof'))
    if not run or run.groups() != (str(2**24), f'{2**24 // 32},32'):
        raise Failure('the text prints another size')
    right(seeds.run('stencil.cu'), fr'.* starting transpose at device 0: .* array size: {run[1]} .*{run[2]}')


def latencies(seeds, program, pattern, sums):
    """all sums of a pattern by both memories, compared by the program, which then prints two latencies"""
    listing('004', f'{pattern} 1024 {sums}')
    right(seeds.run(program, '--', pattern, '1024', sums),
          r'Latency for Add using constant memory: [\d.e+-]+ ms', r'Latency for Add using global memory: [\d.e+-]+ ms')


def programs(seeds):
    bank = 'Shared memory config: Bank size of 4 bytes'  # before and after 8 are asked for, as on the text's own card
    return ([('001, 4 x 4 outputs', lambda: the_four_outputs(seeds)),
             ('001, 32 x 32', lambda: right(seeds.run('square.cu'), '1')),
             ('001, widths of banks', lambda: right(seeds.run('config.cu'), bank, bank)),
             ('000, arrays match', lambda: a_derivative(seeds))] +
            [(f'004, {pattern}, {sums} sums', lambda row=(program, pattern, sums): latencies(seeds, *row))
             for program, sums in (('sums.cu', '128000'), ('launched_once.cu', '12800000')) for pattern in PATTERNS])


def a_barrier_under_if(seeds):
    """the text says that the kernel hangs: the backend names both barriers"""
    status, output = seeds.judge('layouts.cu', '--', 'barrier')
    if status == 0 or not re.search(r'kernel diverges, .* thread \(1,0,0\): .*barrier.cuh:4: divergent barrier: .* '
                                    'at the __syncthreads of .*barrier.cuh:2$', output, re.MULTILINE):
        raise Failure(f'exit status {status}\n{output}')


# what is judged: the files of a program of this folder, and further words
JUDGES = [
    ('000, a derivative by two kernels', ['derivative.cu']),
    ('001, eleven layouts', ['layouts.cu']),
    ('002, a filter in constant memory', ['convolution.cu']),
    ('002, the filter in another file', ['convolution.cu', 'apart.cu', '-D', 'APART']),
    ('003, six kernels', ['constants.cu']),
    ('004, all sums of four patterns', ['patterns.cu']),
]


def kernels(seeds):
    return ([(name, lambda words=words: right(seeds.judge(*words), 'right')) for name, words in JUDGES] +
            [('001, a barrier under if', lambda: a_barrier_under_if(seeds)),
             ('001, 22 counters', lambda: counters(seeds))])


def is_needed(seeds, name):
    status, output = seeds.run(name, mended=False)
    if status != 1 or f'{name} does not compile' not in output:
        raise Failure(f'exit status {status}\n{output}')


def counters(seeds):
    """of text 001 all loads and stores that the profiler has read, by the report of the same kernels"""
    rows = re.findall(r'^(\w+)\(int ?\*\)\s+\w+_op_ld\.sum (\d+)\s+\w+_op_st\.sum (\d+)$', text_of('001'),
                      re.MULTILINE)
    place = seeds.place()
    status, output = seeds.kit.run('-I', TESTS / 'run', '-I', place, 'layouts.cu', verb='report', cwd=HERE)
    counts = counted(seeds.kit.house / 'build' / 'report.csv') if status == 0 else {}
    found = [(name, str(counts[name][model.LOADS]), str(counts[name][model.STORES]))
             for name, _, _ in rows if name in counts]
    if len(rows) != 11 or found != rows:
        raise Failure(f'exit status {status}\n{output}\nthe text:   {rows}\nthe report: {found}')


def mends(seeds):
    return [(f'{name}: {why}', lambda name=name: is_needed(seeds, name)) for name, _, _, why in MENDS]


# the file that is compiled, words of the symbol of a kernel in it, what PTX calls its loads of coefficients, how many
# there are: constants that are no array become literals
LOADS = [
    ('stencil.cu', '_Z10stencil_1d', 'const.f32', 4),
    ('stencil.cu', '_Z20stencil_1d_read_only', 'global.nc.f32', 4),
    (HERE / 'constants.cu', 'const_test_gpu_literal', '', 0),
    (HERE / 'constants.cu', 'in_scalars', '', 0),
    (HERE / 'constants.cu', 'in_global_memory', 'global.u32', 4),
]
SAMPLE = 'global.f32'


def loads_are(seeds, source, kernel, name, count):
    place = seeds.place()
    words = ['-std=c++17', '-arch=sm_80', '-ptx', '-o', 'seed.ptx', '-I', place, '-I', TESTS / 'run', source]
    must(compiler('NVCC') + words, cwd=place)
    entries = [entry for entry in (place / 'seed.ptx').read_text().split('.entry ')[1:]
               if kernel in entry.split('(')[0]]
    if len(entries) != 1:
        raise Failure(f'{len(entries)} kernels {kernel}, not 1')
    found = [load for load in re.findall(r'\bld\.((?:const|global)\S*)', entries[0]) if load != SAMPLE]
    if found != [name] * count:
        raise Failure(f'{kernel} has the loads {found}, not {count} of {name}')


def loads(seeds):
    return [(f'{Path(row[0]).name}: {row[1]}', lambda row=row: loads_are(seeds, *row)) for row in LOADS]


# page or example, text, what stands in both: in the page it may be rounded
FIGURES = [
    ('examples/const_access.cu', '004', '0.151798 0.171404 0.164012 0.189501 0.281967 0.164649 1.2925 0.159621 '
     '0.00289792 0.00323584 0.00315392 0.00359392 0.00596992 0.00383264 0.0215347 0.00482304'),
    ('docs/coefficients.md', '004', '0.15180 0.17140 0.16401 0.18950 0.28197 0.16465 1.29250 0.15962 10 % 70 % 800 %'),
    ('docs/coefficients.md', '000', '3.0644 2.5796 48 KB'),
    ('docs/coefficients.md', '002', '343'),
    ('docs/coefficients.md', '003', '541.37 542.68 541.20 543.55 1565.49 1567.78 69.55 69.73 53.54 54.86 53.69 55.07'),
    ('docs/examples.md', '002', '0.25 0.50'),
]


def are_quoted(page, number, figures):
    quoted = (ROOT / page).read_text(encoding='utf-8')
    found = re.findall(r'\d+(?:\.\d+)?', text_of(number))
    for figure in re.findall(r'\d+(?:\.\d+)?', figures):
        digits = Decimal(1).scaleb(-len(figure.partition('.')[2]))
        if not any(Decimal(one).quantize(digits, ROUND_HALF_UP) == Decimal(figure) for one in found):
            raise Failure(f'not in text {number}: {figure}')
        if not re.search(rf'(?<![\d.]){re.escape(figure)}(?![\d])', quoted):
            raise Failure(f'not in {page}: {figure}')


def figures(_):
    return [(f'{number}, figures of {page}', lambda row=(page, number, figures): are_quoted(*row))
            for page, number, figures in FIGURES]


GROUPS = {'programs': programs, 'kernels': kernels, 'mends': mends, 'loads': loads, 'figures': figures}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as work:
        seeds = Seeds(work, options.include)
        report([check for name in options.which for check in GROUPS[name](seeds)], options)


if __name__ == '__main__':
    main()
