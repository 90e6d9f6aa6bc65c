"""cmk on a GPU: compiles the source of a definition by NVRTC into a cache, plans its calls by a library that $CC makes,
and launches them by CUDA's driver, on the current stream of the arrays' own library.

What is checked of a call is kept by all that it is made of, so that the next such call is a look-up and a launch.
"""

import ctypes
import functools
import glob
import os
import sys
import threading
from typing import NamedTuple

import numpy as np

from . import cpu
from .cpu import get_include
from .definition import BFLOAT16, Definition, declared, fills_of
from .errors import CompileError, Error

LOCK = threading.RLock()  # of what is compiled, loaded and prepared
KEPT = 4096  # calls that are kept
FLAGS = ['-std=gnu11', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-DCMK_PLAN_ONLY=1', '-w']
LIBRARIES = ['-ldl', *cpu.LIBRARIES]
SHORT = {'half': '#include <cuda_fp16.h>', 'bfloat16': '#include <cuda_bf16.h>\ntypedef __nv_bfloat16 bfloat16;'}
# of a bfloat16 the host gives the bits alone: its type there is one of the same size, which more compilers have
HOST_SHORT = {'half': cpu.SHORT['half'], 'bfloat16': '''#include <cmk/host/half.h>
typedef _Float16 bfloat16;
static inline bfloat16 cmk_python_bfloat16(double number)
{
    const unsigned short bits = cmk_host_bfloat16_bits_(cmk_host_odd_(number));
    bfloat16 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}'''}
INSTALL_NVRTC = 'install CUDA, or the package nvidia-cuda-nvrtc by pip, or set CUDA_HOME'


# ---- NVRTC

def folders(names, packages):
    """folders of these names of CUDA: where the environment has it, in packages of pip, in the system"""
    homes = [os.environ[name] for name in ('CUDA_HOME', 'CUDA_PATH') if os.environ.get(name)]
    yield from (os.path.join(home, name) for home in homes for name in names)
    yield from (os.path.join(place, *folder.split('/')) for place in sys.path for folder in packages)
    yield from (os.path.join(home, name) for home in ('/usr/local/cuda', '/opt/cuda') for name in names)


@functools.lru_cache(maxsize=None)
def nvrtc():
    places = folders(('lib64', 'lib'), ('nvidia/cu13/lib', 'nvidia/cuda_nvrtc/lib', 'torch/lib'))
    found = [path for folder in places for path in sorted(glob.glob(os.path.join(folder, 'libnvrtc[.-]*so*')))
             if 'builtins' not in path and '.alt.' not in path]
    for path in [*found, 'libnvrtc.so', 'libnvrtc.so.13', 'libnvrtc.so.12']:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise Error(f'no NVRTC, which arrays in the memory of a GPU need: {INSTALL_NVRTC}')


def short_headers():
    """the folder of cuda_fp16.h and cuda_bf16.h"""
    for folder in folders(('include',), ('nvidia/cu13/include', 'nvidia/cuda_runtime/include')):
        if os.path.isfile(os.path.join(folder, 'cuda_fp16.h')):
            return folder
    raise Error('no cuda_fp16.h, which arrays of float16 and bfloat16 in the memory of a GPU need: install CUDA, or '
                'the package nvidia-cuda-runtime by pip, or set CUDA_HOME')


def nvrtc_version():
    numbers = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(*map(ctypes.byref, numbers))
    return '.'.join(str(number.value) for number in numbers)


def nvrtc_bytes(program, what):
    """what a program has: its log, or its code"""
    size = ctypes.c_size_t()
    getattr(nvrtc(), f'nvrtcGet{what}Size')(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc(), f'nvrtcGet{what}')(program, text)
    return text.raw


def options_of(arch):
    return [f'--gpu-architecture={arch}', '--disable-warnings']


def compiled(source, arch):
    """the code of a source for an architecture"""
    program = ctypes.c_void_p()
    options = [*options_of(arch), f'-I{get_include()}']
    if '#include <cuda_' in source:
        options.append(f'-I{short_headers()}')
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    nvrtc().nvrtcCreateProgram(ctypes.byref(program), source.encode(), b'source.cu', 0, None, None)
    try:
        status = nvrtc().nvrtcCompileProgram(program, len(options), words)
        if status != 0:
            log = nvrtc_bytes(program, 'ProgramLog').rstrip(b'\0').decode(errors='replace')
            raise CompileError(cpu.first_error(log) if log.strip() else f'NVRTC failed: {status}', log)
        return nvrtc_bytes(program, 'CUBIN')
    finally:
        nvrtc().nvrtcDestroyProgram(ctypes.byref(program))


def device_source_of(definition):
    return f'#include <cmk/cmk.h>\n{declared(definition.text, SHORT)}{definition.text}'


def cubin_of(definition, arch):
    """the code of a definition's kernels, from the cache; nothing of this machine is in its name"""
    source = device_source_of(definition)
    target = cpu.kept('.cubin', source, cpu.headers(get_include()), nvrtc_version(), *options_of(arch))
    if not target.is_file():
        cpu.write(target, compiled(source, arch))
    return target


# ---- The host's library

class Device(ctypes.Structure):
    """cmk_plan_device of kernel/plan.h"""
    _fields_ = [(name, ctypes.c_int) for name in ('processors', 'shared_bytes', 'bus_bits', 'code', 'is_sm_90a',
                                                  'resident')]


class Place(ctypes.Structure):
    """cmk_python_place of launch.h"""
    _fields_ = [('device', Device), ('context', ctypes.c_void_p), ('module', ctypes.c_void_p)]


SIZES = 4  # of a call, in launch.h


def host_source_of(definition):
    members = ''.join(f'{table.name}_table {table.name}; ' for table in definition.tables)
    held = ''.join(f' tables->{table.name} = {table.name};' for table in definition.tables)
    passed = ''.join(f', tables->{table.name}' for table in definition.tables)
    return f'''#define CMK_PYTHON_PLANNED_ , 0
#include <cmk/cmk.h>
{declared(definition.text, HOST_SHORT)}{definition.text}
typedef struct {{ {members}int none; }} cmk_python_tables;
static cudaError_t cmk_python_fill(cmk_python_tables *tables, const double *numbers)
{{
    (void)numbers, (void)tables;
    {fills_of(definition)}{held}
    return cudaSuccess;
}}
typedef int cmk_python_visit(void *state, const cmk_plan *plan);
static int cmk_python_walk(const cmk_plan_device *device, const cmk_python_tables *tables, void **arrays,
                           const size_t *sizes, const double *numbers, cmk_python_visit *visit, void *state)
{{
    (void)tables, (void)sizes, (void)numbers;
    {definition.before}
    {definition.name}_call call;
    int status = {definition.launcher}_plan(&call, device, {definition.arguments}{passed});
    while (status == 0 && {definition.name}_next(&call)) status = visit(state, &call.plan);
    if (status == 0) status = call.plan.error;
    {definition.after}
    return status;
}}
#include "launch.h"
'''


class Words(ctypes.Structure):
    """cmk_python_words of launch.h"""
    _fields_ = [(name, ctypes.c_void_p) for name in ('PyLong_AsVoidPtr', 'PyLong_FromLong', 'PyErr_Occurred',
                                                     'PyEval_SaveThread', 'PyEval_RestoreThread')]


class Method(ctypes.Structure):
    """PyMethodDef"""
    _fields_ = [('name', ctypes.c_char_p), ('function', ctypes.c_void_p), ('flags', ctypes.c_int),
                ('about', ctypes.c_char_p)]


FASTCALL = 0x80  # METH_FASTCALL


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


@functools.lru_cache(maxsize=None)
def loaded(path):
    """the functions of a library"""
    library = ctypes.CDLL(path)
    library.cmk_python_meet(ctypes.byref(Words(*(address_of(getattr(ctypes.pythonapi, name))
                                                 for name, _ in Words._fields_))))
    library.method = Method(b'filter', address_of(library.cmk_python_filter), FASTCALL, None)
    address, pointers = ctypes.c_void_p, ctypes.c_void_p
    library.cmk_python_prepare.argtypes = [pointers] * 4
    library.cmk_python_prepare.restype = address
    library.cmk_python_end.argtypes = [address]
    library.cmk_python_end.restype = None
    library.cmk_python_launch.argtypes = [address, pointers, pointers, address]
    library.cmk_python_name.restype = library.cmk_python_sentence.restype = ctypes.c_char_p
    return library


@functools.lru_cache(maxsize=None)
def library_for(what, definition):
    return loaded(str(cpu.library_of(host_source_of(definition), FLAGS, LIBRARIES, 'arrays in the memory of a GPU',
                                     what)))


# ---- The driver

PROCESSORS, BUS_BITS, MAJOR, MINOR, SHARED_BYTES = 16, 37, 75, 76, 97  # CU_DEVICE_ATTRIBUTE_
ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


@functools.lru_cache(maxsize=None)
def driver():
    try:
        cuda = ctypes.CDLL('libcuda.so.1')
    except OSError:
        raise Error("no CUDA driver: libcuda.so.1 is not found. Install NVIDIA's driver") from None
    check('cuInit', cuda.cuInit(0), cuda)
    return cuda


def name_of(status, cuda):
    """the driver's name of an error, and its sentence"""
    words = []
    for function in (cuda.cuGetErrorName, cuda.cuGetErrorString):
        text = ctypes.c_char_p()
        function(status, ctypes.byref(text))
        words.append((text.value or b'').decode())
    return ': '.join(filter(None, words)) or f'error {status}'


def check(what, status, cuda=None):
    if status != 0:
        raise Error(f'{what}: {name_of(status, cuda or driver())}')


def asked(function, *arguments, kind=ctypes.c_int):
    """what a function of the driver writes to its first argument"""
    value = kind()
    check(function, getattr(driver(), function)(ctypes.byref(value), *arguments))
    return value.value


@functools.lru_cache(maxsize=None)
def context_of(number):
    device = asked('cuDeviceGet', number)
    return asked('cuDevicePrimaryCtxRetain', device, kind=ctypes.c_void_p)


@functools.lru_cache(maxsize=None)
def facts_of(number):
    """what is told of a device, and the architecture that its code is for"""
    device = asked('cuDeviceGet', number)
    processors, bus_bits, major, minor, shared_bytes = (
        asked('cuDeviceGetAttribute', attribute, device)
        for attribute in (PROCESSORS, BUS_BITS, MAJOR, MINOR, SHARED_BYTES))
    code = 10 * major + minor
    return (processors, shared_bytes, bus_bits, code, int(code == 90), 0), f'sm_{code}' + 'a' * (code == 90)


@functools.lru_cache(maxsize=None)
def module_of(path, number):
    """a file of code in the memory of a device"""
    with open(path, 'rb') as file:
        image = file.read()
    check('cuCtxPushCurrent', driver().cuCtxPushCurrent_v2(ctypes.c_void_p(context_of(number))))
    try:
        return asked('cuModuleLoadData', image, kind=ctypes.c_void_p)
    finally:
        driver().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


# ---- Calls

NEW_FUNCTION = ctypes.pythonapi.PyCFunction_NewEx  # of a method, self, and a module
NEW_FUNCTION.argtypes, NEW_FUNCTION.restype = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p], ctypes.py_object


