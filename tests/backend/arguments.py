"""Kernel arguments of random types: what each thread of a launch gets is compared with what a plain call passes.

usage: arguments.py [--include DIR] [--only TEXT] [--seed N]

CMK_TEST_SIGNATURES is the count of signatures, 400 unless set, spread over C and C++, gcc and clang, their levels,
vector registers of 16, 32 and 64 bytes, and aarch64 where a cross compiler and qemu-user are installed. The thorough
run has 5000.
"""

import argparse
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, compiler, folder, must, program, report, run  # noqa: E402

COUNT = int(os.environ.get('CMK_TEST_SIGNATURES', '400'))
UNIT = 60  # signatures of one translation unit
LIMIT = 32000  # bytes of one argument list, at most

BEFORE = r'''
#include "cmk/cmk.h"
static unsigned long long now, results[4];
__attribute__((noinline)) static void hash(const volatile void *start, int bytes)
{
    for (int i = 0; i < bytes; ++i) now = (now ^ ((const volatile unsigned char *)start)[i]) * 1099511628211ull;
}
__attribute__((noinline)) static void spoil(volatile void *start, int bytes)
{
    for (int i = 0; i < bytes; ++i) ((volatile unsigned char *)start)[i] ^= 0x5a;
}
__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k)
{
    __asm__ volatile("");
    return a + b + c + d + e + f + g + h + i + j + k;
}
#if defined(__AVX__)
__attribute__((noinline)) static void leave_ones(void)
{
    __asm__ volatile(".irp register,0,1,2,3,4,5,6,7\n\tvcmpps $15, %ymm0, %ymm0, %ymm\\register\n\t.endr");
}
#else
#define leave_ones() (void)0
#endif
#define HASH(value) hash(&(value), (int)sizeof(value))
#define HASH_LONG(value) hash(&(value), sizeof(long double) == 16 && __LDBL_MANT_DIG__ == 64 ? 10 : (int)sizeof(value))
#define HASH_PART(value) do { long double part_ = (value); HASH_LONG(part_); } while (0)
#define HASH_BITS(value) do { long long bits_ = (long long)(value); HASH(bits_); } while (0)
typedef enum { RED, GREEN = 70000 } color;
typedef float float_2 __attribute__((vector_size(8)));
typedef float float_4 __attribute__((vector_size(16)));
typedef double double_2 __attribute__((vector_size(16)));
typedef float float_8 __attribute__((vector_size(32)));
typedef int int_8 __attribute__((vector_size(32)));
typedef float float_16 __attribute__((vector_size(64)));
typedef short short_32 __attribute__((vector_size(64)));
'''

INTEGERS = {'char': 7, 'signed char': 7, 'unsigned char': 8, 'short': 15, 'unsigned short': 16, 'int': 31,
            'unsigned': 32, 'long': 62, 'unsigned long long': 63, '__int128': 62}
VECTORS = {'float_2': (2, 8), 'float_4': (4, 16), 'double_2': (2, 16), 'float_8': (8, 32), 'int_8': (8, 32),
           'float_16': (16, 64), 'short_32': (32, 64)}
SCALARS = [*INTEGERS, 'BOOL', 'float', 'double', 'long double', 'void *', 'color', 'QUAD', 'float _Complex',
           'double _Complex', 'long double _Complex', *VECTORS]
SIZES = {'BOOL': 1, 'char': 1, 'signed char': 1, 'unsigned char': 1, 'short': 2, 'unsigned short': 2, 'float': 4,
         'int': 4, 'unsigned': 4, 'color': 4, 'long double': 16, '__int128': 16, 'QUAD': 16, 'double _Complex': 16,
         'long double _Complex': 32, **{name: size for name, (_, size) in VECTORS.items()}}


