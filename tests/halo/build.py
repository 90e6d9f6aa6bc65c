"""Builds a program of this folder on given headers, by cc for the CPU, and runs it: for defects planted in them.

usage: build.py grid|plans|fields|limits|waits|peer|late|run|nccl|registered|put|mpi|convolve|reduce|reduce_nccl|
                until|until_nccl|mpi_reduce --include DIR

late: peer on several devices, whose streams run late, in drawn orders; nccl, registered, put: by the
stand-in of nccl/, late too; reduce, until and the same by NCCL: late too; mpi, mpi_reduce: 4 ranks, whose streams run
late
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import C11, ROOT, compiler, folder, must, relay, run  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCES = {'late': 'peer', 'nccl': 'peer_nccl', 'registered': 'peer_registered', 'put': 'peer_put',
           'waits': 'waits_nccl'}
DEVICES = {'CMK_HOST_DEVICES': '4'}
ORDERS = 4  # that are drawn
OF_ENGINES = ['reduce', 'reduce_nccl', 'until', 'until_nccl']
LATE = ['late', 'run', 'nccl', 'registered', 'put', *OF_ENGINES]
DRAWN = ['peer', 'late', 'nccl', 'registered', 'put']  # exchanges


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', choices=['grid', 'plans', 'fields', 'limits', 'waits', 'peer', 'late', 'run', 'nccl',
                                          'registered', 'put', 'mpi', 'convolve', 'mpi_reduce', *OF_ENGINES])
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    options = parser.parse_args()
    which = options.which
    if which in ('mpi', 'mpi_reduce'):
        words = ['exchanges', '60'] if which == 'mpi' else ['reductions']
        print(run([sys.executable, HERE / 'mpi.py', *words, '--late', '--patience', '5', '--include',
                   options.include])[1])
        return
    with folder() as work:
        path = Path(work) / which
        called = which in ('convolve', 'fields', *OF_ENGINES)  # the engines' functions
        level = ['-O0', '-Dalways_inline=unused'] if called else ['-O1']
        must(compiler('CC') + [*level, f'-I{options.include}', f'-I{ROOT / "tests"}', f'-I{HERE / "nccl"}', '-o', path,
                               *C11, HERE / f'{SOURCES.get(which, which)}.cu', '-lm', '-lpthread'])
        late = [{'CMK_HOST_STREAMS': f'shuffle:{seed}', **DEVICES} for seed in range(1, 1 + ORDERS)]
        orders = 1 if which in OF_ENGINES else ORDERS
        for variables in late[:orders] if which in LATE else [{}]:
            relay([path, *(['200'] if which in DRAWN else [])], which, **variables)


main()
