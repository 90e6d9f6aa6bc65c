"""Times the Python package on a GPU: what a call costs above a launch in C, and filters beside cupyx and torch.

usage: python.py TABLE.csv TABLE.md

A call: conv2d of 3 x 3 taps and 64 x 64 floats, output= given, in the steady state: nanoseconds of the host, the median
of 61 turns of 500 calls, which the GPU's queue holds, in turns with all others. Beside it the same calls in C: by a
loop over the function that Python calls, and, where nvcc is, by a loop over the launcher that nvcc makes.

Filters: milliseconds of the GPU, medians of 31 turns of 10 calls each, images of floats, zeros outside; torch without
TF32. Each result is verified: within 1e-4 of torch's, of the sum of |tap x pixel|.

Needs numpy, cupy and torch; CC.
"""

import csv
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'python'))

CALLS, TURNS = 500, 61
LOOP = '''
#include <time.h>
double loop(int (*launch)(void *, void **, const double *, void *), void *call, void *in, void *out, int count)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int k = 0; k < count; ++k)
        if (launch(call, (void *[]){in, out}, 0, 0)) return -1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / count;
}
'''
LAUNCHER = '''
#include <ctime>
#include <cmk/cmk.h>
CMK_TABLE(PARAMETER, float, taps, [3][3]);
CMK_DEFINE_CONV2D_AS(filter, CORRELATION, (float, float, float, 1), (3, 3), (1, 1), taps, (CMK_EDGE_ZERO, 0));
extern "C" double launch(void *in, void *out, int count)
{
    timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int k = 0; k < count; ++k)
        if (filter_batch((float *)in, 64, 64 * 64, (float *)out, 64, 64 * 64, 64, 64, 1, taps, 0)) return -1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}
'''


def median(values):
    return sorted(values)[len(values) // 2]


# ---- A call

def by_python(call):
    call()

    def turn():
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        return (time.perf_counter_ns() - start) / CALLS

    return turn


def loop_in_c(work):
    source, library = work / 'loop.c', work / 'loop.so'
    source.write_text(LOOP)
    subprocess.run([os.environ.get('CC', 'cc'), '-O2', '-shared', '-fPIC', '-o', library, source], check=True)
    loop = ctypes.CDLL(str(library)).loop
    loop.argtypes, loop.restype = [ctypes.c_void_p] * 4 + [ctypes.c_int], ctypes.c_double
    return loop


def launch_by_nvcc(work):
    nvcc = shutil.which('nvcc', path=os.pathsep.join([os.environ['PATH'], '/usr/local/cuda/bin']))
    if nvcc is None:
        return None
    source, library = work / 'launcher.cu', work / 'launcher.so'
    source.write_text(LAUNCHER)
    subprocess.run([nvcc, '-O3', '-std=c++17', '-arch=native', '-shared', '-Xcompiler=-fPIC', f'-I{ROOT / "include"}',
                    '-o', library, source], check=True)
    launch = ctypes.CDLL(str(library)).launch
    launch.argtypes, launch.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int], ctypes.c_double
    return launch


def calls(cmk, cupy, torch, numpy):
    """(what, nanoseconds of a call)"""
    from cmk import cuda
    taps = numpy.ones((3, 3))
    x, out = cupy.zeros((64, 64), 'f4'), cupy.zeros((64, 64), 'f4')
    t, t_out = torch.zeros(64, 64, device='cuda'), torch.zeros(64, 64, device='cuda')

    def synchronize():
        torch.cuda.synchronize()
        cupy.cuda.Device().synchronize()

    def by_cupy(taps, **more):
        return by_python(lambda: cmk.conv2d(x, taps, mode='constant', **more))

    def by_torch(**more):
        return by_python(lambda: cmk.conv2d(t, taps, mode='constant', **more))

    import cupyx.scipy.ndimage as ndimage
    on_gpu, weights, image = cupy.ones((3, 3)), torch.ones(1, 1, 3, 3, device='cuda'), t[None, None]
    rows = [('CuPy, output=', by_cupy(taps, output=out))]
    kept = next(reversed(cuda.FAST.values()))
    rows += [('PyTorch, output=', by_torch(output=t_out)),
             ('CuPy, taps as lists, output=', by_cupy(taps.tolist(), output=out)),
             ('CuPy, a new array', by_cupy(taps)), ('PyTorch, a new array', by_torch()),
             ('cupyx.scipy.ndimage.correlate, output=',
              by_python(lambda: ndimage.correlate(x, on_gpu, mode='constant', output=out))),
             ('torch.nn.functional.conv2d',
              by_python(lambda: torch.nn.functional.conv2d(image, weights, padding=1)))]
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        loop, function, launch = loop_in_c(work), cuda.address_of(kept.library.cmk_python_launch), launch_by_nvcc(work)
        if launch:
            rows.insert(0, ('C, the launcher by nvcc', lambda: launch(x.data.ptr, out.data.ptr, CALLS)))
        rows.insert(0, ('C, plan and cuLaunchKernel',
                        lambda: loop(function, kept.address, x.data.ptr, out.data.ptr, CALLS)))
        found = [[] for _ in rows]
        for _ in range(TURNS):
            for (_, turn), of in zip(rows, found):
                synchronize()
                of.append(turn())
    return [(what, median(of)) for (what, _), of in zip(rows, found)]