class Prepared:
    """a call of known sizes and tables on a device, as launch.h has it; the shape and type of its result"""
    __slots__ = ('address', 'filter', 'library', 'device', 'shape', 'dtype')  # filter: of in, out, stream

    def __init__(self, what, definition, device, sizes, numbers, shape=(), dtype=None):
        self.address, self.device, self.shape, self.dtype = None, device, shape, dtype
        if definition is None or 0 in shape:
            return  # nothing is launched for it
        self.library = library_for(what, definition)
        facts, arch = facts_of(device)
        module = module_of(str(cubin_of(definition, arch)), device)
        place = Place(Device(*facts), context_of(device), module)
        status = ctypes.c_int()
        self.address = self.library.cmk_python_prepare(
            ctypes.byref(place), (ctypes.c_size_t * SIZES)(*sizes), (ctypes.c_double * len(numbers))(*numbers),
            ctypes.byref(status))
        self.must(what, status.value)
        self.filter = NEW_FUNCTION(ctypes.byref(self.library.method), self.address, None)

    def __del__(self):
        if self.address:
            self.library.cmk_python_end(self.address)

    def must(self, what, status):
        """a status of launch.h as an exception"""
        if status > 0:
            words = [self.library.cmk_python_name(status), self.library.cmk_python_sentence(status)]
            raise Error(f'{what}: {": ".join(word.decode() for word in words)}')
        if status < 0:
            raise Error(f'{what}: {name_of(-status, driver())}')


