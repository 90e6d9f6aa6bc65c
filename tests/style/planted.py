"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['style/includes.py', group, '--only', check]


ROWS = [
    ('rules', 'may include', 'edge.h', '#include "base.h"', '#include "base.h"\n#include "load.h"'),
    ('rules', 'may include', 'kernel/sweep/taps.h', '#include "../mma/halves.h"', '#include "../bytes/warp.h"'),
    ('uses', 'what they reach', 'kernel/bytes/warp.h', '#include "../rows/copy.h"', ''),
    ('rules', 'may include', 'halo/pack.h', '#include "../load.h"', '#include "../kernel/plan.h"'),
    ('circles', 'no circle', 'halo/pack.h', '#include "../load.h"', '#include "../load.h"\n#include "plan.h"'),
    ('circles', 'no circle', 'host/half.h', '#include "../base.h"', '#include "../base.h"\n#include "texture.h"'),
    ('uses', 'what they reach', 'host/failure.h', 'if (cmk_host_leave_) cmk_host_leave_(file, line, format, values);',
     'cmk_host_leave_block_(file, line, format, values);'),
    ('uses', 'what they reach', 'host/queue.h', 'stream->capture_->is_broken_ = 1;', 'cmk_host_join_track_(0, 0);'),
    ('uses', 'what they reach', 'host/host.h', '#include "graph.h"\n#include "stream.h"',
     '#include "stream.h"\n#include "graph.h"'),
    ('uses', 'what they reach', 'halo/pack.h', '#include "../load.h"',
     '#include "../load.h"\n#define CMK_HALO_LATE_(plan) cmk_halo_plan_(plan)'),
]
