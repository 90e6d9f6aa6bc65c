"""Checks that .clang-format holds in every source and header of the repository.

usage: format.py [--only TEXT]

clang-format differs from version to version: the check is that of version 14, and is skipped where there is another.
"""

import argparse
import functools
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, report, run  # noqa: E402

VERSION = 14
FOLDERS = ['include', 'tests', 'examples', 'docs', 'bench', 'python']
SUFFIXES = {'.h', '.inc', '.cu', '.c', '.cpp'}


@functools.lru_cache(maxsize=None)
def program():
    """clang-format of the right version, or a Skip"""
    names = [name for name in (f'clang-format-{VERSION}', 'clang-format') if shutil.which(name)]
    for name in names:
        if re.search(rf'version {VERSION}\.', run([name, '--version'])[1]):
            return name
    raise Skip(f'needs clang-format {VERSION}')


def check(path):
    status, output = run([program(), '--dry-run', '--Werror', path], cwd=ROOT)
    if status != 0:
        raise Failure(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', metavar='TEXT', help='only files with this text in their path')
    options = parser.parse_args()
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob('*'))
             if path.suffix in SUFFIXES and path.is_file()]
    report([(str(path.relative_to(ROOT)), lambda path=path: check(path)) for path in files], options)


if __name__ == '__main__':
    main()