# ---- Filters

def gpu_milliseconds(cupy, call, times=10, turns=31):
    call()
    cupy.cuda.Device().synchronize()
    found = []
    while len(found) < turns and (sum(found) < 40 or len(found) < 5):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(times):
            call()
        end.record()
        end.synchronize()
        found.append(cupy.cuda.get_elapsed_time(start, end) / times)
    return median(found)


def filters(cmk, cupy, torch, numpy):
    """(what, size, {by: ms})"""
    import cupyx.scipy.ndimage as ndimage
    conv2d = torch.nn.functional.conv2d
    random = numpy.random.default_rng(1)
    for size in (4096, 8192):
        x = cupy.random.default_rng(2).random((size, size), dtype='f4')
        out, t = cupy.empty_like(x), torch.as_tensor(x, device='cuda')
        image = t[None, None]
        for n in (3, 5, 9, 15):
            taps = random.uniform(-1, 1, (n, n))
            on_gpu = cupy.asarray(taps, 'f4')
            weights = torch.tensor(taps, dtype=torch.float32, device='cuda')[None, None]
            cmk.conv2d(x, taps, mode='constant', output=out)
            verify(torch, out, conv2d(image, weights, padding=n // 2),
                   conv2d(image.abs(), weights.abs(), padding=n // 2))
            yield f'conv2d {n} x {n}', size, {
                'cmk': gpu_milliseconds(cupy, lambda: cmk.conv2d(x, taps, mode='constant', output=out)),
                'cupyx': gpu_milliseconds(cupy, lambda: ndimage.correlate(x, on_gpu, mode='constant', output=out)),
                'torch': gpu_milliseconds(cupy, lambda: conv2d(image, weights, padding=n // 2))}
        line = numpy.exp(-0.5 * (numpy.arange(-4, 5) / 1.0) ** 2)
        line /= line.sum()
        down = torch.tensor(line, dtype=torch.float32, device='cuda')[None, None, :, None]
        across = down.transpose(2, 3).contiguous()

        def two_passes():
            return conv2d(conv2d(image, down, padding=(4, 0)), across, padding=(0, 4))

        cmk.separable(x, line, mode='constant', output=out)
        verify(torch, out, two_passes(), two_passes())
        yield 'separable r = 4', size, {
            'cmk': gpu_milliseconds(cupy, lambda: cmk.separable(x, line, mode='constant', output=out)),
            'cupyx': gpu_milliseconds(cupy, lambda: ndimage.gaussian_filter(x, 1, mode='constant', output=out)),
            'torch': gpu_milliseconds(cupy, two_passes)}
        copy = gpu_milliseconds(cupy, lambda: cupy.copyto(out, x))
        yield 'a copy', size, {'cmk': copy, 'cupyx': copy, 'torch': copy}


def verify(torch, out, expected, scale):
    off = (torch.as_tensor(out, device='cuda') - expected[0, 0]).abs() / scale[0, 0].clamp(min=1e-20)
    if not off.max().item() <= 1e-4:
        sys.exit(f'a wrong result: off by {off.max().item()}')


# ---- Tables

def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    import cupy
    import numpy
    import torch

    import cmk
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    name = torch.cuda.get_device_name()
    versions = f'CuPy {cupy.__version__}, PyTorch {torch.__version__}, Python {sys.version.split()[0]}'
    host = calls(cmk, cupy, torch, numpy)
    table = [('call', what, '', '', f'{value:.0f}', f'{value - host[0][1]:.0f}', '') for what, value in host]
    lines = [f'{name}, {versions}.', '', '## A call of conv2d, 3 x 3 taps, 64 x 64 floats', '',
             '| | ns | above the loop in C |', '| --- | --- | --- |']
    lines += [f'| {what} | {value:.0f} | {value - host[0][1]:.0f} |' for what, value in host]
    lines += ['', '## Filters of floats, zeros outside, milliseconds', '',
              '| | size | cmk | cupyx | times as fast | torch | times as fast |', '| --- ' * 7 + '|']
    print('\n'.join(lines), flush=True)
    for what, size, ms in filters(cmk, cupy, torch, numpy):
        for by, value in ms.items():
            table.append(('filter', what, size, by, '', '', f'{value:.5f}'))
        lines.append(f'| {what} | {size}^2 | {ms["cmk"]:.4f} | {ms["cupyx"]:.4f} | {ms["cupyx"] / ms["cmk"]:.2f} | '
                     f'{ms["torch"]:.4f} | {ms["torch"] / ms["cmk"]:.2f} |')
        print(lines[-1], flush=True)
    with open(sys.argv[1], 'w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(['kind', 'what', 'size', 'by', 'nanoseconds', 'above the loop in C', 'milliseconds'])
        writer.writerows(table)
    Path(sys.argv[2]).write_text('\n'.join(lines) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
