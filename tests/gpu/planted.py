"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(which, check):
    """a program of tests/kernels, or a definition judged by scipy"""
    if which == 'conv2d':
        return ['conv/judge.py', 'gpu', which, '--only', check, '--cases', '31', '--jobs', '1']
    return ['build.py', f'kernels/{which}.cu', 'cuda']


ROWS = [
    ('conv2d', '3 x 3 at (1, 1), u8 float u8, 1 channel', 'kernel/image/march.h', 'CMK_SUM_ROUND_ rintf',
     'CMK_SUM_ROUND_(sum) floorf((sum) + 0.5f)'),
    ('stencil1d', ' antisymmetric ', 'stencil.h',
     'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, -, 0)', 'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, +, 0)'),
    ('load', '_PART', 'load.h', '$first <= $count - $lanes', '$first < $count'),
    ('parts', 'outputs wrong', 'tile.h', '__syncthreads();', '(void)0;', 'every'),
    ('table', ' wrong', 'table.h', '(cmk_i64)(i) * (plane) +',
     '(cmk_i64)(i) * (row) +'),
    ('table_threads', 'two host threads', 'table.h', 'cudaStreamWaitEvent($stream, $slots->$released, 0)',
     'cudaSuccess'),
]
