"""Judges the pictures that examples/filter_image writes by scipy.ndimage.correlate in double.

usage: judge.py host|gpu FILTER_IMAGE   Every filter and every edge, on grey pictures and colours of 8 and 16 bits (two
of shared/data beside the repository where they are, else made ones), and filters of even and odd sizes from files. The
taps are made here. Where they are whole, every sum is exact in float, and each pixel must equal the rounded sum;
elsewhere a pixel may differ by one if float cannot tell on which side of a half the sum is: one in a hundred does, of
16 bits one in twenty.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, folder, must, need_device, report  # noqa: E402

try:
    import numpy as np
    from scipy import ndimage
except ImportError:
    print('1..0 # SKIP no numpy and scipy')
    sys.exit(0)

DATA = ROOT.parent / 'shared' / 'data'
EDGES = {'zero': 'constant', 'clamp': 'nearest', 'wrap': 'grid-wrap', 'mirror': 'reflect', 'reflect': 'mirror',
         'value:200': 'constant'}
SOBEL = np.outer([1, 2, 1], [-1, 0, 1])
LAPLACE = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]])
SHARPEN = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]])
EMBOSS = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
PASSES = {'sobel': [SOBEL, -SOBEL, SOBEL.T, -SOBEL.T], 'laplace': [LAPLACE, -LAPLACE], 'sharpen': [SHARPEN],
          'emboss': [EMBOSS], 'identity': [np.ones((1, 1))]}


def read_picture(path):
    """rows, columns, channels"""
    data = Path(path).read_bytes()
    header = re.match(rb'P([56])\s+(?:#[^\n]*\s+)*(\d+)\s+(?:#[^\n]*\s+)*(\d+)\s+(?:#[^\n]*\s+)*(\d+)\s', data)
    kind, width, height, most = map(int, header.groups())
    channels = 1 if kind == 5 else 3
    values = np.frombuffer(data[header.end():], '>u2' if most > 255 else 'u1', width * height * channels)
    return values.reshape(height, width, channels).astype(float), most


def write_picture(path, values, most):
    kind = 5 if values.shape[2] == 1 else 6
    raw = values.astype('>u2' if most > 255 else 'u1').tobytes()
    path.write_bytes(b'P%d\n# a comment\n%d %d\n# another\n%d\n' % (kind, values.shape[1], values.shape[0], most) + raw)
    return path


def filters_of(kind, argument):
    """the taps of each pass, and whether float sums them exactly"""
    if kind == 'gauss':
        line = np.exp(-np.arange(-16, 17) ** 2 / (2 * argument**2))
        return [np.outer(line, line) / line.sum() ** 2], False
    if kind == 'box':
        side = 2 * argument + 1
        return [np.full((side, side), 1 / side**2)], False
    if kind == 'file':
        numbers = Path(argument).read_text().split()
        return [np.array(numbers[2:], float).reshape(int(numbers[0]), int(numbers[1]))], False
    return PASSES[kind], True


def judge(program, picture, edge, kind, argument):
    with folder() as work:
        out = Path(work) / 'out'
        must([program, picture, out, edge, kind, *([] if argument is None else [argument])])
        got, _ = read_picture(out)
    values, most = read_picture(picture)
    outside = float(edge.split(':')[1]) if ':' in edge else 0.0
    passes, exact = filters_of(kind, argument)

    def correlate(pixels, taps, fill):
        return np.stack([ndimage.correlate(pixels[:, :, k], taps.astype(float), mode=EDGES[edge], cval=fill)
                         for k in range(pixels.shape[2])], axis=2)

    low = high = best = 0.0
    for taps in passes:
        total = correlate(values, taps, outside)
        slack = 0.0 if exact else (taps.size + 2) * 2.0**-24 * correlate(abs(values), abs(taps), abs(outside))
        low, best, high = (so_far + np.clip(np.rint(total + sign * slack), 0, 65535)
                           for so_far, sign in ((low, -1), (best, 0), (high, 1)))
    wrong = np.argwhere(~((got >= np.minimum(low, most)) & (got <= np.minimum(high, most))))
    if len(wrong) > 0:
        at = tuple(wrong[0])
        raise Failure(f'{len(wrong)} values; at {at} {got[at]}, not {low[at]} to {high[at]}')
    off = np.count_nonzero(got != np.minimum(best, most))
    if off > got.size / (100 if most < 65535 else 20):
        raise Failure(f'{off} of {got.size} values are rounded otherwise')


def pictures(work):
    """two grey ones of 8 bits, and small ones: grey of 16 bits, colours of 8 and of 16 bits"""
    random = np.random.default_rng(7)
    small = [write_picture(work / f'{name}', random.integers(0, most + 1, shape), most) for name, shape, most in
             (('deep', (67, 45, 1), 65535), ('colours', (21, 50, 3), 255), ('deep colours', (40, 23, 3), 1023))]
    found = sorted(DATA.glob('*.pgm'))[:2]
    if len(found) < 2:
        found = [write_picture(work / f'{name}', random.integers(0, 256, shape), 255)
                 for name, shape in (('even', (256, 256, 1)), ('odd', (201, 307, 1)))]
    return found, small


def main(program):
    with folder() as work:
        work = Path(work)
        random = np.random.default_rng(9)
        files = []
        for rows, columns in ((2, 2), (3, 5), (4, 1), (5, 5), (1, 9), (6, 7), (32, 33), (33, 33)):
            taps = random.integers(-16, 65, rows * columns) / (24 * rows * columns)  # of a sum near 1
            files.append(work / f'{rows}x{columns}')
            files[-1].write_text(f'{rows} {columns}\n' + ' '.join(map(str, taps)))
        large, small = pictures(work)
        tasks = [('gauss', 0.5), ('gauss', 1.3), ('gauss', 5), ('box', 1), ('box', 16)]
        tasks += [(kind, None) for kind in PASSES]
        rows = [(large[at % 2], edge, *task) for at, edge in enumerate(EDGES) for task in tasks]
        rows += [(picture, edge, *task) for at, picture in enumerate(small)
                 for turn, edge in enumerate(EDGES) for task in tasks[(at + turn) % 2::2]]
        rows += [(small[at % 3], edge, 'file', path) for at, edge in enumerate(EDGES) for path in files]
        report([(f'{picture.name} {edge} {kind} {getattr(argument, "name", argument)}',
                 lambda row=(picture, edge, kind, argument): judge(program, *row))
                for picture, edge, kind, argument in rows])


if __name__ == '__main__':
    need_device(sys.argv[1])
    main(sys.argv[2])
