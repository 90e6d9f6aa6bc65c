"""./cmk run: complete programs, unchanged, each judged by its own reference; what it says of bugs, and what it refuses.

usage: run.py [GROUP...] [--include DIR] [--only TEXT]
"""

import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, arguments, compiler, folder, report, run  # noqa: E402

HERE = Path(__file__).resolve().parent
BUGS = (HERE / 'bugs.cu').read_text().splitlines()
RACING = (HERE / 'races.cu').read_text().splitlines()
UNORDERED = (HERE / 'unordered.cu').read_text().splitlines()

# name, the words behind ./cmk run, its last line, its status
PROGRAMS = [
    ('templates', ['templates.cu'], 'right', 0),
    ('tiles in shared memory', ['tiles.cu'], 'right', 0),
    ('dynamic shared memory', ['shared.cu'], 'right', 0),
    ('constant memory, streams', ['streams.cu'], 'right', 0),
    ('launches by kernels', ['nested.cu'], 'right', 0),
    ('graphs by nodes, kernels by addresses', ['graphs.cu'], 'right', 0),
    ('PTX of one instruction', ['ptx.cu'], 'right', 0),
    ('surfaces, layered textures', ['surfaces.cu'], 'right', 0),
    ('barriers and pipelines of cuda::', ['pipelines.cu'], 'right', 0),
    ('kernels that wait for the host', ['waits.cu'], 'right', 0),
    ('a header of -I, -D, arguments, a status', ['reduce.cu', '-Iparts', '-D', 'SIZE=1000', '--', 'a b', '-I'],
     '[a b][-I]right', 3),
    ('several files', ['several.cu', 'parts/square.cu', 'parts/total.c'], 'right', 0),
]

# which bug, what is said of it
SAID = [
    (1, r'thread \(31,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, directly past the end of the 128-byte allocation'),
    (2, r'thread \(0,0,0\): bugs.cu:LINE: reads 4 bytes at 0x\w+, 4 bytes before the start of the 128-byte allocation'),
    (3, r'thread \(31,0,0\): bugs.cu:LINE: writes 4 bytes of shared memory, 0 bytes past the end of tile \(128'),
    (4, r'thread \(0,0,0\): bugs.cu:LINE: reads 4 bytes at byte 0 of dynamic shared memory, which no thread'),
    (5, r'thread \(0,0,0\): bugs.cu:LINE: reads 4 bytes at byte 124 of tile, which no thread of the block has written'),
    (6, r'thread \(0,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, in the 128-byte allocation at 0x\w+, which has'),
    (7, r'thread \(0,0,0\): bugs.cu:LINE: writes 8 bytes at 0x0, a null pointer'),
    (8, r'thread \(1,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, 399872 bytes past the end of the 128-byte'),
    (9, r'thread \(0,0,0\): .*: a kernel may launch others, but not wait for them: that is for the host'),
    (10, r'thread \(0,0,0\): .*: a kernel may launch others, but not put other work into a stream: that is for the'),
    (11, r'thread \(0,0,0\): bugs.cu:LINE: launches kernel launched with an argument that ends with the call'),
    (12, r'thread \(31,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, 0 bytes past the end of the 128-byte variable `'),
    (13, r'thread \(31,0,0\): bugs.cu:LINE: reads 4 bytes at 0x\w+, 0 bytes past the end of the 128-byte variable `'),
    (16, r'thread \(0,0,0\): bugs.cu:LINE: reads 4 bytes at byte 0 of dynamic shared memory, which no thread'),
    (20, r'thread \(31,0,0\): bugs.cu:LINE: writes 4 bytes of shared memory, 0 bytes past the end of dynamic shared '
         r'memory \(128 bytes\)'),
    *[(which, r'thread \(0,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, in the variable `\S*constants`, which is '
       '__constant__: kernels can only read it') for which in (17, 18)],
    (14, r"thread \(0,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, in the host's variable `\w*on_host\w*`: kernels"),
]
TOGETHER = (21, SAID[0][1])  # by a cooperative launch, whose blocks wait for each other
APART = (15, r'thread \(0,0,0\): bugs.cu:LINE: writes 4 bytes at 0x\w+, in the 128-byte allocation at 0x\w+ of '
             'device 0: the kernel runs on device 1, which has no access to it')

