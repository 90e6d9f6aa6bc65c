"""The Python package: judged by scipy.ndimage in double, by its page, and by its wheel.

grid: the parameters of scipy's filters: modes, sizes, origins, types, 2000 cases and more. Taps and sizes of arrays are
arguments of a definition, so that each one that is compiled has many. few: some of them.
"""

import itertools
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import ROOT, Failure, Skip, arguments, compiler, folder, must, report, run  # noqa: E402

try:
    import numpy as np
    import scipy.ndimage as ndimage
except ImportError:
    np = ndimage = None

PACKAGE = ROOT / 'python'
MODES = ('reflect', 'constant', 'nearest', 'mirror', 'wrap')
TYPES = ('float32', 'float64', 'uint8', 'int16', 'uint16', 'int8')
IMAGES = [(1, 1), (1, 9), (3, 2), (8, 8), (13, 37), (40, 33), (5, 140), (2, 2), (70, 9)]
VOLUMES = [(1, 1, 1), (2, 3, 1), (4, 5, 6), (7, 9, 33), (3, 17, 40), (9, 2, 8)]
ALL = 2000


def take(include, work):
    """the package with the headers that are tested, compiled for no speed, becomes the module cmk"""
    if np is None:
        return None
    place = work / 'site' / 'cmk'
    shutil.copytree(PACKAGE / 'cmk', place, ignore=shutil.ignore_patterns('__pycache__'))
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


def fails(error, text, call):
    try:
        call()
    except error as said:
        if text not in str(said):
            raise Failure(f'says: {said}\nnot: {text}') from None
        return said
    raise Failure(f'does not fail: {text}')


# ---- Cases: (name, function, judge, shapes of arrays, shape of taps, type, keywords)

def drawn(random, shape, dtype):
    if np.dtype(dtype).kind == 'f':
        return random.uniform(-2, 2, shape).astype(dtype)
    kind = np.iinfo(dtype)
    return random.integers(kind.min, kind.max, shape, dtype, endpoint=True)


def compare(result, x, exact, size, taps):
    """exact: in double; size: the same sums of absolute values, of so many taps, each of which may be rounded"""
    kind = result.dtype
    bound = size * (taps + 3) * (2.0 ** -53 if x.dtype == np.float64 else 2.0 ** -24)
    if kind.kind != 'f':
        exact = np.clip(exact, np.iinfo(kind).min, np.iinfo(kind).max)
        bound = bound + 0.5
    if result.shape != exact.shape or not np.all(np.abs(result.astype(np.float64) - exact) <= bound):
        raise Failure(f'shape {x.shape}, {kind}:\n{result}\nnot\n{exact}')


def check_cases(cmk, function, judge, shapes, taps_shape, dtype, keywords):
    random = np.random.default_rng(7)
    for shape in shapes:
        x, taps = drawn(random, shape, dtype), random.uniform(-1, 1, taps_shape)
        result = getattr(cmk, function)(x, taps, **keywords)
        wide = x.astype(np.float64)
        magnitude = {**keywords, 'cval': abs(keywords.get('cval', 0))}
        compare(result, x, judge(wide, taps, **keywords), judge(np.abs(wide), np.abs(taps), **magnitude),
                int(np.prod(taps_shape)))


def filtered(x, taps, how='correlation', **keywords):
    keywords.pop('output', None)
    return (ndimage.convolve if how == 'convolution' else ndimage.correlate)(x, taps, **keywords)


def in_turn(x, taps, mode='reflect', cval=0.0, origin=0):
    """the product of taps of one axis each; scipy's modes for an axis each are those of correlate1d"""
    if isinstance(mode, str):
        product = taps[0]
        for line in taps[1:]:
            product = np.multiply.outer(product, line)
        return ndimage.correlate(x, product, mode=mode, cval=cval, origin=origin)
    for axis, (line, one) in enumerate(zip(taps, mode)):
        x = ndimage.correlate1d(x, line, axis, mode=one, cval=cval, origin=origin)
    return x


