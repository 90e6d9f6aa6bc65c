"""./cmk tune without a GPU: nvcc and nvidia-smi are stand-ins, of which one calls a C compiler for the CPU backend, and
another makes programs that report times of a test's choice."""

import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
from harness import ROOT, Failure, arguments, compiler, folder, must, report, run  # noqa: E402
from script import Kit, says  # noqa: E402

SMI = '''#!/bin/sh
case $1 in -L) echo 'GPU 0: it' ;; *) cat "$TUNE_WORK/card" ;; esac
'''
NVCC = '''#!/bin/sh
for word; do
    case $word in
    --version) echo 'release 0'; exit ;;
    -cubin | --dryrun) exit ;;
    -DCMK_TUNE_STEPS=*) steps=${word#*=} ;;
    -DCMK_TUNE_BLOCKS=*) blocks=${word#*=} ;;
    esac
    file=$word
done
echo "$steps $blocks" >>"$TUNE_WORK/built"
'''
BY_CC = NVCC + '''
for word; do
    shift
    case $word in -O3 | -arch=* | -x | cu) ;; *) set -- "$@" "$word" ;; esac
done
exec $TUNE_CC -Dalways_inline=unused -x c -std=gnu11 "$@" -lm -lpthread
'''
# FILE is a shell script that says, of $steps and $blocks, what is reported; 0 0 are a model of 4 steps and 3 blocks
BY_TEXT = NVCC + '''
grep -q "does not compile $steps $blocks\\$" "$file" && { echo "$file: no such word" >&2; exit 2; }
while [ "$1" != -o ]; do shift; done
{
    echo '#!/bin/sh'
    echo "steps=$steps blocks=$blocks"
    echo '[ $steps != 0 ] || steps=4 blocks=3'
    echo '[ $blocks != 0 ] || blocks=3'
    cat "$file"
} >"$2"
chmod +x "$2"
'''
PLAIN = '''
line() { echo "$*" >>"$CMK_TUNE_REPORT"; }
time=8000
case $steps.$blocks in 5.2) time=$FAST ;; 4.3) time=5000 ;; esac
line heat $steps $blocks 6 22 2 10 500000 0.00$((time / 2))
line heat $steps $blocks 6 22 2 10 500000 0.00$((time / 2))
'''
SECOND = '''
[ $steps -le 3 ] || steps=3
line wave $steps $blocks 3 22 2 10 1000000 0.00$((9000 - 1000 * steps - 100 * blocks))
'''
ONE_BLOCK = '''
line() { echo "$*" >>"$CMK_TUNE_REPORT"; }
line cube $steps 1 4 12 2 10 500000 0.00$((9000 - 1000 * steps))
'''
EVENTS = '''
#include <cmk/base.h>
static int made, gone, failing; /* events, and the number of the one that cannot be made */
static inline cudaError_t make(cudaEvent_t *event)
{
    if (failing > 0 && --failing == 0) return cudaErrorMemoryAllocation;
    made++;
    return cudaEventCreate(event);
}
static inline cudaError_t lose(cudaEvent_t event)
{
    gone++;
    return cudaEventDestroy(event);
}
#define cudaEventCreate make
#define cudaEventDestroy lose
#include <cmk/cmk.h>
#define PLANE(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_2D(heat, PLANE) { CMK_POINT_SET(u, CMK_POINT_AT(u, 1, 0)); }
CMK_DEFINE_STENCIL2D(heat, PLANE);
#define LINE(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
CMK_POINT_2D(line, LINE) { CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1)); }
CMK_DEFINE_STENCIL2D(line, LINE);
int main(void)
{
    float *u, *next;
    CMK_CHECK(cudaMalloc((void **)&u, 256 * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&next, 256 * sizeof(float)));
    for (failing = 0; failing < 3; ++failing) {
        const int first = failing;
        heat_grid heat = heat_domain(16, 16, 16);
        line_grid line = line_domain(1, 256, 256);
        heat.u = line.u = u, heat.u_next = line.u_next = next;
        CMK_CHECK(heat_steps(&heat, 1, 0));
        failing = first;
        CMK_CHECK(line_steps(&line, 1, 0));
        printf("%d: %d made, %d gone\\n", failing = first, made, gone);
    }
    return 0;
}
'''
BUILDS = 15  # the model, 1 step, 2 to 6 steps with 2, 3 and 4 blocks; but not (4, 3) again, nor (6, 4) of 132 words


