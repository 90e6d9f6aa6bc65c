"""The report of the counters: text, table and page of ./cmk report, and what a program writes by itself."""

import csv
import html
import json
import os
import re
import shutil
import struct
import sys
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, arguments, chromium, folder, must, program, report, run  # noqa: E402

SOURCE = Path(__file__).resolve().parent / 'report.cu'
LINES = SOURCE.read_text().splitlines()
UNITS = {'shared': 'wavefronts', 'global': 'sectors'}

# mark, kind, bytes a lane, requests, cost, ideal, conflicts, efficiency, remedy in the text and in the table
COSTS = [
    ('fill', 'shared store', 4, 32, 32, 32, 0, '100.0', '-', ''),
    ('fill', 'global load', 4, 32, 128, 128, 0, '100.0', '-', ''),
    ('column', 'shared load', 4, 32, 1024, 32, 992, '3.1', 'PAD 1 of tile', '1'),
    ('column', 'global store', 4, 32, 128, 128, 0, '100.0', '-', ''),
    ('planes', 'shared load', 4, 1, 16, 1, 15, '6.2', 'PAD 2 of tile[1]', '2'),
    ('dynamic', 'shared load', 4, 1, 32, 1, 31, '3.1', 'PAD + 1 of dynamic', '+1'),
    ('tall', 'shared store', 4, 1, 32, 1, 31, '3.1', 'a swizzle', 'swizzle'),
    ('flat', 'shared store', 4, 1, 2, 1, 1, '50.0', 'another order', 'order'),
    ('strided', 'global load', 4, 1, 16, 4, 0, '25.0', '-', ''),
    ('strided', 'global store', 4, 1, 4, 4, 0, '100.0', '-', ''),
    ('clean', 'global load', 4, 24, 96, 96, 0, '100.0', '-', ''),
]

# kernel: launches, grid, block, shared bytes, bytes moved, used, operations, operations a byte, blocks, occupancy
KERNELS = {
    'column': '1 1x1x1 32x32x1 4096 8192 8192 0 0.000 2 32 100',
    'planes': '1 1x1x1 32x1x1 8320 128 128 0 0.000 32 24 38',
    'stubborn': '1 1x1x1 32x1x1 4352 128 128 0 0.000 32 32 50',
    'strided': '1 1x1x1 32x1x1 0 640 256 0 0.000 32 32 50',
    'clean': '3 4x1x1 64x1x1 0 6144 6144 1536 0.250 32 32 100',
    'pair': '1 1x1x1 32x1x1 0 512 384 0 0.000 32 32 50',
}
COLUMNS = ['launches', 'grid', 'block', 'shared_bytes', 'bytes_moved', 'bytes_used', 'operations', 'operations_a_byte',
           'blocks_by_threads', 'blocks_by_shared', 'occupancy']


def line_of(mark):
    return next(number for number, line in enumerate(LINES, 1) if re.search(rf'MARK {mark}\b', line))


def same(found, wanted, what):
    if found != wanted:
        raise Failure(f'{what}: {found}, not {wanted}')


class Page(HTMLParser):
    """the cells of every row, and what could reach beyond the page"""

    def __init__(self, text):
        super().__init__()
        self.rows, self.links, self.cell = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ('src', 'href')]
        self.links += [tag] * (tag in ('script', 'link', 'img'))
        if tag == 'tr':
            self.rows.append([])
        if tag in ('td', 'th'):
            self.rows[-1].append(['', dict(attrs).get('class', '')])
            self.cell = self.rows[-1][-1]

    def handle_endtag(self, tag):
        self.cell = None if tag in ('td', 'th') else self.cell

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[0] += data


