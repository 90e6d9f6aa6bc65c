"""./cmk report of plain CUDA: where warps part, what bounds each kernel, and the JSON, each by closed forms.

usage: report.py [GROUP...] [--include DIR] [--only TEXT]
"""

import csv
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / 'run'))
import bounds  # noqa: E402
from harness import ROOT, Failure, Skip, arguments, folder, machine_tools, report  # noqa: E402
from run import Kit  # noqa: E402

NAME = 'branches.cu'
LINES = (Path(__file__).resolve().parent / NAME).read_text().splitlines()

# The mark of a line, the warps that come there and that part, the lanes behind and the visits of which that is the
# mean. By hand: of 4 blocks of 64 threads the last warp has 26 lanes of 32 below 250; of two warps in a loop of as many
# turns as their thread has, one lane leaves a turn; two blocks of 128 add up halves, from 64 to 1 threads. To both
# places behind `past` there are other ways, so that none is behind it alone.
PARTED = [
    ('ends', 8, 1, 250 + 6, 8 + 1),
    ('odd', 8, 8, 250, 16),
    ('turns', 32 + 64, 31 + 31, sum(range(64)), 31 + 63),
    ('halving', 2 * 7 * 4, 2 * 5, 2 * 127, 2 * 8),
    ('first', 2 * 4, 2, 2, 2),
    ('picked', 2, 2, 2 * 32, 2 * 2),
    ('cases', 1, 1, 32, 4),
    ('zero', 1, 1, 32, 2),
    ('past', 1, 1, 0, 0),
    ('some', 1, 1, 1, 1),
]
# SMs, GHz, GB/s, bytes a clock of L2, TFLOP/s
RATES = {'H100': (132, 1.98, 3350, None, 67.0), 'H200': (132, 1.98, 4800, None, 67.0),
         'A100': (108, 1.41, 2039, 5120, 19.5), 'L40S': (142, 2.52, 864, None, 91.6),
         'RTX4090': (128, 2.52, 1008, None, 82.6)}
LAUNCHES = 1 + 199 + 2  # blocks of `columns`


def same(found, wanted, what):
    if found != wanted:
        raise Failure(f'{what}: {found}, not {wanted}')


def line_of(mark):
    return next(number for number, line in enumerate(LINES, 1) if f'MARK {mark} ' in line)


class Reports:
    """the reports of the program, each made once"""

    def __init__(self, work, include):
        self.kit, self.work, self.made = Kit(work, include), Path(work), {}

    def run(self, *words, name=NAME, **variables):
        key = words, name, tuple(variables.items())
        if key not in self.made:
            target = self.work / 'all.json'
            status, text = self.kit.run(name, *words, '--json', str(target), verb='report', **variables)
            if status != 0:
                raise Failure(f'exit status {status}\n{text}')
            build = self.kit.house / 'build'
            self.made[key] = (text, list(csv.DictReader((build / 'report.csv').open())),
                              (build / 'report.html').read_text(), json.loads(target.read_text()))
        return self.made[key]


# ---- Branches

def parts(reports, mark, warps, parted, lanes, visits):
    text, rows, page, everything = reports.run()
    found = [(row['warps'], row['parted'], row['lanes'], row['source']) for row in rows
             if row['record'] == 'branch' and row['line'] == str(line_of(mark))]
    source, number = LINES[line_of(mark) - 1], line_of(mark)
    mean = lanes / visits if visits else None
    same(found, [(str(warps), str(parted), f'{mean:.2f}' if visits else '', source.strip())], 'table')
    told, full = (f'{mean:.1f}', mean / 32) if visits else ('-', 1)
    if not re.search(rf'^ *{number} +{warps} +{parted} +{told}  {re.escape(source.strip())}$', text, re.MULTILINE):
        raise Failure(text)
    if not re.search(rf'>{100 * full:.1f} %</td><td class="bad">{parted} warps part<.*>branch<', page):
        raise Failure('not on the page')
    branches = [branch for kernel in everything['kernels'] for branch in kernel['branches']]
    same([(branch['warps'], branch['parted']) for branch in branches if branch['line'] == number], [(warps, parted)],
         'JSON')


def parts_nowhere_else(reports):
    _, rows, _, _ = reports.run()
    lines = sorted(int(row['line']) for row in rows if row['record'] == 'branch')
    same(lines, sorted(line_of(row[0]) for row in PARTED), 'lines')


