"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(which, check):
    """cases by a mode, or slips by one"""
    script, mode = which.split() if ' ' in which else ('misuse', which)
    return [f'misuse/{script}.py', mode, '--only', check]


ROWS = [
    ('slips c', 'conv2d: no table', 'kernel/call/definition.h', '= 1 EACH(CMK_DEFINITION_IS_, __VA_ARGS__)', '= 1'),
    ('slips c', 'stencil2d: no update', 'kernel/stencil2d.h', 'name##_has_an_update_ &&', ''),
    ('c', 'table_too_large', 'table.h', '<= 65536', '<= 655360'),
    ('cuda', 'table_too_large', 'table.h', '<= 65536', '<= 655360'),
    ('c++', 'stencil_1d_too_large', 'stencil.h', '(RADIUS) <= 64', '(RADIUS) <= 640'),
    ('c', 'limits', 'tile.h', '<= 49152', '< 49152', 'every'),
    ('cuda', 'launch_ignored', 'base.h', '__attribute__((warn_unused_result))', ''),
    ('sentences', 'SHAPE must not be empty', 'table.h', '"SHAPE must have at least 1 element"',
     '"SHAPE must not be empty"'),
    ('sentences', 'CMK_TILE_3D: SIZES must be at least 1', 'tile.h', 'SIZES " and COLUMNS must be at least 1"',
     '"SIZES must be at least 1"'),
    ('sentences', 'CMK_DEFINE_SEPARABLE: SUM must be a number', 'kernel/ways.h',
     '"SUM must be float, double or int"', '"SUM must be a number"'),
    ('sentences', 'a LITERAL table is constant', 'table.h',
     '"cmk: CMK_TABLE_UPLOAD: a LITERAL table cannot be changed"',
     '"cmk: CMK_TABLE_UPLOAD: a LITERAL table is constant"'),
    ('c', 'limits_parameter', 'base.h', 'CMK_PARAMETER_BYTES_ 32764', 'CMK_PARAMETER_BYTES_ 32760', 'every'),
    ('cuda', 'limits_parameter', 'base.h', 'CMK_PARAMETER_BYTES_ 32764', 'CMK_PARAMETER_BYTES_ 32760', 'every'),
    ('c', 'filter_types', 'filter.h', 'KIND >= 5', 'KIND >= 2'),
    ('c', 'limits_slots', 'table.h', '+ 127) / 128 * 128 *', '+ 255) / 256 * 256 *'),
    ('c++', 'table_literal_uploaded', 'table.h',
     'CMK_ASSERT_HERE_(!name##_literal_, "cmk: CMK_TABLE_UPLOAD: a LITERAL table '
     'cannot be changed")', '(void)0'),
    ('cuda', 'table_literal_uploaded', 'table.h',
     'CMK_ASSERT_HERE_(!name##_literal_, "cmk: CMK_TABLE_UPLOAD: a LITERAL table '
     'cannot be changed")', '(void)0'),
    ('cuda', 'table_extern_global', 'table.h', 'CMK_NEEDS_("CMK_TABLE_EXTERN", CMK_DEVICE_LINK_,',
     'CMK_NEEDS_("CMK_TABLE_EXTERN", 1,'),
    ('c', 'table_define_source', 'table.h', '(int)name##_source_ == SOURCE',
     '(int)name##_source_ >= 0 * SOURCE'),
    ('c', 'table_in_function', 'base.h', '__builtin_strlen(__builtin_FUNCTION()) == 0', '1'),
    ('c++', 'point_in_class', 'point.h', 'CMK_FILE_SCOPE_(name##_update_)', ''),
    ('c', 'conv2d_outside_channels', 'kernel/ways.h', '(int)name##_edge_ != cmk_image_no_pair_', '1'),
    ('c++', 'separable_outside_none', 'kernel/ways.h', '0_, 0_, 0_, 2_, 0_, )(', '0_, 0_, 0_, 2_, 2_, )('),
    ('c', 'conv2d_groups', 'kernel/conv2d.h', 'DEFINE_, 0_, 0_, 0_, )(', 'DEFINE_, DEFINE_, 0_, 0_, )('),
    ('c++', 'separable3d_tables', 'kernel/conv3d.h', 'CMK_SEPARABLE3D_11TH_(__VA_ARGS__, 0_, 0_, 0_, , 0_,',
     'CMK_SEPARABLE3D_11TH_(__VA_ARGS__, 0_, 0_, 0_, , ,'),
]
