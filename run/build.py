"""Builds a CUDA program for the CPU backend: its files, rewritten where plain CUDA needs it (launches.py).

command.py calls it. The program has the name of its first file. Beside it are copies of its files and of the headers
that they include by quotes or from the folders of -I. CC and CXX are the compilers. Python is what a machine without a
CUDA toolkit has; nothing but its standard library is used.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import launches
from bounds import USUAL, card_of
from lexer import Source, Trouble
from limits import Limit

ROOT = Path(os.path.abspath(__file__)).parent.parent  # of a link, where the link is
RUN, INCLUDE = ROOT / 'run', ROOT / 'include'
TOOLKIT = INCLUDE / 'cmk' / 'host' / 'toolkit'
# what programs that work by nvcc rely on: types that overlap, integers that wrap around
FLAGS = ['-g', '-fno-strict-aliasing', '-fwrapv']
# by which clang, or gcc, calls a function before each access (host/watch.h), and lets each have a place of its own
WATCHES = (['-fsanitize=kernel-address', '-mllvm', '-asan-instrumentation-with-call-threshold=0',
            '-mllvm', '-asan-stack=0', '-mllvm', '-asan-globals=0', '-mllvm', '-asan-opt-globals=0',
            '-mllvm', '-enable-tail-merge=0'],
           ['-fsanitize=kernel-address', '--param', 'asan-instrumentation-with-call-threshold=0',
            '-fno-tree-tail-merge', '-fno-crossjumping'])
# by which gcc calls one before each access, and at the start of each basic block (host/count/trace.h). It unrolls loops
# of few turns and loads once what does not change, much as nvcc does. Blocks keep the order of the source, and nothing
# else stands twice.
TRACES = ['-fsanitize=thread', '-fsanitize-coverage=trace-pc', '-O3', '-Wno-tsan',
          *('-fno-' + step for step in (
              'tree-sra', 'tree-ch', 'thread-jumps', 'reorder-blocks', 'reorder-blocks-and-partition',
              'tree-tail-merge', 'crossjumping', 'ipa-icf', 'ipa-cp-clone', 'tree-vectorize', 'unroll-loops',
              'peel-loops', 'unswitch-loops', 'split-loops', 'tree-loop-if-convert')),
          '--param', 'max-inline-insns-auto=200', '--param', 'inline-unit-growth=400',
          '-DCMK_HOST_TRACE_=1', '-DCMK_HOST_WATCH_=1']
# libraries of CUDA that are not there, by the names of their headers
LIBRARIES = {'cuBLAS': r'cublas\w*\.h', 'cuFFT': r'cufft\w*\.h', 'cuRAND': r'curand\w*\.h', 'cub': r'cub/.*',
             'thrust': r'thrust/.*', 'libcu++': r'cuda/.*', 'cuSPARSE': r'cusparse\w*\.h',
             'cuSOLVER': r'cusolver\w*\.h', 'cuDNN': r'cudnn\w*\.h', 'NPP': r'npp\w*\.h', 'nvJPEG': r'nvjpeg\w*\.h',
             'cuTENSOR': r'cutensor\w*\.h', 'CUTLASS': r'(?:cutlass|cute)/.*', 'NVRTC': r'nvrtc\.h', 'NVML': r'nvml\.h',
             'NVTX': r'nvtx3/.*|nvToolsExt\w*\.h', 'WMMA': r'mma\.h', 'FP8': r'cuda_fp8\.h', 'FP6': r'cuda_fp6\.h',
             'FP4': r'cuda_fp4\.h'}
ABSENT = re.compile(rf'^(.+?:\d+:)\d+:.*?{launches.MARK}([^"\n]*)', re.MULTILINE)  # in what a compiler says
STANDARDS = {'c': 'gnu11', 'c++': 'gnu++17'}
REPORT_OPTIONS = ('--assert', '--card', '--json')
CXX_NAMES = ('.cpp', '.cc', '.cxx', '.cp', '.c++', '.C')


class Refusal(Exception):
    """a sentence for the user"""


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- The command line

class Order:
    """what is to be built"""

    def __init__(self, verb, words):
        self.verb, self.files, self.folders, self.defined, self.limits = verb, [], [], [], []
        self.flags = ['-DCMK_COUNT=1', '-DCMK_HOST_CACHES_=1'] if verb == 'report' else []
        self.card, self.json = card_of(USUAL), None
        words = list(words)
        for word in words:
            if '\n' in word or '\r' in word:
                raise Refusal(f'{verb}: {word!r} has an end of line, which no #line can name')
        while words:
            self.take(words)
        if not self.files:
            raise Refusal(f'{verb} needs a file: ./cmk {verb} FILE [FILE ...] [-I DIR] [-D NAME=VALUE] [-- ARGS]')
        for name in self.files:
            if not (os.path.isfile(name) and os.access(name, os.R_OK)):
                raise Refusal(f'{verb}: {name}: no such file, or it cannot be read')

    def take(self, words):
        word = words.pop(0)
        if word in REPORT_OPTIONS and self.verb == 'report':
            self.take_of_report(word, words)
            return
        if word[:2] not in ('-I', '-D'):
            if word.startswith('-'):
                raise Refusal(f'{self.verb}: {word}: no such option; there are -I DIR, -D NAME=VALUE, and -- before '
                              'the arguments of the program')
            self.files.append(word)
            return
        if word[2:] == '' and not words:
            raise Refusal(f'{self.verb}: {word} needs a word behind it')
        value = word[2:] or words.pop(0)
        if word[:2] == '-D':
            self.defined.append(value)
        elif not os.path.isdir(value):
            raise Refusal(f'{self.verb}: -I {value}: no such folder')
        else:
            self.folders.append(value)

    def take_of_report(self, word, words):
        if not words:
            raise Refusal(f'{self.verb}: {word} needs a word behind it')
        value = words.pop(0)
        try:
            if word == '--assert':
                self.limits.append(Limit(value))
            elif word == '--card':
                self.card = card_of(value)
            else:
                self.json = writable(value)
        except ValueError as wrong:
            raise Refusal(f'{self.verb}: {word}: {wrong}') from None


def writable(name):
    """a file that can be written, before the work; raises ValueError with a sentence"""
    folder = os.path.dirname(os.path.abspath(name))
    if os.path.isdir(name) or not os.access(name if os.path.exists(name) else folder, os.W_OK):
        raise ValueError(f'{name} cannot be written')
    return name


# ---- The files of the program

class File:
    def __init__(self, path, shown, text):
        self.path, self.shown = path, shown  # the absolute path, and how messages name it
        self.source = Source(text)
        self.includes = list(includes_of(self.source))
        self.absent = []  # of each #include of a library that is not there its tokens, and a sentence


def includes_of(source):
    """(name, whether by quotes, its tokens) of each #include that names its file"""
    for tokens in source.directives:
        if len(tokens) < 2 or tokens[0].text not in ('include', 'include_next', 'import'):
            continue
        if tokens[1].kind == 'string':
            yield tokens[1].text[1:-1], True, tokens
        elif tokens[1].text == '<':
            end = next((token for token in tokens if token.text == '>'), None)
            if end:
                yield source.text[tokens[1].end:end.first].strip(), False, tokens


