"""Finds by trying how many steps a pass of name_steps should have, and blocks of an SM, and writes a header of it.

usage: tune.py CARD --arch=ARCH [--again] [--most STEPS] [-o HEADER] FILE [-- ARGS]

FILE is a whole program. nvcc, with the words ARCH, compiles it once for each alternative, with numbers that all its
stencils then have (CMK_TUNE_STEPS, CMK_TUNE_BLOCKS: kernel/point/measure.h), and it is run with ARGS, three times. What
was measured is kept in build/tune, by the texts of FILE and of cmk, ARGS, nvcc, ARCH and the card, so that a run that
was interrupted goes on. The numbers that each definition was fastest with are written to HEADER; the default is beside
FILE.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).absolute().parent.parent
MADE = '/* Made by ./cmk tune'
BLOCKS = (2, 3, 4)  # of an SM; of those by which a thread has as many registers as its levels have words
REGISTERS, THREADS = 65536, 128  # of an SM; of a block of a pass
RUNS = 3
AS_GOOD = 1.01  # a model that is by so much slower, or less, is kept
MODEL = (0, 0)

# what a definition was and took in one alternative: time is ns a point and step
Found = namedtuple('Found', 'steps blocks most words passes time')
LINE = re.compile(r'(\w+) (\d+) (\d+) (\d+) (\d+) (\d+) \d+ (\d+) (\d+\.\d+)')


class Refused(Exception):
    pass


def say(*words, end='\n'):
    print(*words, end=end, file=sys.stderr, flush=True)


# ---- What a program reports

def read_report(text):
    """{definition: Found} of all its calls"""
    sums = {}
    for line in text.splitlines():
        told = LINE.fullmatch(line)
        if told is None:
            raise Refused(f'a line of the report is broken: {line}')
        name, *constants, passes, points, milliseconds = told.groups()
        constants = tuple(map(int, constants))
        before = sums.setdefault(name, (constants, 0, 0.0, 0.0))
        if before[0] != constants:
            raise Refused(f'{name} is two definitions: give one another name')
        sums[name] = (constants, before[1] + int(passes), before[2] + float(points), before[3] + float(milliseconds))
    return {name: Found(*constants, passes, 1e6 * milliseconds / points)
            for name, (constants, passes, points, milliseconds) in sums.items() if points > 0}


def least(runs):
    """of the runs of one program, that in which a definition took the least time"""
    return {name: min((run[name] for run in runs if name in run), key=lambda found: found.time)
            for name in dict.fromkeys(name for run in runs for name in run)}


def place_of(found):
    return found.steps, found.blocks if found.steps > 1 else 0


def words_of(steps, blocks):
    return f'{steps} steps, {blocks} blocks of an SM' if steps > 1 else '1 step'


# ---- What has been measured before

def own_texts(path, left_out, seen):
    """the texts of a file and of what it includes from its own folder; the header that is to be written is none"""
    path = path.resolve()
    if path in seen or path == left_out or not path.is_file():
        return
    seen[path] = path.read_bytes()
    for name in re.findall(rb'^\s*#\s*include\s*"([^"\n]+)"', seen[path], re.MULTILINE):
        own_texts(path.parent / os.fsdecode(name), left_out, seen)


def key_of(options, compiler):
    texts = {}
    own_texts(options.file, options.header, texts)
    for path in sorted((ROOT / 'include' / 'cmk').rglob('*')):
        if path.is_file():
            texts[path] = path.read_bytes()
    flags = [os.environ.get(name, '') for name in ('NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS')]
    words = [options.card, options.arch, compiler, *flags, *options.args]
    parts = [text for word in words for text in (os.fsencode(word), b'\0')] + list(texts.values())
    return f'{options.file.stem}-{hashlib.sha256(b"".join(parts)).hexdigest()[:16]}'


class Known:
    """{(steps, blocks): {definition: Found}}, and a file of it, a line for each: one that is torn counts as none"""

    def __init__(self, folder, again):
        self.path, self.found = folder / 'measured', {}
        if again:
            self.path.unlink(missing_ok=True)
        text = self.path.read_text(encoding='utf-8') if self.path.is_file() else ''
        whole = text[:text.rfind('\n') + 1]
        for line in whole.splitlines():
            steps, blocks, found = json.loads(line)
            self.found[steps, blocks] = {name: Found(*values) for name, values in found.items()}
        if whole != text:
            self.path.write_text(whole, encoding='utf-8')

    def add(self, choice, found):
        self.found[choice] = found
        with open(self.path, 'a', encoding='utf-8') as file:
            file.write(json.dumps([*choice, found]) + '\n')


# ---- Alternatives

def alternatives(model, most):
    """those that one definition can have, or several; not the numbers of the model for all of them. A definition with
    one block has no other number of them: it is 3D"""
    chosen = []
    for steps in range(1, min(most, max(found.most for found in model.values())) + 1):
        can = [found for found in model.values() if steps <= found.most]
        for blocks in BLOCKS if steps > 1 else (0,):
            free = [found for found in can if steps > 1 and found.blocks in BLOCKS]
            room = any(blocks * THREADS * steps * found.words <= REGISTERS for found in free)
            other = any(found.steps != steps for found in can) or any(found.blocks != blocks for found in free)
            if (room or blocks <= BLOCKS[0]) and other:
                chosen.append((steps, blocks))
    return chosen


def measure(options, folder, choice):
    """{definition: Found}; a text where the program does not compile or run"""
    program, report, said = (folder / name for name in ('program', 'report', 'output'))
    command = ['nvcc', '-O3', *options.arch.split(), f'-I{ROOT / "include"}', f'-DCMK_TUNE_STEPS={choice[0]}',
               f'-DCMK_TUNE_BLOCKS={choice[1]}', '-o', str(program), '-x', 'cu', str(options.file)]
    environment = {**os.environ, 'CMK_TUNE_REPORT': str(report), 'CUDA_MODULE_LOADING': 'EAGER'}
    runs = []
    with open(said, 'wb') as output:
        streams = {'stdin': subprocess.DEVNULL, 'stdout': output, 'stderr': subprocess.STDOUT}
        if subprocess.run(command, **streams).returncode != 0:
            return 'does not compile'
        for _ in range(RUNS):
            report.unlink(missing_ok=True)
            status = subprocess.run([str(program), *options.args], env=environment, **streams).returncode
            if status != 0:
                return f'ends with status {status}'
            runs.append(read_report(report.read_text(encoding='utf-8')) if report.is_file() else {})
    return least(runs)


def measure_model(options, folder, known):
    if MODEL not in known.found:
        say(f'building {options.file} with nvcc, as it is; what nvcc and it say is in {folder}/output')
        found = measure(options, folder, MODEL)
        if isinstance(found, str):
            say((folder / 'output').read_text(encoding='utf-8', errors='replace')[-4000:], end='')
            raise Refused(f'{options.file} {found}: see above')
        if not found:
            raise Refused(f'{options.file} has called no name_steps that did a step, but of lines')
        known.add(MODEL, found)
    model = known.found[MODEL]
    for name, found in model.items():
        say(f'{name}: by the model {words_of(*place_of(found))}, {found.time:.5f} ns a point and step')
    return model


def measure_all(options, folder, known):
    """what failed: {(steps, blocks): text}"""
    chosen, failed = alternatives(measure_model(options, folder, known), options.most), {}
    for number, choice in enumerate(chosen, 1):
        text = f'{number} of {len(chosen)}: {words_of(*choice)}'
        if choice in known.found:
            say(text + ': known')
            continue
        say(text, end='')
        try:
            found = measure(options, folder, choice)
        except BaseException:
            say()
            raise
        if isinstance(found, str):
            failed[choice] = found
            say(f': {found}')
            continue
        known.add(choice, found)
        say(''.join(f'; {name} {found[name].time:.5f} ns' for name in found if found[name].steps == choice[0]))
    return failed


# ---- What comes of it

def records(known, name, most):
    """those of a definition, by steps and blocks: a number that it cannot have is that of another alternative"""
    found = {}
    for choice, each in known.items():
        if name in each and (choice == MODEL or choice[0] == each[name].steps <= most):
            place = place_of(each[name])
            found[place] = min(found.get(place, each[name]), each[name], key=lambda record: record.time)
    return found


def choose(model, found):
    """the fastest, or the model's numbers; None where no pass was made"""
    if not any(record.passes > 0 for record in found.values()):
        return None
    fastest = min(found, key=lambda place: found[place].time)
    own = place_of(model)
    return own if found[own].time <= AS_GOOD * found[fastest].time else fastest


