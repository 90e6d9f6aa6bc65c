"""The Python package: judged by scipy.ndimage in double, by its page, and by its wheel.

grid: the parameters of scipy's filters: modes, sizes, origins, types, 2000 cases and more. Taps and sizes of arrays are
arguments of a definition, so that each one that is compiled has many. few: some of them.
"""

import contextlib
import functools
import io
import itertools
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import ROOT, Failure, Skip, arguments, compiler, fails, folder, must, report, run  # noqa: E402

try:
    import numpy as np
    import scipy.ndimage as ndimage
    from cases import MODES, Judge, compare, drawn, images, lines, volumes
except ImportError:
    np = ndimage = None

ALL = 2000


def package(include):
    """the folder of the package: beside the headers, if there is one"""
    return include.parent / 'python' if (include.parent / 'python/cmk').is_dir() else ROOT / 'python'


def take(include, work):
    """the package with the headers that are tested, compiled for no speed, becomes the module cmk"""
    if np is None:
        return None
    place = work / 'site' / 'cmk'
    shutil.copytree(package(include) / 'cmk', place, ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copytree(include, place / 'include')
    os.environ.update(XDG_CACHE_HOME=str(work / 'cache'), CFLAGS='-O0')
    sys.path.insert(0, str(work / 'site'))
    import cmk
    if not cmk.get_include().startswith(str(work)):
        raise Failure(f'another module: {cmk.__file__}')
    return cmk


def tried(cmk, check):
    """the check with what it needs; an error of the package is a failure"""
    if cmk is None:
        raise Skip('no numpy or scipy')
    os.environ['CC'] = shlex.join(compiler('CC'))
    try:
        check()
    except cmk.Error as error:
        raise Failure(f'{type(error).__name__}: {error}') from None


# ---- The parameters of filters

def check_cases(cmk, case):
    random, judge = np.random.default_rng(7), Judge(ndimage)
    for shape in case.shapes:
        x, taps = drawn(random, shape, case.dtype), random.uniform(-1, 1, case.taps)
        result = getattr(cmk, case.function)(x, taps, **case.keywords)
        compare(result, x, *judge(case, x.astype(np.float64), taps))


def check_count(count):
    if count < ALL:
        raise Failure(f'{count}')


def grid(cmk, every=1):
    count = 0
    for number, case in enumerate([*images(), *lines(), *volumes()] if np else []):
        if number % every:
            continue
        count += len(case.shapes)
        yield f'{case}: {len(case.shapes)} cases', lambda case=case: check_cases(cmk, case)
    if every == 1:
        yield f'{ALL} cases or more', lambda: check_count(count)


# ---- The rest of the interface

def check_axes(cmk):
    """channels, batches, and both; views that have gaps; another type or an array of the output"""
    random = np.random.default_rng(3)
    taps = random.uniform(-1, 1, (3, 4))
    for shape, axes, weights in (((9, 11, 3), (0, 1), (3, 4, 1)), ((4, 9, 11), (1, 2), (1, 3, 4)),
                                 ((2, 9, 11, 4), (1, 2), (1, 3, 4, 1)), ((3, 9, 11), (-2, -1), (1, 3, 4))):
        x = random.uniform(-1, 1, shape)[::-1]
        judge = ndimage.correlate(x, taps.reshape(weights), mode='wrap')
        compare(cmk.conv2d(x, taps, mode='wrap', axes=axes), x, judge, np.ones(shape) * 12, 12)
    x = drawn(random, (10, 14), 'uint8')
    kept = x.copy()
    target = np.zeros((10, 28), np.float32)[:, ::2]
    result = cmk.conv2d(x, taps, output=target)
    compare(target, x, ndimage.correlate(x.astype(float), taps), np.full(x.shape, 255 * 12), 12)
    if result is not target or not np.array_equal(x, kept) or cmk.conv2d(x, taps, output='f4').dtype != np.float32:
        raise Failure('output is another array')


def check_transposes(cmk):
    random = np.random.default_rng(5)
    for dtype in ('bool', 'int16', 'float32', 'complex64', 'complex128'):
        for shape in ((1, 1), (3, 50), (64, 33), (0, 4), (2, 3, 4), (5, 1, 40)):
            x = random.integers(0, 2 ** 16, shape).astype(dtype)
            orders = [None, *itertools.permutations(range(len(shape)))] if dtype == 'float32' else [None]
            for axes in orders:
                result = cmk.transpose(x, axes)
                if not np.array_equal(result, np.transpose(x, axes)) or not result.flags.c_contiguous:
                    raise Failure(f'{dtype} {shape} {axes}')


HEAT = '''
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4 * U(0, 0)));
'''
CROSS = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]


