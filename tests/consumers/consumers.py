"""Takes cmk in as users do, builds a program with it and runs it.

A program built by nvcc runs where a GPU is present and is only built elsewhere.
"""

import functools
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import (C11, CXX17, INCLUDES, ROOT, WARNINGS, Failure, Skip, arguments, compile_command,  # noqa: E402
                     compiler, folder, gpu_present, must, nvcc, program, report, run, toolkit)

LIBRARIES = ['-lm', '-lpthread']
CUDA = ['-std=c++17', '--Werror=all-warnings', '-Xcompiler=-Wall,-Wextra']
STYLES = {
    'C11': ('CC', C11 + WARNINGS),
    'C++17': ('CXX', CXX17 + WARNINGS),
    'nvcc': ('NVCC', CUDA),
    'nvcc -rdc=true': ('NVCC', CUDA + ['-rdc=true']),
}


def command(style):
    variable, flags = STYLES[style]
    return (nvcc() if variable == 'NVCC' else compiler(variable)) + flags


def linker(style):
    """the command of a style for object files, which C11's and C++17's -x would take for source"""
    variable, flags = STYLES[style]
    return command(style) if variable == 'NVCC' else compiler(variable)


def position_independent(style):
    return ['-Xcompiler=-fPIC'] if style.startswith('nvcc') else ['-fPIC']


def compile_to(target, style, source, flags):
    must(command(style) + [*flags, '-c', source, '-o', target])
    return target


def execute(style, path, cwd=None, words=(), **variables):
    if not style.startswith('nvcc') or gpu_present():
        must([path, *words], cwd=cwd, **variables)


def verb(style):
    return 'built, no GPU to run on' if style.startswith('nvcc') and not gpu_present() else 'built and run'


def build_and_run(style, source, flags, work, libraries=LIBRARIES):
    built = compile_to(work / 'user.o', style, source, flags)
    must(linker(style) + [built, '-o', work / 'user', *libraries])
    execute(style, work / 'user')


def plain(include, work):
    for style in ('C11', 'C++17', 'nvcc'):
        yield (f'-I include, {style}: {verb(style)}',
               lambda style=style: build_and_run(style, HERE / 'user.cu', [f'-I{include}'], work))


# ---- Every kind of definition by the flags of docs/without-a-gpu.md, without a warning

def warnings(include, work):
    def check(mode):
        flags = ['-O2', '-Dalways_inline=unused', f'-I{HERE.parent}']
        must([*compile_command(mode, include), *flags, '-c', HERE.parent / 'gpu' / 'debug.cu', '-o', work / 'user.o'])

    for mode in ('c', 'c++', 'clang', 'clang++'):
        yield f'functions of engines called, {mode}: no warning', lambda mode=mode: check(mode)


# ---- Two translation units that define the same names

def units(include, work):
    def check(styles):
        objects = []
        for unit, style in enumerate(styles):
            flags = [f'-I{include}', f'-DUNIT={unit}']
            objects.append(compile_to(work / f'unit{unit}.o', style, HERE / 'unit.cu', flags))
        objects.append(compile_to(work / 'main.o', styles[0], HERE / 'units_main.cu', []))
        must(linker(styles[-1]) + objects + ['-o', work / 'units', *LIBRARIES])
        execute(styles[0], work / 'units')

    for styles in (['C11'] * 2, ['C++17'] * 2, ['C11', 'C++17'], ['nvcc'] * 2, ['nvcc -rdc=true'] * 2):
        yield (f'two units, {" and ".join(sorted(set(styles)))}: {verb(styles[0])}',
               lambda styles=styles: check(styles))


# ---- A shared library and a program, which share device memory

def library(include, work):
    def check(style):
        flags = [f'-I{include}', *position_independent(style)]
        built = compile_to(work / 'library.o', style, HERE / 'library.cu', flags)
        must(linker(style) + ['-shared', built, '-o', work / 'liblibrary.so', *LIBRARIES])
        built = compile_to(work / 'main.o', style, HERE / 'library_main.cu', flags)
        must(linker(style) + [built, '-o', work / 'main', f'-L{work}', '-llibrary', *LIBRARIES])
        execute(style, work / 'main', LD_LIBRARY_PATH=work)

    for style in ('C11', 'C++17', 'nvcc'):
        yield f'shared library and program, {style}: {verb(style)}', lambda style=style: check(style)


