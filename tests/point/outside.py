"""Runs every update of outside.cu and compares what the CPU backend says with what it should.

usage: outside.py PROGRAM SOURCE
"""

import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, must, report, run  # noqa: E402

BUGS = {  # the sentence
    'diagonal': 'reads u at (1, -1): its SHAPE reaches 1 rows, 1 columns, along the axes',
    'too_far': 'reads u at (0, 2): its SHAPE reaches 1 rows, 1 columns, along the axes',
    'no_shape': 'reads speed at (-1, 0): its SHAPE reaches 0 rows, 0 columns',
    'one_of_many': 'reads wide[1] at (-2, 3): its SHAPE reaches 1 rows, 3 columns',
    'planes_of_rows': 'reads u at (1, 0, 0): its SHAPE reaches 0 planes, 1 rows, 1 columns',
    'beside': 'reads v beside the point in a stage that sets it: SAME is read at the point then',
    'beside_many': 'reads u beside the point in a stage that sets it: SAME is read at the point then',
}

FIELDS = {  # what the engine does with a buffer that is too small
    'small_in': 'field `speed`: reads 16 bytes',
    'small_many': 'field `wide`: reads 4 bytes',
    'small_next': 'field `u`: writes 16 bytes',
    'small_tiles': 'field `u`: reads 4 bytes',
    'small_ring': 'field `u`: reads 16 bytes',
}


def line_of(bug, source):
    for number, line in enumerate(source.read_text(encoding='utf-8').splitlines(), 1):
        if f'/* BUG {bug} */' in line:
            return number
    raise Failure(f'{source} has no line for the bug {bug}')


def check(program, source, bug):
    status, output = run([program, bug])
    thread = r'block \(\d+,0,0\), thread \(\d+,\d+,0\): '
    line = rf'\S*outside\.cu:{line_of(bug, source)}'
    wanted = (rf'^cmk: kernel {bug}_kernel, {thread}{line}: {re.escape(BUGS[bug])}$' if bug in BUGS else
              rf'^cmk: kernel {bug}_kernel, launched at {line}, {thread}\S*kernel/point/\w+\.h:\d+: {FIELDS[bug]} .* '
              f'the {4 * 4 * 40 * 160 * 12}-byte allocation')
    if status != -signal.SIGABRT:
        raise Failure(f'exit status {status} instead of SIGABRT: {output}')
    if not re.search(wanted, output, re.MULTILINE):
        raise Failure(f'wanted {wanted}\ngot    {output}')


def check_complete(program):
    if sorted(must([program]).split()) != sorted([*BUGS, *FIELDS]):
        raise Failure('the program has other bugs')


def main():
    program, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    report([(f'an update: {bug}', lambda bug=bug: check(program, source, bug)) for bug in BUGS] +
           [(f'a buffer too small: {bug}', lambda bug=bug: check(program, source, bug)) for bug in FIELDS] +
           [('every bug has its sentence', lambda: check_complete(program))])


main()
