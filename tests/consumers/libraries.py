"""Programs of several parts: shared libraries that share the CPU backend of the program or have one of their own,
objects of nvcc beside objects of the CPU backend, and parts of two versions."""

import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Failure, must, run  # noqa: E402
from consumers import LIBRARIES, archive, compile_to, linker, main, must_stop  # noqa: E402

APART = 'which is memory of another CPU backend: a library that is loaded by dlopen shares that of a program linked'
MIXED = 'cmk_a_program_has_objects_of_nvcc_and_of_the_CPU_backend_'
STREAMS = ('order', 'shuffle:1', 'shuffle:2', 'shuffle:3')


class Build:
    def __init__(self, include, work):
        self.include, self.work = include, work

    def compiled(self, style, source, *flags):
        target = self.work / f'{Path(source).stem}{abs(hash((style, flags)))}.o'
        return compile_to(target, style, HERE / source, [f'-I{self.include}', *flags])

    def shared(self, style, *flags):
        """the library, with flags of the compiler (-f...) and of the linker (-Wl...)"""
        built = self.compiled(style, 'library.cu', '-fPIC', *[flag for flag in flags if flag.startswith('-f')])
        target = self.work / 'liblibrary.so'
        must(linker(style) + ['-shared', built, *[flag for flag in flags if flag.startswith('-W')], '-o', target,
                              *LIBRARIES])
        return target

    def linked(self, style, source, *flags):
        built = self.compiled(style, source, *(['-D_GNU_SOURCE'] if source == 'opened_main.cu' else []))
        target = self.work / 'main'
        must(linker(style) + [built, *flags, '-o', target, '-ldl', *LIBRARIES])
        return target

    def alone(self, name):
        """a version script that shows one function of the library"""
        script = self.work / 'version.map'
        script.write_text('{ global: %s; local: *; };\n' % name)
        return f'-Wl,--version-script={script}'


def says_apart(program, *words):
    for streams in STREAMS:
        status, output = run([program, *words], CMK_HOST_STREAMS=streams, LD_LIBRARY_PATH=program.parent)
        if status == 0 or APART not in output:
            raise Failure(f'{streams}: status {status}, does not say: {APART}\n{output}')


def is_right(program, *words):
    for streams in STREAMS:
        must([program, *words], CMK_HOST_STREAMS=streams, LD_LIBRARY_PATH=program.parent)


def linked(include, work):
    build = Build(include, work)

    def check(style, flags, test):
        build.shared(style, *flags)
        test(build.linked(style, 'library_main.cu', f'-L{work}', '-llibrary'))

    for style in ('C11', 'C++17'):
        yield (f'library by -fvisibility=hidden, {style}: it shares the backend of the program',
               lambda style=style: check(style, ['-fvisibility=hidden'], is_right))
    yield ('library by a version script: memory of another backend is named',
           lambda: check('C11', [build.alone('library_add_one')], says_apart))


def opened(include, work):
    build = Build(include, work)

    def check(flags, test):
        test(build.linked('C11', 'opened_main.cu', *flags), build.shared('C11'))

    def check_many(cores):
        library = build.shared('C11', build.alone('library_add_one_to_host'))
        target = work / 'reopened'
        must(linker('C11') + ['-D_GNU_SOURCE', HERE / 'reopened_main.c', '-o', target, '-ldl'])
        said = must([target, library, '60'], CMK_HOST_CORES=cores)
        if said != 'mappings 0, files 0, threads 0 more\n':
            raise Failure(said)

    yield 'library by dlopen, program with -rdynamic: they share a backend', lambda: check(['-rdynamic'], is_right)
    yield 'library by dlopen: memory of another backend is named', lambda: check([], says_apart)
    for cores in ('1', '2'):
        yield (f'library opened and closed 60 times, {cores} cores: nothing grows',
               lambda cores=cores: check_many(cores))


def mixed(include, work):
    build = Build(include, work)

    def check(style, form):
        objects = [build.compiled(style, 'library_main.cu'), build.compiled('nvcc', 'library.cu')]
        if form == 'static library':
            archive('C11', objects[1:], work / 'liblibrary.a')
            objects[1] = work / 'liblibrary.a'
        must_stop(linker(style) + [*objects, '-o', work / 'main', *LIBRARIES], MIXED)

    for style, form in (('C++17', 'objects'), ('C11', 'static library')):
        yield f'{form} of nvcc in a program of {style}: the linker stops', \
            lambda style=style, form=form: check(style, form)

    def check_versions(form):
        other = Build(work / 'other', work)
        shutil.copytree(include, other.include, dirs_exist_ok=True)
        base = other.include / 'cmk/base.h'
        base.write_text(re.sub('(#define CMK_VERSION_PATCH) .*', r'\1 99', base.read_text()))
        if form == 'a shared library':
            other.shared('C11')
            objects = [build.compiled('C11', 'library_main.cu'), f'-L{work}', '-llibrary']
        else:
            objects = [build.compiled('C11', 'library_main.cu'), other.compiled('C11', 'library.cu', '-g0')]
        must(linker('C11') + [*objects, '-o', work / 'main', *LIBRARIES])
        status, output = run([work / 'main'], LD_LIBRARY_PATH=work)
        if status == 0 or not re.match(r'cmk: parts of this program are compiled with cmk .+, others with .+:', output):
            raise Failure(f'status {status}: {output}')

    for form in ('objects', 'a shared library'):
        yield f'{form} of another version: one sentence at the start', lambda form=form: check_versions(form)


SCENARIOS = {function.__name__: function for function in (linked, opened, mixed)}


if __name__ == '__main__':
    main(__doc__, SCENARIOS)
