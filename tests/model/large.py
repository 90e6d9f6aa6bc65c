"""What L2 and DRAM move for the kernels of large.cu, as ./cmk report has it, against the readings of a GPU.

usage: large.py [KERNEL] [--include DIR] [--only TEXT]

A counter is like the reading where it is within 15 % of it, or within 8192 sectors (256 KB, half a percent of the L2).
UNLIKE names those that are not, and why: there the counter still differs. Atomics are left out: the counter of L2 has
one and a half times the sectors that the SMs send.
"""

import csv
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / 'run'), str(TESTS.parent / 'run')]
from harness import Failure, arguments, folder, report  # noqa: E402
from run import Kit  # noqa: E402
import records  # noqa: E402

SHARE, NOISE = 0.15, 8192
L2_READ, L2_WRITTEN, DRAM_READ, DRAM_WRITTEN = 'read from L2', 'written to L2', 'read from DRAM', 'written to DRAM'
COLUMNS = {  # counter: its column of the report, its name in the readings
    L2_READ: ('l2_read_sectors', 'lts__t_sectors_srcunit_tex_op_read.sum'),
    L2_WRITTEN: ('l2_written_sectors', 'lts__t_sectors_srcunit_tex_op_write.sum'),
    DRAM_READ: ('dram_read_sectors', 'dram__sectors_read.sum'),
    DRAM_WRITTEN: ('dram_written_sectors', 'dram__sectors_write.sum'),
}
JOINED = 'several SMs miss the same sectors at a time, and L2 is asked fewer times than L1s miss'
EARLY = 'beside many reads or rewrites L2 writes lines back sooner, by a rule that is not known'
UNLIKE = {  # of a kernel, by counter, why
    'copy': {DRAM_WRITTEN: EARLY},
    'copy_strided': {DRAM_WRITTEN: EARLY},
    'transpose_naive': {DRAM_WRITTEN: EARLY},
    'passes_100_mb': {DRAM_WRITTEN: EARLY},
    'matmul_naive': {L2_READ: JOINED},
    'matmul_tiled': {L2_READ: JOINED},
}


def measured():
    """by kernel: its readings"""
    lines = (TESTS / 'data' / 'large.csv').read_text(encoding='utf-8').splitlines()
    return {row['probe']: row for row in csv.DictReader(line for line in lines if not line.startswith('#'))}


def like(modelled, read):
    return abs(modelled - read) <= max(SHARE * read, NOISE)


def compare(row, reading):
    unlike, wrong = UNLIKE.get(row['kernel'], {}), []
    for counter, (column, name) in COLUMNS.items():
        modelled, read = int(row[column]), int(reading[name])
        if like(modelled, read) == (counter in unlike):
            why = unlike.get(counter, 'not listed as unlike')
            wrong.append(f'{counter}: {modelled} sectors, and a GPU {read}: {why}')
    if wrong:
        raise Failure('\n'.join(wrong))


def same_kernels(rows, readings):
    others = {row['kernel'] for row in rows} ^ set(readings) | set(UNLIKE) - set(readings)
    if others or len(readings) < 20:
        raise Failure(f'{len(readings)} readings; only modelled, read or listed: {" ".join(sorted(others))}')


def ends_well(status, output):
    if status != 0:
        raise Failure(f'exit status {status}\n{output}')


def main():
    readings = measured()
    options = arguments(__doc__, readings, 'KERNEL', parallel=False)
    which = options.which[0] if len(options.which) == 1 else 'all'
    with folder() as work:
        kit = Kit(work, options.include)
        ends_well(*kit.run('large.cu', '--', which, verb='report', cwd=Path(__file__).parent))
        rows = [row for row in records.read(kit.house / 'build' / 'report.csv') if row['record'] == 'kernel']
    checks = [(row['kernel'] + ''.join(f', all but {counter}' for counter in UNLIKE.get(row['kernel'], {})),
               lambda row=row: compare(row, readings[row['kernel']])) for row in rows if row['kernel'] in readings]
    if which == 'all':
        checks.append(('the readings are of these kernels', lambda: same_kernels(rows, readings)))
    report(checks, options)


if __name__ == '__main__':
    main()
