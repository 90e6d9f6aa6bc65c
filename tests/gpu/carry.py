"""The suite gpu for a machine that does not build it: packed where it was built, run where the GPU is, checked or not.

usage: carry.py pack BUILD ARCHIVE [NAME ...]     BUILD is of meson setup BUILD -Dgpu_arch=sm_90, or another one
       carry.py run ARCHIVE [NAME ...] [--tool memcheck|racecheck] [--jobs N] [--seconds N] [--log FOLDER]

run needs python3 and a checkout of the same revision, this file's; of Meson, Ninja and nvcc nothing. NAME: only tests
with one of these texts in their names. --tool: the programs under compute-sanitizer, with few cases each. --seconds: a
test that takes longer is stopped, and counts as skipped. --log: the output of each test, a file each.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import PATH, ROOT, folder  # noqa: E402

FEWER = {'ranges': '2', 'integers': '2', 'lines': '2', 'volumes': '1', 'drawn': '4', 'peer': '20'}  # cases under a tool
LARGE = ('large', 'large_conv2d')  # gigabytes: they run alone, and not under a tool
LOOPS = ('until', 'until_nccl')  # of loops in graphs, at which compute-sanitizer fails


def chosen(rows, names):
    return [row for row in rows if not names or any(name in row[0] for name in names)]


# ---- Where it is built

def is_of_gpu(test):
    return any(suite.endswith(':gpu') for suite in test['suite']) and test['name'] != 'gpu counts, predicted'


def rows_of(build):
    """the tests of a build: name, words with places of the checkout and of the build named, whether it prints TAP"""
    tests = json.loads(subprocess.check_output(['meson', 'introspect', '--tests', build]))
    for test in filter(is_of_gpu, tests):
        words = [os.path.normpath(build / word) if '/' in word else word for word in test['cmd']]
        words = [word.replace(f'{build}/', '@BUILD@/').replace(f'{ROOT}/', '@ROOT@/') for word in words]
        if not words[0].startswith('@BUILD@'):
            words[0] = 'python3'
        programs = [word for word in words[1:] if word.startswith('@BUILD@')]
        if len(programs) > 1:  # so that they run side by side
            shared = [word for word in words if word not in programs]
            for program in programs:
                yield f'{test["name"]}, {Path(program).name}', shared + [program], test['protocol'] == 'tap'
        else:
            yield test['name'], words, test['protocol'] == 'tap'


def pack(options):
    build, archive = options.build.resolve(), options.archive.resolve()
    rows = chosen(rows_of(build), options.names)
    programs = sorted({word[len('@BUILD@/'):] for _, words, _ in rows for word in words if word.startswith('@BUILD@/')})
    if not programs:
        sys.exit(f'carry.py: {build} has no programs for a GPU: set it up with -Dgpu_arch')
    subprocess.run(['ninja', '-C', build, *programs], check=True)
    with folder() as work:
        for program in programs:
            target = Path(work) / program
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(['strip', '-o', target, build / program], check=True)
        (Path(work) / 'rows.json').write_text(json.dumps(
            {'place': os.path.relpath(build, ROOT), 'rows': rows}, indent=1))
        with tarfile.open(archive, 'w:xz', preset=3) as file:
            file.add(work, '.')
    print(f'{len(rows)} tests, {len(programs)} programs, {archive.stat().st_size >> 20} MiB: {archive}')


# ---- Where the GPU is

def checked(name, words, tool):
    """the words of a test under a tool; None: it is not for one"""
    if not words[0].startswith('@BUILD@') or name.split()[-1] in LARGE + LOOPS:
        return None
    few = next((count for text, count in FEWER.items() if text in name), None)
    words = [few if few and word.isdigit() else word for word in words]
    return ['compute-sanitizer', '--tool', tool, '--error-exitcode', '9', '--report-api-errors', 'no', *words]


def run_one(row, place, options):
    """name, counts of what passed, failed and was skipped, seconds, the first lines of what went wrong"""
    name, words, prints_tap = row
    start = time.monotonic()
    variables = {'PATH': PATH, **({'CMK_TEST_NO_LOOPS': '1'} if options.tool else {})}
    words = [word.replace('@BUILD@', str(place)).replace('@ROOT@', str(ROOT)) for word in words]
    try:
        done = subprocess.run(words, cwd=place, env={**os.environ, **variables}, encoding='utf-8', errors='replace',
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=options.seconds)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, output = None, (late.stdout or b'').decode(errors='replace')
    except OSError as error:
        status, output = 127, str(error)
    seconds = time.monotonic() - start
    if options.log:
        (options.log / (re.sub(r'\W+', '-', name) + '.txt')).write_text(output)
    lines = output.splitlines()
    wrong = [line for line in lines if line.startswith('not ok')]
    skipped = len([line for line in lines if re.match(r'(ok|1\.\.0)\b.*# SKIP', line)])
    passed = len([line for line in lines if re.match(r'ok\b(?!.*# SKIP)', line)])
    failed = len(wrong)
    if status is None:
        skipped += 1
        wrong.append(f'stopped after {options.seconds} s')
    elif options.tool and 'before first instrumented API call' in output:
        passed, skipped = 0, 1  # it has no call of CUDA to check
    elif not prints_tap and status == 0:
        passed = 1
    elif not wrong and (status != 0 or passed + skipped == 0):
        failed = 1
        wrong = [f'exit status {status}', *lines[-8:]]
    return name, passed, failed, skipped, seconds, wrong


def run(options):
    if options.tool and not shutil.which('compute-sanitizer', path=PATH):
        sys.exit('carry.py: no compute-sanitizer, of the CUDA toolkit')
    with tarfile.open(options.archive) as file:
        told = json.loads(file.extractfile('./rows.json').read())
        place = ROOT / told['place']  # where it was built: some programs look for their sources from there
        file.extractall(place)
    rows = chosen(told['rows'], options.names)
    if options.tool:
        rows = [(name, checked(name, words, options.tool), prints_tap) for name, words, prints_tap in rows]
        rows = [row for row in rows if row[1]]
    if options.log:
        options.log.mkdir(parents=True, exist_ok=True)
    totals = [0, 0, 0]
    beside, alone = ([row for row in rows if (row[0].split()[-1] in LARGE) == large] for large in (False, True))
    for batch, jobs in ((beside, options.jobs), (alone, 1)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            running = [pool.submit(run_one, row, place, options) for row in batch]
            for one in concurrent.futures.as_completed(running):
                name, *counts, seconds, wrong = one.result()
                totals = [a + b for a, b in zip(totals, counts)]
                print(f'{name:<36} {counts[0]:>5} {counts[1]:>3} {counts[2]:>3} {seconds:>7.1f} s', flush=True)
                for line in wrong[:12]:
                    print('    ' + line[:240], flush=True)
    print('{} programs: {} passed, {} failed, {} skipped'.format(len(rows), *totals))
    sys.exit(totals[1] > 0 or totals[0] == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    packing = commands.add_parser('pack')
    packing.add_argument('build', type=Path, metavar='BUILD')
    packing.add_argument('archive', type=Path, metavar='ARCHIVE')
    running = commands.add_parser('run')
    running.add_argument('archive', type=Path, metavar='ARCHIVE')
    running.add_argument('--tool', choices=['memcheck', 'racecheck'])
    running.add_argument('--jobs', type=int, default=4)
    running.add_argument('--seconds', type=int, default=600)
    running.add_argument('--log', type=Path, metavar='FOLDER')
    for command in (packing, running):
        command.add_argument('names', nargs='*', metavar='NAME')
    options = parser.parse_args()
    (pack if options.command == 'pack' else run)(options)


if __name__ == '__main__':
    main()