def library_of(name):
    """the library whose header has this name, or None"""
    return next((library for library, pattern in LIBRARIES.items() if re.fullmatch(pattern, name)), None)


def is_of_toolkit(folder):
    """whether a folder, or the one around it, is that of a CUDA toolkit's headers"""
    return any(os.path.isfile(os.path.join(folder, at, 'cuda_runtime_api.h')) for at in ('.', '..'))


class Files:
    """the files of a program and the headers that are its own"""

    def __init__(self, order):
        self.order, self.by_path, self.troubles = order, {}, []
        self.program = launches.Program()
        self.program.unrolls = order.verb == 'report'
        self.takes_cmk, self.includes_toolkit = False, False
        self.sources = [self.add(os.path.abspath(name), name) for name in order.files]
        self.program.has_ptx = not self.takes_cmk
        for file in self.by_path.values():
            self.attempt(file, launches.collect, file.source, self.program)

    def attempt(self, file, step, *arguments):
        try:
            step(*arguments)
        except Trouble as trouble:
            self.note(file, trouble)

    def note(self, file, trouble):
        sentence = f'{self.order.verb}: {file.shown}:{file.source.line(trouble.at)}: {trouble}'
        if sentence not in self.troubles:
            self.troubles.append(sentence)

    def add(self, path, shown):
        if path in self.by_path:
            return self.by_path[path]
        text = Path(path).read_bytes().decode('latin-1')
        if text.startswith('\xef\xbb\xbf'):
            text = text[3:]
        try:
            file = File(path, shown, text)
        except Trouble as trouble:
            line = text.count('\n', 0, trouble.at) + 1
            raise Refusal(f'{self.order.verb}: {shown}:{line}: {trouble}') from None
        self.by_path[path] = file
        for name, by_quotes, tokens in file.includes:
            if not self.follow(file, name, by_quotes) and library_of(name):
                file.absent.append((tokens, f'{library_of(name)} is not there on a CPU: {name}'))
        return file

    def follow(self, file, name, by_quotes):
        """whether the header is the program's own, or cmk's"""
        folders = [os.path.dirname(file.path)] if by_quotes else []
        shown = [os.path.dirname(file.shown)] if by_quotes else []
        for folder, named in zip(folders + [TOOLKIT, INCLUDE, *self.order.folders],
                                 shown + [TOOLKIT, INCLUDE, *self.order.folders]):
            path = os.path.normpath(os.path.join(os.path.abspath(folder), name))
            if os.path.isfile(path) and (folder == TOOLKIT or not (library_of(name) and is_of_toolkit(folder))):
                break
        else:
            return False
        if Path(path).is_relative_to(INCLUDE):
            self.takes_cmk |= not Path(path).is_relative_to(TOOLKIT)
        else:
            self.add(path, os.path.normpath(os.path.join(named, name)))
        return True