def table(definitions):
    rows = [('definition', 'steps', 'blocks', 'ns a point and step', '')]
    for name, (model, found, chosen) in definitions.items():
        for place in sorted(found):
            own = place == place_of(model)
            notes = ['model'] * own + ['taken'] * (place == chosen) + ['no pass'] * (not found[place].passes)
            rows.append((name, str(place[0]), str(place[1] or '-'), f'{found[place].time:.5f}', ', '.join(notes)))
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [row[0].ljust(wide[0]), *(row[column].rjust(wide[column]) for column in (1, 2, 3)), row[4]]
        print('  '.join(cells).rstrip())


def header_of(options, definitions):
    lines = [f'{MADE} from {options.file.name}, on {options.card}: include it before the definitions. Steps of a pass,',
             ' * blocks of an SM, what a step takes for each point; the same with the numbers of the model. */']
    for name, (model, found, chosen) in definitions.items():
        if chosen is not None:
            own = found[place_of(model)]
            lines.append(f'#define CMK_TUNED_{name} ({chosen[0]}, {chosen[1]}) /* {found[chosen].time:.5f} ns; '
                         f'{words_of(*place_of(model))}: {own.time:.5f} ns */')
    return '\n'.join(lines) + '\n'


# ---- The header: written whole or not at all, and over nothing that is not of this script

