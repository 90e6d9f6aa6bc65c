"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(mode, check):
    return ['alone/alone.py', mode, '--only', check]


ROWS = [
    ('c', 'cmk/edge.h alone', 'edge.h', '#include "base.h"', ''),
    ('c', 'cmk/edge.h alone', 'edge.h', '#define CMK_EDGE_H', '#define CMK_EDGE_H_'),
    ('c', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if !CMK_HAS_NO_HOST_'),
    ('clang++', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'I', 'every'),
    ('c', 'cmk/kernel/stencil2d.h hostile', 'point.h',
     'CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, ASSERT, __VA_ARGS__)',
     'CMK_POINT_LATE_(KIND, __VA_ARGS__)\n'
     '#define CMK_POINT_LATE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, ASSERT, __VA_ARGS__)'),
    ('cuda', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'I', 'every'),
    ('cuda', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if !CMK_HAS_NO_HOST_'),
    ('nvrtc', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'I', 'every'),
    ('nvrtc', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if 1'),
]