class Tool:
    """a file in a folder of its own, a house with the script, and the stand-ins before everything else on the PATH"""

    def __init__(self, work, include, text, nvcc=BY_TEXT, name='heat.cu'):
        self.kit = Kit(work, include)
        self.work, self.tools, self.file = Path(work), Path(work) / 'tools', self.kit.place / name
        self.header = self.file.with_name(self.file.stem + '_tuned.h')
        self.tools.mkdir()
        for tool, script in (('nvcc', nvcc), ('nvidia-smi', SMI)):
            (self.tools / tool).write_text(script)
            (self.tools / tool).chmod(0o755)
        (self.work / 'card').write_text('a card\n')
        self.file.write_text(text)

    def run(self, *words, wanted=0, **variables):
        """what it says; self.built is what it compiled"""
        (self.work / 'built').write_text('')
        variables = {'FAST': '2000', 'TUNE_CC': 'cc', 'CUDA_VISIBLE_DEVICES': '', **variables}
        status, output = run(['../a house/cmk', 'tune', *words], cwd=self.kit.place, TUNE_WORK=self.work,
                             PATH=f'{self.tools}{os.pathsep}{os.environ["PATH"]}', **variables)
        self.built = (self.work / 'built').read_text().splitlines()
        if status != wanted or 'Traceback' in output:
            raise Failure(f'exit status {status}, not {wanted}\n{output}')
        left = [path.name for path in self.kit.place.iterdir() if path.name.startswith('.')]
        if left:
            raise Failure(f'{left} left over')
        return output

    def tune(self, *words, **variables):
        return self.run(*words, self.file.name, **variables)

    def choice(self, name='heat'):
        found = re.search(rf'^#define CMK_TUNED_{name} (\(.*?\))', self.header.read_text(), re.MULTILINE)
        return found and found.group(1)

    def number_built(self, wanted):
        if len(self.built) != wanted:
            raise Failure(f'{len(self.built)} built, not {wanted}: {self.built}')


def equal(got, wanted):
    if got != wanted:
        raise Failure(f'{got}, not {wanted}')


# ---- With the CPU backend

def program_reports(tool):
    """10 calls of 5 steps, of passes of 2 steps: each says what it did"""
    program, log = tool.work / 'program', tool.work / 'log'
    must([*compiler('CC'), '-Dalways_inline=unused', '-x', 'c', '-DCMK_TUNE_STEPS=2', '-DCMK_TUNE_BLOCKS=2',
          f'-I{tool.kit.house / "include"}', '-o', program, tool.file, '-lm', '-lpthread'])
    must([program, '160', '50'], CMK_TUNE_REPORT=log)
    lines = log.read_text().splitlines()
    equal([re.sub(r' \d+ (\d+ \d+ \d+) \d+\.\d+$', r' _ \1', line) for line in lines],
          ['heat 2 2 16 _ 2 5 128000'] * 10)
    must([program, '160', '10'])  # nobody asks
    equal(log.read_text().splitlines(), lines)


def events(tool):
    """every event that a call makes is destroyed: of grids, of lines, and where the first or the second has failed"""
    program = tool.work / 'program'
    must([*compiler('CC'), '-Dalways_inline=unused', '-x', 'c', '-DCMK_TUNE_STEPS=1', '-DCMK_TUNE_BLOCKS=2',
          f'-I{tool.kit.house / "include"}', '-o', program, tool.file, '-lm', '-lpthread'])
    equal(must([program], CMK_TUNE_REPORT=tool.work / 'log').splitlines(),
          ['0: 4 made, 4 gone', '1: 4 made, 4 gone', '2: 6 made, 6 gone'])


