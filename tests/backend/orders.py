"""Runs test programs of the CPU backend with their threads in many orders, their blocks on all cores, and late streams.

usage: orders.py PROGRAM...    The count of shuffled runs is 200, or the environment's CMK_TEST_ORDERS, and an eighth
                               of that for a program of a second and more.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import must, report  # noqa: E402

SHUFFLES = int(os.environ.get('CMK_TEST_ORDERS', '200'))
LONG = ['stencil1d']


def shuffled(path, count):
    for seed in range(1, count + 1):
        must([path], CMK_HOST_ORDER=f'shuffle:{seed}', CMK_HOST_CORES='all' if seed % 4 == 0 else '1',
             CMK_HOST_STREAMS=f'shuffle:{seed}' if seed % 3 == 0 else 'order')


def checks(path):
    name = Path(path).name
    count = -(-SHUFFLES // 8) if name in LONG else SHUFFLES
    return [
        (f'{name}: threads in reverse', lambda: must([path], CMK_HOST_ORDER='reverse')),
        (f'{name}: blocks on all cores', lambda: must([path], CMK_HOST_CORES='all')),
        (f'{name}: threads in {count} random orders, every fourth on all cores, every third with late streams',
         lambda: shuffled(path, count)),
    ]


if __name__ == '__main__':
    report([check for path in sys.argv[1:] for check in checks(path)])
