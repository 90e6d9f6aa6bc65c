"""Plants a defect in a copy of the headers and expects its suite to fail at the right check and at no other.

A row is: the suite, the command (with {include} for the folder of the copy), the header, the text replaced
everywhere in it, what replaces it, and a text of the check that must fail. `runner` spells the command of a
Python runner. A check that the suite skips for want of a compiler is skipped here too.
"""

import collections
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
from harness import Failure, Skip, arguments, folder, report, run  # noqa: E402

Row = collections.namedtuple('Row', 'suite command header old new check')


def runner(script, which, only):
    return [sys.executable, TESTS / script, which, '--only', only, '--include', '{include}']


def alone(mode, check, header, old, new):
    return Row('alone', runner('alone/alone.py', mode, check), header, old, new, check)


def misuse(mode, check, header, old, new):
    return Row('misuse', runner('misuse/misuse.py', mode, check), header, old, new, check)


def consumers(scenario, check, header, old, new):
    return Row('consumers', runner('consumers/consumers.py', scenario, check), header, old, new, check)


def host(program, check, header, old, new, suite='host', mode='c'):
    script = TESTS / 'host'
    command = [sys.executable, script / 'build.py', script / f'{program}.cu', mode, '--include', '{include}']
    return Row(suite, command, header, old, new, check)


def reports(group, check, header, old, new):
    return Row('host', runner('host/report.py', group, check), header, old, new, check)
def finding(check, header, old, new):
    command = [sys.executable, TESTS / 'host' / 'finding.py', '--include', '{include}']
    return Row('host', command, header, old, new, check)


def convolved(check, header, old, new, of='conv2d', kind='host'):
    """calls of the definition that check names, judged by scipy"""
    command = [sys.executable, TESTS / 'conv' / 'judge.py', kind, of, '--only', check, '--cases', '31', '--jobs', '1']
    return Row('gpu' if kind == 'gpu' else 'conv', command + ['--include', '{include}'], f'kernel/{header}', old, new,
               check)


def gpu(program, check, header, old, new):
    return host(program, check, header, old, new, 'gpu', 'cuda')


def codegen(which, check, header, old, new):
    return Row('codegen', runner('codegen/codegen.py', which, check), header, old, new, check)


