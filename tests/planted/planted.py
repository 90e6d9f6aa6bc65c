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
    misuse('sentences', 'COUNT must be positive', 'table.h', 'COUNT must be at least 1',
           'COUNT must be positive'),

    consumers('units', 'two units, nvcc -rdc=true', 'table.h', 'static __constant__', '__constant__'),
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
    host('stencil1d', 'sizes and alignments wrong', 'kernel/stencil1d.h', 'start_ + size_ <= count_',
         'start_ <= count_'),
    host('stencil1d', 'sizes and alignments wrong', 'kernel/stencil1d.h', 'first_ + j_ < count_',
         'first_ + j_ <= count_'),
    host('stencil1d', ' is refused', 'kernel/stencil1d.h', 'distance_ >= count_', 'distance_ >= 0 * count_'),
    host('parts', 'ran to its end', 'tile.h', '__syncthreads();', '(void)0;'),
    host('parts', 'CMK_TILE_PAD: ', 'tile.h', '(3 * CMK_TILE_SPAN_', '(2 * CMK_TILE_SPAN_'),
    host('parts', '2D antisymmetric', 'stencil.h', 'SAMPLE, -)', 'SAMPLE, +)'),
    host('parts', 'upload', 'table.h', '(count) * sizeof((name)[0])', 'sizeof(name)'),

    gpu('stencil1d', ' antisymmetric ', 'stencil.h', 'SAMPLE(cmk_k_) - SAMPLE(-cmk_k_)',
        'SAMPLE(cmk_k_) + SAMPLE(-cmk_k_)'),
    gpu('parts', 'outputs wrong', 'tile.h', '__syncthreads();', '(void)0;'),

    codegen('equal', 'stencil1d: parts and hand give one cubin, sm_90', 'tile.h', 'cmk_column_ += (int)blockDim.x',
            'cmk_column_ += (int)(blockDim.x * blockDim.y)'),
    codegen('equal', 'conv2d: parts and hand give one cubin, sm_80', 'tile.h', '__shared__ __align__(16) T name[ROWS]',
            '__shared__ __align__(16) T name[(ROWS) + 1]'),
    codegen('spills', 'definition.cu: no spills', 'kernel/stencil1d.h', 'sums_[cmk_centre_ - name##_reach_]',
            'sums_[(cmk_centre_ + head_) % name##_outputs_]'),
    codegen('ptx', 'conv_constant: loads in PTX', 'load.h', '__ldg(pointer)', '(*(pointer))'),
    codegen('ptx', 'derivative_kernel: loads in PTX', 'load.h', '__stwb((uint4 *)to_, bits_)', '*(uint4 *)to_ = bits_'),
    codegen('sass', 'stencil_1d: no thread loads a coefficient, sm_90', 'table.h', '((name)[index])',
            '((name)[(index) + threadIdx.x % 2])'),
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
