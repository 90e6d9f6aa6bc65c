"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(which, check):
    """ranges, in_order, integers"""
    return ['tensor/build.py', which]


ROWS = [
    ('integers', 'signed bytes to 16 bits, 9 x 9', 'kernel/bytes/march.h', 'low ? $w->taps[$slot].low',
     '0 ? $w->taps[$slot].low'),
    ('integers', 'radius 11', 'kernel/bytes/bands.h', '$a = $tile_low ? $one->low : $one->high, *const',
     '$a = $one->high, *const'),
    ('in_order', 'conv2d, float, 9 x 9', 'kernel/image/sizes.h', '(f.way & 2) && !f.separable', '0'),
    ('in_order', 'conv2d, float, 21 x 20', 'kernel/tensor/sizes.h', '!(t.way & 2)', '1'),
    ('in_order', 'separable, bytes, radius 2', 'kernel/bytes/sizes.h', '!f.in_order && f.rows', 'f.rows'),
    ('in_order', 'separable, bytes, radius 8', 'kernel/separable.h', 'CMK_SEPARABLE_GROUPS_(name, 2,',
     'CMK_SEPARABLE_GROUPS_(name, 0,'),
    ('ranges', 'float, 9 x 9', 'kernel/tensor/rows.h', '$least < $most - $range', '0'),
    ('ranges', 'float, 15 x 15', 'kernel/tensor/rows.h', '* 2048.0f; $x[2 * $pair + 1]',
     '* 1024.0f; $x[2 * $pair + 1]'),
    ('ranges', 'float, 15 x 15', 'kernel/tensor/march.h', '$first / 2048.0f, $second / 2048.0f',
     '$first / 1024.0f, $second / 1024.0f'),
    ('ranges', 'bytes, 7 x 7', 'kernel/tensor/march.h', '$small * $share >= $large', '1'),
    ('ranges', 'bytes, 7 x 7', 'kernel/tensor/march.h', '$back * $w->notes->back[$at / 4]',
     '$back * $w->notes->back[0]'),
    ('ranges', 'bytes, 7 x 7', 'kernel/tensor/march.h', '$output - $s.tensor.shift', '$output'),
    ('ranges', '16-bit integers', 'kernel/tensor/march.h', '$low = $n == 2', '$low = 0'),
    ('ranges', 'float, 9 x 9', 'kernel/tensor/march.h', 'if ($back == 0.0f) cmk_tensor_fmas_',
     'if (0) cmk_tensor_fmas_'),
    ('ranges', 'bytes to bytes', 'kernel/bytes/march.h', 'if ($low && $w->exact) break', 'if ($low) break'),
    ('ranges', 'bytes to bytes', 'kernel/bytes/march.h', '$most < 127 + cmk_bytes_large_', '1'),
    ('ranges', 'bytes to bytes', 'kernel/bytes/march.h', '$second ? $pairs[$window + 1]',
     '$second ? $pairs[$window]'),
    ('ranges', 'bytes to bytes', 'kernel/bytes/march.h', '$s.bytes.step * $slot + cmk_bytes_row_',
     '$s.bytes.step * $slot - cmk_bytes_row_'),
    ('ranges', 'signed bytes', 'kernel/bytes/plan.h', '$image.left / $channels + $words', '$image.left - 8 + $words'),
    ('ranges', 'signed bytes', 'kernel/bytes/warp.h', '$value < 0.0f', '0'),
    ('ranges', 'ran to its end', 'kernel/bytes/warp.h', '$x * $channels >= $image->left', '1'),
    ('ranges', 'separable, bytes, radius 8', 'kernel/bytes/bands.h', '$stage + $s.bytes.lead + $at', '$stage + $at'),
    ('ranges', 'separable, bytes, radius 8', 'kernel/bytes/warp.h', '$part * $length : $part * $last',
     '$part * $length : 0'),
    ('ranges', 'separable, bytes, radius 3', 'kernel/bytes/warp.h', '$last >= $begin ? $last', '$last >= $begin ? 0'),
    ('ranges', 'separable, bytes to 16 bits, radius 11', 'kernel/bytes/bands.h', '$tap[$i == $older]', '$tap[0]'),
    ('ranges', 'ran to its end', 'kernel/tensor/rows.h', 'if ($w->ends) cmk_tensor_fill_ends_',
     'if (0) cmk_tensor_fill_ends_'),
]
