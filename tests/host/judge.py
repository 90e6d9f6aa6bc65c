"""Judges the picture that examples/conv2d writes, its constant kernel's, by scipy.ndimage.correlate in double.

usage: judge.py host|gpu CONV2D   Every radius, both edges, on two pictures (shared/data beside the repository where there
is one, else made ones) with gauss; sharpen and sobel; 16 bits. The filters are made here from Pascal's
triangle, exact in float. Where every partial sum fits into float's 24 bits, each pixel must equal the rounded sum;
elsewhere a pixel may differ by one if float cannot tell on which side of a half the sum is, one in a hundred does.
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


def read_pgm(path):
    data = Path(path).read_bytes()
    header = re.match(rb'P5\s+(?:#[^\n]*\s+)*(\d+)\s+(?:#[^\n]*\s+)*(\d+)\s+(?:#[^\n]*\s+)*(\d+)\s', data)
    width, height, most = map(int, header.groups())
    pixels = np.frombuffer(data[header.end():], '>u2' if most > 255 else 'u1', width * height)
    return pixels.reshape(height, width).astype(float), most


def write_pgm(path, pixels, most):
    raw = pixels.astype('>u2' if most > 255 else 'u1').tobytes()
    Path(path).write_bytes(b'P5\n# a comment\n%d %d\n# another\n%d\n' % (*pixels.shape[::-1], most) + raw)


def binomial(n):
    row = np.ones(1)
    for _ in range(n):
        row = np.convolve(row, [0.5, 0.5])
    return row


def weights(kind, radius):
    smooth = binomial(2 * radius)
    if kind == 'sobel':
        return np.outer(smooth, np.convolve(binomial(2 * radius - 2), [-0.5, 0, 0.5]))
    centre = np.zeros((2 * radius + 1, 2 * radius + 1))
    centre[radius, radius] = 2
    return np.outer(smooth, smooth) if kind == 'gauss' else centre - np.outer(smooth, smooth)


def judge(program, picture, kind, radius, edge):
    with folder() as work:
        out = Path(work) / 'out.pgm'
        must([program, picture, out, kind, radius, edge])
        got, _ = read_pgm(out)
    pixels, most = read_pgm(picture)
    filter_ = weights(kind, radius)
    mode = {'zero': 'constant', 'clamp': 'nearest'}[edge]
    total = ndimage.correlate(pixels, filter_, mode=mode)
    offset = most // 2 if kind == 'sobel' else 0
    exact = np.log2(most + 1) + 4 * radius + (kind != 'gauss') <= 24
    slack = 0 if exact else filter_.size * 2.0**-24 * ndimage.correlate(pixels, abs(filter_), mode=mode)
    low, high = (np.clip(np.rint(total + sign * slack) + offset, 0, most) for sign in (-1, 1))
    wrong = np.argwhere(~((got >= low) & (got <= high)))
    if len(wrong) > 0:
        row, column = wrong[0]
        raise Failure(f'{len(wrong)} pixels; at ({row}, {column}) {got[row, column]} for {total[row, column]}')
    off = np.count_nonzero(got != np.clip(np.rint(total) + offset, 0, most))
    if off > got.size / 100:
        raise Failure(f'{off} of {got.size} pixels are rounded otherwise')


def pictures(work):
    found = sorted(DATA.glob('*.pgm'))
    if len(found) >= 2:
        return found[:2]
    random = np.random.default_rng(7)
    made = [Path(work) / 'even.pgm', Path(work) / 'odd.pgm']
    for path, shape in zip(made, [(256, 256), (201, 307)]):
        write_pgm(path, random.integers(0, 256, shape), 255)
    return made


def main(program):
    with folder() as work:
        deep = Path(work) / 'deep.pgm'
        write_pgm(deep, np.random.default_rng(8).integers(0, 65536, (67, 45)), 65535)
        first, second = pictures(work)
        rows = [(picture, 'gauss', radius, edge) for picture in (first, second) for radius in range(1, 8)
                for edge in ('zero', 'clamp')]
        rows += [(deep, kind, radius, edge) for kind in ('gauss', 'sharpen', 'sobel') for radius in (1, 2, 5)
                 for edge in ('zero', 'clamp')]
        rows += [(first, kind, 2, edge) for kind in ('sharpen', 'sobel') for edge in ('zero', 'clamp')]
        report([(f'{row[0].name} {" ".join(map(str, row[1:]))}', lambda row=row: judge(program, *row)) for row in rows])


if __name__ == '__main__':
    need_device(sys.argv[1])
    main(sys.argv[2])
