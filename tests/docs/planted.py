"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['docs/pages.py', group, '--only', check]


ROWS = [
    ('architecture', 'each station of blur is defined', 'kernel/image/fill.h', 'void cmk_image_find_columns_(',
     'void cmk_image_find_('),
    ('architecture', 'each station of heat is defined', 'kernel/point/window.h', 'void cmk_point_keep_(',
     'void cmk_point_hold_('),
    ('backend', 'what it says is there', 'host/warp.h', '#define __all_sync(', '#define __every_sync('),
    ('backend', 'what it says is not there', 'host/cuda.h', '#define __host__',
     '#define clock64() 0\n#define __host__'),
    ('code', 'docs/bank-conflicts.md, block 1 of C: compiles, c', 'tile.h', '#define CMK_TILE_ASSERT_CONFLICT_FREE(',
     '#define CMK_TILE_ASSERT_NO_CONFLICT('),
    ('links', 'README.md: its map of headers is whole', 'kernel/transpose.h', '#define CMK_DEFINE_TRANSPOSE(',
     '#define CMK_MAKE_TRANSPOSE('),
]
