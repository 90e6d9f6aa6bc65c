"""The Python package's launches, on a machine without a GPU: a driver that only writes them down, and stand-ins for
CuPy and PyTorch (tests/python/standin). What is launched is what plans in C say (tests/python/plan.c).

defects: those planted in copies of the package, each of which a check must find.

usage: launches.py [launches|defects ...] [--only TEXT]
"""

import argparse
import contextlib
import ctypes
import functools
import itertools
import os
import shlex
import shutil
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from harness import ROOT, Failure, Skip, compiler, fails, folder, must, report, run  # noqa: E402

try:
    import numpy as np
except ImportError:
    np = None

FACTS = {0: (132, 232448, 90, 0x1000), 1: (108, 166912, 80, 0x1001)}  # of the devices of standin/libcuda.c
RESIDENT = 16  # what it says of 128 threads
HEAT = 'CMK_POINT_SET(u, k * CMK_POINT_AT(u, 0, 1));'


class World:
    """the package, the driver, the two libraries, and the plans in C"""

    def __init__(self, include, package, work):
        self.package, self.work, self.cc = package, work, compiler('CC')
        if np is None:
            raise Skip('no numpy')
        os.environ.update(CC=shlex.join(self.cc), CFLAGS='-O0', XDG_CACHE_HOME=str(work / 'cache'))
        self.plans = work / 'plan'
        must([*self.cc, '-std=gnu11', '-O0', '-DCMK_PLAN_ONLY=1', f'-I{include}', '-x', 'c', '-o', self.plans,
              HERE / 'plan.c', '-lm', '-lpthread'])
        library = work / 'libcuda.so.1'
        must([*self.cc, '-shared', '-fPIC', '-Wl,-soname,libcuda.so.1', '-o', library, HERE / 'standin/libcuda.c'])
        self.driver = ctypes.CDLL(str(library))
        self.driver.standin_log.restype = ctypes.c_char_p
        sys.path[:0] = [str(HERE / 'standin'), str(package)]
        import cmk
        import cupy
        import torch
        from cmk import cpu, cuda
        cpu.get_include = cuda.get_include = lambda: str(include)
        self.cmk, self.cuda, self.cupy, self.torch = cmk, cuda, cupy, torch
        self.cubin_of = cuda.cubin_of
        cuda.cubin_of = lambda *_: os.devnull  # the driver takes any
        self.driver.cuCtxPushCurrent_v2(ctypes.c_void_p(FACTS[0][3]))

    def arrays(self, kind, *hosts, device=0):
        return [kind(host, device) for host in hosts]

    def both(self):
        return ((self.cupy.ndarray, self.cupy.streams), (self.torch.Tensor, self.torch.streams))

    def library(self, kind):
        return self.cuda.made(self.cuda.CuPy if kind is self.cupy.ndarray else self.cuda.Torch)

    def pointer(self, x):
        return x.data.ptr if isinstance(x, self.cupy.ndarray) else x.data_ptr()

    def log(self):
        return self.driver.standin_log().decode()

    def planned(self, kind, device, stream, shape, x, output):
        """what a plan in C launches; the driver learns how long the arguments are"""
        processors, shared, code, context = FACTS[device]
        text = must([self.plans, kind, processors, shared, code, RESIDENT, f'{stream:x}', f'{context:x}', *shape,
                     f'{x:x}', f'{output:x}'])
        for line in filter(lambda line: ':' in line, text.splitlines()):
            sizes = [len(part) // 2 for part in line.partition(':')[2].split()]
            self.driver.standin_sizes(line.split()[0].encode(), (ctypes.c_size_t * len(sizes))(*sizes), len(sizes))
        return text


def same(found, expected):
    if found != expected or not found:
        for one, other in zip(found.splitlines() or [''], expected.splitlines() or ['']):
            if one != other:
                raise Failure(f'launched: {one[:600]}\nplanned:  {other[:600]}')
        raise Failure(f'{len(found.splitlines())} launches, {len(expected.splitlines())} planned')


def host(shape, dtype='f4'):
    return np.zeros(shape, dtype)


# ---- Launches

def calls(cmk):
    """(name, of plan.c; the call of it, and shapes)"""
    taps = np.arange(121.0)
    return (
        ('smooth', lambda x, out: cmk.conv2d(x, taps[:9].reshape(3, 3), output=out), ((64, 64), (1, 1), (3001, 517))),
        ('large', lambda x, out: cmk.conv2d(x, taps.reshape(11, 11), mode='constant', how='convolution', output=out),
         ((64, 64), (2048, 3072))),
        ('product', lambda x, out: cmk.separable(x, [taps[:9], taps[9:18]], mode='nearest', output=out),
         ((64, 64), (1500, 1100))))


def check_filters(world):
    """kernels, grids, blocks, shared memory, streams, contexts and all bytes of arguments; twice: prepared, and kept"""
    for (name, call, shapes), (kind, streams), device in ((one, two, three) for one in calls(world.cmk)
                                                          for two in world.both() for three in (0, 1)):
        for shape in shapes:
            x, output = world.arrays(kind, host(shape), host(shape), device=device)
            expected = world.planned(name, device, streams[device], shape, world.pointer(x), world.pointer(output))
            world.log()
            for _ in range(2):
                if call(x, output) is not output:
                    raise Failure('output is another array')
                same(world.log(), expected)


def check_transpose(world):
    for kind, streams in world.both():
        x, = world.arrays(kind, host((33, 50)))
        world.planned('turn', 0, streams[0], (33, 50), world.pointer(x), world.pointer(x) + 2 ** 40)
        world.log()
        result = world.cmk.transpose(x)
        found = world.log()
        same(found, world.planned('turn', 0, streams[0], (33, 50), world.pointer(x), world.pointer(result)))
        if type(result) is not kind or tuple(result.shape) != (50, 33):
            raise Failure(f'{result}')


def stepped(world, plan, kind, stream, call):
    """the result of a stencil's call, of arrays of 40 x 70; (its launches, those that plan.c plans)"""
    library, made = world.library(kind), []
    empty = library.empty
    library.empty = lambda *words: made.append(empty(*words)) or made[-1]
    try:
        world.planned(plan, 0, stream, (40, 70), 2 ** 20, 2 ** 40)
        world.log()
        result = call()
    finally:
        del library.empty
    return result, world.log(), world.planned(plan, 0, stream, (40, 70), *map(world.pointer, made))


def check_stencil(world):
    """steps that change the places of buffers: what is returned is that of the last"""
    heat = world.cmk.stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest'), ('VALUE', 'float', 'k')], HEAT)
    for (kind, streams), steps in ((one, steps) for one in world.both() for steps in (1, 2, 7)):
        x, = world.arrays(kind, host((40, 70)))
        result, found, expected = stepped(world, f'heat{steps}', kind, streams[0],
                                          lambda x=x, steps=steps: heat(u=x, k=0.25, steps=steps))
        same(found + f'{world.pointer(result.u):x}\n', expected)


def check_short(world):
    """bfloat16, which NumPy has not: a filter's launches are those of half, and the numbers of a stencil its bits"""
    torch, taps = world.torch, np.arange(9.0).reshape(3, 3)
    x, output = world.arrays(torch.Tensor, host((40, 70), torch.BITS), host((40, 70), torch.BITS))
    expected = world.planned('narrow', 0, torch.streams[0], (40, 70), world.pointer(x), world.pointer(output))
    world.log()
    world.cmk.conv2d(x, taps, output=output)
    same(world.log(), expected)
    for result in (world.cmk.conv2d(x, taps), world.cmk.transpose(x),
                   world.cmk.conv2d(torch.Tensor(host((40, 70))), taps, output=torch.bfloat16)):
        if result.dtype is not torch.bfloat16:
            raise Failure(f'{result.dtype}')
    shift = world.cmk.stencil([('NEXT', 'bfloat16', 'u', 'CMK_POINT_STAR(1)', 'constant'), ('VALUE', 'bfloat16', 'k')],
                              'CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));')
    result, found, expected = stepped(world, 'shift', torch.Tensor, torch.streams[0],
                                      lambda: shift(u=x, k=-2.0, u_outside=1.01))
    same(found, expected)
    if result.u.dtype is not torch.bfloat16:
        raise Failure(f'{result.u.dtype}')
    fails(TypeError, 'u is of float32', lambda: shift(u=torch.Tensor(host((40, 70))), k=0))
    fails(world.cmk.Error, 'bfloat16 is of arrays in the memory of a GPU alone',
          lambda: world.cmk.stencil([('SAME', 'float', 'u'), ('OUT', 'bfloat16', 'v')], '')(u=host((4, 4))))


def check_streams(world):
    """the current stream, whichever it is then"""
    taps = np.arange(9.0).reshape(3, 3)
    for kind, streams in world.both():
        x, output = world.arrays(kind, host((64, 64)), host((64, 64)))
        kept = streams[0]
        for stream in (0, 0x123450, 2):
            streams[0] = stream
            expected = world.planned('smooth', 0, stream, (64, 64), world.pointer(x), world.pointer(output))
            world.log()
            world.cmk.conv2d(x, taps, output=output)
            same(world.log(), expected)
        streams[0] = kept


def check_contexts(world):
    """the context of the arrays is that of the launch alone"""
    x, = world.arrays(world.cupy.ndarray, host((8, 8)), device=1)
    world.cmk.conv2d(x, np.ones((3, 3)))
    current = ctypes.c_void_p()
    world.driver.cuCtxGetCurrent(ctypes.byref(current))
    if ', 1001:' not in world.log() or current.value != FACTS[0][3]:
        raise Failure('the context')


def changed_in_place(taps, call):
    taps[1, 1] += 1
    call()
    taps[1, 1] -= 1


def others(world, kind, x, taps, output):
    """calls that differ in one thing from conv2d(x, taps, output=output), or from a transpose"""
    conv2d = world.cmk.conv2d
    double, narrow, wide = world.arrays(kind, host((64, 64), 'f8'), host((64, 63)), host((64, 128)))
    apart, = world.arrays(kind, host((64, 64)), device=1)
    yield lambda: changed_in_place(taps, lambda: conv2d(x, taps, output=output))
    for weights in (taps * 2, taps[:2], taps.reshape(1, 9), taps.view('i8')):
        yield lambda: conv2d(x, weights, output=output)
    for word in ({'mode': 'wrap'}, {'cval': 1}, {'origin': 1}, {'how': 'convolution'}, {'axes': (0, 1)}):
        yield lambda: conv2d(x, taps, output=output, **word)
    like = [double, narrow, wide[:, ::2], apart]
    if kind is world.torch.Tensor:
        like += [kind(host((64, 64)), **{word: True}) for word in ('requires_grad', 'is_neg')]
        yield lambda: world.cmk.transpose(kind(host((64, 64), 'c8'), is_conj=True))
    for another in like:
        yield lambda: conv2d(another, taps, output=output)
        yield lambda: conv2d(x, taps, output=another)
    yield lambda: world.cmk.separable(x, taps, output=output)
    yield lambda: conv2d(x, taps)


class Moving(list):
    """what is a key of a dictionary, and changes"""
    __hash__ = object.__hash__


def check_kept(world):
    """a call again is not prepared again, unless something of it is another"""
    taps = np.arange(9.0).reshape(3, 3)
    for kind, streams in world.both():
        moving = Moving((0, 0))
        x, output = world.arrays(kind, host((64, 64)), host((64, 64)))
        known, variants = world.library(kind), []
        expected = world.planned('smooth', 0, streams[0], (64, 64), world.pointer(x), world.pointer(output))
        world.cmk.conv2d(x, taps * 0, output=output)
        world.log()
        complexes, = world.arrays(kind, host((64, 64), 'c8'))
        for _ in range(2):
            world.cmk.conv2d(x, taps, output=output)
            same(world.log(), expected)
            world.cmk.transpose(complexes)
            world.log()
        world.cmk.conv2d(x, taps, output=output, origin=moving)
        known.first = lambda *_: variants.append(1)
        try:
            for _ in range(3):
                world.cmk.conv2d(x, taps, output=output)
                world.cmk.conv2d(x, taps.copy(), output=output)
                world.cmk.transpose(complexes)
            if variants:
                raise Failure('prepared again')
            moving[:] = 1, 1
            again = [lambda: world.cmk.conv2d(x, taps, output=output, origin=moving)]
            for count, call in enumerate(itertools.chain(others(world, kind, x, taps, output), again), 1):
                world.cmk.conv2d(x, taps, output=output)
                call()
                if len(variants) != count:
                    raise Failure(f'call {count} was taken as another')
        finally:
            del known.first


def check_shapes(world):
    """gaps, nothing, in place, results of the same library; twice: prepared, and kept"""
    taps = np.ones((3, 3))
    for kind, _ in world.both():
        empty, gaps, output = world.arrays(kind, host((0, 8)), host((8, 16)), host((8, 8)))
        world.planned('smooth', 0, 0, (8, 8), 2 ** 20, 2 ** 40)
        world.log()
        if tuple(world.cmk.conv2d(empty, taps).shape) != (0, 8) or world.log():
            raise Failure('nothing is something')
        rows, = world.arrays(kind, host((16, 8)))
        for call in 2 * (lambda: world.cmk.conv2d(gaps[:, ::2], taps),
                         lambda: world.cmk.conv2d(output, taps, output='f8'),
                         lambda: world.cmk.conv2d(output, taps, output=gaps[:, ::2]),
                         lambda: world.cmk.conv2d(rows[:8], taps, output=rows[7:15]),
                         lambda: world.cmk.conv2d(rows[1:9], taps, output=rows[:8]),
                         lambda: world.cmk.conv2d(output, taps, output=output)):
            result = call()
            lines = world.log().splitlines()
            if type(result) is not kind or tuple(result.shape) != (8, 8) or len(lines) != 1:
                raise Failure(f'{result}, {lines}')
            pointers = [int.from_bytes(bytes.fromhex(word), 'little') for word in lines[0].split(':')[1].split()[:2]]
            if world.pointer(gaps) in pointers or abs(pointers[0] - pointers[1]) < 8 * 8 * 4:
                raise Failure('what has gaps, or overlaps, is given to the kernel')


# ---- Others

class Named:
    def __init__(self, x, **more):
        self.__cuda_array_interface__ = {**x.__array_interface__, **more}


class Exchanged:
    def __init__(self, x):
        self.kept = x

    def __dlpack__(self, stream):
        return self.kept.__dlpack__()

    def __dlpack_device__(self):
        return 2, 0


def check_others(world):
    x, output = host((64, 64)), host((64, 64))
    taps = np.arange(9.0).reshape(3, 3)
    for kind, stream in ((Named, 0), (lambda a: Named(a, stream=0x55), 0x55), (Exchanged, 0)):
        expected = world.planned('smooth', 0, stream, (64, 64), x.ctypes.data, output.ctypes.data)
        world.log()
        world.cmk.conv2d(kind(x), taps, output=kind(output))
        same(world.log(), expected)
        fails(TypeError, 'a result needs output=', lambda kind=kind: world.cmk.conv2d(kind(x), taps))
    fails(ValueError, 'an array with gaps', lambda: world.cmk.conv2d(Named(x[:, ::2]), taps,
                                                                        output=Named(output[:, :32].copy())))


def check_refusals(world):
    cmk, x = world.cmk, host((8, 8))
    taps = np.ones((3, 3))
    for kind, _ in world.both():
        first, second, cube = *world.arrays(kind, x, x), *world.arrays(kind, host((2, 2, 2), 'f8'))
        apart, = world.arrays(kind, x, device=1)
        wave = cmk.stencil([('LEAPFROG', 'double', 'p')], '', dims=3)
        for error, text, call in (
                (ValueError, 'x is on device 0, and output on device 1', lambda: cmk.conv2d(first, taps, output=apart)),
                (TypeError, 'output is not in the memory of a GPU', lambda: cmk.conv2d(first, taps, output=x)),
                (TypeError, 'output is in the memory of a GPU: and x', lambda: cmk.conv2d(x, taps, output=first)),
                (TypeError, 'taps is in the memory of a GPU', lambda: cmk.conv2d(first, second[:3, :3])),
                (TypeError, 'p_before is not', lambda: wave(p=cube, p_before=host((2, 2, 2), 'f8'))),
                (TypeError, 'p_before is in', lambda: wave(p_before=cube, p=host((2, 2, 2), 'f8'))),
                (ValueError, "no mode 'edge'", lambda: cmk.conv2d(first, taps, mode='edge')),
                (ValueError, 'output has the shape (2, 2)', lambda: cmk.conv2d(first, taps, output=second[:2, :2])),
                (ValueError, 'taps are 34 x 1: from 1 to 33', lambda: cmk.conv2d(first, np.ones((34, 1))))):
            fails(error, text, call)
    cupy_x, torch_x = world.cupy.ndarray(x), world.torch.Tensor(x)
    fails(TypeError, 'output is of PyTorch', lambda: cmk.conv2d(cupy_x, taps, output=torch_x))
    fails(TypeError, 'use x.detach()', lambda: cmk.conv2d(world.torch.Tensor(x, requires_grad=True), taps))
    byte = world.torch.float8_e4m3fn
    fails(TypeError, 'arrays of torch.float8_e4m3fn are none', lambda: cmk.conv2d(torch_x, taps, output=byte))
    if cmk.conv2d(world.torch.Tensor(x, -1), taps).shape != (8, 8):
        raise Failure('a tensor of the host')


def check_errors(world):
    """an error of the driver is an exception; the call after it is right"""
    cmk, (x, output) = world.cmk, world.arrays(world.cupy.ndarray, host((64, 64)), host((64, 64)))
    taps = np.arange(9.0).reshape(3, 3)
    cmk.conv2d(x, taps, output=output)
    expected = world.planned('smooth', 0, 0x70, (64, 64), world.pointer(x), world.pointer(output))
    world.log()
    sticky = world.driver.standin_fail
    sticky(2)  # once: the call is made anew, and is right
    cmk.conv2d(x, taps, output=output)
    same(world.log(), expected)
    sticky(-700)
    fails(cmk.Error, 'conv2d: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access',
          lambda: cmk.conv2d(x, taps, output=output))
    sticky(0)
    cmk.conv2d(x, taps, output=output)
    fails(TypeError, 'integer', lambda: next(reversed(world.cuda.FAST.values())).filter(world.pointer(x), None, 0))
    many, = world.arrays(world.cupy.ndarray, np.lib.stride_tricks.as_strided(host((1,), 'u1'), (1, 2 ** 31), (0, 0)))
    world.cupy.ndarray.flags, kept = property(lambda _: type('', (), {'c_contiguous': True})), world.cupy.ndarray.flags
    try:
        fails(cmk.Error, 'conv2d: cudaErrorInvalidValue: ', lambda: cmk.conv2d(many, taps, output=many))
    finally:
        world.cupy.ndarray.flags = kept


def check_threads(world):
    taps, wrong = np.arange(9.0).reshape(3, 3), []
    arrays = [world.arrays(world.cupy.ndarray, host((20 + number, 30)), host((20 + number, 30)))
              for number in range(4)]
    expected = [world.planned('smooth', 0, 0x70, x.shape, world.pointer(x), world.pointer(output))
                for x, output in arrays]

    def work(number):
        x, output = arrays[number]
        for _ in range(200):
            if world.cmk.conv2d(x, taps, output=output) is not output:
                wrong.append(number)

    world.log()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise Failure(f'{wrong}')
    same('\n'.join(sorted(world.log().splitlines())), '\n'.join(sorted(''.join(expected * 200).splitlines())))


# ---- What must be there, and the cache

@contextlib.contextmanager
def environment(**variables):
    kept = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def check_missing(world):
    """no compiler and no NVRTC: sentences that say what to install"""
    cuda, x = world.cuda, world.arrays(world.cupy.ndarray, host((9, 9)))[0]
    with environment(CC=str(world.work / 'none')):
        fails(world.cmk.Error, 'no C compiler, which arrays in the memory of a GPU need', lambda: world.cmk.conv2d(
            x, np.ones((2, 7))))
    cdll, cuda.ctypes.CDLL = cuda.ctypes.CDLL, None
    kept, cuda.folders = cuda.folders, lambda *_: []

    class Nothing:
        def __init__(self, *_):
            raise OSError

    cuda.ctypes.CDLL = Nothing
    try:
        cuda.nvrtc.cache_clear()
        fails(world.cmk.Error, 'no NVRTC, which arrays in the memory of a GPU need: install CUDA', cuda.nvrtc)
        fails(world.cmk.Error, 'no cuda_fp16.h, which arrays of float16', cuda.short_headers)
        fails(world.cmk.Error, 'no CUDA driver', cuda.driver.__wrapped__)
    finally:
        cuda.folders, cuda.ctypes.CDLL = kept, cdll


CUBINS = '''import os, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import cmk
from cmk import cpu, cuda, definition, filters
cpu.get_include = cuda.get_include = lambda: sys.argv[2]
try:
    cuda.nvrtc()
except cmk.Error as error:
    sys.exit(f'skip: {error}')
one = filters.transpose_of((3, 4), np.dtype('u1'), None, (), None).definition
first = cuda.cubin_of(one, 'sm_90a')
before = first.stat().st_mtime_ns
assert first.read_bytes()[:4] == b'\\x7fELF'
os.environ.update(CC='another', CFLAGS='-O3')
assert cuda.cubin_of(one, 'sm_90a') == first and first.stat().st_mtime_ns == before
assert cuda.cubin_of(one, 'sm_80') != first
assert [path.suffix for path in first.parent.iterdir()] == ['.cubin'] * 2
try:
    cuda.cubin_of(one._replace(text='\\nint int;'), 'sm_90a')
except cmk.CompileError as error:
    assert 'int' in error.output, error.output
else:
    sys.exit('what is no C compiles')
for short in np.dtype('f2'), definition.BFLOAT16:
    one = filters.conv2d_of((9, 9), short, None, [[1]], 'constant', 1.5, 0, 'correlation', None).definition
    assert cuda.cubin_of(one, 'sm_80').read_bytes()[:4] == b'\\x7fELF'
'''


def check_cubins(world):
    """code is made once, and is another for another architecture alone: not for another machine's compiler. In a
    process without the driver that only writes down: NVRTC looks for one."""
    status, output = run([sys.executable, '-c', CUBINS, world.package, world.cuda.get_include()],
                         XDG_CACHE_HOME=str(world.work / 'cubins'))
    if 'skip: ' in output:
        raise Skip(output)
    if status != 0:
        raise Failure(output)


CHECKS = [('filters are launched as plans say, by both libraries on both devices', check_filters),
          ('a transpose', check_transpose), ('a stencil', check_stencil), ('bfloat16', check_short),
          ('the current stream', check_streams), ('the context of another device', check_contexts),
          ('a call is kept, and another is another', check_kept),
          ('arrays with gaps, of nothing, in place', check_shapes),
          ('arrays of other libraries', check_others), ('wrong calls', check_refusals),
          ("the driver's errors", check_errors), ('threads', check_threads),
          ('cubins in the cache', check_cubins), ('what must be installed', check_missing)]


# ---- Defects: a check, a file of the package, what stands there, and what in its place

TAPS = 23 * ' ' + '('
DEFECTS = [
    ('filters are launched', 'launch.h', 'plan->grid[1], plan->grid[2]', 'plan->grid[2], plan->grid[1]'),
    ('filters are launched', 'launch.h', '(unsigned)plan->shared_bytes, now->stream', '0, now->stream'),
    ('filters are launched', 'cuda.py', 'int(code == 90), 0)', '0, 0)'),
    ('filters are launched', 'cuda.py', "held = ''.join(", "held = ''.join([]) and ''.join("),
    ('bfloat16', 'cuda.py', 'cmk_host_bfloat16_bits_(cmk_host_odd_(number))', 'cmk_host_half_bits_((float)number)'),
    ('bfloat16', 'cuda.py', "'bfloat16' if dtype == BFLOAT16", "'float16' if dtype == BFLOAT16"),
    ('a stencil', 'cuda.py', 'return [at[pointer] for pointer in pointers]', 'return found'),
    ('the current stream', 'launch.h', 'now->stream', 'NULL'),
    ('the current stream', 'cuda.py', 'current(call.device).ptr', 'FAST.setdefault(0, current(call.device).ptr)'),
    ('the current stream', 'cuda.py', 'current(call.device)) == 0', 'FAST.setdefault(0, current(call.device))) == 0'),
    ('the context of another', 'launch.h', 'if (is_another) cmk_python_cuda_.pop(&context);', ''),
    ('a call is kept', 'cuda.py', 'return value.tobytes(), value.shape, value.dtype', 'return value.shape'),
    ('a call is kept', 'cuda.py', 'x.shape, x.strides, x.dtype, data', 'x.shape, x.dtype, data'),
    ('a call is kept', 'cuda.py', ' data.device_id,\n', '\n'),
    ('a call is kept', 'cuda.py', 'output.dtype, output.data.device_id)', 'output.dtype)'),
    ('a call is kept', 'cuda.py', f'output.data.device_id) if given else output,\n{TAPS}taps.tobytes(), ',
     f'output.data.device_id) if given else output,\n{TAPS}'),
    ('a call is kept', 'cuda.py', f'output.data.device_id) if given else output,\n{TAPS}taps.tobytes(), taps.shape, ',
     f'output.data.device_id) if given else output,\n{TAPS}taps.tobytes(), '),
    ('a call is kept', 'cuda.py', 'x.dtype, x.get_device(), x.is_contiguous(), ', 'x.dtype, x.is_contiguous(), '),
    ('a call is kept', 'cuda.py', 'x.get_device(), x.is_contiguous(), x.requires', 'x.get_device(), x.requires'),
    ('a call is kept', 'cuda.py', 'x.requires_grad, x.is_neg(),', 'x.is_neg(),'),
    ('a call is kept', 'cuda.py', 'x.requires_grad, x.is_neg(),', 'x.requires_grad,'),
    ('a call is kept', 'cuda.py', 'else (output, x.is_conj())', 'else output'),
    ('a call is kept', 'cuda.py', 'output.is_contiguous(), output.requires_grad,', 'output.is_contiguous(),'),
    ('a call is kept', 'cuda.py', 'output.requires_grad,\n                        output.is_neg()',
     'output.requires_grad'),
    ('a call is kept', 'cuda.py', 'keep(FAST, key, call)', 'pass'),
    ('a call is kept', 'cuda.py', 'key is not None and is_constant(parameters)', 'key is not None'),
    ('in place', 'cuda.py', ' and not self.overlap(source, output)', ''),
    ('in place', 'cuda.py', 'current(call.device).ptr) == 0:', 'current(call.device).ptr) >= 0:'),
    ('in place', 'cuda.py', 'current(call.device)) == 0:', 'current(call.device)) >= 0:'),
    ('in place', 'cuda.py', 'source = self.whole(x)', 'source = x'),
    ('other libraries', 'cuda.py', "self.fields(x).get('stream') or 0", '0'),
    ('wrong calls', 'cuda.py', 'if given and target.device != view.device:', 'if False:'),
    ('wrong calls', 'backends.py', 'cuda.refuse(what, output=output, taps=taps)', 'pass'),
    ("the driver's errors", 'cuda.py', 'if status < 0:', 'if status < -1000:'),
    ("the driver's errors", 'launch.h', 'return status == cmk_python_seen_ ? 0 : status;', 'return status;'),
    ('cubins', 'cuda.py', 'nvrtc_version(), *options_of(arch))', 'nvrtc_version())'),
    ('cubins', 'cuda.py', "if '#include <cuda_' in source:", 'if False:'),
    ("the driver's errors", 'launch.h', 'if (cmk_python_.PyErr_Occurred()) return NULL;', ''),
]


def check_defect(include, defect):
    check, name, old, new = defect
    with folder() as place:
        package = Path(place) / 'cmk'
        shutil.copytree(ROOT / 'python' / 'cmk', package, ignore=shutil.ignore_patterns('__pycache__'))
        (package / 'include').symlink_to(include)
        text = (package / name).read_text(encoding='utf-8')
        if text.count(old) != 1:
            raise Failure(f'{name} has it in {text.count(old)} places: {old}')
        (package / name).write_text(text.replace(old, new), encoding='utf-8')
        output = run([sys.executable, __file__, 'launches', '--only', check, '--include', include, '--package',
                      place])[1]
    if ' # SKIP ' in output:
        raise Skip(output)
    if 'not ok ' not in output:
        raise Failure(f'is not found:\n{output}')


def defects(include):
    for defect in DEFECTS:
        old, new = (' '.join(text.split()) for text in defect[2:])
        yield (f'{defect[0]}: fails after {defect[1]}: {old} -> {new}',
               lambda defect=defect: check_defect(include, defect))


def tried(world, check):
    """the check, in the one world that there is; any exception of the package is a failure"""
    one = world()
    one.driver.standin_forget()
    try:
        check(one)
    except (Failure, Skip):
        raise
    except Exception as error:  # of a defect
        raise Failure(f'{type(error).__name__}: {error}') from error


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', nargs='*', default=['launches'])
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    parser.add_argument('--package', type=Path, default=ROOT / 'python', help='the folder that holds cmk, the module')
    parser.add_argument('--only', default='', metavar='TEXT')
    options = parser.parse_args()
    include = options.include.resolve()
    with folder() as work:
        world = functools.lru_cache(maxsize=None)(lambda: World(include, options.package, Path(work)))
        checks = [(name, lambda check=check: tried(world, check)) for name, check in CHECKS]
        report([*(checks if 'launches' in options.which else []),
                *(defects(include) if 'defects' in options.which else [])], options)


main()
