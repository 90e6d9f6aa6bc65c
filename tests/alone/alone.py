"""Compiles every header alone, twice in one file, then amid macros that somebody else has defined, and what uses it
under warnings that other projects turn on.

The hostile file includes the standard headers first, because those do not survive such macros, then the
header, and then use/NAME.cu, which uses what the header offers: a macro body meets the hostile names where it
is used. The backend's headers meet them through base.h, which includes them all. As C++20 only the uses are
compiled: C++17 has seen the rest.

The hostile names are those that real headers define, and the words that cmk's macros paste. Locals of the headers'
functions are plain words of the field.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import INCLUDES, MODES, Failure, arguments, compile_command, folder, library_of, report, run  # noqa: E402
from nvrtc import Nvrtc  # noqa: E402

# what real headers define: complex.h, termios.h, sys/sysmacros.h, math.h, gcc itself, windows.h, X11, Qt, macOS, OpenCL
REAL = '''I B0 DOMAIN OVERFLOW HUGE linux unix i386 small near far IN OUT OPTIONAL interface CONST VOID ERROR TRUE FALSE
STRICT None Bool Status Success True False Always slots signals emit CONSTANT GLOBAL LOCAL PRIVATE'''.split()
REAL_CALLS = 'major minor makedev min max foreach check verify require'.split()  # macros with arguments
# what users may call their own: the words that macros of cmk take and paste
PASTED = '''EDGE INNER LITERAL PARAMETER PLAIN ASYNC BULK ROWS COLUMNS BOTH ROWS_8 ROWS_16 COLUMNS_8 COLUMNS_16 BOTH_8
BOTH_16 READ_ONLY STREAMING LAST_USE EVICT_FIRST EVICT_LAST CORRELATION CONVOLUTION SUM T'''.split()
HOSTILE = REAL + PASTED + [name + '(...)' for name in REAL_CALLS]
STRICT = ['-Wshadow', '-Wconversion']
SHADOWS = ['cmk/table.h', 'cmk/kernel/stencil3d.h']  # the parameter of a kernel has the name of its table
CXX_ONLY = ['cooperative_groups', 'cuda_bf16', 'toolkit/cuda/']  # of host/toolkit: these words are in their paths
RUNTIME = 'cuda_runtime.h'  # nvcc includes it before every file


def standard_headers(include):
    found = set()
    for path in include.glob('cmk/**/*.h'):
        found.update(re.findall(r'^\s*#\s*include\s*<([^>]+)>', path.read_text(), re.MULTILINE))
    return sorted(found - {RUNTIME}.union(*INCLUDES.values()))


def plain_text(header):
    return f'#include <{header}>\n' * 2


def hostile_text(header, standard, use):
    lines = [f'#if __has_include(<{name}>)\n#include <{name}>\n#endif' for name in standard]
    lines += [f'#define {name} @hostile_{name.removesuffix("(...)")}' for name in HOSTILE]
    return '\n'.join(lines) + '\n' + plain_text(header) + use


def detail(output):
    named = re.findall(r"hostile_(\w+)|of macro '(\w+)", output)
    guilty = sorted({name for pair in named for name in pair if name in HOSTILE + REAL_CALLS})
    errors = [line for line in output.splitlines() if not re.match(r'In file included|\s+from ', line)]
    return '\n'.join([f'names that break it: {" ".join(guilty)}'] * bool(guilty) + errors)


def compile_by_command(mode, include, path, kind, flags):
    """a header alone to its assembly, where gcc warns of functions that nobody uses; else the front end's part"""
    how = ['-fsyntax-only']
    if mode == 'cuda':
        how = ['-c', '-o', path.with_suffix('.o')]
    elif kind == 'alone':
        how = ['-S', '-o', path.with_suffix('.s')]
    status, output = run([*compile_command(mode, include), *flags, *how, path])
    if status != 0:
        raise Failure(detail(output))


def compile_by_nvrtc(_mode, include, path, _kind, _flags):
    output = Nvrtc().compile(path.read_text(), [f'-I{include}', '--gpu-architecture=compute_75'])
    if output:
        raise Failure(detail(output))


def use_of(header):
    """the text that uses a header; the umbrella offers nothing of its own"""
    if header == 'cmk/cmk.h':
        return ''
    path = HERE / 'use' / Path(header).relative_to('cmk').with_suffix('.cu')
    if not path.is_file():
        raise Failure(f'no {path.relative_to(HERE)} uses this header')
    return path.read_text()


def checks_of(mode, include, temporary):
    device_only = mode in ('cuda', 'nvrtc')
    headers = sorted(path.relative_to(include).as_posix() for path in include.glob('cmk/**/*.h'))
    standard = [] if mode == 'nvrtc' else standard_headers(include)
    compile_file = compile_by_nvrtc if mode == 'nvrtc' else compile_by_command

    def check(header, kind, text_of, flags=()):
        path = Path(temporary) / f'{mode}_{kind}_{re.sub("[^a-z0-9]", "_", header)}.cu'

        def body():
            path.write_text(text_of())
            compile_file(mode, include, path, kind, [*flags, *library_of(header, mode)])
        return f'{mode}: {header} {kind}', body

    for header in headers:
        backend = header.startswith('cmk/host/')
        if backend and mode in ('c', 'clang') and any(word in header for word in CXX_ONLY):
            continue
        if mode != 'c++20' and not (backend and device_only):
            yield check(header, 'alone', lambda header=header: plain_text(header))
        if backend or header.count('/') > 2:  # the engines of kernel/ENGINE/ meet the rest through their definitions
            continue
        if mode != 'c++20':
            yield check(header, 'hostile', lambda header=header: hostile_text(
                header, standard + INCLUDES.get(header, []), use_of(header)))
        if not device_only:
            yield check(header, 'strict', lambda header=header: plain_text(header) + use_of(header),
                        STRICT + ['-Wno-shadow'] * (header in SHADOWS))


def main():
    options = arguments(__doc__, [*MODES, 'nvrtc'], 'MODE')
    with folder() as temporary:
        checks = [check for mode in options.which for check in checks_of(mode, options.include, temporary)]
        report(checks, options)


if __name__ == '__main__':
    main()
