"""gdb stops at the FMA of a definition on the CPU backend, in a backtrace of named functions of the engine.

A station is a line of an engine, told by a text of it, and the functions that must be on the stack, innermost first.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import C11, Failure, arguments, compiler, folder, must, program, report, run  # noqa: E402

PROGRAM = '''#include <cmk/cmk.h>
CMK_TABLE_VALUES(CONSTANT, float, wide, [9], 1, 2, 3, 4, 5, 4, 3, 2, 1);
CMK_TABLE_VALUES(CONSTANT, float, small, [3], 1, 2, 1);
CMK_DEFINE_CONV2D(blur, float, 1, 9, wide, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(soften, float, 3, 1, small, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE(spread, float, 4, wide, wide, CMK_EDGE_CLAMP);
int main(void)
{
    float *in, *out;
    CMK_CHECK(cudaMalloc((void **)&in, 40 * 256 * sizeof *in));
    CMK_CHECK(cudaMalloc((void **)&out, 40 * 256 * sizeof *out));
    CMK_CHECK(cudaMemset(in, 0, 40 * 256 * sizeof *in));
    CMK_CHECK(blur(in, 256, out, 256, 40, 256, wide, 0));
    CMK_CHECK(soften(in, 256, out, 256, 40, 256, small, 0));
    CMK_CHECK(spread(in, 256, out, 256, 40, 256, wide, wide, 0));
    return 0;
}
'''
STATIONS = {
    'conv2d, marching': ('kernel/image/sums.inc', '*sum = begins && c == 0', [
        'cmk_conv2d_add_', 'cmk_image_add_', 'cmk_image_steps_', 'cmk_image_march_down_', 'blur_kernel']),
    'conv2d, direct': ('kernel/image/sums.inc', 'sums[e] = cmk_image_plus_(', [
        'cmk_conv2d_add_row_', 'cmk_conv2d_outputs_', 'cmk_conv2d_direct_', 'soften_kernel']),
    'separable': ('kernel/image/sums.inc', '*sum = r == 0 ? weight * across', [
        'cmk_separable_add_', 'cmk_image_add_', 'cmk_image_steps_', 'cmk_image_march_down_', 'spread_kernel'])}


def station_check(include, header, text, functions):
    engine = (include / 'cmk' / header).read_text().splitlines()
    lines = [number for number, line in enumerate(engine, 1) if text in line]
    if len(lines) != 1:
        raise Failure(f'{header} has {len(lines)} lines with: {text}')
    gdb = program('gdb')
    with folder() as temporary:
        source = Path(temporary) / 'program.c'
        source.write_text(PROGRAM)
        built = Path(temporary) / 'program'
        must(compiler('CC') + C11[2:] + ['-g', '-O0', f'-I{include}', '-o', built, source, '-lm', '-lpthread'])
        steps = [f'break {Path(header).name}:{lines[0]}', 'run', 'backtrace 24', 'next', 'info line', 'kill']
        words = [word for step in steps for word in ('-ex', step)]
        output = run([gdb, '-nx', '-batch', '-ex', 'set confirm off', *words, built])[1]
    found = re.findall(r'^#\d+\s+(?:0x[0-9a-f]+ in )?(\w+) ', output, re.MULTILINE)
    place = 0
    for name in found:
        if place < len(functions) and name.startswith(functions[place]):
            place += 1
    if place < len(functions):
        raise Failure(f'not on the stack in this order: {functions[place]}\n{output}')
    if f'{Path(header).name}:{lines[0]}' not in output:
        raise Failure('gdb does not name the line of the engine\n' + output)


def main():
    options = arguments(__doc__, STATIONS, 'STATION')
    report([(f'gdb stops at the FMA: {name}', lambda name=name: station_check(options.include, *STATIONS[name]))
            for name in options.which], options)


main()