class Toolkit:
    """a copy of the folder in which ./cmk report has built and run the kernels"""

    def __init__(self, work, include):
        self.work = Path(work)
        shutil.copy(ROOT / 'cmk', self.work / 'cmk')
        (self.work / 'include').symlink_to(include)
        for name in ('bench', 'examples', 'run'):
            (self.work / name).symlink_to(ROOT / name)
        self.sources = self.work / 'a folder'
        self.sources.mkdir()
        shutil.copy(SOURCE, self.sources / 'kernels.cu')
        self.build = self.work / 'build'
        self.text = self.report('kernels.cu')
        self.program = next(self.build.glob('run/report-*/kernels'))
        self.table = (self.build / 'report.csv').read_text()
        self.page = (self.build / 'report.html').read_text()

    def report(self, *words, **variables):
        return must([self.work / 'cmk', 'report', *words], cwd=self.sources, **variables)

    def refuses(self, text, *words):
        status, output = run([self.work / 'cmk', 'report', *words], cwd=self.sources)
        if status != 1 or text not in output:
            raise Failure(f'exit status {status}, not 1 with "{text}"\n{output}')
        return output

    def rows(self, record):
        return [row for row in csv.DictReader(self.table.splitlines()) if row['record'] == record]

    def text_row(self, mark, kind, size, requests, cost, ideal, conflicts, efficiency, remedy, _):
        number = line_of(mark)
        wanted = [str(number), *kind.split(), str(size), str(requests), '32.0', str(cost), UNITS[kind.split()[0]],
                  str(ideal), str(conflicts), efficiency, '%', *remedy.split()]
        rows = [line.split() for line in self.text.splitlines() if line.split()[:3] == wanted[:3]]
        same([row[:len(wanted)] for row in rows], [wanted], mark)
        source = LINES[number - 1].split()
        quoted = [line for line in self.text.splitlines() if line.split()[:1] == wanted[:1]]
        if ' '.join(source)[:90] not in ' '.join(quoted[0].split()):
            raise Failure(f'{mark}: no source in {quoted[0]}')

    def table_row(self, mark, kind, size, requests, cost, ideal, conflicts, efficiency, _, pad):
        rows = [row for row in self.rows('access') if (row['line'], row['kind']) == (str(line_of(mark)), kind)]
        shared = kind.startswith('shared')
        keys = ['wavefronts', 'ideal_wavefronts'] if shared else ['sectors', 'ideal_sectors']
        found = [[row[key] for key in ['file', 'bytes_a_lane', 'requests', *keys, 'conflicts', 'efficiency', 'pad',
                                       'source']] for row in rows]
        wanted = ['kernels.cu', *map(str, (size, requests, cost, ideal, conflicts)), efficiency, pad,
                  LINES[line_of(mark) - 1].strip()]
        same(found, [wanted], mark)

    def page_row(self, mark, kind, size, requests, cost, ideal, conflicts, efficiency, remedy, _):
        """cost and remedy, then the source, then what explains them"""
        rows = Page(self.page).rows
        first = next(k for k, row in enumerate(rows) if row[0][0] == str(line_of(mark)) and row[0][1] == 'number')
        same([cell[0] for cell in rows[first] if cell[1] == 'code'], [LINES[line_of(mark) - 1]], mark)
        beside = [rows[first][1:5] + rows[first][6:]]
        for row in rows[first + 1:]:
            if row[0][1] == 'number':
                break
            beside.append(row)
        found = [row for row in beside if len(row) > 4 and row[4][0] == kind]
        number = f'{cost:,}'.replace(',', ' ') + ' ' + UNITS[kind.split()[0]]
        said = 'coalesce' if 'global' in kind and cost > ideal else remedy.strip('-')
        wanted = [efficiency + ' %', number, str(ideal), said, kind, str(size), str(requests),
                  str(conflicts) if 'shared' in kind else '']
        same([[cell[0] for cell in row[:8]] for row in found], [wanted], mark)
        same(found[0][7][1], 'bad' if conflicts else '', 'the colour of conflicts')
        same(found[0][1][1], 'bad' if cost > ideal else '', 'the colour of the cost')
        share = float(efficiency)
        same(found[0][0][1], 'bad' if share < 50 else 'poor' if share < 90 else '', 'the colour of the efficiency')

    def kernels(self):
        found = {row['kernel']: ' '.join(row[name] for name in COLUMNS) for row in self.rows('kernel')}
        same(found, KERNELS, 'kernels')
        for words in ('kernel clean: 3 launches, grid 4 x 1 x 1, block 64 x 1 x 1, 0 bytes of shared memory a block',
                      '6144 bytes between L1 and L2, 6144 used (100.0 %); 1536 operations, 0.250 a byte',
                      'blocks on an SM of sm_90: 32 by threads, 24 by shared memory: 38 % of its threads; registers '
                      'are not known here'):
            if words not in self.text:
                raise Failure(f'no "{words}"\n{self.text}')
        cells = [[cell[0] for cell in row] for row in Page(self.page).rows]
        same([row for row in cells if row[0] == 'clean' and len(row) == 14],
             [['clean', '100.0 %', '', '3', '4x1x1', '64x1x1', '0', '6 144', '100.0 %', '1 536', '0.250', '32', '32',
               '100 %']], 'page')

    def conflict_in_summary(self):
        """a kernel whose bytes are all used: 32 + 64 + 32 + 64 cycles that are needed, 992 that are not"""
        rows = [row for row in Page(self.page).rows if row[0][0] == 'column' and len(row) == 14]
        wanted = [['column', 'left'], ['16.2 %', 'bad'], [f'kernels.cu:{line_of("column")}', 'left line']]
        same([row[:3] for row in rows], [wanted], 'the summary')
        same([row[8] for row in rows], [['100.0 %', '']], 'the bytes used')

    def mend_first(self):
        """of all kernels, by the cycles that would be saved, above the summary and the source"""
        rows = [row for row in Page(self.page).rows if len(row) == 8 and row[0][0].endswith(' %')]
        lines = [row[5][0].rpartition(':')[2] for row in rows]
        wanted = ['column', 'dynamic', 'tall', 'planes', 'strided', 'pair', 'flat']
        same(lines, [str(line_of(mark)) for mark in wanted], 'lines')
        same([cell[0] for cell in rows[0][1:5]],
             ['1 024 wavefronts', '32', 'PAD 1 of tile', LINES[line_of('column') - 1].strip()], 'the first row')
        places = [self.page.index(text) for text in ('Mend these first', '<h2>Kernels', '<h2>kernels.cu')]
        same(places, sorted(places), 'the order of the page')

    def on_screen(self):
        """in a browser of 1280 pixels: nothing is cut off at the right, and the first rows need no scrolling"""
        found = self.measured()
        same(found['wide'], [], 'tables that are wider than the screen')
        for name, most in (('cost', 500), ('remedy', 640), ('beside', 640)):
            if not 0 < found[name] <= most:
                raise Failure(f'{name} ends at {found[name]} of 1280 pixels')
        if not 0 < found['lowest'] <= 720:
            raise Failure(f'what is mended first ends {found["lowest"]} pixels down')
        picture = self.work / 'page.png'
        must([*self.browser(), f'--screenshot={picture}', (self.build / 'report.html').as_uri()])
        same(picture.read_bytes()[:24], b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR' + struct.pack('>II', 1280, 800), 'picture')

    def browser(self):
        return [*chromium(), '--window-size=1280,800', f'--user-data-dir={self.work / "profile"}']

    def measured(self):
        """where things are, told by a script in a copy of the page"""
        script = """<script>
            const right = node => node ? Math.round(node.getBoundingClientRect().right) : 0;
            const first = [...document.querySelectorAll('.first tbody tr')];
            const beside = document.querySelector('.source tr.costs');
            document.title = JSON.stringify({
                wide: [document.documentElement, ...document.querySelectorAll('.wide')].filter(
                    node => node.scrollWidth > node.clientWidth).map(node => node.innerText.slice(0, 40)),
                cost: right(first[0].cells[1]), remedy: right(first[0].cells[3]), beside: right(beside.cells[4]),
                lowest: Math.round(first.pop().getBoundingClientRect().bottom)});
            </script>"""
        copy = self.work / 'measured.html'
        copy.write_text(self.page.replace('</body>', script + '</body>'))
        dump = must([*self.browser(), '--dump-dom', copy.as_uri()])
        return json.loads(html.unescape(re.search('<title>(.*?)</title>', dump).group(1)))

    def summed(self):
        """two loads of one width on a line: one row of the text, two of the table"""
        number = str(line_of('pair'))
        same(re.findall(rf'^ *{number}  global load +4 +(\d+) +[\d.]+ +(\d+) sectors +(\d+)', self.text, re.MULTILINE),
             [('2', '12', '8')], 'text')
        rows = [row for row in self.rows('access') if (row['line'], row['kind']) == (number, 'global load')]
        same(sorted((row['requests'], row['sectors']) for row in rows), [('1', '4'), ('1', '8')], 'table')
        same([row['access'] for row in rows], ['1', '2'], 'numbers of the accesses')

    def page_alone(self):
        same([link for link in Page(self.page).links if not link.startswith('#')], [], 'links')
        same([link for link in Page(self.page).links if f'id="{link[1:]}"' not in self.page], [], 'links to no line')
        for name in ('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 'prefers-color-scheme: dark'):
            if name not in self.page:
                raise Failure(f'no {name}')
        found = [cell[0] for row in Page(self.page).rows if row[0][1] == 'number' for cell in row if cell[1] == 'code']
        same(found, LINES, 'the source')

    def environment(self):
        table = self.work / 'own.csv'
        output = must([self.program], cwd=self.sources, CMK_COUNT_REPORT=str(table))
        same(table.read_text(), self.table, 'table')
        if output not in self.text or 'kernel column' not in output:
            raise Failure(output)
        same(must([self.program], cwd=self.sources), '', 'output without the variable')

    def unwritable(self):
        for name, status, text in (('/no/such.csv', 2, 'it must be a file that can be written'),
                                   ('/dev/full', 1, 'the report could not be written')):
            found, output = run([self.program], CMK_COUNT_REPORT=name)
            if found != status or text not in output:
                raise Failure(f'{name}: exit status {found}, not {status}\n{output}')
        for words, status in ((['/dev/full', '/dev/null'], 1), (['/dev/null', '/dev/full'], 1),
                              (['/dev/null', '/dev/null'], 0)):
            same(run([self.program, 'files', *words])[0], status, ' '.join(words))

    def files(self):
        text, table = self.work / 'files.txt', self.work / 'files.csv'
        must([self.program, 'files', text, table], cwd=self.sources)
        same(table.read_text(), self.table, 'table')
        if text.read_text() not in self.text:
            raise Failure(text.read_text())

    def nothing(self):
        output = self.report('kernels.cu', '--', 'none')
        if 'no kernel that counts has run' not in output or 'No kernel' not in (self.build / 'report.html').read_text():
            raise Failure(output)
        same((self.build / 'report.csv').read_text(), self.table.splitlines()[0] + '\n', 'table')

    def bad_arguments(self):
        (self.sources / 'broken.cu').write_text('#include <cmk/cmk.h>\nint main(void) { return nothing_; }\n')
        self.refuses('report needs a file')
        self.refuses('none.cu: no such file', 'none.cu')
        self.refuses('a folder: no such file', '../a folder')
        self.refuses('more: no such file', 'kernels.cu', 'more')
        self.refuses('-more: no such option', 'kernels.cu', '-more')
        self.refuses('does not compile', 'broken.cu')
        if 'kernel column' not in self.refuses('ended with status 3', 'kernels.cu', '--', 'fail'):
            raise Failure('no report of a program that fails')

    def without_python(self):
        tools = self.work / 'tools'
        tools.mkdir()
        for name in ('sh', 'dirname', 'mkdir', 'rm', 'sed', 'as', 'ld', 'cc'):
            (tools / name).symlink_to(os.path.realpath(program(name)))
        if shutil.which('python3', path='/usr/local/cuda/bin:/opt/cuda/bin'):
            raise Skip('python3 lies beside nvcc')
        status, output = run([self.work / 'cmk', 'report', 'kernels.cu'], cwd=self.sources, PATH=str(tools),
                             CC=program('cc'))
        if status != 1 or output != 'cmk: report needs python3\n':
            raise Failure(f'exit status {status}\n{output}')

    def example(self, words, expected):
        output = self.report(*words)
        for pattern in expected:
            if not re.search(pattern, output, re.MULTILINE):
                raise Failure(f'no {pattern}\n{output}')


EXAMPLES = {
    'shared_layout': ([], [r'shared load +4 +16 +32\.0 +256 wavefronts +16 +240 +6\.2 % +PAD 2 of tile',
                           r'shared load +4 +32 +32\.0 +1024 wavefronts +32 +992 +3\.1 % +PAD \+ 1 of tile']),
    'transpose': (['--', '64', '32'], [r'^kernel tiled: ', r'3\.1 % +PAD 1 of tile +CMK_STORE\(',
                                       r'^kernel swizzled: ']),
    'stencil1d': (['--', '1000'], [r'^kernel stencil_1d: ', r'CMK_STENCIL_1D_ANTISYMMETRIC', r'[1-9]\d* operations']),
}


def costs(kit):
    ways = {'text': kit.text_row, 'table': kit.table_row, 'page': kit.page_row}
    return [(f'report {way}: {row[0]}, {row[1]}', lambda r=row, c=check: c(*r)) for way, check in ways.items()
            for row in COSTS]


def programs(kit):
    return [(f'report: {check.__name__.replace("_", " ")}', check) for check in
            (kit.kernels, kit.conflict_in_summary, kit.mend_first, kit.on_screen, kit.summed, kit.page_alone,
             kit.environment, kit.unwritable, kit.files, kit.nothing, kit.bad_arguments, kit.without_python)]


def examples(kit):
    return [(f'report of examples/{name}.cu', lambda w=[f'../examples/{name}.cu', *words], e=expected:
             kit.example(w, e)) for name, (words, expected) in EXAMPLES.items()]


GROUPS = {'costs': costs, 'programs': programs, 'examples': examples}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP', parallel=False)
    with folder() as work:
        kit = Toolkit(work, options.include)
        report([check for name in options.which for check in GROUPS[name](kit)], options)


if __name__ == '__main__':
    main()
