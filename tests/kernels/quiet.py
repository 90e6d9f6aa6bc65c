"""Runs the examples with their threads and blocks in 200 random orders in all: no report, and a right result.

usage: quiet.py PROGRAM...    each is called run-EXAMPLE, or run-EXAMPLE-threads where ThreadSanitizer is built in:
those run in order and in one random order
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, folder, report, run  # noqa: E402

# arguments, and random orders: fewer where a run takes a second
EXAMPLES = {
    'stencil1d': (['1000'], 36), 'conv2d': (['20'], 36), 'filter_image': (['in.pgm', 'out.pgm', 'wrap', 'sobel'], 36),
    'coefficients': (['35', '37'], 10), 'const_access': (['all', '32', '70'], 36), 'const_literal': (['2', '2'], 10),
    'shared_layout': ([], 36), 'transpose': (['70', '33'], 36), 'heat2d': (['70', '4'], 18),
    'gray_scott': (['70', '4'], 18), 'wave3d': (['32', '1'], 4), 'fdtd2d': (['70', '4'], 18), 'life': (['70', '4'], 18),
    'median': (['in.pgm', 'out.pgm', '5'], 18), 'jacobi': (['40', '0.5'], 10),
    'conjugate_gradients': (['20', '0.5'], 6), 'shallow_water': (['40', '0.02'], 10), 'heat3d': (['12', '3'], 4),
    'multigrid': (['8', '0.1'], 4),
}
REPORTS = r'^cmk: |ThreadSanitizer|AddressSanitizer|runtime error'


def quiet(path, arguments, orders, work):
    for seed in range(orders + 1):
        order = f'shuffle:{seed}' if seed else 'forward'
        status, output = run([path, *arguments], cwd=work, PATH=work, CMK_HOST_ORDER=order,
                             CMK_HOST_CORES='all' if seed % 4 == 1 else '1')
        if status != 0 or re.search(REPORTS, output, re.MULTILINE):
            raise Failure(f'{Path(path).name}, CMK_HOST_ORDER={order}: exit status {status}\n{output}')


def checks(path, work):
    name, threads = re.fullmatch('run-(.+?)(-threads)?', Path(path).name).groups()
    arguments, orders = EXAMPLES[name]
    orders = 1 if threads else orders
    return [(f'{Path(path).name}: in order and in {orders} random orders',
             lambda: quiet(Path(path).resolve(), arguments, orders, work))]


if __name__ == '__main__':
    with folder() as scratch:  # the examples find no nvcc there, whose answer is not asked for
        (Path(scratch) / 'in.pgm').write_bytes(b'P5 33 9 255\n' + bytes(i * 7 % 256 for i in range(33 * 9)))
        report([check for program in sys.argv[1:] for check in checks(program, scratch)])
