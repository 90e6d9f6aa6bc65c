"""./cmk run and ./cmk report: a CUDA program is built for the CPU (build.py), and runs; of a report, with counters.

usage: command.py run|report FILE [FILE ...] [-I DIR] [-D NAME=VALUE] [--assert LIMIT] [--card NAME] [--json FILE]
                  [-- ARGS]

A program is built in a folder of build/run that its words and the folder of the caller name. Processes with the same
words take turns there, from the first file that is written until the program has begun; all others go on beside them.
A report is written to files of the process, and takes its name when it is whole. Ctrl-C is a line, and status 130.
"""

import os
import sys


def interrupted():
    os.write(2, b'cmk: interrupted\n')
    os._exit(130)


def told(kind, value, trace):
    if issubclass(kind, KeyboardInterrupt):
        interrupted()
    sys.__excepthook__(kind, value, trace)


sys.excepthook = told  # from here on: what follows takes a while
sys.path[0] = os.path.dirname(os.path.abspath(__file__))  # of a link, where the link is

import contextlib  # noqa: E402
import errno  # noqa: E402
import fcntl  # noqa: E402
import hashlib  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402

import as_json  # noqa: E402
import bounds  # noqa: E402
import records  # noqa: E402
from build import ROOT, Build, Order, Refusal, say  # noqa: E402
from limits import broken  # noqa: E402
from machine import Machine, Source, sentences  # noqa: E402

BUILT = ROOT / 'build'


@contextlib.contextmanager
def turn(path):
    """holds a file that one process at a time has; a program that takes this one's place does not have it"""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'wb') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:  # of a file system that has no such thing
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
        yield


def place_of(verb, words):
    named = hashlib.sha256('\0'.join([os.getcwd(), *words]).encode('utf-8', 'surrogateescape')).hexdigest()
    return BUILT / 'run' / f'{verb}-{named[:20]}'


def run(place, order, arguments):
    with turn(place.with_suffix('.lock')):
        program = str(Build(place, order).link())
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
            signal.signal(number, signal.SIG_DFL)
        os.execv(program, [program, *arguments])


def is_written(path):
    return path.is_file() and path.stat().st_size > 0


def counted(place, order, arguments, table):
    """the status of a program that writes a table; what bounds its kernels, and what nvcc makes of them, is said behind
    it"""
    with turn(place.with_suffix('.lock')):
        build = Build(place, order)
        machine = None if build.files.takes_cmk else Machine(order)
        program = str(build.link())
        process = subprocess.Popen([program, *arguments], stderr=subprocess.STDOUT,
                                   env={**os.environ, 'CMK_COUNT_REPORT': str(table)})
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.kill()
        raise
    if is_written(table):
        for sentence in bounds.sentences(records.read(table), order.card):
            say(sentence)
    if machine and is_written(table):
        machine.read()
        for sentence in sentences(machine, Source(table)):
            say(sentence)
    return status if status >= 0 else 128 - status


def write_json(table, order):
    try:
        as_json.write(order.json, records.read(table), order.card)
    except OSError as error:
        raise Refusal(f'report: --json: {order.json} cannot be written: {error.strerror}') from None


def report(place, order, arguments):
    file = order.files[0]
    names = BUILT / 'report.csv', BUILT / 'report.html'
    own = [path.with_suffix(f'.{os.getpid()}{path.suffix}') for path in names]
    try:
        status = counted(place, order, arguments, own[0])
        if not is_written(own[0]):
            raise Refusal(f'report: {file} ended with status {status} and left no report')
        page = [sys.executable, str(ROOT / 'bench' / 'report.py'), *map(str, own), order.card.name]
        if subprocess.run(page).returncode != 0:
            raise Refusal('report: the page could not be written')
        if order.json:
            write_json(own[0], order)
        limits = broken(order.limits, own[0])
        with turn(BUILT / 'run' / 'report.lock'):  # both are of one program
            for path, name in zip(own, names):
                os.replace(path, name)
    finally:
        for path in own:
            path.unlink(missing_ok=True)
    say(f'table: {names[0]}\npage: {names[1]}')
    if status != 0:
        raise Refusal(f'report: {file} ended with status {status}')
    if limits:
        raise Refusal('\n'.join(f'report: {sentence}' for sentence in limits))


def main():
    verb, *words = sys.argv[1:]
    first = words.index('--') if '--' in words else len(words)
    words, arguments = words[:first], words[first + 1:]
    try:
        {'run': run, 'report': report}[verb](place_of(verb, words), Order(verb, words), arguments)
    except Refusal as refusal:
        for line in str(refusal).splitlines():
            say(f'cmk: {line}')
        sys.exit(1)


if __name__ == '__main__':
    main()