FAST = {}  # prepared calls of arrays as they come
CALLS = {}  # and of those without gaps


def keep(calls, key, call):
    if len(calls) >= KEPT:
        calls.clear()
    calls[key] = call


NO_KEY = RuntimeError, TypeError, ValueError  # of what is no key, or wrong
NUMBERS = {float, int}


def frozen(value):
    """taps as a key: another where they have another value"""
    kind = type(value)
    if kind is np.ndarray:
        return value.tobytes(), value.shape, value.dtype
    if kind is list or kind is tuple:
        return tuple(value) if NUMBERS.issuperset(map(type, value)) else tuple(map(frozen, value))
    if kind in NUMBERS:
        return value
    value = np.asarray(value, np.float64)
    return value.tobytes(), value.shape


def hashable(value):
    """a parameter as a key"""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value


CONSTANT = str, float, int, type(None), np.generic


def is_constant(value):
    """whether a parameter stays what it is, so that a key may hold it as it comes"""
    return isinstance(value, CONSTANT) or (type(value) is tuple and all(map(is_constant, value)))


class View(NamedTuple):
    """what an array is: dtype of NumPy; device: its number; whole: without gaps"""
    shape: tuple
    dtype: np.dtype
    device: int
    whole: bool


def is_whole(shape, strides, size):
    """whether elements of this size lie side by side, in the order of rows; strides of bytes"""
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != size:
            return False
        size *= length
    return True


