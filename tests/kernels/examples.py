"""The examples by their command lines: they run, check themselves, and refuse bad input without an output file.

usage: examples.py host|gpu PROGRAM...    each is called run-EXAMPLE or run-EXAMPLE-gpu
"""

import os
import re
import stat
import struct
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import (C11, PATH, ROOT, Failure, Skip, compiler, folder, must, need_device,  # noqa: E402
                     report, run)


def succeeds(words, expected, **variables):
    status, output = run(words, **variables)
    if status != 0 or expected not in output:
        raise Failure(f'exit status {status}\n{output}')
    if sys.argv[1] == 'host' and re.search(r'% (of the )?(copy|peak)|GB/s|TFLOP/s', output):
        raise Failure(f'shares of a GPU\'s limits, of a CPU\n{output}')
    return output


def fails(words, expected, absent=None):
    status, output = run(words)
    if status != 1 or expected not in output:
        raise Failure(f'exit status {status}, not 1 with "{expected}"\n{output}')
    if absent is not None and Path(absent).exists():
        raise Failure(f'{absent} was written')


def stencil_checks(program, work):
    samples = Path(work) / 'samples'
    samples.write_bytes(struct.pack('<1000f', *(i * i % 97 - 40.5 for i in range(1000))))
    good = [(f'stencil1d {count}', ['%d' % count], 'derivative') for count in (1, 2, 4, 7, 31, 32, 33, 1023, 100001)]
    number, size = 'COUNT is no number', 'COUNT must be from 1 to 2^36 - 1'
    bad = [(['0'], size), (['-3'], number), ([''], number), (['many'], number), (['12x'], number),
           (['99999999999999999999'], size), (['68719476736'], size), (['1001', samples], 'FILE has fewer samples'),
           (['10', Path(work) / 'none'], 'FILE cannot be read'), (['10', samples, 'more'], 'too many arguments')]
    return ([(name, lambda w=words, e=expected: succeeds([program, *w], e)) for name, words, expected in good]
            + [('stencil1d of a file', lambda: succeeds([program, '1000', samples], 'derivative'))]
            + [('stencil1d refuses ' + ' '.join(Path(w).name for w in words),
                lambda w=words, e=expected: fails([program, *w], f'stencil1d: {e}')) for words, expected in bad])


def ladder(program, side):
    """a row for each kernel, each of which the program has checked, with the operations for a byte that it loads:
    2 for the 8 bytes of a pixel and a tap, 2 for the 4 of a pixel, and 2 x 49 for a pixel that comes with its halo"""
    output = succeeds([program, side], f'{side} x {side} floats, 7 x 7 taps')
    columns = 0 if sys.argv[1] == 'host' else 5
    found = re.findall(rf'^(\w+) +\d+\.\d+ +(\d+\.\d+)(?: +\d+\.\d+){{{columns}}}$', output, re.MULTILINE)
    tiles = {'tiled': (32 * 8, 38 * 14), 'blocked': (128 * 32, 136 * 38), 'definition': (1, 1)}
    wanted = [('basic', '0.25'), ('constant', '0.50'),
              *((name, f'{2 * 49 * results / (4 * pixels):.2f}') for name, (results, pixels) in tiles.items())]
    if found != wanted:
        raise Failure(f'not {wanted}\n{output}')


def conv_checks(program, _):
    bad = ['0', '-3', '', 'many', '12x', '65536', '99999999999999999999', '5 5']
    return ([(f'conv2d {side}', lambda s=side: ladder(program, s)) for side in (1, 3, 31, 32, 33, 127, 129, 161)]
            + [(f'conv2d refuses {words}', lambda w=words.split(' '): fails([program, *w], 'usage: conv2d'))
               for words in bad])


def made(path, header, size=0):
    path.write_bytes(header + bytes(i * 7 % 256 for i in range(size)))
    return path


