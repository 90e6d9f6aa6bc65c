"""tests/programs.py tells the programs that agree from those that do not: a folder of such programs, written here."""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, arguments, compiler, folder, report, run  # noqa: E402

PROGRAM = r'''
#include <cstdio>
__global__ void twice(int *x)
{
    BODY
}
int main(int argc, char **argv)
{
    int *x, result = 21;
    cudaMalloc(&x, sizeof(int));
    cudaMemcpy(x, &result, sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, 1>>>(x);
    cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s: %d\n", argc > 1 ? argv[1] : "result", result);
    return result == 0;
}
'''
TWICE, REFUSAL = '*x *= 2;', 'result: 4[01]'
# name: the kernel's body, columns of the table that are not the usual ones, and how the line of TAP begins
PROGRAMS = {
    'right': (TWICE, {}, 'ok'),
    'argument': (TWICE, {'arguments': 'answer', 'expected': '^answer: 42$'}, 'ok'),
    'option': ('*x *= FACTOR;', {'options': '-DFACTOR=2'}, 'ok'),
    'header': ('*x *= FACTOR;', {'sources': 'more.cpp', 'options': '-Ifolder -DFACTOR=more()'}, 'ok'),
    'wrong': ('*x *= 3;', {}, 'not ok'),
    'status': ('*x *= 0;', {'expected': 'result'}, 'not ok'),
    'refused': (TWICE, {'refused': 'result: 4[12]'}, 'not ok'),
    'unbuilt': ('*x *= two;', {}, 'not ok'),
    'stopped': ('__syncwarp(6);', {'expected': ''}, 'not ok'),
    'incomplete': ('', {'incomplete': 'its data is elsewhere'}, 'ok'),
}
ENDLESS = {'endless': ('for (volatile int i = 1; i;) *x = 42;', {}, 'not ok')}
BUILT = {'wrong', 'status', 'refused', 'stopped'}  # of those that are not ok
USUAL = {'repository': 'someone/some', 'commit': '0123456789abcdef', 'sources': '', 'options': '', 'arguments': '',
         'expected': '^result: 42$', 'refused': REFUSAL, 'incomplete': '', 'note': ''}


def prepare(place, programs):
    home = place / 'someone' / 'some' / 'a folder'
    (home / 'folder').mkdir(parents=True)
    (home / 'more.cpp').write_text('int two()\n{\n    return 2;\n}\n', encoding='utf-8')
    (home / 'folder' / 'two.h').write_text('int two();\n#define more() 2\n', encoding='utf-8')
    with open(place / 'programs.csv', 'w', newline='', encoding='utf-8') as file:
        table = csv.DictWriter(file, ['path', *USUAL])
        table.writeheader()
        for name, (body, columns, _) in programs.items():
            include = '#include <two.h>\n' if name == 'header' else ''
            (home / f'{name}.cu').write_text(include + PROGRAM.replace('BODY', body), encoding='utf-8')
            table.writerow({**USUAL, 'path': f'a folder/{name}.cu', **columns})


def outcomes(place, *words):
    environment = {'CC': ' '.join(compiler('CC')), 'CXX': ' '.join(compiler('CXX')), 'CMK_PROGRAMS': str(place)}
    return run([sys.executable, ROOT / 'tests' / 'programs.py', *words], **environment)


def check_lines():
    with folder() as work:
        prepare(Path(work), PROGRAMS)
        output = outcomes(Path(work))[1]
    for number, (name, (_, _, begins)) in enumerate(PROGRAMS.items(), 1):
        if f'\n{begins} {number} - someone/some: a folder/{name}.cu' not in output:
            raise Failure(f'{name} is not {begins}:\n{output}')
    complete = [name for name in PROGRAMS if name != 'incomplete']
    agreed = sum(PROGRAMS[name][2] == 'ok' for name in complete)
    total = f'{len(PROGRAMS)} programs, {len(complete)} of them complete: {agreed + len(BUILT)} built, {agreed} agreed'
    if total not in output:
        raise Failure(f'not the totals "{total}":\n{output}')


def check_limit():
    with folder() as work:
        prepare(Path(work), ENDLESS)
        output = outcomes(Path(work), '--limit', '10')[1]
    if 'not ok 1' not in output or 'not done after 10.0 s' not in output:
        raise Failure(output)


def check_none():
    status, output = run([sys.executable, ROOT / 'tests' / 'programs.py'], CMK_PROGRAMS='')
    if status != 0 or not output.startswith('1..0 # SKIP'):
        raise Failure(output)


def check_table():
    with folder() as work:
        prepare(Path(work), PROGRAMS)
        table = Path(work) / 'programs.csv'
        table.write_text(table.read_text(encoding='utf-8').replace('arguments', 'words', 1), encoding='utf-8')
        status, output = outcomes(Path(work))
    if status == 0 or 'programs.csv:2: not of the columns' not in output:
        raise Failure(output)


CHECKS = {'lines': ('each program has its outcome', check_lines),
          'limit': ('a program that does not end is ended', check_limit),
          'none': ('without a folder all is skipped', check_none),
          'table': ('a table of other columns is refused', check_table)}

options = arguments(__doc__, CHECKS, 'check')
report([CHECKS[name] for name in options.which], options)
