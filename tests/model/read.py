"""Reads the kernels of a program of this folder on a GPU by ncu, all in one go, and writes tests/data/readings.csv.

usage: read.py [--commit NAME] [--caches] PROGRAM [FILE]

PROGRAM is probes.cu, plain.cu, blind.cu or large.cu built by nvcc for this GPU. The file has a row for each kernel and
a column for each counter, by the profiler's names; comments above say where it was read. With --caches the counters are
those of L1, L2 and DRAM, and each kernel begins with empty caches.
"""

import argparse
import csv
import datetime
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / 'gpu')]
from counts import NOT_PERMITTED, ncu  # noqa: E402
from harness import ROOT, Failure, Skip, must, program, run  # noqa: E402

READINGS = TESTS / 'data' / 'readings.csv'
COUNTERS = [
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum',
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum',
    'smsp__sass_inst_executed_op_shared_ld.sum',
    'smsp__sass_inst_executed_op_shared_st.sum',
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum',
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum',
    'sm__idc_divergent_instruction_replays.sum',
]
CACHES = [
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum',
    'lts__t_sectors_srcunit_tex_op_read.sum',
    'lts__t_sectors_srcunit_tex_op_write.sum',
    'lts__t_sectors_op_red.sum',
    'dram__sectors_read.sum',
    'dram__sectors_write.sum',
]


def measured(probes, counters):
    """rows of the file, in the order of the probes"""
    names = must([probes]).split()
    status, output = run([ncu(), '--clock-control', 'none', '--cache-control', 'all', '--print-kernel-base', 'function',
                          '--csv', '--page', 'raw', '--metrics', ','.join(counters), probes, 'all'])
    refused = re.search(rf'^==.*({NOT_PERMITTED}).*', output, re.MULTILINE)
    if refused:
        raise Skip('nothing measured: ' + refused.group(0))
    lines = [line for line in output.splitlines() if line.startswith('"')]
    read = {row['Kernel Name']: row for row in csv.DictReader(lines) if row['ID']}
    if status != 0 or set(read) != set(names):
        raise Failure(f'ncu ended with status {status}; kernels missing or unknown: {set(names) ^ set(read)}\n{output}')
    rows = [[name] + [int(read[name][counter].replace(',', '')) for counter in counters] for name in names]
    return rows


def source(commit):
    """the version of the probes"""
    if commit:
        return commit
    changed = must(['git', '-C', ROOT, 'status', '--porcelain', 'tests/model', 'include'])
    return must(['git', '-C', ROOT, 'rev-parse', '--short', 'HEAD']).strip() + (' and changes' if changed else '')


def main():
    parser = argparse.ArgumentParser(description='reads the probes by ncu')
    parser.add_argument('--commit', help='the commit of the probes, where there is no git')
    parser.add_argument('--caches', action='store_true', help='the counters of caches')
    parser.add_argument('probes', type=Path)
    parser.add_argument('file', type=Path, nargs='?', default=READINGS)
    chosen = parser.parse_args()
    commit = source(chosen.commit)
    counters = CACHES if chosen.caches else COUNTERS
    rows = measured(chosen.probes.resolve(), counters)
    nvcc = 'nvcc ' + re.search(r'release ([\d.]+)', must([program('nvcc'), '--version'])).group(1)
    gpu = must([program('nvidia-smi'), '--query-gpu=name,driver_version', '--format=csv,noheader']).splitlines()[0]
    version = re.search(r'^Version (\S+)', must([ncu(), '--version']), re.MULTILINE).group(1)
    about = {'GPU, driver': gpu, 'toolkit': nvcc, 'ncu': version, 'date': datetime.date.today(), 'commit': commit}
    with chosen.file.open('w', encoding='utf-8', newline='') as out:
        out.write(f'# The kernels of tests/model/{chosen.probes.stem}.cu as tests/model/read.py has read them.\n')
        out.writelines(f'# {what}: {value}\n' for what, value in about.items())
        csv.writer(out, lineterminator='\n').writerows([['probe'] + counters] + rows)
    print(f'{chosen.file}: {len(rows)} probes')


if __name__ == '__main__':
    try:
        main()
    except (Failure, Skip) as why:
        sys.exit(f'read.py: {why}')
