"""Plants a defect in a copy of the headers and expects its suite to fail at the right check, whatever else fails then.

The rows stand in planted.py of each suite's folder: the arguments of its function command, of which the second is a
text of the check that must fail; the header, or a file of python/; a pattern of C tokens, in a file of Python a text;
what replaces it; and `every`, where the pattern may be in several places, which are then all replaced. Otherwise it
must be in one place. Space, comments and the ends of lines do not count in a pattern, strings that stand side by side
are one, and $name stands for an identifier, or for a member such as image->rows, the same one wherever it occurs, also
in the replacement. So a row survives a reformat and new names for locals. A check that the suite skips for want of a
compiler is skipped here too.

rows: no defect is planted, but every row must find its place; and the matcher is tested.
"""

import importlib.util
import re
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
from harness import Failure, Skip, arguments, folder, report, until  # noqa: E402

SUITES = sorted(path.parent.name for path in TESTS.glob('*/planted.py'))
TOKEN = re.compile(r'''
    (?P<space> \s+ | \\\n | /\*.*?\*/ | //[^\n]* )
    | (?P<string> (?:u8|[uUL])?"(?:\\.|[^"\\])*" )
    | '(?:\\.|[^'\\])+'
    | (?P<name> [A-Za-z_]\w* )
    | (?P<hole> \$\w+ )
    | \.?\d(?:[eEpP][+-]|[\w.])*
    | \.\.\. | <<= | >>= | \#\# | -> | \+\+ | -- | << | >> | [<>=!+*/%&|^-]= | && | \|\|
    | .''', re.VERBOSE | re.DOTALL)


# ---- Patterns

def tokens(text):
    """(kind, text, first, end) of each: kind is string, name, hole or None"""
    found = []
    for token in TOKEN.finditer(text):
        kind, word = token.lastgroup, token.group()
        if kind == 'string' and found and found[-1][0] == 'string':
            _, before, first, _ = found.pop()
            found.append(('string', before[:-1] + word[1:], first, token.end()))
        elif kind != 'space':
            found.append((kind, word, token.start(), token.end()))
    return found


def members(words, at):
    """ends of the name at this place, that of the longest chain of members first"""
    if words[at][0] != 'name':
        return []
    end = at + 1
    ends = [end]
    while end + 1 < len(words) and words[end][1] in ('.', '->') and words[end + 1][0] == 'name':
        end += 2
        ends.insert(0, end)
    return ends


def match(pattern, words, at, holes):
    """the end of the match that begins at this place, and what the holes hold; None where there is none"""
    if not pattern:
        return at, holes
    if at >= len(words):
        return None
    kind, wanted = pattern[0][:2]
    if kind != 'hole':
        return match(pattern[1:], words, at + 1, holes) if words[at][1] == wanted else None
    for end in members(words, at):
        value = ''.join(word[1] for word in words[at:end])
        if holes.get(wanted, value) == value:
            found = match(pattern[1:], words, end, {**holes, wanted: value})
            if found:
                return found
    return None


def places(pattern, text):
    """(first, end, holes) of every match in text; they do not overlap"""
    pattern, words = tokens(pattern), tokens(text)
    found, at = [], 0
    while at < len(words):
        one = match(pattern, words, at, {})
        if one:
            found.append((words[at][2], words[one[0] - 1][3], one[1]))
        at = one[0] if one else at + 1
    return found


def replaced(text, found, new):
    for first, end, holes in reversed(found):
        text = text[:first] + re.sub(r'\$\w+', lambda hole: holes[hole.group()], new) + text[end:]
    return text


# ---- Rows

