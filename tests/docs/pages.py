"""The pages of the project: their code compiles, their links and names exist, their figures stand in records.

Pages that other suites make are not read here: docs/finding-bugs.md (tests/backend/finding.py), docs/errors.md
(tests/misuse). The README's first program is built and run by tests/consumers.
"""

import re
import runpy
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, arguments, compile_command, compiler, folder, report, run  # noqa: E402

FIGURES = 'bench/results/README.md'
MADE = {'docs/finding-bugs.md', 'docs/errors.md'}
PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', FIGURES,
         *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / 'docs').rglob('*.md'))]
READ = [page for page in PAGES if page not in MADE]


def text_of(page):
    return (ROOT / page).read_text(encoding='utf-8')


def headers(include):
    return {path: path.read_text(encoding='utf-8') for path in (include / 'cmk').rglob('*')
            if path.suffix in ('.h', '.inc')}


def prose(page):
    """a page without its blocks of code"""
    return re.sub(r'```.*?```', '', text_of(page), flags=re.DOTALL)


def part(page, begin):
    """what stands between a comment that begins so and the next comment"""
    found = re.search(rf'<!-- {begin}.*?-->\n(.*?)<!-- ', text_of(page), re.DOTALL)
    if found is None:
        raise Failure(f'{page} has no part: {begin}')
    return found.group(1)


def require(missing, what):
    if missing:
        raise Failure(f'{what}: ' + ', '.join(missing))


# ---- C blocks

def compiles(mode, include, block):
    with folder() as work:
        source = Path(work) / 'block.cu'
        source.write_text(block, encoding='utf-8')
        syntax = ['-o', Path(work) / 'block.o', '-c'] if mode == 'cuda' else ['-fsyntax-only']
        status, output = run(compile_command(mode, include) + [*syntax, source])
    if status != 0:
        raise Failure(output)


def code(include):
    for page in READ:
        for number, block in enumerate(re.findall(r'```c\n(.*?)```', text_of(page), re.DOTALL), 1):
            for mode in ('c', 'c++', 'cuda'):
                yield (f'{page}, block {number} of C: compiles, {mode}',
                       lambda mode=mode, block=block: compiles(mode, include, block))


# ---- links, names of files, verbs of ./cmk