# ---- Libraries of arrays

class Library:
    """arrays of one library. Those that it has: filtered, of a backend; pointer(x); stream(device, x); view(x);
    whole(x), without gaps; empty(shape, dtype, x), on the device of x; copy(target, source).

    Most filters are called with what the last call had, for which a microsecond is long: filtered is a function without
    other functions. It makes a key of all that a call depends on, and launches what is kept by it, that of the last
    call without a look-up; all else is for first().
    """
    name = 'another library'

    def first(self, what, make, x, output, taps, parameters, key):
        """a call with all that is asked of it; what is prepared is kept by the key"""
        if not self.is_on_gpu(x):
            refuse(what, output=output, taps=taps)
            return cpu.filtered(what, make, x, output, taps, parameters)
        view, given = self.view(x), self.is_array(what, output)
        refuse(what, taps=taps)
        target = self.view(output) if given else None
        if given and target.device != view.device:
            raise ValueError(f'{what}: x is on device {view.device}, and output on device {target.device}')
        dtype = target.dtype if given else None if output is None else self.dtype(output)
        with LOCK:
            call = self.prepared(what, make, view, target, dtype, taps, parameters)
        source = self.whole(x)
        if key is not None and is_constant(parameters) and call.address and source is x \
                and (not given or (target.whole and type(output) is type(x))):
            keep(FAST, key, call)
        direct = given and target.whole and not self.overlap(source, output)
        result = output if direct else self.empty(call.shape, call.dtype, x)
        self.launch(what, call, source, result)
        if not given or direct:
            return result
        self.copy(output, result)
        return output

    def prepared(self, what, make, view, target, dtype, taps, parameters):
        key = make, view[:3], target and target.shape, dtype, frozen(taps), hashable(parameters)
        found = CALLS.get(key)
        if found is None:
            call = make(view.shape, view.dtype, dtype, taps, *parameters)
            if target and target.shape != tuple(call.shape):
                raise ValueError(f'{what}: output has the shape {target.shape}, and x {view.shape}')
            found = Prepared(what, call.definition, view.device, call.sizes, call.numbers, tuple(call.shape),
                             call.dtype)
            keep(CALLS, key, found)
        return found

    def launch(self, what, call, source, result):
        if call.address:
            call.must(what, call.filter(self.pointer(source), self.pointer(result), self.stream(call.device, source)))
        elif 0 not in call.shape:
            self.copy(result, source)

    def overlap(self, x, output):
        first, second = self.pointer(x), self.pointer(output)
        one, other = self.view(x), self.view(output)
        return (first < second + int(np.prod(other.shape)) * other.dtype.itemsize
                and second < first + int(np.prod(one.shape)) * one.dtype.itemsize)

    def is_array(self, what, output):
        """whether output is an array of this library; an array of another is an error"""
        other = library_of(output)
        if other is None and not isinstance(output, np.ndarray):
            return False
        if other is not self or not self.is_on_gpu(output):
            where = f'of {other.name}' if other and other.is_on_gpu(output) else 'not in the memory of a GPU'
            raise TypeError(f'{what}: x is in the memory of a GPU, of {self.name}, and output is {where}')
        return True

    def dtype(self, word):
        return np.dtype(word)

    def copy(self, target, source):
        target[...] = source

    def is_on_gpu(self, x):
        return self.view(x).device >= 0


