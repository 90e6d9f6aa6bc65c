"""Judges CMK_DEFINE_CONV2D and CMK_DEFINE_SEPARABLE, on random calls of the definitions of draw.py, by scipy.ndimage.

usage: judge.py host|gpu|counts conv2d|separable [--program PROGRAM [--step N]] [--include DIR] [--seed N]
                [--only TEXT] [--calls N] ...

Without --program, which is of the default seed, the definitions of the seed are built by cc or nvcc. --only takes those
with the text in their title, --case one call of each, --cases the first N; --calls N draws N random calls of each in
place of 13. What a failure prints runs that call alone. counts runs other calls by the CPU backend with counters, and
wants no bank conflict.

The reference pads each axis and side by an array of indices, by the rules of edge.h, and correlates in double; where
scipy has the edge, scipy's own correlate or convolve, with the anchor as origin, must agree. An output may be off by
taps x epsilon x sum |w||x| (epsilon of SUM's type) and by half an ulp of OUT; an integer OUT by that before it is
rounded: so it is exact where sums are exact (SUM int, or all partial sums within float's 24 bits), and elsewhere off by
one only where float cannot tell on which side of a half the sum is. Unused bytes of in are NaN or random, so is all of
out: what is not an output must stay. Calls that must be refused, and calls of size 0, must return so and leave out as
it was.
"""

import argparse
import collections
import csv
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import draw  # noqa: E402
from harness import C11, ROOT, Failure, Skip, compiler, folder, must, need_device, nvcc, report, run  # noqa: E402

try:
    import numpy as np
    from scipy import ndimage
except ImportError:
    print('1..0 # SKIP no numpy and scipy')
    sys.exit(0)

STORED = {'float': np.float32, 'double': np.float64, 'half': np.float16, 'bfloat16': np.uint16, 'u8': np.uint8,
          's8': np.int8, 'u16': np.uint16, 's16': np.int16}
DIGITS = {'float': 24, 'double': 53, 'half': 11, 'bfloat16': 8}  # of the significand
SMALLEST = {'float': 2.0**-149, 'double': 0.0, 'half': 2.0**-24, 'bfloat16': 2.0**-133}
SCIPY = {'ZERO': 'constant', 'CLAMP': 'nearest', 'WRAP': 'grid-wrap', 'MIRROR': 'reflect', 'REFLECT': 'mirror'}
CALLS = 13  # of a definition, at random, without --calls; then those that are refused, those of size 0, and large ones
GUARD = 512  # bytes before and behind out
INVALID = 1  # cudaErrorInvalidValue
PLAIN, REGION, BATCH = range(3)
NO_IN, NO_OUT, OUT_IS_IN, OUT_BEFORE_IN = 1, 2, 4, 8
Call = collections.namedtuple(
    'Call', 'entry rows columns row column region_rows region_columns count in_pitch in_step out_pitch out_step '
    'in_offset out_offset flags kind')


# ---- Types

def stored(type_, values):
    """values in double as elements of a type, rounded to nearest even"""
    if type_ != 'bfloat16':
        return values.astype(STORED[type_])
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def doubles(type_, elements):
    if type_ == 'bfloat16':
        elements = (elements.astype(np.uint32) << 16).view(np.float32)
    return elements.astype(np.float64)


def size_of(type_):
    return np.dtype(STORED[type_]).itemsize


def poison(generator, type_, count):
    """NaN, or random integers"""
    if type_ in ('float', 'double', 'half'):
        return np.full(count, np.nan, STORED[type_])
    if type_ == 'bfloat16':
        return np.full(count, 0x7FC0, np.uint16)
    return generator.integers(*draw.RANGES[type_], count, STORED[type_], endpoint=True)


# ---- A random call