def anchors(path):
    """of the headings, as GitHub makes them"""
    headings = re.findall(r'^#+ (.+)$', path.read_text(encoding='utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


def within(include, path):
    """the path, in the headers that are tested"""
    path = path.resolve()
    own = (ROOT / 'include').resolve()
    return include / path.relative_to(own) if path.is_relative_to(own) else path


def check_links(page, include):
    missing = []
    for link in re.findall(r'\]\(([^)]+)\)', prose(page)):
        name, _, anchor = link.partition('#')
        target = within(include, (ROOT / page).parent / name if name else ROOT / page)
        if '://' in link:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    require(missing, 'no such file or heading')


FOLDERS = 'include|host|kernel|tests|docs|examples|bench|cmake|packaging|python|\\.ci'


def check_files(page, include):
    """paths in backquotes; headers may be named from include/cmk"""
    missing = []
    for word in re.findall(r'`([^`\s]+)`', prose(page)):
        path = re.fullmatch(rf'(?:\./)?((?:{FOLDERS})/[\w./-]*)', word)
        places = (ROOT, (ROOT / page).parent, ROOT / 'include' / 'cmk')
        if path and not any(within(include, place / path.group(1)).exists() for place in places):
            missing.append(word)
    require(missing, 'no such file')


def check_names(page, include):
    """names of cmk, but for those that stand for a kind: CMK_X, CMK_DEFINE_X"""
    known = ''.join(headers(include).values()) + text_of('cmk')
    names = dict.fromkeys(re.findall(r'\b(?:CMK_[A-Z0-9_]+|cmk_[a-z0-9_]+)\b', prose(page)))
    require([name for name in names if name != 'CMK_X' and not re.search('_[Xx]$|_dep$', name)
             and not re.search(rf'\b{name}\b', known)], 'not in the headers')


def check_verbs(page):
    script = text_of('cmk')
    verbs = re.findall(r'\./cmk ([a-z]+)', text_of(page))
    require([verb for verb in dict.fromkeys(verbs) if not re.search(rf'^{verb}\)', script, re.MULTILINE)],
            './cmk has no verb')


def check_lines(page):
    """outside of tables and blocks; a picture is a line of its own"""
    require([line for line in prose(page).splitlines() if len(line) > 120 and line[0] not in '|!'], 'too long')


def differ(page, named, present):
    require(sorted(named - present), f'{page} names what is not there')
    require(sorted(present - named), f'{page} does not name')


def check_map(include):
    """parts and faces; host/ has a row of its own"""
    faces = [path for path in (include / 'cmk' / 'kernel').glob('*.h')
             if '#define CMK_DEFINE_' in path.read_text(encoding='utf-8')]
    parts = [path for path in (include / 'cmk').glob('*.h') if path.name != 'cmk.h']
    named = re.findall(r'^\| \[[\w/.]+\]\(include/cmk/([\w/.]+)\)', text_of('README.md'), re.MULTILINE)
    differ('README.md', set(named) - {'host/host.h'},
           {path.relative_to(include / 'cmk').as_posix() for path in faces + parts})


def check_examples():
    named = re.findall(r'^\| \[(\w+\.cu)\]', text_of('docs/examples.md'), re.MULTILINE)
    differ('docs/examples.md', set(named), {path.name for path in (ROOT / 'examples').glob('*.cu')})


def links(include):
    yield 'README.md: its map of headers is whole', lambda: check_map(include)
    yield 'docs/examples.md: names each example', check_examples
    for page in READ:
        yield f'{page}: its links exist', lambda page=page: check_links(page, include)
        yield f'{page}: the files that it names exist', lambda page=page: check_files(page, include)
        yield f'{page}: the names of cmk that it says exist', lambda page=page: check_names(page, include)
        yield f'{page}: ./cmk has the verbs that it names', lambda page=page: check_verbs(page)
        yield f'{page}: lines of at most 120 columns', lambda page=page: check_lines(page)
    for page in sorted(MADE & set(PAGES)):
        yield f'{page}: its links exist', lambda page=page: check_links(page, include)


# ---- docs/architecture.md: its stations are functions; drawings are those that their scripts make

def is_defined(name, texts):
    return any(re.search(rf'^[\w *(),]*\b{name}\([^;]*?\)\n?\s*\{{', text, re.MULTILINE) for text in texts)


def check_stations(include, begin, made):
    """made: the definition of the path, whose macro pastes the rest of the names of what it makes"""
    texts = headers(include)
    rows = re.findall(r'^\| `(\w+)` \| (?:\[[^\]]*\]\(\.\./include/(\S+)\))? ?\|',
                      part('docs/architecture.md', begin), re.MULTILINE)
    missing, place = [], None
    for name, path in rows:
        place = include / path if path else place
        if name.startswith(made):
            pasted = 'name##' + name[len(made):] if name != made else ' name('
            if pasted not in texts.get(place, '') and not any(pasted in text for text in texts.values()):
                missing.append(name)
        elif place not in texts or not is_defined(name, [texts[place]]):
            missing.append(f'{name} in {place}')
    require(missing, 'not defined')
    if len(rows) < 12:
        raise Failure(f'only {len(rows)} stations')


def check_drawing(name):
    drawn = runpy.run_path(str(ROOT / 'docs' / f'{name}.py'))['drawing']()
    if drawn != text_of(f'docs/{name}.svg'):
        raise Failure(f'docs/{name}.py draws another')


def architecture(include):
    for begin, made in (('stations: ', 'blur'), ('stations of the direct way', 'blur'), ('stations of tensor', 'blur'),
                        ('stations of a stencil', 'heat'), ('stations of a step in 2D', 'heat'),
                        ('stations of a pass', 'heat'), ('stations of an exchange', 'exchanges')):
        yield (f'docs/architecture.md: each of the {begin.strip(": ")} of {made} is defined where the page says',
               lambda begin=begin, made=made: check_stations(include, begin, made))
    for name in ('architecture', 'steps'):
        yield f'docs/{name}.svg: as its script draws it', lambda name=name: check_drawing(name)


# ---- docs/without-a-gpu.md: what of CUDA there is, and what is not

def undeclared(names, include, header='cmk/cmk.h'):
    """which of the names a program that includes a header cannot use, being no macros either"""
    lines = [f'#include <{header}>']
    for number, name in enumerate(names):
        lines += [f'#ifndef {name}', f'int probe{number}(void) {{ return (int)sizeof({name}); }}', '#endif']
    with folder() as work:
        source = Path(work) / 'probe.c'
        source.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        output = run(compiler('CC') + ['-std=c11', '-fsyntax-only', f'-I{include}', source])[1]
    found = re.findall(r"error: \W*(\w+)\W* undeclared|error: use of undeclared identifier '(\w+)'", output)
    if len(found) != output.count('error: '):
        raise Failure(output)
    return {first or second for first, second in found}


def names_of(begin, page='docs/without-a-gpu.md'):
    return re.findall(r'`(\w+)`', part(page, begin))


def check_there(include):
    require(sorted(undeclared(names_of('there'), include)), 'not there')


def check_intrinsics(include):
    """the first two rows"""
    rows = part('docs/without-a-gpu.md', 'not there').splitlines()[2:4]
    names = re.findall(r'`(\w+)`', '\n'.join(rows))
    require(sorted(undeclared(names, include, 'cmk/host/intrinsics.h')), 'not there')


def check_not_there(include):
    names = [name for name in names_of('not there') if name != 'cooperative_groups']
    gone = undeclared(names, include)
    alone = undeclared(names, include, 'math.h')  # glibc declares some that it keeps to itself
    require([name for name in names if name in alone and name not in gone], 'there now')


TOOLKIT = 'docs/cuda-on-a-cpu.md'
TOOLKIT_HEADERS = ['cuda_runtime.h', 'cuda_fp16.h', 'cuda_bf16.h', 'cooperative_groups.h', 'cuda_profiler_api.h']


def unknown_to_cxx(names, include):
    """which of the names a C++ program that includes CUDA's headers from host/toolkit cannot use"""
    lines = [f'#include <{header}>' for header in TOOLKIT_HEADERS] + ['namespace probe', '{']
    for name in names:
        lines += [f'#ifndef {name}', f'using ::{name};', '#endif']
    with folder() as work:
        source = Path(work) / 'probe.cpp'
        source.write_text('\n'.join(lines + ['}']) + '\n', encoding='utf-8')
        output = run(compiler('CXX') + ['-std=c++17', '-fsyntax-only', f'-I{include}/cmk/host/toolkit', source])[1]
    found = re.findall(r"error: \W*(?:::)?(\w+)\W* has not been declared|error: no member named '(\w+)'", output)
    if len(found) != output.count('error: '):
        raise Failure(output)
    return {first or second for first, second in found}


def check_toolkit(include):
    require(sorted(unknown_to_cxx(names_of('there', TOOLKIT), include)), 'not there')
    names = names_of('not there', TOOLKIT)
    require(sorted(set(names) - unknown_to_cxx(names, include)), 'there now')


def backend(include):
    yield f'{TOOLKIT}: what it says is there, and is not', lambda: check_toolkit(include)
    yield 'docs/without-a-gpu.md: what it says is there', lambda: check_there(include)
    yield 'docs/without-a-gpu.md: what it says is in host/intrinsics.h', lambda: check_intrinsics(include)
    yield 'docs/without-a-gpu.md: what it says is not there', lambda: check_not_there(include)


# ---- figures

def recorded():
    """every number of the records, and what it is when it is rounded to fewer digits"""
    found = set()
    for path in (ROOT / 'bench' / 'results' / 'history').glob('*-h200*'):
        for number in re.findall(r'\d+\.\d+', path.read_text(encoding='utf-8')):
            shorter = [Decimal(1).scaleb(-digits) for digits in range(1, len(number.partition('.')[2]))]
            found |= {number, *(str(Decimal(number).quantize(one, ROUND_HALF_UP)) for one in shorter)}
    return found


def check_figures(page):
    """times and rates in tables with a column of ms"""
    known = recorded()
    missing = []
    tables = re.findall(r'^(\|.*\bms\b.*\|)\n\|[ |-]+\|\n((?:\|.*\n)+)', text_of(page), re.MULTILINE)
    for head, body in tables:
        columns = [cell.strip() for cell in head.strip('|').split('|')]
        for row in body.splitlines():
            for column, cell in zip(columns, row.strip('|').split('|')):
                if re.search(r'\b(ms|GB/s)\b', column):
                    missing += [number for number in re.findall(r'\d+\.\d+', cell) if number not in known]
    require(missing, 'in no record')


def check_newest():
    """a row of README.md whose record is a kernel's, against the newest record of that kernel and card"""
    sys.path.insert(0, str(ROOT / 'bench'))
    from current import newest
    rows = newest()
    stale = []
    pattern = r'^\|[^|]*\| ([\d.]+) \|.*\| \[([^]]+)\]\(bench/results/history/'
    for value, kernel in re.findall(pattern, text_of('README.md'), re.MULTILINE):
        found = [row for (_, name, card), (row, _) in rows.items() if name == kernel and card == 'H200']
        stale += [kernel] if not any(abs(float(row['milliseconds']) / float(value) - 1) < 0.03 for row in found) else []
    require(stale, 'the newest record has another time')


APART = {'2026-11-22-h200-constants.csv', '2026-11-22-h200-engines.csv', '2026-11-25-h100-exchanges.csv'}


def check_current():
    sys.path.insert(0, str(ROOT / 'bench'))
    from current import HISTORY, made, records
    page = text_of(FIGURES)
    wanted = made(page)
    require([line for line in page.splitlines() if line not in wanted.splitlines()] or ['a line is missing']
            if page != wanted else [], 'bench/current.py makes it anew')
    differ('the list APART of pages.py', APART, {path.name for path in HISTORY.glob('*.csv')}
           - {path.name for path, _ in records()})


def figures(_):
    yield f'{FIGURES}: is what the records make of it', check_current
    yield 'README.md: its times are within 3 % of the newest record', check_newest
    for page in (page for page in READ if page != FIGURES):
        if re.search(r'^\|.*\bms\b.*\|$', text_of(page), re.MULTILINE):
            yield f'{page}: its times stand in a record', lambda page=page: check_figures(page)


def check_report():
    """the lines of the program that docs/report.md shows are those of the program"""
    shown = text_of('docs/report.md')
    lines = text_of('tests/model/plain.cu').splitlines()
    rows = re.findall(r'^ +(\d+)  (?:shared|global) (?:load|store) .*  (\w+\[.*;)$', shown, re.MULTILINE)
    require([f'line {number}: {source}' for number, source in rows if lines[int(number) - 1].strip() != source],
            'not in tests/model/plain.cu')
    if not rows:
        raise Failure('no line of the program is shown')


def excerpts(_):
    yield 'docs/report.md: shows lines of the program as they are', check_report


GROUPS = {function.__name__: function for function in (code, links, architecture, backend, figures, excerpts)}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP')
    report([check for name in options.which for check in GROUPS[name](options.include)], options)


if __name__ == '__main__':
    main()
