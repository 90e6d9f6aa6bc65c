"""Runs every planted bug of bugs.cu and compares what the CPU backend reports with what it should.

usage: bugs.py PROGRAM SOURCE
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

ADDRESS = r'0x[0-9a-f]+'
BLOCK = '256-byte allocation at ' + ADDRESS

# name: (thread, the sentence as a regular expression)
BUGS = {
    'tile_column': ('7,0,0', r'reads float element \(0,8\) of tile `tile` \[4\]\[8\], 1 column past the end'),
    'tile_row': ('0,3,0', r'reads float element \(4,0\) of tile `tile` \[4\]\[8\], 1 row past the end'),
    'tile_negative': ('0,0,0', r'writes double element \(0,-1\) of tile `tile` \[4\]\[8\], 1 column before the start'),
    'tile_pad': ('7,0,0', r'reads float element \(0,8\) of tile `tile` \[4\]\[8\], 1 column past the end, in its pad'),
    'tile_unwritten': ('5,0,0', r'reads float element \(0,5\) of tile `tile` \[4\]\[8\], '
                                r'which no thread of the block has written'),
    'tile_too_large': ('0,0,0', r'tile `second` \(9200 bytes\) brings the block to 49200 bytes of static shared '
                                r'memory; 49152 are allowed'),
    'dynamic_end': ('7,0,0', r'writes 4 bytes of shared memory, 0 bytes past the end of dynamic shared memory '
                             r'\(32 bytes\)'),
    'global_read_after': ('7,0,0', rf'reads 4 bytes at {ADDRESS}, directly past the end of the {BLOCK}'),
    'global_write_before': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, 4 bytes before the start of the {BLOCK}'),
    'global_freed': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, in the {BLOCK}, which has been freed'),
    'global_freed_large': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, in the 300000-byte allocation at {ADDRESS}, '
                                    r'which has been freed'),
    'freed_output': ('0,0,0', rf'writes 16 bytes at {ADDRESS}, in the {BLOCK}, which has been freed'),
    'global_reused': ('7,0,0', rf'writes 4 bytes at {ADDRESS}, directly past the end of the '
                               rf'67108736-byte allocation at {ADDRESS}'),
    'global_host_pointer': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, which is not device memory: '
                                     r'is it a pointer to host memory\?'),
    'global_peer': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, in the {BLOCK} of device 1: the kernel runs on device 0, '
                             r'which has no access to it \(cudaDeviceEnablePeerAccess\)'),
    'global_null': ('0,0,0', r'writes 4 bytes at 0x0, a null pointer'),
    'global_misaligned': ('0,0,0', rf'reads 16 bytes at {ADDRESS}, which is misaligned: it must be a multiple of 16'),
    'global_misaligned_16': ('0,0,0', rf'writes 16 bytes at {ADDRESS}, which is misaligned: '
                                      r'it must be a multiple of 16'),
    'global_part': ('0,0,0', rf'reads 16 bytes at {ADDRESS}, directly past the end of the {BLOCK}'),
    'global_strided': ('1,0,0', rf'reads 4 bytes at {ADDRESS}, directly past the end of the {BLOCK}'),
    'atomic_outside': ('0,0,0', rf'reads 4 bytes at {ADDRESS}, directly past the end of the {BLOCK}'),
    'table_index': ('0,0,0', r'reads element -1 of the table `table`, which has 5 elements'),
    'barrier_two_lines': ('4,0,0', r'divergent barrier: this thread waits here, 4 threads of the block wait at the '
                                   r'__syncthreads of \S*bugs\.cu:\d+'),
    'barrier_macro': ('4,0,0', r'divergent barrier: this thread waits here, 4 threads of the block wait at another '
                               r'__syncthreads of this line'),
    'deadlock': ('0,0,0', r'deadlock: this thread waits for the lanes 0xffffffff of its warp, of which 0x0000000f have '
                          r'come; all threads of the block wait, 28 of them at __syncthreads'),
    'warp_caller': ('0,0,0', r'wrong warp mask 0x0000000e: it leaves out its caller, lane 0'),
    'warp_absent': ('0,0,0', r'wrong warp mask 0xffffffff: it names lane 24, but the block has only 24 threads in this '
                             r'warp'),
    'warp_exited': ('0,0,0', r'wrong warp mask 0xffffffff: it names lane 2, which has exited'),
    'nested_argument': ('0,0,0', r'launches kernel global_freed with an argument that waits for other threads'),
    'table_flat_index': ('4,0,0', r'reads element 15 of the table `matrix`, which has 15 elements'),
    'table_row': ('3,0,0', r'reads row 3 of the table `matrix`, which has 3 rows'),
    'table_column': ('5,0,0', r'reads column 5 of the table `matrix`, which has 5 columns'),
    'table_unfilled_constant': ('0,0,0', r'reads the table `empty_constant`, which nobody has filled'),
    'table_plane': ('2,0,0', r'reads plane 2 of the table `volume`, which has 2 planes'),
    'table_row_of_plane': ('0,0,0', r'reads row -1 of the table `volume`, which has 3 rows'),
    'table_column_of_plane': ('4,0,0', r'reads column 4 of the table `volume`, which has 4 columns'),
    'table_unfilled_parameter': ('0,0,0', r'reads the table `empty_parameter`, which nobody has filled'),
    'table_unfilled_global': ('0,0,0', r'reads the table `empty_global`, which nobody has filled'),
    'table_untaken': ('0,0,0', r'reads the table `untaken`, which nobody has filled'),
    'table_untaken_parameter': ('0,0,0', r'reads the table `untaken_parameter`, which nobody has filled'),
    'plane_row': ('0,3,0', r'reads element \(4,0\) of `ring\[k - 1\]`, which has 4 rows, 1 row past the end'),
    'plane_before': ('0,0,0', r'writes element \(-1,0\) of `ring\[k\]`, which has 2 rows, 1 row before the start'),
    'host_variable': ('0,0,0', rf'writes 4 bytes at {ADDRESS}, in the host\'s variable `host_\w+`: kernels have what '
                               r'is __device__, __constant__ or from cudaMalloc'),
    'variable_end': ('7,0,0', rf'writes 4 bytes at {ADDRESS}, 0 bytes past the end of the 32-byte variable '
                              r'`device_array`(, in the host\'s variable `\w+`)?'),
    'variable_behind': ('0,0,0', rf'reads 4 bytes at {ADDRESS}, 116 bytes past the end of the 8-byte variable '
                                 r'`device_pair`(, in the host\'s variable `\w+`)?'),
    'variable_across': ('0,0,0', rf'reads 16 bytes at {ADDRESS}, across the end of the 24-byte variable `device_six`'),
    'fill_early': ('0,0,0', r'reads float element \(0,0\) of tile `tile` \[1\]\[8\], which no thread of the block has '
                            r'written'),
    'fill_later': ('0,0,0', r'waits for fill 1, after which 0 were started, not 1'),
    'fill_too_many': ('0,0,0', r'starts fill 2 of a pipe of 2 stages, all of which are in flight'),
    'fill_misaligned': ('0,0,0', r'fills `&tile\[k\]` by BULK: it must begin at a multiple of 128 bytes'),
}

DEFINITIONS = {'freed_output'}  # the line is that of the definition, which launches its kernel

VARIABLES = {'global_peer': {'CMK_HOST_DEVICES': '2'}}


def line_of(bug, source):
    for number, line in enumerate(source.splitlines(), 1):
        if f'/* BUG {bug} */' in line:
            return number
    sys.exit(f'bugs.cu has no line for the bug {bug}')


def complaint(program, bug, source):
    """what is wrong with the report of this bug; None if nothing is"""
    environment = {key: value for key, value in os.environ.items() if not key.startswith('CMK_HOST_')}
    environment.update(VARIABLES.get(bug, {}))
    run = subprocess.run([program, bug], capture_output=True, text=True, timeout=900, env=environment)
    thread, sentence = BUGS[bug]
    line = rf'\S*bugs\.cu:{line_of(bug, source)}'
    kernel, place = (rf'{bug}_kernel, launched at {line}', r'\S*:\d+') if bug in DEFINITIONS else (bug, line)
    wanted = rf'^cmk: kernel {kernel}, block \(0,0,0\), thread \({thread}\): {place}: {sentence}$'
    if run.returncode != -signal.SIGABRT:
        return f'exit status {run.returncode} instead of SIGABRT: {run.stderr[:300]}'
    if not re.search(wanted, run.stderr, re.MULTILINE):
        return f'wanted {wanted}\ngot    {run.stderr[:300]}'
    return None


def main():
    program, source = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).read_text(encoding='utf-8')
    planted = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    failed = 0
    print(f'1..{len(BUGS) + 1}')
    for number, bug in enumerate(BUGS, 1):
        problem = complaint(program, bug, source)
        print(f'{"not ok" if problem else "ok"} {number} - {bug}')
        for line in (problem or '').splitlines():
            print(f'# {line}')
        failed += problem is not None
    complete = sorted(planted) == sorted(BUGS)
    print(f'{"ok" if complete else "not ok"} {len(BUGS) + 1} - every planted bug has its report')
    return failed > 0 or not complete


if __name__ == '__main__':
    sys.exit(main())
