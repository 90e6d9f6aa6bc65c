"""The packages of cmk, and the words of docs/packages.md, as a user would paste them; the one number of the version.

Of vcpkg there are stand-ins alone, for the variables and the one function that the port uses.
"""

import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / 'alone'))
import alone  # noqa: E402
from consumers import (LIBRARIES, command, copy_repository, main, meson, plain, small_picture, units,  # noqa: E402
                       version)
from harness import (MODES, ROOT, WARNINGS, Failure, compile_command, compiler, must, program,  # noqa: E402
                     run)

README, PAGE = ROOT / 'README.md', ROOT / 'docs' / 'packages.md'
TOOLS = ('meson', 'cmake', 'conan', 'pkg-config')


def first_program():
    """the README's, and what it prints"""
    text = README.read_text(encoding='utf-8')
    blocks = re.findall(r'```c?\n(.*?)```', text, re.DOTALL)
    return blocks[0], blocks[2]


def check_printed(output):
    if first_program()[1] not in output:
        raise Failure(f'does not print what the README says:\n{output}')


# ---- The pages: each section in a folder of its own

def sections():
    """(heading, [(file or None, text)]) of docs/packages.md; None is a block of commands"""
    for part in re.split(r'^## ', PAGE.read_text(encoding='utf-8'), flags=re.MULTILINE)[1:]:
        blocks = re.findall(r'(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```', part, re.MULTILINE | re.DOTALL)
        if blocks:
            yield part.splitlines()[0], [(name or None, text) for name, _, text in blocks]


def environment(work):
    """a home of the test's own; Conan, which goes to its server for what it does not have, has none"""
    variables = {'HOME': work, 'CONAN_HOME': work / 'conan', 'CC': compiler('CC')[0], 'CMAKE_GENERATOR': 'Ninja'}
    (work / 'conan').mkdir(exist_ok=True)
    (work / 'conan' / 'remotes.json').write_text('{"remotes": []}')
    return {name: str(value) for name, value in variables.items()}


def check_section(include, work, blocks):
    commands = ''.join(text for name, text in blocks if name is None)
    for tool in (tool for tool in TOOLS if re.search(rf'\b{tool} ', commands)):
        program(tool)
    work.mkdir()
    copy_repository(include, work / 'cmk')
    (work / 'smooth.cu').write_text(first_program()[0])
    for name, text in blocks:
        if name:
            (work / name).write_text(text)
    variables = environment(work)
    if 'conan ' in commands:
        must([program('conan'), 'profile', 'detect'], **variables)
    check_printed(must([program('sh'), '-euc', commands], cwd=work, **variables))


def check_readme_lines(include, work, tool):
    """the block of commands under the README's program; behind `or:` stands the way without a GPU"""
    block = re.findall(r'```\n(nvcc .*?)```', README.read_text(encoding='utf-8'), re.DOTALL)[0]
    build, after = block.splitlines()[0].split('# or: ')
    compiler({'nvcc': 'NVCC', 'gcc': 'CC'}[tool])
    program(tool)
    shutil.copytree(include, work / 'include', dirs_exist_ok=True)
    (work / 'smooth.cu').write_text(first_program()[0])
    must([program('sh'), '-euc', build if tool == 'nvcc' else after], cwd=work)
    if tool == 'gcc':
        check_printed(must([program('sh'), '-euc', block.splitlines()[1]], cwd=work))


def words(include, work):
    for tool in ('nvcc', 'gcc'):
        yield f"the README's commands, {tool}", lambda tool=tool: check_readme_lines(include, work, tool)
    for number, (heading, blocks) in enumerate(sections()):
        yield (f'docs/packages.md, {heading}: its words build and run the program',
               lambda number=number, blocks=blocks: check_section(include, work / str(number), blocks))


# ---- One number

def found_in(path, pattern):
    found = re.search(pattern, (ROOT / path).read_text(encoding='utf-8'), re.MULTILINE)
    return found.group(1) if found else None


def meson_version(include, work):
    copy_repository(include, work / 'cmk')
    must(meson() + ['setup', work / 'build', work / 'cmk', '-Dcuda=disabled', '-Dsanitize=false'])
    return json.loads(must(meson() + ['introspect', '--projectinfo', work / 'build']))['version']


