"""Times other libraries at the convolutions of the bench, in the same run, and compares.

usage: peers.py TABLE.csv    as bench/conv2d, separable, conv3d, bytes, npp and fft have written it; these peers are
                             appended

Each result is verified at two corners against the sum in double, loosely: cuDNN may choose a transform. A share is of
the copy of as many bytes and of the FMA peak that TABLE.csv has, its operations those of the sums, also where a
transform has fewer. Times are medians of 31, fewer where these take a quarter of a second. At the end each row of cmk
stands beside its fastest peer.

Needs numpy for the references, and uses what is installed of
    torch     cuDNN's convolutions (float without TF32; half with sums of its choice) and a product of cuFFT's
              transforms (the edges wrap; the filter's transform is made before)
    triton    a plain kernel, a program for a tile of the result, as its tutorials write them
    cupy      cupyx.scipy.ndimage, the judge's interface on the GPU
"""

import sys

from table import COLUMNS, ORIGIN, read_table, write_table

SIZES = {'16384^2': (16384, 16384), '8192^2': (8192, 8192)}
MOST_ERROR = {'float32': 1e-4, 'float16': 1e-2, 'bfloat16': 2e-2, 'uint8': 1.01 / 255}


class Table:
    def __init__(self, path):
        self.path = path
        self.rows = read_table(path)
        names = {row['kernel']: row for row in self.rows}
        self.peak = float(names['peak: independent FMAs']['TFLOP/s'])
        self.origin = {name: self.rows[-1][name] for name in ORIGIN}
        self.copies = {name[len('copy: '):]: float(row['GB/s']) for name, row in names.items() if name[:4] == 'copy'}

    def add(self, name, points, nbytes, operations, ms, error, copy):
        """bytes and operations of a point; copy: which one of the table, by what stands behind the word"""
        gbs, tflops = nbytes * points / ms * 1e-6, operations * points / ms * 1e-9
        share, peak = 100 * gbs / self.copies[copy], 100 * tflops / self.peak
        print(f'{name:<48} {ms:9.4f} ms {gbs:8.1f} GB/s {share:6.1f} % {tflops:7.2f} TFLOP/s {peak:6.1f} %  '
              f'{error:.1e}', flush=True)
        measured = [name, points, f'{ms:.5f}', f'{gbs:.1f}', f'{share:.2f}', f'{tflops:.3f}', f'{peak:.2f}',
                    f'{max(share, peak):.2f}', f'{error:.2g}']
        self.rows.append({**self.origin, **dict(zip(COLUMNS[len(ORIGIN):], measured))})

    def compare(self):
        """Prints each row of cmk beside its fastest peer, adds that to the table and saves it."""
        peers = {}
        for row in self.rows:
            by, colon, work = row['kernel'].partition(': ')
            if colon and by not in ('copy', 'peak'):
                peers.setdefault(work, []).append((float(row['milliseconds']), by))
        behind = 0
        print(f'\n{"":<48}           ms  the fastest peer, ms      times as fast')
        for row in self.rows:
            work = row['kernel'].replace(' literal', '').replace(' in two passes', '')
            if ': ' in work or work not in peers:
                continue
            ms, by = min(peers[work])
            row['best peer'], row['times as fast'] = by, f'{ms / float(row["milliseconds"]):.2f}'
            slower = float(row['times as fast']) < 1
            behind += slower
            print(f'{row["kernel"]:<48} {float(row["milliseconds"]):12.4f}  {by:<10} {ms:10.4f} '
                  f'{row["times as fast"]:>12}{"  behind" if slower else ""}')
        print(f'rows of cmk behind a peer: {behind}')
        write_table(self.path, self.rows)


