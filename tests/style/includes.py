"""Which file of include/cmk may include which, and use what another one defines: no circles.

usage: includes.py [GROUP...] [--include DIR]

host/host.h lists the files of the CPU backend, and each of them uses what stands before it there. It includes base.h
alone, which brings all of host/: so it compiles by itself, and that arrow leads to no circle. The floors of kernel/ are
the table in kernel/README.md.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import arguments, report  # noqa: E402
from rules import require  # noqa: E402

# A file, or the files of a folder, and what they may include; the longest name that fits holds. '' is any file.
RULES = {
    '': ['base.h'],
    'cmk.h': [''],
    'point.h': ['base.h', 'edge.h'],
    'halo.h': ['base.h', 'grid.h', 'halo/'],
    'halo/': ['base.h', 'check.h', 'grid.h', 'load.h', 'halo.h', 'halo/'],
    'halo/reduce.h': ['base.h', 'halo.h', 'kernel/point/reduce.h'],
    'base.h': ['host/host.h'],
    'host/': ['base.h', 'host/'],
}
USERS = ('host/', 'halo/', 'kernel/')  # their private names come from files that they reach

# Where a private name is defined: a macro, a function with its body, a variable, a type, a constant of an enum.
DEFINITIONS = [re.compile(text, re.MULTILINE) for text in (
    r'^\s*#\s*define (\w+_)\b',
    r'^\w[^;{}=#]*?\b(cmk_\w+_)\([^;{}]*\)\n\{',
    r'^(?:CMK_HOST_ONE_|static|typedef|\})[^(){};]*?\b(cmk_\w+_)(?:\[[^;]*)?(?:\s*=[^;]*)?;',
    r'\b(?:struct|union|enum) (cmk_\w+_) \{',
    r'^(?:enum \{|   ) ?(\w+_)(?: = [^,;]*)?(?:,|$| \})')]


def files_of(include):
    """the text of each file without its comments and strings, by its path in include/cmk"""
    root = include / 'cmk'
    return {str(path.relative_to(root)): re.sub(r'/\*.*?\*/|(?<!include )"(?:\\.|[^"\\\n])*"', '', path.read_text(),
                                                flags=re.DOTALL)
            for path in sorted(root.rglob('*')) if path.suffix in ('.h', '.inc')}


def includes_of(files, name):
    folder = Path('/') / Path(name).parent
    found = [(folder / one).resolve().relative_to('/') for one in re.findall(r'^#include "(.*?)"', files[name], re.M)]
    return [str(one) for one in found if str(one) in files]


def closure(arrows, name):
    seen, left = set(), [name]
    while left:
        more = [one for one in arrows[left.pop()] if one not in seen]
        seen.update(more)
        left += more
    return seen


def arrows_of(files):
    """what each file can use: what it includes, and in host/ what host.h has before it"""
    arrows = {name: includes_of(files, name) for name in files}
    arrows['base.h'] = []
    listed = [name for name in arrows['host/host.h'] if name != 'base.h']
    inside = closure(arrows, 'host/host.h') | {'host/host.h'}
    for name in files:
        if name in listed[1:]:
            arrows[name].append(listed[listed.index(name) - 1])
        elif name not in inside and 'base.h' in arrows[name]:
            arrows[name].append('host/host.h')
    return arrows


def floors_of(include, files):
    """the rules of kernel/: a file may include those of the rows above; in a folder, and among faces, one another"""
    rules, above = {}, []
    for line in (include / 'cmk' / 'kernel' / 'README.md').read_text().splitlines():
        here = []
        for name in re.findall(r'`([^`]+)`', line.split('|')[2]) if line.count('|') == 4 else ():
            if name == '../*.h':
                here += [part for part in files if '/' not in part and part != 'cmk.h']
            elif name.startswith('../'):
                here.append(name[3:])
            else:
                here.append(f'kernel/{name}'.removesuffix('*.h'))
                rules[here[-1]] = above + [here[-1]] * here[-1].endswith('/')
        above = above + here
    return rules


def fits(rule, name):
    return rule in ('', name) or rule[-1] == '/' and name.startswith(rule)


def check_rules(files, floors):
    found, rules = [], {**RULES, **floors}
    for name in files:
        rule = max((rule for rule in rules if fits(rule, name)), key=len)
        found += [f'{name} includes {one}' for one in includes_of(files, name)
                  if not any(fits(allowed, one) for allowed in rules[rule])]
    require(found, 'files are included from where they may not')


def check_circles(files, _):
    arrows = arrows_of(files)
    require([f'{name} <- {", ".join(one for one in files if name in arrows[one] and one in closure(arrows, name))}'
             for name in files if name in closure(arrows, name)], 'files stand in a circle')


def check_uses(files, _):
    arrows, homes, found = arrows_of(files), {}, []
    for name, text in files.items():
        for one in {one for pattern in DEFINITIONS for one in pattern.findall(text)}:
            homes.setdefault(one, set()).add(name)
    for name in (name for name in files if name.startswith(USERS) and name.endswith('.h')):
        near = closure(arrows, name) | {name}
        words = set(re.findall(r'\b(?:cmk|CMK)_\w+_\b', files[name]))
        found += [f'{name} uses {word} of {", ".join(sorted(homes[word]))}'
                  for word in sorted(words & homes.keys()) if not homes[word] & near]
    require(found, 'private names are used where their file is not included')


CHECKS = {
    'rules': ('what files of a folder may include', check_rules),
    'circles': ('no circle of files in include/cmk', check_circles),
    'uses': (f'files of {" and ".join(USERS)} use what they reach', check_uses),
}


def main():
    options = arguments(__doc__, CHECKS, 'GROUP')
    files = files_of(options.include)
    floors = floors_of(options.include, files)
    report([(CHECKS[name][0], lambda check=CHECKS[name][1]: check(files, floors)) for name in options.which], options)


if __name__ == '__main__':
    main()
