"""Plain pointers under AddressSanitizer: each bug of sanitized.cu is reported at its line, and the report ends with the
kernel, the block and the thread. In C and in C++.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Failure, Skip, arguments, compiler, folder, must, report, run  # noqa: E402

LANGUAGES = {'c': ('CC', ['-std=c11', '-x', 'c']), 'c++': ('CXX', ['-std=c++17', '-x', 'c++'])}
PLACES = {  # what a report names, beside the line
    'global_past': 'in kernel global_past, block (0,0,0), thread (31,0,0)',
    'global_before': 'in kernel global_before, block (0,0,0), thread (0,0,0)',
    'shared_past': 'in kernel shared_past, block (0,0,0), thread (7,0,0)',
    'freed': 'in kernel freed, block (0,0,0), thread (0,0,0)',
}


def build(language, include, work):
    variable, flags = LANGUAGES[language]
    words = [*compiler(variable), '-g', '-O0', '-fsanitize=address', f'-I{include}/cmk/host/toolkit', *flags]
    probe = work / 'probe.c'
    probe.write_text('int main(void) { return 0; }\n', encoding='utf-8')
    if run([*words, '-o', work / 'probe', probe])[0] != 0 or run([work / 'probe'])[0] != 0:
        raise Skip('AddressSanitizer does not work here')
    program = work / language
    if not program.exists():
        must([*words, '-o', program, HERE / 'sanitized.cu', '-lm', '-lpthread'])
    return program


def line_of(bug):
    lines = (HERE / 'sanitized.cu').read_text(encoding='utf-8').splitlines()
    return next(number for number, line in enumerate(lines, 1) if f'/* BUG {bug} */' in line)


def check(program, bug):
    status, output = run([program, bug], ASAN_OPTIONS='detect_leaks=0', CMK_HOST_CORES='2')
    if bug not in PLACES:
        if status != 0 or output != 'cudaSuccess\n':
            raise Failure(output)
        return
    wanted = ['AddressSanitizer', rf'sanitized\.cu:{line_of(bug)}\b', re.escape(PLACES[bug])]
    if status == 0 or not all(re.search(text, output) for text in wanted):
        raise Failure(output)


def checks_of(languages, include, work):
    for language in languages:
        for bug in ('right', *PLACES):
            yield f'{language}: {bug}', lambda language=language, bug=bug: check(build(language, include, work), bug)


def main():
    options = arguments(__doc__, list(LANGUAGES), 'LANGUAGE')
    with folder() as temporary:
        report(list(checks_of(options.which, options.include, Path(temporary))), options)


main()