def ends(size):
    """the least origin and the largest"""
    return -(size // 2), (size - 1) // 2


def images():
    sizes = [(1, 1), (3, 3), (2, 4), (5, 1), (1, 6), (4, 7)]
    for number, (mode, size) in enumerate(itertools.product(MODES, sizes)):
        (top, bottom), (left, right) = (ends(length) for length in size)
        for turn, (row, column) in enumerate(sorted({(0, 0), (top, right), (bottom, left)})):
            keywords = {'mode': mode, 'origin': (row, column)}
            keywords['how'] = ('correlation', 'convolution')[(number + turn) % 2]
            keywords['cval'] = 3 * ((number + turn) % 3)
            yield 'conv2d', filtered, IMAGES * 2, size, TYPES[(number + turn) % 6], keywords
    for dtype in TYPES:
        yield 'conv2d', filtered, IMAGES, (9, 9), dtype, {'mode': 'mirror'}


def lines():
    shapes = {2: IMAGES, 3: VOLUMES}
    for number, (mode, axes, length) in enumerate(itertools.product(MODES, (2, 3), (1, 3, 4, 7))):
        dtype = TYPES[number % (6 if axes == 2 else 2)]
        keywords = {'mode': mode, 'origin': (0, *ends(length))[number % 3]}
        if axes == 2:
            keywords['cval'] = number % 3
        yield 'separable', in_turn, shapes[axes], (axes, length), dtype, keywords
    for modes in (('wrap', 'nearest'), ('reflect', 'mirror'), ('constant', 'reflect'), ('mirror', 'wrap', 'nearest')):
        yield 'separable', in_turn, shapes[len(modes)], (len(modes), 5), 'float64', {'mode': modes}


def volumes():
    for number, (mode, size) in enumerate(itertools.product(MODES, [(1, 1, 1), (3, 3, 3), (2, 3, 4), (5, 1, 3)])):
        for origin in (0, (0, 0, -1)):
            if size != (1, 1, 1) or origin == 0:
                yield 'conv3d', filtered, VOLUMES * 2, size, TYPES[number % 2], {'mode': mode, 'origin': origin}


def check_count(count):
    if count < ALL:
        raise Failure(f'{count}')


def grid(cmk, every=1):
    count = 0
    for number, (function, judge, shapes, taps, dtype, keywords) in enumerate([*images(), *lines(), *volumes()]):
        if number % every:
            continue
        count += len(shapes)
        words = ', '.join(f'{name}={value}' for name, value in keywords.items())
        yield (f'{function}, taps {taps}, {dtype}, {words}: {len(shapes)} cases',
               lambda case=(function, judge, shapes, taps, dtype, keywords): check_cases(cmk, *case))
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
    __cuda_array_interface__ = {'shape': (2, 2)}


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
            (TypeError, 'arrays of complex64 are none of cmk', lambda: cmk.conv2d(x + 1j, CROSS)),
            (TypeError, 'no array u is given', lambda: heat(k=1)),
            (ValueError, 'steps is -1', lambda: heat(u=x, k=1, steps=-1)),
            (TypeError, 'its arguments are u, k', lambda: heat(u=x)),
            (TypeError, 'u is of float64, and its field of float', lambda: heat(u=x.astype('f8'), k=1)),
            (ValueError, "no kind 'READ'", lambda: cmk.stencil([('READ', 'float', 'u')], '')),
            (NotImplementedError, 'arrays in the memory of a GPU', lambda: cmk.conv2d(OfGpu(), CROSS)),
            (cmk.CompileError, 'cmk: CMK_DEFINE_CONV3D: ', lambda: cmk.conv3d(cube, np.ones((9, 1, 1)))),
            (cmk.CompileError, 'body:2: ', lambda: cmk.stencil([('SAME', 'float', 'u')], '\nint int;')(u=x))):
        fails(error, text, call)


def check_stops(cmk):
    """what would end a C program is an exception"""
    x = np.ones((8, 8), np.float32)

    def stencil(body):
        return cmk.stencil([('NEXT', 'float', 'u', 'CMK_POINT_STAR(1)', 'nearest')], body)

    fails(cmk.Error, 'body:1: reads u at (0, 0, 2)', lambda: stencil('CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 2));')(u=x))
    fails(cmk.Error, 'a plain access at 0x', lambda: stencil('CMK_POINT_SET(u, *(volatile float *)64);')(u=x))
    fails(cmk.Error, 'signal 9', lambda: stencil('int kill(int, int); kill(getpid(), 9);')(u=x))


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
    yield 'wrong calls are exceptions, with their sentence', lambda: check_refusals(cmk)
    yield 'what the backend stops is an exception, with its sentence', lambda: check_stops(cmk)
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
        shutil.copytree(PACKAGE, place / 'python', ignore=shutil.ignore_patterns('__pycache__'))
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
