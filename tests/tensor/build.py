"""Builds a program of this folder on given headers, by cc for the CPU, and runs it: for defects planted in them.

usage: build.py ranges|scales|lines|in_order|integers|volumes|dense [--only NAME] --include DIR

--only: of ranges, the definitions that have this in their name
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import C11, ROOT, compiler, folder, must, relay  # noqa: E402

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('which', choices=['ranges', 'scales', 'lines', 'in_order', 'integers', 'volumes', 'dense'])
    parser.add_argument('--include', type=Path, default=ROOT / 'include')
    parser.add_argument('--only')
    options = parser.parse_args()
    with folder() as work:
        program = Path(work) / 'program'
        must(compiler('CC') + ['-O1', '-Dalways_inline=unused', f'-I{options.include}', f'-I{ROOT / "tests"}', '-o',
                               program, *C11, HERE / f'{options.which}.cu', '-lm', '-lpthread'])
        cases = {'ranges': ['60', options.only] if options.only else ['24'], 'dense': ['2']}.get(options.which, [])
        relay([program, *cases], options.which)


main()