def any_order(reports):
    """lanes that come in another order are together as before"""
    wanted = [row for row in reports.run()[1] if row['record'] == 'branch']
    for order in ('reverse', 'shuffle:7'):
        found = [row for row in reports.run(CMK_HOST_ORDER=order)[1] if row['record'] == 'branch']
        same(found, wanted, order)


def branches(reports):
    return ([(f'parts: {row[0]}', lambda row=row: parts(reports, *row)) for row in PARTED] +
            [('parts nowhere else', lambda: parts_nowhere_else(reports)),
             ('parts in any order', lambda: any_order(reports))])


# ---- Bounds

def bounded(reports, word):
    """202 blocks of `columns`, 199 the most of a launch: 32 + 1024 wavefronts, 128 requests, 128 sectors written; the
    model of caches tells how many are read"""
    sms, clock, dram, l2, _ = RATES[word]
    cycle = 1e-9 / clock / sms
    kernels = bounds.of_kernels(reports.run()[1], bounds.card_of(word))
    kernel = next(kernel for kernel in kernels if kernel.kernel['kernel'] == 'columns')
    moved = {column: int(count) for column, count in kernel.kernel.items() if column.startswith(('l2_', 'dram_'))}
    same((moved['l2_written_sectors'], moved['l2_atomic_sectors']), (128 * LAUNCHES, 0), 'written')
    sectors = moved['l2_written_sectors'] + moved['l2_read_sectors']
    wanted = {'shared wavefronts': (32 + 1024) * LAUNCHES * cycle,
              'requests': 4 * 32 * LAUNCHES * cycle, 'replays': 0.0,
              'L2': max(sectors / 2 * cycle, 32e-9 * sectors / l2 / clock if l2 else 0),
              'DRAM': 32e-9 * (moved['dram_read_sectors'] + moved['dram_written_sectors']) / dram, 'operations': None}
    same(list(kernel.seconds), list(wanted), 'resources')
    for name, seconds in wanted.items():
        found = kernel.seconds[name]
        if (found or seconds) and not abs(found - seconds) <= 1e-9 * seconds:
            raise Failure(f'{name}: {found}, not {seconds}')
    longest = max((name for name in wanted if wanted[name]), key=wanted.get)
    same(kernel.bound(), longest, 'what bounds it')


def said_of_card(reports):
    """the text, the page and the JSON are of the card that is named; an H200 where none is"""
    for words, name, time in ((['--card', 'a100'], 'A100', '1.4 us'), ([], 'H200', '816 ns')):
        text, _, page, everything = reports.run(*words)
        said = f'kernel columns: bound by shared wavefronts: {time}; '
        if f'on an {name}, by its specifications:\n' not in text or said not in text or \
                '; operations are not counted\n' not in text:
            raise Failure(text)
        if f'bounds each kernel on an {name}</h2>' not in page or f'<td>{time}</td>' not in page or '<svg' in page:
            raise Failure('not on the page')
        same(everything['card']['name'], name, 'JSON')


def few_blocks(reports):
    """one block is on one SM; a kernel without accesses is bound by nothing"""
    everything = reports.run()[3]
    kernels = {kernel['name']: kernel for kernel in everything['kernels']}
    same(kernels['cases']['seconds']['requests'],
         sum(row['requests'] for row in kernels['cases']['accesses']) * (1e-9 / 1.98), 'one block')
    same((kernels['nothing']['bound_by'], kernels['nothing']['accesses']), (None, []), 'nothing')
    if 'kernel nothing: nothing is counted that takes time\n' not in reports.run()[0]:
        raise Failure(reports.run()[0])


def operations(reports):
    """counted ones are a bound, and a point under the roof: 3 launches of 4 blocks of 64 threads, 2 operations each"""
    text, _, page, everything = reports.run(name=str(ROOT / 'tests' / 'backend' / 'report.cu'))
    kernels = {kernel['name']: kernel for kernel in everything['kernels']}
    found, wanted = kernels['clean']['seconds']['operations'], 3 * 4 * 64 * 2 / (67e12 * 4 / 132)
    if not abs(found - wanted) <= 1e-9 * wanted:
        raise Failure(f'{found}, not {wanted}')
    same(re.findall(r'<circle [^>]*/><text [^>]*>([^<]*)', page), ['clean'], 'points')
    if 'column, planes, stubborn, strided, pair.</p>' not in page:
        raise Failure('the page does not say which kernels have no point')


def times(reports):
    return ([(f'bounds on {word}', lambda word=word: bounded(reports, word)) for word in RATES] +
            [('bounds of a card that is named', lambda: said_of_card(reports)),
             ('bounds of few blocks', lambda: few_blocks(reports)),
             ('bounds by operations', lambda: operations(reports))])


