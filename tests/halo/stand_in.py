"""What the stand-in for NCCL says of calls that NCCL would hang at, or write past a buffer by.

usage: stand_in.py PROGRAM

Also runs PROGRAM (stand_in.cu), where all is right, in 40 orders of streams, on 1 to 4 devices.
"""

import os
import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, report, run  # noqa: E402

ORDERS = 40
STUCK = r'\S+:\d+: deadlock: a stream of device 0 waits for NCCL, where %s, and nothing else can run'
SENTENCES = {
    'send': 'NCCL: rank 0 sends 256 bytes to rank 1: no rank receives it in this group: deadlock',
    'receive': 'NCCL: rank 1 receives 256 bytes from rank 0: no rank sends it in this group: deadlock',
    'reduce': STUCK % 'rank 0 reduces 16 bytes',
    'signal': STUCK % 'rank 0 waits for 2 signals of rank 1',
    'sizes': 'NCCL: rank 1 receives 252 bytes from rank 0: the message that comes first differs, where rank 0 sends '
             '256 bytes to rank 1',
    'end': 'NCCL: rank 0 sends 256 bytes to rank 1: it passes the end of the allocation that its buffer is in',
    'host': 'NCCL: rank 0 sends 4 bytes to rank 1: its buffer is no memory of a device',
    'device': 'NCCL: rank 0 sends 4 bytes to rank 1: its buffer is of another device than its communicator',
    'window': 'NCCL: rank 0 puts 4 bytes to rank 1: that rank has no such window',
    'past': 'NCCL: rank 0 puts 8 bytes to rank 0: it passes the end of the window',
    'join': 'NCCL: 1 of 2 ranks have joined a communicator, and wait for the others',
    'registered one': 'NCCL: rank 1 receives 256 bytes from rank 0: the memory of one is registered, of the other not: '
                      'it hangs, or is wrong',
    'registered beside': 'NCCL: rank 0 sends 256 bytes to rank 1: not all of it is registered, and other memory is',
    'registered over': 'NCCL: rank 0 registers 257 bytes: they pass the end of their allocation, or are of another '
                       'device',
    'registered left': 'NCCL: rank 0 is destroyed with memory registered',
    'registered freed': 'NCCL: memory is freed that rank 0 has registered',
    'registered gone': 'NCCL: rank 0 deregisters 256 bytes that have been freed',
}


def stops(program, how):
    status, output = run([program, *how.split()], CMK_HOST_DEVICES='2')
    if status != -signal.SIGABRT or not re.search(rf'^cmk: {SENTENCES[how]}$', output, re.MULTILINE):
        raise Failure(f'exit status {status}\nwanted {SENTENCES[how]}\n{output}')


def right(program):
    for seed in range(ORDERS):
        devices = str(seed % 4 + 1)
        status, output = run([program], CMK_HOST_DEVICES=devices, CMK_HOST_STREAMS=f'shuffle:{seed}')
        if status != 0:
            raise Failure(f'shuffle:{seed} on {devices} devices: exit status {status}\n{output}')


def main():
    program = os.path.abspath(sys.argv[1])
    for name in [name for name in os.environ if name.startswith('CMK_HOST_')]:
        del os.environ[name]
    checks = [(f'the stand-in, {ORDERS} orders on 1 to 4 devices', lambda: right(program))]
    checks += [(f'the stand-in says: {sentence}', lambda how=how: stops(program, how))
               for how, sentence in SENTENCES.items()]
    report(checks)


main()