# ---- Tables that two files share: the program holds both, or a library does

SHARED_SOURCES = ('CONSTANT', 'PARAMETER', 'GLOBAL')
UNLINKED = 'cmk: CMK_TABLE_EXTERN: one table for several files needs nvcc -rdc=true'


def must_stop(words, *texts):
    status, output = run(words)
    if status == 0:
        raise Failure(f'works, but should stop with: {texts[0]}')
    if not any(text in output for text in texts):
        raise Failure(f'stops, but not with: {texts[0]}\n{output}')


def archive(style, objects, target):
    target.unlink(missing_ok=True)
    words = linker(style) + ['-lib', '-o', target] if style.startswith('nvcc') else [program('ar'), 'rcs', target]
    must(words + objects)


def linkage(include, work):
    def flags(source, unit, defines):
        return [f'-I{include}', f'-DWHERE={source}', f'-DUNIT={unit}', *['-DDEFINES'] * defines]

    @functools.lru_cache(maxsize=None)
    def built(style, source, unit, defines):
        target = work / f'{source}{unit}{int(defines)}{list(STYLES).index(style)}.o'
        return compile_to(target, style, HERE / 'linked.cu',
                          flags(source, unit, defines) + position_independent(style))

    @functools.lru_cache(maxsize=None)
    def built_main(style):
        target = work / f'main{list(STYLES).index(style)}.o'
        return compile_to(target, style, HERE / 'linked_main.cu', position_independent(style))

    def link(style, objects):
        must(linker(style) + objects + ['-o', work / 'linked', *LIBRARIES])

    def share(style, objects):
        must(linker(style) + ['-shared', *objects, '-o', work / 'liblinked.so', *LIBRARIES])

    def check(form, source, styles):
        units = [built(style, source, unit, unit == 0) for unit, style in enumerate(styles)]
        main_object, style = built_main(styles[0]), styles[-1]
        if form == 'objects':
            link(style, [*units, main_object])
        elif form == 'static library':
            archive(style, units, work / 'liblinked.a')
            link(style, [main_object, work / 'liblinked.a'])
        else:
            inside = units if form == 'shared library' else units[:1]
            share(style, inside)
            link(style, [main_object, *units[len(inside):], f'-L{work}', '-llinked'])
        execute(style, work / 'linked', LD_LIBRARY_PATH=work)

    def check_undefined(source, style):
        share(style, [built(style, source, 0, True)])
        must_stop(linker(style) + [built_main(style), built(style, source, 1, False), f'-L{work}', '-llinked', '-o',
                                   work / 'linked'], "Undefined reference to 'linked_values_'")

    def check_twice(source, style):
        units = [built(style, source, unit, True) for unit in (0, 1)]
        must_stop(linker(style) + [*units, built_main(style), '-o', work / 'linked', *LIBRARIES],
                  'multiple definition of', 'Multiple definition of')

    def check_unlinked(source):
        for more in ([], position_independent('nvcc')):
            for unit in (0, 1):
                must_stop(command('nvcc') + flags(source, unit, unit == 0) + more +
                          ['-c', HERE / 'linked.cu', '-o', work / 'unlinked.o'], UNLINKED)

    device_link = 'nvcc -rdc=true'
    for styles in (['C11'] * 2, ['C++17'] * 2, ['C11', 'C++17'], [device_link] * 2, ['nvcc'] * 2):
        for source in SHARED_SOURCES:
            for form in ('objects', 'static library', 'shared library', 'shared library and program'):
                separate = styles[0] == 'nvcc' or form == 'shared library and program'
                if styles[0].startswith('nvcc') and source != 'PARAMETER' and separate:
                    continue
                yield (f'{source} table of two files, {form}, {" and ".join(sorted(set(styles)))}: {verb(styles[0])}',
                       lambda form=form, source=source, styles=styles: check(form, source, styles))
    for source in ('CONSTANT', 'GLOBAL'):
        yield (f'{source} table of a shared library in a kernel of the program, {device_link}: the linker stops',
               lambda source=source: check_undefined(source, device_link))
        yield (f'{source} table of two files, nvcc: the compiler stops',
               lambda source=source: check_unlinked(source))
    for style in ('C11', 'C++17', device_link):
        for source in SHARED_SOURCES:
            yield (f'{source} table defined twice, {style}: the linker stops',
                   lambda source=source, style=style: check_twice(source, style))


