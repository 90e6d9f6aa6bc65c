"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    scripts = {'interface': 'docs/site.py', 'site': 'docs/site.py', 'runs': 'docs/lessons.py', 'step2d': 'docs/walk.py'}
    return [scripts.get(group, 'docs/pages.py'), group, '--only', check]


ROWS = [
    ('architecture', 'each of the stations of blur is defined', 'kernel/image/fill.h', 'void cmk_image_find_columns_(',
     'void cmk_image_find_('),
    ('architecture', 'stations of a stencil of heat is defined', 'kernel/point/window.h', 'void cmk_point_keep_(',
     'void cmk_point_hold_('),
    ('step2d', 'in the order that gdb sees', 'kernel/point/call.h',
     'cmk_point_exchange_($g.now, $g.caller, $g.all, $g.members);', ''),
    ('backend', 'what it says is there', 'host/warp.h', '#define __all_sync(', '#define __every_sync('),
    ('backend', 'what it says is not there', 'host/cuda.h', '#define __host__',
     '#define clock64() 0\n#define __host__'),
    ('backend', 'is in host/intrinsics.h', 'host/intrinsics.h', '#define __trap()', '#define __trapped()'),
    ('backend', 'cuda-on-a-cpu.md', 'host/intrinsics.h', 'float __uint_as_float(', 'float __uint_to_float('),
    ('interface', 'reference: each public name', 'tile.h', '#define CMK_TILE_BYTES(', '#define CMK_TILE_SIZE('),
    ('interface', 'reference: what definitions make', 'kernel/bordered.h', 'CMK_POINT_PLAN_(name##_bordered_steps,',
     'CMK_POINT_PLAN_(name##_border_steps,'),
    ('interface', 'reference: signatures', 'edge.h', '#define CMK_EDGE_INSIDE(i, RADIUS, count)',
     '#define CMK_EDGE_INSIDE(i, RADIUS)'),
    ('interface', 'reference: a use of each name', 'tile.h', '#define CMK_TILE_BYTES(',
     '#define CMK_TILE_UNUSED 1\n#define CMK_TILE_BYTES('),
    ('site', 'site: its search finds each public name', 'tile.h', '#define CMK_TILE_BYTES(', '#define CMK_TILE_SIZE('),
    ('runs', 'lesson edges: $ ./edges', 'edge.h', ': 2 * $count - 2 - $at', ': 2 * $count - 3 - $at'),
    ('code', 'docs/bank-conflicts.md, block 1 of C: compiles, c', 'tile.h', '#define CMK_TILE_ASSERT_CONFLICT_FREE(',
     '#define CMK_TILE_ASSERT_NO_CONFLICT('),
    ('links', 'README.md: its map of headers is whole', 'kernel/transpose.h', '#define CMK_DEFINE_TRANSPOSE(',
     '#define CMK_MAKE_TRANSPOSE('),
]
