"""Compiles misuses of the headers, which must fail with the text that the case expects.

A case is cases/NAME.cu and opens with one line or more of
    /* expect: TEXT */              in every mode
    /* expect c c++: TEXT */        in these modes
A mode without a line is not tried; of several texts for a mode all must be there. `/* compiles */` opens a
case that must compile. clang and clang++ must say what c and c++ must, where all of it begins with "cmk: ". Every
sentence of a CMK_STATIC_ASSERT or CMK_ASSERT_HERE_ in the headers that begins with "cmk: " needs a case that
expects it in every mode (a sentence of host/: in C and C++; one that only a CUDA compiler meets: in CUDA).
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import Failure, arguments, compile_command, folder, report, run  # noqa: E402

CASES = HERE / 'cases'
MODES = ('c', 'c++', 'cuda')
CLANG = {'c': 'clang', 'c++': 'clang++'}
EXPECT = re.compile(r'/\* expect([^:]*): (.*) \*/')
SENTENCE = re.compile(r'(?:CMK_STATIC_ASSERT|CMK_ASSERT_HERE_)\([^;]*?"(cmk: [^"]+)"\)')
SPLIT_LITERAL = re.compile(r'"\s*\\?\n\s*"')
ONLY_CUDA = re.compile(r'#if defined\(__CUDACC__\)\n(.*?)\n#(?:else|endif)', re.DOTALL)


def expectations(path):
    """the texts that the compiler's output must hold, by mode; none where the case must compile"""
    texts = {}
    for line in path.read_text().splitlines():
        found = EXPECT.fullmatch(line)
        if line == '/* compiles */':
            return {mode: [] for mode in (*MODES, *CLANG.values())}
        if found is None:
            break
        for mode in found.group(1).split() or MODES:
            texts.setdefault(mode, []).append(found.group(2))
    for mode, clang in CLANG.items():
        if mode in texts and all(text.startswith('cmk: ') for text in texts[mode]):
            texts[clang] = texts[mode]
    return texts


def compile_case(mode, include, path, texts):
    with folder() as temporary:
        status, output = run(compile_command(mode, include) + ['-c', path, '-o', Path(temporary) / 'case.o'])
    if status != 0 and not texts:
        raise Failure('does not compile:\n' + output)
    if status == 0 and texts:
        raise Failure(f'compiles, but should stop with: {texts[0]}')
    for text in texts:
        if text not in output:
            raise Failure(f'stops, but not with: {text}\n{output}')


def case_checks(include, modes):
    for path in sorted(CASES.glob('*.cu')):
        for mode, texts in expectations(path).items():
            if mode in modes:
                yield (f'{mode}: {path.stem}',
                       lambda mode=mode, path=path, texts=texts: compile_case(mode, include, path, texts))


def sentence_checks(include):
    cases = [expectations(path) for path in CASES.glob('*.cu')]

    def check(sentence, modes):
        for mode in modes:
            if not any(sentence in texts.get(mode, []) for texts in cases):
                raise Failure(f'no case expects it in mode {mode}')

    for path in sorted(include.glob('cmk/**/*.h')):
        text = SPLIT_LITERAL.sub('', path.read_text())
        in_cuda = SENTENCE.findall('\n'.join(ONLY_CUDA.findall(text)))
        for sentence in sorted(set(SENTENCE.findall(text))):
            modes = ('c', 'c++') if 'host' in path.parts else ('cuda',) if sentence in in_cuda else MODES
            yield f'a case expects: {sentence}', lambda sentence=sentence, modes=modes: check(sentence, modes)


def header_check():
    """a case whose first line says nothing would test nothing"""
    silent = [path.name for path in CASES.glob('*.cu') if not expectations(path)]
    if silent:
        raise Failure('no expectation in ' + ' '.join(silent))


def main():
    options = arguments(__doc__, [*MODES, *CLANG.values(), 'sentences'], 'MODE')
    checks = list(case_checks(options.include, options.which))
    if 'sentences' in options.which:
        checks += [('every case expects something', header_check), *sentence_checks(options.include)]
    report(checks, options)


main()
