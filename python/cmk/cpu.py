"""cmk's CPU backend: compiles the source of a definition by $CC into a cache, and calls it on NumPy arrays.

CC is cc where it is not set, and may be several words; CFLAGS follow those of this file. The cache is the folder cmk in
$XDG_CACHE_HOME, or ~/.cache; a library in it is named by all that it is made of: source, headers, compiler and flags.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .definition import Array, declared, fills_of
from .errors import CompileError, Error

HERE = Path(__file__).resolve().parent
# Engines are inlined into one large function for a GPU. Called, they compile in a sixth of the time, and are about as
# fast.
FLAGS = ['-std=gnu11', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-Dalways_inline=unused', '-w']
LIBRARIES = ['-lm', '-lpthread']
SENTENCE = 1 << 16
SHORT = {'half': 'typedef _Float16 half;',  # gcc from 12 on, clang from 15 on
         'bfloat16': '#error "cmk: bfloat16 is of arrays in the memory of a GPU alone"'}


def get_include():
    """the folder that holds cmk/cmk.h: of the package, or of the checkout that this file is in"""
    own = HERE / 'include'
    return str(own if own.is_dir() else HERE.parent.parent / 'include')


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


def library_of(source, flags, libraries, need):
    """the library of a source, from the cache; need: what needs a compiler for it"""
    words, more = compiler()
    made_of = [headers(get_include()), headers(HERE), identity(tuple(words), need), *words, *flags, *more]
    target = kept('.so', source, *made_of)
    if target.is_file():
        return target
    with workplace(target) as work:
        (work / 'source.c').write_text(source, encoding='utf-8')
        command = [*words, *flags, *more, f'-I{get_include()}', f'-I{HERE}', 'source.c', '-o', 'library.so', *libraries]
        done = subprocess.run(command, cwd=work, env={**os.environ, 'LC_ALL': 'C'}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
        if done.returncode != 0:
            raise CompileError(first_error(done.stdout), done.stdout)
        os.replace(work / 'library.so', target)
    return target


@functools.lru_cache(maxsize=None)
def loaded(path):
    library = ctypes.CDLL(path)
    library.cmk_python_run.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
                                       ctypes.c_char_p, ctypes.c_size_t]
    return library.cmk_python_run


def source_of(definition):
    tables = ''.join(f', {table.name}' for table in definition.tables)
    return f'''#define CMK_STEPS_MOST 1
#define CMK_PYTHON_PLANNED_
#include <cmk/cmk.h>
{declared(definition.text, SHORT)}{definition.text}
static cudaError_t cmk_python_call(void **arrays, const size_t *sizes, const double *numbers)
{{
    (void)arrays, (void)sizes, (void)numbers;
    {fills_of(definition)}{definition.before}
    const cudaError_t error = {definition.launcher}({definition.arguments}{tables}, 0);
    {definition.after}
    return error;
}}
#include "child.h"
'''


def function_of(definition):
    return loaded(str(library_of(source_of(definition), FLAGS, LIBRARIES, 'arrays of NumPy')))


# ---- calls

class Argument(ctypes.Structure):
    """cmk_python_array of child.h"""
    _fields_ = [('data', ctypes.c_void_p), ('bytes', ctypes.c_size_t), ('read', ctypes.c_int),
                ('written', ctypes.c_int), ('shared', ctypes.c_void_p)]


def array(x):
    """an array of NumPy without gaps, in the machine's order of bytes"""
    x = np.asarray(x)
    return np.ascontiguousarray(x, dtype=x.dtype.newbyteorder('='))


def shape_of(x):
    x = np.asarray(x)
    return x.shape, x.dtype


def copy(x):
    return array(x).copy()


def zeros(shape, dtype):
    return np.zeros(shape, dtype)


def run(what, definition, arrays, sizes, numbers):
    """makes a call; the arrays behind it"""
    found = [one.data for one in arrays]
    if any(data.size == 0 for data in found):
        return found  # nothing is launched for it
    function = function_of(definition)
    arguments = (Argument * len(arrays))(*[Argument(one.data.ctypes.data, one.data.nbytes, one.read, one.written)
                                           for one in arrays])
    sentence = ctypes.create_string_buffer(SENTENCE)
    status = function(arguments, len(arrays), (ctypes.c_size_t * len(sizes))(*sizes),
                      (ctypes.c_double * len(numbers))(*numbers), sentence, SENTENCE)
    said = sentence.value.decode(errors='replace').strip()
    if status != 0:
        raise Error(f'{what}: {said or "the call failed"}')
    if said:
        print(said, file=sys.stderr)
    return found


def filtered(what, make, x, output, taps, parameters):
    """the result of the call that make makes of an array"""
    x = array(x)
    given = isinstance(output, np.ndarray)
    call = make(x.shape, x.dtype, output.dtype if given else output, taps, *parameters)
    if given and output.shape != call.shape:
        raise ValueError(f'{what}: output has the shape {output.shape}, and x {x.shape}')
    if call.definition is None:
        return x.copy()
    result = np.empty(call.shape, call.dtype)
    run(what, call.definition, [Array(x, True, False), Array(result, False, True)], call.sizes, call.numbers)
    if not given:
        return result
    output[...] = result
    return output
