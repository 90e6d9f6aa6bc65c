"""The reference: pages made from the opening comments of the headers, the one place where an interface is written.

A comment is prose and indented blocks. A block of lines that begin with a name of cmk, or with a function that a
definition makes, is a table of entries: a signature, and behind it or below it what it does. Any other block stays as
it is; the last one with a semicolon is the example. What the example does not use has a use of its own, which tests
compile; it is shown where it is of an example or a lesson.
"""

import functools
import html
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r'\b(?:CMK_[A-Z0-9_]*[A-Z0-9]|cmk_[a-z0-9_]*[a-z0-9])\b')
ENTRY = re.compile(r'(?:#define )?(?:CMK_[A-Z]|(?:[a-z]\w*[ *]+)*(?:cmk_[a-z]|name(?:_[a-z_]+)?\b))')
MADE = re.compile(r'\bname(?:_[a-z_]+)?\b')
TEACHING = ('examples', 'docs/lessons')
PROGRAMS = (*TEACHING, 'tests/alone/use', 'tests/backend', 'tests/kernels', 'tests/point', 'tests/halo', 'tests/tensor',
            'tests/consumers')


# ---- Reading a comment

def comment_of(path):
    """the lines of a header's opening comment, without its stars"""
    text = path.read_text(encoding='utf-8').split('*/')[0].removeprefix('/*')
    return [line.removeprefix(' *').removeprefix(' ').rstrip() for line in text.splitlines()]


def blocks_of(path):
    """pairs of kind and lines; the kind is prose, or block where they are indented"""
    found = [('', [])]
    for line in comment_of(path):
        kind = '' if not line else 'block' if line.startswith('  ') else 'prose'
        if kind != found[-1][0]:
            found.append((kind, []))
        found[-1][1].append(line)
    return [(kind, lines) for kind, lines in found if kind]


def example_of(path):
    """the lines of a header's example; none where its comment has none"""
    blocks = [lines for kind, lines in blocks_of(path) if kind == 'block']
    examples = [lines for lines in blocks[1:] if any(';' in line for line in lines)]
    return shown(examples[-1]) if examples else []


def shown(lines):
    """without their indent, and without what a program says"""
    return [line[2:] for line in lines if not line.startswith('  ->')]


def is_entry(line):
    """in a call of an example a name of the caller stands where a signature has a parameter"""
    return bool(re.match(r'  \S', line) and ENTRY.match(line[2:])) and '(&' not in line


def is_table(lines):
    """whether a block has entries; where its first line heads columns it is a table that stays as it is"""
    heads = not is_entry(lines[0]) and re.search(r'\S   +\S', lines[0])
    return any(map(is_entry, lines)) and not heads


def is_open(text):
    return text.count('(') > text.count(')') or text.endswith(',')


def halves(line):
    """a signature and what is said behind it: they are parted by spaces that no bracket holds"""
    for found in re.finditer(r'(?<=;) +|  +', line):
        if not is_open(line[:found.start()].rstrip(',')):
            return line[:found.start()], line[found.end():]
    return line, ''


def entries_of(lines):
    """pairs of the lines of signatures and of the text; signatures without a text go with those that follow"""
    found = []
    for line in lines:
        last = found[-1] if found else None
        goes_on = last is not None and not last[1] and is_open(' '.join(last[0]))
        if re.match(r'  \S', line) or goes_on:
            signature, text = halves(line.strip())
            signature = ' ' * (len(line) - len(line.lstrip()) - 2) + signature
            if last is None or (last[1] and not goes_on):
                last = ([], [])
                found.append(last)
            last[0].append(signature)
            last[1].extend([text] if text else [])
        else:
            last[1].append(line)
    return found


def signatures(lines):
    """each signature of an entry on a line"""
    found = []
    for line in lines:
        if found and is_open(found[-1]):
            found[-1] += ' ' + line.strip()
        else:
            found.append(line.strip())
    return found