def whole(tool):
    output = tool.run('--most', '2', tool.file.name, '--', '160', '20', TUNE_CC=' '.join(compiler('CC')))
    says(output, '1 of 4: 1 step; heat', '2 of 4: 2 steps, 2 blocks of an SM; heat', 'definition  steps', 'model',
         'taken', 'header: ')
    says(tool.header.read_text(), 'Made by ./cmk tune from heat.cu, on a card', '#define CMK_TUNED_heat (')
    must([*compiler('CC'), '-Dalways_inline=unused', '-x', 'c', f'-I{tool.kit.house / "include"}', '-include',
          tool.header, '-o', tool.work / 'tuned', tool.file, '-lm', '-lpthread'])
    says(must([tool.work / 'tuned', '160', '30']), 'right')


# ---- What is chosen

def fastest(tool):
    output = tool.tune()
    tool.number_built(BUILDS)
    equal((tool.choice(), tool.choice('wave')), ('(5, 2)', '(3, 4)'))
    says(output, '14 of 14: 6 steps', 'wave            3       4              0.00560  taken',
         'heat            4       3              0.00500  model')


def one_block(tool):
    """a 3D definition, of whose blocks an SM has one: its numbers of steps are built once"""
    tool.tune()
    equal(sorted(tool.built), ['0 0', '1 0', '2 2', '3 2'])
    equal(tool.choice('cube'), '(4, 1)')


def model_kept(tool):
    tool.tune(FAST='4960')
    equal(tool.choice(), '(4, 3)')


def no_pass(tool):
    says(tool.tune(wanted=1), 'heat: no pass of several steps was made', 'there is nothing to choose')
    equal(tool.header.exists(), False)


def failing(tool):
    """alternatives that fail are left out, and tried again"""
    output = tool.tune()
    says(output, 'with 3 steps, 2 blocks of an SM, the program ends with status 7',
         'with 5 steps, 3 blocks of an SM, the program does not compile')
    equal(tool.choice(), '(5, 2)')
    tool.tune()
    tool.number_built(2)


# ---- What is known

def goes_on(tool):
    output = tool.tune(wanted=130)
    says(output, 'interrupted; what was measured is kept')
    equal(tool.header.exists(), False)
    before = set(tool.built[:-1])
    measured = next((tool.kit.house / 'build/tune').glob('heat-*')) / 'measured'
    measured.write_text(measured.read_text() + '[6, 2, {"heat"')  # a line that was not finished
    (tool.work / 'interrupted').touch()
    says(tool.tune(), ': known')
    if before & set(tool.built) or len(before) + len(tool.built) != BUILDS or len(before) < 3:
        raise Failure(f'first {before}, then {tool.built}')
    equal(tool.choice(), '(5, 2)')
    tool.tune()
    tool.number_built(0)


def begins_again(tool):
    tool.tune()
    for words in (['--again', 'heat.cu'], ['heat.cu', '--', 'an', 'argument']):
        tool.run(*words)
        tool.number_built(BUILDS)
    (tool.work / 'card').write_text('another card\n')
    tool.tune()
    tool.number_built(BUILDS)
    tool.file.with_name('own.h').write_text('')
    for changed in (tool.file, tool.file.with_name('own.h')):
        changed.write_text(changed.read_text() + '# changed\n')
        tool.tune()
        tool.number_built(BUILDS)
    tool.tune()
    tool.number_built(0)


# ---- What is refused

