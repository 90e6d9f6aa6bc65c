"""Exchanges and reductions of 4 ranks by MPI, built by mpicc and run by mpirun; skipped where they are not.

usage: mpi.py exchanges [COUNT] | reductions | refused  [--late] [--patience SECONDS] [--include DIR]

--late: streams run late, in an order that is drawn
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import C11, ROOT, WARNINGS, Failure, Skip, folder, must, program, report, run  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCES = {'exchanges': 'mpi', 'reductions': 'mpi_reduce', 'refused': 'mpi_refused'}
PLAN = 'the ranks do not have the same fields: sizes, reach, pitches or places'
SAID = {  # what each rank says of a case, in any order; None: the rank says nothing
    'unlike': [f'connect: rank {rank}: {PLAN}' for rank in range(4)],
    'size': ['connect: rank 1: the grid has 3 ranks, the communicator 4, and calls this one 1',
             *[f'connect: rank {rank}: another rank cannot connect, and says why' for rank in (0, 2, 3)]],
    'large': [f'connect: rank {rank}: a message of 4294967296 bytes to rank {peer}: MPI takes 2147483647 at most; '
              'split more axes' for rank, peer in enumerate((1, 0, 1, 0))],
    'absent': [f'connect: rank {rank}: MPI_Iallreduce: not all ranks have come within 1 s' for rank in (0, 2, 3)],
    'late': ['connect: no error', 'end: no error',
             *[f'end: rank {rank}: an exchange has not ended within 1 s; receives 256 bytes from rank 1'
               for rank in (0, 2)]],
    'reduce': [*['connect: no error'] * 4, 'reduce: no error',
               *[f'reduce: rank {rank}: MPI_Iallreduce: not all ranks have come within 1 s' for rank in (0, 2, 3)]],
}


def built(source, include, patience, work):
    path = Path(work) / source
    called = ['-Dalways_inline=unused'] if source == 'mpi_reduce' else []  # the engines' functions
    must([program('mpicc'), *C11, '-O1', *called, *[word for word in WARNINGS if word != '-Wpedantic'], f'-I{include}',
          f'-I{ROOT / "tests"}', f'-DCMK_HALO_PATIENCE={patience}', HERE / f'{source}.cu', '-o', path, '-lm',
          '-lpthread'])
    return path


def mpirun(path, *words, **variables):
    """4 ranks, however few cores there are, as any user"""
    allowed = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
               'OMPI_MCA_rmaps_base_oversubscribe': '1', 'PRTE_MCA_rmaps_default_mapping_policy': ':oversubscribe'}
    return run([program('mpirun'), '-n', '4', path, *words], **allowed, **variables)


def check_refused(path, case):
    status, output = mpirun(path, case)
    said = [line for line in output.splitlines() if line.startswith(('connect: ', 'end: ', 'reduce: '))]
    crashed = case == 'reduce' and status != 0  # what was left of a reduction is still used; other cases may abort
    if sorted(said) != sorted(SAID[case]) or crashed:
        raise Failure(f'exit status {status}\nexpected: {SAID[case]}\n{output}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', choices=SOURCES)
    parser.add_argument('count', nargs='?', default='200')
    parser.add_argument('--late', action='store_true')
    parser.add_argument('--patience', type=int, default=60)
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    options = parser.parse_args()
    with folder() as work:
        try:
            program('mpirun')
            path = built(SOURCES[options.which], options.include, options.patience, work)
        except Skip as why:
            print(f'1..0 # SKIP {why}')
            return
        if options.which == 'refused':
            report([(f'4 ranks, {case}: one sentence each', lambda case=case: check_refused(path, case))
                    for case in SAID])
            return
        status, output = mpirun(path, options.count, **({'CMK_HOST_STREAMS': 'shuffle'} if options.late else {}))
    print(output)
    if '1..' not in output:
        print(f'not ok - ran to its end: exit status {status}')


main()
