"""Runs programs whose streams run late, in orders that CMK_HOST_STREAMS=shuffle:SEED draws.

usage: streams.py STREAMS PIPELINE UNORDERED

STREAMS (streams.cu) passes with every seed. So does PIPELINE (pipeline.cu); with one thing left out, half of 20 seeds
or more show it, while in order nothing shows. Of UNORDERED (unordered.cu) some seed of 20 names what two streams do to
the same bytes, and none says anything where the two are in order, or of other bytes.
"""

import os
import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, report, run  # noqa: E402

RIGHT, FINDING = 200, 20
# what pipeline.cu may leave out, and what that is
OMISSIONS = {
    'copied': 'the wait of the next step for the ghosts',
    'begun': 'the wait of the copies for the word to be 0 again',
    'word': 'the wait of the copies for the border',
    'both': 'the wait for the second block of the border',
    'border': 'that a block counts behind its last store',
    'order': 'that the event is recorded behind the kernel',
    'computed': 'the wait of the copies for the kernel',
    'upload': 'the wait before the source of a copy is overwritten',
    'download': 'the wait before the target of a copy is read',
}


# what a case of unordered.cu is told of: what the later copy or fill does, and the earlier one
UNORDERED = {'copy': ('1024 bytes reads', 'writes'), 'fill': ('1 bytes writes', 'writes'),
             'read': ('1 bytes writes', 'reads')}
ORDERED = ['event', 'word', 'wait', 'half', 'second']
# of each variable of the environment: what is told, and words that are none of its
REFUSED = {
    'CMK_HOST_STREAMS': ('order, shuffle or shuffle:SEED', ['shuffel', 'shuffle:', 'shuffle:4294967296', '']),
    'CMK_HOST_ORDER': ('forward, reverse, shuffle or shuffle:SEED', ['backward', 'shuffle:-1']),
    'CMK_HOST_CORES': ('a number of CPU cores from 1 to 4096, or all', ['0', '4097', 'many']),
    'CMK_HOST_DEVICES': ('a number of devices from 1 to 16, or N:apart', ['0', '17', '2:near']),
    'CMK_HOST_ERRORS': ('stop or return', ['ignore']),
    'CMK_HOST_RACES': ('on or off', ['no']),
}


def start(program, *words, **variables):
    """exit status and output, with these variables of the backend and no others"""
    for name in [name for name in os.environ if name.startswith('CMK_HOST_')]:
        del os.environ[name]
    return run([program, *words], **variables)


def right(program, seeds):
    for seed in range(seeds):
        status, output = start(program, CMK_HOST_STREAMS=f'shuffle:{seed}')
        if status != 0:
            raise Failure(f'shuffle:{seed}: exit status {status}\n{output}')


def finds(program, omission):
    status, output = start(program, omission, CMK_HOST_STREAMS='order')
    if status != 0:
        raise Failure(f'in order it shows, too\n{output}')
    found = [seed for seed in range(FINDING) if start(program, omission, CMK_HOST_STREAMS=f'shuffle:{seed}')[0] != 0]
    print(f'# {omission}: {len(found)} seeds of {FINDING}', flush=True)
    if 2 * len(found) < FINDING:
        raise Failure(f'fewer than half of {FINDING} seeds find it')


def names(program, case):
    later, earlier = UNORDERED[case]
    sentence = (rf'^cmk: \S+:\d+: a copy or a fill of {later} 0x[0-9a-f]+, in the 1024-byte allocation at 0x[0-9a-f]+, '
                rf'of which a copy or a fill in another stream {earlier} a part: no event orders the two$')
    said = [output for _, output in (start(program, case, CMK_HOST_STREAMS=f'shuffle:{seed}')
                                     for seed in range(FINDING)) if output]
    if not said or not all(re.search(sentence, output, re.MULTILINE) for output in said):
        raise Failure(f'{len(said)} seeds of {FINDING} say something\n' + '\n'.join(said[:1]))


def silent(program, case):
    for seed in range(FINDING):
        status, output = start(program, case, CMK_HOST_STREAMS=f'shuffle:{seed}')
        if status != 0 or output:
            raise Failure(f'shuffle:{seed}: exit status {status}\n{output}')


def stops(program, value, errors):
    status, output = start(program, 'kernel', CMK_HOST_STREAMS=value, CMK_HOST_ERRORS=errors)
    sentence = (r'^cmk: \S+:\d+: deadlock: a stream of device 0 waits until the word at 0x[0-9a-f]+ has reached 2, '
                r'which is 0, and nothing else can run$')
    if status != -signal.SIGABRT or not re.search(sentence, output, re.MULTILINE):
        raise Failure(f'exit status {status}\n{output}')
    if value.startswith('shuffle') and f'CMK_HOST_STREAMS={value}' not in output:
        raise Failure(f'it does not name the seed\n{output}')


def refuses(program, variable, value):
    status, output = start(program, **{variable: value})
    if status != 2 or f'cmk: {variable}={value}: it must be {REFUSED[variable][0]}' not in output:
        raise Failure(f'exit status {status}\n{output}')


def main():
    streams, pipeline, unordered = (os.path.abspath(path) for path in sys.argv[1:])
    checks = [(f'streams, {RIGHT // 4} orders', lambda: right(streams, RIGHT // 4)),
              (f'pipeline, {RIGHT} orders', lambda: right(pipeline, RIGHT))]
    checks += [(f'an order shows that the pipeline lacks {what}', lambda name=name: finds(pipeline, name))
               for name, what in OMISSIONS.items()]
    checks += [(f'two streams and the same bytes are named: {case}', lambda case=case: names(unordered, case))
               for case in UNORDERED]
    checks += [(f'two streams are in order, or have other bytes: {case}', lambda case=case: silent(unordered, case))
               for case in ORDERED]
    checks += [(f'a stream that waits for ever is named, {value}, {errors}',
                lambda value=value, errors=errors: stops(pipeline, value, errors))
               for value, errors in (('order', 'stop'), ('shuffle:3', 'stop'), ('order', 'return'))]
    checks += [(f'{variable}={value} is refused',
                lambda variable=variable, value=value: refuses(pipeline, variable, value))
               for variable, (_, values) in REFUSED.items() for value in values]
    report(checks)


main()