def copy_place(folder, path):
    return Path(str(folder) + path)  # the path is absolute


def write_copies(files, folder, cplusplus):
    """the copies of one language; of troubles none is written"""
    texts = {}
    for file in files.by_path.values():
        text, troubles, _ = launches.rewritten(file.source, files.program, cplusplus, file.absent)
        for trouble in troubles:
            files.note(file, trouble)
        texts[file.path] = f'#line 1 {quoted(file.shown)}\n{text}'
    if files.troubles:
        raise Refusal('\n'.join(files.troubles))
    for path, text in texts.items():
        place = copy_place(folder, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode('latin-1'))


def quoted(name):
    """a string of C, its bytes as characters"""
    return '"' + os.fsencode(name).decode('latin-1').replace('\\', '\\\\').replace('"', '\\"') + '"'


# ---- The compilers

def compiler(language):
    """its words, of which there are none where it is not there"""
    words = shlex.split(os.environ.get({'c': 'CC', 'c++': 'CXX'}[language], ''))
    return words if words and shutil.which(words[0]) else []


def language_by_name(name):
    ending = os.path.splitext(name)[1]
    return 'c' if ending == '.c' else 'c++' if ending in CXX_NAMES else None


def run(command):
    """whether it succeeded, and what it said"""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return done.returncode == 0, done.stdout.decode('utf-8', 'replace')


def takes(language, words):
    return run([*compiler(language), *words, '-x', language, '-c', os.devnull, '-o', os.devnull])[0]


def constants(program):
    return f'-DCMK_HOST_CONSTANTS_="|{"|".join(sorted(program.constants))}|"'


def watch(language, program):
    """the words by which a compiler tells of plain accesses; none where it cannot"""
    for words in WATCHES:
        if takes(language, words):
            return [*words, '-DCMK_HOST_WATCH_=1', constants(program)]
    say(f'cmk: {" ".join(compiler(language))} does not tell of plain accesses: only those of cmk are checked')
    return []


def trace(language, program):
    """the words by which gcc also tells of basic blocks, so that plain accesses are counted"""
    if not takes(language, TRACES):
        say(f'cmk: report: {" ".join(compiler(language))} does not tell enough to count plain accesses: CC=gcc CXX=g++ '
            'do')
        return watch(language, program)
    return [*TRACES, constants(program), f'-DCMK_HOST_ALIGNMENT_={program.alignment}']