ROWS = [
    alone('c', 'cmk/edge.h alone', 'edge.h', '#include "base.h"', ''),
    alone('c', 'cmk/edge.h alone', 'edge.h', '#define CMK_EDGE_H', '#define CMK_EDGE_H_'),
    alone('c', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if !CMK_HAS_NO_HOST_'),
    alone('clang++', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'k'),
    alone('cuda', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'k'),
    alone('cuda', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if !CMK_HAS_NO_HOST_'),
    alone('nvrtc', 'cmk/stencil.h hostile', 'stencil.h', 'cmk_k_', 'k'),
    alone('nvrtc', 'cmk/check.h alone', 'check.h', '#if CMK_HAS_HOST_', '#if 1'),

    misuse('c', 'table_too_large', 'table.h', '<= 65536', '<= 655360'),
    misuse('cuda', 'table_too_large', 'table.h', '<= 65536', '<= 655360'),
    misuse('c++', 'stencil_1d_too_large', 'stencil.h', '(RADIUS) <= 64', '(RADIUS) <= 640'),
    misuse('c', 'limits', 'tile.h', '<= 49152', '< 49152'),
    misuse('cuda', 'launch_ignored', 'base.h', '__attribute__((warn_unused_result)) ', ''),
    misuse('sentences', 'SHAPE must not be empty', 'table.h', 'SHAPE must have at least 1 element',
           'SHAPE must not be empty'),
    misuse('sentences', 'a LITERAL table is constant', 'table.h', 'a LITERAL table cannot be changed',
           'a LITERAL table is constant'),
    misuse('c', 'limits_parameter', 'base.h', 'CMK_PARAMETER_BYTES_ 32764', 'CMK_PARAMETER_BYTES_ 32760'),
    misuse('cuda', 'limits_parameter', 'base.h', 'CMK_PARAMETER_BYTES_ 32764', 'CMK_PARAMETER_BYTES_ 32760'),
    misuse('c', 'limits_slots', 'table.h', 'aligned(128)', 'aligned(256)'),
    misuse('c++', 'table_literal_uploaded', 'table.h', '__attribute__((__error__(text))) ', ''),
    misuse('cuda', 'table_literal_uploaded', 'table.h', 'sizeof(source_) == 0', 'sizeof(source_) > 0'),
    misuse('cuda', 'table_extern_global', 'table.h', 'CMK_STATIC_ASSERT(CMK_DEVICE_LINK_,', 'CMK_STATIC_ASSERT(1,'),
    misuse('c', 'table_define_source', 'table.h', 'name##_source_ == (IS)', 'name##_source_ >= 0 * (IS)'),

    consumers('units', 'two units, nvcc -rdc=true', 'table.h', 'CMK_STATIC_ MEMORY', 'MEMORY'),
    consumers('linkage', 'CONSTANT table of two files, nvcc: the compiler stops', 'table.h',
              'CMK_STATIC_ASSERT(CMK_DEVICE_LINK_,', 'CMK_STATIC_ASSERT(1,'),
    consumers('linkage', 'PARAMETER table of two files, objects, C11:', 'table.h', 'extern name##_table name;',
              'static name##_table name;'),
    consumers('linkage', 'GLOBAL table of two files, objects, C++17:', 'table.h', 'CMK_TABLE_STATE_(extern, name, )',
              'CMK_TABLE_STATE_(static, name, )'),
    consumers('units', 'two units, C11:', 'host/system.h', '__attribute__((weak', '__attribute__((unused'),
    consumers('parts', 'table.cu', 'table.h', '#include "base.h"',
              '#include "base.h"\n#include "load.h"'),
    consumers('library', 'shared library and program, C11', 'host/system.h', '__attribute__((weak',
              '__attribute__((visibility("hidden"), weak'),
    consumers('library', 'shared library and program, C11', 'host/pool.h',
              'cmk_host_view_now_.module_ = launch_->module_;', ''),
    consumers('readme', "the README's mistake", 'tile.h', 'CMK_HOST_TILE_GET_(tile, row, column)',
              '((tile)[row][column])'),
    consumers('plain', 'C++17', 'base.h', ' static_assert(condition, text)',
              ' _Static_assert(condition, text)'),
    consumers('example', 'gcc -O2 -Iinclude -x c examples/stencil1d.cu', 'stencil.h',
              'SAMPLE(cmk_k_) - SAMPLE(-cmk_k_)', 'SAMPLE(cmk_k_) + SAMPLE(-cmk_k_)'),
    Row('consumers', runner('consumers/consumers.py', 'pkgconfig', ''), 'base.h',
        '#define CMK_VERSION_PATCH ', '#define CMK_VERSION_PATCH 9', 'the version of base.h'),

    host('stencil1d', ' antisymmetric ', 'stencil.h', 'SAMPLE(cmk_k_) - SAMPLE(-cmk_k_)',
         'SAMPLE(cmk_k_) + SAMPLE(-cmk_k_)'),
    host('stencil1d', ' CMK_EDGE_ZERO', 'edge.h', '(i) >= 0 && (i) < (count) ? READ(i)',
         '(i) > 0 && (i) < (count) ? READ(i)'),
    host('stencil1d', ' CMK_EDGE_CLAMP', 'edge.h', ': count_ - 1', ': count_'),
    host('stencil1d', ' CMK_EDGE_REFLECT', 'edge.h', ': 2 * count_ - 2 - at_', ': 2 * count_ - 3 - at_'),
    host('filters', 'CMK_FILTER_GAUSS', 'filter.h', 'BELL_(6, S), CMK_FILTER_BELL_(7, S), CMK_FILTER_BELL_(8, S)',
         'BELL_(6, S), CMK_FILTER_BELL_(7, S), CMK_FILTER_BELL_(7, S)'),
    host('filters', 'CMK_FILTER_BINOMIAL', 'filter.h', '924, 792, 495', '924, 792, 496'),
    host('filters', 'CMK_FILTER_DERIVATIVE, derivative 2, radius 3', 'filter.h', '270, -27, 2', '270, -27, 1'),
    host('filters', 'cmk_filter_derivative, derivative 1', 'filter.h', 'nth_ == 1 ? -taps_[radius_ + k_] :',
         'nth_ == 0 ? -taps_[radius_ + k_] :'),
    host('parts', 'inside and border', 'edge.h', '(i) < (count) - (RADIUS)', '(i) <= (count) - (RADIUS)'),
    host('stencil1d', 'sizes and alignments wrong', 'kernel/stencil1d.h', 'start_ + size_ <= count_',
         'start_ <= count_'),
    host('stencil1d', 'sizes and alignments wrong', 'kernel/stencil1d.h', 'first_ + j_ < count_',
         'first_ + j_ <= count_'),
    host('stencil1d', ' is refused', 'kernel/stencil1d.h', 'distance_ >= count_', 'distance_ >= 0 * count_'),
    host('transpose', 'is refused', 'kernel/range.h', 'from_ - to_ >= written_', 'from_ - to_ >= 0 * written_'),
    host('transpose', 'ran to its end', 'kernel/transpose.h', '__syncthreads();', '(void)0;'),
    host('transpose', 'ran to its end', 'kernel/transpose.h', '__syncthreads(); /* both', '(void)0; /* both'),
    host('transpose', 'in place', 'kernel/transpose.h', ': last_ - a_', ': tiles_ - even_ - a_'),
    host('transpose', 'to YXZ', 'kernel/transpose.h', 'name(in_, plane_, out_, depth_, depth_, plane_, stream_)',
         'name(in_, width_, out_, depth_ * height_, depth_ * height_, width_, stream_)'),
    host('transpose', 'to YZX: 70000', 'kernel/transpose.h', 'in_ + (z_ * height_ + y_) * width_', 'in_ + y_ * width_'),
    host('parts', 'ran to its end', 'tile.h', '__syncthreads();', '(void)0;'),
    host('tiles', 'CMK_TILE_PAD: ', 'tile.h', '(3 * (RUN) -', '(2 * (RUN) -'),
    host('tiles', 'CMK_TILE_PAD: 1 bytes', 'tile.h', '0x07ff80fffffff800ull', '0x07ff80fffffff801ull'),
    host('tiles', 'CMK_TILE_LAUNCH: no device', 'tile.h', '? cudaErrorLaunchOutOfResources : error_', '? error_ : error_'),
    host('tiles', 'CMK_TILE_DEGREE: ', 'tile.h', '(d) * (P) % 128 < (K)', '(d) * (P) % 128 <= (K)'),
    host('tiles', 'CMK_TILE_SWIZZLE: ', 'base.h', '(unsigned)row_ / (128', '(unsigned)row_ / 2 / (128'),
    host('tiles', 'CMK_TILE_SWIZZLE_DEGREE: ', 'tile.h', 'CMK_TILE_MOST_(GRAIN, RUN)', '(GRAIN)'),
    host('counts', ' merge', 'host/count.h', 'loads_ && count_ > 1', '!loads_ && count_ > 1'),
    host('counts', 'two accesses on one line', 'host/report.h', '__COUNTER__ % 2048', '0 % 2048'),
    host('fills', ' wrong', 'host/fill.h', 'x_ >= source_->columns_', 'x_ > source_->columns_'),
    host('fills', ' wrong', 'fill.h', 'cmk_left_ + cmk_column_, 1', 'cmk_left_ + cmk_column_ + 1, 1'),
    host('fills', 'stays as it was', 'fill.h', 'cudaError_t error_ = cudaErrorInvalidValue;',
         'cudaError_t error_ = cudaErrorInvalidValue; memset(source_, 0, sizeof *source_);'),
    reports('costs', 'report table: column, shared load', 'host/count.h', 'at_ / spot_->pitch_ * pitch_',
            'at_ / spot_->pitch_ * spot_->pitch_'),
    reports('costs', 'report text: dynamic, shared load', 'host/count.h', 'start_ = element_->tile_ - cmk_host_arena_',
            'start_ = element_->tile_ - cmk_host_arena_ + 4'),
    reports('programs', 'report: kernels', 'host/count.h', '127) / 128 * 128 + 1024', '127) / 128 * 128 + 2048'),
    reports('programs', 'report: unwritable', 'host/count.h', 'fflush(file_) == 0 && !ferror(file_)', 'fflush(file_) < 2'),
    host('parts', '2D antisymmetric', 'stencil.h', 'SAMPLE, -)', 'SAMPLE, +)'),
    host('loads', 'CMK_STORE_PART', 'load.h', '(const char *)from_ + j_ * (cmk_i64)size_', '(const char *)from_'),
    host('loads', '_PART', 'load.h', 'first_ + j_ >= count_', 'first_ + j_ > count_'),
    host('loads', 'strides', 'load.h', 'j_ * stride_', '(j_ + stride_)'),
    host('parts', 'upload', 'table.h', 'count_ * sizeof(T), first_ * sizeof(T),', 'sizeof(name##_array_), 0,'),
    host('tables', 'past the end', 'table.h', 'count_ <= elements_ - first_', 'count_ <= elements_ - first_ + 1'),
    host('tables', 'leave the rest', 'table.h', 'count_ * sizeof(T), first_ * sizeof(T),', 'count_ * sizeof(T), 0,'),
    host('tables', 'leave the rest', 'table.h', '(T *)name.values_ + first_', '(T *)name.values_'),
    host('tables', ' wrong', 'table.h', 'CMK_TABLE_INDEX_(name, i, , [0], "plane")',
         'CMK_TABLE_INDEX_(name, i, , [0][0], "plane")'),
    host('tables', 'one more than the slots', 'table.h', 'return cudaErrorNotReady;',
         'return cudaErrorMemoryAllocation;'),
    host('tables', 'all are released once', 'table.h',
         '|| !__atomic_load_n(&slots_[taken_].taken_, __ATOMIC_RELAXED)', ''),
    host('table_pieces', 'ran to its end', 'table.h', '((void)((state) = 1))', '((void)(state))'),
    host('table_threads', 'two host threads', 'table.h', 'taken_->slot_ * sizeof(name##_slot_)',
         'taken_->slot_ * sizeof(name##_array_)'),
    host('table_threads', 'two host threads', 'table.h', '.taken_, 1, __ATOMIC_SEQ_CST)',
         '.taken_, 0, __ATOMIC_SEQ_CST)'),
    host('bugs', 'table_un', 'table.h', 'FILLED, "element"', '1, "element"'),
    host('bugs', 'table_', 'table.h', 'CMK_TABLE_PER_(name, WHOLE) / CMK_TABLE_PER_(name, PART)', '1 << 20'),
    finding('the table of README.md', 'host/shared.h', 'cmk_host_asan_forbid_(start_, CMK_HOST_ARENA_BYTES_);',
            ''),
    finding('TSan: no report', 'host/block.h', '__tsan_acquire(meeting_);', '__tsan_acquire(worker_->meeting_);'),

    convolved('conv24:', 'conv2d.h', '(ROWS) * (COLUMNS)-1 - ((r) * (COLUMNS) + (c))', '(r) * (COLUMNS) + (c)'),
    convolved('conv24:', 'conv2d.h', 'name##_flipped_ ? (ROWS)-1 - (ANCHOR_ROW) : (ANCHOR_ROW)', '(ANCHOR_ROW)'),
    convolved('conv18:', 'conv2d.h', 'SUM sums_[name##_height_]', 'float sums_[name##_height_]'),
    convolved('conv1:', 'conv2d.h', 'r_ >= 0; --r_) CMK_UNROLL', 'r_ > 0; --r_) CMK_UNROLL'),
    convolved('conv65:', 'conv2d.h', 'whole_ + (rest_ > 0)', 'whole_'),
    convolved('conv67:', 'conv2d.h', 'p_ = parts_ - 1; p_ >= 0;', 'p_ = parts_ - 1; p_ > 0;'),
    convolved('conv69:', 'conv2d.h', '&group_[0][CHANNELS]', '&group_[0][1]'),
    convolved('conv65:', 'conv2d.h', '>= place_.done_ && i_', '> place_.done_ && i_'),
    convolved('conv65:', 'conv2d.h', '* part_ < place_.length_', '* part_ < place_.length_ - 1'),
    convolved('conv71:', 'conv2d.h', 'column_ += name##_lanes_', 'column_ += 2'),
    convolved('conv68:', 'conv2d.h', '++e_) cmk_sums_[k_][e_] = 0;', '++e_) cmk_sums_[k_][e_] += 0;'),
    convolved('conv4:', 'image.h', 'e_ >= first_ && e_ < end_', 'e_ >= first_ && e_ <= end_'),
    convolved('conv4:', 'image.h', '__builtin_rint(value_)', '__builtin_floor(value_ + 0.5)'),
    convolved('conv4:', 'image.h', 'sum_ > most_ ? most_ : sum_', 'sum_'),
    convolved('conv20:', 'image.h', '(SUM)(IN)(OUTSIDE)', '(SUM)0'),
    convolved('conv11:', 'image.h', '(IN)(OUTSIDE)', '(IN)0'),
    convolved('conv17:', 'image.h', '(from_ < 0 ? from_ - ((CHANNELS)-1) : from_)', 'from_'),
    convolved('conv41:', 'image.h', 'cmk_edge_index(CMK_EDGE_ROW(EDGE)', 'cmk_edge_index(CMK_EDGE_COLUMN(EDGE)'),
    convolved('conv4:', 'image.h', 'image_.top_ = -(int)call_->row_', 'image_.top_ = 0'),
    convolved('conv5:', 'image.h', '(int)(call_->rows_ - call_->row_)', '(int)call_->region_rows_'),
    convolved('conv4:', 'image.h', 'image_.out_step_ = (cmk_i64)call_->out_step_',
              'image_.out_step_ = (cmk_i64)(call_->out_pitch_ * call_->region_rows_)'),
    convolved('conv5:', 'image.h', '((call_->in_pitch_ | call_->in_step_) * in_size_) % in_chunk_ == 0', '1'),
    convolved('conv24:', 'range.h', 'to_ - from_ >= read_', 'to_ - from_ >= 0 * read_'),
    convolved('conv29:', 'range.h', 'from_ - to_ >= written_', 'from_ - to_ >= 0 * written_'),
    convolved('conv12:', 'range.h', 'from_ % in_size_ == 0 && ', ''),
    convolved('conv23:', 'image.h', 'call_->region_rows_ > call_->rows_ - call_->row_',
              'call_->region_rows_ > call_->rows_'),
    convolved('conv56:', 'image.h', '__syncthreads();', '(void)0;'),
    convolved('conv56:', 'image.h', 'in_row_ && (!name##_zeros_() || in_)', 'in_row_'),
    convolved('conv57:', 'image.h',
              '(image_.right_ + image_.head_) % lanes_ == 0 && (image_.width_ + image_.head_) % lanes_ == 0', '1'),
    convolved('conv56:', 'image.h', '!name##_zeros_() || place_.x_ < image_.width_', '1'),
    convolved('conv22:', 'image.h', '        y_ -= done_;\n', ''),
    convolved('conv35:', 'image.h', 'image_->above_ > 0 ? strip_ : strip_ + image_->columns_', 'strip_'),
    convolved('conv22:', 'image.h', '__shfl_sync(0xffffffffu, start_, j_)', '__shfl_sync(0xffffffffu, start_, 0)'),
    convolved('conv11:', 'image.h', 'at_ != cmk_image_none_ && starts_[j_] != 0', 'at_ != cmk_image_none_'),
    convolved('conv29:', 'image.h', 'edge_ < image_->before_ ? edge_ : edge_ + (int)wide_', 'edge_'),
    convolved('conv9:', 'conv2d.h', 'place_.y_ + name##_height_ <= image_.rows_ - image_.below_', '1'),
    convolved('conv51:', 'separable.h', 'r_ = 2 * (RADIUS); r_ >= 0;', 'r_ = 2 * (RADIUS); r_ > 0;', 'separable'),
    convolved('conv46:', 'separable.h', 'across_[e_] += ', 'across_[e_] = ', 'separable'),

    convolved('conv4:', 'image.h', 'rintf(value_)', 'floorf(value_ + 0.5f)', kind='gpu'),
    gpu('stencil1d', ' antisymmetric ', 'stencil.h', 'SAMPLE(cmk_k_) - SAMPLE(-cmk_k_)',
        'SAMPLE(cmk_k_) + SAMPLE(-cmk_k_)'),
    gpu('loads', '_PART', 'load.h', 'first_ <= count_ - lanes_', 'first_ < count_'),
    gpu('parts', 'outputs wrong', 'tile.h', '__syncthreads();', '(void)0;'),
    gpu('tables', ' wrong', 'table.h', '(cmk_i64)(i)*CMK_TABLE_PER_(name, [0]) + (cmk_i64)(j)',
        '(cmk_i64)(i)*CMK_TABLE_PER_(name, [0][0]) + (cmk_i64)(j)'),
    gpu('table_threads', 'two host threads', 'table.h', 'cudaStreamWaitEvent(stream_, slots_->released_, 0)',
        'cudaSuccess'),

    codegen('edges', 'CMK_EDGE_CLAMP: threads inside only load and add, sm_90', 'edge.h', 'BODY(INTERIOR);',
            'BODY(BORDER);'),
    codegen('equal', 'stencil1d: parts and hand give one cubin, sm_90', 'tile.h', 'cmk_column_ += (int)blockDim.x',
            'cmk_column_ += (int)(blockDim.x * blockDim.y)'),
    codegen('equal', 'conv2d: parts and hand give one cubin, sm_80', 'tile.h', '__shared__ __align__(128) T name[ROWS]',
            '__shared__ __align__(128) T name[(ROWS) + 1]'),
    codegen('spills', 'definition.cu: no spills', 'kernel/stencil1d.h', 'sums_[cmk_centre_ - name##_reach_]',
            'sums_[(cmk_centre_ + head_) % name##_outputs_]'),
    codegen('ptx', 'conv_constant: loads in PTX', 'load.h', 'CMK_LOAD_BY_(cmk_load_by_READ_ONLY_, pointer)',
            'CMK_LOAD(pointer)'),
    codegen('ptx', 'every hint, sm_75', 'load.h', '".global.cs"', '".global.cg"'),
    codegen('ptx', 'every hint, sm_90', 'load.h', '(alignof(T_) < 16 ? (int)alignof(T_) : 16)',
            '(alignof(T_) < 8 ? (int)alignof(T_) : 8)'),
    codegen('equal', 'read_only: parts and hand give one cubin, sm_90', 'load.h', '_same_(const T_ &, const T_ &)',
            '_same_(const T_ &, T_ &)'),
    codegen('equal', 'GLOBAL table: parts and hand give one cubin, sm_80', 'table.h', 'CMK_TABLE_PER_(name, [0]) + (j)',
            'CMK_TABLE_PER_(name, [0]) + (j) + (i)'),
    codegen('ptx', 'GLOBAL table: loads in PTX', 'table.h',
            'cmk_read_only_(&value_, &((const T *)VALUES)[i_], sizeof(T), alignof(T));',
            'value_ = ((const T *)VALUES)[i_];'),
    codegen('sass', 'LITERAL table: where the coefficients are, sm_90', 'table.h',
            'static __device__ const name##_array_', 'static __device__ name##_array_'),
    codegen('sass', 'CONSTANT table: where the coefficients are, sm_80', 'table.h', '((const T *)VALUES)[i_]',
            '((const T *)VALUES)[i_ + threadIdx.x % 2]'),
    codegen('sass', 'PARAMETER table: where the coefficients are, sm_120', 'table.h', '((const T *)VALUES)[i_]',
            '((const T *)VALUES)[i_ + threadIdx.x % 2]'),
    codegen('sass', 'stencil_1d: no thread loads a coefficient, sm_90', 'table.h', '((const T *)VALUES)[i_]',
            '((const T *)VALUES)[i_ + threadIdx.x % 2]'),
]


def plant(row, include):
    path = include / 'cmk' / row.header
    text = path.read_text()
    if row.old not in text:
        raise Failure(f'{row.header} has no text: {row.old}')
    path.write_text(text.replace(row.old, row.new))


def check_row(row, headers):
    with folder() as temporary:
        include = Path(temporary) / 'include'
        shutil.copytree(headers, include)
        plant(row, include)
        output = run([str(word).replace('{include}', str(include)) for word in row.command])[1]
    judge(row.check, output)


def judge(check, output):
    lines = output.splitlines()
    failed = [line for line in lines if line.startswith('not ok ')]
    skipped = [line for line in lines if line.startswith('1..0 # SKIP ')]
    skipped += [line for line in lines if line.startswith('ok ') and check in line and ' # SKIP ' in line]
    if skipped:
        raise Skip(skipped[0].split(' # SKIP ')[1])
    if not failed or not all(check in line for line in failed):
        raise Failure(f'expected to fail: {check}\n{output}')


def name_of(row):
    text = f'{row.suite}, {row.check}: fails after {row.header}: {row.old} -> {row.new}'
    return ' '.join(text.replace('#', '').split())


def main():
    suites = list(dict.fromkeys(row.suite for row in ROWS))
    options = arguments(__doc__, suites, 'SUITE')
    checks = []
    for row in ROWS:
        if row.suite in options.which:
            checks.append((name_of(row), lambda row=row: check_row(row, options.include)))
    report(checks, options)


main()
