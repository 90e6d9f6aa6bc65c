"""The measures of the house, on every file: how long macros, functions, examples, pages and lines may be.

usage: rules.py [GROUP...] [--include DIR]

A macro definition is its #define and the lines that continue it; a function is from the first line of its signature to
its closing brace. A face is a header of include/cmk/kernel, whose definition macros may be longer.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, arguments, report  # noqa: E402

# Lines of macros that a backslash continues: of all headers but LISTS, and of these, where a macro is one pass over a
# list of point.h. A ledger: it goes down with the text, and no commit raises it.
MACRO_TEXT = 816
LIST_TEXT = 676
# Functions with more than 8 parameters, a ledger too.
PARAMETERS, MANY = 8, 10
LISTS = ('point.h', 'kernel/point.h', 'kernel/steps.h', 'kernel/stencil2d.h', 'kernel/stencil3d.h', 'kernel/bordered.h')
MACRO, DEFINITION, FUNCTION, EXAMPLE, README, COLUMNS = 12, 40, 40, 200, 180, 120
CODE = ('.h', '.inc', '.cu', '.py', '.c')


def lines_of(path):
    return path.read_text(encoding='utf-8').splitlines()


def headers(include):
    return sorted(path for path in (include / 'cmk').rglob('*') if path.suffix in ('.h', '.inc'))


def macros(path):
    """(name, line, number of lines) of each #define"""
    lines = lines_of(path)
    for at, line in enumerate(lines):
        found = re.match(r'#\s*define\s+(\w+)', line)
        if found:
            end = at
            while lines[end].endswith('\\'):
                end += 1
            yield found.group(1), at + 1, end - at + 1


def functions(path):
    """(signature, line, number of lines) of each function whose brace has a line of its own"""
    lines = lines_of(path)
    for at, line in enumerate(lines):
        if line != '{' or at == 0 or not lines[at - 1].rstrip().endswith(')'):
            continue
        start = at - 1
        while start > 0 and lines[start].startswith(' '):
            start -= 1
        end = next((place for place in range(at, len(lines)) if lines[place].startswith('}')), len(lines))
        yield lines[start][:60], start + 1, end - start + 1


def require(found, what):
    if found:
        raise Failure(f'{len(found)} {what}\n' + '\n'.join(found))


def check_text_of(paths, most):
    each = {path: sum(count - 1 for _, _, count in macros(path)) for path in paths}
    total = sum(each.values())
    if total > most:
        largest = sorted(each, key=each.get, reverse=True)[:20]
        raise Failure(f'{total} lines, not {most}\n' + '\n'.join(f'{each[path]:5} {path}' for path in largest))


def check_macro_text(include):
    lists = [include / 'cmk' / name for name in LISTS]
    check_text_of([path for path in headers(include) if path not in lists], MACRO_TEXT)


def check_list_text(include):
    check_text_of([include / 'cmk' / name for name in LISTS], LIST_TEXT)


def check_macros(include):
    found = []
    for path in headers(include):
        most = DEFINITION if path.parent == include / 'cmk' / 'kernel' else MACRO
        found += [f'{path}:{line}: {name}: {count}, at most {most}'
                  for name, line, count in macros(path) if count > most]
    require(found, 'macro definitions are too long')


def check_functions(include):
    require([f'{path}:{line}: {count} lines: {name}' for path in headers(include)
             for name, line, count in functions(path) if count > FUNCTION],
            f'functions have more than {FUNCTION} lines')


def without_comments(text):
    """nor preprocessor lines"""
    return re.sub(r'^[ \t]*#(?:.*\\\n)*.*$', '', re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL), flags=re.MULTILINE)


def parameters(path):
    """(name, number of parameters) of each function that has a body here"""
    text = without_comments(path.read_text(encoding='utf-8'))
    for name, listed in re.findall(r'\b(\w+)\(([^(){};]*(?:\([^()]*\)[^(){};]*)*)\)\s*\{', text):
        yield name, len(re.sub(r'\([^()]*\)|\[[^][]*\]', '', listed).split(','))


def check_parameters(include):
    found = [f'{path}: {name}: {count}' for path in headers(include)
             for name, count in parameters(path) if count > PARAMETERS]
    if len(found) > MANY:
        require(found, f'functions have more than {PARAMETERS} parameters, {MANY} may')


def check_examples(_):
    require([f'{path}: {len(lines_of(path))}' for folder in ('examples', 'docs/lessons')
             for path in sorted((ROOT / folder).glob('*.cu')) if len(lines_of(path)) > EXAMPLE],
            f'examples have more than {EXAMPLE} lines')


def check_readme(_):
    if len(lines_of(ROOT / 'README.md')) > README:
        raise Failure(f'{len(lines_of(ROOT / "README.md"))} lines, not {README}')


def check_columns(include):
    names = ('examples', 'bench', 'docs', 'packaging', 'python', 'run', 'tests')
    folders = [include / 'cmk', *(ROOT / name for name in names)]
    files = [path for folder in folders for path in sorted(folder.rglob('*'))
             if path.suffix in CODE and path.parent.name != 'cases']  # a case opens with the sentence that it expects
    require([f'{path}:{number}: {len(line)}' for path in [*files, ROOT / 'cmk']
             for number, line in enumerate(lines_of(path), 1) if len(line) > COLUMNS],
            f'lines have more than {COLUMNS} columns')


CHECKS = {
    'text': (f'macro text of include/: at most {MACRO_TEXT} lines that a backslash continues', check_macro_text),
    'lists': (f'macro text of {", ".join(LISTS)}: at most {LIST_TEXT} such lines', check_list_text),
    'macros': (f'a macro definition: at most {MACRO} lines, of a face {DEFINITION}', check_macros),
    'functions': (f'a function: at most {FUNCTION} lines', check_functions),
    'parameters': (f'at most {MANY} functions with more than {PARAMETERS} parameters', check_parameters),
    'examples': (f'an example, a lesson: at most {EXAMPLE} lines', check_examples),
    'readme': (f'README.md: at most {README} lines', check_readme),
    'columns': (f'code: at most {COLUMNS} columns', check_columns),
}


def main():
    options = arguments(__doc__, CHECKS, 'GROUP')
    report([(CHECKS[name][0], lambda check=CHECKS[name][1]: check(options.include)) for name in options.which], options)


if __name__ == '__main__':
    main()
