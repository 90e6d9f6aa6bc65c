"""The examples by their command lines: they run, check themselves, and refuse bad input without an output file.

usage: examples.py host|gpu STENCIL1D CONV2D
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, folder, need_device, report, run  # noqa: E402


def succeeds(words, expected):
    status, output = run(words)
    if status != 0 or expected not in output:
        raise Failure(f'exit status {status}\n{output}')


def fails(words, expected, absent=None):
    status, output = run(words)
    if status != 1 or expected not in output:
        raise Failure(f'exit status {status}, not 1 with "{expected}"\n{output}')
    if absent is not None and Path(absent).exists():
        raise Failure(f'{absent} was written')


def stencil_checks(program, work):
    samples = Path(work) / 'samples'
    samples.write_bytes(struct.pack('<1000f', *(i * i % 97 - 40.5 for i in range(1000))))
    usage = 'usage: stencil1d'
    good = [(f'stencil1d {count}', ['%d' % count], 'derivative') for count in (1, 2, 4, 7, 31, 32, 33, 1023, 100001)]
    bad = [['0'], ['-3'], ['many'], ['12x'], ['99999999999999999999'], ['1001', samples], ['10', Path(work) / 'none'],
           ['10', samples, 'more']]
    return ([(name, lambda w=words, e=expected: succeeds([program, *w], e)) for name, words, expected in good]
            + [('stencil1d of a file', lambda: succeeds([program, '1000', samples], 'derivative'))]
            + [('stencil1d refuses ' + ' '.join(Path(w).name for w in words),
                lambda w=words: fails([program, *w], usage)) for words in bad])


def pgm(path, header, size):
    path.write_bytes(header + bytes(i * 7 % 256 for i in range(size)))
    return path


def conv_checks(program, work):
    work = Path(work)
    out = work / 'out.pgm'
    good = {
        'one pixel': pgm(work / 'one', b'P5 1 1 255\n', 1),
        'one row': pgm(work / 'row', b'P5\n97 1\n255\n', 97),
        'one column': pgm(work / 'column', b'P5\n1 97\n255\n', 97),
        'comments': pgm(work / 'comments', b'P5 # one\n#two\n 33 # three\n9\n# four\n\n#\n255\n', 33 * 9),
        '16 bit': pgm(work / 'deep', b'P5\n35 10\n65535\n', 2 * 350),
        'a largest value of 100': pgm(work / 'hundred', b'P5\n64 16\n100\n', 1024),
    }
    bad = {
        'no such file': (work / 'none', 'none: '),
        'an empty file': (pgm(work / 'empty', b'', 0), 'empty: '),
        'a text file': (pgm(work / 'text', b'hello', 0), 'text: '),
        'an ASCII PGM': (pgm(work / 'ascii', b'P2 1 1 255\n7\n', 0), 'ascii: '),
        'a width of 0': (pgm(work / 'zero', b'P5 0 5 255\n', 5), 'zero: '),
        'a negative height': (pgm(work / 'minus', b'P5 5 -5 255\n', 25), 'minus: '),
        'a largest value of 65536': (pgm(work / 'large', b'P5 2 2 65536\n', 8), 'large: '),
        'a huge size': (pgm(work / 'huge', b'P5 2000000000 2000000000 255\n', 8), 'huge: '),
        'a header of words': (pgm(work / 'words', b'P5 wide high 255\n', 8), 'words: '),
        'one pixel too few': (pgm(work / 'short', b'P5 5 5 255\n', 24), 'short: '),
        'half a 16-bit pixel': (pgm(work / 'half', b'P5 5 5 256\n', 49), 'half: '),
        'a folder': (work, 'binary PGM'),
    }
    one = good['one pixel']
    arguments = [[], [one], [one, out, 'blur'], [one, out, 'gauss', '0'], [one, out, 'gauss', '8'],
                 [one, out, 'gauss', '2x'], [one, out, 'gauss', '2', 'wrap'], [one, out, 'gauss', '2', 'zero', 'more']]
    return ([(f'conv2d of {name}, radius {radius}, {edge}',
              lambda p=path, r=radius, e=edge: succeeds([program, p, out, 'sharpen', r, e], 'constant'))
             for name, path in good.items() for radius in (1, 7) for edge in ('zero', 'clamp')]
            + [(f'conv2d refuses {name}', lambda p=path, e=expected: (out.unlink(missing_ok=True),
                                                                     fails([program, p, out], e, out)))
               for name, (path, expected) in bad.items()]
            + [('conv2d refuses the arguments ' + ' '.join(Path(w).name for w in words),
                lambda w=words: (out.unlink(missing_ok=True), fails([program, *w], 'usage: conv2d', out)))
               for words in arguments]
            + [('conv2d refuses an output in no folder',
                lambda: fails([program, one, work / 'no' / 'out.pgm'], 'out.pgm: '))])


if __name__ == '__main__':
    need_device(sys.argv[1])
    with folder() as scratch:
        report(stencil_checks(sys.argv[2], scratch) + conv_checks(sys.argv[3], scratch))
