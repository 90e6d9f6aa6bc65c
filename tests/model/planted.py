"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(program, check):
    return ['model/large.py', check] if program == 'large' else ['model/plain.py', program, '--only', check]


ROWS = [
    ('plain', 'loop_skips', 'host/count/trace.h', 'if (back) cmk_host_path_turn_(path, key, block);', ''),
    ('plain', 'loop_breaks', 'host/count/trace.h', '$loop->low_ <= block : block <= $loop->latch_', 'block : 1'),
    ('plain', 'global_pairs', 'host/count/trace.h', 'bytes <= 8 ? bytes / 2', 'bytes <= 8 ? bytes'),
    ('plain', 'constant_by_lane', 'host/variable.h', 'if ($length > 0 && cmk_host_symbol_has_(variable->name',
     'if (0 && cmk_host_symbol_has_(variable->name'),
    ('plain', 'store_leaves, as nvcc', 'host/count/forms.h', 'if ($fresh == $request->lanes_.mask_) continue;',
     'continue;'),
    ('plain', 'shared_update', 'host/count/record.h', '$at = from; $at < requests->count_', '$at = 0; $at < 0'),
    ('plain', 'loop_nest', 'host/count/trace.h', 'if ($back) cmk_host_path_widen_($path, $block);', ''),
    ('plain', 'loop_lengths, as nvcc', 'host/count/forms.h', '{0, 4 + 2 + 1}', '{0, 4 + 1}'),
    ('plain', 'loop_nest, as nvcc', 'host/count/forms.h', 'if ($turn < $front) return $turn;', ''),
    ('blind', 'struct_tile, as nvcc', 'host/count/forms.h',
     'cmk_host_form_drop_($spot, cmk_host_as_halves_, $request);',
     ''),
    ('blind', 'matmul_tiled16, as nvcc', 'host/count/forms.h', 'CMK_HOST_NEAR_ = 64', 'CMK_HOST_NEAR_ = 1'),
    ('large', 'partial_writes', 'host/count/cache.h', 'if ($dirty_count > CMK_HOST_L2_DIRTY_)', 'if (0)'),
    ('large', 'copy_strided', 'host/count/cache.h', '| (wanted & 5) << 1 | (wanted & 10) >> 1', ''),
    ('large', 'column_walk', 'host/count/cache.h', 'missing = sectors & ~(unsigned)line->valid_;',
     'missing = sectors;'),
    ('plain', 'call_branches', 'host/count/trace.h', '*key = cmk_host_path_mix_(*key, from);', ''),
]