class Scalar:
    def __init__(self, dice):
        self.name = dice.choice(SCALARS)
        self.bound = self.align = SIZES.get(self.name, 8)

    def value(self, dice):
        if self.name in INTEGERS:
            return f'({self.name}){dice.getrandbits(INTEGERS[self.name])}{"ll" * (INTEGERS[self.name] > 32)}'
        if self.name in VECTORS:
            count = dice.choice([1, VECTORS[self.name][0]])  # the rest is 0
            return '{' + ', '.join(str(dice.randint(1, 9999)) for _ in range(count)) + '}'
        if self.name == 'void *':
            return f'(void *){dice.getrandbits(47):#x}'
        if self.name == 'color':
            return dice.choice(['RED', 'GREEN'])
        if self.name == 'BOOL':
            return dice.choice('01')
        return f'{dice.randint(1, 99999)}.{dice.choice(["5", "25", "125"])}'

    def hashes(self, at, depth):
        if self.name == 'long double':
            return f'HASH_LONG({at});'
        if self.name == 'long double _Complex':
            return f'HASH_PART(__real__ {at}); HASH_PART(__imag__ {at});'
        return f'HASH({at});'


class Array:
    def __init__(self, dice, element):
        self.element, self.count = element, dice.choice([1, 2, 3, 3, 4, 7, 16, 100, 5000])
        while self.count > 1 and self.count * element.bound > 10000:
            self.count //= 2
        self.bound, self.align = self.count * element.bound, element.align

    def value(self, dice):
        return '{' + ', '.join(self.element.value(dice) for _ in range(self.count)) + '}'

    def hashes(self, at, depth):
        i = f'i{depth}_'
        return f'for (int {i} = 0; {i} < {self.count}; ++{i}) {{ {self.element.hashes(f"{at}[{i}]", depth + 1)} }}'


class Bits:
    def __init__(self, dice):
        self.name = dice.choice(['int', 'unsigned', 'unsigned char', 'long long', 'unsigned short'])
        self.width = dice.randint(1, {'unsigned char': 8, 'unsigned short': 16, 'long long': 60}.get(self.name, 31))
        self.bound = self.align = 8

    def value(self, dice):
        return str(dice.getrandbits(self.width - 1) if self.width > 1 else 0)

    def hashes(self, at, depth):
        return f'HASH_BITS({at});'


class Record:
    """a struct or a union; of a union only the first member has a value"""

    def __init__(self, dice, name, earlier):
        self.name, self.kind = name, dice.choice(['struct', 'struct', 'struct', 'union'])
        self.members = [self.member(dice, earlier) for _ in range(dice.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 6]))]
        if self.kind == 'union':
            self.members = self.members or [Scalar(dice)]
        words = []
        if dice.random() < 0.2:
            words.append('packed')
        self.align = max([1] + [member.align for member in self.members])
        if dice.random() < 0.2:
            aligned = dice.choice([2, 8, 16, 16, 32, 64, 128, 256])
            words.append(f'aligned({aligned})')
            self.align = max(self.align, aligned)
        self.attributes = f'__attribute__(({", ".join(words)})) ' if words else ''
        self.bound = sum(member.bound + member.align for member in self.members) + self.align

    @staticmethod
    def member(dice, earlier):
        roll = dice.random()
        if roll < 0.1:
            return Bits(dice)
        inner = dice.choice(earlier) if earlier and roll > 0.75 else Scalar(dice)
        return Array(dice, inner) if 0.5 < roll < 0.65 or roll > 0.93 else inner

    def text(self):
        lines = []
        for number, member in enumerate(self.members):
            if isinstance(member, Bits):
                lines.append(f'{member.name} m{number} : {member.width};')
                continue
            counts, inner = '', member
            while isinstance(inner, Array):
                counts, inner = f'{counts}[{inner.count}]', inner.element
            lines.append(f'{inner.name} m{number}{counts};')
        return f'typedef {self.kind} {self.attributes}{{ {" ".join(lines)} }} {self.name};'

    def live(self):
        return self.members[:1] if self.kind == 'union' else self.members

    def value(self, dice):
        return '{' + ', '.join(member.value(dice) for member in self.live()) + '}'

    def hashes(self, at, depth):
        return ' '.join(member.hashes(f'{at}.m{number}', depth) for number, member in enumerate(self.live()))