def check_heat(cmk):
    x = np.random.default_rng(2).random((17, 30))
    kept = x.copy()
    for mode, outside in (('nearest', 0), ('constant', 1.5)):
        heat = cmk.stencil([('NEXT', 'double', 'u', 'CMK_POINT_STAR(1)', mode), ('VALUE', 'double', 'k')], HEAT)
        for steps in (0, 1, 4):
            expected = x
            for _ in range(steps):
                expected = expected + 0.2 * ndimage.correlate(expected, CROSS, mode=mode, cval=outside)
            given = {'u_outside': outside} if mode == 'constant' else {}
            compare(heat(u=x, k=0.2, steps=steps, **given).u, x, expected, np.full(x.shape, 10.0), 24)
    if not np.array_equal(x, kept):
        raise Failure('the array that was given is another')
    inner = cmk.stencil([('IN', 'double', 'u', 'CMK_POINT_STAR(2)', 'wrap'), ('OUT', 'double', 'v')],
                        'CMK_POINT_SET(v, CMK_POINT_AT(u, 0, 2) + 1);', inner=True)
    expected = np.zeros(x.shape)
    expected[2:-2, 2:-2] = x[2:-2, 4:] + 1
    compare(inner(u=x).v, x, expected, expected, 2)


def check_wave(cmk):
    """two levels, in 3D, and a field that is only written"""
    wave = cmk.stencil([('LEAPFROG', 'double', 'p', 'CMK_POINT_STAR(1)', 'wrap'), ('OUT', 'float', 'speed')], '''
        double sum = -6 * CMK_POINT_AT(p, 0, 0, 0);
        for (int d = -1; d < 2; d += 2)
            sum += CMK_POINT_AT(p, d, 0, 0) + CMK_POINT_AT(p, 0, d, 0) + CMK_POINT_AT(p, 0, 0, d);
        const double next = 2 * CMK_POINT_AT(p, 0, 0, 0) - CMK_POINT_BEFORE(p) + 0.1 * sum;
        CMK_POINT_SET(speed, (float)(next - CMK_POINT_AT(p, 0, 0, 0)));
        CMK_POINT_SET(p, next);''', dims=3)
    now, before = np.random.default_rng(4).random((2, 6, 7, 40))
    result = wave(p=now, p_before=before, steps=3)
    star = ndimage.generate_binary_structure(3, 1) - 7.0 * (np.indices((3, 3, 3)) == 1).all(0)
    for _ in range(3):
        now, before = 2 * now - before + 0.1 * ndimage.correlate(now, star, mode='wrap'), now
    compare(result.p, now, now, np.full(now.shape, 50.0), 24)
    compare(result.p_before, now, before, np.full(now.shape, 50.0), 24)
    if not np.all(np.abs(result.speed - (now - before)) <= 1e-5):
        raise Failure('the field that is only written')


class OfGpu:
    __cuda_array_interface__ = {'shape': (2, 2), 'typestr': '<f4', 'data': (0, False), 'version': 3}


