"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(scenario, check):
    if scenario in ('linked', 'opened', 'mixed'):
        return ['consumers/libraries.py', scenario, '--only', check]
    packages = scenario in ('words', 'version', 'find', 'vcpkg', 'single')
    return ['consumers/packages.py' if packages else 'consumers/consumers.py', scenario, '--only', check]


ROWS = [
    ('units', 'two units, nvcc -rdc=true', 'table.h', '_(LINKAGE, MEMORY, name, __VA_ARGS__)',
     '_(, MEMORY, name, __VA_ARGS__)'),
    ('linkage', 'CONSTANT table of two files, nvcc: the compiler stops', 'table.h',
     'CMK_NEEDS_("CMK_TABLE_EXTERN", CMK_DEVICE_LINK_,', 'CMK_NEEDS_("CMK_TABLE_EXTERN", 1,'),
    ('linkage', 'PARAMETER table of two files, objects, C11:', 'table.h', 'extern name##_table name;',
     'static name##_table name;'),
    ('linkage', 'GLOBAL table of two files, objects, C++17:', 'table.h', 'CMK_TABLE_STATE_(extern, name, )',
     'CMK_TABLE_STATE_(static, name, )'),
    ('units', 'two units, C11:', 'host/system.h', '__attribute__((weak', '__attribute__((unused'),
    ('parts', 'table.cu', 'table.h', '#include "base.h"', '#include "base.h"\n#include "load.h"'),
    ('library', 'shared library and program, C11', 'host/system.h', 'weak, visibility("default")',
     'weak, visibility("hidden")'),
    ('linked', 'hidden, C11', 'host/system.h', 'weak, visibility("default")', 'weak'),
    ('linked', 'version script', 'host/library.h', 'page->holds_(address)', '0'),
    ('linked', 'version script', 'host/queue.h', 'cmk_host_page_get_()->finish_ = cmk_host_finish_own_', '(void)0'),
    ('opened', 'memory of another backend', 'host/memory.h', 'cmk_host_page_get_()->holds_ = cmk_host_live_holds_',
     '(void)0'),
    ('opened', 'opened and closed 60 times, 1', 'host/library.h', 'if (cmk_host_dlopen_ &&', 'if (0 &&'),
    ('mixed', 'objects of nvcc', 'host/library.h', '__thread char $name', 'char $name'),
    ('mixed', 'objects of another version', 'host/library.h', 'if (cmk_host_version_ == CMK_VERSION) return',
     'if (cmk_host_version_ >= 0) return'),
    ('library', 'shared library and program, C11', 'host/pool.h', 'cmk_host_view_now_.$module = $launch->$module;', ''),
    ('readme', "the README's mistake", 'tile.h', 'CMK_HOST_TILE_GET_(tile, row, column)', '((tile)[row][column])'),
    ('spans', 'span.cu, C++17', 'span.h', 'from::extent(in, 1), from::extent(in, 2), from::extent(in, 0), arguments...',
     'from::extent(in, 0), from::extent(in, 1), from::extent(in, 2), arguments...'),
    ('clang_cuda', 'user.cu, clang', 'base.h', '(shared_bytes), (stream)>>>', '(shared_bytes), (stream), 0>>>'),
    ('aarch64', 'bugs.cu, AArch64', 'tile.h', 'CMK_HOST_TILE_GET_(tile, row, column)', '((tile)[row][column])'),
    ('plain', 'C++17', 'base.h', 'static_assert(condition, text)', '_Static_assert(condition, text)'),
    ('example', 'gcc -O2 -Iinclude -x c examples/stencil1d.cu', 'stencil.h',
     'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, -, 0)', 'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, +, 0)'),
    ('single', 'one file: transpose.cu is the same to c', 'tile.h', '#include "base.h"', '#include <cmk/base.h>'),
    ('words', 'docs/packages.md, Meson', 'stencil.h', 'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, +, 1)',
     'CMK_STENCIL_AXES_(sum, RADIUS, TAP, SAMPLE, 1D, +, 0)'),
    ('version', 'CHANGELOG.md has the version', 'base.h', '#define CMK_VERSION_PATCH', '#define CMK_VERSION_PATCH 9'),
]
