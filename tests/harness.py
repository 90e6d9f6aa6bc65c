"""What the test runners share: TAP lines, compilers, commands.

A check is a pair (name, function). The function returns when all is well, raises Failure(detail) when not,
and raises Skip(why) where something that it needs is missing.
"""

import argparse
import concurrent.futures
import ctypes
import functools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wundef', '-Werror']
C11 = ['-x', 'c', '-std=c11']
CXX17 = ['-x', 'c++', '-std=c++17']
CXX20 = ['-x', 'c++', '-std=c++20']
MODES = {
    'c': ('CC', C11 + WARNINGS),
    'clang': ('CLANG', C11 + WARNINGS),
    'c++': ('CXX', CXX17 + WARNINGS),
    'clang++': ('CLANGXX', CXX17 + WARNINGS),
    'c++20': ('CXX', CXX20 + WARNINGS),
    'cuda': ('NVCC', ['-std=c++17', '--Werror=all-warnings', '-Xcompiler=-Wall,-Wextra,-Wundef']),
}
COMPILERS = {'CC': 'cc', 'CXX': 'c++', 'CLANG': 'clang', 'CLANGXX': 'clang++', 'NVCC': 'nvcc'}
PATH = os.pathsep.join([os.environ.get('PATH', os.defpath), '/usr/local/cuda/bin'])


# K/N: this runner does each N-th of its checks, from K on, where its test is of the suite dealt (levels.py); what it
# starts does all of its own
PART, COUNT = map(int, os.environ.pop('CMK_TEST_PART', '0/1').split('/'))
if not os.environ.pop('CMK_TEST_DEALS', ''):
    PART, COUNT = 0, 1


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def tap(name, check):
    """the TAP result of one check, without its number"""
    try:
        check()
    except Skip as why:
        return f'ok {{}} - {name} # SKIP {why}'
    except Failure as failure:
        detail = str(failure).strip().splitlines()[:24]
        return '\n'.join([f'not ok {{}} - {name}'] + ['# ' + line for line in detail])
    return f'ok {{}} - {name}'


EVERY = argparse.Namespace(only='', jobs=1)


