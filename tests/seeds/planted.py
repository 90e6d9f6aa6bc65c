"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['seeds/seeds.py', group, '--only', check]


ROWS = [
    ('programs', '001, 4 x 4 outputs', 'host/plain.h',
     'CMK_HOST_TILE_HERE_(typename of_::element, name_, of_::rows, of_::columns, 0)', 'cmk_host_dynamic_()'),
    ('kernels', '001, a barrier under if', 'host/barrier.h', '$worker->barrier_here_ != $here) {', '0) {'),
    ('kernels', '003, six kernels', 'host/copy.h',
     'return cmk_host_and_wait_(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind));',
     'return cudaSuccess;'),
]
