"""The script cmk from anywhere, with any compiler, in any checkout; and the runners with compilers that are broken."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
import levels  # noqa: E402
from harness import ROOT, Failure, Skip, arguments, compiler, folder, must, program, report, run  # noqa: E402

# runs one kernel of one thread; `auto` by the word that stands for it
KERNEL = '''#include <cmk/cmk.h>

__global__ void write_seven(float *out)
{
    WORD seven = 7.0f;
    CMK_STORE(out, seven);
}

int main(void)
{
    float *out = NULL;
    CMK_CHECK(cudaMalloc((void **)&out, sizeof *out));
    CMK_CHECK(CMK_LAUNCH(write_seven, 1, 1, 0, 0, out));
    return cudaFree(out) != cudaSuccess;
}
'''
CXX_WORD = 'const decltype(7.0f)'
NOBODY = 65534
BROKEN = '#!/bin/sh\necho "this compiler has lost its toolkit" >&2\nexit 1\n'


class Kit:
    """a copy of the folder, with kernels beside it"""

    def __init__(self, work, include):
        self.work, self.house, self.place = Path(work), Path(work) / 'a house', Path(work) / 'elsewhere'
        self.house.mkdir()
        self.place.mkdir()
        shutil.copy(ROOT / 'cmk', self.house / 'cmk')
        (self.house / 'include').symlink_to(include)
        for name in ('bench', 'run'):
            (self.house / name).symlink_to(ROOT / name)
        for name, word in (('kernel.cu', 'float'), ('cxx.cu', CXX_WORD), ('kernel.cpp', CXX_WORD),
                           ('kernel.cc', CXX_WORD), ('broken.cu', 'nothing')):
            (self.place / name).write_text(KERNEL.replace('WORD', word))

    def report(self, name, script='../a house/cmk', wanted=0, **variables):
        status, output = run([script, 'report', name], cwd=self.place, **variables)
        if status != wanted or (wanted == 0 and 'kernel write_seven' not in output):
            raise Failure(f'exit status {status}, not {wanted}\n{output}')
        return output


def says(output, *texts):
    for text in texts:
        if text not in output:
            raise Failure(f'no "{text}" in\n{output}')


# ---- ./cmk report

def report_cxx(kit, name):
    compiler('CXX')
    kit.report(name)


def report_neither(kit):
    compiler('CXX')
    says(kit.report('broken.cu', wanted=1), 'as C: ', 'as C++: ', 'broken.cu does not compile: see above')


def report_c_alone(kit):
    says(kit.report('cxx.cu', wanted=1, CXX=str(kit.work / 'none')), 'as C: ', 'does not compile')


# ---- Where it is, and by what

def by_link(kit):
    (kit.place / 'first').symlink_to('../a house/cmk')
    (kit.place / 'second').symlink_to('first')
    kit.report('kernel.cu', './second')
    if (kit.place / 'build').exists():
        raise Failure('it makes its folder beside the link')


def by_cdpath(kit):
    (kit.place / 'a house').mkdir()
    must(['a house/cmk', 'help'], cwd=kit.work, CDPATH=kit.place)
    status, output = run(['a house/cmk', 'report', 'elsewhere/kernel.cu'], cwd=kit.work, CDPATH=kit.place)
    if status != 0 or 'kernel write_seven' not in output:
        raise Failure(output)


def by_words(kit):
    kit.report('kernel.cu', CC=shlex.join(compiler('CC') + ['-DSEVERAL="a word"', '-O0']))


def by_broken_cc(kit):
    says(kit.report('kernel.cu', wanted=1, CC='none'), 'CC=none does not compile')


def read_only(kit):
    kit.work.chmod(0o755)
    house = kit.work / 'read only'
    shutil.copytree(kit.house, house, symlinks=True, ignore=shutil.ignore_patterns('build'))
    house.chmod(0o555)
    as_nobody = [program('setpriv'), f'--reuid={NOBODY}', '--clear-groups'] if os.getuid() == 0 else []
    for words in (['report', 'kernel.cu'], ['demo'], ['docs'], ['test'], ['bench']):
        status, output = run([*as_nobody, house / 'cmk', *words], cwd=kit.place)
        if status != 1 or not re.fullmatch(r'cmk: .* cannot be written: .*\n', output):
            raise Failure(f'./cmk {words[0]}: exit status {status}\n{output}')


# ---- A compiler on the PATH that is broken

def with_broken(work, name):
    tools = Path(work) / f'broken {name}'
    tools.mkdir(exist_ok=True)
    (tools / name).write_text(BROKEN)
    (tools / name).chmod(0o755)
    found = {variable: os.environ[variable] for variable in ('CC', 'CXX') if variable in os.environ}
    # what Meson has found is not passed on: the runners look for themselves
    return {'PATH': f'{tools}{os.pathsep}{os.environ["PATH"]}', 'NVCC': '', 'CLANG': '', **found}


def runner_skips(kit, name, script, *words):
    output = must([sys.executable, TESTS / script, *words], **with_broken(kit.work, name))
    says(output, '# SKIP no ' + name)
    if output.count('has lost its toolkit') != 1 or 'not ok' in output:
        raise Failure(output)


def bench_refuses(kit):
    variables = with_broken(kit.work, 'nvcc')
    smi = kit.work / 'broken nvcc' / 'nvidia-smi'
    smi.write_text('#!/bin/sh\necho "GPU 0: another"\n')
    smi.chmod(0o755)
    status, output = run([kit.house / 'cmk', 'bench'], **variables)
    says(output, 'has lost its toolkit', 'this nvcc does not compile (see above): as if there were none', 'needs a GPU')
    if status != 1:
        raise Failure(output)


def meson_skips(kit):
    if shutil.which('meson') is None:
        raise Skip('no meson')
    variables = with_broken(kit.work, 'nvcc')
    build = kit.work / 'build without nvcc'
    output = must(['meson', 'setup', build, ROOT], **variables)
    if output.count('has lost its toolkit') != 1:
        raise Failure(output)
    listed = must(['meson', 'test', '-C', build, '--no-rebuild', '--list', '--setup', 'all', '--suite', 'gpu'])
    if sorted(re.findall(r'gpu, \w+|gpu stencil1d', listed)) != ['gpu, measured']:
        raise Failure(listed)


# ---- ./cmk test

def test_suite(kit):
    if shutil.which('meson') is None:
        raise Skip('no meson')
    house = kit.work / 'whole'
    shutil.copytree(ROOT, house, ignore=shutil.ignore_patterns('build*', '.git', '__pycache__'))
    for words, wanted, last in ((['none'], 1, 'cmk: no test is of none'),
                                (['model'], 0, '1 passed, 0 failed, 0 skipped')):
        status, output = run([house / 'cmk', 'test', *words])
        if status != wanted or output.splitlines()[-1] != last:
            raise Failure(f'./cmk test {words[0]}: exit status {status}\n{output}')
    says(output, 'in tests, ', '    model\n')
    says(run([house / 'cmk', 'test', 'all'], CMK_TEST_EIGHTH='9')[1], 'CMK_TEST_EIGHTH is 1 to 8, not 9')
    (house / 'tests/data/readings.csv').write_text('probe\n')
    status, output = run([house / 'cmk', 'test', 'model'])
    if status != 1 or output.splitlines()[-1] != '0 passed, 1 failed, 0 skipped':
        raise Failure(f'a test that fails: exit status {status}\n{output}')


# ---- Which tests a level has (tests/levels.py)

def test_of(name, *suites, cost=0):
    return {'name': name, 'suite': [f'cmk:{suite}' for suite in suites], 'priority': cost}


TESTS_OF_LEVELS = [test_of('edit', 'kernels'), test_of('push', 'kernels', 'long'),
                   test_of('rows', 'planted', 'deep', 'dealt'),
                   *[test_of(f'deep {n}', 'point', 'deep', cost=n * n) for n in range(30)]]


def level(words, names):
    found = {test['name'] for test in levels.chosen(TESTS_OF_LEVELS, words, 0)[0]}
    if found != set(names):
        raise Failure(f'{words}: {sorted(found)}')


def eighths_are_whole():
    every = [[test['name'] for test in levels.chosen(TESTS_OF_LEVELS, ['all'], part)[0]] for part in range(8)]
    for test in TESTS_OF_LEVELS:
        times = sum(names.count(test['name']) for names in every)
        if times != (1 if test['name'].startswith('deep') else 8):
            raise Failure(f'{test["name"]} is in {times} eighths')


def eighths_are_alike():
    loads = [sum(test['priority'] for test in levels.dealt(TESTS_OF_LEVELS[3:], part)) for part in range(8)]
    if max(loads) > 1.25 * sum(loads) / 8:
        raise Failure(str(loads))


def names_of(script, **variables):
    output = must([sys.executable, TESTS / script], **variables)
    return re.findall(r'^ok \d+ - (.*)', output, re.MULTILINE)


def checks_are_dealt():
    every = names_of('style/rules.py')
    parts = [names_of('style/rules.py', CMK_TEST_PART=f'{part}/8', CMK_TEST_DEALS='1') for part in range(8)]
    if sorted(sum(parts, [])) != sorted(every) or max(map(len, parts)) > -(-len(every) // 8):
        raise Failure(str(parts))
    if names_of('style/rules.py', CMK_TEST_PART='3/8') != every:
        raise Failure('a test that does not deal leaves checks out')


def level_checks(_):
    deep = [test['name'] for test in TESTS_OF_LEVELS]
    return [('quick has what is neither long nor deep', lambda: level(['quick'], ['edit'])),
            ('deep has all', lambda: level(['deep'], deep)),
            ('a suite has all of its own', lambda: level(['kernels'], ['edit', 'push'])),
            ('eight eighths have all', eighths_are_whole),
            ('eighths cost about the same', eighths_are_alike),
            ('a test of the suite dealt deals out its checks', checks_are_dealt)]


def calls(kit):
    return [('report of a .cu in C', lambda: kit.report('kernel.cu')),
            *[(f'report of {name}, in C++', lambda name=name: report_cxx(kit, name))
              for name in ('kernel.cpp', 'kernel.cc', 'cxx.cu')],
            ('report of a file that is neither C nor C++', lambda: report_neither(kit)),
            ('report of C++ without its compiler', lambda: report_c_alone(kit)),
            ('by links from another folder', lambda: by_link(kit)),
            ('CDPATH leads nowhere else', lambda: by_cdpath(kit)),
            ('CC of several words', lambda: by_words(kit)),
            ('a CC that is not there', lambda: by_broken_cc(kit)),
            ('a checkout that cannot be written', lambda: read_only(kit)),
            ('a broken nvcc beside a GPU: no bench', lambda: bench_refuses(kit)),
            ('a broken nvcc: headers alone', lambda: runner_skips(
                kit, 'nvcc', 'alone/alone.py', 'cuda', 'nvrtc', '--only', 'cmk/check.h')),
            ('a broken nvcc: the examples', lambda: runner_skips(
                kit, 'nvcc', 'consumers/consumers.py', 'example', '--only', 'examples/transpose.cu')),
            ('a broken nvcc: codegen', lambda: runner_skips(
                kit, 'nvcc', 'codegen/codegen.py', 'equal', '--only', 'read_only')),
            ('a broken clang: headers alone', lambda: runner_skips(
                kit, 'clang', 'alone/alone.py', 'clang', '--only', 'cmk/check.h')),
            ('a broken nvcc: Meson', lambda: meson_skips(kit))]


GROUPS = {'calls': calls, 'levels': level_checks,
          'tests': lambda kit: [('./cmk test: the closing line', lambda: test_suite(kit))]}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as work:
        kit = Kit(work, options.include)
        report([check for name in options.which for check in GROUPS[name](kit)], options)


if __name__ == '__main__':
    main()
