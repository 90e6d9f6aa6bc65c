"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(which, check):
    """a program of this folder, or `drawn` and a text of the titles of its definitions"""
    return ['point/build.py', *which.split(' ', 1)]


ROWS = [
    ('drawn STAR(5), MIRROR', 'MIRROR', 'kernel/point/window.h', '($low ? -$beyond : $beyond)',
     '($low ? -$beyond : 0)'),
    ('drawn SIDES(WRAP, MIRROR)', 'SIDES(WRAP, MIRROR)', 'kernel/point/window.h',
     ': CMK_EDGE_HIGH_($edge)', ': CMK_EDGE_LOW_($edge)'),
    ('drawn STAR(1), REFLECT_ODD', 'REFLECT_ODD', 'kernel/point/window.h', 'if ($r.odd ^ $source.odd)', 'if (0)'),
    ('drawn REACH(0, 2, 5), MIRROR_ODD', 'MIRROR_ODD', 'kernel/point/window.h', 'if ($r.odd ^ $source.odd)',
     'if ($r.odd | $source.odd)'),
    ('drawn STAR(2), WRAP', 'STAR(2), WRAP', 'kernel/point/window.h', '|| $beside <= 1', '|| $beside <= 0'),
    ('drawn NEXT, double, u, STAR(3), ZERO', 'NEXT, double', 'kernel/point/window.h', 'if (!*$set) memcpy(',
     'if (0) memcpy('),
    ('drawn BOX(2)', 'BOX(2)', 'kernel/point/grid.h', '$p->row < $task->rows.end', '$p->row < $task->rows.count'),
    ('drawn STAR(5), MIRROR', 'ran to its end', 'kernel/point/grid.h', '$first <= $axis.count - $size - $radius',
     '$first <= $axis.count'),
    ('drawn STAR(4), AXES_3D', 'STAR(4)', 'kernel/point/grid.h', '($shape >= 0x1000 ? $r.along + 1 : 1)',
     '($shape >= 0x1000 ? $r.along : 1)'),
    ('drawn STAR(1), AXES_3D(SIDES(MIRROR_ODD, WRAP), SIDES(WRAP, REFLECT)', 'ran to its end', 'kernel/point/ring.h',
     '= $row < $ring.rows,', '= $row < $ring.rows - 1,'),
    ('drawn STAR(4), AXES_3D', 'ran to its end', 'kernel/point/ring.h', 'if (!$p.aligned) cmk_point_find_beside_(',
     'if (0) cmk_point_find_beside_('),
    ('drawn SIDES(ZERO, REFLECT_ODD), SIDES(CLAMP, WRAP)', 'ran to its end', 'kernel/point/ring.h',
     '$n < $f.count * $ring.stages; ++$n)', '$n < 0 * $f.count; ++$n)'),
    ('drawn 2, STAR(1), REFLECT_ODD', 'REFLECT_ODD', 'kernel/point/ring.h', '$source.at >= 0 && !$source.odd',
     '$source.at >= 0'),
    ('drawn STAR(1), AXES_3D(SIDES(MIRROR_ODD, WRAP), SIDES(WRAP, REFLECT)', 'STAR(1)', 'kernel/point/ring.h',
     '$turned != $odd', '$turned'),
    ('drawn STAR(4), AXES_3D', 'ran to its end', 'kernel/point/ring.h', '$n < lines->loose', '$n < 0 * lines->loose'),
    ('drawn INS, unsigned char, u', 'unsigned char', 'kernel/point/window.h', '($bytes % 4 * 8)', '($bytes % 2 * 8)'),
    ('drawn LEAPFROG, double, u, BOX(4)', 'BOX(4)', 'kernel/point/window.h', '$thread < 31 ||', '$thread < 32 ||'),
    ('drawn 3D, 1 stage, LEAPFROG', '3D', 'kernel/point/window.h', '$column + $x < $p->columns', '$column + $x < 0'),
    ('drawn 3D, 1 stage, LEAPFROG, float, u, BOX(2)', 'BOX(2)', 'kernel/point/ring.h',
     'int $z = -$reach.planes; $z < $reach.planes; ++', 'int $z = 1 - $reach.planes; $z < $reach.planes; ++'),
    ('drawn 2 stages, NEXT, float', '2 stages', 'point.h', '$place->stage', '0'),
    ('stencils3d', 'elastic, 140 columns', 'kernel/point/window.h', '+ ($beside >= 0)', '+ ($beside > 0)'),
    ('stencils3d', 'elastic, 140 columns', 'kernel/point/window.h', '($low & -($first == CMK_EDGE_ZERO)) |', '0 |'),
    ('api', 'change places', 'kernel/point/plan.h', '$all[$i].others != 0 && $k < 2 * $all[$i].count',
     '$all[$i].others != 0 && $k < 0 * $all[$i].count'),
    ('api', 'ran to its end', 'kernel/point/plan.h', '$first <= $end && $end <= $count',
     '$first <= $end || $end <= $count'),
    ('api', 'SAME is IN', 'kernel/point/plan.h', '($there - $here) < $bytes)', '($there - $here) < 0 * $bytes)'),
    ('api', 'ran to its end', 'kernel/point/plan.h', '(size_t)$here % $all[$i].alignment != 0', '0'),
    ('api', 'first_step is the next', 'kernel/point.h', '++$grid->first_step', '(void)$grid->first_step'),
    ('outside', 'diagonal', 'point.h', '$axes <= 1', '$axes <= 2'),
    ('outside', 'outside of a buffer: small_ring', 'kernel/point/window.h',
     '(cmk_host_name_field_((f).name), move', '(move'),
]