LOOPED = (  # uses, body, axes, stages, inner
    ([('NEXT', 'float', 'u', 'CMK_POINT_STAR(2)', 'CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_ZERO), '
       'CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_WRAP))'), ('IN', 'short', 'mask'), ('VALUE', 'float', 'k')], """
        const float sum = CMK_POINT_AT(u, -2, 0) + 2 * CMK_POINT_AT(u, 1, 0) +
                          CMK_POINT_AT(u, 0, -1) + CMK_POINT_AT(u, 0, 2);
        if (CMK_POINT_HERE(mask) > 0 || (!CMK_POINT_INSIDE && CMK_POINT_ROW == 0))
            CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0) + k * sum + CMK_POINT_ROW * CMK_POINT_COLUMNS + CMK_POINT_STEP);""",
     2, 1, False),
    ([('SAME', 'double', 'u', 'CMK_POINT_BOX(1)', 'mirror'), ('OUT', 'float', 'w'),
      ('NEXT', 'double', 'v', 'CMK_POINT_REACH(0, 2, 1)', 'wrap')], """
        if (CMK_POINT_STAGE == 1)
            CMK_POINT_SET(v, CMK_POINT_AT(u, 1, -1) - CMK_POINT_AT(u, -1, 1) * CMK_POINT_AT(v, 2, -1));
        else if (CMK_POINT_COLUMN % 3)
            CMK_POINT_SET(u, CMK_POINT_HERE(u) / 2 + CMK_POINT_AT(v, -2, 1));
        if (CMK_POINT_ROW > 1 && CMK_POINT_MINE) CMK_POINT_SET(w, (float)CMK_POINT_HERE(v));""", 2, 2, False),
    ([('LEAPFROG', 'float', 'p', 'CMK_POINT_STAR(2)',
       'CMK_EDGE_AXES_3D(CMK_EDGE_REFLECT_ODD, CMK_EDGE_WRAP, CMK_EDGE_ZERO)'),
      ('IN', 'float', 'speed', 'CMK_POINT_BOX(1)', 'nearest'), ('OUT', 'int', 'place')], """
        const float sum = CMK_POINT_AT(p, 2, 0, 0) + CMK_POINT_AT(p, -1, 0, 0) + CMK_POINT_AT(p, 0, -2, 0) +
                          CMK_POINT_AT(p, 0, 1, 0) + CMK_POINT_AT(p, 0, 0, 2) + CMK_POINT_AT(p, 0, 0, -1);
        if (CMK_POINT_COLUMN != 3) CMK_POINT_SET(p, sum * CMK_POINT_AT(speed, 1, -1, 1) - CMK_POINT_BEFORE(p));
        CMK_POINT_SET(place, (CMK_POINT_PLANE * CMK_POINT_ROWS + CMK_POINT_ROW) * CMK_POINT_PLANES);""", 3, 1, True))


def by_kernels(loops, definition):
    """the program of a stencil by the kernels of C"""
    return loops(definition).replace('#include "stencil.h"', '#define CMK_STEPS_MOST 1\n#include <cmk/cmk.h>')


def check_loops(cmk):
    """bit by bit what the kernels of C give, at sizes below the reach too, by one core and by two"""
    from cmk import cpu
    random, loops = np.random.default_rng(11), cpu.source_of
    for uses, body, dims, stages, inner in LOOPED:
        stencil = cmk.stencil(uses, body, dims=dims, stages=stages, inner=inner)
        for shape in ((1, 1, 1), (2, 1, 3), (5, 9, 33), (3, 90, 200)):
            given = {member.given: (9 * random.random(shape[-dims:]) - 4).astype(cpu.TYPES[member.word])
                     for member in stencil.members}
            given.update({name: 0.25 for name, _ in stencil.values})
            given.update({f'{name}_outside': 1.5 for name, word in stencil.outsides})
            found = []
            for source in (loops, functools.partial(by_kernels, loops)):
                cpu.source_of = source
                try:
                    with cores('2'):
                        found.append(stencil(steps=3, **given))
                finally:
                    cpu.source_of = loops
            for name, one, other in zip(found[0]._fields, *found):
                if one.tobytes() != other.tobytes():
                    raise Failure(f'{name} of {uses}, {shape}: {np.argwhere(one != other)[:4]}')


