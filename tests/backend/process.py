"""Runs each case of process.cu and looks at how it ends: large locals, faults, fork, longjmp, handlers of the program.

usage: process.py PROGRAM
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, report  # noqa: E402

STACK = r'the stack of this thread is exceeded: it has 640 KB for locals and calls'
NULL = r'a plain access at 0x10, where there is no memory'
LONGJMP = (r'\S*process\.cu:\d+: launches kernel few: the kernel before was left by longjmp, and after that the CPU '
           r'backend has no further launches')

# name, exit status, output as a regular expression
CASES = [
    ('locals_500_kb', 0, r'^$'),
    ('fork', 0, r'^$'),
    ('recursion', -signal.SIGSEGV, rf'^cmk: kernel recursion, block \(0,0,0\), thread \(3,0,0\): {STACK}$'),
    ('locals_1500_kb', -signal.SIGSEGV, rf'^cmk: kernel locals_1500_kb, block \(0,0,0\), thread \(0,0,0\): {STACK}$'),
    ('plain_null', -signal.SIGSEGV, rf'^cmk: kernel plain_null, block \(0,0,0\), thread \(2,0,0\): {NULL}$'),
    ('outside', -signal.SIGSEGV, r'^$'),
    ('raised', -signal.SIGSEGV, r'^$'),
    ('own_handler_before', 3, r'^own handler$'),
    ('own_handler_after', 3, r'^own handler$'),
    ('longjmp', -signal.SIGABRT, rf'^cmk: kernel jump, block \(0,0,0\), thread \(0,0,0\): {LONGJMP}$'),
]


ENDS_ALL_THE_SAME = ('recursion', 'plain_null')  # where mistakes are errors of their launch


def check(program, name, status, wanted, cores, errors='stop'):
    environment = {key: value for key, value in os.environ.items() if not key.startswith('CMK_HOST_')}
    try:
        done = subprocess.run([program, name], capture_output=True, text=True, timeout=60,
                              env={**environment, 'CMK_HOST_CORES': cores, 'CMK_HOST_ERRORS': errors})
    except subprocess.TimeoutExpired:
        raise Failure('it does not end') from None
    output = (done.stdout + done.stderr).strip()
    if done.returncode != status or not re.search(wanted, output):
        raise Failure(f'exit status {done.returncode}, wanted {status}\n{output}\nwanted {wanted}')


if __name__ == '__main__':
    path = os.path.abspath(sys.argv[1])
    report([(f'{name}, {cores} cores', lambda c=(path, name, status, wanted, cores): check(*c))
            for name, status, wanted in CASES for cores in ('1', '2', '40')] +
           [(f'{name}, errors return', lambda c=(path, name, status, wanted, '1', 'return'): check(*c))
            for name, status, wanted in CASES if name in ENDS_ALL_THE_SAME])