def plain(kind):
    """a record of numbers: a literal of it can stand among the arguments"""
    return isinstance(kind, Record) and kind.kind == 'struct' and kind.members and all(
        isinstance(member, Scalar) and member.name in ('int', 'unsigned', 'float', 'double') for member in kind.members)


def argument(dice, kind, name, literals):
    """(the argument, what has to be declared for it)"""
    value = kind.value(dice)
    if plain(kind) and dice.random() < 0.6:
        return (f'({kind.name}){value}' if literals else f'{kind.name}{value}'), ''
    if isinstance(kind, Scalar) and kind.name in ('int', 'float', 'double', 'long double', 'unsigned', 'QUAD', 'long') \
            and dice.random() < 0.3:
        return str(dice.randint(0, 100)), ''  # converted to the type of the parameter
    return name, f'static {kind.name} {name} = {value};\n'


def signature(dice, n, earlier, literals, shares):
    """the text of one kernel, its plain twin and its test; `shares` tells which arguments the threads share"""
    count = dice.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 32, 48, 64])
    kinds, room = [], LIMIT
    for _ in range(count):
        kind = dice.choice(earlier) if dice.random() < 0.5 else Scalar(dice)
        if kind.bound + kind.align < room:
            kinds.append(kind)
            room -= kind.bound + kind.align
    names = [f'p{i}' for i in range(len(kinds))]
    pairs = [argument(dice, kind, f'v{n}_{i}', literals) for i, kind in enumerate(kinds)]
    parameters = ', '.join(f'{kind.name} {name}' for kind, name in zip(kinds, names))
    hashes = '\n    '.join(kind.hashes(name, 0) for kind, name in zip(kinds, names))
    spoils = ' '.join(f'spoil(&{name}, (int)sizeof {name});' if not shares else
                      f'if (sizeof {name} <= 16) spoil(&{name}, (int)sizeof {name});' for name in names)
    barrier = '    __syncthreads();\n' * dice.randint(0, 1)
    arguments = ', '.join(words for words, _ in pairs)
    room = dice.choice([0, 0, 0, 40, 5000, 100000])
    local = f'    volatile char local[{room}]; local[{room - 1}] = 1; (void)local[0];\n' if room else ''
    before = '    if (many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) != 66) return 1;\n' * dice.randint(0, 2)
    return ''.join(declaration for _, declaration in pairs) + f'''
__attribute__((noinline)) static void plain_{n}({parameters})
{{
    {hashes}
}}
__global__ void kernel_{n}({parameters})
{{
    now = 1;
    {hashes}
    {spoils}
    results[threadIdx.x] = now;
{barrier}    leave_ones();
}}
static int test_{n}(void)
{{
{local}{before}    now = 1;
    plain_{n}({arguments});
    results[0] = results[1] = results[2] = 0, results[3] = now;
    if (CMK_LAUNCH(kernel_{n}, 1, 3, 0, 0, {arguments}) != cudaSuccess) return 1;
    return results[0] != results[3] || results[1] != results[3] || results[2] != results[3];
}}
'''


def unit(seed, count, literals, shares, quad):
    """the text of a program that prints the numbers of the signatures that failed, then its count"""
    dice = random.Random(seed)
    records = []
    for number in range(count):
        records.append(Record(dice, f't{number}', records[-12:]))
    text = [BEFORE, f'typedef {quad} QUAD;', f'typedef {"_Bool" if literals else "bool"} BOOL;']
    text += [record.text() for record in records]
    text += [signature(dice, n, records, literals, shares) for n in range(count)]
    calls = '\n'.join(f'    if (test_{n}()) printf("wrong: {n}\\n");' for n in range(count))
    return '\n'.join(text) + f'\nint main(void)\n{{\n{calls}\n    printf("{count} run\\n");\n    return 0;\n}}\n'