# which race of races.cu: the later access, and the earlier one; what orders the two threads
RACES = [
    (1, r'thread \(1,0,0\): races.cu:THEN: reads 4 bytes at byte 0 of word, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with no barrier or __syncwarp between the two'),
    (2, r'thread \(32,0,0\): races.cu:THEN: reads 4 bytes at byte 0 of word, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with no barrier between the two'),
    (3, r'thread \(1,0,0\): races.cu:THEN: writes 4 bytes at byte 4 of word, which thread \(0,0,0\) has read at '
        'races.cu:FIRST, with no barrier or __syncwarp between'),
    (4, r'thread \(1,0,0\): races.cu:THEN: writes 4 bytes at byte 0 of total, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with'),
    (5, r'thread \(1,0,0\): races.cu:THEN: writes 1 bytes at byte 0 of byte, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with'),
    (6, r'thread \(2,0,0\): races.cu:THEN: reads 4 bytes at byte 4 of word, which thread \(1,0,0\) has written at '
        'races.cu:FIRST, with'),
    (7, r'thread \(63,0,0\): races.cu:THEN: reads 4 bytes at byte 0 of word, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with no barrier between the two'),
    (8, r'thread \(1,0,0\): races.cu:THEN: reads 4 bytes at byte 0 of word, which thread \(0,0,0\) has written at '
        'races.cu:FIRST, with no barrier or __syncwarp between'),
    (10, r'\(1,0,0\), thread \(0,0,0\): races.cu:THEN: writes 4 bytes at 0x\w+, which block \(0,0,0\), thread '
         r'\(0,0,0\) has written at races.cu:FIRST, with nothing that orders the blocks between the two'),
    (11, r'\(1,0,0\), thread \(0,0,0\): races.cu:THEN: reads 4 bytes at 0x\w+, which block \(0,0,0\), thread '
         r'\(0,0,0\) has written at races.cu:FIRST, with nothing that orders the blocks between the two'),
    (12, r'\(1,0,0\), thread \(0,0,0\): races.cu:THEN: reads 4 bytes at 0x\w+, which block \(0,0,0\), thread '
         r'\(0,0,0\) has written at races.cu:FIRST, with nothing that orders the blocks between the two'),
    (13, r'\(0,0,0\), thread \(32,0,0\): races.cu:THEN: reads 4 bytes at 0x\w+, which thread \(0,0,0\) has written '
         'at races.cu:FIRST, with no barrier between the two'),
    (14, r'\(1,0,0\), thread \(0,0,0\): races.cu:THEN: writes 1 bytes at 0x\w+, which block \(0,0,0\), thread '
         r'\(0,0,0\) has read at races.cu:FIRST, with nothing that orders the blocks between the two'),
    (15, r'\(0,0,0\), thread \(32,0,0\): races.cu:THEN: reads 4 bytes at 0x\w+, which thread \(31,0,0\) has written '
         'at races.cu:FIRST, with no barrier between the two'),
]
NAMED = (16, RACES[-1][1])  # of a variable by its name, which clang alone tells of

# which access of unordered.cu: what is said in order
EVENT, WAIT = 'in another stream: no event orders the two', ': nothing has waited for its stream'
WROTE = r'thread \(0,0,0\) has written at unordered.cu:MAKE '
UNORDERED_SAID = [
    (1, rf'kernel use<1>, .*:USE: reads 4 bytes at 0x\w+, which kernel make<1>, {WROTE}{EVENT}'),
    (2, r'kernel make<2>, .*:MAKE: writes 4 bytes at 0x\w+, which kernel use<2>, thread \(0,0,0\) has read at '
        rf'unordered.cu:USE {EVENT}'),
    (3, rf'kernel use<3>, .*:USE: reads 4 bytes at 0x\w+, which kernel make<3>, {WROTE}{EVENT}'),
    (4, rf'kernel use<4>, .*:USE: reads 4 bytes at 0x\w+, which kernel make<4>, {WROTE}{EVENT}'),
    (5, rf'kernel use<5>, .*:USE: reads 4 bytes at 0x\w+, which a copy or a fill of 236 bytes has written {EVENT}'),
    (6, rf'a copy or a fill of 232 bytes reads 4 bytes at 0x\w+, which kernel make<6>, {WROTE}{EVENT}'),
    (7, r'unordered.cu:HOST: the host reads 4 bytes at 0x\w+, which kernel make<7>, thread \(3,0,0\) has written at '
        rf'unordered.cu:MAKE{WAIT}'),
    (8, rf'unordered.cu:HOST: the host reads 4 bytes at 0x\w+, which a copy or a fill of 224 bytes has written{WAIT}'),
    (9, rf'unordered.cu:HOST: the host writes 4 bytes at 0x\w+, which a copy or a fill of 220 bytes has read{WAIT}'),
    (10, r'unordered.cu:HOST: the host reads 4 bytes at 0x\w+, which kernel add<10>, thread \(5,0,0\) has written at '
         rf'unordered.cu:\d+{WAIT}'),
    (11, r'unordered.cu:HOST: the host reads 4 bytes at 0x\w+, which kernel make<11>, thread \(6,0,0\) has written at '
         rf'unordered.cu:MAKE{WAIT}'),
    (12, rf'kernel use<12>, .*:USE: reads 4 bytes at 0x\w+, which a copy or a fill of 208 bytes has written {EVENT}'),
    (13, rf'kernel make<13>, .*:MAKE: writes 4 bytes at 0x\w+, which kernel use<13>, thread \(0,0,0\) has read at '
         rf'unordered.cu:USE {EVENT}|'
         rf'kernel use<13>, .*:USE: reads 4 bytes at 0x\w+, which kernel make<13>, {WROTE}{EVENT}'),
]
# words of each access that are said late too, whichever of the two runs first
UNORDERED_LATE = ['<1>', '<2>', '<3>', '<4>', ' 236 bytes', ' 232 bytes', '<7>', ' 224 bytes', ' 220 bytes', '<10>',
                  '<11>', ' 208 bytes', '<13>']
