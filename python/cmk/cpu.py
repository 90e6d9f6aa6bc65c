"""NumPy arrays: filters by the loops of filter.h; stencils by those of stencil.h, in programs on cmk's CPU backend
(child.h). Both are compiled by $CC into a cache.

CC is cc where it is not set, and may be several words; CFLAGS follow those of this file. The cache is the folder cmk in
$XDG_CACHE_HOME, or ~/.cache; a library in it is named by all that it is made of: source, headers, compiler and flags.
"""

import atexit
import contextlib
import ctypes
import fcntl
import functools
import hashlib
import mmap
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from .definition import TYPES, declared
from .errors import CompileError, Error

HERE = Path(__file__).resolve().parent
FLAGS = ['-std=gnu11', '-O2', '-w']
LIBRARIES = ['-lm', '-lpthread']
SENTENCE = 1 << 16
SHORT = {'half': 'typedef _Float16 half;',  # gcc from 12 on, clang from 15 on
         'bfloat16': '#error "cmk: bfloat16 is of arrays in the memory of a GPU alone"'}


def get_include():
    """the folder that holds cmk/cmk.h: of the package, or of the checkout that this file is in"""
    own = HERE / 'include'
    return str(own if own.is_dir() else HERE.parent.parent / 'include')


def version():
    """that of base.h, MAJOR.MINOR.PATCH"""
    text = (Path(get_include()) / 'cmk' / 'base.h').read_text(encoding='utf-8')
    return '.'.join(re.findall(r'^#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', text, re.MULTILINE))


# ---- compilation

@functools.lru_cache(maxsize=None)
def headers(folder):
    """a digest of all headers in a folder"""
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(folder).rglob('*') if path.suffix in ('.h', '.inc')):
        digest.update(path.name.encode() + b'\0' + path.read_bytes())
    return digest.hexdigest()


@functools.lru_cache(maxsize=None)
def identity(words, need):
    """what a compiler says of itself"""
    try:
        return subprocess.run([*words, '--version'], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise Error(f'no C compiler, which {need} need: {words[0]}: {error.strerror}. Install gcc or clang, or set CC'
                    ) from None


def compiler():
    """the words of the user's compiler, and of his flags"""
    return shlex.split(os.environ.get('CC', '')) or ['cc'], shlex.split(os.environ.get('CFLAGS', ''))


def cache():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return Path(base) / 'cmk'


def kept(suffix, *parts):
    """the file of the cache that is made of these parts"""
    return cache() / (hashlib.sha256('\0'.join(parts).encode()).hexdigest() + suffix)


def first_error(output):
    """cmk's own sentence of what a compiler says, or the compiler's first error"""
    for pattern in (r'"(cmk: [^"\n]*)"', r'(body:\d+):\d+: error: (.*)', r'error: (.*)'):
        found = re.search(pattern, output)
        if found:
            return ': '.join(found.groups())
    return output.strip() or 'the compiler failed and said nothing'


@contextlib.contextmanager
def workplace(target):
    """a folder beside a file of the cache, to which what is whole is moved"""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=target.parent))
    except OSError as error:
        raise Error(f'{target.parent}: {error.strerror}: compiled kernels are kept there; XDG_CACHE_HOME may name '
                    'another folder') from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write(target, content):
    with workplace(target) as work:
        (work / 'content').write_bytes(content)
        os.replace(work / 'content', target)


