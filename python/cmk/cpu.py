"""cmk's CPU backend: compiles the source of a definition by $CC into a cache, and calls it on NumPy arrays.

CC is cc where it is not set, and may be several words; CFLAGS follow those of this file. The cache is the folder cmk in
$XDG_CACHE_HOME, or ~/.cache; a library in it is named by all that it is made of: source, headers, compiler and flags.
"""

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

from .errors import CompileError, Error

HERE = Path(__file__).resolve().parent
# Engines are inlined into one large function for a GPU. Called, they compile in a sixth of the time, and are about as
# fast.
FLAGS = ['-std=gnu11', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-Dalways_inline=unused', '-w']
LIBRARIES = ['-lm', '-lpthread']
SENTENCE = 1 << 16


def get_include():
    """the folder that holds cmk/cmk.h: of the package, or of the checkout that this file is in"""
    own = HERE / 'include'
    return str(own if own.is_dir() else HERE.parent.parent / 'include')


# ---- compilation

@functools.lru_cache(maxsize=None)
def headers():
    """a digest of all headers"""
    digest = hashlib.sha256()
    folder = Path(get_include())
    for path in [HERE / 'child.h', *sorted(path for path in folder.rglob('*') if path.suffix in ('.h', '.inc'))]:
        digest.update(path.name.encode() + b'\0' + path.read_bytes())
    return digest.hexdigest()


@functools.lru_cache(maxsize=None)
def identity(words):
    """what a compiler says of itself"""
    try:
        return subprocess.run([*words, '--version'], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise Error(f'no C compiler, which arrays of NumPy need: {words[0]}: {error.strerror}. Install gcc or clang, '
                    'or set CC') from None


def compiler():
    words = shlex.split(os.environ.get('CC', '')) or ['cc']
    return words, [*FLAGS, *shlex.split(os.environ.get('CFLAGS', ''))]


def cache():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return Path(base) / 'cmk'


def first_error(output):
    """cmk's own sentence of what a compiler says, or the compiler's first error"""
    for pattern in (r'"(cmk: [^"\n]*)"', r'(body:\d+):\d+: error: (.*)', r'error: (.*)'):
        found = re.search(pattern, output)
        if found:
            return ': '.join(found.groups())
    return output.strip() or 'the compiler failed and said nothing'


def build(source, target, words, flags):
    """compiles into a folder beside the target, which is there at once and whole"""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=target.parent))
    except OSError as error:
        raise Error(f'{target.parent}: {error.strerror}: compiled kernels are kept there; XDG_CACHE_HOME may name '
                    'another folder') from None
    try:
        (work / 'source.c').write_text(source, encoding='utf-8')
        command = [*words, *flags, f'-I{get_include()}', f'-I{HERE}', 'source.c', '-o', 'library.so', *LIBRARIES]
        done = subprocess.run(command, cwd=work, env={**os.environ, 'LC_ALL': 'C'}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
        if done.returncode != 0:
            raise CompileError(first_error(done.stdout), done.stdout)
        os.replace(work / 'library.so', target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@functools.lru_cache(maxsize=None)
def loaded(path):
    library = ctypes.CDLL(path)
    library.cmk_python_run.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
                                       ctypes.c_char_p, ctypes.c_size_t]
    return library.cmk_python_run


def source_of(definition):
    return f'''#define CMK_STEPS_MOST 1
#include <cmk/cmk.h>
{definition.text}
static cudaError_t cmk_python_call(void **arrays, const size_t *sizes, const double *numbers)
{{
    (void)arrays, (void)sizes, (void)numbers;
    {definition.call}
}}
#include "child.h"
'''


def function_of(definition):
    words, flags = compiler()
    source = source_of(definition)
    key = '\0'.join([source, headers(), identity(tuple(words)), *words, *flags])
    target = cache() / f'{hashlib.sha256(key.encode()).hexdigest()}.so'
    if not target.is_file():
        build(source, target, words, flags)
    return loaded(str(target))


# ---- calls

class Argument(ctypes.Structure):
    """cmk_python_array of child.h"""
    _fields_ = [('data', ctypes.c_void_p), ('bytes', ctypes.c_size_t), ('read', ctypes.c_int),
                ('written', ctypes.c_int), ('shared', ctypes.c_void_p)]


def array(x):
    """an array of NumPy without gaps, in the machine's order of bytes"""
    x = np.asarray(x)
    return np.ascontiguousarray(x, dtype=x.dtype.newbyteorder('='))


def empty(shape, dtype):
    return np.empty(shape, dtype)


def run(what, definition, arrays, sizes, numbers):
    if any(one.data.size == 0 for one in arrays):
        return  # nothing is launched for it
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