# a program of its own, a word for it, the mark of the place, and what is said
STOPPED = [
    ('surfaces.cu', 'trap', 'kernel leave, .* surf2Dread of 1 bytes at byte 9 of row 1 of plane or layer 0: the '
     r'surface has rows of 9 bytes, 5 rows, and 1 planes or layers \(cudaBoundaryModeTrap\)'),
    ('waits.cu', 'never', r'kernel answers, .* deadlock: this thread reads 4 bytes at 0x\w+ again and again, and '
     'nobody is left to write them: the host waits for the kernel'),
    ('waits.cu', 'block', r'kernel waits_in_block, .* deadlock: this thread reads 4 bytes at 0x\w+ again and again, '
     'and nobody is left to write them: the threads of a grid run one after the other here, and the host behind them'),
    ('pipelines.cu', 'unmade', 'kernel unmade, .* a barrier or pipeline of cuda:: that no thread of the block has made '
     'by init or make_pipeline'),
    ('pipelines.cu', 'more', 'kernel more, .* 1 threads arrive at a barrier of cuda::, which expects only 0 more'),
]

GOES_ON = (4, 5, 16)  # what is read that nobody has written is said once, and the status is 3 in the end

# name, words, the only line that is said
REFUSED = [
    ('no file', [], 'cmk: run needs a file: ./cmk run FILE [FILE ...] [-I DIR] [-D NAME=VALUE] [-- ARGS]'),
    ('an option', ['tiles.cu', '-x'], 'cmk: run: -x: no such option; there are -I DIR, -D NAME=VALUE, and -- before '
     'the arguments of the program'),
    ('a file that is not there', ['none.cu'], 'cmk: run: none.cu: no such file, or it cannot be read'),
    ('a folder that is not there', ['tiles.cu', '-I', 'none'], 'cmk: run: -I none: no such folder'),
    ('a file with an end of line in its name', ['a\nb.cu'],
     "cmk: run: 'a\\nb.cu' has an end of line, which no #line can name"),
    ('an option without its word', ['tiles.cu', '-D', '--'], 'cmk: run: -D needs a word behind it'),
]


class Kit:
    """the script with the headers that are tested, in a folder of its own"""

    def __init__(self, work, include):
        self.work, self.house = Path(work), Path(work) / 'house'
        self.house.mkdir()
        for name in ('cmk', 'run', 'bench'):
            (self.house / name).symlink_to(ROOT / name)
        (self.house / 'cmk').unlink()  # a link would lead to its own folder
        (self.house / 'cmk').write_bytes((ROOT / 'cmk').read_bytes())
        (self.house / 'cmk').chmod(0o755)
        (self.house / 'include').symlink_to(include)

    def run(self, *words, verb='run', cwd=HERE, **variables):
        return run([self.house / 'cmk', verb, *words], cwd=cwd, **variables)


def ends(result, last, wanted):
    status, output = result
    if status != wanted or (output.splitlines() or [''])[-1] != last:
        raise Failure(f'exit status {status}, not {wanted}\n{output}')


def by_clang():
    return {'CC': ' '.join(compiler('CLANG')), 'CXX': ' '.join(compiler('CLANGXX'))}


def programs(kit):
    compiler('CXX')
    return ([(name, lambda row=(words, last, status): ends(kit.run(*row[0]), *row[1:]))
             for name, words, last, status in PROGRAMS] +
            [(f'{name}, by clang', lambda row=(words, last, status): ends(kit.run(*row[0], **by_clang()), *row[1:]))
             for name, words, last, status in (PROGRAMS[:1] + PROGRAMS[6:10])])


def line_of(lines, mark):
    """the number of the line with a mark"""
    return str(next((number for number, line in enumerate(lines, 1) if re.search(rf'{mark}\b', line)), 0))


