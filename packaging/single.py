"""Writes cmk.h as one file: each header stands where it is first included.

usage: single.py [-o FILE] [--include DIR]

A header that was included only where some condition holds stands again where another one includes it, and its guard
takes one of the two; the .inc files, which are included once for each type of numbers, stand each time. Comments go,
but for the licence, a macro is a line, short statements share one, no brace begins one, nothing is indented, and a
space stands only between two tokens that would be one without it: a page that compiles in a browser sends all of it at
each change. What only ./cmk run and ./cmk report switch on is left out. There are no #line directives: messages name
the line of the file that their reader has.
"""

import argparse
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOKEN = re.compile(r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|[^/"']+|.''', re.DOTALL)
SPACES = re.compile(r'''("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')|[ \t]+''')
DEFINED = re.compile(r'#\s*define (\w+(?:\([^)]*\))?) ?')
PAIRS = set('++ -- += -= -> << >> <= >= == != && || &= |= ^= *= /= %= ## // /* :: <: :> <% %> %:'.split())
ONLY_RUN = re.compile(r'#\s*if CMK_HOST_(WATCH|RACES|TRACE|CACHES)_$')
OPEN = re.compile(r'(?:[,(?=+*/%^<]|&&|\|\|)$')  # the end of a line that goes on
BEGUN = re.compile(r'[?:]|&&|\|\|')  # the begin of one that goes on from another
BRANCH = re.compile(r'\b(if|else|for|while|do|switch|case|default)\b')  # compilers warn of what stands behind one
GUARD = re.compile(r'#\s*ifndef CMK_\w+_H$')


def parted(before, behind):
    """a space, if two tokens, of which these are the last and the first character, would be one without it"""
    return ' ' if before + behind in PAIRS or all(c.isalnum() or c in '_."\'' for c in (before, behind)) else ''


def squeezed(line):
    """a line without the spaces that it does not need; a macro that is a word keeps the one behind its name"""
    if re.match(r'#\s*(include|pragma|error)', line):
        return line
    found = DEFINED.match(line)
    if found:
        text = squeezed(line[found.end():])
        return f'#define {found.group(1).replace(" ", "")}' + (' ' if found.group(1)[-1] != ')' else '') + text
    return SPACES.sub(lambda m: m.group(1) or parted(line[m.start() - 1], line[m.end()]), line)


def without_comments(text):
    text = ''.join(' ' if token.startswith(('/*', '//')) else token for token in TOKEN.findall(text))
    lines = (line.strip() for line in re.sub(r'\s*\\\n\s*', ' ', text).split('\n'))
    return [squeezed(line) for line in lines if line]


def goes_on(rows, line):
    """whether a line is written behind the one before it: where that one does not end, a brace, a further statement"""
    row = rows[-1]
    if row.startswith('#') or line.startswith('#'):
        return False
    if OPEN.search(row) or BEGUN.match(line) or line in ('{', '}'):
        return True
    guarded = BRANCH.search(row) or (len(rows) > 1 and not rows[-2].endswith((';', '}', '{')))
    return row.endswith(';') and len(row) + len(line) < 239 and not guarded


def joined(lines):
    rows = []
    for line in lines:
        if rows and goes_on(rows, line):
            rows[-1] += parted(rows[-1][-1], line[0]) + line
        else:
            rows.append(line)
    return rows


def without_run(lines):
    """the lines but for those under a condition that only ./cmk run or report fulfils; of such a one the #else stays"""
    depths, kept = [], []  # of each #if around a line: None, or whether lines of its branch go
    for line in lines:
        word = re.match(r'#\s*(if|else|endif)', line)
        kind = word.group(1) if word else ''
        if kind == 'if':
            depths.append(True if ONLY_RUN.match(line) else None)
        elif kind == 'else' and depths[-1] is not None:
            depths[-1] = False
            continue
        if True not in depths and not (kind == 'endif' and depths[-1] is not None):
            kept.append(line)
        if kind == 'endif':
            depths.pop()
    return kept


class Single:
    def __init__(self, include):
        self.include, self.lines = include.resolve(), []
        self.opened = []  # the headers that are being written
        self.conditions = []  # (directive, branch) of each #if around this line, (None, 0) for a guard
        self.known = {}  # of a header the conditions under which it stands

    def under(self):
        return [one for one in self.conditions if one[0]]

    def needed(self, path):
        """whether a header does not stand already wherever this line does"""
        if path.suffix == '.inc':
            return True
        under = self.under()
        return path not in self.opened and not any(under[:len(one)] == one for one in self.known.get(path, []))

    def directive(self, line):
        if GUARD.match(line):
            self.conditions.append((None, 0))
        elif re.match(r'#\s*if', line):
            self.conditions.append((line, 0))
        elif re.match(r'#\s*el', line):
            what, branch = self.conditions.pop()
            self.conditions.append((what, branch + 1))
        elif re.match(r'#\s*endif', line):
            self.conditions.pop()

    def write(self, path):
        self.known.setdefault(path, []).append(self.under())
        self.opened.append(path)
        for line in without_run(without_comments(path.read_text(encoding='utf-8'))):
            self.directive(line)
            found = re.match(r'#\s*include "([^":]+)"', line)  # "cmk: ..." is there to stop the build
            if not found:
                self.lines.append(line)
                continue
            inner = (path.parent / found.group(1)).resolve()
            if self.needed(inner):
                self.write(inner)
        self.opened.pop()

    def text(self):
        base = (self.include / 'cmk/base.h').read_text(encoding='utf-8')
        version = '.'.join(re.findall(r'#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', base))
        licence = (ROOT / 'LICENSE').read_text(encoding='utf-8').strip()
        self.write(self.include / 'cmk/cmk.h')
        return f'/* cmk {version}, all of cmk.h in one file, made by ./cmk single.\n\n{licence} */\n' + \
            '\n'.join(joined(self.lines)) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('-o', dest='target', type=Path, default=Path('cmk.h'), metavar='FILE')
    parser.add_argument('--include', type=Path, default=ROOT / 'include', metavar='DIR')
    options = parser.parse_args()
    if options.target.is_dir():
        sys.exit(f'cmk: single: {options.target} cannot be written: it is a folder')
    text = Single(options.include).text()
    part = options.target.with_name(f'{options.target.name}.{os.getpid()}')
    try:
        options.target.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding='utf-8')
        part.replace(options.target)
    except OSError as error:
        if part.is_file():
            part.unlink()
        sys.exit(f'cmk: single: {options.target} cannot be written: {error.strerror}')
    print(f'{options.target}: {len(text.encode())} bytes, {text.count(chr(10))} lines')


if __name__ == '__main__':
    main()
