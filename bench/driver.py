"""Builds and runs the programs of the bench, and puts their rows into tables; ./cmk bench calls it.

usage: driver.py --card=CARD --arch=ARCH [--again] [NAME ...]      ARCH: the words that nvcc is given for the GPU

A NAME is a program, or a table, which is all of its programs; without one, all but gpus. All that is named is built
first, as many programs at a time as there are cores; then one at a time runs, so that nothing disturbs the figures.
What has been built and measured is kept in build/bench, by the texts of the program, of bench/*.h and of cmk, nvcc,
ARCH and, of figures, the CARD: a bench that was interrupted goes on, and programs that have been measured are not
again, but with --again. Tables are build/TABLE.csv, of all programs that have been measured, in the format of table.py.

A program that does not compile or run is said, and the others go on; the exit status is then 1.
"""

import argparse
import concurrent.futures
import hashlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

from table import ORIGIN, commit_of, read_table, write_table

ROOT = Path(__file__).absolute().parent.parent
BUILD, KEPT = ROOT / 'build', ROOT / 'build' / 'bench'

# libraries: words of nvcc, and others that are tried where these do not compile; with them alone, a program whose
# library is missing is left out. A script is of Python, and reads its table when all else is in it.
Program = namedtuple('Program', 'name table libraries needed', defaults=('', ((),), True))
PROGRAMS = [
    Program('bench', 'bench'),
    *(Program(f'examples/{name}') for name in ('conv2d', 'coefficients', 'const_access', 'const_literal', 'transpose')),
    Program('conv2d', 'convolution'),
    Program('conv2d_narrow', 'convolution'),
    Program('separable', 'convolution'),
    Program('conv3d', 'convolution'),
    Program('filter_steps', 'convolution'),
    Program('bytes', 'convolution'),
    Program('stencils2d', 'stencils'),
    Program('stencils3d', 'stencils'),
    Program('reductions', 'stencils'),
    Program('until', 'stencils'),
    Program('multigrid', 'stencils'),
    Program('steps1d', 'steps'),
    Program('steps2d', 'steps'),
    Program('steps_systems', 'steps'),
    Program('steps3d', 'steps'),
    Program('npp', 'convolution', (('-lnppif', '-lnppc'),), False),
    Program('fft', 'convolution', (('-lcufft',),), False),
    Program('gpus', 'gpus', (('-DUSE_NCCL', '-lnccl'), ())),
]
SCRIPTS = {'peers': 'convolution', 'stencil_peers': 'stencils'}
PLOTS = {'bench': [], 'convolution': ['--radius'], 'steps': ['--roofline']}
ALONE = ('gpus',)  # not of all
SLOWEST = ('bytes', 'conv2d', 'filter_steps', 'conv2d_narrow', 'stencils3d', 'steps2d', 'steps3d',
           'steps_systems')  # are begun first
TABLES = {name: [program for program in PROGRAMS if program.table == name]
          for name in dict.fromkeys(program.table for program in PROGRAMS if program.table)}


class Refused(Exception):
    pass


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# ---- What is named

def chosen(names):
    """the programs and the scripts of these names, in their order; a script needs all of its table"""
    groups = {**{program.name: [program] for program in PROGRAMS}, **TABLES,
              'examples': [program for program in PROGRAMS if program.name.startswith('examples/')],
              **{name: TABLES[table] for name, table in SCRIPTS.items()}}
    unknown = [name for name in names if name not in groups]
    if unknown:
        raise Refused(f'no {", ".join(unknown)} in the bench, which has: {" ".join(groups)}')
    if not names:
        return [program for program in PROGRAMS if program.name not in ALONE], list(SCRIPTS)
    wanted = {program for name in names for program in groups[name]}
    return [program for program in PROGRAMS if program in wanted], [name for name in SCRIPTS if name in names]


# ---- What is kept

def digest(*parts):
    text = b'\0'.join(part if isinstance(part, bytes) else os.fsencode(part) for part in parts)
    return hashlib.sha256(text).hexdigest()


def kept(name, ending):
    return KEPT / (name.replace('/', '-') + ending)


def is_kept(name, ending, key):
    """whether the last of this name was made from the same; a file that is not whole has no key"""
    path = kept(name, ending)
    return path.is_file() and path.read_text(encoding='utf-8') == key


def keep(name, ending, key):
    kept(name, ending).write_text(key, encoding='utf-8')


def forget(name, *endings):
    for ending in endings:
        kept(name, ending).unlink(missing_ok=True)