class Row:
    def __init__(self, suite, command, words):
        self.suite = suite
        (*self.which, self.check, self.header, self.old, self.new), self.every = (
            (words[:-1], True) if words[-1] == 'every' else (words, False))
        self.command = command(*self.which, self.check)

    def name(self):
        what = f'{self.suite} {" ".join(self.which)}, {self.check}'
        return ' '.join(f'{what}: fails after {self.header}: {self.old} -> {self.new}'.replace('#', '').split())

    def file(self, include):
        return (include.parent if self.header.startswith('python/') else include / 'cmk') / self.header

    def planted(self, include):
        """the text of the header with the defect"""
        if not self.file(include).is_file():
            raise Failure(f'tests/{self.suite}/planted.py: no {self.header}, of the row: {self.name()}')
        text = self.file(include).read_text()
        found = places(self.old, text) if self.file(include).suffix != '.py' else [
            (one.start(), one.end(), {}) for one in re.finditer(re.escape(self.old), text)]
        if not found or (len(found) > 1 and not self.every):
            raise Failure(f'tests/{self.suite}/planted.py: {self.header} has the pattern in {len(found)} places, of '
                          f'the row: {self.name()}')
        return replaced(text, found, self.new)

    def run(self, headers):
        with folder() as temporary:
            include = Path(temporary) / 'include'
            text = self.planted(headers)
            shutil.copytree(headers, include)
            if self.header.startswith('python/'):
                shutil.copytree(headers.parent / 'python', include.parent / 'python')
            self.file(include).write_text(text)
            lines = until([sys.executable, *self.command, '--include', include],
                          lambda line: fails(self.check, line), cwd=TESTS)
        judge(self.check, lines)


def fails(check, line):
    return line.startswith('not ok ') and check in line


def judge(check, lines):
    failed = [line for line in lines if line.startswith('not ok ')]
    skipped = [line for line in lines if line.startswith('1..0 # SKIP ')]
    skipped += [line for line in lines if line.startswith('ok ') and check in line and ' # SKIP ' in line]
    if skipped:
        raise Skip(skipped[0].split(' # SKIP ')[1])
    if not any(fails(check, line) for line in lines):
        raise Failure('\n'.join([f'expected to fail: {check}; failed:', *failed, *lines]))


def rows_of(suite):
    specification = importlib.util.spec_from_file_location(f'planted_{suite}', TESTS / suite / 'planted.py')
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return [Row(suite, module.command, words) for words in module.ROWS]


# ---- The matcher

MATCHES = [  # pattern, text, what replaces it, the text then: None where the pattern is not in it
    ('$a >= 0 && $a < $n', 'if (i_ >= 0 &&\n    i_ < count_)', '$a > $n', 'if (i_ > count_)'),
    ('$a >= 0 && $a < $n', 'if (row >= 0 && column < rows)', '', None),
    ('$a + $b', 'x = at->rows + 1', '', None),
    ('$a + 1', 'x = at->rows + 1', '$a', 'x = at->rows'),
    ('$a.rows + 1', 'x = at.rows + 1', '$a.rows', 'x = at.rows'),
    ('f(int x)', '    f( /* a comment */ int \\\n  x ) // another', 'g(int x)', '    g(int x) // another'),
    ('"one text"', 'say("one " \\\n    "text");', '"another"', 'say("another");'),
    ('(ROWS)-1', 'y = (ROWS) - 1;', '0', 'y = 0;'),
    ('a = b', 'a == b', '', None),
    ('x + 1', 'x + 10; /* x + 1 */', '', None),
    ('j', 'j + jj + j', 'k', 'k + jj + k'),
]


def check_match(pattern, text, new, expected):
    found = places(pattern, text)
    got = replaced(text, found, new) if found else None
    if got != expected:
        raise Failure(f'{got!r}, not {expected!r}')


def main():
    options = arguments(__doc__, ['rows', *SUITES], 'SUITE')
    checks = []
    if 'rows' in options.which:
        checks += [(f'pattern {row[0]} in {row[1]}'.replace('\n', ' '), lambda row=row: check_match(*row))
                   for row in MATCHES]
        checks += [(f'one place: {row.name()}', lambda row=row: row.planted(options.include))
                   for suite in SUITES for row in rows_of(suite)]
    checks += [(row.name(), lambda row=row: row.run(options.include))
               for suite in SUITES if suite in options.which for row in rows_of(suite)]
    report(checks, options)


if __name__ == '__main__':
    main()