# ---- An example copied out, with the build lines of its own comment

INPUTS = {'stencil1d': ['1000'], 'conv2d': ['40'], 'filter_image': ['in.pgm', 'out.pgm', 'clamp', 'gauss', '2'],
          'const_access': ['all', '33', '1000'], 'const_literal': ['100', '2'], 'coefficients': ['129', '35'],
          'shared_layout': [], 'transpose': ['97', '130'], 'heat2d': ['97', '30'], 'gray_scott': ['97', '30', 'out'],
          'wave3d': ['33', '5', 'out.pgm'], 'fdtd2d': ['97', '30', 'out.pgm'], 'life': ['97', '30', 'out.pgm'],
          'median': ['in.pgm', 'out.pgm', '5'], 'jacobi': ['33', '1e-3'],
          'conjugate_gradients': ['33', '1e-3'], 'shallow_water': ['97', '0.05', 'out.pgm'],
          'heat3d': ['33', '5', 'out.pgm'], 'multigrid': ['24', '1e-6']}


def small_picture(path):
    width, height = 37, 23
    pixels = bytes(7 * k % 256 for k in range(width * height))
    path.write_bytes(b'P5\n%d %d\n255\n' % (width, height) + pixels)


def build_lines(path):
    return re.findall(r'^ \* +(?:build|or): (.*?)(?: \*/)?$', path.read_text(), re.MULTILINE)


def build_example(path, line, include, work):
    name, place = path.stem, work / path.stem / line.split()[0]
    if name not in INPUTS:
        raise Failure(f'no input is known for {path.name}: add it to INPUTS')
    words = shlex.split(line)
    if words[0] == 'nvcc':
        words = nvcc() + [word for word in words[1:] if word != '-arch=native'] + [*CUDA[1:], '-Xcompiler=-O0']
    else:
        words[0] = program(words[0])
        words += ['-O0', '-Dalways_inline=unused']  # the suite kernels has them optimized
    shutil.copytree(include, place / 'include')
    (place / 'examples').mkdir()
    shutil.copy(path, place / 'examples')
    output = must(words, cwd=place)
    if output and not line.startswith('nvcc'):
        raise Failure('warnings:\n' + output)
    small_picture(place / 'in.pgm')
    execute(line, place / name, place, INPUTS[name])


def example(include, work):
    for path in sorted((ROOT / 'examples').glob('*.cu')):
        lines = build_lines(path)
        yield f'{path.name} tells how to build it with nvcc and gcc', lambda lines=lines: two_lines(lines)
        for line in lines:
            yield (f'{line}: {verb(line)}',
                   lambda path=path, line=line: build_example(path, line, include, work))


def two_lines(lines):
    if [line.split()[0] for line in lines] != ['nvcc', 'gcc'] or '-arch=native' not in lines[0].split():
        raise Failure(f'found: {lines}')


# ---- base.h, host/ and the headers that one part needs, copied out; the use of the part in tests/alone

def needed(include, header):
    """the header with base.h, and for a complete kernel and an exchange also the parts that it includes"""
    found = {header, 'cmk/base.h'}
    if not header.startswith(('cmk/kernel/', 'cmk/halo')):
        return found | ({'cmk/edge.h'} if header == 'cmk/point.h' else set())  # an update names the edges of its fields
    for name in re.findall(r'^#include "([^"]+)"', (include / header).read_text(), re.MULTILINE):
        path = os.path.normpath(os.path.join(os.path.dirname(header), name))
        found |= needed(include, path)
    return found


def copy_part(include, header, place):
    for name in needed(include, header):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(include / name, place / name)
    shutil.copytree(include / 'cmk/host', place / 'cmk/host', dirs_exist_ok=True)