def says(kit, which, text, **variables):
    line = line_of(BUGS, f'MARK {which}')
    status, output = kit.run('bugs.cu', '--', str(which), **variables)
    wanted = 3 if which in GOES_ON else -signal.SIGABRT
    sentence = 'kernel wrong, .*block.* ' + text.replace('LINE', line)
    if status != wanted or output.count('cmk: ') != 1 or not re.search(sentence, output):
        raise Failure(f'exit status {status}\n{output}\nnot\n{text}, line {line}')


def is_stopped(kit, name, word, text):
    line = line_of((HERE / name).read_text().splitlines(), f'MARK {word}')
    status, output = kit.run(name, '--', word)
    if status != -signal.SIGABRT or not re.search(text.replace('.*', rf'.*{name}:{line}:', 1), output):
        raise Failure(f'exit status {status}\n{output}\nnot\n{text}, line {line}')


def ends_behind_all(kit):
    """a fault that is said changes a status of 0 alone, and nothing of what a program does when it ends"""
    at_end = 'right, not ended\nby atexit\nby a destructor\n'
    for given, wanted in (('0', 3), ('exit 0', 3), ('exit 7', 7)):
        status, output = kit.run('ends.cu', '--', given)
        if status != wanted or output.count('cmk: ') != 1 or not output.endswith(at_end):
            raise Failure(f'{given}: exit status {status}, not {wanted}\n{output}')
    status, output = kit.run('ends.cu', '--', 'right')
    if (status, output) != (0, at_end):
        raise Failure(f'a right program: exit status {status}\n{output}')


def says_nothing(result):
    if result != (0, 'right\n'):
        raise Failure(f'exit status {result[0]}\n{result[1]}')


def bugs(kit):
    return ([('a right program', lambda: says_nothing(kit.run('bugs.cu'))),
             ('an array of the host that is registered', lambda: says_nothing(kit.run('bugs.cu', '--', '19')))] +
            [(f'bug {which}', lambda row=(which, text): says(kit, *row)) for which, text in SAID] +
            [(f'{name} {word}', lambda row=(name, word, text): is_stopped(kit, *row)) for name, word, text in STOPPED] +
            [('the status behind a fault that is said', lambda: ends_behind_all(kit))] +
            [('bug 21, where mistakes are errors', lambda: says(kit, *TOGETHER, CMK_HOST_ERRORS='return'))] +
            [('bug 15, of two devices', lambda: says(kit, *APART, CMK_HOST_DEVICES='2'))] +
            [(f'bug {SAID[at][0]}, by clang', lambda row=SAID[at]: says(kit, *row, **by_clang())) for at in (0, 4)])


def races_are_said(kit, which, text, **variables):
    """in the default order, with both lines; the kernel goes on, and the status is 3 in the end"""
    status, output = kit.run('races.cu', '--', str(which), **variables)
    for word in ('FIRST', 'THEN'):
        text = text.replace(word, line_of(RACING, f'{word} {which}'))
    if status != 3 or not re.search(rf'kernel race\w*, block.* ?{text}', output) or not output.endswith('ended\n'):
        raise Failure(f'exit status {status}\n{output}\nnot\n{text}')


def nothing_is_said(kit, *words, **variables):
    status, output = kit.run('races.cu', '--', *words, **variables)
    if (status, output) != (0, 'ended\n'):
        raise Failure(f'exit status {status}\n{output}')


def a_tile_races(kit, order):
    """a step of a heat equation in one tile, by cmk's macros"""
    status, output = kit.run('heat_race.cu', CMK_HOST_ORDER=order)
    if status != 3 or not re.search(r'heat_race.cu:16: writes 4 bytes at byte \d+ of tile, which thread \(\d+,0,0\) '
                                    'has read at heat_race.cu:15, with no barrier', output):
        raise Failure(f'exit status {status}\n{output}')


def unordered_are_said(kit, late=False, **variables):
    """in the default order each by both places; late each, too"""
    status, output = kit.run('unordered.cu', '--', '1', **variables)
    marks = {'MAKE': line_of(UNORDERED, 'MAKE'), 'USE': line_of(UNORDERED, 'USE')}
    for which, text in UNORDERED_SAID:
        marks['HOST'] = line_of(UNORDERED, f'HOST {which}')
        for mark, line in marks.items():
            text = text.replace(mark, line)
        if late:
            text = UNORDERED_LATE[which - 1]
        if not re.search(rf'^cmk: .*{text}', output, re.MULTILINE):
            raise Failure(f'{which} is not said: {text}\n{output}')
    if status != 3 or output.count('cmk: ') != len(UNORDERED_SAID) or not output.endswith('ended\n'):
        raise Failure(f'exit status {status}\n{output}')


def ordered_are_not(kit, **variables):
    status, output = kit.run('unordered.cu', **variables)
    if (status, output) != (0, 'ended\n'):
        raise Failure(f'exit status {status}\n{output}')