def check_refusals(cmk):
    x, cube = np.ones((8, 8), np.float32), np.ones((2, 2, 2))
    heat = cmk.stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest'), ('VALUE', 'float', 'k')], HEAT)
    for error, text, call in (
            (ValueError, "no mode 'edge': it is one of reflect", lambda: cmk.conv2d(x, CROSS, mode='edge')),
            (ValueError, 'origin 2 leaves a filter of 3: from -1 to 1', lambda: cmk.conv2d(x, CROSS, origin=2)),
            (ValueError, 'taps must have 2 axes', lambda: cmk.conv2d(x, [1, 2])),
            (ValueError, 'cval must be finite', lambda: cmk.conv2d(x, CROSS, cval=1e300)),
            (ValueError, 'cval is 0.5, which no uint8 is', lambda: cmk.conv2d(x.astype('u1'), CROSS, cval=0.5)),
            (ValueError, 'output has the shape (2, 2)', lambda: cmk.conv2d(x, CROSS, output=np.zeros((2, 2)))),
            (ValueError, 'x has 3 axes and axes is', lambda: cmk.conv2d(cube, CROSS)),
            (ValueError, 'cval must be 0 for volumes', lambda: cmk.conv3d(cube, np.ones((1, 1, 1)), cval=1)),
            (TypeError, 'arrays of complex64 are none of its: use x.astype of one of float32, float64, float16, uint8, '
                        'int8, uint16, int16', lambda: cmk.conv2d(x + 1j, CROSS)),
            (TypeError, 'of int32 are none of its', lambda: cmk.conv2d(x.astype('i4'), CROSS)),
            (TypeError, 'arrays of bool are none of its: use x.astype of one of float32, float64',
             lambda: cmk.conv3d(cube > 0, cube)),
            (TypeError, 'of int64 are none of its', lambda: cmk.separable(x, [1], output=int)),
            (TypeError, 'taps are complex', lambda: cmk.conv2d(x, [[1, 1j]])),
            (TypeError, 'taps are complex', lambda: cmk.separable(x, [[1.0], [1j]])),
            (TypeError, 'origin is 0.9, which is no integer', lambda: cmk.conv2d(x, CROSS, origin=0.9)),
            (TypeError, 'origin is 0.9, which is no integer', lambda: cmk.separable(x, [1, 2, 1], origin=(0, 0.9))),
            (TypeError, 'cval is complex', lambda: cmk.conv2d(x, CROSS, cval=np.complex64(1))),
            (ValueError, 'taps are 34 x 3: from 1 to 33', lambda: cmk.conv2d(x, np.ones((34, 3)))),
            (ValueError, 'taps are 67: from 1 to 65', lambda: cmk.separable(x, np.ones(67))),
            (ValueError, 'taps are 67: from 1 to 65', lambda: cmk.separable(x, np.ones(35), origin=16)),
            (ValueError, 'taps are 19: from 1 to 17', lambda: cmk.separable(cube, np.ones(19))),
            (ValueError, 'taps are 9 x 1 x 1: from 1 to 7', lambda: cmk.conv3d(cube, np.ones((9, 1, 1)))),
            (ValueError, 'x has 5 channels: from 1 to 4', lambda: cmk.conv2d(np.ones((4, 4, 5)), CROSS, axes=(0, 1))),
            (ValueError, 'there is no axis 2 of 2', lambda: cmk.conv2d(x, CROSS, axes=(1, 2))),
            (ValueError, 'there is no axis -3 of 2', lambda: cmk.transpose(x, (0, -3))),
            (TypeError, 'an axis is 0.5', lambda: cmk.transpose(x, (0.5, 1))),
            (TypeError, 'conv2d: axes is 1, which are no axes', lambda: cmk.conv2d(x, CROSS, axes=1)),
            (TypeError, 'separable: taps are 5', lambda: cmk.separable(x, 5)),
            (TypeError, 'taps are of <U1, which are no numbers', lambda: cmk.conv2d(x, [['a']])),
            (TypeError, 'a tap is None, which is no number', lambda: cmk.conv2d(x, [[None]])),
            (ValueError, 'a tap is 1e+300, which no float32 is', lambda: cmk.conv2d(x, [[1e300]])),
            (ValueError, 'a tap is 1e+300, which no float32 is', lambda: cmk.separable(x, [1, -1e300, 1])),
            (TypeError, 'cval is None, which is no number', lambda: cmk.conv2d(x, CROSS, cval=None)),
            (TypeError, "cval is '1', which is no number", lambda: cmk.separable(x, [1], cval='1')),
            (ValueError, "no mode ['wrap']", lambda: cmk.conv2d(x, CROSS, mode=[['wrap'], ['wrap']])),
            (ValueError, "not ['convolution']", lambda: cmk.conv2d(x, CROSS, how=['convolution'])),
            (ValueError, 'output is read-only', lambda: cmk.conv2d(x, CROSS, output=np.broadcast_to(x[0], (8, 8)))),
            (TypeError, 'no array u is given', lambda: heat(k=1)),
            (TypeError, 'steps is 1.5, which is no integer', lambda: heat(u=x, k=1, steps=1.5)),
            (ValueError, 'steps is 18446744073709551617: from 0 to', lambda: heat(u=x, k=1, steps=2 ** 64 + 1)),
            (TypeError, 'there is no q: its arguments are u, k', lambda: heat(u=x, k=1, q=2)),
            (TypeError, "k is '1', which is no number", lambda: heat(u=x, k='1')),
            (TypeError, 'u is of bool, and its field of float: use u.astype of float32', lambda: heat(u=x > 0, k=1)),
            (ValueError, 'steps is -1', lambda: heat(u=x, k=1, steps=-1)),
            (TypeError, 'no number k is given: its arguments are u, k', lambda: heat(u=x)),
            (TypeError, 'u is of float64, and its field of float', lambda: heat(u=x.astype('f8'), k=1)),
            (ValueError, "no kind 'READ'", lambda: cmk.stencil([('READ', 'float', 'u')], '')),
            (TypeError, 'dims is 2.5', lambda: cmk.stencil([('SAME', 'float', 'u')], '', dims=2.5)),
            (TypeError, 'taps is in the memory of a GPU', lambda: cmk.conv2d(x, OfGpu())),
            (TypeError, 'output is in the memory of a GPU', lambda: cmk.conv2d(x, CROSS, output=OfGpu())),
            (TypeError, 'u is in the memory of a GPU, of another library, and k is not', lambda: heat(u=OfGpu(), k=x)),
            (ValueError, 'stages is 5: from 1 to 4', lambda: cmk.stencil([('SAME', 'float', 'u')], '', stages=5)),
            (cmk.CompileError, 'cmk: CMK_POINT: a SHAPE must reach from 0 to 8', lambda: cmk.stencil(
                [('SAME', 'float', 'u', 'CMK_POINT_STAR(9)', 'wrap')], 'CMK_POINT_SET(u, 1);')(u=x)),
            (cmk.CompileError, 'body:2: ', lambda: cmk.stencil([('SAME', 'float', 'u')], '\nint int;')(u=x))):
        fails(error, text, call)


