"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    """a group of run.py, or of report.py"""
    script, group = ('report.py', group.split()[1]) if group.startswith('report ') else ('run.py', group)
    return [f'run/{script}', group, '--only', check]


ROWS = [
    ('programs', 'templates', 'host/plain.h', '(void)cmk_host_result_(cmk_host_run_(CMK_HOST_COUNTS_, 0))',
     '(void)!cmk_host_run_(CMK_HOST_COUNTS_, 0)'),
    ('programs', 'dynamic shared memory', 'host/launch.h', 'if (kernel && $entry->kernel_ != kernel) continue',
     'break'),
    ('programs', 'tiles in shared memory', 'host/plain.h',
     'CMK_HOST_TILE_HERE_(typename of_::element, name_, of_::rows, of_::columns, 0)', 'cmk_host_dynamic_()'),
    ('bugs', 'a right program', 'host/watch.h', 'for (size_t $i = 0; writes && $i < bytes; $i++)',
     'for (size_t $i = 0; 0 && $i < bytes; $i++)'),
    ('bugs', 'bug 1', 'host/memory.h', 'cmk_host_memory_next_ += whole + CMK_HOST_MEMORY_GAP_',
     'cmk_host_memory_next_ += bytes'),
    ('bugs', 'bug 2', 'host/memory.h', 'cmk_host_memory_next_ = cmk_host_memory_range_.low_ + CMK_HOST_MEMORY_GAP_',
     'cmk_host_memory_next_ = cmk_host_memory_range_.low_'),
    ('bugs', 'bug 3', 'host/watch.h', '($map[$i] & CMK_HOST_UNWRITTEN_) == 0', '0'),
    ('bugs', 'bug 5', 'host/watch.h', 'written += $map[i] % 4 == CMK_HOST_WRITTEN_', 'written++'),
    ('bugs', 'bug 7', 'host/watch.h', 'address < 4096', '0'),
    ('bugs', 'bug 8', 'host/watch.h', 'if (!found) cmk_host_fail_address_(address, bytes, writes, NULL, 0);',
     'if (!found) return;'),
    ('races', 'what is legal', 'host/warp.h', '$warp->meetings_++;', ''),
    ('races', 'what is legal', 'host/barrier.h', 'worker->barriers_++; CMK_HOST_ORDERED_();', 'worker->barriers_++;'),
    ('races', 'what is legal', 'host/race.h', '$suspect->block_ != cmk_host_block_number_ ||', '0 &&'),
    ('races', 'race 3', 'host/race.h', '$i < cmk_host_trace_touches_; $i++)\n        if (!CMK_HOST_LIKELY_',
     '$i < 1; $i++)\n        if (!CMK_HOST_LIKELY_'),
    ('races', 'race 6', 'host/race.h', '$at < $offset + $bytes; $at = ($at | 3) + 1',
     '$at <= $offset; $at = ($at | 3) + 1'),
    ('races', 'what is legal', 'host/race.h', '$differs >> 14 == 0)', '1)'),
    ('programs', 'graphs by nodes', 'host/node.h',
     'cmk_host_after_($work, (cmk_host_work_ *)(void *)$others[$i]);', ''),
    ('programs', 'graphs by nodes', 'host/copy.h', '(char)($value >> $i % 4 * 8)', '(char)$value'),
    ('programs', 'graphs by nodes', 'host/kernel.h', 'while ($noted && $noted->kernel_ != $kernel)',
     'while ($noted && $noted->next_)'),
    ('races', 'race 8', 'host/global.h', '$load->address_ && cmk_host_load_is_old_($load)', '0'),
    ('races', 'race 10', 'host/global.h', 'return !$scene->meets_', 'return 0'),
    ('races', 'race 13', 'host/global.h', 'return $then == cmk_host_global_time_($now) &&', 'return 0 &&'),
    ('races', 'race 14', 'host/global.h', '$i < cmk_host_shadow_touches_', '$i < 2'),
    ('races', 'what is legal', 'host/global.h', 'return !$scene->meets_', 'return 1'),
    ('races', 'what is legal', 'host/global.h', '(before & now & 15 << 12) == 0', '0'),
    ('races', 'what is legal', 'host/block.h', '$worker->running_->rank_; cmk_host_settle_();',
     '$worker->running_->rank_;'),
    ('refusals', 'report of plain accesses', 'host/count/table.h', '$summary.places_ == 0', '0'),
    ('refusals', 'report of plain accesses', 'host/count/model.h', 'most = same > most ? same : most;', 'most = 1;'),
    ('refusals', 'report of plain accesses', 'host/count/trace.h', '$spot->tile_ = $site->name_;', ''),
    ('report branches', 'parts: halving', 'host/count/branch.h', 'two->meets_ |= two->from_ != from;', ''),
    ('report branches', 'parts: turns', 'host/count/branch.h', '$expected->from_ == at || from == 0', '1'),
    ('report branches', 'parts: odd', 'host/count/branch.h', "return text[0] == 'j';", 'return 0;'),
    ('report bounds', 'bounds on H200', 'host/count/record.h', 'blocks > $counted->blocks_ ? blocks : $counted->blocks_',
     'blocks'),
    ('bugs', 'bug 9', 'host/queue.h', 'if (cmk_host_is_in_kernel_())', 'if (0)'),
    ('bugs', 'bug 11', 'host/launch.h', '$launch->fiber_ && borrows', '0'),
]
