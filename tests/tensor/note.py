"""The compiler's note that code for sm_90 lacks the tensor cores of sm_90a: once, in a file with definitions, and no
warning.

usage: note.py [CHECK...] [--include DIR]
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / 'alone'))
from harness import Failure, arguments, compiler, folder, must, report  # noqa: E402
from nvrtc import Nvrtc  # noqa: E402

HEADER = '#include <cmk/kernel/conv2d.h>\n'
DEFINITIONS = '''CMK_TABLE(CONSTANT, float, taps, [9][9]);
CMK_DEFINE_CONV2D(smooth, float, 9, 9, taps, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D_AS(turn, CONVOLUTION, (float, float, float, 1), (9, 9), (4, 4), taps, (CMK_EDGE_ZERO, 0));
'''
NOTE = re.compile(r'\((\d+)\): remark[^\n]*"cmk: -arch=sm_90a has tensor cores')


def noted(include, text, architecture):
    """the lines that the note is of; warnings would be errors"""
    with folder() as work:
        source = Path(work) / 'source.cu'
        source.write_text(text)
        output = must([*compiler('NVCC'), '-std=c++17', '--Werror=all-warnings', f'-arch={architecture}',
                       f'-I{include}', '-cubin', '-o', Path(work) / 'cubin', source])
    return [int(line) for line in NOTE.findall(output)]


def expect(found, expected):
    if found != expected:
        raise Failure(f'noted in lines {found}, not {expected}')


def by_nvrtc(include):
    said = Nvrtc().compile(HEADER + DEFINITIONS, [f'-I{include}', '--gpu-architecture=sm_90'])
    if said:
        raise Failure(said)


CHECKS = {
    'once': ('sm_90, two definitions: one note', lambda include: expect(
        noted(include, HEADER + DEFINITIONS, 'sm_90'), [3])),
    'header': ('sm_90, no definition: none', lambda include: expect(noted(include, HEADER, 'sm_90'), [])),
    'forbidden': ('sm_90, CMK_TENSOR 0: none', lambda include: expect(
        noted(include, '#define CMK_TENSOR 0\n' + HEADER + DEFINITIONS, 'sm_90'), [])),
    'has': ('sm_90a: none', lambda include: expect(noted(include, HEADER + DEFINITIONS, 'sm_90a'), [])),
    'older': ('sm_80: none', lambda include: expect(noted(include, HEADER + DEFINITIONS, 'sm_80'), [])),
    'nvrtc': ('NVRTC, sm_90: none', by_nvrtc),
}


def main():
    options = arguments(__doc__, CHECKS, 'CHECK')
    report([(CHECKS[name][0], lambda check=CHECKS[name][1]: check(options.include)) for name in options.which], options)


main()
