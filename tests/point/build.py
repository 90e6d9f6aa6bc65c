"""Builds a program of this folder on given headers, by cc for the CPU, and runs it: for defects planted in them.

usage: build.py drawn TITLE --include DIR [--seeds FIRST-LAST]
       build.py api|ranks|border|steps|steps3d|lines|spares|stencils2d|stencils3d|outside|reduce|until|
                colour [TEST]
                --include DIR

drawn is the definitions whose title has this text, of each of these seeds; TEST is the one test that runs, of ranks,
steps, steps3d or lines. The functions of the engines are called, not inlined, which takes a compiler a fraction of the
time.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import draw  # noqa: E402
from harness import C11, ROOT, Failure, compiler, folder, must, relay  # noqa: E402

HERE = Path(__file__).resolve().parent
NAMED = {'ranks': ['8'], 'steps': ['3'], 'steps3d': ['3'], 'lines': ['3']}  # how often, before the name of a test


def source_of(options, seed, work):
    if options.which != 'drawn':
        return HERE / f'{options.which}.cu'
    chosen = [d for d in draw.definitions(seed, 'all') if options.title in draw.title(d)]
    if not chosen:
        raise Failure(f'no definition has this in its title: {options.title}')
    source = Path(work) / 'drawn.c'
    source.write_text(draw.unit(chosen))
    return source


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', choices=['drawn', 'api', 'ranks', 'border', 'steps', 'steps3d', 'lines', 'spares',
                                          'stencils2d', 'stencils3d', 'outside', 'reduce', 'until', 'colour'])
    parser.add_argument('title', nargs='?', default='')
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    parser.add_argument('--seeds', default=f'{draw.SEED}-{draw.SEED}')
    options = parser.parse_args()
    first, last = map(int, options.seeds.split('-'))
    for seed in range(first, last + 1):
        one_seed(options, seed)


def one_seed(options, seed):
    with folder() as work:
        source, program = source_of(options, seed, work), Path(work) / 'program'
        must(compiler('CC') + ['-O1', '-Dalways_inline=unused', f'-I{options.include}', f'-I{ROOT / "tests"}', '-o',
                               program, *C11, source, '-lm', '-lpthread'])
        judge = [sys.executable, HERE / 'outside.py'] if options.which == 'outside' else []
        words = [*NAMED[options.which], options.title] if options.title and options.which in NAMED else []
        relay([*judge, program, *(words if not judge else [source])], options.which)


main()
