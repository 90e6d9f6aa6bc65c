"""Runs every planted bug of finding.cu under every tool and compares what finds it with docs/finding-bugs.md.

usage: finding.py [--include DIR] [--write]    --write makes docs/finding-bugs.md anew

A cell of the table says who reports the bug on its line: cmk (the CPU backend), ASan, UBSan or TSan; "result" where
nobody does but the result is another one than in order; "-" where not even that. A report that does not name the
line of the bug is a failure, and so is any report on a right kernel. Without a compiler or its sanitizer the table is
compared without that column.
"""

import argparse
import collections
import concurrent.futures
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import C11, ROOT, Failure, Skip, compiler, folder, must, report, run  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCE = (HERE / 'finding.cu').read_text(encoding='utf-8')
PAGE = ROOT / 'docs' / 'finding-bugs.md'
OPTIONS = {'ASAN_OPTIONS': 'detect_leaks=0', 'UBSAN_OPTIONS': '', 'TSAN_OPTIONS': '', 'CMK_HOST_CORES': '1'}

BUILDS = {
    'finding': ('CC', []),
    'finding-races': ('CC', ['-DCMK_HOST_RACES_=1']),
    'finding-address': ('CC', ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']),
    'finding-thread': ('CLANG', ['-fsanitize=thread']),
}
Tool = collections.namedtuple('Tool', 'title build orders')
TOOLS = [
    Tool('in order', 'finding', ('forward',)),
    Tool('`./cmk run`', 'finding-races', ('forward',)),
    Tool('`reverse`', 'finding', ('reverse',)),
    Tool('`shuffle`', 'finding', tuple(f'shuffle:{seed}' for seed in range(1, 7))),
    Tool('ASan, UBSan', 'finding-address', ('forward',)),
    Tool('TSan', 'finding-thread', ('forward',)),
]
REPORTS = {
    'cmk': r'^cmk: ', 'ASan': r'^.*ERROR: AddressSanitizer: ', 'UBSan': r'^.* runtime error: ',
    'TSan': r'^WARNING: ThreadSanitizer: ',
}
BEGIN, END = '<!-- made by tests/backend/finding.py --write -->', '<!-- end of the table -->'

Bug = collections.namedtuple('Bug', 'name title advice code line')


def bugs():
    """in the order of the source: the comment, the kernel below it, the number of the line that carries the name"""
    found = []
    comment = r'^/\* ([^*]+?)\n \*\n \* ([^*]*(?:\n \* [^*]+)*) \*/\n'
    for part in re.finditer(comment + r'(__global__ void (\w+)\(.*?^}\n)', SOURCE, re.MULTILINE | re.DOTALL):
        title, advice, code, name = part.groups()
        line = SOURCE[:SOURCE.index(f'/* BUG {name} */')].count('\n') + 1
        found.append(Bug(name, title, re.sub(r'\n \* ?', '\n', advice), code, line))
    return found


BUGS = bugs()
RIGHT = ['correct', 'correct_plain']


def build(work, name, include):
    """the program, or the reason why there is none"""
    variable, flags = BUILDS[name]
    try:
        words = compiler(variable) + flags
    except Skip as why:
        return str(why)
    probe = work / f'{name}-probe'
    (work / 'probe.c').write_text('int main(void) { return 0; }\n', encoding='utf-8')
    if run(words + ['-o', probe, work / 'probe.c'])[0] != 0 or run([probe])[0] != 0:
        return f'{words[0]} {" ".join(flags)} does not work here'
    must(words + ['-std=c11', '-O1', '-g', f'-I{include}', '-o', work / name, *C11[:2], 'finding.cu', '-lm',
                  '-lpthread'], cwd=HERE)
    return work / name


def tidy(text):
    """without what differs from run to run and from machine to machine"""
    for pattern, new in ((r'\S*/(finding\.cu)', r'\1'), (r'\b(at|address) 0x[0-9a-f]+', r'\1 0x...'), (r'=*\d+==', ''),
                         (r' \(pid=\d+\)', ''), (r' at pc 0x.*', ''), (r' \(\S*finding\S*\+0x.*', ''),
                         (r'#0 0x\S+ in ', '#0 ')):
        text = re.sub(pattern, new, text)
    return text


def reports(output):
    """(who, text) of each report; a report goes on to the next one"""
    starts = sorted((part.start(), who) for who, pattern in REPORTS.items()
                    for part in re.finditer(pattern, output, re.MULTILINE))
    ends = [start for start, _ in starts[1:]] + [len(output)]
    return [(who, output[start:end]) for (start, who), end in zip(starts, ends)]


def one(program, name, order, **variables):
    """reports and result of one run"""
    status, output = run(['timeout', '900', program, name], CMK_HOST_ORDER=order, **{**OPTIONS, **variables})
    found = reports(output)
    if not found and status != 0:
        raise Failure(f'{name}, {order}: exit status {status} without a report\n{output}')
    return found, output


def judge(bug, programs, tool, expected):
    """the cell of the table, and the output that shows it"""
    cell, shown = '-', expected
    for order in tool.orders:
        found, output = one(programs[tool.build], bug.name, order)
        wrong = [text for _, text in found if not re.search(rf'finding\.cu:{bug.line}\b', text)]
        if wrong:
            raise Failure(f'{bug.name}, {order}: not line {bug.line}\n{wrong[0]}')
        if found:
            return ', '.join(dict.fromkeys(who for who, _ in found)), output
        if tool.build == 'finding' and output != expected and cell == '-':
            cell, shown = 'result', output
    return cell, shown


def silent(programs, tool, name):
    for order in tool.orders:
        for cores in ('1', '2'):
            found, output = one(programs[tool.build], name, order, CMK_HOST_CORES=cores)
            if found:
                raise Failure(f'{name}, {order}, {cores} cores:\n{output}')


class Results:
    """every bug under every tool: (cell, output), a Skip or a Failure"""

    def __init__(self, work, include):
        self.programs = {name: build(work, name, include) for name in BUILDS}
        self.tools = [tool for tool in TOOLS if isinstance(self.programs[tool.build], Path)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = list(pool.map(self.row, BUGS))
        self.rows = dict(zip(BUGS, rows))

    def row(self, bug):
        expected = one(self.programs['finding'], bug.name, 'forward')[1]
        cells = {}
        for tool in self.tools:
            try:
                cells[tool] = judge(bug, self.programs, tool, expected)
            except Failure as failure:
                cells[tool] = failure
        return cells

    def check(self, bug, tool):
        if tool not in self.tools:
            raise Skip(self.programs[tool.build])
        if isinstance(self.rows[bug][tool], Failure):
            raise self.rows[bug][tool]

    def table(self, tools):
        lines = ['| bug | ' + ' | '.join(tool.title for tool in tools) + ' |', '| --- |' + ' --- |' * len(tools)]
        for bug in BUGS:
            cells = [self.rows[bug][tool] for tool in tools]
            words = ['?' if isinstance(cell, Failure) else cell[0] for cell in cells]
            lines.append(f'| {bug.title} | ' + ' | '.join(words) + ' |')
        return lines


# ---- docs/finding-bugs.md

def written_page():
    return PAGE.read_text(encoding='utf-8') if PAGE.exists() else ''


def written_table():
    return written_page().partition(BEGIN + '\n')[2].partition('\n' + END)[0].split('\n')


def columns(lines, tools):
    """the lines of the table with the columns of these tools only"""
    titles = [word.strip() for word in lines[0].split('|')[1:-1]]
    missing = [tool.title for tool in tools if tool.title not in titles]
    if missing:
        raise Failure(f'docs/finding-bugs.md has no table with the columns {missing}')
    kept = [0] + [titles.index(tool.title) for tool in tools]
    return ['| ' + ' | '.join(line.split('|')[1:-1][i].strip() for i in kept) + ' |' for line in lines]


def check_table(results):
    made = columns(results.table(results.tools), results.tools)
    written = columns(written_table(), results.tools)
    differing = [f'run   {new}\npage  {old}' for new, old in zip(made, written) if new != old]
    if differing or len(made) != len(written):
        raise Failure('tests/backend/finding.py --write makes it anew\n' + '\n'.join(differing))
    if results.tools != TOOLS:
        missing = [f'{tool.title} ({results.programs[tool.build]})' for tool in TOOLS if tool not in results.tools]
        raise Skip('compared without the columns ' + ', '.join(missing))


def check_page(bug):
    section = written_page().partition(f'\n## {bug.title}\n')[2].partition('\n## ')[0]
    for text in (bug.code, bug.advice):
        if text not in section:
            raise Failure(f'docs/finding-bugs.md has not:\n{text}\ntests/backend/finding.py --write makes it anew')
    places = set(re.findall(r'finding\.cu:(\d+)', section))
    if places and str(bug.line) not in places:
        raise Failure(f'docs/finding-bugs.md names the lines {places}, the bug is on {bug.line}')


def shown(bug, results):
    """the command and the output of the simplest tool that finds the bug, shortened"""
    rows = results.rows[bug]
    tool = next((tool for tool in TOOLS if rows[tool][0] not in ('-', 'result')), TOOLS[0])
    order = '' if 'forward' in tool.orders else f'CMK_HOST_ORDER={tool.orders[0]} '
    lines = tidy(rows[tool][1]).strip().splitlines()
    if rows[tool][0] in ('-', 'result'):
        lines = [line for line in lines if 'nan' in line][:1] or lines[:1]
    else:
        lines = tidy(reports(rows[tool][1])[0][1]).strip().splitlines()
    if rows[tool][0] in ('ASan', 'TSan'):
        kept = r'ERROR: |WARNING: |  (Previous|Read|Write) |(READ|WRITE) of| +#0 .*finding\.cu'
        lines = [line for line in lines if re.match(kept, line)][:5]
    if tool.build == 'finding-races':  # the kernel goes on, and prints
        return '\n'.join([f'$ ./cmk run finding.cu -- {bug.name}', lines[0]])
    return '\n'.join([f'$ {order}./{tool.build} {bug.name}', *lines])


def page(results):
    parts = ['''# Finding bugs

What finds which bug, by running each under each: `cmk` is the CPU backend, naming kernel, block, thread, file and line;
every report names the line of the bug. `result`: no report, but another result than in order.

TABLE

`./cmk run` builds the program so that [races](cuda-on-a-cpu.md#races) are reported, whatever the order of
its threads is. `reverse` and `shuffle` are values of `CMK_HOST_ORDER` ([without-a-gpu.md](without-a-gpu.md)), shuffled
6 times. ASan and UBSan are gcc's `-fsanitize=address,undefined`, TSan is clang's `-fsanitize=thread`, both in order on
one core. What two streams lack, or the host, `./cmk run` [says too](cuda-on-a-cpu.md#streams-that-nothing-orders). Two
variables find more of it, and what two devices lack: [streams that run late](without-a-gpu.md#streams-that-run-late),
[several devices](without-a-gpu.md#several-devices).

Below, each bug: a kernel that has it (`k` is 1), what the simplest tool that finds it prints, and what to do. The
kernels stand in [finding.cu](../tests/backend/finding.cu), whose lines the reports name;
[finding.py](../tests/backend/finding.py) runs them all and made this page.

```
gcc -g -O1 -I../../include -x c finding.cu -o finding -lm -lpthread
gcc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I../../include -x c finding.cu \\
    -o finding-address -lm -lpthread
clang -g -O1 -fsanitize=thread -I../../include -x c finding.cu -o finding-thread -lm -lpthread
```

The checks of the backend are in all three. To ThreadSanitizer every CUDA thread is a thread, and blocks are not
ordered, on one CPU core too. The blocks of a core share a plain `__shared__` array, which it takes for a race between
them: launch one block, or declare a `CMK_TILE`. A kernel that spins until another thread writes does not end on the
CPU; `./cmk run` [says so](cuda-on-a-cpu.md#kernels-that-wait) of plain CUDA.
''']
    for bug in BUGS:
        parts.append(f'## {bug.title}\n\n```c\n{bug.code}```\n\n```\n{shown(bug, results)}\n```\n\n{bug.advice}\n')
    table = '\n'.join([BEGIN, *results.table(TOOLS), END])
    return '\n'.join(parts).replace('\nTABLE\n', f'\n{table}\n', 1)


def write(results):
    cells = [cell for row in results.rows.values() for cell in row.values()]
    if results.tools != TOOLS or any(isinstance(cell, Failure) for cell in cells):
        sys.exit('not written: a tool is missing, or a report is wrong; run without --write')
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(results), encoding='utf-8')


def checks(results):
    def quiet(tool, name):
        if tool not in results.tools:
            raise Skip(results.programs[tool.build])
        silent(results.programs, tool, name)

    names = must([results.programs['finding']]).split()

    def complete():
        if sorted(names) != sorted([bug.name for bug in BUGS] + RIGHT):
            raise Failure(f'finding.cu runs {names}')

    return ([(f'{bug.name}, {tool.title}: every report names line {bug.line}',
              lambda b=bug, t=tool: results.check(b, t)) for bug in BUGS for tool in TOOLS]
            + [(f'{name}, {tool.title}: no report', lambda n=name, t=tool: quiet(t, n))
               for name in RIGHT for tool in TOOLS]
            + [(f'docs/finding-bugs.md has {bug.name}', lambda b=bug: check_page(b)) for bug in BUGS]
            + [('every planted bug is run', complete),
               ('the table of docs/finding-bugs.md', lambda: check_table(results))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--write', action='store_true', help='the page')
    parser.add_argument('--include', type=Path, default=ROOT / 'include', help='the folder that holds cmk/')
    options = parser.parse_args()
    with folder() as work:
        results = Results(Path(work), options.include.resolve())
        if options.write:
            write(results)
        report(checks(results))


if __name__ == '__main__':
    main()