def keeps_header(tool):
    tool.header.write_text('/* mine */\n')
    says(tool.tune(wanted=1), 'heat_tuned.h is not of ./cmk tune, and stays as it is')
    tool.number_built(0)
    tool.run('-o', 'other.h', 'heat.cu')
    says((tool.kit.place / 'other.h').read_text(), 'CMK_TUNED_heat (5, 2)')
    equal(tool.header.read_text(), '/* mine */\n')
    says(tool.run('-o', 'heat.cu', 'heat.cu', wanted=1), 'heat.cu is not of ./cmk tune')
    says(tool.run('-o', 'none/other.h', 'heat.cu', wanted=1), 'none: no such folder')


def while_it_runs(tool):
    """a header that somebody writes meanwhile stays too"""
    says(tool.tune(wanted=1), 'heat_tuned.h is not of ./cmk tune')
    equal(tool.header.read_text(), 'mine\n')


def broken(tool, text, *said):
    tool.file.write_text(text)
    says(tool.tune(wanted=1), *said)
    equal(tool.header.exists(), False)


def refuses(tool):
    says(tool.run(wanted=1), 'tune needs a file: ./cmk tune FILE [-- ARGS]')
    says(tool.run('none.cu', wanted=1), 'none.cu: no such file')
    says(tool.run('--most', '0', 'heat.cu', wanted=2), '--most: at least 1 step')
    says(tool.run('--other', 'heat.cu', wanted=2), '--other')
    says(tool.run('heat.cu', 'two.cu', wanted=2), 'two.cu')
    tool.number_built(0)
    (tool.tools / 'nvidia-smi').write_text('#!/bin/sh\nexit 9\n')
    says(tool.tune(wanted=1), 'tune needs a GPU and nvcc')


CASES = {
    'cpu': [('what a program reports', program_reports, None), ('no event is left', events, EVENTS),
            ('an example by the CPU backend', whole, None)],
    'text': [
        ('each definition is given what it is fastest with', fastest, PLAIN + SECOND),
        ('of one block an SM steps alone are tried', one_block, ONE_BLOCK),
        ('a model that is almost as fast is kept', model_kept, PLAIN),
        ('no pass was made', no_pass, PLAIN.replace('22 2 10', '22 0 10')),
        ('alternatives that fail', failing,
         PLAIN + '[ $steps.$blocks = 3.2 ] && exit 7\n# does not compile 5 3\nexit 0'),
        ('it goes on where it was interrupted', goes_on,
         PLAIN + '[ $steps.$blocks = 3.3 ] && [ ! -e "$TUNE_WORK/interrupted" ] && kill -INT $PPID && sleep 9\nexit 0'),
        ('what else is compiled or run is measured', begins_again, '#include "own.h"\n' + PLAIN),
        ('a header of somebody else stays', keeps_header, PLAIN),
        ('one that appears meanwhile stays', while_it_runs, PLAIN + 'echo mine >heat_tuned.h\n'),
        ('a program that does not compile', lambda tool: broken(
            tool, '# does not compile 0 0\n', 'heat.cu does not compile: see above', 'no such word'), ''),
        ('a program that fails', lambda tool: broken(
            tool, 'echo "it is wrong"; exit 3\n', 'heat.cu ends with status 3: see above', 'it is wrong'), ''),
        ('a program without name_steps', lambda tool: broken(
            tool, 'exit 0\n', 'heat.cu has called no name_steps that did a step, but of lines'), ''),
        ('a report that is none', lambda tool: broken(
            tool, 'echo heat 4 >>"$CMK_TUNE_REPORT"\n', 'a line of the report is broken: heat 4'), ''),
        ('arguments', refuses, PLAIN)],
}


def check(include, body, text):
    with folder() as work:
        compiler('CC')
        body(Tool(work, include, (ROOT / 'examples/heat2d.cu').read_text() if text is None else text,
                  BY_CC if text is None else BY_TEXT))


def main():
    options = arguments(__doc__, CASES, 'GROUP')
    report([(name, lambda body=body, text=text: check(options.include, body, text))
            for group in options.which for name, body, text in CASES[group]], options)


if __name__ == '__main__':
    main()
