"""The map is walked: gdb runs a program of each path of docs/architecture.md on the CPU backend. The functions of its
table must be arrived at in the order of the table.

usage: walk.py [PATH...] [--include DIR]

A path is a program of tests/docs/paths/. Needs gdb with Python; the checks are skipped where there is none.
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import C11, Failure, arguments, compiler, folder, must, program, report, run  # noqa: E402
from pages import part  # noqa: E402

# the table's mark in the page, by the program
PATHS = {'direct': 'stations of the direct way', 'march': 'stations: ', 'tensor': 'stations of tensor cores',
         'step2d': 'stations of a step in 2D', 'step3d': 'stations of a stencil', 'pass': 'stations of a pass',
         'exchange': 'stations of an exchange'}
ON_A_GPU = {'cmk_fill_async_'}  # instructions that the CPU backend has a copy for

# A function that a definition makes stands in one line, so that a breakpoint behind its prologue may never be passed.
# The functions of a .inc file have the type of sums in their name.
WALK = '''
import gdb
class Station(gdb.Breakpoint):
    def __init__(self, place, name):
        super().__init__(place)
        self.name = name
    def stop(self):
        if self.enabled:
            print('arrived', self.name, flush=True)
            self.enabled = False
        return False
def places(name):
    if not name.startswith('cmk_'):
        try:
            return ['*' + name] if gdb.parse_and_eval(name).type.code == gdb.TYPE_CODE_FUNC else []
        except gdb.error:
            pass
    return [name, name + 'float_']
gdb.execute('set pagination off')
for name in NAMES:
    for place in places(name):
        station = Station(place, name)
        if not station.pending:
            break
        station.delete()
gdb.execute('run')
'''


def arrivals(path, names, include):
    gdb = program('gdb')
    with folder() as temporary:
        built, script = Path(temporary) / 'walked', Path(temporary) / 'walk.py'
        must(compiler('CC') + ['-x', 'c'] + C11[2:] + ['-g', '-O0', f'-I{include}', '-o', built,
                                                       HERE / 'paths' / f'{path}.cu', '-lm', '-lpthread'])
        script.write_text(f'NAMES = {names}\n{WALK}')
        os.environ['CMK_HOST_CORES'] = '1'
        output = run([gdb, '-nx', '-batch', '-x', script, built])[1]
    if 'exited normally' not in output:
        raise Failure(output)
    return list(dict.fromkeys(re.findall(r'^arrived (\w+)$', output, re.MULTILINE)))


def check(path, include):
    names = re.findall(r'^\| `(\w+)` \|', part('docs/architecture.md', PATHS[path]), re.MULTILINE)
    wanted = [name for name in names if name not in ON_A_GPU]
    found = arrivals(path, wanted, include)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise Failure('never arrived at: ' + ', '.join(missing))
    if found != wanted:
        at = next(number for number, (is_, should) in enumerate(zip(found, wanted)) if is_ != should)
        raise Failure(f'after {wanted[at - 1]} comes {found[at]}, not {wanted[at]}; all: {" ".join(found)}')


def main():
    options = arguments(__doc__, PATHS, 'PATH')
    report([(f'docs/architecture.md: {PATHS[path].strip(": ")}, in the order that gdb sees',
             lambda path=path: check(path, options.include)) for path in options.which], options)


if __name__ == '__main__':
    main()