def report(checks, options=EVERY):
    checks = [check for check in checks if options.only in check[0]][PART::COUNT]
    jobs = getattr(options, 'jobs', 1)
    print(f'1..{len(checks)}', flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (line, seconds) in enumerate(pool.map(lambda check: timed(*check), checks), 1):
            print(line.replace('{}', str(number), 1), flush=True)
            if seconds > 1:
                print(f'# seconds: {seconds:.1f}', flush=True)


def timed(name, check):
    begun = time.monotonic()
    line = tap(name, check)
    return line, time.monotonic() - begun


def arguments(description, choices, what, parallel=True):
    """the command line that every runner has: which of the choices to run, and on which headers"""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('which', nargs='*', metavar=what, help='one or more of: ' + ' '.join(choices))
    parser.add_argument('--include', type=Path, default=ROOT / 'include', help='the folder that holds cmk/')
    parser.add_argument('--only', default='', metavar='TEXT', help='only checks with this text in their name')
    if parallel:
        parser.add_argument('--jobs', type=int, default=1, help='checks at the same time')
    chosen = parser.parse_args()
    chosen.include = chosen.include.resolve()
    chosen.which = chosen.which or list(choices)
    unknown = [name for name in chosen.which if name not in choices]
    if unknown:
        parser.error(f'unknown {what}: {" ".join(unknown)}')
    return chosen


def folder():
    return tempfile.TemporaryDirectory(prefix='cmk-test-')


def run(command, cwd=None, **variables):
    """exit status and output, standard error included; the language of messages is English"""
    words = [str(word) for word in command]
    environment = {**os.environ, 'LC_ALL': 'C', **variables}
    done = subprocess.run(words, cwd=cwd, env=environment, encoding='utf-8', errors='replace',
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def until(command, seen, cwd=None):
    """the lines of a command's output, up to the first that is seen: what still runs then is stopped"""
    process = subprocess.Popen([str(word) for word in command], cwd=cwd, env={**os.environ, 'LC_ALL': 'C'},
                               encoding='utf-8', errors='replace', start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = []
    with process:
        for line in process.stdout:
            lines.append(line.rstrip('\n'))
            if seen(lines[-1]):
                os.killpg(process.pid, signal.SIGINT)  # folders are removed
                break
    return lines


def relay(command, name, **variables):
    """prints what a test program prints, line by line, and a failure where it stops before its plan"""
    lines = []
    process = subprocess.Popen([str(word) for word in command], env={**os.environ, 'LC_ALL': 'C', **variables},
                               encoding='utf-8', errors='replace', stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with process:
        for line in process.stdout:
            lines.append(line)
            print(line, end='', flush=True)
    if not any(line.startswith('1..') for line in lines):
        print(f'not ok - {name} ran to its end: exit status {process.returncode}')


def must(command, cwd=None, **variables):
    """the output of a command that must succeed"""
    status, output = run(command, cwd, **variables)
    if status != 0:
        raise Failure(' '.join(str(word) for word in command) + f'\nexit status {status}\n' + output)
    return output


def fails(error, text, call):
    """the exception of a call, which says this"""
    try:
        call()
    except error as said:
        if text not in str(said):
            raise Failure(f'says: {said}\nnot: {text}') from None
        return said
    raise Failure(f'does not fail: {text}')


def program(name):
    found = shutil.which(name, path=PATH)
    if found is None:
        raise Skip(f'no {name}')
    return found


def chromium():
    """a browser without a screen: its command"""
    names = ('chromium-headless-shell', 'chromium', 'google-chrome')
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Skip('no chromium')
    return [found, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']


@functools.lru_cache(maxsize=None)
def tried(name):
    """the path of a compiler that nobody has named but the PATH; one that cannot compile is as none, and named once"""
    path = program(name)
    with folder() as work:
        cuda = ['-std=c++17', '-arch=sm_75', '-cubin', '-o', Path(work) / 'probe.cubin', ROOT / 'tests' / 'probe.cu']
        status, output = run([path] + (cuda if name == 'nvcc' else ['-x', 'c', '-fsyntax-only', os.devnull]))
    if status != 0:
        said = (output.strip().splitlines() or ['no message'])[0]
        print(f'# {path} is broken, and counts as none: {said}', flush=True)
    return path if status == 0 else None


def compiler(variable):
    words = shlex.split(os.environ.get(variable, ''))
    if words == ['none']:  # as tests/meson.build has found
        raise Skip(f'no {COMPILERS[variable]}')
    path = program(words[0]) if words else tried(COMPILERS[variable])
    if path is None:
        raise Skip(f'no {COMPILERS[variable]}: it is broken')
    return [path] + words[1:]


@functools.lru_cache(maxsize=None)
def toolkit(kind):
    """the folders of nvcc's toolkit, told by nvcc: kind is INCLUDES or LIBRARIES"""
    output = run(compiler('NVCC') + ['--dryrun', '-c', 'probe.cu'])[1]
    line = re.search(rf'^#\$ {kind}=(.*)$', output, re.MULTILINE)
    return [word[2:] for word in shlex.split(line.group(1) if line else '')]


def machine_tools():
    """the folders of nvcc and nvdisasm, where both are there"""
    try:
        return [os.path.dirname(compiler('NVCC')[0]), os.path.dirname(program('nvdisasm'))]
    except Skip:
        return []


# headers of cmk that include those of a library
INCLUDES = {'cmk/halo/nccl.h': ['nccl.h'], 'cmk/halo/put.h': ['nccl.h'], 'cmk/halo/mpi.h': ['mpi.h', 'mpi-ext.h']}
NEEDED = {'cmk/halo/put.h': 'NCCL_VERSION_CODE >= 23000'}  # what the library must be


def mpi_folders():
    """the folders of MPI's headers, told by mpicc: of Open MPI, or of MPICH"""
    for question in ('--showme:compile', '-show'):
        status, output = run([program('mpicc'), question])
        if status == 0:
            return [word[2:] for word in shlex.split(output) if word.startswith('-I')]
    raise Skip('mpicc does not say where its headers are')


def gpu_present():
    try:
        cuda = ctypes.CDLL('libcuda.so.1')
    except OSError:
        return False
    count = ctypes.c_int(0)
    return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def need_device(kind):
    """skips the whole suite where its kind is gpu and there is none"""
    if kind == 'gpu' and not gpu_present():
        print('1..0 # SKIP no CUDA device')
        sys.exit(0)


@functools.lru_cache(maxsize=None)
def unoptimized():
    """Words by which an nvcc that knows them only compiles, for code that nothing runs. What only an optimizer can see,
    a read outside of a SHAPE, is left out as by -G."""
    words = ['--Ofast-compile=max', '-D__CUDACC_DEBUG__']
    known = run(compiler('NVCC') + words + ['--dryrun', '-x', 'cu', '-c', os.devnull])[0] == 0
    return words if known else []


def nvcc():
    """nvcc for this machine's GPU, or for the oldest that all toolkits know"""
    return compiler('NVCC') + (['-arch=native'] if gpu_present() else ['-arch=sm_75'] + unoptimized())


def compile_command(mode, include):
    """the compiler of a mode, every warning an error; the toolkit's own headers are not judged"""
    variable, flags = MODES[mode]
    command = compiler(variable) + flags + [f'-I{include}']
    if mode == 'cuda':
        command += ['-arch=sm_75', *unoptimized()]
        command += [word for path in toolkit('INCLUDES') for word in ('-isystem', path)]
    return command


def library_of(header, mode):
    """the words by which a compiler finds the library that a header includes; on the CPU NCCL is its stand-in"""
    if header not in INCLUDES or mode == 'nvrtc':
        return []
    name = INCLUDES[header][0]
    folders = mpi_folders() if name == 'mpi.h' else [] if mode == 'cuda' else [ROOT / 'tests' / 'halo' / 'nccl']
    words = [word for path in folders for word in ('-isystem', path)]
    with folder() as work:
        path = Path(work) / 'probe.cu'
        needed = NEEDED.get(header, '1')
        path.write_text(f'#include <cmk/base.h>\n#include <{name}>\n#if !({needed})\n#error\n#endif\n')
        command = [*compile_command(mode, ROOT / 'include'), *words, '-E', '-o', Path(work) / 'probe.i', path]
        if run(command)[0] != 0:
            raise Skip(f'no {name}' + f' of {needed}' * (header in NEEDED))
    return words
