"""The Python package on a GPU: CuPy's and PyTorch's arrays, judged by cupyx.scipy.ndimage in double.

grid: the parameters of filters, 2000 cases and more, of arrays of both libraries, with gaps and without, with and
without an output, on streams. large: those of sizes that other kernels take. interface: all else.

usage: gpu.py [grid|large|interface ...] [--jobs N] [--only TEXT] [--cache DIR]
       gpu.py compile DIR [--jobs N]     compiles what all of these need, for sm_90a, where no GPU need be
"""

import argparse
import concurrent.futures
import functools
import itertools
import multiprocessing
import os
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / 'python')]
from harness import Failure, Skip, fails, gpu_present, tap  # noqa: E402

import numpy as np  # noqa: E402
from cases import Case, Judge, compare, drawn, images, lines, volumes  # noqa: E402

ALL = 2000
ARCH = 'sm_90a'
CROSS = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
HEAT = '''
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4 * U(0, 0)));
'''
WAVE = '''
double sum = -6 * CMK_POINT_AT(p, 0, 0, 0);
for (int d = -1; d < 2; d += 2)
    sum += CMK_POINT_AT(p, d, 0, 0) + CMK_POINT_AT(p, 0, d, 0) + CMK_POINT_AT(p, 0, 0, d);
const double next = 2 * CMK_POINT_AT(p, 0, 0, 0) - CMK_POINT_BEFORE(p) + 0.1 * sum;
CMK_POINT_SET(speed, (float)(next - CMK_POINT_AT(p, 0, 0, 0)));
CMK_POINT_SET(p, next);
'''


# ---- Libraries of arrays

class CuPy:
    def __init__(self):
        import cupy
        self.cupy = cupy

    def array(self, x):
        return self.cupy.asarray(x)

    def host(self, x):
        return self.cupy.asnumpy(x)

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def is_array(self, x):
        return isinstance(x, self.cupy.ndarray)

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()


class Torch:
    def __init__(self):
        import torch
        self.torch = torch

    def array(self, x):
        return self.torch.from_numpy(np.ascontiguousarray(x)).cuda()

    def host(self, x):
        return x.cpu().numpy()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def is_array(self, x):
        return isinstance(x, self.torch.Tensor) and x.is_cuda

    def synchronize(self):
        self.torch.cuda.synchronize()


@functools.lru_cache(maxsize=None)
def library(kind):
    try:
        return kind()
    except ImportError:
        raise Skip(f'no {kind.__name__}') from None


@functools.lru_cache(maxsize=None)
def judge():
    try:
        import cupy
        import cupyx.scipy.ndimage
    except ImportError:
        raise Skip('no cupyx.scipy.ndimage') from None
    one = Judge(cupyx.scipy.ndimage)
    return lambda case, x, taps: [cupy.asnumpy(part) if hasattr(part, 'get') else part
                                  for part in one(case, cupy.asarray(x), cupy.asarray(taps))]


# ---- Cases

def with_outputs():
    """sums of integers as they are"""
    for number, (dtype, mode) in enumerate(itertools.product(('uint8', 'int16', 'uint16'), ('reflect', 'constant'))):
        yield Case('conv2d', [(1, 1), (13, 37), (70, 9), (64, 100)], (3, 3 + number % 2), dtype,
                   {'mode': mode, 'output': 'float32'})


def large():
    for size in ((3, 3), (5, 5), (9, 9), (11, 11), (15, 15), (33, 33)):
        yield Case('conv2d', [(1500, 2000), (1001, 997)], size, 'float32', {'mode': 'constant'})
    for mode in ('reflect', 'wrap', 'nearest', 'mirror'):
        yield Case('conv2d', [(640, 1536), (1001, 997)], (11, 9), 'float32', {'mode': mode, 'how': 'convolution'})
    for size, dtype in (((3, 3), 'uint8'), ((9, 9), 'uint8'), ((5, 5), 'uint16'), ((7, 3), 'float64'),
                        ((3, 3), 'float16'), ((11, 11), 'float16')):
        yield Case('conv2d', [(1100, 2112), (999, 1001)], size, dtype, {'mode': 'nearest'})
    for length in (9, 33, 65):
        yield Case('separable', [(1500, 1100), (1024, 2048)], (2, length), 'float32', {'mode': 'constant'})
    yield Case('separable', [(1100, 2112)], (2, 5), 'uint8', {'mode': 'reflect'})
    for size in ((3, 3, 3), (5, 5, 5), (7, 7, 7)):
        yield Case('conv3d', [(70, 90, 130), (128, 128, 128)], size, 'float32', {'mode': 'constant'})
    yield Case('separable', [(60, 100, 120), (65, 33, 257)], (3, 9), 'float32', {'mode': 'nearest'})