def cmake_version(include, work):
    copy_repository(include, work / 'source')
    (work / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.15)\nproject(asks LANGUAGES NONE)\n'
                                         'add_subdirectory(source)\n'
                                         'get_directory_property(version DIRECTORY source DEFINITION cmk_VERSION)\n'
                                         'message(STATUS "cmk=${version}=")\n')
    return re.search(r'cmk=(.*)=', must([program('cmake'), '-S', work, '-B', work / 'cmake'])).group(1)


def conan_version(include, work):
    copy_repository(include, work / 'recipe')
    said = must([program('conan'), 'inspect', work / 'recipe/packaging', '-f', 'json'], **environment(work))
    return json.loads(said[said.index('{'):])['version']


def one_number(include, work):
    numbers = {
        'CHANGELOG.md': lambda: found_in('CHANGELOG.md', r'^## (\d[\d.]*)(?: - \d{4}-\d\d-\d\d)?$'),
        'docs/packages.md': lambda: found_in('docs/packages.md', r'find_package\(cmk (\d+\.\d+) CONFIG'),
        'docs/packages.md, Conan': lambda: found_in('docs/packages.md', r'^cmk/\[~(\d+\.\d+)\]'),
        'packaging/vcpkg': lambda: json.loads((ROOT / 'packaging/vcpkg/cmk/vcpkg.json').read_text())['version'],
        'meson.build': lambda: meson_version(include, work),
        'CMakeLists.txt': lambda: cmake_version(include, work),
        'packaging/conanfile.py': lambda: conan_version(include, work),
    }

    def check(number):
        found = number()
        wanted = version(include)
        if found not in (wanted, wanted.rpartition('.')[0]):
            raise Failure(f'{found}, not {wanted}, as base.h')

    for name, number in numbers.items():
        yield f'{name} has the version of base.h', lambda number=number: check(number)


# ---- find_package: the verdicts of CMake's own version file, of what programs may ask for

ASKED = ['0', '0.0', '0.1', '0.1.9', '0.2', '0.2.0', '0.2.0.0', '0.2.1', '0.02', '0.3', '1', '1.2', '2', '2.0', '99.0']
LAST = ['0.1', '0.2', '0.2.0', '0.2.7', '0.3', '0.3.0', '0.3.1', '0.4', '1', '1.0', '2.0']
OWN = '''include(CMakePackageConfigHelpers)
write_basic_package_version_file("{place}/cmkConfigVersion.cmake" VERSION {version} COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
'''


def configured(place, number):
    """the version file of a package of this number, as meson.build writes it"""
    text = (ROOT / 'cmake/cmkConfigVersion.cmake.in').read_text(encoding='utf-8')
    for name, value in zip(('VERSION', 'MAJOR', 'MINOR'), [number, *number.split('.')]):
        text = text.replace(f'@{name}@', value)
    (place / 'cmkConfigVersion.cmake').write_text(text)


def parts_of(number):
    parts = [int(part) for part in number.split('.')]
    return parts + [0] * (4 - len(parts))


def verdicts(work, places):
    """of each request the answers of the packages in places: found or not, whether the version is exactly this"""
    requests = ['', *ASKED]
    requests += [f'{first}...{less}{last}' for first in ASKED for last in LAST if parts_of(first) < parts_of(last)
                 for less in ('', '<')]
    lines = ['cmake_minimum_required(VERSION 3.20)', 'project(asks LANGUAGES NONE)']
    for request in requests:
        for place in places:
            lines += ['foreach(name FOUND VERSION VERSION_EXACT CONSIDERED_VERSIONS)', '  unset(cmk_${name})',
                      'endforeach()', 'unset(cmk_DIR CACHE)',
                      f'find_package(cmk {request} QUIET CONFIG PATHS "{place}" NO_DEFAULT_PATH)',
                      f'message(STATUS "asked={request} {place.name}=${{cmk_FOUND}}")']
            if '...' not in request and request:
                lines += ['unset(cmk_DIR CACHE)', 'unset(cmk_FOUND)',
                          f'find_package(cmk {request} EXACT QUIET CONFIG PATHS "{place}" NO_DEFAULT_PATH)',
                          f'message(STATUS "asked={request}, exactly {place.name}=${{cmk_FOUND}}")']
    asks = work / f'asks {places[0].name}'
    asks.mkdir()
    (asks / 'CMakeLists.txt').write_text('\n'.join(lines) + '\n')
    answers = {}
    for request, name, found in re.findall(r'asked=(.*) (\w+)=(\w*)$', must(
            [program('cmake'), '-S', asks, '-B', asks / 'build']), re.MULTILINE):
        answers.setdefault(request, {})[name] = found
    return answers