class Texts:
    """keys, of everything that a program is made of, and measured on"""

    def __init__(self, card, arch):
        version = subprocess.run(['nvcc', '--version'], stdout=subprocess.PIPE, check=True).stdout
        flags = [os.environ.get(name, '') for name in ('NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS')]
        headers = sorted((ROOT / 'include' / 'cmk').rglob('*')) + sorted((ROOT / 'bench').glob('*.h'))
        self.common = digest(version, *arch, *flags, *(path.read_bytes() for path in headers if path.is_file()))
        self.card = card

    def built(self, program):
        words = [word for words in program.libraries for word in words]
        return digest(self.common, source_of(program).read_bytes(), *words)

    def measured(self, program):
        return digest(self.built(program), self.card)

    def compared(self, script):
        return digest(self.card, (ROOT / 'bench' / f'{script}.py').read_bytes(), joined(SCRIPTS[script], self))


# ---- Builds

def source_of(program):
    return ROOT / (f'{program.name}.cu' if '/' in program.name else f'bench/{program.name}.cu')


class Builds:
    def __init__(self, texts, arch):
        self.texts, self.arch = texts, arch
        self.running, self.stopped, self.lock = set(), False, threading.Lock()

    def compile(self, program, words, log):
        target = kept(program.name, '.part')
        own = [] if '/' in program.name else ['-std=c++17', '--extended-lambda']
        command = ['nvcc', *own, '-O3', *self.arch, f'-I{ROOT / "include"}', '-o', target, source_of(program), *words]
        with self.lock:
            if self.stopped:
                return False
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
            self.running.add(process)
        status = process.wait()
        with self.lock:
            self.running.discard(process)
        if status == 0:
            target.replace(kept(program.name, ''))
        return status == 0

    def build(self, program):
        """seconds, or None where nothing compiled"""
        began, key = time.monotonic(), self.texts.built(program)
        forget(program.name, '.built')
        with open(kept(program.name, '.log'), 'wb') as log:
            for words in program.libraries:
                if self.compile(program, words, log):
                    keep(program.name, '.built', key)
                    return time.monotonic() - began
        return None

    def stop(self):
        """ends what runs: nvcc, and what it has started"""
        with self.lock:
            self.stopped = True
            for process in self.running:
                os.killpg(process.pid, signal.SIGTERM)

    def build_all(self, programs):
        """those that can be run, and how many failed"""
        programs = sorted(programs, key=lambda program: SLOWEST.index(program.name) if program.name in SLOWEST else 99)
        ready, failed = set(), 0
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        waits = {pool.submit(self.build, program): program for program in programs}
        try:
            for number, done in enumerate(concurrent.futures.as_completed(waits), 1):
                program, seconds = waits[done], done.result()
                log = kept(program.name, '.log')
                what = f'built in {seconds:.0f} s' if seconds is not None else f'does not compile: {log}'
                if seconds is not None:
                    ready.add(program)
                elif program.needed:
                    failed += 1
                    say(log.read_text(encoding='utf-8', errors='replace').strip()[-2000:])
                else:
                    what = f'left out: a header or a library is missing: {log}'
                say(f'[{number}/{len(programs)}] {program.name}: {what}')
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self.stop()
            raise
        return ready, failed


# ---- Runs

def tee(command, path):
    """the exit status of a command, whose output is shown as it comes, and kept"""
    with open(path, 'w', encoding='utf-8') as file, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8',
            errors='replace', cwd=ROOT) as process:
        try:
            for line in process.stdout:
                print(line, end='', flush=True)
                file.write(line)
        except BaseException:
            process.terminate()
            raise
    return process.returncode


def measure(name, command, key_of, place):
    """whether it ran to its end; key_of() is then what its figures are kept by"""
    began = time.monotonic()
    forget(name, '.measured')
    say(f'\n[{place}] {name}')
    status = tee(command, kept(name, '.txt'))
    if status != 0:
        say(f'[{place}] {name} stopped: exit status {status}')
        return False
    keep(name, '.measured', key_of())
    say(f'[{place}] {name}: {time.monotonic() - began:.0f} s')
    return True


def run_program(program, texts, place):
    path = kept(program.name, '.csv')
    forget(program.name, '.csv')
    origin = dict(zip(ORIGIN, [texts.card, commit_of(ROOT), time.strftime('%Y-%m-%d %H:%M'), program.table]))

    def key():  # of a program that ran to its end: its rows say where they come from
        if program.table:
            write_table(path, [{**row, **origin} for row in read_table(path)])
        return texts.measured(program)
    return measure(program.name, [kept(program.name, ''), *[path] * bool(program.table)], key, place)