def an_exchange(kit, waits):
    """of two devices, with its wait for the word that the border counts up, or without"""
    lines = (ROOT / 'examples' / 'heat3d.cu').read_text().splitlines(keepends=True)
    (kit.work / 'heat3d.cu').write_text(''.join(line for line in lines if waits or 'cmk_stream_wait_value' not in line))
    for late in ('order', 'shuffle:1', 'shuffle:2'):
        status, output = kit.run('heat3d.cu', '--', '12', '3', cwd=kit.work, CMK_HOST_DEVICES='2',
                                 CMK_HOST_STREAMS=late)
        said = re.search(r'^cmk: a copy .* reads .*, which kernel heat_bordered\w*, .* has written .* in another '
                         'stream: no event orders the two$', output, re.MULTILINE)
        if status not in ((0,) if waits else (1, 3)) or (waits and 'cmk: ' in output) or bool(said) == waits:
            raise Failure(f'{late}: exit status {status}\n{output}')


def streams(kit):
    late = {'CMK_HOST_STREAMS': 'shuffle:1'}
    return [('what nothing orders', lambda: unordered_are_said(kit)),
            ('what nothing orders, late', lambda: unordered_are_said(kit, True, **late)),
            ('what nothing orders, by clang', lambda: unordered_are_said(kit, **by_clang())),
            ('what is ordered', lambda: ordered_are_not(kit)),
            *[(f'what is ordered, late, {seed}', lambda seed=seed: ordered_are_not(kit, CMK_HOST_STREAMS=seed))
              for seed in ('shuffle:1', 'shuffle:2')],
            ('what is ordered, by clang', lambda: ordered_are_not(kit, **by_clang())),
            ('an exchange that waits for its border', lambda: an_exchange(kit, True)),
            ('an exchange that does not', lambda: an_exchange(kit, False))]


def races(kit):
    return ([('what is legal', lambda: nothing_is_said(kit)),
             ('what is legal, in other orders', lambda: nothing_is_said(kit, CMK_HOST_ORDER='shuffle:3')),
             ('what is legal, by clang', lambda: nothing_is_said(kit, **by_clang())),
             ('what updates write in place', lambda: says_nothing(kit.run('../backend/threads.cu'))),
             ('a word that switches it off', lambda: nothing_is_said(kit, '3', CMK_HOST_RACES='off'))] +
            [(f'race {which}', lambda row=(which, text): races_are_said(kit, *row)) for which, text in RACES] +
            [(f'race {row[0]}, by clang', lambda row=row: races_are_said(kit, *row, **by_clang()))
             for row in (RACES[2], RACES[7], RACES[9], NAMED)] +
            [(f'a race for a tile, {order}', lambda order=order: a_tile_races(kit, order))
             for order in ('forward', 'reverse')])


def is_refused(kit, words, line):
    status, output = kit.run(*words)
    if status != 1 or output != line + '\n':
        raise Failure(f'exit status {status}\n{output}')


def all_are_named(kit):
    """what cannot be rewritten, in the file and in its header; nothing is built"""
    (kit.work / 'header.cuh').write_text('\ninline void f() { k<<<1, 2>>>(3; }\n')
    (kit.work / 'bad.cu').write_text('#include "header.cuh"\nint main() {\n    x<<<1;\n}\n')
    before = set(kit.house.glob('build/run/*/*'))
    status, output = kit.run('bad.cu', cwd=kit.work)
    wanted = ('cmk: run: bad.cu:3: no >>> closes this <<<\n'
              'cmk: run: header.cuh:2: the ( of the arguments of this launch is not closed\n')
    if status != 1 or output != wanted:
        raise Failure(f'exit status {status}\n{output}')
    if set(kit.house.glob('build/run/*/*')) - before:
        raise Failure('something is built')


def is_not_compiled(kit):
    """the compiler names the line of the file itself"""
    text = '\n__global__ void k(int *x)\n{\n    *x = nothing;\n}\nint main() { k<<<1, 1>>>(0); }\n'
    (kit.work / 'wrong.cu').write_text(text)
    status, output = kit.run('wrong.cu', cwd=kit.work)
    if status != 1 or 'wrong.cu:4:' not in output or not output.endswith(
            'cmk: run: wrong.cu does not compile: see above\n'):
        raise Failure(f'exit status {status}\n{output}')


