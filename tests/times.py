"""What tests cost, in CPU seconds. As a wrapper of `meson test` it runs a test, and says what that took:

times.py COMMAND ...

Elsewhere its functions tell what building the programs took, by Ninja's log, in seconds of a core; an object that
several tests share counts for the first of them.
"""

import json
import os
import re
import subprocess
import sys
from collections import namedtuple

COMMENT = re.compile(r'^# CPU seconds: ([\d.]+)$', re.MULTILINE)

Cost = namedtuple('Cost', 'name run build')


def run(command):
    """runs a test, and prints what it and all processes that it started took, as a comment of TAP"""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    print(f'# CPU seconds: {used.ru_utime + used.ru_stime:.2f}', flush=True)
    return os.waitstatus_to_exitcode(status) % 256


def built(build):
    """what Ninja has built: output, and when it began and ended, in milliseconds"""
    log = build / '.ninja_log'
    lines = log.read_text().splitlines()[1:] if log.exists() else []
    fields = [line.split('\t') for line in lines]
    return {row[3]: (int(row[0]), int(row[1])) for row in fields if len(row) > 3}


def of_targets(build, before):
    """seconds by the folder of a program's objects, of what has been built since"""
    seconds = {}
    for output, (first, end) in built(build).items():
        if before.get(output) != (first, end):
            place = output.split('.p/')[0]
            seconds[place] = seconds.get(place, 0) + (end - first) / 1000
    return seconds


def costs(build, tests, results, before):
    """of each test that ran, the costliest first"""
    programs = {target['id']: target['filename'][0].removeprefix(f'{build}/')
                for target in json.loads(subprocess.check_output(['meson', 'introspect', '--targets', build]))}
    seconds = of_targets(build, before)
    depends = {test['name']: test['depends'] for test in tests}
    found = []
    for result in results:
        name = re.split(' / | - cmk:', result['name'])[-1]  # as older and newer Meson has it
        said = COMMENT.search(result.get('stdout') or '')
        found.append(Cost(name, float(said.group(1)) if said else 0.0,
                          sum(seconds.pop(programs[target], 0) for target in depends.get(name, ())
                              if target in programs)))
    return sorted(found, key=lambda cost: -(cost.run + cost.build))


if __name__ == '__main__':
    sys.exit(run(sys.argv[1:]))