def run_script(script, texts, place):
    """on a copy of the table, which it adds to"""
    key = texts.compared(script)
    kept(script, '.csv').write_text(joined(SCRIPTS[script], texts), encoding='utf-8')
    return measure(script, [sys.executable, ROOT / 'bench' / f'{script}.py', kept(script, '.csv')], lambda: key, place)


# ---- Tables

def is_measured(program, texts):
    return is_kept(program.name, '.measured', texts.measured(program))


def joined(name, texts):
    """the rows of its programs that have been measured, in order"""
    lines = []
    for program in TABLES[name]:
        if is_measured(program, texts):
            head, *rows = kept(program.name, '.csv').read_text(encoding='utf-8').splitlines(keepends=True)
            lines += rows if lines else [head, *rows]
    return ''.join(lines)


def write_tables(texts):
    """the names of those that have rows"""
    written = []
    for table in TABLES:
        text = joined(table, texts)
        for script in (name for name, of in SCRIPTS.items() if of == table):
            if text and is_kept(script, '.measured', texts.compared(script)):
                text = kept(script, '.csv').read_text(encoding='utf-8')
        path = BUILD / f'{table}.csv'
        path.unlink(missing_ok=True)
        if text:
            path.write_text(text, encoding='utf-8')
            written.append(table)
    return written


def plot(tables, texts):
    """those that are whole"""
    whole = [table for table in tables if table in PLOTS
             and all(is_measured(program, texts) for program in TABLES[table] if program.needed)]
    if whole and importlib.util.find_spec('matplotlib') is None:
        say('no plots: Python has no matplotlib')
        return
    for table in whole:
        path = BUILD / f'{table}.svg'
        status = subprocess.run([sys.executable, ROOT / 'bench' / 'plot.py', *PLOTS[table], BUILD / f'{table}.csv',
                                 path]).returncode
        say(f'plot: {path}' if status == 0 else f'no plot of {table}: see above')


# ---- All

def clocks(fields):
    subprocess.run(['nvidia-smi', f'--query-gpu={fields}', '--format=csv,noheader'])


def bench(options):
    programs, scripts = chosen(options.names)
    KEPT.mkdir(parents=True, exist_ok=True)
    arch = options.arch.split()
    texts = Texts(options.card, arch)
    if options.again:
        for name in [program.name for program in programs] + scripts:
            forget(name, '.measured')
    before = [program for program in programs if is_measured(program, texts)]
    for program in before:
        say(f'{program.name}: measured before: {kept(program.name, ".txt")}')
    left = [program for program in programs if program not in before]
    to_build = [program for program in left if not is_kept(program.name, '.built', texts.built(program))]
    began = time.monotonic()
    if to_build:
        say(f'building {len(to_build)} programs with nvcc, {os.cpu_count()} at a time')
    ready, failed = Builds(texts, arch).build_all(to_build)
    built = time.monotonic()
    runs = [program for program in left if program in ready or program not in to_build]
    if runs:
        clocks('name,driver_version,clocks.sm,power.draw')
    for number, program in enumerate(runs, 1):
        failed += not run_program(program, texts, f'{number}/{len(runs)}')
        write_tables(texts)
    for script in scripts:
        if is_kept(script, '.measured', texts.compared(script)):
            say(f'{script}: measured before: {kept(script, ".txt")}')
        elif joined(SCRIPTS[script], texts):
            failed += not run_script(script, texts, script)
    if runs:
        clocks('clocks.sm,power.draw')
    tables = write_tables(texts)
    say(f'\nbuilt in {built - began:.0f} s, run in {time.monotonic() - built:.0f} s'
        + (f'; {failed} failed: see above' if failed else ''))
    if len(before) == len(programs):
        say('all had been measured: --again measures anew')
    if tables:
        say('tables: ' + ', '.join(f'build/{table}.csv' for table in tables))
    plot(tables, texts)
    return failed


def stop(number, _):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(prog='./cmk bench', description=__doc__.splitlines()[0])
    parser.add_argument('--card', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--arch', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--again', action='store_true')
    parser.add_argument('names', nargs='*')
    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(bench(parser.parse_args()) > 0)
    except Refused as why:
        sys.exit(f'cmk: bench: {why}')
    except KeyboardInterrupt:
        say('\ncmk: bench: interrupted; the same words go on from here')
        sys.exit(130)


if __name__ == '__main__':
    main()
