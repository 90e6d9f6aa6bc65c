"""tests/programs.py tells the programs that agree from those that do not: a folder of such programs, written here.

page: the list of public programs in docs/cuda-on-a-cpu.md is what programs.py writes of its table.
"""

import csv
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import programs as public  # noqa: E402
from harness import ROOT, Failure, arguments, compiler, folder, must, report, run  # noqa: E402

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
    table = ['--table', place / 'programs.csv']
    return run([sys.executable, ROOT / 'tests' / 'programs.py', *table, *words], **environment)


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
    if 'not ok 1' not in output or 'not done in 10 s of a processor' not in output:
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


def check_clones():
    """a shell gets the commit of the table, in place of the newest, from a repository that stands for a public one"""
    with folder() as work:
        there, here = Path(work) / 'there', Path(work) / 'a place'
        public = there / 'someone' / 'some.git'
        public.mkdir(parents=True)
        git = ['git', '-C', public, '-c', 'user.name=someone', '-c', 'user.email=someone@some']
        must([*git, 'init', '--quiet'])
        must([*git, 'config', 'uploadpack.allowFilter', 'true'])
        for text in ('old', 'new'):
            (public / 'text').write_text(text, encoding='utf-8')
            must([*git, 'add', 'text'])
            must([*git, 'commit', '--quiet', '-m', text])
        prepare(Path(work), {'right': (TWICE, {'commit': must([*git, 'rev-parse', 'HEAD~1']).strip()}, 'ok')})
        status, commands = run([sys.executable, ROOT / 'tests' / 'programs.py', here, '--clones',
                                '--table', Path(work) / 'programs.csv'])
        must(['sh', '-c', commands], GIT_CONFIG_COUNT='1', GIT_CONFIG_KEY_0=f'url.file://{there}/.insteadOf',
             GIT_CONFIG_VALUE_0='https://github.com/')
        if status != 0 or (here / 'someone' / 'some' / 'text').read_text(encoding='utf-8') != 'old':
            raise Failure(commands)


def check_page():
    listed = public.parts()[1]
    words = {}
    for repository, rows in re.findall(r'^### (.*)\n((?:(?!###).*\n)*)', listed, re.MULTILINE):
        for path, built, agreed in re.findall(r'^\| (.*?) \| (yes|no|-) \| (yes|no|-) \|', rows, re.MULTILINE):
            words[repository, path] = built == 'yes', agreed == 'yes'
    rows = public.table(public.TABLE)
    outcomes = [(row, *words.pop((row['repository'], row['path']), (False, False))) for row in rows]
    if words:
        raise Failure(f'listed, and not in {public.TABLE.name}: {sorted(words)}')
    made = public.markdown(outcomes, listed.splitlines()[0]).splitlines()
    for line, (is_there, should) in enumerate(zip(listed.splitlines(), made), 1):
        if is_there != should:
            raise Failure(f'line {line} of the list is\n{is_there}\nand not\n{should}')
    if len(made) != len(listed.splitlines()):
        raise Failure(f'{len(listed.splitlines())} lines are listed, and not {len(made)}')


CHECKS = {'lines': ('each program has its outcome', check_lines),
          'limit': ('a program that does not end is ended', check_limit),
          'none': ('without a folder all is skipped', check_none),
          'clones': ('what a shell is told gets the commits of the table', check_clones),
          'page': ('the list of public programs is of their table', check_page),
          'table': ('a table of other columns is refused', check_table)}

options = arguments(__doc__, CHECKS, 'check')
report([CHECKS[name] for name in options.which], options)