# what is not there: PTX where it is used alone, headers where they are included
ABSENT = """#include "own.h"
#define LANE(x) asm("mov.u32 %0, %%laneid;" : "=r"(x))
static __device__ void ends() { asm("exit;"); }
template <int N> __device__ void traps() { asm("trap;"); }
__global__ void k(unsigned *out)
{
    asm volatile("" ::: "memory");
#if WHICH == 1
    if (out) asm("mov.u32 %0, %%laneid; exit;"
                 : "=r"(*out));
    traps<1>();
#elif WHICH == 2
    out[0] = in_own();
#elif WHICH == 4
    asm("{ mov.u32 %0, %%laneid; }" : "=r"(*out));
#endif
}
#if WHICH == 3
#include <cub/cub.cuh>
#include "thrust/sort.h"
#include <cuda_fp8.h>
#include <nvtx3/nvToolsExt.h>
#endif
int main() { return 0; }
"""
OWN = """#if WHICH == 2
static __device__ unsigned in_own() { unsigned x; asm("mov.u32 %0, %%envreg1;" : "=r"(x)); return x; }
#elif WHICH == 3
#include <cublas_v2.h>
#include <cuda/std/complex>
#endif
"""
PTX = 'inline PTX is not there on a CPU: it is the assembly of GPUs'
SENTENCES = [
    (0, []),
    (1, [f'absent.cu:4: {PTX}', f'absent.cu:9: {PTX}']),
    (2, [f'own.h:2: {PTX}']),
    (4, [f'absent.cu:15: {PTX}']),
    (3, ['own.h:4: cuBLAS is not there on a CPU: cublas_v2.h', 'own.h:5: libcu++ is not there on a CPU: '
         'cuda/std/complex', 'absent.cu:19: cub is not there on a CPU: cub/cub.cuh',
         'absent.cu:20: thrust is not there on a CPU: thrust/sort.h', 'absent.cu:21: FP8 is not there on a CPU: '
         'cuda_fp8.h', 'absent.cu:22: NVTX is not there on a CPU: nvtx3/nvToolsExt.h']),
]


def is_absent(kit, which, sentences, **variables):
    """beside a toolkit in a folder of the system, or of -I, too"""
    toolkit = kit.work / 'toolkit'
    for name in ('cublas_v2.h', 'cuda_runtime_api.h', 'cub/cub.cuh', 'thrust/sort.h', 'cuda/std/complex',
                 'cuda_fp8.h', 'nvtx3/nvToolsExt.h'):
        (toolkit / name).parent.mkdir(parents=True, exist_ok=True)
        (toolkit / name).write_text('typedef void *cublasHandle_t;\n')
    (kit.work / 'absent.cu').write_text(ABSENT)
    (kit.work / 'own.h').write_text(OWN)
    for words in ([], ['-I', 'toolkit']):
        status, output = kit.run('absent.cu', f'-DWHICH={which}', *words, cwd=kit.work, CPATH=str(toolkit), **variables)
        wanted = sorted(f'cmk: run: {sentence}' for sentence in sentences)
        if status != bool(sentences) or sorted(output.splitlines()) != wanted:
            raise Failure(f'exit status {status}\n{output}')


def ptx_beside_cmk(kit):
    """an instruction that is known, in a program that takes cmk's headers"""
    (kit.work / 'ptx.cu').write_text('#include <cmk/cmk.h>\n__global__ void k(unsigned *out)\n{\n'
                                     '    asm("mov.u32 %0, %%laneid;" : "=r"(*out));\n}\nint main() { return 0; }\n')
    status, output = kit.run('ptx.cu', cwd=kit.work)
    if (status, output) != (1, f'cmk: run: ptx.cu:4: {PTX}\n'):
        raise Failure(f'exit status {status}\n{output}')


def pointer_is_named(kit):
    """a launch by a pointer that is no kernel which the program casts"""
    (kit.work / 'pointer.cu').write_text('int main()\n{\n    void *which = nullptr, *arguments[1] = {};\n'
                                         '    return cudaLaunchKernel(which, 1, 1, arguments);\n}\n')
    status, output = kit.run('pointer.cu', cwd=kit.work)
    wanted = 'which, 1, 1, arguments: a launch by a pointer needs ./cmk run, which notes what a program casts'
    if status != -signal.SIGABRT or wanted not in output:
        raise Failure(f'exit status {status}\n{output}')


def report_of_waits(kit):
    """accesses are counted on one OS thread: a kernel that waits for the host ends with the sentence"""
    status, output = kit.run('waits.cu', verb='report')
    if status == 0 or not re.search(r'waits.cu:\d+: deadlock: this thread reads .* nobody is left to write', output):
        raise Failure(f'exit status {status}\n{output}')


def is_named(kit):
    """by a name of other letters, in a folder with an end of line"""
    place = kit.work / 'a\nfolder'
    place.mkdir()
    (place / 'Датей\\ "ü".cu').write_text('__global__ void k(int *x)\n{\n    *x = nothing;\n}\n')
    status, output = kit.run('Датей\\ "ü".cu', cwd=place)
    if status != 1 or 'Traceback' in output or '"ü".cu:3:' not in output:
        raise Failure(f'exit status {status}\n{output}')


