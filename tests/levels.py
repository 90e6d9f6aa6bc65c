"""Runs the tests of a level by Meson, says what they cost, and counts their results in the last line.

levels.py BUILD quick           what an edit needs, in a few minutes
levels.py BUILD all             these, those of the suite long, and an eighth of those of the suite deep: before a push
levels.py BUILD deep            every test: before a release
levels.py BUILD SUITE ...       all tests of these suites

--times     the costs of all tests, not only of the costliest ones

The eighth is chosen by the number of commits, so that eight commits in a row see everything, or by CMK_TEST_EIGHTH, 1
to 8. Tests are dealt out whole, by their priority, which is about the CPU seconds that they take; but a test of the
suite dealt deals out its own checks (harness.py).
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
import times  # noqa: E402

EIGHTHS = 8
LEVELS = ('quick', 'all', 'deep')
COSTLIEST = 10
BUILD = 8  # CPU seconds that a program takes at least


def suites_of(test):
    return {suite.split(':')[-1] for suite in test['suite']}


def eighth():
    """0 to 7"""
    chosen = os.environ.get('CMK_TEST_EIGHTH')
    if chosen:
        if chosen not in map(str, range(1, EIGHTHS + 1)):
            sys.exit(f'cmk: CMK_TEST_EIGHTH is 1 to {EIGHTHS}, not {chosen}')
        return int(chosen) - 1
    counted = subprocess.run(['git', 'rev-list', '--count', 'HEAD'], cwd=TESTS, capture_output=True, text=True)
    return int(counted.stdout) % EIGHTHS if counted.returncode == 0 else 0


def dealt(tests, part):
    """those of an eighth: the costliest first, each to the eighth that has the least to do"""
    eighths, loads = [[] for _ in range(EIGHTHS)], [0] * EIGHTHS
    for test in sorted(tests, key=lambda test: (-test['priority'], test['name'])):
        least = loads.index(min(loads))
        eighths[least].append(test)
        loads[least] += max(test['priority'], BUILD)
    return eighths[part]


def chosen(tests, words, part):
    """the tests of a level, or of suites, and what is said of those that are left out"""
    if words == ['deep']:
        return tests, 'deep: all tests'
    if words == ['quick']:
        few = [test for test in tests if not suites_of(test) & {'long', 'deep'}]
        return few, f'quick: {len(few)} of {len(tests)} tests; ./cmk test all runs more, ./cmk test deep all of them'
    if words == ['all']:
        always = [test for test in tests if 'deep' not in suites_of(test)]
        own = [test for test in tests if 'dealt' in suites_of(test)]
        deep = [test for test in tests if 'deep' in suites_of(test) and test not in own]
        mine = dealt(deep, part)
        return always + own + mine, (
            f'all: {len(always)} tests, and of what is only in deep eighth {part + 1} of {EIGHTHS}: {len(mine)} of '
            f'{len(deep)} tests, and the checks of {len(own)} others (by the number of commits, or CMK_TEST_EIGHTH)')
    return [test for test in tests if suites_of(test) & set(words)], 'suites: ' + ' '.join(words)


def counts(results):
    passed = sum(result['result'] in ('OK', 'EXPECTEDFAIL') for result in results)
    skipped = sum(result['result'] == 'SKIP' for result in results)
    return passed, len(results) - passed - skipped, skipped


def show_costs(costs, every):
    print('\nCPU seconds   run   build' + '    (of all tests: --times)' * (not every))
    for cost in costs if every else costs[:COSTLIEST]:
        print(f'{cost.run + cost.build:11.1f}{cost.run:6.1f}{cost.build:8.1f}    {cost.name}')
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{sum(cost.run for cost in costs):.0f} in tests, {sum(cost.build for cost in costs):.0f} in their programs, '
          f'{used.ru_utime + used.ru_stime:.0f} in all')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=Path)
    parser.add_argument('words', nargs='*', default=['quick'])
    parser.add_argument('--times', action='store_true')
    options = parser.parse_args()
    build, part = options.build.resolve(), eighth() if options.words == ['all'] else 0
    tests = json.loads(subprocess.check_output(['meson', 'introspect', '--tests', build]))
    few, said = chosen(tests, options.words, part)
    if not few:
        sys.exit(f'cmk: no test is of {" ".join(options.words)}')
    print(said, flush=True)
    log, before = build / f'meson-logs/testlog-{Path(sys.executable).name}.json', times.built(build)
    log.unlink(missing_ok=True)
    if options.words == ['all']:
        os.environ['CMK_TEST_PART'] = f'{part}/{EIGHTHS}'
    status = subprocess.run(['meson', 'test', '-C', build, '--print-errorlogs', '--setup', 'all',
                             '--wrapper', f'{sys.executable} {TESTS / "times.py"}',
                             *[f'cmk:{test["name"]}' for test in few]]).returncode
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not results:
        sys.exit('cmk: no test ran')
    show_costs(times.costs(build, few, results, before), options.times)
    print(said)
    passed, failed, skipped = counts(results)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    sys.exit(1 if status or failed or not passed else 0)


if __name__ == '__main__':
    main()