def library_of(source, flags, libraries, need, what):
    """the library or program of a source, from the cache; need: what needs a compiler for it; what: what is called"""
    words, more = compiler()
    made_of = [headers(get_include()), headers(HERE), identity(tuple(words), need), *words, *flags, *more]
    target = kept('.so' if '-shared' in flags else '.program', source, *made_of)
    if target.is_file():
        return target
    with workplace(target) as work:
        print(f'cmk: {what}: {words[0]} compiles it, which {target.parent} keeps', file=sys.stderr)
        (work / 'source.c').write_text(source, encoding='utf-8')
        command = [*words, *flags, *more, f'-I{get_include()}', f'-I{HERE}', 'source.c', '-o', 'made', *libraries]
        done = subprocess.run(command, cwd=work, env={**os.environ, 'LC_ALL': 'C'}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
        if done.returncode != 0:
            raise CompileError(first_error(done.stdout), done.stdout)
        os.replace(work / 'made', target)
    return target


def source_of(definition):
    """the program of a stencil, which has no tables"""
    return f'''#define CMK_PYTHON_PLANNED_
#include "stencil.h"
{declared(definition.text, SHORT)}{definition.text}
static cudaError_t cmk_python_call(void **arrays, const size_t *sizes, const double *numbers)
{{
    (void)arrays, (void)sizes, (void)numbers;
    {definition.before}
    const cudaError_t error = {definition.launcher}({definition.arguments}, 0);
    {definition.after}
    return error;
}}
#include "child.h"
'''


def program_of(what, definition):
    return str(library_of(source_of(definition), FLAGS, LIBRARIES, 'arrays of NumPy', what))


# ---- Programs of stencils

ARRAYS, SIZES, NUMBERS = 64, 4, 128  # of child.h
MOST = 8  # programs that wait for a call
PROGRAMS = {}  # by their files, that of the last call at the end
LOCK = threading.Lock()


class Request(ctypes.Structure):
    """cmk_python_request of child.h"""
    _fields_ = [('count', ctypes.c_size_t), ('sizes', ctypes.c_size_t * SIZES), ('numbers', ctypes.c_double * NUMBERS),
                ('arrays', ctypes.c_size_t * ARRAYS)]


def environment():
    """what a program reads when it begins"""
    return os.getpid(), [(name, value) for name, value in os.environ.items() if name.startswith('CMK_')]


class Program:
    """a program of child.h that runs: it makes calls until it is stopped"""

    def __init__(self, path):
        self.environment, self.bytes, self.map = environment(), 0, None
        self.memory, self.said = os.memfd_create('cmk'), os.memfd_create('cmk')
        fcntl.fcntl(self.said, fcntl.F_SETFL, os.O_APPEND)
        self.replies, theirs = os.pipe()
        self.process = subprocess.Popen([path, str(self.memory), str(theirs)], stdin=subprocess.PIPE, bufsize=0,
                                        stderr=self.said, pass_fds=(self.memory, theirs), start_new_session=True)
        os.close(theirs)

    def end(self):
        if self.environment[0] != os.getpid():
            return  # the process is that of another Python
        self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        for file in (self.memory, self.said, self.replies):
            os.close(file)

    def request(self, arrays, sizes, numbers):
        """writes a call; the places of the arrays in the memory"""
        first, places = -(-ctypes.sizeof(Request) // 64) * 64, []
        for one in arrays:
            places.append(first)
            first += -(-one.data.nbytes // 64) * 64
        if first > self.bytes:
            os.ftruncate(self.memory, first)
            self.map, self.bytes = mmap.mmap(self.memory, first), first
        self.map[:ctypes.sizeof(Request)] = bytes(Request(len(arrays), tuple(sizes), tuple(numbers), tuple(places)))
        return places

    def at(self, one, place):
        """an array in the memory"""
        return np.ndarray(one.data.shape, one.data.dtype, self.map, place)

    def __call__(self, arrays, sizes, numbers):
        """makes a call: whether it failed, and what was said"""
        os.ftruncate(self.said, 0)
        for one, place in zip(arrays, self.request(arrays, sizes, numbers)):
            if one.read:
                self.at(one, place)[...] = one.data
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(b'1')
        reply = os.read(self.replies, 1)
        failed = '' if reply == b'\0' else 'the call failed' if reply else self.ended()
        for one, place in zip(arrays, Request.from_buffer_copy(self.map).arrays):
            if one.written and not failed:
                one.data[...] = self.at(one, place)
        return failed, os.pread(self.said, SENTENCE, 0).decode(errors='replace').strip()

    def ended(self):
        status = self.process.wait()
        return (f'the kernel was ended by signal {-status}' if status < 0 else
                f'the kernel ended its process, with status {status}')


@atexit.register
def end_all():
    while PROGRAMS:
        PROGRAMS.popitem()[1].end()


def called(path, arrays, sizes, numbers):
    """makes a call by the program of a file, which goes on unless it fails"""
    program = PROGRAMS.pop(path, None)
    if program is not None and program.environment != environment():
        program.end()
        program = None
    program = program or Program(path)
    done = False
    try:
        failed, said = program(arrays, sizes, numbers)
        done = not failed
    finally:
        if done:
            PROGRAMS[path] = program
        else:
            program.end()
    if len(PROGRAMS) > MOST:
        PROGRAMS.pop(next(iter(PROGRAMS))).end()
    return failed, said


# ---- Calls

def array(x):
    """an array of NumPy without gaps, in the machine's order of bytes"""
    x = np.asarray(x)
    return np.require(x, x.dtype.newbyteorder('='), ['C', 'A'])


def shape_of(x):
    x = np.asarray(x)
    return x.shape, x.dtype


def copy(x):
    return array(x).copy()


def zeros(shape, dtype):
    return np.zeros(shape, dtype)


def run(what, definition, arrays, sizes, numbers):
    """makes a call of a stencil; the arrays behind it"""
    found = [one.data for one in arrays]
    if any(data.size == 0 for data in found):
        return found  # nothing is launched for it
    if len(arrays) > ARRAYS or len(numbers) > NUMBERS:
        raise ValueError(f'{what}: {len(arrays)} arrays and {len(numbers)} numbers: {ARRAYS} and {NUMBERS} at the most')
    path = program_of(what, definition)
    with LOCK:
        failed, said = called(path, arrays, sizes, numbers)
    if failed:
        raise Error(f'{what}: {said or failed}')
    if said:
        print(said, file=sys.stderr)
    return found


# ---- Filters

FLAGS_OF_LOOPS = ['-std=gnu11', '-O3', '-fno-math-errno', '-fPIC', '-shared', '-fvisibility=hidden', '-w']
OUTSIDE = -1  # of filter.h
READS = {  # the index that is read for one outside of an axis
    'CMK_EDGE_MIRROR': lambda at, size: min(at % (2 * size), 2 * size - 1 - at % (2 * size)),
    'CMK_EDGE_REFLECT': lambda at, size: min(at % max(2 * size - 2, 1), -at % max(2 * size - 2, 1)),
    'CMK_EDGE_CLAMP': lambda at, size: 0 if at < 0 else size - 1,
    'CMK_EDGE_WRAP': lambda at, size: at % size,
    'CMK_EDGE_ZERO': lambda at, size: OUTSIDE}


class Filtered(ctypes.Structure):
    """cmk_python_filtered of filter.h"""
    _fields_ = [('count', ctypes.c_size_t), ('channels', ctypes.c_size_t), ('sizes', ctypes.c_size_t * 3),
                ('taps', ctypes.c_size_t * 3), ('anchor', ctypes.c_size_t * 3), ('beyond', ctypes.c_void_p * 3),
                ('outside', ctypes.c_double), ('separable', ctypes.c_size_t), ('threads', ctypes.c_size_t)]


def loops_source_of(words):
    kind = np.dtype(TYPES[words[2]])
    bits = {'u': 8, 'i': -8}.get(kind.kind, 0) * kind.itemsize
    types = ''.join(f'typedef {word} cmk_python_{name};\n' for word, name in zip(words, ('in', 'sum', 'out')))
    return f'{declared(types, SHORT)}{types}enum {{ cmk_python_bits = {bits} }};\n#include "filter.h"\n'


LOOPS = {}  # functions of filter.h, by types and all of the environment that they depend on


def loops_of(what, words):
    key = words, *map(os.environ.get, ('CC', 'CFLAGS', 'XDG_CACHE_HOME', 'HOME'))
    if key not in LOOPS:
        path = library_of(loops_source_of(words), FLAGS_OF_LOOPS, LIBRARIES, 'arrays of NumPy', what)
        LOOPS[key] = ctypes.CDLL(str(path)).cmk_python_filter
        LOOPS[key].argtypes = [ctypes.c_void_p] * 4
    return LOOPS[key]


def cores():
    """those that CMK_HOST_CORES gives, as the CPU backend reads it"""
    word = os.environ.get('CMK_HOST_CORES', '1')
    count = os.cpu_count() if word == 'all' else int(word) if re.fullmatch('[0-9]{1,4}', word) else 0
    if not 1 <= count <= 4096:
        raise Error(f'CMK_HOST_CORES={word}: it must be a number of CPU cores from 1 to 4096, or all')
    return count


def beyond(size, length, anchor, edge):
    """the indices that a filter reads before an axis and behind it"""
    outside = [*range(-anchor, 0), *range(size, size + length - 1 - anchor)]
    return (ctypes.c_longlong * len(outside))(*[READS[edge](at, size) for at in outside])


def run_loops(what, loops, x, result):
    function = loops_of(what, loops.words)
    tables = [beyond(*axis) for axis in zip(loops.sizes, loops.lengths, loops.anchor, loops.edges)]
    sizes, lengths, anchor = ((ctypes.c_size_t * 3)(*three) for three in (loops.sizes, loops.lengths, loops.anchor))
    taps = np.ascontiguousarray(loops.taps)
    filtered_by = Filtered(loops.count, loops.channels, sizes, lengths, anchor,
                           (ctypes.c_void_p * 3)(*map(ctypes.addressof, tables)), loops.outside, loops.separable,
                           cores())
    status = function(ctypes.byref(filtered_by), x.ctypes.data, result.ctypes.data, taps.ctypes.data)
    if status != 0:
        raise Error(f'{what}: {os.strerror(status)}')


def filtered(what, make, x, output, taps, parameters):
    """the result of the call that make makes of an array"""
    x = array(x)
    given = isinstance(output, np.ndarray)
    call = make(x.shape, x.dtype, output.dtype if given else output, taps, *parameters)
    if given and output.shape != call.shape:
        raise ValueError(f'{what}: output has the shape {output.shape}, and x {x.shape}')
    if given and not output.flags.writeable:
        raise ValueError(f'{what}: output is read-only')
    if call.loops is None:
        return np.array(np.transpose(x, call.axes) if call.axes else x, order='C')
    direct = given and output.flags.carray and output.dtype == call.dtype and not np.may_share_memory(x, output)
    result = output if direct else np.empty(call.shape, call.dtype)
    if result.size > 0:
        run_loops(what, call.loops, x, result)
    if given and not direct:
        output[...] = result
    return output if given else result