def has(flag):
    return f' {flag} ' in Path('/proc/cpuinfo').read_text(encoding='utf-8')


AVX = ['-mavx2', '-O2']
AVX512 = ['-mavx512f', '-mavx512bw', '-O2']
SANITIZED = ['-fsanitize=address', '-O1']
# compiler, language, flags, what the processor must have
CONFIGURATIONS = [
    ('CC', 'c', ['-O0'], ''), ('CC', 'c', ['-O2'], ''), ('CLANG', 'c', ['-O2'], ''), ('CXX', 'c++', ['-O2'], ''),
    ('CLANGXX', 'c++', ['-O2'], ''), ('CLANG', 'c', ['-O0'], ''), ('CC', 'c', ['-Os'], ''), ('CXX', 'c++', ['-O0'], ''),
    ('CC', 'c', AVX, 'avx2'), ('CLANGXX', 'c++', AVX, 'avx2'), ('CC', 'c', AVX512, 'avx512bw'),
    ('CLANG', 'c', AVX512, 'avx512bw'), ('CC', 'c', SANITIZED, ''), ('CLANG', 'c', SANITIZED, ''),
    ('CC', 'c', ['-O3', '-flto'], ''), ('CXX', 'c++', ['-O2', '-fstack-protector-all', '-fno-exceptions'], ''),
    ('aarch64-linux-gnu-gcc', 'c', ['-O2', '-static'], ''), ('aarch64-linux-gnu-g++', 'c++', ['-O1', '-static'], ''),
]


def check(work, include, configuration, seed, count):
    variable, language, flags, feature = configuration
    crossed = variable.startswith('aarch64')
    command = [program(variable)] if crossed else compiler(variable)
    emulator = [program('qemu-aarch64')] if crossed else []
    if feature and not has(feature):
        raise Skip(f'the processor has no {feature}')
    if flags == SANITIZED:
        probe = Path(work) / 'probe.c'
        probe.write_text('#include <sanitizer/asan_interface.h>\nint main(void) { return 0; }\n', encoding='utf-8')
        if run(command + [*flags, '-o', Path(work) / 'probe', probe])[0] != 0:
            raise Skip('no AddressSanitizer')
    literals = language == 'c'
    text = unit(seed, count, literals, crossed, 'long double' if crossed else '__float128')
    source, built = Path(work) / f'unit{seed}.c', Path(work) / f'unit{seed}'
    source.write_text(text, encoding='utf-8')
    standard = '-std=gnu11' if literals else '-std=gnu++17'
    must(command + ['-x', language, standard, '-w', *flags, f'-I{include}', '-o', built, source, '-lm', '-lpthread'])
    status, output = run(emulator + [built], ASAN_OPTIONS='detect_leaks=0')
    built.unlink()
    if status != 0 or output != f'{count} run\n':
        raise Failure(f'seed {seed}: exit status {status}\n{output}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--include', type=Path, default=ROOT / 'include', help='the folder that holds cmk/')
    parser.add_argument('--only', default='', metavar='TEXT', help='only checks with this text in their name')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--text', action='store_true', help='print the first translation unit and end')
    options = parser.parse_args()
    if options.text:
        print(unit(options.seed, UNIT, True, False, '__float128'))
        return
    share = -(-COUNT // len(CONFIGURATIONS))
    checks = []
    with folder() as work:
        for number, configuration in enumerate(CONFIGURATIONS):
            for first in range(0, share, UNIT):
                case = configuration, options.seed + 1000 * number + first, min(UNIT, share - first)
                name = f'{configuration[0]} {" ".join(configuration[2])}: {case[2]} signatures of seed {case[1]}'
                checks.append((name, lambda case=case: check(work, options.include.resolve(), *case)))
        report(checks, options)


if __name__ == '__main__':
    main()