def sides(rng, d):
    """rows and columns, of one kind of size"""
    kind = rng.choices(['tiny', 'line', 'small', 'middle', 'tiles', 'large'], [14, 12, 28, 28, 10, 8])[0]
    if kind == 'tiny':  # also smaller than the filter
        return rng.randint(1, d.rows + 1), rng.randint(1, d.columns + 1)
    if kind == 'line':
        return rng.choice([(1, rng.randint(1, 2000)), (rng.randint(1, 2000), 1)])
    if kind == 'tiles':
        return rng.choice([32, 64, 128, 256]) + rng.randint(-1, 1), rng.choice([64, 128, 256]) + rng.randint(-1, 1)
    low, high = {'small': (2, 70), 'middle': (40, 330), 'large': (300, 2000)}[kind]
    return rng.randint(low, high), rng.randint(low, high)


def taps_of(d):
    return d.rows + d.columns if d.form.startswith('separable') else d.rows * d.columns


def limited(rng, d, rows, columns, count):
    """smaller sides, where the work would take a CPU too long"""
    most = 1e8 if rng.random() < 0.03 else 6e6
    while rows * columns * count * d.channels * taps_of(d) > most:
        if rows > columns or (rows == columns and rng.random() < 0.5):
            rows = rows * 3 // 4
        else:
            columns = columns * 3 // 4
    return max(rows, 1), max(columns, 1)


