"""What ./cmk report counts of plain CUDA, against the readings of a GPU: each counter of each kernel is exact.

usage: plain.py [PROGRAM ...] [--include DIR] [--only TEXT]

plain.cu has a kernel for each rule of the counting; blind.cu was written by one who had not seen how it counts. UNSEEN
names what nvcc makes of a kernel that its source does not say: there each counter that is named still differs, and all
others are exact.
"""

import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / 'run'), str(TESTS.parent / 'run')]
from harness import Failure, Skip, arguments, folder, machine_tools, report  # noqa: E402
from model import (LOADS, LOADS_ASKED, READ_SECTORS, READS, SHORT, STORES, STORES_ASKED, SUNK,  # noqa: E402
                   WIDENED, WRITES, WRITTEN_SECTORS, checks, table)
from run import Kit  # noqa: E402
import records  # noqa: E402

UNROLLED = 'nvcc makes four turns of the loop one, and lanes with other numbers of turns part'
MOVED = 'nvcc moves what does not change out of the loop'
UNSEEN = {  # program: of a kernel the counters that differ, why
    'plain': {
        'global_pairs_of_doubles': ([READS, WRITES, READ_SECTORS, WRITTEN_SECTORS],
                                    'gcc does not tell that a struct of 16 bytes is aligned to 8'),
        'loop_lengths': ([READS, READ_SECTORS], UNROLLED),
        'loop_nest': ([READS, READ_SECTORS], UNROLLED),
        'call_twice': ([READS, READ_SECTORS], UNROLLED),
        'store_leaves': ([WRITES, WRITTEN_SECTORS], MOVED),
        'load_leaves': ([READS, READ_SECTORS], MOVED),
    },
    'blind': {
        'spmv_scalar': ([READS, READ_SECTORS], UNROLLED),
        'spmv_vector': ([READS, READ_SECTORS], UNROLLED),
        'matmul_tiled16': ([LOADS, LOADS_ASKED], WIDENED),
        'matmul_tiled32': ([LOADS, LOADS_ASKED], WIDENED),
        'scan_blelloch': ([LOADS, STORES, LOADS_ASKED, STORES_ASKED], WIDENED),
        'struct_tile': ([LOADS, STORES, LOADS_ASKED, STORES_ASKED], WIDENED),
        'switch_cases': ([LOADS, LOADS_ASKED], SUNK),
    },
}
SUNKEN = {'plain': {}, 'blind': {'switch_cases': UNSEEN['blind']['switch_cases']}}  # of the machine code, the same
COLUMNS = {  # kind of an access: what its requests and its cost are called, and the column of the cost
    'shared load': (LOADS_ASKED, LOADS, 'wavefronts'),
    'shared store': (STORES_ASKED, STORES, 'wavefronts'),
    'global load': (READS, READ_SECTORS, 'sectors'),
    'global store': (WRITES, WRITTEN_SECTORS, 'sectors'),
    'constant load': (None, 'constant replays', 'replays'),
}


def counted(rows, machine):
    """by kernel of a report: its counts by counter; where machine is true, those of the machine code"""
    counts = {}
    for row in rows:
        own = counts.setdefault(row['kernel'], dict.fromkeys(SHORT.values(), 0))
        if row['record'] == 'access' and row['kind'] in COLUMNS:
            requests, cost, column = COLUMNS[row['kind']]
            known = machine and row['machine_requests'] != ''
            own[cost] += int(row['machine_cost' if known else column])
            if requests:
                own[requests] += int(row['machine_requests' if known else 'requests'])
    return counts


def ends_well(status, output):
    if status != 0:
        raise Failure(f'exit status {status}\n{output}')


def names_cause(output, kernel):
    """the report says of the kernel what nvcc makes of it"""
    if not machine_tools():
        raise Skip('nvcc or nvdisasm is not there')
    if not re.search(rf'^  kernel {kernel}: \d+ registers a thread, .*\n    \S.*(joined|unrolled|known|left)', output,
                     re.MULTILINE):
        raise Failure(output[output.find('what nvcc makes'):])


def judged(kit, name):
    path = os.pathsep.join(machine_tools() + [os.environ['PATH']])
    result = kit.run(f'{name}.cu', '--', 'all', verb='report', cwd=Path(__file__).parent, PATH=path)
    ends = [(f'{name} is reported', lambda: ends_well(*result))]
    if result[0] != 0:
        return ends
    read = table((TESTS / 'data' / f'{name}.csv').read_text(encoding='utf-8').splitlines())
    rows = records.read(kit.house / 'build' / 'report.csv')
    judges = [(f'{name}, {check}', judge) for check, judge in checks(counted(rows, False), read, UNSEEN[name], 30)]
    if machine_tools():
        judges += [(f'{name}, {check}, as nvcc makes it', judge)
                   for check, judge in checks(counted(rows, True), read, SUNKEN[name], 30)]
    return (ends + judges + [(f'{name}, why {kernel} differs', lambda kernel=kernel: names_cause(result[1], kernel))
             for kernel in UNSEEN[name]])


def main():
    options = arguments(__doc__, UNSEEN, 'PROGRAM', parallel=False)
    with folder() as work:
        kit = Kit(work, options.include)
        report([check for name in options.which for check in judged(kit, name)], options)


if __name__ == '__main__':
    main()