def check_verdicts(work, number):
    places = [work / f'{who}{number.replace(".", "_")}' for who in ('ours', 'cmakes')]
    for place in places:
        place.mkdir()
        (place / 'cmkConfig.cmake').write_text('')
    configured(places[0], number)
    script = work / 'own.cmake'
    script.write_text(OWN.format(place=places[1], version=number))
    must([program('cmake'), '-P', script])
    answers = verdicts(work, places)
    wrong = {request: found for request, found in answers.items() if len(set(found.values())) != 1}
    if wrong or len(answers) < 150 or len({next(iter(found.values())) for found in answers.values()}) != 2:
        raise Failure(f'of {len(answers)}: ' + '\n'.join(f'{request}: {found}' for request, found in wrong.items()))


def cmake_versions(_, work):
    for number in ('0.2.0', '0.2.5', '1.0.0'):
        yield (f"find_package: {number} is found where CMake's own version file would have it found",
               lambda number=number: check_verdicts(work, number))


# ---- vcpkg: the port by CMake alone

PORT = '''set(CURRENT_PACKAGES_DIR "{target}")
set(PORT cmk)
set(VERSION {version})
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" FILE_LIST)
  file(INSTALL ${{given_FILE_LIST}} DESTINATION "${{CURRENT_PACKAGES_DIR}}/share/${{PORT}}" RENAME copyright)
endfunction()
include("{port}/portfile.cmake")
'''


def check_port(include, work):
    copy_repository(include, work / 'checkout')
    port, target = work / 'checkout/packaging/vcpkg/cmk', work / 'installed'
    number = json.loads((port / 'vcpkg.json').read_text())['version']
    (work / 'port.cmake').write_text(PORT.format(target=target, port=port, version=number))
    must([program('cmake'), '-P', work / 'port.cmake'])
    unwanted = [path for path in target.iterdir() if path.name not in ('include', 'share')]
    if unwanted or not (target / 'share/cmk/copyright').is_file():
        raise Failure(f'vcpkg would refuse it: {unwanted}, {sorted(target.glob("share/cmk/*"))}')
    user = work / 'user'
    user.mkdir()
    (user / 'smooth.cu').write_text(first_program()[0])
    blocks = dict(sections())['Conan']
    (user / 'CMakeLists.txt').write_text(dict(blocks)['CMakeLists.txt'].replace('find_package(cmk ',
                                                                                f'find_package(cmk {number} '))
    must([program('cmake'), '-S', user, '-B', user / 'build', '-G', 'Ninja', f'-DCMAKE_PREFIX_PATH={target}'],
         CC=compiler('CC')[0])
    must([program('cmake'), '--build', user / 'build'])
    check_printed(must([user / 'build/smooth']))


def vcpkg(include, work):
    yield 'vcpkg port, with stand-ins for vcpkg: installs, and a program is built and run', \
        lambda: check_port(include, work)


# ---- ./cmk single

def one_file(include, place):
    """the folder of headers that one file makes"""
    target = place / 'cmk' / 'cmk.h'
    if not target.is_file():
        must([sys.executable, ROOT / 'packaging/single.py', '--include', include, '-o', target])
    return place


def check_again(include, place):
    first = (one_file(include, place) / 'cmk/cmk.h').read_bytes()
    must([sys.executable, ROOT / 'packaging/single.py', '--include', include, '-o', place / 'again.h'])
    if (place / 'again.h').read_bytes() != first:
        raise Failure('made again it is another')
    folder = ''.join(path.read_text() for path in include.rglob('*') if path.suffix in ('.h', '.inc'))
    strings = [token for token in TOKEN.findall(first.decode().split('*/', 1)[1]) if token[0] == '"']
    if not strings or any(string not in folder for string in strings):
        raise Failure('a string is not the one of a header')
    if len(json.dumps(first.decode())) > 2 ** 20:
        raise Failure(f'{len(first)} bytes')


def check_refused(include, place):
    (place / 'file').write_text('')
    target = place / 'file' / 'cmk.h'
    status, output = run([sys.executable, ROOT / 'packaging/single.py', '--include', include, '-o', target])
    if status != 1 or not re.fullmatch(r'cmk: single: .*file/cmk.h cannot be written: .*\n', output):
        raise Failure(f'exit status {status}\n{output}')
    for target in ('.', '..', place):
        status, output = run([sys.executable, ROOT / 'packaging/single.py', '--include', include, '-o', target],
                             cwd=place)
        if status != 1 or output != f'cmk: single: {target} cannot be written: it is a folder\n':
            raise Failure(f'-o {target}: exit status {status}\n{output}')


