"""CUDA programs of others on the CPU backend: builds and runs each by ./cmk run, and says which agree with their own
reference.

FOLDER, or CMK_PROGRAMS of the environment, holds the programs as OWNER/NAME/PATH. Nothing is fetched, and no program is
part of this repository: without a folder all is skipped. What fills one is

    python3 tests/programs.py FOLDER --clones | sh

by git. programs.csv beside this file is the table of them:

    repository  OWNER/NAME
    path        of the file with main, in the repository
    commit      the repository's
    sources     further files, from the program's folder, where it also runs
    options     of the compiler
    arguments   of the program
    expected    a regular expression that the output must match
    refused     one that it must not match
    incomplete  why the program cannot be built or run anywhere from what its repository holds: it is skipped
    note        what is known of the outcome, for the page

A program agrees when it ends with status 0 within the limit, prints what is expected and nothing that is refused. One
whose note tells of its own slip may end with status 3: it reads shared memory that nobody has written.
"""

import argparse
import csv
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from harness import ROOT, Failure, Skip, compiler, report, run

TABLE = ROOT / 'tests' / 'programs.csv'
PAGE = ROOT / 'docs' / 'cuda-on-a-cpu.md'
BEGIN, END = '<!-- programs -->\n', '<!-- end of programs -->\n'
COLUMNS = 'repository path commit sources options arguments expected refused incomplete note'.split()
UNBUILT = re.compile(r'^cmk: run: ', re.MULTILINE)


def table(path):
    if not path.is_file():
        sys.exit(f'{path} is not there: it is the table of the programs')
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, 2):
        wrong = set(row) ^ set(COLUMNS)
        if wrong or None in row.values():
            sys.exit(f'{path}:{number}: not of the columns {" ".join(COLUMNS)}')
    return rows


def clones(rows, folder):
    """what a shell is told, to get the repositories of the table at their commits"""
    for repository, commit in dict.fromkeys((row['repository'], row['commit']) for row in rows):
        place = shlex.quote(str(folder / repository))
        yield (f'git clone --filter=blob:none --no-checkout https://github.com/{repository}.git {place} && '
               f'git -C {place} checkout --quiet --detach {commit}')


def started(command, place, limit):
    """Exit status and output. What is not done within the limit, of seconds that a processor is busy with it, is ended
    with all that it started; so is what waits ten times as long."""
    words = ['sh', '-c', f'ulimit -c 0; ulimit -S -t {limit}; exec "$@"', 'sh', *command]
    process = subprocess.Popen(words, cwd=place, env={**os.environ, 'LC_ALL': 'C'}, encoding='utf-8',
                               errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = process.communicate(timeout=10 * limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    return None if process.returncode == -signal.SIGXCPU else process.returncode, output


def outcome(row, folder, limit):
    """whether the program was built, whether it agreed, and why not"""
    if row['incomplete']:
        return False, False, row['incomplete']
    path = folder / row['repository'] / row['path']
    if not path.is_file():
        return False, False, f'{path} is not there'
    command = [ROOT / 'cmk', 'run', *shlex.split(row['options']), path.name, *shlex.split(row['sources']),
               '--', *shlex.split(row['arguments'])]
    status, output = started(command, path.parent, limit)
    if UNBUILT.search(output):
        return False, False, output
    if status is None:
        return True, False, output[-2000:] + f'\nnot done in {limit} s of a processor'
    if status != 0 and not (status == 3 and row['note'].startswith('its own slip')):
        return True, False, output[-4000:] + f'\nexit status {status}'
    if not re.search(row['expected'], output, re.MULTILINE):
        return True, False, output[-4000:] + f'\nno text of {row["expected"]}'
    refused = row['refused'] and re.search(row['refused'], output, re.MULTILINE)
    if refused:
        return True, False, output[-4000:] + f'\nthe text {refused.group()}'
    return True, True, ''


def check(row, folder, limit, outcomes):
    def judge():
        built, agreed, why = outcome(row, folder, limit)
        outcomes.append((row, built, agreed))
        if row['incomplete']:
            raise Skip(row['incomplete'])
        if not agreed:
            raise Failure('\n'.join(why.strip().splitlines()[-20:]))
    return f'{row["repository"]}: {row["path"]}', judge


def totals(outcomes):
    complete = [outcome for outcome in outcomes if not outcome[0]['incomplete']]
    built = sum(built for _, built, _ in complete)
    agreed = sum(agreed for _, _, agreed in complete)
    return (f'{len(outcomes)} programs, {len(complete)} of them complete: {built} built, {agreed} agreed with their '
            f'own reference ({100 * agreed // max(len(complete), 1)} %).')


def commit():
    """that of this repository, where nothing is changed"""
    status, output = run(['git', '-C', ROOT, 'status', '--porcelain'])
    if status != 0 or output:
        return None
    return run(['git', '-C', ROOT, 'rev-parse', '--short=12', 'HEAD'])[1].strip()


def origin(limit):
    """of what the outcomes are"""
    words = compiler('CXX')
    version = re.search(r'\d+\.\d+\.\d+', run([*words, '--version'])[1]).group()
    return f'One run of commit `{commit()}`; {Path(words[0]).name} {version}; {limit} s of a processor each.'


def markdown(outcomes, origin):
    lines = [origin, '', totals(outcomes)]
    last = None
    for row, built, agreed in outcomes:
        if row['repository'] != last:
            last = row['repository']
            lines += ['', f'### {last}', '', f'At commit `{row["commit"][:12]}`.', '',
                      '| program | built | agreed | note |', '| --- | --- | --- | --- |']
        words = ['-', '-'] if row['incomplete'] else ['yes' if fact else 'no' for fact in (built, agreed)]
        lines.append(f'| {row["path"]} | {words[0]} | {words[1]} | {row["incomplete"] or row["note"]} |')
    return '\n'.join(lines) + '\n'


def parts():
    """the page before the list, the list, and the page behind it"""
    before, rest = PAGE.read_text(encoding='utf-8').split(BEGIN)
    return before, *rest.split(END)


def write(outcomes, origin):
    before, _, after = parts()
    PAGE.write_text(before + BEGIN + markdown(outcomes, origin) + END + after, encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description='CUDA programs of others on the CPU backend')
    parser.add_argument('folder', nargs='?', default=os.environ.get('CMK_PROGRAMS'))
    parser.add_argument('--table', type=Path, default=TABLE, metavar='FILE', help='of the programs: programs.csv')
    parser.add_argument('--clones', action='store_true', help='only say how to get the programs, to a shell')
    parser.add_argument('--only', default='', metavar='TEXT', help='only programs with this text in their name')
    parser.add_argument('--limit', type=int, default=300, metavar='SECONDS', help='of a processor, for one')
    parser.add_argument('--write', action='store_true', help=f'write the outcomes of all into {PAGE.name}')
    options = parser.parse_args()
    if options.write and options.only:
        parser.error('--write needs the outcomes of all')
    if options.write and not commit():
        parser.error('--write needs a commit without changes: the page names it')
    if not options.folder:
        print('1..0 # SKIP no folder of CUDA programs of others: CMK_PROGRAMS names it')
        return
    folder = Path(options.folder).resolve()
    rows = table(options.table)
    if options.clones:
        print('\n'.join(clones(rows, folder)))
        return
    outcomes = []
    report([check(row, folder, options.limit, outcomes) for row in rows], options)
    print('# ' + totals(outcomes))
    if options.write:
        write(outcomes, origin(options.limit))


if __name__ == '__main__':
    main()