def names_of(signature):
    """what a signature declares: (name, parameters) of each, None where there are no brackets"""
    found = []
    bare = signature.removeprefix('#define ')
    while bare:
        match = NAME.match(bare) or MADE.match(bare)
        kept = re.match(r'[\w*]+[ *]*', bare)
        is_type = match and re.match(r'\w+ +\**(?:cmk_|name)', bare)
        if match and not is_type:
            rest = bare[match.end():]
            inside = bracket(rest) if rest.startswith('(') else None
            found.append((match.group(), inside))
            bare = rest[len(inside or '') + 2 * (inside is not None):]
        elif bare.startswith('('):  # another form of the name before
            inside = bracket(bare)
            found.append((found[-1][0], inside) if found else ('', inside))
            bare = bare[len(inside) + 2:]
        else:
            bare = bare[kept.end() if kept else 1:]
    return [pair for pair in found if pair[0]]


def bracket(text):
    """what stands in the bracket that opens the text"""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == '(') - (letter == ')')
        if depth == 0:
            return text[1:at]
    return text[1:]


def parted(inside):
    """the parts of a list of parameters, a group as one"""
    flat = re.sub(r'\([^()]*\)', 'group', inside.replace('\\\n', ' '))
    return [part.strip() for part in flat.split(',') if part.strip() not in ('', 'void')]


def parameters(inside):
    """the names of the parameters of a signature, those of a group among them"""
    parts = parted(re.sub(r'[()]', '', inside))
    return [re.sub(r'\[\d*\]$', '', part).split(' ')[-1].lstrip('*') for part in parts]


# ---- The headers

def documented(include):
    """the headers that have a page: those whose comment has a table of entries"""
    return [path for path in sorted((include / 'cmk').rglob('*.h'))
            if path.parent.name != 'host' and any(NAME.fullmatch(name) for name, _ in declared(path))]


def tables_of(path):
    """the blocks of a comment but its example"""
    blocks = blocks_of(path)
    example = example_of(path)
    return [(kind, lines) for kind, lines in blocks if kind == 'prose' or shown(lines) != example]


def declared(path):
    """(name, parameters) of all entries of a header"""
    return [pair for kind, lines in tables_of(path) if kind == 'block' and is_table(lines)
            for heads, _ in entries_of(lines) for signature in signatures(heads) for pair in names_of(signature)]


@functools.lru_cache(maxsize=None)
def places(include):
    """the header on whose page a name of cmk is: that of its entry, or of the block that has it"""
    found = {}
    for path in documented(include):
        for name, _ in declared(path):
            found.setdefault(name, path)
    for path in documented(include):
        for kind, lines in tables_of(path):
            for name in NAME.findall('\n'.join(lines)) if kind == 'block' else []:
                found.setdefault(name, path)
    return {name: path for name, path in found.items() if NAME.fullmatch(name)}


# ---- Uses

@functools.lru_cache(maxsize=None)
def programs():
    """folder, path and lines of the programs that tests compile, those that teach first"""
    return [(folder, path, path.read_text(encoding='utf-8').splitlines()) for folder in PROGRAMS
            for path in sorted((ROOT / folder).rglob('*')) if path.suffix in ('.cu', '.h')]


def pattern(name):
    """by which a use is found; a function that a definition makes has the definition's name before its own"""
    if not name.startswith('name'):
        return re.compile(rf'\b{name}\b')
    return re.compile(rf'\b[a-z]\w*{name[4:]}\b' if '_' in name else r'\b[a-z]\w*\(')


def use_of(name, page):
    """file, line and lines of the shortest statement, of at most 4 lines, that uses a name; of the first such folder"""
    wanted, best = pattern(name), None
    made = [other for other, _ in declared(page) if other.startswith('CMK_DEFINE_')] if name.startswith('name_') else []
    for folder, program, lines in programs():
        if best and best[0] != folder:
            break
        if made and not any(re.search(rf'\b({"|".join(made)})\(', line) for line in lines):
            continue
        for number, line in enumerate(lines):
            if wanted.search(re.sub(r'"[^"]*"', '', line)) and not re.match(r'\s*(/?\*|#\s*(if|undef))', line):
                own = statement(lines, number)
                if own and (best is None or len(' '.join(own)) < len(' '.join(best[3]))):
                    best = (folder, program, number + 1, own)
    return best and best[1:]


def statement(lines, number):
    """from a line to where its brackets close; None where that is too long"""
    for count in range(1, 5):
        own = lines[number:number + count]
        text = re.sub(r'/\*.*?\*/', '', ' '.join(own)).rstrip(' \\')
        if not is_open(text) and text.count('{') >= text.count('}'):
            return tuple(line.rstrip(' \\') for line in own)
    return None


