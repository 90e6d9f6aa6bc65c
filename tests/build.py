"""Builds a test program on given headers and runs it: for defects planted in them.

usage: build.py PROGRAM.cu c|cuda --include DIR
"""

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
from harness import compiler, folder, gpu_present, must, nvcc, relay  # noqa: E402

LONG = ['fill', 'transpose']  # run longer than they compile
# by a script of the same name; programs beside it
JUDGED = {'bugs': [], 'process': [], 'streams': ['pipeline', 'unordered']}
CXX = ['toolkit']  # that are C++, and include CUDA's headers by their names
VARIABLES = {'devices': {'CMK_HOST_DEVICES': '3'}, 'returns': {'CMK_HOST_ERRORS': 'return'}}


def build(source, mode, include, program):
    flags = [f'-I{include}', f'-I{TESTS}', '-o', program]
    if mode == 'cuda':
        must(nvcc() + ['-std=c++17', '-O3', *flags, source])
    elif source.stem in CXX:
        flags += [f'-I{include}/cmk/host/toolkit', '-x', 'c++', source, '-lm', '-lpthread']
        must(compiler('CXX') + ['-std=c++17', '-O0', *flags])
    else:
        called = ['-Dalways_inline=unused']  # calls the engines' functions
        level = ['-O1'] if source.stem in LONG else ['-O1', *called] if source.stem == 'conv3d' else ['-O0', *called]
        must(compiler('CC') + ['-std=c11', *level, *flags, '-x', 'c', source, '-lm', '-lpthread'])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('source', type=Path)
    parser.add_argument('mode', choices=['c', 'cuda'])
    parser.add_argument('--include', type=Path, required=True)
    options = parser.parse_args()
    name = options.source.stem
    if options.mode == 'cuda' and not gpu_present():
        print('1..0 # SKIP no GPU')
        return
    with folder() as work:
        build(options.source, options.mode, options.include, Path(work) / name)
        beside = JUDGED.get(name, [])
        for other in beside:
            build(options.source.with_stem(other), options.mode, options.include, Path(work) / other)
        judge = [sys.executable, options.source.with_suffix('.py')] if name in JUDGED else []
        words = [*judge, *[Path(work) / program for program in [name, *beside]], *[options.source] * (name == 'bugs')]
        relay(words, name, **VARIABLES.get(name, {}))


main()