def parts(include, work):
    uses = HERE.parent / 'alone' / 'use'

    def check(use):
        header = 'cmk/' + use.relative_to(uses).with_suffix('.h').as_posix()
        place = work / use.relative_to(uses).with_suffix('')
        copy_part(include, header, place)
        source = place / 'user.cu'
        source.write_text(f'#include <{header}>\n' + use.read_text())
        build_and_run('C11', source, [f'-I{place}'], place)

    for use in sorted(uses.glob('**/*.cu')):
        if 'cmk/' + use.relative_to(uses).with_suffix('.h').as_posix() in INCLUDES:
            continue  # its program would need the library too
        yield f'{use.relative_to(uses)} with only the headers that it needs, C11: built and run', \
            lambda use=use: check(use)


# ---- Meson, pkg-config, CMake

def meson():
    """the command, at least 1.0"""
    for words in ([shutil.which('meson')], [sys.executable, '-m', 'mesonbuild.mesonmain']):
        version = run(words + ['--version'])[1] if words[0] else ''
        if re.match(r'[1-9]\d*\.\d+', version):
            return words
    raise Skip('no Meson 1.0 or later')


def not_source(place, names):
    builds = [name for name in names if (Path(place) / name / 'meson-private').is_dir()]
    return builds + [name for name in names if name in ('.git', '__pycache__', 'subprojects')]


def copy_repository(include, place):
    shutil.copytree(ROOT, place, ignore=not_source)
    shutil.rmtree(place / 'include')
    shutil.copytree(include, place / 'include')


SUBPROJECT_USER = '''project('user', 'c', default_options: ['c_std=c11', 'warning_level=3', 'werror=true'])
source = configure_file(input: 'user.cu', output: 'user.c', copy: true)
executable('user', source, dependencies: DEPENDENCY)
'''


def build_subproject(include, place, dependency, wrap):
    words = meson()
    copy_repository(include, place / 'subprojects' / 'cmk')
    (place / 'meson.build').write_text(SUBPROJECT_USER.replace('DEPENDENCY', dependency))
    if wrap:
        shutil.copy(ROOT / 'packaging/cmk.wrap', place / 'subprojects')
    shutil.copy(HERE / 'user.cu', place)
    must(words + ['setup', '--wrap-mode=forcefallback', 'build'], cwd=place)
    must(words + ['compile', '-C', 'build'], cwd=place)
    must([place / 'build' / 'user'])


def subproject(include, work):
    fallback = "dependency('cmk', fallback: ['cmk', 'cmk_dep'])"
    yield (f'Meson subproject, {fallback}: built and run',
           lambda: build_subproject(include, work / 'fallback', fallback, wrap=False))
    yield ("Meson subproject, dependency('cmk') by a wrap that provides it: built and run",
           lambda: build_subproject(include, work / 'wrap', "dependency('cmk')", wrap=True))


def install(include, work):
    words = meson()
    copy_repository(include, work / 'cmk')
    must(words + ['setup', f'--prefix={work / "prefix"}', '-Dcuda=disabled', 'build'], cwd=work / 'cmk')
    must(words + ['install', '-C', 'build', '--no-rebuild'], cwd=work / 'cmk') # as README says: nothing is built for it
    if not (work / 'prefix/share/licenses/cmk/LICENSE').is_file():
        raise Failure('LICENSE is not installed')


def installed(work):
    """the prefix, after install"""
    meson()
    if not (work / 'prefix').is_dir():
        raise Failure('not installed')
    return work / 'prefix'


def version(include):
    text = (include / 'cmk/base.h').read_text()
    return '.'.join(re.findall(r'#define CMK_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', text))


def pkgconfig(include, work):
    def ask(*words):
        found = program('pkg-config')
        place = next(installed(work).rglob('cmk.pc')).parent
        return must([found, *words, 'cmk'], PKG_CONFIG_PATH=place).split()

    def check_version():
        if ask('--modversion') != [version(include)]:
            raise Failure(f'{ask("--modversion")} is not the version of base.h, {version(include)}')

    yield 'meson install', lambda: install(include, work)
    yield 'pkg-config tells the version of base.h', check_version
    def check(style):
        build_and_run(style, HERE / 'user.cu', ask('--cflags'), work, ask('--libs'))

    for style in ('C11', 'C++17', 'nvcc'):
        yield f'installed, pkg-config, {style}: {verb(style)}', lambda style=style: check(style)