def median(run, event, elapsed):
    """milliseconds; event() is recorded on construction, elapsed(a, b) waits for b"""
    run()
    times = []
    while len(times) < 31 and sum(times) < 250:
        start = event()
        run()
        times.append(elapsed(start, event()))
    return sorted(times)[len(times) // 2]


def corner_error(numpy, x, y, result, taps, wrap):
    """the largest error of result at two corners, in units of the sum of |weight * sample|, of 255 for bytes; x(slices)
    and y(result, slices) are numpy arrays; a wrapped result is judged away from the edge"""
    worst = 0.0
    radii = [n // 2 for n in taps.shape]
    for low in (True, False):
        edge = 40
        reads = [slice(0, edge + r) if low else slice(-edge - r, None) for r in radii]
        sample = x(tuple(reads))
        pads = [(r, 0) if low else (0, r) for r in radii]
        sample = numpy.pad(sample.astype(numpy.float64), pads)
        part = y(result, tuple(slice(0, edge) if low else slice(-edge, None) for _ in radii)).astype(numpy.float64)
        total, scale = numpy.zeros(part.shape), numpy.full(part.shape, 1e-30)
        for at in numpy.ndindex(taps.shape):
            term = taps[at] * sample[tuple(slice(a, a + n) for a, n in zip(at, part.shape))]
            total += term
            scale += abs(term)
        if x(tuple(slice(0, 1) for _ in radii)).dtype == numpy.uint8:
            total, scale = numpy.clip(total, 0, 255), 255.0
        error = abs(part - total) / scale
        if wrap:
            error = error[tuple(slice(r, None) if low else slice(None, -r) for r in radii)]
        worst = max(worst, float(error.max()) if (error == error).all() else float('inf'))
    return worst


def cases():
    """(work, shape, element, taps of each pass); a pass is a tuple of its length on each axis"""
    for text, shape in SIZES.items():
        for n in (3, 5, 7, 9, 11, 15, 21, 25, 33):
            yield f'conv2d {n}x{n}, {text}', shape, 'float32', [(n, n)]
    for element, word in (('float16', 'half'), ('bfloat16', 'bfloat16'), ('uint8', 'bytes')):
        for n in (3, 5):
            yield f'conv2d {n}x{n} {word}, 16384^2', SIZES['16384^2'], element, [(n, n)]
    for r, text in [(r, '16384^2') for r in (1, 2, 4, 8, 16, 32)] + [(8, '8192^2')]:
        yield f'separable r={r}, {text}', SIZES[text], 'float32', [(1, 2 * r + 1), (2 * r + 1, 1)]
    for n in (3, 5, 7):
        yield f'conv3d {n}x{n}x{n}, 512^3', (512, 512, 512), 'float32', [(n, n, n)]
    for r in (2, 4):
        n = 2 * r + 1
        yield f'separable3d r={r}, 512^3', (512, 512, 512), 'float32', [(1, 1, n), (1, n, 1), (n, 1, 1)]


# ---- the libraries: each returns (prepare, event, elapsed), and prepare(shape, element, taps) the work: run(), which
# returns the result, x and y, which give numpy arrays for slices; or None for what the library is not asked for

def torch_events():
    import torch

    def event():
        now = torch.cuda.Event(enable_timing=True)
        now.record()
        return now

    def elapsed(start, end):
        end.synchronize()
        return start.elapsed_time(end)

    return event, elapsed


def torch_data(shape, element):
    import torch
    if element == 'uint8':
        return torch.randint(0, 256, shape, dtype=torch.uint8, device='cuda')
    return torch.rand(shape, device='cuda').sub_(0.5).to(getattr(torch, element))


def torch_read(array, at):
    part = array[at]
    return (part if part.dtype.itemsize == 1 else part.float()).cpu().numpy()


def cudnn():
    import torch
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False

    def prepare(shape, element, taps):
        if element == 'uint8' or taps[0].size > 400:  # the search takes 6 s at 21 x 21, 12 at 33 x 33
            return None
        x = torch_data(shape, element)
        filters = [torch.tensor(t, device='cuda').to(x.dtype)[None, None] for t in taps]
        convolve = {2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}[len(shape)]

        def run():
            y = x[None, None]
            for f in filters:
                y = convolve(y, f, padding=[n // 2 for n in f.shape[2:]])
            return y[0, 0]

        return run, lambda at: torch_read(x, at), torch_read

    return prepare, *torch_events()


def cufft():
    import torch

    def prepare(shape, element, taps):
        if element != 'float32' or len(taps) > 1 or len(shape) != 2 or taps[0].shape[0] < 9:
            return None
        x, padded = torch_data(shape, element), torch.zeros(shape, device='cuda')
        padded[tuple(slice(0, n) for n in taps[0].shape)] = torch.tensor(taps[0], device='cuda').float()
        centred = torch.roll(padded, [-(n // 2) for n in taps[0].shape], (0, 1))
        spectrum = torch.fft.rfft2(centred).conj().resolve_conj()

        def run():
            return torch.fft.irfft2(torch.fft.rfft2(x).mul_(spectrum), s=shape)

        return run, lambda at: torch_read(x, at), torch_read

    return prepare, *torch_events()


def triton():
    import triton as compiler
    import triton.language as tl
    import torch

    @compiler.jit
    def tile(x, y, w, planes, rows, columns, P: tl.constexpr, R: tl.constexpr, C: tl.constexpr, HIGH: tl.constexpr,
             WIDE: tl.constexpr):
        column = (tl.program_id(0) * WIDE + tl.arange(0, WIDE))[None, :]
        row = (tl.program_id(1) * HIGH + tl.arange(0, HIGH))[:, None]
        plane = tl.program_id(2)
        total = tl.zeros((HIGH, WIDE), tl.float32)
        for p in tl.static_range(P):
            for r in range(R):
                for c in tl.static_range(C):
                    at_p, at_r, at_c = plane + p - P // 2, row + r - R // 2, column + c - C // 2
                    inside = (at_p >= 0) & (at_p < planes) & (at_r >= 0) & (at_r < rows)
                    inside &= (at_c >= 0) & (at_c < columns)
                    sample = tl.load(x + (at_p * rows + at_r) * columns + at_c, mask=inside, other=0)
                    total += tl.load(w + (p * R + r) * C + c) * sample.to(tl.float32)
        tl.store(y + (plane * rows + row) * columns + column, total.to(y.dtype.element_ty),
                 mask=(row < rows) & (column < columns))

    def prepare(shape, element, taps):
        if max(taps[0].shape) > 17 or len(shape) == 3 and len(taps) > 1:
            return None
        x = torch_data(shape, element)
        results = [torch.empty_like(x) for _ in taps]
        filters = [torch.tensor(t, device='cuda').float() for t in taps]
        planes, rows, columns = (1, 1, *shape)[-3:]

        def run(high, wide):
            source = x
            for y, f in zip(results, filters):
                grid = (compiler.cdiv(columns, wide), compiler.cdiv(rows, high), planes)
                tile[grid](source, y, f, planes, rows, columns, *(1, *f.shape)[-3:], high, wide)
                source = y
            return source

        tiles = (4, 256), (8, 128)
        best = min(tiles, key=lambda size: median(lambda: run(*size), event, elapsed))
        return lambda: run(*best), lambda at: torch_read(x, at), torch_read

    event, elapsed = torch_events()
    return prepare, event, elapsed


def cupy():
    import cupy as library
    from cupyx.scipy import ndimage

    def event():
        now = library.cuda.Event()
        now.record()
        return now

    def elapsed(start, end):
        end.synchronize()
        return library.cuda.get_elapsed_time(start, end)

    def prepare(shape, element, taps):
        if element == 'bfloat16':
            return None
        high = 256 if element == 'uint8' else 1
        x = (library.random.random_sample(shape, dtype=library.float32) * high - (high == 1) * 0.5).astype(element)
        results = [library.empty_like(x) for _ in taps]
        filters = [library.asarray(t, dtype=library.float32) for t in taps]

        def run():
            source = x
            for y, f in zip(results, filters):
                ndimage.correlate(source, f, output=y, mode='constant')
                source = y
            return source

        return run, lambda at: library.asnumpy(x[at]), lambda y, at: library.asnumpy(y[at])

    return prepare, event, elapsed


def main(path):
    table = Table(path)
    try:
        import numpy
    except ImportError:
        print('no peers in Python: no numpy')
        return table.compare()
    for name, library in (('cuDNN', cudnn), ('cuFFT', cufft), ('Triton', triton), ('CuPy', cupy)):
        try:
            prepare, event, elapsed = library()
        except ImportError as error:
            print(f'{name}: not installed: {error}')
            continue
        for work, shape, element, lengths in cases():
            taps = [numpy.random.default_rng(n).uniform(-0.5, 0.5, size) for n, size in enumerate(lengths)]
            if element == 'uint8':
                taps = [abs(t) / abs(t).sum() for t in taps]
            product = taps[0]
            for t in taps[1:]:
                product = product * t
            try:
                prepared = prepare(shape, element, taps)
                if prepared is None:
                    continue
                run, x, y = prepared
                error = corner_error(numpy, x, y, run(), product, name == 'cuFFT')
                if not error <= MOST_ERROR[element]:
                    print(f'{name}: {work}: wrong by {error:g}')
                    continue
                points, size = numpy.prod(shape, dtype=int), {'float32': 4, 'uint8': 1}.get(element, 2)
                table.add(f'{name}: {work}', points, 2 * size, 2 * sum(t.size for t in taps),
                          median(run, event, elapsed), error, f'{points * size} bytes')
            except Exception as reason:  # what a library cannot do must not stop the rest
                print(f'{name}: {work}: not done: {type(reason).__name__}')
    table.compare()


if __name__ == '__main__':
    main(*sys.argv[1:])