def image_checks(program, work):
    work = Path(work)
    out = work / 'out.pgm'
    good = {
        'one pixel': made(work / 'one', b'P5 1 1 255\n', 1),
        'one row': made(work / 'row', b'P5\n97 1\n255\n', 97),
        'one column': made(work / 'column', b'P5\n1 97\n255\n', 97),
        'comments': made(work / 'comments', b'P5 # one\n#two\n 33 # three\n9\n# four\n\n#\n255\n', 33 * 9),
        'comments at once': made(work / 'close', b'P5 33#one\n9#two\n255#three\n', 33 * 9),
        '16 bit': made(work / 'deep', b'P5\n35 10\n65535\n', 2 * 350),
        'a largest value of 100': made(work / 'hundred', b'P5\n64 16\n100\n', 1024),
        'colours': made(work / 'colours', b'P6\n21 5\n255\n', 3 * 105),
        'colours of 16 bit': made(work / 'deepest', b'P6\n21 5\n1023\n', 6 * 105),
    }
    bad = {
        'no such file': (work / 'none', 'none: '),
        'an empty file': (made(work / 'empty', b''), 'empty: '),
        'a text file': (made(work / 'text', b'hello'), 'text: '),
        'an ASCII PGM': (made(work / 'ascii', b'P2 1 1 255\n7\n'), 'ascii: '),
        'a width of 0': (made(work / 'zero', b'P5 0 5 255\n', 5), 'zero: '),
        'a negative height': (made(work / 'minus', b'P5 5 -5 255\n', 25), 'minus: '),
        'a largest value of 65536': (made(work / 'large', b'P5 2 2 65536\n', 8), 'large: '),
        'a huge size': (made(work / 'huge', b'P6 2000000000 2000000000 255\n', 8), 'huge: '),
        'a header of words': (made(work / 'words', b'P5 wide high 255\n', 8), 'words: '),
        'one pixel too few': (made(work / 'short', b'P5 5 5 255\n', 24), 'short: '),
        'one colour too few': (made(work / 'pale', b'P6 5 5 255\n', 74), 'pale: '),
        'half a 16-bit pixel': (made(work / 'half', b'P5 5 5 256\n', 49), 'half: '),
        'no pixel of 16 bits': (made(work / 'none of 16', b'P5 5 5 256\n'), 'none of 16: '),
        'a width of 2^32 + 1': (made(work / 'around', b'P5 4294967297 1 255\n', 1), 'around: '),
        'a height of 2^64 + 1': (made(work / 'higher', b'P5 1 18446744073709551617 255\n', 1), 'higher: '),
        'a largest value of 2^32 + 255': (made(work / 'most', b'P5 1 1 4294967551\n', 1), 'most: '),
        'letters behind a number': (made(work / 'letters', b'P5 1x 1 255\n', 1), 'letters: '),
        'a comment without an end': (made(work / 'open', b'P5 1 1 # 255'), 'open: '),
        'a folder': (work, 'binary PGM'),
    }
    filters = {'small': '2 3\n1 2 3\n-4 5e-1 .6', 'wide': '1 33 ' + '1 ' * 33}
    wrong = {'empty filter': '', 'words': 'three 3', 'no rows': '0 3', 'too many columns': '3 34' + ' 1' * 102,
             'too few taps': '2 2 1 2 3', 'too many taps': '2 2 1 2 3 4 5', 'a word among them': '2 2 1 2 x 4',
             'a tap that is no number': '2 2 1 2 nan 4', 'an infinite tap': '1 1 inf',
             'rows of 2^32 + 2': '4294967298 1 1 2', 'a tap above all floats': '1 1 1e39'}
    for name, text in {**filters, **wrong}.items():
        (work / f'{name}.txt').write_text(text)
    one = good['one pixel']
    each = [['gauss', 0.1], ['gauss', 5], ['box', 0], ['box', 16], ['sobel'], ['laplace'], ['sharpen'], ['emboss'],
            ['identity']] + [['file', work / f'{name}.txt'] for name in filters]
    edges = ['zero', 'clamp', 'wrap', 'mirror', 'reflect', 'value:7']
    rows = [(name, edges[at % 6], words) for at, words in enumerate(each) for name in good]
    rows += [(name, edge, ['gauss', 2]) for edge in edges for name in good]
    arguments = [[], [one], [one, out, 'clamp'], [one, out, 'clamp', 'blur'], [one, out, 'none', 'sobel'],
                 [one, out, 'value:', 'sobel'], [one, out, 'value:2x', 'sobel'], [one, out, 'clamp', 'sobel', '3'],
                 [one, out, 'clamp', 'gauss'], [one, out, 'clamp', 'gauss', '0'], [one, out, 'clamp', 'gauss', '5.1'],
                 [one, out, 'clamp', 'gauss', '2x'], [one, out, 'clamp', 'gauss', 'nan'], [one, out, 'clamp', 'box'],
                 [one, out, 'clamp', 'box', '-1'], [one, out, 'clamp', 'box', '17'], [one, out, 'clamp', 'box', '1.5'],
                 [one, out, 'clamp', 'file'], [one, out, 'clamp', 'gauss', '2', 'more']]

    def refuses(name, words, expected):
        return (f'filter_image refuses {name}',
                lambda: (out.unlink(missing_ok=True), fails([program, *words], expected, out)))

    def identity(path):
        succeeds([program, path, out, 'zero', 'identity'], '')
        size = len(path.read_bytes()) - 1
        if path.read_bytes()[-size // 2:] != out.read_bytes()[-size // 2:]:
            raise Failure('the picture has changed')

    return ([(f'filter_image of {name}, {edge} {" ".join(Path(str(word)).name for word in words)}',
              lambda p=good[name], e=edge, w=words: succeeds([program, p, out, e, *w], ''))
             for name, edge, words in rows]
            + [(f'filter_image leaves {name} as it is', lambda p=good[name]: identity(p))
               for name in ('one row', 'comments at once', '16 bit', 'colours')]
            + [refuses(name, [path, out, 'clamp', 'sobel'], expected) for name, (path, expected) in bad.items()]
            + [refuses(f'a filter file: {name}', [one, out, 'clamp', 'file', work / f'{name}.txt'], f'{name}.txt: ')
               for name in ('none', *wrong)]
            + [refuses('the arguments ' + ' '.join(Path(word).name for word in words), words, 'usage: filter_image')
               for words in arguments]
            + [refuses(f'value:{value}', [one, out, f'value:{value}', 'sobel'], '0 to 255') for value in (-1, 256)]
            + [refuses(f'value:{value}', [one, out, f'value:{value}', 'sobel'], 'usage: filter_image')
               for value in (2**32, 2**64)]
            + [('filter_image refuses an output in no folder',
                lambda: fails([program, one, work / 'no' / 'out.pgm', 'clamp', 'sobel'], 'out.pgm: '))]
            + file_checks(program, work))


# ---- What filter_image does to the files and devices that it is given

def small_picture(path):
    return made(path, b'P5 33 9 255\n', 33 * 9)


def in_little_space(words):
    """exit status and output of a command that can write files of 512 or 1,024 bytes only, and is told so"""
    return run(['sh', '-c', 'trap "" XFSZ; ulimit -f 1; exec "$@"', 'sh', *words])


def unchanged(place, before):
    after = {path.name: path.read_bytes() for path in place.iterdir()}
    if after != before:
        changed = [name for name in before if after.get(name) != before[name]]
        raise Failure(f'there are {sorted(after)}; changed: {changed}')


def device_stays(program, work):
    """a link to the full device, since a program that is wrong would remove the device itself"""
    device = work / 'full'
    device.symlink_to('/dev/full')
    status, output = run([program, small_picture(work / 'in'), device, 'clamp', 'identity'])
    if not device.is_symlink() or not stat.S_ISCHR(os.stat('/dev/full').st_mode):
        raise Failure('the device was removed')
    if status != 1 or 'full: ' not in output:
        raise Failure(f'exit status {status}\n{output}')


def pipe_is_written(program, work):
    pipe, got = work / 'pipe', []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    picture = small_picture(work / 'in')
    succeeds([program, picture, pipe, 'clamp', 'identity'], '')
    reader.join(60)
    if not stat.S_ISFIFO(os.stat(pipe).st_mode) or not got or got[0][-33 * 9:] != picture.read_bytes()[-33 * 9:]:
        raise Failure(f'the pipe gave {got}')


def original_survives(program, work):
    picture = made(work / 'in', b'P5 50 100 255\n', 5000)
    before = {'in': picture.read_bytes()}
    status, output = in_little_space([program, picture, picture, 'clamp', 'gauss', '1'])
    if status != 1 or 'in: ' not in output:
        raise Failure(f'exit status {status}\n{output}')
    unchanged(work, before)


def nothing_is_left(program, work):
    picture = made(work / 'in', b'P5 50 100 255\n', 5000)
    status, _ = in_little_space([program, picture, work / 'out', 'clamp', 'gauss', '1'])
    if status != 1:
        raise Failure(f'exit status {status}')
    unchanged(work, {'in': picture.read_bytes()})


def in_place(program, work):
    """through a link, whose file keeps its permissions"""
    picture = small_picture(work / 'in')
    picture.chmod(0o640)
    (work / 'link').symlink_to('in')
    succeeds([program, picture, work / 'out', 'clamp', 'gauss', '1'], '')
    succeeds([program, picture, work / 'link', 'clamp', 'gauss', '1'], '')
    if not (work / 'link').is_symlink() or picture.read_bytes() != (work / 'out').read_bytes():
        raise Failure('the result is another')
    if stat.S_IMODE(picture.stat().st_mode) != 0o640 or len(list(work.iterdir())) != 3:
        raise Failure(f'{stat.S_IMODE(picture.stat().st_mode):o}, {list(work.iterdir())}')


def link_stays(program, work):
    """one to a file that is not there, which is neither made nor replaced"""
    picture = small_picture(work / 'in')
    (work / 'link').symlink_to('none')
    fails([program, picture, work / 'link', 'clamp', 'gauss', '1'], 'link: a link to a file that is not there',
          work / 'none')
    if os.readlink(work / 'link') != 'none' or len(list(work.iterdir())) != 2:
        raise Failure(str(list(work.iterdir())))


def other_file_stays(program, work):
    """the name that the picture has until it is whole is taken"""
    picture = small_picture(work / 'in')
    (work / 'out.new').write_bytes(b'of somebody else')
    fails([program, picture, work / 'out', 'clamp', 'gauss', '1'], 'out.new cannot be made', work / 'out')
    unchanged(work, {'in': picture.read_bytes(), 'out.new': b'of somebody else'})


def header_alone(program, work):
    """takes no memory for pixels that are not there: 2 GB of them would be"""
    picture = made(work / 'in', b'P5 32768 32768 255\n', 10)
    started = subprocess.Popen([program, picture, work / 'out', 'clamp', 'identity'], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 1 or usage.ru_maxrss > 1 << 20 or (work / 'out').exists():
        raise Failure(f'exit status {started.returncode}, {usage.ru_maxrss} KB')


def short_pictures_are_defined(_, work):
    """a build by UndefinedBehaviorSanitizer: EOF is no byte of a pixel"""
    checked = work / 'checked'
    words = compiler('CC') + ['-fsanitize=undefined', '-fno-sanitize-recover=all', '-o', checked]
    (work / 'probe.c').write_text('int main(void) { return 0; }\n')
    if run([*words, work / 'probe.c'])[0] != 0 or run([checked])[0] != 0:
        raise Skip('no UndefinedBehaviorSanitizer')
    must([*words, f'-I{ROOT / "include"}', *C11, ROOT / 'examples' / 'filter_image.cu', '-lm', '-lpthread'])
    for size in range(5):
        picture = made(work / 'in', b'P5 3 1 65535\n', size)
        fails([checked, picture, work / 'out', 'clamp', 'identity'], 'fewer pixels', work / 'out')


FILES = (device_stays, pipe_is_written, original_survives, nothing_is_left, in_place, link_stays, other_file_stays,
         header_alone, short_pictures_are_defined)


def file_checks(program, work):
    def check(of):
        place = Path(work) / of.__name__
        place.mkdir()
        of(program, place)

    chosen = FILES[:-1] if Path(program).name.endswith('-gpu') else FILES
    return [(f'filter_image: {of.__name__.replace("_", " ")}', lambda of=of: check(of)) for of in chosen]


def access_rows(program, pattern, block, sums, tutorial):
    """one right row for each pattern; it ends with the tutorial's figures or with the ratio measured here"""
    output = succeeds([program, pattern, block, sums], f'blocks of {block:4}')
    entries = {'block': 1, 'warp': 1, 'thread': min(block, 32), 'random': min(block, 32)}
    found = re.findall(r'^ *(\d+)  (\w+) +(\d+)  ((?: *\d+\.\d+)+)$', output, re.MULTILINE)
    wanted = [(str(sums), name, str(count)) for name, count in entries.items() if pattern in (name, 'all')]
    if [row[:3] for row in found] != wanted or any(len(row[3].split()) != (6 if tutorial else 3) for row in found):
        raise Failure(f'not the rows {wanted}:\n{output}')


def access_checks(program, work):
    usage = 'usage: const_access'
    good = [(pattern, block, sums, False) for pattern in ('block', 'warp', 'thread', 'random', 'all')
            for block, sums in ((1, 1), (1, 70), (31, 1000), (32, 32), (33, 1000), (1000, 20011), (1024, 1025))]
    good += [('all', 1024, 128000, True), ('random', 96, 128000, False)]
    bad = ['blocks', '', 'one 32', 'all 0', 'all -32', 'all 1025', 'all 32x', 'warp 32 0', 'warp 32 -5', 'warp 32 many',
           'warp 32 2147483648', 'warp 32 99999999999999999999', 'warp 32 1 more']
    return ([(f'const_access {row[0]} {row[1]} {row[2]}', lambda r=row: access_rows(program, *r)) for row in good]
            + [(f'const_access refuses {words}', lambda w=words.split(' '): fails([program, *w], usage))
               for words in bad])


LOADS = {'literal': 'none', 'scalars': 'none', 'constant': 'ld.const.u32', 'parameter': 'ld.param.u32',
         'global': 'ld.global.nc.u32'}


def literal_rows(program, rounds, blocks, path, head, loads):
    """each version once, the changeable ones once more, and the data; all that stands behind the times"""
    output = succeeds([program, rounds, blocks], head, PATH=path)
    found = re.findall(r'^(\w+|in pieces|at once) +\d+\.\d+ {3}(\S*)', output, re.MULTILINE)
    wanted = [*loads.items(), *((name, 'with') for name in list(LOADS)[2:]), ('in pieces', 'for'), ('at once', 'for')]
    if found != wanted:
        raise Failure(f'not the rows {wanted}:\n{output}')


def literal_checks(program, work):
    usage = 'usage: const_literal'
    unknown = dict.fromkeys(LOADS, '')
    good = [(1, 1), (2, 2), (5, 1), (1000, 3)]
    bad = ['0', '-3', '', 'many', '12x', '99999999999999999999', '1 0', '1 -1', '1 x', '1 1048577', '1 1 more']
    return ([(f'const_literal {rounds} {blocks} without nvcc',
              lambda r=rounds, b=blocks: literal_rows(program, r, b, work, 'no PTX', unknown))
             for rounds, blocks in good]
            + [('const_literal finds the loads in its PTX',
                lambda: (compiler('NVCC'), literal_rows(program, 10, 1, PATH, 'coefficients in PTX', LOADS)))]
            + [(f'const_literal refuses {words}', lambda w=words.split(' '): fails([program, *w], usage))
               for words in bad])


def coefficient_checks(program, _):
    sizes = ['1 1', '3 2', '127 16', '128 17', '129 15', '1 300', '700 1', '261 35']
    bad = ['1', '0 5', '5 -5', 'x 5', '5 5x', '65536 5', '99999999999999999999 5', '5 5 5']
    return ([(f'coefficients {words}', lambda w=words: succeeds([program, *w.split()], 'global_15x15'))
             for words in sizes]
            + [(f'coefficients refuses {words}', lambda w=words: fails([program, *w.split()], 'usage: coefficients'))
               for words in bad])


def layout_checks(program, _):
    return [('shared_layout', lambda: succeeds([program], 'rectangle_dyn_pad')),
            ('shared_layout refuses an argument', lambda: fails([program, '32'], 'usage: shared_layout'))]


def transposes(program, rows, columns):
    output = succeeds([program, rows, columns], f'{rows} x {columns} floats')
    columns = 1 if sys.argv[1] == 'host' else 3
    found = re.findall(rf'^(\w+)(?: +\d+\.\d+){{{columns}}}', output, re.MULTILINE)
    if found != ['copy', 'naive', 'tiled', 'padded', 'swizzled', 'final']:
        raise Failure(output)


def transpose_checks(program, _):
    sizes = ['1 1', '1 1000', '1000 1', '32 32', '31 33', '33 64', '64 96', '127 130', '513 37', '4 2000', '70000 3']
    bad = ['5', '0 5', '5 -5', 'x 5', '5 5x', '', '2147483648 1', '1 99999999999999999999', '5 5 5']
    return ([(f'transpose {words}', lambda w=words.split(): transposes(program, *w))
             for words in sizes]
            + [(f'transpose refuses {words}', lambda w=words.split(' '): fails([program, *w], 'usage: transpose'))
               for words in bad]
            + [('transpose refuses more blocks than a launch has',
                lambda: fails([program, '2147483647', '3000'], 'too large for one launch'))])


# ---- Stencils: what a run says when it is right; the command lines, which may end with an OUT

STENCILS = {
    'heat2d': ('right', ['1', '1 1', '2 3', '7 3', '33 40', '64 100', '129 20', '200 50'], ['65536', '5 10000001'], ''),
    'gray_scott': ('step', ['1 1', '2 3', '5 7', '64 200', '130 41'], ['32769', '5 100000001'], '-4.ppm'),
    'wave3d': ('order of accuracy in space: 7.', ['32 70', '33 3'], ['31', '2049', '32 1000001'], '.pgm'),
    'fdtd2d': ('change of the energy', ['8 1', '9 100', '64 300', '131 33'], ['7', '32769', '8 100000001'], '.pgm'),
    'life': ('the glider is right', ['5 1', '6 41', '33 100', '130 12', '200 8'], ['4', '65536', '5 100000001'],
             '.pgm'),
    'jacobi': ('right', ['1', '2 1e-10', '17 1e-6', '33 1e-3', '70 0.8'],
               ['16385', '5 2', '5 1e-11', '5 nan', '5 1e-3x'], ''),
    'conjugate_gradients': ('right', ['1', '2 1e-12', '17 1e-6', '33 1e-3', '40'],
                            ['16385', '5 2', '5 1e-13', '5 nan', '5 1e-3x'], ''),
    'shallow_water': ('water changed by', ['1 5', '2', '9 1', '64 0.2', '131 0.03'], ['32769', '5 1001', '5 1e-7'],
                      '.pgm'),
    'multigrid': ('right', ['2', '7 1e-9', '8 1e-11', '12', '28 1e-3'], ['1', '22', '1026', '32 1e-12', '8 1e-3x'], ''),
    'heat3d': (' 0 points differ from one rank', ['8 1', '13 30', '33 7'], ['7', '2049', '8 100000001'], '.pgm'),
}


def draws(words, expected, path):
    """a run that writes a square picture"""
    succeeds(words, expected)
    found = re.match(rb'P([56])\n(\d+) (\d+)\n(\d+)\n', path.read_bytes())
    if found is None:
        raise Failure(f'{path.name} is no picture')
    kind, columns, rows, most = (int(word) for word in found.groups())
    pixels = path.read_bytes()[found.end():]
    if len(pixels) != columns * rows * (3 if kind == 6 else 1) or max(pixels) > most or len(set(pixels)) < 2:
        raise Failure(f'{path.name}: {columns} x {rows}, {len(pixels)} values, {len(set(pixels))} of them different')


def grid_checks(program, work):
    name = re.sub('^run-|-gpu$', '', Path(program).name)
    expected, good, bad, ending = STENCILS[name]
    usage, out = f'usage: {name}', Path(work) / name
    refused = ['0', '-3', '', 'many', '12x', '99999999999999999999', '32 0', '32 -1', '32 x', '32 1 out more', *bad]
    checks = [(f'{name} {words}', lambda w=words: succeeds([program, *w.split()], expected)) for words in good]
    if ending:
        path = out.with_name(name + ending)
        given = out if ending == '-4.ppm' else path
        place = out / 'none' / 'out'
        checks += [(f'{name} draws', lambda: draws([program, '40', '5', given], expected, path)),
                   (f'{name} refuses an OUT in no folder',
                    lambda: fails([program, '32', '1', place], 'cannot be written', place))]
    return checks + [(f'{name} refuses {words}', lambda w=words.split(' '): fails([program, *w], usage))
                     for words in refused]


def median_checks(program, work):
    work = Path(work) / 'median'
    work.mkdir()
    out = work / 'out.pgm'
    good = [made(work / f'{rows}x{columns}', b'P5 # made\n%d %d\n255\n' % (columns, rows), rows * columns)
            for rows, columns in ((1, 1), (1, 97), (97, 1), (2, 3), (70, 33), (19, 600))]
    bad = {'none': work / 'none', 'text': made(work / 'text', b'hello'),
           'colours': made(work / 'six', b'P6 1 1 255\n', 3), 'deep': made(work / 'deep', b'P5 1 1 65535\n', 2),
           'short': made(work / 'short', b'P5 5 5 255\n', 24), 'zero': made(work / 'zero', b'P5 0 5 255\n'),
           'around': made(work / 'around', b'P5 4294967297 1 255\n', 1)}
    usage = [['in'], [good[0], out, '4'], [good[0], out, '33'], [good[0], out, '3', 'more']]
    return ([('median of its own picture', lambda: succeeds([program], 'medians of 3 x 3: 0 wrong'))]
            + [(f'median of {path.name}, {side} x {side}',
                lambda p=path, s=side: succeeds([program, p, out, s], f'medians of {s} x {s}: 0 wrong'))
               for path in good for side in '35']
            + [(f'median refuses {name}', lambda p=path: (out.unlink(missing_ok=True),
                                                          fails([program, p, out], f'{p.name}: ', out)))
               for name, path in bad.items()]
            + [('median refuses ' + ' '.join(Path(word).name for word in words),
                lambda w=words: fails([program, *w], 'usage: median')) for words in usage])


CHECKS = {'stencil1d': stencil_checks, 'conv2d': conv_checks, 'filter_image': image_checks,
          'coefficients': coefficient_checks, 'const_access': access_checks, 'const_literal': literal_checks,
          'shared_layout': layout_checks, 'transpose': transpose_checks, 'median': median_checks,
          **dict.fromkeys(STENCILS, grid_checks)}


if __name__ == '__main__':
    need_device(sys.argv[1])
    with folder() as scratch:
        report([check for path in sys.argv[2:]
                for check in CHECKS[re.sub('^run-|-gpu$', '', Path(path).name)](path, scratch)])