class CuPy(Library):
    name = 'CuPy'

    def __init__(self):
        import cupy
        self.cupy, self.current = cupy, cupy.cuda.get_current_stream
        self.filtered = self.filtering()

    def filtering(self):
        current, array, last = self.current, np.ndarray, (None, None)

        def filtered(what, make, x, output, taps, parameters):
            nonlocal last
            given = type(output) is type(x)
            try:
                data = x.data
                key = (make, x.shape, x.strides, x.dtype, data.device_id,
                       (output.shape, output.strides, output.dtype, output.data.device_id) if given else output,
                       (taps.tobytes(), taps.shape, taps.dtype) if type(taps) is array else frozen(taps), parameters)
                known, call = last
                if key != known:
                    call = FAST.get(key)
                    if call is not None:
                        last = key, call
            except NO_KEY:
                key = call = None
            if call is not None:
                result = output if given else self.empty(call.shape, call.dtype, x)
                if call.filter(data.ptr, result.data.ptr, current(call.device).ptr) == 0:
                    return result
            return self.first(what, make, x, output, taps, parameters, key)

        return filtered

    def pointer(self, x):
        return x.data.ptr

    def stream(self, device, _):
        return self.current(device).ptr

    def view(self, x):
        return View(x.shape, x.dtype, x.data.device_id, x.flags.c_contiguous)

    def whole(self, x):
        if x.flags.c_contiguous:
            return x
        with self.cupy.cuda.Device(x.data.device_id):
            return self.cupy.ascontiguousarray(x)

    def empty(self, shape, dtype, x):
        with self.cupy.cuda.Device(x.data.device_id):
            return self.cupy.empty(shape, dtype)

    def copy(self, target, source):
        with self.cupy.cuda.Device(target.data.device_id):
            super().copy(target, source)