# a token of C: a string, a number, a word or an operator
TOKEN = re.compile(r'''"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\.?\d(?:[eEpP][+-]|[\w.])*|\w+|<<=|>>=|->\*|\.\.\.'''
                   r'''|::|\+\+|--|->|<<|>>|[-+*/%&|^!=<>]=|&&|\|\||\S''')
# what a header says of its own place, where it is in two files; a program's own places are the same
UNPLACED = ['-D__FILE__="file"', '-D__LINE__=1']


def tokens_of(mode, include, source):
    command = [word for word in compile_command(mode, include) if word not in WARNINGS + ['--Werror=all-warnings']]
    quiet = '-Wno-builtin-macro-redefined'
    output = must([*command, *UNPLACED, *(['-Xcompiler', quiet] if mode == 'cuda' else [quiet, '-P']), '-E', source])
    text = re.sub(r'^\s*#\s*(?!pragma\b).*$', '', output, flags=re.MULTILINE)
    # a string that a macro makes of its argument may have fewer spaces, but not between words
    return [re.sub(r'(?<!\w) | (?!\w)', '', token) if token[0] == '"' else token for token in TOKEN.findall(text)]


def check_tokens(mode, include, place, source):
    folder_has, file_has = (tokens_of(mode, where, source) for where in (include, one_file(include, place)))
    if folder_has != file_has:
        at = next((k for k, (a, b) in enumerate(zip(folder_has, file_has)) if a != b), -1)
        near = [' '.join(has[max(at - 12, 0):at + 12]) for has in (folder_has, file_has)]
        raise Failure(f'folder: {near[0]}\nfile: {near[1]}')


def check_cubin(include, place, source):
    cubins = []
    for where in (include, one_file(include, place)):
        target = place / 'one.cubin'
        must(compiler('NVCC') + ['-std=c++17', '-arch=sm_80', '-cubin', f'-I{where}', source, '-o', target])
        cubins.append(target.read_bytes())
    if cubins[0] != cubins[1]:
        raise Failure('another cubin')


def check_picture(include, place):
    small_picture(place / 'in.pgm')
    pictures = []
    for where in (include, one_file(include, place)):
        must(command('C11') + [f'-I{where}', '-O0', '-Dalways_inline=unused', ROOT / 'examples/filter_image.cu', '-o',
                               place / 'filter', *LIBRARIES])
        must([place / 'filter', 'in.pgm', 'out.pgm', 'clamp', 'gauss', '2'], cwd=place)
        pictures.append((place / 'out.pgm').read_bytes())
    if pictures[0] != pictures[1]:
        raise Failure('another picture')


def check_beside(include, place):
    source = place / 'beside.cu'
    source.write_text(f'#include "{one_file(include, place) / "cmk/cmk.h"}"\n#include <cmk/halo.h>\n')
    must(command('C11') + [f'-I{include}', '-fsyntax-only', source])


def single(include, work):
    yield 'one file: made again it is the same, and in JSON below a MiB', lambda: check_again(include, work)
    yield 'one file that cannot be written: a sentence', lambda: check_refused(include, work)
    for source in sorted((ROOT / 'examples').glob('*.cu')):
        if re.search('<cmk/(halo|kernel/transfer)', source.read_text(encoding='utf-8')):
            continue  # which are not of cmk.h
        for mode in ('c', 'c++', 'cuda'):
            yield (f'one file: {source.name} is the same to {mode}',
                   lambda mode=mode, source=source: check_tokens(mode, include, work, source))
    yield 'one file: the cubin of transpose.cu', lambda: check_cubin(include, work, ROOT / 'examples/transpose.cu')
    yield 'one file: the picture of filter_image.cu', lambda: check_picture(include, work)
    yield 'one file: beside the folder', lambda: check_beside(include, work)
    one_file(include, work)
    for mode in [*MODES, 'nvrtc']:
        for name, check in alone.checks_of(mode, work, work):
            yield f'one file: {name}', check
    for scenario in (plain, units):
        for name, check in scenario(work, work):
            yield f'one file: {name}', check


SCENARIOS = {'words': words, 'version': one_number, 'find': cmake_versions, 'vcpkg': vcpkg, 'single': single}


if __name__ == '__main__':
    main(__doc__, SCENARIOS)