class Build:
    def __init__(self, out, order):
        self.out, self.order = Path(out), order
        self.files = Files(order)
        self.watches = {}
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.program = self.out / Path(order.files[0]).stem

    def copies(self, language):
        folder = self.out / ('copies of C++' if language == 'c++' else 'copies of C')
        if not folder.exists():
            write_copies(self.files, folder, language == 'c++')
        return folder

    def watch(self, language):
        if self.files.takes_cmk:  # whose accesses are checked and counted without
            return ['-DCMK_HOST_RACES_=1']
        return (trace if self.order.verb == 'report' else watch)(language, self.files.program)

    def words(self, file, language, plain):
        """plain: CUDA as nvcc takes it, which includes its own header first"""
        folder = self.copies(language)
        own = [word for name in self.order.folders for word in
               ('-I' + str(copy_place(folder, os.path.abspath(name))), '-I' + name)]
        beside = os.path.dirname(file.path)
        words = [f'-I{TOOLKIT}', f'-I{INCLUDE}', *own, '-iquote', beside, *('-D' + name for name in self.order.defined)]
        words += self.order.flags
        if plain:
            words += ['-include', str(TOOLKIT / 'cuda_runtime.h')]
        if language not in self.watches:
            self.watches[language] = self.watch(language)
        effort = '-O1' if self.files.takes_cmk else '-O2'  # the engines of cmk are large functions
        return [*compiler(language), f'-std={STANDARDS[language]}', *FLAGS, effort, *self.watches[language], *words]

    def compile(self, file, language):
        """whether it compiles, and what the compiler says"""
        if not compiler(language):
            return False, 'no C++ compiler\n'
        place = copy_place(self.copies(language), file.path)
        plain = file.path.endswith('.cu') and not self.files.takes_cmk
        return run([*self.words(file, language, plain), '-x', language, '-c', str(place), '-o', f'{place}.o'])

    def objects(self, language):
        """compiles the files, as this language where their name tells none: (objects or None, what was said)"""
        built, said = [], ''
        for file in self.files.sources:
            own = language_by_name(file.path) or language
            fits, text = self.compile(file, own)
            said += text
            if not fits:
                return None, said
            built.append((own, f'{copy_place(self.copies(own), file.path)}.o'))
        return built, said

    def languages(self):
        """What to try. CUDA is C++, where abs(-0.5f) is a half; files of cmk are C or C++."""
        if all(language_by_name(file.path) for file in self.files.sources):
            return ['c']  # of no matter
        if not self.files.takes_cmk and compiler('c++'):
            return ['c++']
        return ['c', 'c++']

    def every(self):
        said = {}
        for language in self.languages():
            built, said[language] = self.objects(language)
            if built is not None:
                return built, said[language], language
        absent = list(dict.fromkeys(f'{self.order.verb}: {place} {sentence}'
                                    for text in said.values() for place, sentence in ABSENT.findall(text)))
        if absent:
            raise Refusal('\n'.join(absent))
        for language, text in said.items():
            say((f'as {language.upper()}: ' if len(said) > 1 else '') + text.rstrip('\n'))
        raise Refusal(f'{self.order.verb}: {" ".join(self.order.files)} does not compile: see above')

    def link(self):
        built, said, language = self.every()
        if said:
            say(said.rstrip('\n'))
        if len(self.languages()) > 1 and language == 'c++':
            say(f'{" ".join(self.order.files)} is C++')
        cplusplus = any(own == 'c++' for own, _ in built)
        fits, text = run([*compiler('c++' if cplusplus else 'c'), *FLAGS, '-rdynamic',
                          *(name for _, name in built), *self.beside(), '-o', str(self.program), '-lm', '-lpthread'])
        if text:
            say(text.rstrip('\n'))
        if not fits:
            raise Refusal(f'{self.order.verb}: {" ".join(self.order.files)} does not link: see above')
        return self.program

    def beside(self):
        """the objects of end.c, and for a report of atomics.c"""
        verb = self.order.verb
        objects = []
        for name in ['end.c'] + ['atomics.c'] * any(TRACES[0] in words for words in self.watches.values()):
            objects.append(str(self.out / name.replace('.c', '.o')))
            fits, text = run([*compiler('c'), '-O1', f'-DCMK_VERB_IS_RUN={int(verb == "run")}', '-fno-builtin', '-x',
                              'c', '-c', str(RUN / name), '-o', objects[-1]])
            if not fits:
                raise Refusal(f'{verb}: {name} does not compile:\n{text}')
        return objects