def check_slips(cmk):
    """words of uses and of a body that are none: a sentence with the word, and the line of the body"""
    x, right = np.ones((4, 4), np.float32), ('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest')
    for use, text in (((*right[:3], 'STAR(1)', 'wrap'), "no shape 'STAR(1)': STAR is no word of point.h"),
                      ((*right[:3], 'CMK_POINT_STARS(1)', 'wrap'), 'CMK_POINT_STARS is no word of point.h'),
                      ((*right[:4], 'CMK_EDGE_CLAMPS'), "no mode 'CMK_EDGE_CLAMPS': CMK_EDGE_CLAMPS is no word"),
                      ((*right[:4], 7), 'no mode 7'),
                      (right[:4], 'is none of (KIND, type, name)'), (right[:2], 'is none of (KIND, type, name)'),
                      (('SAME', 'float', 'int'), "'int' is no name"), (('SAME', 'float', 5), '5 is no name'),
                      (('SAME', 'float', 'steps'), "'steps' is no name")):
        fails(ValueError, text, lambda use=use: cmk.stencil([use], ''))
    fails(ValueError, 'u_next is the name of two things', lambda: cmk.stencil([right, ('VALUE', 'int', 'u_next')], ''))
    fails(TypeError, 'uses is 5, and not a list', lambda: cmk.stencil(5, ''))
    for body, text in (('/* CMK_POINT_SET(q,\n */ CMK_POINT_SET(p, 1);',
                        'body:2: CMK_POINT_SET(p, ...): there is no field p'),
                       ('#define V(f, x) CMK_POINT_AT(f, 0, x)\n#define W CMK_POINT_HERE(v)\n'
                        'CMK_POINT_SET(u, V(u, 0) + W);',
                        'body:2: CMK_POINT_HERE(v, ...): there is no field v'),
                       ('\n\nCMK_POINT_PUT(u, 1);', 'body:3: CMK_POINT_PUT is no word of point.h')):
        fails(cmk.CompileError, text, lambda body=body: cmk.stencil([right], body)(u=x))
    body = '#define GET(f) CMK_POINT_HERE(f)\n#if 0\nCMK_POINT_SET(p, 1);\n#endif\nCMK_POINT_SET(u, 2 * GET(u));'
    if not np.all(cmk.stencil([right], body)(u=x).u == 2):
        raise Failure('a right body')


def check_version(cmk):
    found = re.findall(r'^#define CMK_VERSION_\w+ (\d+)$', (ROOT / 'include/cmk/base.h').read_text(), re.MULTILINE)
    if cmk.__version__ != '.'.join(found) or len(found) != 3:
        raise Failure(f'{cmk.__version__}, not {found}')