# ---- Pages

def escaped(text):
    return re.sub(r'([\\`*_{}\[\]#+!|~])', r'\\\1', html.escape(text, quote=False))


def linked(text, page, include):
    """prose as Markdown, whose names of cmk lead to where they are told"""
    found, at = [], 0
    for match in NAME.finditer(text):
        target = places(include).get(match.group())
        found.append(escaped(text[at:match.start()]))
        at = match.end()
        goal = f'{relative(page, target)}#{match.group()}' if target else ''
        found.append(f'[`{match.group()}`]({goal})' if target else f'`{match.group()}`')
    return ''.join([*found, escaped(text[at:])])


def relative(page, target):
    """from the page of a header to that of another; nothing where they are the same"""
    return '' if target == page else os.path.relpath(target, page.parent) + '.md'


def fenced(lines, language='c'):
    return [f'```{language}', *lines, '```', '']


def dedented(lines):
    least = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[least:] for line in lines]


def anchors(names):
    return [''.join(f'<a id="{name}"></a>' for name in names), ''] if names else []


def headed(names):
    """the head of a table that tells names: the search finds a section by its head first"""
    return [f'### {escaped(", ".join(names))} {{: #{names[0]} }}', '', *anchors(names[1:])] if names else []


def text_of(lines, page, include):
    """what an entry says: words, or columns that stay as they are"""
    if any(re.search(r'\S   +\S', line) for line in lines):
        first = [linked(lines[0].strip(), page, include), ''] if not lines[0].startswith('  ') else []
        rest = lines[1:] if first else lines
        return first + (fenced(dedented(rest), 'text') if rest else [])
    return [linked(' '.join(line.strip() for line in lines), page, include), '']


def told_here(lines, page, include, told):
    """the names that have no entry and that these lines tell"""
    entries = {name for name, _ in declared(page)}
    found = [name for name in dict.fromkeys(NAME.findall('\n'.join(lines)))
             if name not in told | entries and places(include).get(name) == page]
    told.update(found)
    return found


def entry_of(heads, lines, page, include, told):
    """a section: the names, the signature, what it does, and a use where the example has none"""
    names = list(dict.fromkeys(name for signature in signatures(heads) for name, _ in names_of(signature)))
    own = [name for name in names
           if name not in told and (name.startswith('name') or places(include).get(name) == page)]
    told.update(own)
    inner = told_here(lines, page, include, told)
    mark = f' {{: #{own[0]} }}' if own else ''
    section = [f'### {escaped(", ".join(names))}{mark}', '', *anchors(own[1:] + inner), *fenced(heads),
               *(text_of(lines, page, include) if lines else [])]
    example = '\n'.join(example_of(page))
    uses = [use_of(name, page) for name in own + inner if '_' in name and not pattern(name).search(example)]
    up = '../' * len(page.relative_to(include).parts)
    return section + [line for use in dict.fromkeys(filter(None, uses)) for line in use_lines(use, up)]


def use_lines(use, up):
    """a program that teaches, which has a page; a test teaches nothing"""
    program, number, lines = use
    name = program.relative_to(ROOT).as_posix()
    if not name.startswith(TEACHING):
        return []
    return [f'[{name}]({up}{name}.md), line {number}:', '', *fenced(dedented(lines))]


def page_of(path, include):
    """the page of a header"""
    name = path.relative_to(include / 'cmk').as_posix()
    example, told = example_of(path), set()
    lines = [f'# {name}', '']
    for kind, own in blocks_of(path):
        if kind == 'prose':
            lines += [linked(re.sub(r'^[\w/]+\.h: ', '', ' '.join(line.strip() for line in own)), path, include), '']
        elif shown(own) == example:
            lines += ['## Example', '', *fenced(dedented(own))]
        elif is_table(own):
            lead = [] if is_entry(own[0]) else own[:1]
            lines += [linked(line.strip(), path, include) + '\n' for line in lead]
            for heads, text in entries_of(own[len(lead):]):
                lines += entry_of(heads, text, path, include, told)
        else:
            lines += [*headed(told_here(own, path, include, told)), *fenced(dedented(own), 'text')]
    return '\n'.join(lines) + '\n'