# ---- JSON

def holds_table(reports):
    """every value of the table is in the JSON, under its column's name, but for two that only run/machine.py reads"""
    _, rows, _, everything = reports.run()
    texts = [{**{name: kernel[name] for name in kernel if name not in ('seconds', 'accesses', 'branches', 'bound_by')},
              'record': 'kernel', 'kernel': kernel['name']} for kernel in everything['kernels']]
    texts += [{**row, 'record': record, 'kernel': kernel['name']} for kernel in everything['kernels']
              for record, key in (('access', 'accesses'), ('branch', 'branches')) for row in kernel[key]]
    if not any(row['forms'] for row in rows):
        raise Failure('no access has forms')
    for row in rows:
        told = {name: text for name, text in row.items() if text and name not in ('symbol', 'loop')}
        if not any(all(alike(one.get(name), text) for name, text in told.items()) for one in texts):
            raise Failure(f'not in the JSON: {told}')


def alike(value, text):
    if isinstance(value, list):
        return 'x'.join(map(str, value)) == text
    if isinstance(value, dict):  # the forms of an access
        return ''.join(f'{name} {form["requests"]} {form["cost"]};' for name, form in value.items()) == text
    return value == text if isinstance(value, str) else value is not None and float(text) == value


def odd_names(reports):
    """names with quotes, and a kernel that is a template"""
    name = 'qu"o\'te.cu'
    (reports.work / name).write_text('template <class T> __global__ void one(T *x) { x[threadIdx.x] = "\\t"[0]; }\n'
                                     'int main() { int *x; cudaMalloc(&x, 128); one<int><<<1, 32>>>(x); return 0; }\n')
    kernel, = reports.run(name=str(reports.work / name))[3]['kernels']
    same((kernel['name'], Path(kernel['accesses'][0]['file']).name), ('one<int>', name), 'names')


def refused(reports):
    cases = [
        (['--card', 'GTX'], r"cmk: report: --card: 'GTX' is no card; there are H100, H200, A100, L40S, RTX4090"),
        (['--card'], r'cmk: report: --card needs a word behind it'),
        (['--json', '/no/such.json'], r'cmk: report: --json: /no/such.json cannot be written'),
        (['--json', str(reports.work)], rf'cmk: report: --json: {re.escape(str(reports.work))} cannot be written'),
        (['--json', '/dev/full'], r'cmk: report: --json: /dev/full cannot be written: No space left on device'),
    ]
    for words, said in cases:
        status, output = reports.kit.run(NAME, *words, verb='report')
        if status != 1 or not re.fullmatch(said, output.splitlines()[-1]):
            raise Failure(f'{words}: exit status {status}\n{output}')
    status, output = reports.kit.run(NAME, '--card', 'H100')
    if status != 1 or 'run: --card: no such option' not in output:
        raise Failure(output)


def shapes(reports):
    return [('JSON: the whole table', lambda: holds_table(reports)), ('JSON: odd names', lambda: odd_names(reports)),
            ('words that are refused', lambda: refused(reports))]


# ---- What nvcc makes of it
def moved(reports, kernel, mark, requests):
    """an access is counted as often as the machine code makes it, by the instance of its kernel"""
    folders = machine_tools()
    if not folders:
        raise Skip('nvcc or nvdisasm is not there')
    path = os.pathsep.join([*folders, os.environ['PATH']])
    rows = reports.run(name='moved.cu', PATH=path)[1]
    lines = (Path(__file__).resolve().parent / 'moved.cu').read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if f'MARK {mark}' in text)
    row, = (row for row in rows if (row['record'], row['kernel'], row['line']) == ('access', kernel, str(line)))
    same((row['requests'], row['machine_requests']), ('20', requests), f'requests of {kernel}')


def machines(reports):
    cases = [('a store that leaves its loop', 'keep<false>', 'store', '1'),
             ('a store of another instance, which stays', 'keep<true>', 'store', '20'),
             ('a load that leaves its loop', 'scale', 'load', '1')]
    return [(what, lambda kernel=kernel, mark=mark, requests=requests: moved(reports, kernel, mark, requests))
            for what, kernel, mark, requests in cases]


GROUPS = {'branches': branches, 'bounds': times, 'json': shapes, 'machine': machines}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as work:
        reports = Reports(work, options.include)
        report([check for name in options.which for check in GROUPS[name](reports)], options)


if __name__ == '__main__':
    main()