def check_values(cmk):
    """a VALUE is one of its type"""
    x = np.zeros((4, 5), np.float32)
    for word, wrong, right in (('int', (2 ** 40, 1.5, np.nan, np.inf), (-2 ** 31, np.int8(-3), True)),
                               ('unsigned char', (-1, 256, 0.5), (255, 4.0)),
                               ('long long', (2 ** 53 + 1, np.int64(2 ** 53 + 1), 2 ** 63), (2 ** 53, -2 ** 63)),
                               ('float', (1e300, 10 ** 400), (0.1, np.inf))):
        put = cmk.stencil([('SAME', 'float', 'u'), ('VALUE', word, 'k')], 'CMK_POINT_SET(u, (float)k);')
        for value in wrong:
            fails(ValueError, 'k ', lambda value=value: put(u=x, k=value))
        fails(TypeError, 'k is complex', lambda: put(u=x, k=1j))
        for value in right:
            if not np.all(put(u=x, k=value).u == np.float32(value)):
                raise Failure(f'{value} as {word}: {put(u=x, k=value).u}')
    outer = cmk.stencil([('IN', 'short', 'u', 'CMK_POINT_STAR(1)', 'constant'), ('OUT', 'short', 'v')],
                        'CMK_POINT_SET(v, CMK_POINT_AT(u, -1, 0));')
    fails(ValueError, 'u_outside is 32768, which no int16 is', lambda: outer(u=x.astype('i2'), u_outside=32768))


def check_stops(cmk):
    """what would end a C program is an exception"""
    x = np.ones((8, 8), np.float32)

    def stencil(body):
        return cmk.stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest')], body)

    fails(cmk.Error, 'body:1: reads u at (0, 2)', lambda: stencil('CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 2));')(u=x))
    fails(cmk.Error, 'a plain access at 0x', lambda: stencil('CMK_POINT_SET(u, *(volatile float *)64);')(u=x))
    fails(cmk.Error, 'signal 9', lambda: stencil('int kill(int, int); kill(getpid(), 9);')(u=x))
    leaves = cmk.stencil([('SAME', 'float', 'u'), ('VALUE', 'int', 'status')], """
        if (status >= 0) exit(status);
        CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0) + 1);""")
    for status in (0, 3):  # and the next call is as any other
        fails(cmk.Error, f'ended its process, with status {status}', lambda status=status: leaves(u=x, status=status))
        if not np.all(leaves(u=x, status=-1).u == 2):
            raise Failure('a call behind a stop')


def check_programs(cmk):
    """the program of a stencil stays for the next call, of any size, and sees the environment of now; few stay; another
    process has its own"""
    x = np.ones((8, 8), np.float32)
    body = 'CMK_POINT_SET(u, (float)(k == 0 ? getpid() : k == 1 ? getenv("CMK_HOST_CORES") != NULL : k));'
    asks = cmk.stencil([('SAME', 'float', 'u'), ('VALUE', 'int', 'k')], body)
    first = asks(u=x, k=0).u[0, 0]
    for shape in ((300, 500), (1, 1), (300, 501)):
        if not np.all(asks(u=np.ones(shape, np.float32), k=0).u == first):
            raise Failure('another process for the next call')
    with cores('2'):
        if not np.all(asks(u=x, k=1).u == 1):
            raise Failure('an environment of before')
    first = asks(u=x, k=0).u[0, 0]
    child = os.fork()
    if child == 0:
        os._exit(bool(asks(u=x, k=0).u[0, 0] == first))
    if os.waitpid(child, 0)[1] != 0 or asks(u=x, k=0).u[0, 0] != first:
        raise Failure('two processes of Python have one program')


@contextlib.contextmanager
def cores(word):
    """CMK_HOST_CORES in the environment"""
    kept = os.environ.get('CMK_HOST_CORES')
    os.environ['CMK_HOST_CORES'] = word
    try:
        yield
    finally:
        os.environ.pop('CMK_HOST_CORES')
        if kept is not None:
            os.environ['CMK_HOST_CORES'] = kept


def check_strips(cmk):
    """many strips, by one thread and by three, which share them"""
    random = np.random.default_rng(6)
    for function, shape, weights, kind, axes in (
            ('conv2d', (301, 1999), (5, 4), 'float64', None), ('conv2d', (1, 40000), (5, 4), 'uint8', None),
            ('conv2d', (40000, 1), (5, 4), 'int16', None),
            ('conv2d', (3, 230, 700, 3), (1, 5, 4, 1), 'float32', (1, 2)),
            ('conv3d', (5, 301, 555), (3, 2, 5), 'float32', None), ('separable', (301, 1999), (9, 9), 'uint8', None),
            ('separable', (5, 301, 555), (7, 7, 7), 'float32', None)):
        x, mode = drawn(random, shape, kind), MODES[len(shape) % 5]
        lines = [random.uniform(-1, 1, size) for size in weights]
        taps = functools.reduce(np.multiply.outer, lines)
        given = {'mode': mode} if axes is None else {'mode': mode, 'axes': axes}
        results = []
        for count in '13':
            with cores(count):
                results.append(getattr(cmk, function)(x, lines if function == 'separable' else taps.squeeze(), **given))
        wide = x.astype(float)
        compare(results[0], x, ndimage.correlate(wide, taps, mode=mode),
                ndimage.correlate(abs(wide), abs(taps), mode=mode), taps.size)
        if not np.array_equal(*results):
            raise Failure(f'{function} {shape}: another result by three threads')
    with cores('many'):
        fails(cmk.Error, 'CMK_HOST_CORES=many: it must be a number', lambda: cmk.conv2d(np.ones((4, 4)), CROSS))