def with_gaps(arrays, x, way):
    """x on the GPU: without gaps, or as a view of another array: every second column, or its axes in another order"""
    if way == 1:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return arrays.array(wide)[..., ::2]
    if way == 2 and x.ndim == 2:
        return arrays.array(x.T.copy()).T
    return arrays.array(x)


def called(function, arrays, x, taps, keywords, number):
    """a call in one of many ways: x, and the output that is written, have gaps or not"""
    kind = keywords.get('output', x.dtype)
    if number % 4 == 0:
        return function(with_gaps(arrays, x, number // 4 % 3), taps, **keywords)
    output = with_gaps(arrays, np.full(x.shape, 7, kind), number % 3)
    result = function(with_gaps(arrays, x, number // 4 % 3), taps, **{**keywords, 'output': output})
    if result is not output:
        raise Failure('output is another array')
    return result


def check_case(case, first):
    import cmk
    random, function = np.random.default_rng(first), getattr(cmk, case.function)
    for number, shape in enumerate(case.shapes, first):
        arrays = library((CuPy, Torch)[number % 2])
        x, taps = drawn(random, shape, case.dtype), random.uniform(-1, 1, case.taps)
        judged = Case(*case[:4], {name: value for name, value in case.keywords.items() if name != 'output'})
        exact = judge()(judged, x.astype(np.float64), taps)
        if number % 5 == 0:
            arrays.synchronize()
            with arrays.stream():
                result = called(function, arrays, x, taps, case.keywords, number)
                found = arrays.host(result)
        else:
            result = called(function, arrays, x, taps, case.keywords, number)
            found = arrays.host(result)
        if not arrays.is_array(result):
            raise Failure(f'{type(result)} comes of {type(arrays).__name__}')
        compare(found, x, *exact)


def cases(found):
    for number, case in enumerate(found):
        yield f'{case}: {len(case.shapes)} cases', lambda case=case, number=number: check_case(case, number)


GRID = [*images(), *lines(), *volumes(), *with_outputs()]


def check_count():
    count = sum(len(case.shapes) for case in GRID)
    if count < ALL:
        raise Failure(f'{count}')


def grid():
    yield from cases(GRID)
    yield f'{ALL} cases or more', check_count


# ---- The rest of the interface

def equal(found, expected, what):
    if not np.array_equal(found, expected):
        raise Failure(f'{what}:\n{found}\nnot\n{expected}')


def check_axes(kind):
    import cmk
    arrays, random = library(kind), np.random.default_rng(3)
    taps = random.uniform(-1, 1, (3, 4))
    for shape, axes, weights in (((9, 11, 3), (0, 1), (3, 4, 1)), ((4, 9, 11), (1, 2), (1, 3, 4)),
                                 ((2, 9, 11, 4), (1, 2), (1, 3, 4, 1)), ((3, 9, 11), (-2, -1), (1, 3, 4))):
        x = random.uniform(-1, 1, shape)
        case = Case('conv2d', [], weights, 'float64', {'mode': 'wrap'})
        exact = judge()(case, x, taps.reshape(weights))
        compare(arrays.host(cmk.conv2d(arrays.array(x), taps, mode='wrap', axes=axes)), x, *exact)


def check_transposes(kind):
    import cmk
    arrays, random = library(kind), np.random.default_rng(5)
    for dtype in ('bool', 'int16', 'float32', 'complex64', 'complex128'):
        for shape in ((1, 1), (3, 50), (64, 33), (0, 4), (2, 3, 4), (5, 1, 40), (33, 70, 65)):
            x = random.integers(0, 2 ** 15, shape).astype(dtype)
            orders = [None, *itertools.permutations(range(len(shape)))] if dtype == 'float32' else [None]
            for axes in orders:
                equal(arrays.host(cmk.transpose(arrays.array(x), axes)), np.transpose(x, axes), f'{dtype} {axes}')


def heat(word, mode):
    import cmk
    return cmk.stencil([('NEXT', word, 'u', 'CMK_POINT_STAR(1)', mode), ('VALUE', word, 'k')], HEAT)


def wave():
    import cmk
    return cmk.stencil([('LEAPFROG', 'double', 'p', 'CMK_POINT_STAR(1)', 'wrap'), ('OUT', 'float', 'speed')], WAVE,
                       dims=3)


def padded(x, mode, outside):
    return np.pad(x, 1, mode='edge') if mode == 'nearest' else np.pad(x, 1, constant_values=outside)


def check_heat(kind):
    arrays = library(kind)
    for word, dtype in (('float', np.float32), ('double', np.float64)):
        for (mode, outside), shape, steps in itertools.product((('nearest', 0), ('constant', 1.5)),
                                                               ((17, 30), (300, 517)), (0, 1, 4, 37)):
            x = np.random.default_rng(2).random(shape).astype(dtype)
            given, expected = arrays.array(x), x.astype(np.float64)
            for _ in range(steps):
                p = padded(expected, mode, outside)
                expected = expected + 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * expected)
            more = {'u_outside': outside} if mode == 'constant' else {}
            found = arrays.host(heat(word, mode)(u=given, k=0.2, steps=steps, **more).u)
            compare(found, x, expected, np.full(shape, 10.0), 24 + steps)
            equal(arrays.host(given), x, 'the array that was given')


def check_wave(kind):
    arrays = library(kind)
    now, before = np.random.default_rng(4).random((2, 6, 7, 40))
    result = wave()(p=arrays.array(now), p_before=arrays.array(before), steps=3)
    for _ in range(3):
        around = sum(np.roll(now, d, axis) for d in (-1, 1) for axis in range(3)) - 6 * now
        now, before = 2 * now - before + 0.1 * around, now
    compare(arrays.host(result.p), now, now, np.full(now.shape, 50.0), 24)
    compare(arrays.host(result.p_before), now, before, np.full(now.shape, 50.0), 24)
    if not np.all(np.abs(arrays.host(result.speed) - (now - before)) <= 1e-5):
        raise Failure('the field that is only written')


def check_in_place(kind):
    """an output that is x, or a part of it"""
    import cmk
    arrays = library(kind)
    x = np.random.default_rng(8).random((40, 50))
    case = Case('conv2d', [], (3, 3), 'float64', {})
    exact = judge()(case, x, np.array(CROSS, float))
    for _ in range(2):
        given = arrays.array(x)
        if cmk.conv2d(given, CROSS, output=given) is not given:
            raise Failure('another array')
        compare(arrays.host(given), x, *exact)


def check_steady(kind):
    """taps, sizes and types that change from call to call; a call again is the same"""
    import cmk
    arrays, random = library(kind), np.random.default_rng(9)
    taps, x = np.ones((3, 3)), random.random((30, 40)).astype('f4')
    given, output = arrays.array(x), arrays.array(np.zeros_like(x))
    for turn in range(6):
        taps[turn % 3, 1] = turn
        case = Case('conv2d', [], (3, 3), 'float32', {})
        exact = judge()(case, x.astype(float), taps)
        for _ in range(2):
            compare(arrays.host(cmk.conv2d(given, taps, output=output)), x, *exact)
            compare(arrays.host(cmk.conv2d(given, taps.tolist())), x, *exact)


def check_streams():
    """what is launched waits for what its stream has to do"""
    import cmk
    torch = library(Torch).torch
    x = torch.zeros(64, 64, device='cuda')
    taps, expected = np.ones((3, 3)), None
    cmk.conv2d(x, taps)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(200_000_000)
        x.fill_(2)
        result = cmk.conv2d(x, taps)
        expected = torch.full_like(x, 18)
        right = torch.equal(result, expected)
    if not right:
        raise Failure(f'{result}')


def check_graph_torch():
    import cmk
    torch = library(Torch).torch
    x, output, taps = torch.zeros(64, 64, device='cuda'), torch.zeros(64, 64, device='cuda'), np.ones((3, 3))
    cmk.conv2d(x, taps, output=output)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cmk.conv2d(x, taps, output=output)
    x.fill_(3)
    graph.replay()
    if not torch.equal(output, torch.full_like(x, 27)):
        raise Failure(f'{output}')


def check_graph_cupy():
    import cmk
    cupy = library(CuPy).cupy
    x, output, taps = cupy.zeros((64, 64), 'f4'), cupy.zeros((64, 64), 'f4'), np.ones((3, 3))
    cmk.conv2d(x, taps, output=output)
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        cmk.conv2d(x, taps, output=output)
        graph = stream.end_capture()
        x.fill(3)
        graph.launch(stream)
        stream.synchronize()
    equal(cupy.asnumpy(output), np.full((64, 64), 27, 'f4'), 'a replay')


class Named:
    """an array by its interface alone"""

    def __init__(self, x):
        self.__cuda_array_interface__ = x.__cuda_array_interface__
        self.kept = x


class ByDlpack:
    def __init__(self, x):
        self.kept = x

    def __dlpack__(self, **keywords):
        return self.kept.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.kept.__dlpack_device__()


def check_others(kind):
    """arrays of no library that is known"""
    import cmk
    cupy, x = library(CuPy).cupy, np.random.default_rng(6).random((20, 30))
    taps = np.array(CROSS, float)
    exact = judge()(Case('conv2d', [], (3, 3), 'float64', {}), x, taps)
    for _ in range(2):
        given, output = cupy.asarray(x), cupy.zeros(x.shape)
        cupy.cuda.Device().synchronize()
        cmk.conv2d(kind(given), taps, output=kind(output))
        compare(cupy.asnumpy(output), x, *exact)


def check_threads(kind):
    """threads with a stream each make the same calls"""
    import cmk
    arrays, wrong = library(kind), []
    taps = np.ones((3, 3))

    def work(number):
        with arrays.stream():
            x = arrays.array(np.full((50, 60), number, np.float32))
            for _ in range(100):
                if not np.all(arrays.host(cmk.conv2d(x, taps)) == 9 * number):
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise Failure(f'{wrong}')


def check_devices(kind):
    """arrays of another device than that at work, and of two"""
    import cmk
    from cmk import cuda
    if cuda.asked('cuDeviceGetCount') < 2:
        raise Skip('one device')
    arrays, x = library(kind), np.ones((30, 40), np.float32)
    first = arrays.array(x)
    if kind is CuPy:
        with arrays.cupy.cuda.Device(1):
            second = arrays.array(x)
    else:
        second = first.to('cuda:1')
    result = cmk.conv2d(second, np.ones((3, 3)))
    equal(arrays.host(result), np.full(x.shape, 9, 'f4'), 'of the second device')
    fails(ValueError, 'x is on device 0, and output on device 1', lambda: cmk.conv2d(first, CROSS, output=second))


def check_refusals(kind):
    import cmk
    arrays = library(kind)
    host = np.ones((8, 8), np.float32)
    x = arrays.array(host)
    cube = arrays.array(np.ones((2, 2, 2)))
    for error, text, call in (
            (ValueError, "no mode 'edge': it is one of reflect", lambda: cmk.conv2d(x, CROSS, mode='edge')),
            (ValueError, 'origin 2 leaves a filter of 3', lambda: cmk.conv2d(x, CROSS, origin=2)),
            (ValueError, 'taps must have 2 axes', lambda: cmk.conv2d(x, [1, 2])),
            (ValueError, 'output has the shape (2, 2)', lambda: cmk.conv2d(x, CROSS, output=cube[0] * 0)),
            (ValueError, 'x has 3 axes and axes is', lambda: cmk.conv2d(cube, CROSS)),
            (TypeError, 'output is not in the memory of a GPU', lambda: cmk.conv2d(x, CROSS, output=host)),
            (TypeError, 'output is in the memory of a GPU', lambda: cmk.conv2d(host, CROSS, output=x)),
            (TypeError, 'taps is in the memory of a GPU', lambda: cmk.conv2d(x, x[:3, :3])),
            (TypeError, 'before is not', lambda: wave()(p=cube, p_before=np.ones((2, 2, 2)))),
            (ValueError, 'taps are 9 x 1 x 1: from 1 to 7', lambda: cmk.conv3d(cube, np.ones((9, 1, 1)))),
            (cmk.CompileError, 'body:2: ', lambda: cmk.stencil([('SAME', 'float', 'u')], '\nint int;')(u=x))):
        fails(error, text, call)


def check_gradients():
    import cmk
    torch = library(Torch).torch
    x = torch.ones(8, 8, device='cuda', requires_grad=True)
    fails(TypeError, 'use x.detach()', lambda: cmk.conv2d(x, CROSS))
    y = torch.complex(torch.rand(5, 7, device='cuda'), torch.rand(5, 7, device='cuda')).conj()
    equal(cmk.transpose(y).cpu().resolve_conj().numpy(), y.cpu().resolve_conj().numpy().T, 'a conjugate')


SHIFT = 'CMK_POINT_SET(u, (float)CMK_POINT_AT(u, 0, 1) + (float)k);'


def check_bfloat16():
    """tensors of it, and of float in and out; kinds of filters that have kernels of their own, and a stencil"""
    import cmk
    torch, random = library(Torch).torch, np.random.default_rng(12)
    narrow, wide = torch.bfloat16, torch.float32

    def rounded(x):
        return torch.from_numpy(np.asarray(x, 'f4')).to(narrow)

    for size, (kind, output), shape in itertools.product(
            ((3, 3), (9, 9), (15, 15)), ((narrow, narrow), (narrow, wide), (wide, narrow)),
            ((37, 41), (1100, 2112))):
        x = rounded(random.uniform(-2, 2, shape)).to(kind)
        taps, exactly = random.uniform(-1, 1, size), x.double().numpy()
        case = Case('conv2d', [], size, 'float32', {'mode': 'constant', 'cval': 1.5})
        result = cmk.conv2d(x.cuda(), taps, mode='constant', cval=1.5, output=output)
        exact, sums, count = judge()(case, exactly, taps)
        slack = sums * (count + 3) * 2.0 ** -24 + (np.abs(exact) + sums * 2.0 ** -12) * 2.0 ** -8 * (output is narrow)
        if result.dtype is not output or not np.all(np.abs(result.double().cpu().numpy() - exact) <= slack):
            raise Failure(f'{size}, {kind} to {output}, {shape}')
    x = rounded(random.uniform(-2, 2, (30, 50)))
    equal(cmk.transpose(x.cuda()).cpu().view(torch.int16).numpy(), x.view(torch.int16).numpy().T, 'a transpose')
    shift = cmk.stencil([('NEXT', 'bfloat16', 'u', 'CMK_POINT_STAR(1)', 'constant'), ('VALUE', 'bfloat16', 'k')], SHIFT)
    beside = torch.cat([x[:, 1:], rounded(np.full((30, 1), 1.01))], 1)
    expected = (beside.float() + rounded(0.3).float()).to(narrow)
    found = shift(u=x.cuda(), k=0.3, u_outside=1.01).u.cpu()
    equal(found.view(torch.int16).numpy(), expected.view(torch.int16).numpy(), 'a stencil')


def check_copies():
    """an input without gaps is taken as it is, and an output written in place"""
    import cmk
    torch = library(Torch).torch
    x, output = torch.rand(2000, 2000, device='cuda'), torch.zeros(2000, 2000, device='cuda')
    cmk.conv2d(x, CROSS, output=output)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    cmk.conv2d(x, CROSS, output=output)
    if torch.cuda.max_memory_allocated() != before:
        raise Failure(f'{torch.cuda.max_memory_allocated() - before} bytes were allocated')


def interface():
    for kind, (name, check) in itertools.product((CuPy, Torch), (
            ('channels and batches', check_axes), ('transposes', check_transposes), ('heat', check_heat),
            ('a wave in 3D', check_wave), ('in place', check_in_place), ('calls again', check_steady),
            ('threads', check_threads), ('two devices', check_devices), ('wrong calls', check_refusals))):
        yield f'{kind.__name__}: {name}', lambda check=check, kind=kind: check(kind)
    for kind in (Named, ByDlpack):
        yield f'arrays by their interface alone: {kind.__name__}', lambda kind=kind: check_others(kind)
    yield 'Torch: streams', check_streams
    yield 'Torch: a captured graph', check_graph_torch
    yield 'CuPy: a captured graph', check_graph_cupy
    yield 'Torch: gradients, conjugates', check_gradients
    yield 'Torch: bfloat16', check_bfloat16
    yield 'Torch: no copies', check_copies


GROUPS = {'grid': grid, 'large': lambda: cases(large()), 'interface': interface}


# ---- Cubins ahead

def call_of(case):
    """what a case calls, for its first shape"""
    from cmk import filters
    make = {'conv2d': filters.conv2d_of, 'separable': filters.separable_of, 'conv3d': filters.conv3d_of}[case.function]
    keywords = {'mode': 'reflect', 'cval': 0.0, 'origin': 0}
    own = {'conv2d': {'how': 'correlation', 'axes': None}, 'separable': {'axes': None}}
    keywords.update(own.get(case.function, {}))
    keywords.update(case.keywords)
    result = keywords.pop('output', None)
    return make(case.shapes[0], np.dtype(case.dtype), result, np.ones(case.taps), **keywords)


def definitions():
    """those of the cases, and most of the rest"""
    from cmk import filters
    found = [call_of(case).definition for case in [*GRID, *large(), *benches()]]
    for word, mode in itertools.product(('float', 'double'), ('nearest', 'constant')):
        found.append(heat(word, mode).definition)
    found.append(wave().definition)
    for dtype in ('bool', 'int16', 'float32', 'complex64', 'complex128'):
        found.append(filters.transpose_of((3, 4), np.dtype(dtype), None, (), None).definition)
    for dtype, shape, axes in (('f4', (9, 9), None), ('f8', (9, 9), None), ('f8', (9, 9, 3), (0, 1)),
                               ('f8', (9, 9, 9, 4), (1, 2))):
        mode, size = ('reflect', (3, 3)) if axes is None else ('wrap', (3, 4))
        found.append(filters.conv2d_of(shape, np.dtype(dtype), None, np.ones(size), mode, 0.0, 0, 'correlation',
                                       axes).definition)
    found.append(filters.conv2d_of((4, 9, 9), np.dtype('f8'), None, np.ones((3, 4)), 'wrap', 0.0, 0, 'correlation',
                                   (1, 2)).definition)
    return list({one.text: one for one in found}.values())


def benches():
    """the filters of bench/python.py"""
    for size in (3, 5, 9, 15):
        yield Case('conv2d', [(64, 64)], (size, size), 'float32', {'mode': 'constant'})
    yield Case('separable', [(64, 64)], (2, 9), 'float32', {'mode': 'constant'})


def compile_one(number):
    from cmk import cuda
    return cuda.cubin_of(definitions()[number], ARCH).stat().st_size


def compile_all(place, jobs):
    os.environ['XDG_CACHE_HOME'] = str(Path(place).resolve())
    count = len(definitions())
    context = multiprocessing.get_context('spawn')
    with concurrent.futures.ProcessPoolExecutor(jobs, context, os.nice, (10,)) as pool:
        sizes = list(pool.map(compile_one, range(count)))
    print(f'{count} definitions, {sum(sizes) / 2 ** 20:.1f} MiB in {place}')


# ---- The run

@functools.lru_cache(maxsize=None)
def checks_of(which):
    return [check for name in which for check in GROUPS[name]()]


def check_one(which, number):
    import cmk
    name, check = checks_of(which)[number]

    def tried():
        try:
            check()
        except (Failure, Skip):
            raise
        except Exception as error:  # of any library: the others go on
            if isinstance(error, cmk.Error):
                raise Failure(f'{type(error).__name__}: {error}') from None
            import traceback
            raise Failure(traceback.format_exc()[-3000:]) from None
    return tap(name, tried)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', nargs='*', default=list(GROUPS))
    parser.add_argument('--jobs', type=int, default=0, help='processes; 2 to compile, else as many as there are cores')
    parser.add_argument('--only', default='', metavar='TEXT')
    parser.add_argument('--cache', help='the folder of a cache, as compile fills it')
    options = parser.parse_args()
    if options.which[0] == 'compile':
        return compile_all(options.which[1], options.jobs or 2)
    if not gpu_present():
        print('1..0 # SKIP no CUDA device')
        return 0
    if options.cache:
        os.environ['XDG_CACHE_HOME'] = str(Path(options.cache).resolve())
    which = tuple(options.which)
    numbers = [number for number, (name, _) in enumerate(checks_of(which)) if options.only in name]
    print(f'1..{len(numbers)}', flush=True)
    jobs = options.jobs or min(16, os.cpu_count() or 1)
    context = multiprocessing.get_context('spawn')
    with concurrent.futures.ProcessPoolExecutor(min(jobs, len(numbers)) or 1, context) as pool:
        found = [pool.submit(check_one, which, number) for number in numbers]
        for number, one in enumerate(found, 1):
            print(one.result().replace('{}', str(number), 1), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