CMAKE_USER = '''cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
set(CMAKE_C_STANDARD 11)
TAKE_IN
set_source_files_properties(user.cu PROPERTIES LANGUAGE C)
add_executable(user user.cu)
target_link_libraries(user cmk::cmk)
'''


def cmake(include, work):
    place = work / 'user'

    def configure(name, take_in, *more):
        program('ninja')
        words = [program('cmake'), '-S', place, '-B', place / name, '-G', 'Ninja', *more]
        place.mkdir(exist_ok=True)
        (place / 'CMakeLists.txt').write_text(CMAKE_USER.replace('TAKE_IN', take_in))
        shutil.copy(HERE / 'user.cu', place)
        return run(words, CC=shlex.join(compiler('CC')))

    def find(wanted):
        return configure(f'find{wanted}', f'find_package(cmk {wanted} REQUIRED CONFIG)',
                         f'-DCMAKE_PREFIX_PATH={installed(work)}')

    def build(name, status, output):
        if status != 0:
            raise Failure(output)
        must([program('cmake'), '--build', place / name])
        must([place / name / 'user'])

    def check_found():
        build(f'find{version(include)}', *find(version(include)))

    def check_newer():
        if 'version' not in find('99.0')[1]:
            raise Failure('find_package(cmk 99.0) finds this version')

    def check_source(name, take_in):
        source = work / 'source'
        if not source.is_dir():
            copy_repository(include, source)
        build(name, *configure(name, take_in.replace('PLACE', f'"{source}"')))

    yield 'CMake add_subdirectory, C11: built and run', lambda: check_source('sub', 'add_subdirectory(PLACE cmk)')
    yield ('CMake FetchContent, C11: built and run', lambda: check_source(
        'fetch', 'include(FetchContent)\nFetchContent_Declare(cmk SOURCE_DIR PLACE)\nFetchContent_MakeAvailable(cmk)'))
    yield 'meson install', lambda: install(include, work)
    yield 'installed, CMake find_package, C11: built and run', check_found
    yield 'CMake find_package of a version that is not there stops', check_newer


# ---- The README's first program, and what it says of a mistake in it

def program_of_readme():
    """the README, and the program in it"""
    text = (ROOT / 'README.md').read_text()
    return text, re.search(r'```c\n(.*?)```', text, re.DOTALL).group(1)


def check_words_of_readme(text, said):
    if f'```\n{said}```' not in text:
        raise Failure(f'not in the README: {said}')


def readme(include, work):
    text, program_text = program_of_readme()
    source = work / 'smooth.cu'

    def check(style):
        source.write_text(program_text)
        build_and_run(style, source, [f'-I{include}'], work)

    def check_result():
        check('C11')
        check_words_of_readme(text, must([work / 'user']))

    def check_mistake():
        right, wrong = re.search(r'Write\s+`(.+?)`\s+for\s+`(.+?)`', text).group(2, 1)
        source.write_text(program_text.replace(right, wrong))
        must(command('C11') + [f'-I{include}', source, '-o', work / 'smooth', *LIBRARIES])
        said = run([work / 'smooth'])[1].strip().replace(str(source), 'smooth.cu')
        if not said.startswith('cmk: kernel smooth') or said not in text:
            raise Failure(f'not in the README: {said}')

    for style in ('C11', 'C++17', 'nvcc'):
        yield f"the README's program, {style}: {verb(style)}", lambda style=style: check(style)
    yield "the README's program prints what the README says", check_result
    yield "the README's mistake is reported in the README's words", check_mistake


# ---- Launchers called with the views of C++

def spans(include, work):
    for style in ('C++17', 'nvcc'):
        yield (f'span.cu, {style}: {verb(style)}',
               lambda style=style: build_and_run(style, HERE / 'span.cu', [f'-I{include}'], work))


