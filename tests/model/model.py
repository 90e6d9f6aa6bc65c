"""What the CPU backend counts of the probes, against the readings of a GPU: each counter of each probe is exact.

usage: model.py PROBES [READINGS]

PROBES is probes.cu built by the CPU backend with CMK_COUNT. UNSEEN names what the model cannot know, and why: there
each counter that is named still differs, and all others are exact.
"""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, must, report  # noqa: E402

READINGS = Path(__file__).resolve().parent.parent / 'data' / 'readings.csv'
SHORT = {
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 'shared load wavefronts',
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 'shared store wavefronts',
    'smsp__sass_inst_executed_op_shared_ld.sum': 'shared load requests',
    'smsp__sass_inst_executed_op_shared_st.sum': 'shared store requests',
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 'global load requests',
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 'global store requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 'global load sectors',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 'global store sectors',
    'sm__idc_divergent_instruction_replays.sum': 'constant replays',
}
LOADS, STORES = 'shared load wavefronts', 'shared store wavefronts'
LOADS_ASKED, STORES_ASKED = 'shared load requests', 'shared store requests'
READS, READ_SECTORS = 'global load requests', 'global load sectors'
WRITES, WRITTEN_SECTORS = 'global store requests', 'global store sectors'

WIDENED = 'the compiler knows how the tile is aligned and moves wider words than those of the type'
SUNK = 'the compiler computes one of two addresses and makes one access of two'
SKIPPED = 'a lane that skips a turn of a loop that has no name comes to the access with the next turn of the others'
UNSEEN = {  # probe: the counters that differ, why
    'load_4_and_4': ([LOADS, STORES, LOADS_ASKED, STORES_ASKED], WIDENED),
    'widened': ([LOADS, LOADS_ASKED], WIDENED),
    'read_twice': ([LOADS, LOADS_ASKED], 'the compiler reads once'),
    'not_needed': ([READS, READ_SECTORS], 'the compiler removes a load whose value is not needed'),
    'either_on_a_line': ([LOADS_ASKED], SUNK),
    'either_store': ([WRITES], SUNK),
    'plain_accesses': ([LOADS, STORES, LOADS_ASKED, STORES_ASKED, READS, WRITES, READ_SECTORS, WRITTEN_SECTORS],
                       'plain pointers and arrays'),
    'fill_async': ([READS, READ_SECTORS], 'cp.async'),
    'literal_one': ([READS, READ_SECTORS], 'a LITERAL table whose index is not a constant lies in device memory'),
    'literal_8': ([READS, READ_SECTORS, 'constant replays'],
                  'a LITERAL table whose index is not a constant lies in device memory'),
    'skipped_turns': ([LOADS, LOADS_ASKED], SKIPPED),
}


def table(lines):
    """by probe: its counts by counter, which are named as in SHORT"""
    rows = list(csv.DictReader(line for line in lines if not line.startswith('#')))
    return {row['probe']: {SHORT[name]: int(row[name]) for name in SHORT} for row in rows}


def compare(name, predicted, read, unseen):
    differing, why = unseen.get(name, ([], ''))
    wrong = [f'{name}: {counter}: predicted {predicted[counter]}, read {read[counter]}'
             for counter in read if counter not in differing and predicted[counter] != read[counter]]
    wrong += [f'{name}: {counter}: {read[counter]} is exact, but listed as unseen: {why}'
              for counter in differing if predicted[counter] == read[counter]]
    if wrong:
        raise Failure('\n'.join(wrong))


def same_kernels(predicted, read, unseen, least):
    others = set(predicted) ^ set(read) | set(unseen) - set(read)
    if others or len(read) < least:
        raise Failure(f'{len(read)} readings; only predicted, read or listed: {" ".join(sorted(others))}')


def checks(predicted, read, unseen, least):
    """that both have the same kernels, at least so many; and each kernel"""
    return ([('the readings are of these kernels', lambda: same_kernels(predicted, read, unseen, least))] +
            [(name + (': all but ' + ', '.join(unseen[name][0]) if name in unseen else ''),
              lambda name=name: compare(name, predicted[name], read[name], unseen))
             for name in predicted if name in read])


def main(probes, readings=READINGS):
    predicted = table(must([probes, 'all']).splitlines())
    report(checks(predicted, table(Path(readings).read_text(encoding='utf-8').splitlines()), UNSEEN, 80))


if __name__ == '__main__':
    main(*sys.argv[1:])
