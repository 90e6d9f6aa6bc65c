"""Whose lines the instructions of a complete kernel have, by -lineinfo: at most a tenth has that of the user's
definition, so that ncu and cuda-gdb name lines of the engines. A BODY of the user's own belongs there."""

import collections
import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, arguments, compiler, folder, must, program, report  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCE = HERE / 'lines.cu'
MOST = 0.10
ARITHMETIC = r'F(FMA|MUL|ADD)\b'
ARCHITECTURES = ['90']
DEFINITIONS = {'conv2d_9': None, 'conv3d_3': None, 'separable_8': None, 'transpose_4': None,
               'stencil_4': ARITHMETIC}  # and the instructions that are those of a BODY


@functools.lru_cache(maxsize=None)
def lines(include, source, arch):
    """for each kernel of a .cu file: (file, line, instruction) of its instructions, each with its innermost line"""
    disassembler = program('nvdisasm')
    with folder() as work:
        cubin = Path(work) / 'cubin'
        must(compiler('NVCC') + ['-std=c++17', '-O3', '-lineinfo', f'-arch=sm_{arch}', '-I', include, '-cubin',
                                 '-o', cubin, source])
        text = must([disassembler, '-g', '-c', cubin])
    kernels = {}
    for line in text.splitlines():
        kernel = re.match(r'\.text\.(\w+):', line)
        place = re.match(r'\s*//## File "(.*?)", line (\d+)', line)
        instruction = re.match(r'\s*/\*[0-9a-f]{4,}\*/\s+(.*?);', line)
        if kernel:
            found, file, number = kernels.setdefault(kernel.group(1), []), '', 0
        elif place:
            file, number = place.group(1), int(place.group(2))
        elif instruction and not instruction.group(1).startswith('NOP'):
            found.append((Path(file), number, instruction.group(1).strip()))
    return kernels


def kernels_of(kernels, definition):
    """the instructions of all kernels of a definition, which begin with its name, mangled or not"""
    found = [row for name, rows in kernels.items() if re.match(rf'(_Z\d+)?{definition}_', name) for row in rows]
    if not found:
        raise Failure(f'{definition} is in none of {" ".join(kernels)}')
    return found


def share(rows, user, body=None):
    """the part of the instructions whose innermost line is in the file user, those of a BODY excepted"""
    return len([text for file, _, text in rows
                if file.resolve() == user.resolve() and not (body and re.search(body, text))]) / len(rows)


def most_lines(rows):
    """the lines with most instructions, for a person"""
    places = collections.Counter(f'{file.name}:{number}' for file, number, _ in rows)
    return '\n'.join(f'{count:6} {place}' for place, count in places.most_common(20))


def check(include, definition, body, arch):
    rows = kernels_of(lines(include, SOURCE, arch), definition)
    of_user = share(rows, SOURCE, body)
    if not of_user <= MOST:
        raise Failure(f'{of_user:.1%} of {len(rows)} instructions have the line of the definition\n{most_lines(rows)}')


def checks(include):
    return [(f'{definition}: the lines of its instructions, sm_{arch}',
             lambda d=definition, b=body, a=arch: check(include, d, b, a))
            for arch in ARCHITECTURES for definition, body in DEFINITIONS.items()]


if __name__ == '__main__':
    chosen = arguments(__doc__, ['lines'], 'CHECK')
    report(checks(chosen.include), chosen)