def pitch_of(rng, width, lanes):
    """at least width: tight, a multiple of 16 bytes, or any"""
    up = -(-width // lanes) * lanes
    return rng.choice([width, up, up, up + lanes, width + rng.randint(1, 9), width + rng.randint(1, 100)])


def offset_of(rng, lanes):
    return rng.choice([0, 0, 0, rng.randrange(lanes), lanes, rng.randint(0, 40)])


def whole_call(rng, call, channels):
    """the call with rows that begin and end at multiples of 16 elements"""
    columns, column = -(-call.columns // 16) * 16, call.column // 16 * 16
    region = min(-(-call.region_columns // 16) * 16, columns - column)
    in_pitch, out_pitch = (side * channels + rng.choice([0, 0, 16, 48]) for side in (columns, region))
    return call._replace(columns=columns, column=column, region_columns=region, in_pitch=in_pitch, out_pitch=out_pitch,
                         in_step=in_pitch * call.rows + rng.choice([0, 16]),
                         out_step=out_pitch * call.region_rows + rng.choice([0, 16]))


def one_call(d, seed, k):
    rng = random.Random(f'call {seed} {d.number} {k}')
    lanes_in, lanes_out = 16 // size_of(d.in_), 16 // size_of(d.out)
    entry = {0: REGION, 1: BATCH}.get((k + d.number) % 4, PLAIN)
    count = rng.choice([1, 2, 3, 5]) if entry == BATCH else 1
    rows, columns = limited(rng, d, *sides(rng, d), count)
    row = column = 0
    region_rows, region_columns = rows, columns
    if entry == REGION:
        row, column = (rng.choice([0, rng.randrange(side), side - 1]) for side in (rows, columns))
        region_rows, region_columns = (rng.choice([1, side, rng.randint(1, side)])
                                       for side in (rows - row, columns - column))
    if draw.has_zeros(d) and k % 2:
        return whole_call(rng, Call(entry, rows, columns, row, column, region_rows, region_columns, count, 0, 0, 0, 0,
                                    0, GUARD, 0, ''), d.channels)
    in_pitch = pitch_of(rng, columns * d.channels, lanes_in)
    out_pitch = pitch_of(rng, region_columns * d.channels, lanes_out)
    return Call(entry, rows, columns, row, column, region_rows, region_columns, count, in_pitch,
                in_pitch * rows + rng.choice([0, lanes_in, rng.randint(0, 50)]), out_pitch,
                out_pitch * region_rows + rng.choice([0, lanes_out, rng.randint(0, 50)]),
                offset_of(rng, lanes_in) * size_of(d.in_), GUARD + offset_of(rng, lanes_out) * size_of(d.out), 0, '')


def whole_image(rows, columns, pitch):
    return Call(PLAIN, rows, columns, 0, 0, rows, columns, 1, pitch, 0, pitch, 0, 0, GUARD, 0, '')


def refused_calls(d):
    """each wrong in one argument"""
    width = 21 * d.channels
    call = whole_image(9, 21, width + 3)._replace(kind='refused', in_step=9 * (width + 3), out_step=9 * (width + 3))
    wrong = [{'flags': NO_IN}, {'flags': NO_OUT}, {'flags': OUT_IS_IN},
             {'flags': OUT_BEFORE_IN, 'in_offset': 8 * size_of(d.in_)}, {'in_pitch': width - 1},
             {'out_pitch': width - 1}]
    wrong += [{'in_offset': 1}] * (size_of(d.in_) > 1) + [{'out_offset': GUARD + 1}] * (size_of(d.out) > 1)
    regions = [{'row': 1}, {'column': 1}, {'region_rows': 10}, {'region_columns': 22}, {'row': -1, 'region_rows': 1},
               {'row': 10, 'region_rows': -1}, {'column': -1, 'region_columns': 1}]
    shared = [{'out_step': 0}, {'out_step': 1}, {'out_step': 8 * (width + 3)}]  # elements of out, by two images
    return ([call._replace(entry=(PLAIN, REGION, BATCH)[k % 3], **change) for k, change in enumerate(wrong)] +
            [call._replace(entry=REGION, **change) for change in regions] +
            [call._replace(entry=BATCH, count=2, **change) for change in shared])


def empty_calls(d):
    call = whole_image(9, 21, 21 * d.channels + 3)._replace(kind='empty')
    return [call._replace(rows=0), call._replace(columns=0), call._replace(entry=BATCH, count=0),
            call._replace(entry=REGION, region_rows=0), call._replace(entry=REGION, column=21, region_columns=0)]


def large_calls(d):
    """of some definitions: images of many rows, many columns, and both"""
    shapes = [(70000, 37), (37, 600000), (1999, 2000)] if d.number in draw.LARGE else []
    return [whole_image(rows, columns, columns + pad)._replace(kind='long' if max(rows, columns) > 2000 else '')
            for (rows, columns), pad in zip(shapes, (3, 8, 1))]


def calls_of(d, seed, calls):
    return [one_call(d, seed, k) for k in range(calls)] + refused_calls(d) + empty_calls(d) + large_calls(d)


# ---- Its arrays

def weights_of(d, seed, k):
    drawn = draw.tables(random.Random(f'weights {seed} {d.number} {k}'), d)
    return [literal or values for literal, values in zip(d.literals, drawn)]


def whole_table(d, weights):
    values = [np.array(table, np.float64) for table in weights]
    return np.outer(*values) if len(values) == 2 else values[0].reshape(d.rows, d.columns)


def samples(generator, d, weights, shape):
    """in, as doubles: the range of its type; where an integer sum would nearly always saturate, about its middle"""
    if d.in_ in draw.RANGES:
        low, high = draw.RANGES[d.in_]
        if d.sum_ == 'int' and d.out == d.in_ and generator.random() < 0.75:
            reach = int(max(1, (high - low) / 4 / np.sqrt((whole_table(d, weights)**2).sum())))
            middle = (low + high) // 2
            return np.clip(generator.integers(middle - reach, middle + reach + 1, shape), low, high).astype(float)
        return generator.integers(low, high, shape, endpoint=True).astype(float)
    if d.out in draw.RANGES:
        low, high = draw.RANGES[d.out]
        values = generator.uniform(low, high, shape)
        return np.rint(values) if generator.random() < 0.5 else values
    return generator.standard_normal(shape)


def extent(rows, width, count, pitch, step):
    return step * (count - 1) + pitch * (rows - 1) + width


def places(elements, rows, width, count, pitch, step):
    """a view of the images among the elements of a buffer: count, rows, width"""
    each = elements.itemsize
    return np.lib.stride_tricks.as_strided(elements, (count, rows, width), (step * each, pitch * each, each))


def arrays(d, seed, k, call):
    """the bytes of in and of out before the call, the weights, and the images in double"""
    generator = np.random.default_rng([seed, d.number, k])
    weights = weights_of(d, seed, k)
    if call.kind in ('refused', 'empty'):  # what they say of the sizes is not so
        call = call._replace(rows=9, columns=21, region_rows=9, region_columns=21, count=1, in_pitch=24 * d.channels,
                             out_pitch=24 * d.channels)
    shape = (call.rows, call.columns * d.channels, call.count, call.in_pitch, call.in_step)
    elements = poison(generator, d.in_, -(-call.in_offset // size_of(d.in_)) + extent(*shape))
    images = places(elements[len(elements) - extent(*shape):], *shape)
    images[:] = stored(d.in_, samples(generator, d, weights, images.shape))
    out_bytes = call.out_offset + GUARD + size_of(d.out) * extent(
        call.region_rows, call.region_columns * d.channels, call.count, call.out_pitch, call.out_step)
    out = poison(generator, d.out, out_bytes // size_of(d.out) + 1).tobytes()[:out_bytes]
    values = doubles(d.in_, images).reshape(call.count, call.rows, call.columns, d.channels)
    return elements.tobytes(), out, weights, values


# ---- The reference

def indices(edge, first, count, size):
    """what edge, (low, high), reads at first, first + 1, ...; -1 for the value outside: by remainders, as a judge apart
    from that of the tests in C, edge_walk.h"""
    found = []
    for i in range(first, first + count):
        kind = 'CLAMP' if 0 <= i < size else edge[0] if i < 0 else edge[1]
        mirrored, reflected = i % (2 * size), i % (2 * size - 2) if size > 1 else 0
        found.append({'ZERO': -1, 'CLAMP': min(max(i, 0), size - 1), 'WRAP': i % size,
                      'MIRROR': min(mirrored, 2 * size - 1 - mirrored),
                      'REFLECT': min(reflected, 2 * size - 2 - reflected)}[kind])
    return np.array(found)


def correlated(d, padded, weights):
    """the sums of weights over padded, from its first element on; rows and columns are less by the filter's"""
    if len(weights) == 2:
        for axis, values in enumerate(weights):
            whole = ndimage.correlate1d(padded, values, axis, mode='constant')
            first, last = len(values) // 2, padded.shape[axis] - (len(values) - 1) // 2
            padded = whole[first:last] if axis == 0 else whole[:, first:last]
        return padded
    whole = ndimage.correlate(padded, weights[0], mode='constant')
    return whole[d.rows // 2:padded.shape[0] - (d.rows - 1) // 2, d.columns // 2:padded.shape[1] - (d.columns - 1) // 2]


def reference(d, image, weights, row, column, rows, columns):
    """the sums of image, rows x columns x channels, in a window of out, and those of the absolute values"""
    tables = [np.array(values, np.float64) for values in weights]
    if len(tables) == 1:
        tables = [tables[0].reshape(d.rows, d.columns)]
    before = d.anchor
    if d.how.startswith('CONVOLUTION'):
        tables, before = [tables[0][::-1, ::-1]], (d.rows - 1 - d.anchor[0], d.columns - 1 - d.anchor[1])
    down = indices(d.edges[0], row - before[0], rows + d.rows - 1, image.shape[0])
    across = indices(d.edges[1], column - before[1], columns + d.columns - 1, image.shape[1])
    padded = image[np.ix_(down, across)]
    padded[down < 0] = d.outside
    padded[:, across < 0] = d.outside
    sums, scales = np.empty((2, rows, columns, d.channels))
    for channel in range(d.channels):
        sums[..., channel] = correlated(d, padded[..., channel], tables)
        scales[..., channel] = correlated(d, abs(padded[..., channel]), [abs(values) for values in tables])
    return sums, scales, padded


def agrees(d, image, weights, sums, scales):
    """scipy's own edges and origin give the same sums"""
    if d.edges[0] != d.edges[1] or d.edges[0][0] != d.edges[0][1] or sums.shape != image.shape:
        return
    if d.edges[0][0] == 'MIRROR' and (d.rows > 4 * image.shape[0] or d.columns > 4 * image.shape[1]):
        return  # scipy 1.17 errs there: it takes the sample at -4 times the side from -1
    filter_ = ndimage.correlate if d.how.startswith('CORRELATION') else ndimage.convolve
    origin = [anchor - side // 2 for anchor, side in zip(d.anchor, (d.rows, d.columns))]
    table = whole_table(d, weights)
    for channel in range(d.channels):
        theirs = filter_(image[..., channel], table, mode=SCIPY[d.edges[0][0]], cval=d.outside, origin=origin)
        if not (abs(theirs - sums[..., channel]) <= 4 * table.size * 2.0**-53 * scales[..., channel]).all():
            raise Failure('the reference is not what scipy gives')


def exact(d, weights, padded, scales):
    """whether float holds every partial sum: multiples of a power of two below 2^24 of it"""
    if d.sum_ == 'int':
        return True
    steps = 1.0
    for values in weights:
        table = np.array(values)
        fraction = next((k for k in range(24) if (table * 2.0**k == np.rint(table * 2.0**k)).all()), None)
        if fraction is None or (padded != np.rint(padded)).any():
            return False
        steps *= 2.0**fraction
    return scales.max() * steps < 2.0**(53 if d.sum_ == 'double' and d.weight == 'double' else 24)


def judged(d, got, sums, scales, is_exact):
    """where got is wrong"""
    sum_type = 'float' if d.sum_ == 'int' else d.sum_
    slack = 0.0 if is_exact else (taps_of(d) + 2) * (2.0**-DIGITS[sum_type] + 2.0**-53) * scales
    if d.out in draw.RANGES:
        low, high = (np.clip(np.rint(sums + sign * slack), *draw.RANGES[d.out]) for sign in (-1, 1))
        return ~((got >= low) & (got <= high))
    if d.sum_ == 'int' or DIGITS[d.out] < DIGITS[sum_type]:
        slack = slack + (abs(sums) + slack) * 2.0**-DIGITS[d.out] + SMALLEST[d.out]
    return ~(abs(got - sums) <= slack)


def check_outputs(d, image, weights, call, got):
    windows = [(0, 0, call.region_rows, call.region_columns)]
    if call.kind == 'long':  # windows at the ends and along the long side
        long = max(call.rows, call.columns)
        starts = [0, long - 300, *range(1000, long - 600, long // 40)]
        windows = [(at, 0, 300, call.columns) if call.rows == long else (0, at, call.rows, 300) for at in starts]
    for row, column, rows, columns in windows:
        sums, scales, padded = reference(d, image, weights, call.row + row, call.column + column, rows, columns)
        if call.kind != 'long':
            agrees(d, image, weights, sums, scales)
        is_exact = exact(d, weights, padded, scales)
        part = got[row:row + rows, column:column + columns]
        wrong = np.argwhere(judged(d, part, sums, scales, is_exact))
        if len(wrong):
            at = tuple(wrong[0])
            rows_wrong, columns_wrong = (np.unique(wrong[:, axis]) for axis in (0, 1))
            raise Failure(f'{len(wrong)} of {sums.size} wrong, first at {tuple(int(i) for i in at)}: {part[at]} for '
                          f'{sums[at]}{" (exact)" if is_exact else ""}; {len(rows_wrong)} rows from {rows_wrong[0]} to '
                          f'{rows_wrong[-1]}, {len(columns_wrong)} columns from {columns_wrong[0]} to '
                          f'{columns_wrong[-1]}')


def check_answer(d, call, weights, values, before, status, changed, after):
    if changed:
        raise Failure('in was changed')
    expected = INVALID if call.kind == 'refused' else 0
    if status != expected:
        raise Failure(f'the call returned {status} instead of {expected}')
    if call.kind in ('refused', 'empty'):
        if before != after:
            raise Failure('out was written')
        return
    shape = (call.region_rows, call.region_columns * d.channels, call.count, call.out_pitch, call.out_step)
    buffers = [np.frombuffer(data, np.uint8).copy() for data in (before, after)]
    length = extent(*shape) * size_of(d.out)
    outputs = []
    for buffer in buffers:
        elements = buffer[call.out_offset:call.out_offset + length].view(STORED[d.out])
        images = places(elements, *shape)
        outputs.append(images.copy())
        images[:] = 0
        buffer[call.out_offset:call.out_offset + length] = elements.view(np.uint8)
    touched = np.flatnonzero(buffers[0] != buffers[1])
    if len(touched):
        raise Failure(f'{len(touched)} bytes beside the outputs were written, the first {touched[0] - call.out_offset} '
                      'behind the start of out')
    got = doubles(d.out, outputs[1]).reshape(call.count, call.region_rows, call.region_columns, d.channels)
    for number in range(call.count):
        try:
            check_outputs(d, values[number], weights, call, got[number])
        except Failure as failure:
            raise Failure(f'image {number}: {failure}') if call.count > 1 else failure


# ---- Running

def request(d, call, held, out, weights):
    tables = [np.array(values, {'int': np.int32, 'float': np.float32, 'double': np.float64}[d.weight]).tobytes()
              for values in weights] + [b''] * (2 - len(weights))
    fields = [d.number, call.entry, len(held), len(out), *map(len, tables), call.in_offset, call.out_offset,
              call.in_pitch, call.in_step, call.out_pitch, call.out_step, call.rows, call.columns, call.row,
              call.column, call.region_rows, call.region_columns, call.count, call.flags]
    return np.array(fields, np.int64).tobytes() + held + b''.join(tables) + out


def describe(call):
    names = {PLAIN: 'rows columns', REGION: 'rows columns row column region_rows region_columns',
             BATCH: 'rows columns count in_step out_step'}[call.entry].split() + ['in_pitch', 'out_pitch']
    words = [f'{name} {getattr(call, name)}' for name in names]
    return ', '.join([['plain', 'region', 'batch'][call.entry], *words, f'in at byte {call.in_offset}',
                      f'out at byte {call.out_offset - GUARD}'] + [call.kind] * bool(call.kind) +
                     [f'flags {call.flags}'] * bool(call.flags))


def check_definition(program, d, options, count):
    """runs the calls of a definition, all by one process as long as none ends it"""
    calls = calls_of(d, options.seed, options.calls)
    chosen = [options.case] if options.case is not None else list(range(len(calls)))[:options.cases]
    failures = []
    while chosen:
        prepared = [(k, calls[k], *arrays(d, options.seed, k, calls[k])) for k in chosen]
        with folder() as work:
            asked, answered = Path(work) / 'requests', Path(work) / 'results'
            asked.write_bytes(b''.join(request(d, call, held, out, weights)
                                       for _, call, held, out, weights, _ in prepared))
            status, output = run([program, asked, answered])
            results = answered.read_bytes() if answered.exists() else b''
        at, done = 0, 0
        for k, call, _, out, weights, values in prepared:
            if len(results) < at + 16 + len(out):
                break
            code, changed = (int(number) for number in np.frombuffer(results, np.int64, 2, at))
            after = results[at + 16:at + 16 + len(out)]
            at, done = at + 16 + len(out), done + 1
            if code == -1:
                count['random, skipped'] += sum(k < options.calls for k in chosen)
                raise Skip(f'{len(chosen)} calls: the compiler lacks a type of {d.in_}, {d.out}')
            try:
                check_answer(d, call, weights, values, out, code, changed, after)
                count[f'{call.kind or "random"}, passed'] += 1
            except Failure as failure:
                failures.append((k, call, str(failure)))
        if done < len(prepared):
            k, call = prepared[done][:2]
            failures.append((k, call, f'the program ended with status {status}\n' + output[-1500:]))
            done += 1
        chosen = chosen[done:]
    if failures:
        count['failed'] += len(failures)
        failures.sort(key=lambda failure: failure[1].rows * failure[1].columns * failure[1].count)
        lines = [f'{len(failures)} calls fail, the smallest first: judge.py {options.kind} {options.header} '
                 f'--seed {options.seed} --only "{draw.title(d)}" with']
        for k, call, text in failures[:6]:
            lines += [f'--case {k}: {describe(call)}', '   ' + text]
        raise Failure('\n'.join(lines))


def check_counts(program, d, count):
    """no conflict in shared memory, for regions of an aligned image that need no edge"""
    image = whole_image(400, 1024, 1024 * d.channels)
    calls = [image._replace(entry=REGION, row=d.rows + 3, column=column, region_rows=75, region_columns=columns)
             for column, columns in ((64, 150), (320, 290))]
    with folder() as work:
        asked, table = Path(work) / 'requests', Path(work) / 'counts.csv'
        prepared = [(call, *arrays(d, draw.SEED, 0, call)[:3]) for call in calls]
        asked.write_bytes(b''.join(request(d, *each) for each in prepared))
        must([program, asked, Path(work) / 'results'], CMK_COUNT_REPORT=str(table))
        status = np.frombuffer((Path(work) / 'results').read_bytes(), np.int64, 1)[0]
        if status == -1:
            raise Skip(f'the compiler lacks a type of {d.in_}, {d.out}')
        with open(table, encoding='utf-8') as file:
            rows = [row for row in csv.DictReader(file) if row['record'] == 'access' and 'shared' in row['kind']]
    count['shared requests'] += sum(int(row['requests']) for row in rows)
    found = [row for row in rows if int(row['conflicts']) > 0]
    if status != 0 or found:
        raise Failure(f'status {status}\n' + '\n'.join(
            f'{row["kind"]} of {row["bytes_a_lane"]} bytes, {row["conflicts"]} conflicts in {row["requests"]} '
            f'requests: {Path(row["file"]).name}:{row["line"]} {row["source"]}' for row in found))


def check_counted(count):
    if count['shared requests'] == 0:
        raise Failure('no access of shared memory was counted')


def build(options, chosen, work):
    """the program of the chosen definitions"""
    source = Path(work) / ('conv.cu' if options.kind == 'gpu' else 'conv.c')
    source.write_text(draw.unit(0, 1, chosen))
    flags = [f'-I{options.include}', f'-I{ROOT / "tests"}', '-o', Path(work) / 'conv', source]
    if options.kind == 'gpu':
        must(nvcc() + ['-std=c++17', '-O3', *flags])
    else:
        counters = f'-DCMK_COUNT={options.kind == "counts":d}'
        must(compiler('CC') + C11[2:] + ['-O1', '-Dalways_inline=unused', counters, *flags, '-lm', '-lpthread'])
    return Path(work) / 'conv'


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('kind', choices=['host', 'gpu', 'counts'])
    parser.add_argument('header', choices=['conv2d', 'separable'])
    parser.add_argument('--program', type=Path)
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    parser.add_argument('--seed', type=int, default=draw.SEED)
    parser.add_argument('--only', default='')
    parser.add_argument('--case', type=int)
    parser.add_argument('--cases', type=int)
    parser.add_argument('--calls', type=int, default=CALLS)
    parser.add_argument('--step', type=int, default=1, help='of the program: draw.py HEADER:STEP')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.program and options.seed != draw.SEED:
        parser.error('--program is of the default seed')
    return options


def main():
    options = command_line()
    need_device(options.kind)
    chosen = [d for d in draw.definitions(options.seed, options.header)[::options.step]
              if options.only in draw.title(d)]
    count = collections.Counter(failed=0)
    with tempfile.TemporaryDirectory(prefix='cmk-test-') as work:
        try:
            program = options.program.resolve() if options.program else build(options, chosen, work)
        except Failure as failure:
            def broken(failure=failure):
                raise failure
            report([('the definitions compile', broken)])
            return
        if options.kind == 'counts':
            checks = [(f'no conflict: {draw.title(d)}', lambda d=d: check_counts(program, d, count))
                      for d in chosen]
            report(checks + [('something was counted', lambda: check_counted(count))])
            return
        report([(draw.title(d), lambda d=d: check_definition(program, d, options, count))
                for d in chosen], argparse.Namespace(only='', jobs=options.jobs))
    print('# calls: ' + '; '.join(f'{number} {what}' for what, number in sorted(count.items())))


if __name__ == '__main__':
    main()