# ---- clang as the CUDA compiler, with the headers and the libraries of nvcc's toolkit

def clang_cuda(include, work):
    words = ['-x', 'cuda', '--cuda-gpu-arch=sm_90', '-std=c++17', '-O2', *WARNINGS[:2], '-Werror', f'-I{include}',
             '-Wno-unknown-cuda-version', '-Wno-pass-failed']  # it knows CUDA 12.9; a loop that it does not unroll

    def check(source, inputs):
        compiles = [program('clang++-22'), f'--cuda-path={Path(compiler("NVCC")[0]).resolve().parent.parent}', *words]
        built = work / f'{source.stem}.o'
        must([*compiles, '-c', source, '-o', built])
        libraries = [*(f'-L{path}' for path in toolkit('LIBRARIES')), '-lcudart_static', '-ldl', '-lrt', *LIBRARIES]
        must([*compiler('CXX'), built, '-o', work / source.stem, *libraries])
        status, said = run([work / source.stem, *inputs])
        if status != 0 and (gpu_present() or not re.search('cudaError(InsufficientDriver|NoDevice)', said)):
            raise Failure(f'exit status {status}\n{said}')

    for source, inputs in ((HERE / 'user.cu', []), (ROOT / 'examples' / 'transpose.cu', ['97', '130']),
                           (ROOT / 'examples' / 'conv2d.cu', ['40'])):
        yield (f'{source.name}, clang 22 for sm_90: {verb("nvcc")}',
               lambda source=source, inputs=inputs: check(source, inputs))


# ---- AArch64 under emulation: cross compiled, and run by qemu-user

CROSSED = {'transpose': ['97', '130'], 'conv2d': ['40'], 'heat2d': ['97', '30'], 'life': ['97', '30', 'out.pgm']}
BUG = 'tile_column'  # of tests/backend/bugs.cu


def build_aarch64(source, include, work):
    """the words that run the program"""
    words = [program('aarch64-linux-gnu-gcc'), program('qemu-aarch64')]
    flags = [*C11, '-g', '-O1', '-static', '-Dalways_inline=unused', '-Wno-maybe-uninitialized', f'-I{include}']
    must([words[0], *flags, f'-I{HERE.parent}', source, '-o', work / source.stem, *LIBRARIES])
    return [words[1], work / source.stem]


def aarch64(include, work):
    def check_readme():
        text, program_text = program_of_readme()
        source = work / 'smooth.cu'
        source.write_text(program_text)
        check_words_of_readme(text, must(build_aarch64(source, include, work)))

    def check_bug():
        source = HERE.parent / 'backend' / 'bugs.cu'
        line = next(number for number, line in enumerate(source.read_text().splitlines(), 1)
                    if f'/* BUG {BUG} */' in line)
        said = run([*build_aarch64(source, include, work), BUG])[1]
        wanted = f'cmk: kernel {BUG}, block (0,0,0), thread (7,0,0): {source}:{line}: reads float element (0,8) of tile'
        if wanted not in said:
            raise Failure(f'wanted {wanted}\ngot    {said}')

    def check_example(name):
        must([*build_aarch64(ROOT / 'examples' / f'{name}.cu', include, work), *CROSSED[name]], cwd=work)

    yield "the README's program, AArch64: prints what the README says", check_readme
    for name in CROSSED:
        yield f'{name}.cu, AArch64: built and right', lambda name=name: check_example(name)
    yield f'bugs.cu, AArch64: {BUG} is named with its thread and line', check_bug


SCENARIOS = {function.__name__: function
             for function in (plain, warnings, example, subproject, pkgconfig, cmake, units, parts, library, linkage,
                              readme, spans, clang_cuda, aarch64)}


def main(description, scenarios):
    """what each runner of this folder does: the checks of the scenarios that it is told, each in a folder of its own"""
    options = arguments(description, scenarios, 'SCENARIO', parallel=False)
    with folder() as temporary:
        checks = []
        for name in options.which:
            work = Path(temporary) / name
            work.mkdir()
            checks += scenarios[name](options.include, work)
        report(checks, options)


if __name__ == '__main__':
    main(__doc__, SCENARIOS)