def stopped(kit, verb, when, signals):
    """what a command says that is interrupted while it builds, or runs"""
    (kit.work / 'waits.cu').write_text('#include <unistd.h>\n'
                                       'int main()\n{\n    write(1, "waits\\n", 6);\n    sleep(60);\n}\n')
    for path in kit.house.glob('build/run'):
        shutil.rmtree(path)
    process = subprocess.Popen([str(kit.house / 'cmk'), verb, 'waits.cu'], cwd=kit.work, start_new_session=True,
                               encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        if when == 'runs':
            process.stdout.readline()
        while not any(kit.house.glob('build/run/*/copies*')):
            time.sleep(0.01)
        signals(process.pid, signal.SIGINT)
        said = process.stderr.read()
    if process.returncode != 130 or said != 'cmk: interrupted\n':
        raise Failure(f'exit status {process.returncode}\n{said}')


def is_reported(kit):
    """./cmk report goes the same way"""
    status, output = kit.run('counted.cu', '-Iparts', '-DFACTOR=3.0f', verb='report')
    if status != 0 or not re.search(r'\n +\d+ +global store +4 +1  32.0 +4 sectors ', output):
        raise Failure(f'exit status {status}\n{output}')


def at_once(calls):
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [done.result() for done in [pool.submit(call) for call in calls]]


def runs_at_once(kit):
    """four runs of the same words, from no build at all"""
    for path in kit.house.glob('build/run'):
        shutil.rmtree(path)
    for status, output in at_once([lambda: kit.run('reduce.cu', '-Iparts', '-DSIZE=1000', '--', 'a')] * 4):
        if (status, output) != (3, '2 words\n[a]right\n'):
            raise Failure(f'exit status {status}\n{output}')


PLAIN = """namespace own { template <class T> __constant__ T shift[2]; }
template <class T> __global__ void turn(T *x, int *sum)
{
    __shared__ T tile[32][32];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x] + own::shift<int>[threadIdx.x % 2];
    __syncthreads();
    x[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    if (threadIdx.x < 16) atomicAdd(sum, 1);
    if (threadIdx.y < 4) (void)__shfl_xor_sync(~0u, 1, 1);
}
__global__ void nothing() {}
__global__ void fetch(cudaTextureObject_t texture, int *x)
{
    if (threadIdx.x < 24) x[threadIdx.x] = tex1Dfetch<int>(texture, (int)threadIdx.x);
}
int main()
{
    int *x;
    cudaTextureObject_t texture;
    cudaTextureDesc how = {};
    cudaResourceDesc memory = {};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.desc = cudaCreateChannelDesc<int>();
    memory.res.linear.sizeInBytes = 128;
    cudaMalloc(&x, 32 * 32 * sizeof *x + 4);
    cudaMemset(x, 0, 32 * 32 * sizeof *x + 4);
    memory.res.linear.devPtr = x;
    cudaCreateTextureObject(&texture, &memory, &how, NULL);
    turn<int><<<1, dim3(32, 32)>>>(x, x + 1024);
    fetch<<<2, 32>>>(texture, x);
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
"""
COUNTED = [  # of PLAIN: the line, the access, its bytes, requests, lanes and cost, the remedy
    r'5  shared store +4 +32  32.0 +32 wavefronts .* -  ', r'5  global load +4 +32  32.0 +128 sectors .* -  ',
    r'5  constant load +- +32  32.0 +32 replays .* -  ',
    r'7  shared load +4 +32  32.0 +1024 wavefronts .* PAD 1 of tile ',
    r'7  global store +4 +32  32.0 +128 sectors .* -  ', r'8  atomic global +4 +32  16.0 +480 replays .* -  ',
    r'9  shuffle +4 +4  32.0 +4 requests .* -  ', r'14  texture load +4 +2  24.0 +2 requests .* -  ',
]


def counts_plain(kit):
    """plain accesses of a kernel that is a template, its remedy, and a kernel with none, also on the page"""
    (kit.work / 'counted_plain.cu').write_text(PLAIN)
    status, output = kit.run('counted_plain.cu', verb='report', cwd=kit.work)
    page = (kit.house / 'build' / 'report.html').read_text()
    missing = [row for row in COUNTED if not re.search(rf'^ +{row}', output, re.MULTILINE)]
    if status != 0 or missing or not re.search('^kernel turn<int>: 1 launch', output, re.MULTILINE):
        raise Failure(f'exit status {status}, no {missing}\n{output}')
    if 'x 1, 0 bytes of shared memory a block\n  no access was counted\n' not in output or \
            'No access of nothing was' not in page:
        raise Failure(f'of a kernel without accesses\n{output}')


def keeps_limits(kit):
    """--assert: what is kept, what is not, and what is no limit"""
    cases = [  # the limits, the status, the last line
        (['turn<int>: shared_load_wavefronts == 1024', 'atomic_global_requests<=32'], 0, 'page: .*'),
        (['turn<int>: shared_load_conflicts <= 991', 'efficiency >= 100'], 1,
         r'cmk: report: turn<int>: shared_load_conflicts <= 991: of kernel turn<int> it is 992'),
        (['turn: efficiency >= 1'], 1,
         'cmk: report: turn: efficiency >= 1: no kernel turn has run; there are: turn<int>, fetch, nothing'),
        (['wavefronts <= 1'], 1, 'cmk: report: --assert: wavefronts is no counter; there are efficiency, .*'),
        (['efficiency'], 1, "cmk: report: --assert: 'efficiency' is no limit: it must be like 'KERNEL: .*'"),
    ]
    (kit.work / 'counted_plain.cu').write_text(PLAIN)
    for limits, wanted, last in cases:
        words = [word for limit in limits for word in ('--assert', limit)]
        status, output = kit.run('counted_plain.cu', *words, verb='report', cwd=kit.work)
        if status != wanted or not re.fullmatch(last, output.splitlines()[-1]):
            raise Failure(f'{limits}: exit status {status}, not {wanted}\n{output}')


def counts_by_gcc(kit):
    """clang does not tell enough to count: that is said, and of each kernel that nothing was counted"""
    status, output = kit.run('counted_plain.cu', verb='report', cwd=kit.work, **by_clang())
    said = re.search(r'^cmk: report: .* does not tell enough to count plain accesses: CC=gcc CXX=g\+\+ do$', output,
                     re.MULTILINE)
    if status != 0 or not said or 'tiles and tables are, plain ones are not\n' not in output:
        raise Failure(f'exit status {status}\n{output}')


def reports_at_once(kit):
    """four reports of four programs: each prints its own, and the two files are of one of them"""
    names = [f'scale{k}' for k in range(4)]
    text = (HERE / 'counted.cu').read_text()
    for name in names:
        (kit.work / f'{name}.cu').write_text(text.replace('scale', name))
    for _ in range(2):
        calls = [lambda name=name: kit.run(f'{name}.cu', '-DFACTOR=3.0f', verb='report', cwd=kit.work)
                 for name in names]
        for name, (status, output) in zip(names, at_once(calls)):
            if status != 0 or set(re.findall(r'\bscale\d', output)) != {name}:
                raise Failure(f'exit status {status}\n{output}')
        of_table, of_page = (set(re.findall(r'\bscale\d', (kit.house / 'build' / f'report.{ending}').read_text()))
                             for ending in ('csv', 'html'))
        if of_table != of_page or len(of_table) != 1:
            raise Failure(f'the table is of {of_table}, and the page of {of_page}')
    left = sorted(path.name for path in kit.house.glob('build/*'))
    if left != ['report.csv', 'report.html', 'run']:
        raise Failure(f'left: {left}')


def refusals(kit):
    return ([(f'refused: {name}', lambda row=(words, line): is_refused(kit, *row)) for name, words, line in REFUSED] +
            [('all that cannot be rewritten is named', lambda: all_are_named(kit)),
             ('what does not compile', lambda: is_not_compiled(kit)),
             *[(f'what is not there, {which}', lambda row=(which, said): is_absent(kit, *row))
               for which, said in SENTENCES],
             ('what is not there, by clang', lambda: is_absent(kit, *SENTENCES[1], **by_clang())),
             ('PTX beside the headers of cmk', lambda: ptx_beside_cmk(kit)),
             ('a launch by a pointer that is not known', lambda: pointer_is_named(kit)),
             ('./cmk report of a kernel that waits for the host', lambda: report_of_waits(kit)),
             ('a name of any letters', lambda: is_named(kit)),
             *[(f'interrupted while {verb} {when}{", by itself" * (signals == os.kill)}',
                lambda row=(verb, when, signals): stopped(kit, *row))
               for verb, when, signals in (('run', 'builds', os.killpg), ('run', 'builds', os.kill),
                                           ('run', 'runs', os.killpg), ('report', 'runs', os.killpg))],
             ('./cmk report of a launch by <<<>>>', lambda: is_reported(kit)),
             ('./cmk report of plain accesses', lambda: counts_plain(kit)),
             ('./cmk report with limits', lambda: keeps_limits(kit)),
             ('./cmk report of plain accesses, by clang', lambda: counts_by_gcc(kit))])


def together(kit):
    return [('four runs at once', lambda: runs_at_once(kit)), ('four reports at once', lambda: reports_at_once(kit))]


GROUPS = {'programs': programs, 'bugs': bugs, 'races': races, 'streams': streams, 'refusals': refusals,
          'together': together}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as work:
        kit = Kit(work, options.include)
        report([check for name in options.which for check in GROUPS[name](kit)], options)


if __name__ == '__main__':
    main()
