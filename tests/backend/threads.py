"""Right kernels under ThreadSanitizer, by the flags that docs/without-a-gpu.md names: no report. By both compilers, in
C, with the functions of the backend inlined and called.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Failure, Skip, arguments, compiler, folder, must, report, run  # noqa: E402

CALLED = ['-Dalways_inline=unused']
FLAGS = {'inlined': [], 'called': CALLED, 'called, not optimized': [*CALLED, '-O0']}


def check(variable, flags, include, work):
    words = [*compiler(variable), '-g', '-O1', '-fsanitize=thread', *flags, f'-I{include}', '-x', 'c']
    probe = work / 'probe.c'
    probe.write_text('int main(void) { return 0; }\n', encoding='utf-8')
    if run([*words, '-o', work / 'probe', probe])[0] != 0 or run([work / 'probe'])[0] != 0:
        raise Skip('ThreadSanitizer does not work here')
    must([*words, '-o', work / 'threads', HERE / 'threads.cu', '-lm', '-lpthread'])
    for order, cores in (('forward', '1'), ('shuffle:1', '2')):
        status, output = run([work / 'threads'], CMK_HOST_ORDER=order, CMK_HOST_CORES=cores)
        if status != 0 or output != 'right\n':
            raise Failure(f'{order}, {cores} cores:\n{output}')


def main():
    options = arguments(__doc__, ['CC', 'CLANG'], 'COMPILER')
    with folder() as temporary:
        report([(f'{variable}, {name}', lambda v=variable, f=flags: check(v, f, options.include, Path(temporary)))
                for variable in options.which for name, flags in FLAGS.items()], options)


if __name__ == '__main__':
    main()