class Torch(Library):
    name = 'PyTorch'

    def __init__(self):
        import torch
        self.torch = torch
        self.current = getattr(torch._C, '_cuda_getCurrentRawStream', None)  # the other takes a microsecond
        if self.current is None:
            self.current = lambda device: torch.cuda.current_stream(device).cuda_stream
        self.filtered = self.filtering()

    def filtering(self):
        current, array, last = self.current, np.ndarray, (None, None)

        def filtered(what, make, x, output, taps, parameters):
            nonlocal last
            given = type(output) is type(x)
            try:
                key = (make, x.shape, x.dtype, x.get_device(), x.is_contiguous(), x.requires_grad, x.is_neg(),
                       (output.shape, output.dtype, output.get_device(), output.is_contiguous(), output.requires_grad,
                        output.is_neg()) if given else (output, x.is_conj()),  # filters take no complex numbers
                       (taps.tobytes(), taps.shape, taps.dtype) if type(taps) is array else frozen(taps), parameters)
                known, call = last
                if key != known:
                    call = FAST.get(key)
                    if call is not None:
                        last = key, call
            except NO_KEY:
                key = call = None
            if call is not None:
                result = output if given else self.empty(call.shape, call.dtype, x)
                if call.filter(x.data_ptr(), result.data_ptr(), current(call.device)) == 0:
                    return result
            return self.first(what, make, x, output, taps, parameters, key)

        return filtered

    def pointer(self, x):
        return x.data_ptr()

    def stream(self, device, _):
        return self.current(device)

    def dtype(self, word):
        if not isinstance(word, self.torch.dtype):
            return np.dtype(word)
        if word == self.torch.bfloat16:
            return BFLOAT16
        try:
            return np.dtype(str(word).replace('torch.', ''))
        except TypeError:
            raise TypeError(f'arrays of {word} are none of cmk') from None

    def view(self, x):
        if x.requires_grad:
            raise TypeError('cmk computes no gradients: use x.detach()')
        whole = x.is_contiguous() and not x.is_conj() and not x.is_neg()
        return View(tuple(x.shape), self.dtype(x.dtype), x.get_device() if x.is_cuda else -1, whole)

    def is_on_gpu(self, x):
        return x.is_cuda

    def whole(self, x):
        return x.resolve_conj().resolve_neg().contiguous()

    def empty(self, shape, dtype, x):
        word = 'bfloat16' if dtype == BFLOAT16 else dtype.name
        return self.torch.empty(shape, dtype=getattr(self.torch, word), device=x.device)


class Other(Library):
    """what has __cuda_array_interface__, or DLPack on a CUDA device: written where output is one too"""
    name = 'another library'

    def filtered(self, what, make, x, output, taps, parameters):
        return self.first(what, make, x, output, taps, parameters, None)  # what it is may change

    def fields(self, x):
        return x.__cuda_array_interface__ if hasattr(x, '__cuda_array_interface__') else dlpack_fields(x)

    def pointer(self, x):
        return self.fields(x)['data'][0]

    def stream(self, device, x):
        return self.fields(x).get('stream') or 0

    def view(self, x):
        if not self.is_on_gpu(x):
            return View((), None, -1, True)
        fields = self.fields(x)
        shape, dtype = tuple(fields['shape']), np.dtype(fields['typestr'])
        strides = fields.get('strides')
        device = fields['device'] if 'device' in fields else device_of(fields['data'][0]) if 0 not in shape else 0
        return View(shape, dtype, device, strides is None or is_whole(shape, strides, dtype.itemsize))

    def is_on_gpu(self, x):
        return hasattr(x, '__cuda_array_interface__') or x.__dlpack_device__()[0] in (2, 13)  # kDLCUDA, kDLCUDAManaged

    def whole(self, x):
        if not self.view(x).whole:
            raise ValueError(f'{type(x).__name__}: an array with gaps must be one of CuPy or PyTorch: cupy.asarray(x)')
        return x

    def empty(self, shape, dtype, x):
        raise TypeError(f'{type(x).__name__}: a result needs output=, or an array of CuPy or PyTorch: cupy.asarray(x)')

    def copy(self, target, source):
        raise ValueError('output has gaps, or overlaps x: it must be an array of CuPy or PyTorch')


def device_of(pointer):
    return asked('cuPointerGetAttribute', ORDINAL, ctypes.c_void_p(pointer))


class Tensor(ctypes.Structure):
    """DLTensor of DLPack"""
    _fields_ = [('data', ctypes.c_void_p), ('kind', ctypes.c_int32), ('device', ctypes.c_int32),
                ('ndim', ctypes.c_int32), ('code', ctypes.c_uint8), ('bits', ctypes.c_uint8),
                ('lanes', ctypes.c_uint16), ('shape', ctypes.POINTER(ctypes.c_int64)),
                ('strides', ctypes.POINTER(ctypes.c_int64)), ('offset', ctypes.c_uint64)]