def check_compiled_once(cmk, work):
    """with a line on stderr, for every mode, cval, origin and size"""
    x, said, kept = np.random.default_rng(8).random((12, 16)), io.StringIO(), os.environ['XDG_CACHE_HOME']
    os.environ['XDG_CACHE_HOME'] = str(work / 'empty cache')
    try:
        with contextlib.redirect_stderr(said):
            for mode, origin, size in itertools.product(MODES, (0, 1), (3, 4)):
                cmk.conv2d(x, np.ones((size, size + 1)), mode=mode, cval=size, origin=origin, how='convolution')
                cmk.separable(x, np.ones(size), mode=mode, cval=size, origin=origin)
                cmk.conv3d(x[:, :, None], np.ones((size, size, 1)), mode=mode, origin=(origin, 0, 0))
                cmk.transpose(x)
        lines = said.getvalue().splitlines()
        if len(lines) != 1 or not lines[0].startswith('cmk: conv2d: ') or 'compiles it' not in lines[0]:
            raise Failure(f'says: {lines}')
    finally:
        os.environ['XDG_CACHE_HOME'] = kept


def check_overlaps(cmk):
    """an output that is x, or a part of its memory"""
    kept = np.random.default_rng(9).random((12, 16))
    for source, target in ((np.s_[:], np.s_[:]), (np.s_[:-1], np.s_[1:]), (np.s_[::-1], np.s_[:])):
        x = kept.copy()
        result = cmk.conv2d(x[source], CROSS, output=x[target])
        compare(result, kept, ndimage.correlate(kept[source], CROSS), np.full(result.shape, 8.0), 9)


def check_cache(cmk, work):
    """compiled once; anew for another compiler's flags; a compiler or a folder that is not there is a sentence"""
    x, kept = np.ones((4, 4)), dict(os.environ)
    place = work / 'another cache'

    def known(**variables):
        os.environ.update({'XDG_CACHE_HOME': str(place), **variables})
        cmk.conv2d(x, CROSS)
        return sorted(path.name for path in (place / 'cmk').iterdir())

    try:
        first = known()
        if len(first) != 1 or known() != first or len(known(CFLAGS='-O0 -DANOTHER')) != 2:
            raise Failure(f'libraries: {first}')
        os.environ['CC'] = str(work / 'no compiler')
        fails(cmk.Error, 'no C compiler, which arrays of NumPy need', lambda: cmk.conv2d(x, CROSS))
        os.environ.update(CC=kept['CC'], XDG_CACHE_HOME=os.devnull)
        fails(cmk.Error, 'compiled kernels are kept there', lambda: cmk.conv2d(x, CROSS))
    finally:
        os.environ.clear()
        os.environ.update(kept)


def interface(cmk, work):
    yield 'conv2d: channels, batches, output', lambda: check_axes(cmk)
    yield 'transpose: types, sizes, orders', lambda: check_transposes(cmk)
    yield 'stencil: heat, the array that is given is kept', lambda: check_heat(cmk)
    yield 'stencil: a wave in 3D', lambda: check_wave(cmk)
    yield 'stencil: loops give what kernels give', lambda: check_loops(cmk)
    yield 'wrong calls are exceptions, with their sentence', lambda: check_refusals(cmk)
    yield 'words that are none, with their lines', lambda: check_slips(cmk)
    yield 'the version', lambda: check_version(cmk)
    yield 'what the backend stops is an exception, with its sentence', lambda: check_stops(cmk)
    yield 'the numbers of a stencil are of their types', lambda: check_values(cmk)
    yield 'the program of a stencil stays', lambda: check_programs(cmk)
    yield 'filters of many strips, by several threads', lambda: check_strips(cmk)
    yield 'filters are compiled once for modes, cval, origins and sizes', lambda: check_compiled_once(cmk, work)
    yield 'an output that overlaps x', lambda: check_overlaps(cmk)
    yield 'the cache', lambda: check_cache(cmk, work)