def check_header(path):
    if path.is_dir() or (path.exists() and not path.read_bytes().startswith(MADE.encode())):
        raise Refused(f'{path} is not of ./cmk tune, and stays as it is: name another header by -o')
    if not os.access(path.parent, os.W_OK):
        raise Refused(f'{path.parent}: no such folder, or it cannot be written')


def write_header(path, text):
    check_header(path)
    beside = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        with open(beside, 'x', encoding='utf-8') as file:
            file.write(text)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def words():
    given = sys.argv[1:]
    own = given[:given.index('--')] if '--' in given else given
    parser = argparse.ArgumentParser(prog='./cmk tune', allow_abbrev=False, usage='./cmk tune [--again] [--most STEPS] '
                                     '[-o HEADER] FILE [-- ARGS]')
    parser.add_argument('card', help=argparse.SUPPRESS)
    parser.add_argument('--arch', required=True, help=argparse.SUPPRESS)
    parser.add_argument('file', type=Path, metavar='FILE', help='a program in CUDA')
    parser.add_argument('--again', action='store_true', help='forget what was measured')
    parser.add_argument('--most', type=int, default=16, metavar='STEPS', help='try no more steps of a pass')
    parser.add_argument('-o', dest='header', type=Path, metavar='HEADER', help='what is written: FILE_tuned.h')
    options = parser.parse_args(own)
    options.args = given[len(own) + 1:]
    if options.most < 1:
        parser.error('--most: at least 1 step')
    if not options.file.is_file() or not os.access(options.file, os.R_OK):
        raise Refused(f'{options.file}: no such file, or it cannot be read')
    options.file = options.file.absolute()
    options.header = (options.header or options.file.with_name(options.file.stem + '_tuned.h')).resolve()
    check_header(options.header)
    return options


def tune():
    options = words()
    compiler = subprocess.run(['nvcc', '--version'], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
    folder = ROOT / 'build' / 'tune' / key_of(options, compiler)
    folder.mkdir(parents=True, exist_ok=True)
    known = Known(folder, options.again)
    failed = measure_all(options, folder, known)
    definitions = {}
    for name, model in known.found[MODEL].items():
        found = records(known.found, name, options.most)
        definitions[name] = (model, found, choose(model, found))
    table(definitions)
    for choice, why in failed.items():
        print(f'with {words_of(*choice)}, the program {why}')
    for name, (_, _, chosen) in definitions.items():
        if chosen is None:
            say(f'{name}: no pass of several steps was made: kernel/stencil2d.h says what it needs')
    (folder / 'program').unlink(missing_ok=True)
    if all(chosen is None for _, _, chosen in definitions.values()):
        raise Refused('there is nothing to choose, and no header')
    write_header(options.header, header_of(options, definitions))
    say(f'header: {options.header}: #include it before the definitions')


def main():
    try:
        tune()
    except (Refused, OSError) as why:
        sys.exit(f'cmk: tune: {why}')
    except KeyboardInterrupt:
        say('cmk: tune: interrupted; what was measured is kept, and the same command goes on')
        sys.exit(130)


if __name__ == '__main__':
    main()