CODES = {0: 'i', 1: 'u', 2: 'f', 5: 'c', 6: 'b'}  # of DLPack


def dlpack_fields(x):
    """an array of DLPack, safe on the default stream, in the words of __cuda_array_interface__"""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = x.__dlpack__(stream=1)
    tensor = Tensor.from_address(get(capsule, b'dltensor'))
    if tensor.code not in CODES or tensor.lanes != 1:
        raise TypeError('arrays of this type are none of cmk')
    size = tensor.bits // 8
    strides = tuple(tensor.strides[k] * size for k in range(tensor.ndim)) if tensor.strides else None
    return {'shape': tuple(tensor.shape[:tensor.ndim]), 'typestr': f'{CODES[tensor.code]}{size}', 'strides': strides,
            'data': ((tensor.data or 0) + tensor.offset, False), 'device': tensor.device}


@functools.lru_cache(maxsize=None)
def made(kind):
    return kind()


def library_of(x):
    """the library of an array that may be in the memory of a GPU, or None"""
    names = {f'{kind.__module__.partition(".")[0]}.{kind.__name__}' for kind in type(x).__mro__}
    if 'cupy.ndarray' in names:
        return made(CuPy)
    if 'torch.Tensor' in names:
        return made(Torch)
    if hasattr(x, '__cuda_array_interface__') or (hasattr(x, '__dlpack_device__') and not isinstance(x, np.ndarray)):
        return made(Other)
    return None


def refuse(what, **arrays):
    """no array in the memory of a GPU is one of these"""
    for name, x in arrays.items():
        library = library_of(x)
        if library and library.is_on_gpu(x):
            raise TypeError(f'{what}: {name} is in the memory of a GPU: ' + (
                'taps go to a kernel as its arguments, from the host: taps.get(), taps.cpu()' if name == 'taps' else
                'and x is not'))


# ---- Stencils

class Grids:
    """the arrays of a stencil, all of one library and one device"""

    def __init__(self, what, library, name, arrays):
        self.library, self.like = library, arrays[name]
        arrays = {other: x for other, x in arrays.items() if not isinstance(x, (int, float, np.generic))}
        for other, x in arrays.items():
            if library_of(x) is not library or not library.is_on_gpu(x):
                raise TypeError(f'{what}: {name} is in the memory of a GPU, of {library.name}, and {other} is not')
        self.device = library.view(self.like).device
        for other, x in arrays.items():
            if library.view(x).device != self.device:
                raise ValueError(f'{what}: {name} is on device {self.device}, and {other} on device '
                                 f'{library.view(x).device}')

    def shape_of(self, x):
        return self.library.view(x)[:2]

    def copy(self, x):
        shape, dtype = self.shape_of(x)
        result = self.library.empty(shape, dtype, self.like)
        self.library.copy(result, x)
        return result

    def zeros(self, shape, dtype):
        result = self.library.empty(shape, np.dtype(dtype), self.like)
        self.library.copy(result, 0)
        return result

    def run(self, what, definition, arrays, sizes, numbers):
        """makes a call; the arrays behind it, in the order that it leaves"""
        found = [one.data for one in arrays]
        if 0 in sizes[:-1]:
            return found  # nothing is launched for it
        key = definition, self.device, tuple(sizes)
        with LOCK:
            call = CALLS.get(key)
            if call is None:
                call = Prepared(what, definition, self.device, sizes, numbers)
                keep(CALLS, key, call)
        at = {self.library.pointer(data): data for data in found}
        pointers = (ctypes.c_void_p * len(found))(*at)
        stream = self.library.stream(self.device, self.like)
        values = (ctypes.c_double * len(numbers))(*numbers)
        call.must(what, call.library.cmk_python_launch(call.address, pointers, values, stream))
        return [at[pointer] for pointer in pointers]