# ---- docs/python.md, and the wheel

def check_page():
    names = {}
    for block in re.findall(r'```python\n(.*?)```', (ROOT / 'docs/python.md').read_text(encoding='utf-8'), re.DOTALL):
        exec(compile(block, 'docs/python.md', 'exec'), names)  # pylint: disable=exec-used


def check_modes():
    from cmk.definition import EDGES
    said = re.findall(r'^\| (`[^|]*`) \| `(CMK_EDGE_\w+)`', (ROOT / 'docs/python.md').read_text(), re.MULTILINE)
    if {mode: edge for modes, edge in said for mode in re.findall(r'`([\w-]+)`', modes)} != EDGES:
        raise Failure(f'the page says {said}, the package {EDGES}')


USE = '''import sys, numpy, cmk
assert cmk.__file__.startswith(sys.argv[1]) and cmk.get_include().startswith(sys.argv[1])
assert (cmk.conv2d(numpy.eye(5), [[0, 0, 1]], mode="constant") == numpy.eye(5, k=-1)).all()
shift = cmk.stencil([("IN", "double", "u", "CMK_POINT_STAR(1)", "constant"), ("OUT", "double", "v")],
                    "CMK_POINT_SET(v, CMK_POINT_AT(u, 0, 1));")
assert (shift(u=numpy.eye(5)).v == numpy.eye(5, k=-1)).all()
'''


def pip():
    words = [sys.executable, '-m', 'pip', '--disable-pip-version-check']
    if run([*words, '--version'])[0] != 0:
        raise Skip('no pip')
    return words


def source(include, work):
    """a copy of what the package is made of, with the headers that are tested"""
    place = work / 'checkout'
    if not place.is_dir():
        shutil.copytree(package(include), place / 'python', ignore=shutil.ignore_patterns('__pycache__'))
        shutil.copytree(include, place / 'include')
        shutil.copy(ROOT / 'LICENSE', place)
    return place / 'python'


def check_wheel(include, work):
    """built without network and GPU, twice the same; installed, it works from another folder, by the flags of users"""
    words = [*pip(), 'wheel', '--no-index', '--no-deps', '-q', source(include, work)]
    wheels = []
    for name in ('first', 'second'):
        must([*words, '-w', work / name])
        wheels += (work / name).glob('*.whl')
    version = '.'.join(re.findall(r'#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)',
                                  (include / 'cmk/base.h').read_text(encoding='utf-8')))
    if [path.name for path in wheels] != [f'cmk_kernels-{version}-py3-none-any.whl'] * 2:
        raise Failure(f'{wheels}')
    if wheels[0].read_bytes() != wheels[1].read_bytes():
        raise Failure('another wheel the second time')
    place = work / 'installed'
    must([*pip(), 'install', '--no-index', '--no-deps', '-q', '--target', place, wheels[0]])
    must([sys.executable, '-c', USE, place], cwd=work, PYTHONPATH=str(place), CUDA_VISIBLE_DEVICES='',
         CFLAGS='')


def check_source(include, work):
    place = source(include, work)
    must([sys.executable, '-c', 'import backend; backend.build_sdist(".")'], cwd=place)
    target = work / 'from source'
    must([*pip(), 'install', '--no-index', '--no-deps', '-q', '--target', target, *place.glob('*.tar.gz')])
    must([sys.executable, '-c', USE, target], cwd=work, PYTHONPATH=str(target))


def packaged(_, include, work):
    yield 'docs/python.md: its code runs', check_page
    yield 'docs/python.md: its table of modes is that of the package', check_modes
    yield 'wheel: builds, installs and works without network and GPU', lambda: check_wheel(include, work)
    yield 'source archive: installs and works', lambda: check_source(include, work)


GROUPS = {'grid': lambda cmk, include, work: grid(cmk),
          'few': lambda cmk, include, work: grid(cmk, every=47),
          'interface': lambda cmk, include, work: interface(cmk, work),
          'package': packaged}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as temporary:
        work = Path(temporary)
        cmk = take(options.include, work)
        checks = [check for name in options.which for check in GROUPS[name](cmk, options.include, work)]
        report([(name, lambda check=check: tried(cmk, check)) for name, check in checks], options)


if __name__ == '__main__':
    main()
