"""The lessons: their programs compile, pages show lines of them as they are and what they print, pictures are theirs.

usage: lessons.py [listings | programs | runs]... [--write]

A block of kind cuda is text of a source that its page links to. A block of kind console is a command and its output,
by the CPU backend; numbers that a clock or an allocator gives are any, and what a report says of nvcc and of its own
files is left out. --write puts outputs and pictures there; those of reports are made by chromium.
"""

import re
import sys
import textwrap
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import (C11, ROOT, Failure, arguments, chromium, compile_command, compiler, folder, must,  # noqa: E402
                     report, run)

sys.path.insert(0, str(ROOT / 'tests' / 'run'))
from run import Kit  # noqa: E402

LESSONS = ROOT / 'docs' / 'lessons'
sys.path.insert(0, str(LESSONS))
import pictures  # noqa: E402
import png  # noqa: E402

PAGES = [LESSONS / name for name in re.findall(r'^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)',
                                               (LESSONS / 'README.md').read_text(encoding='utf-8'), re.MULTILINE)]
PRESENT = [page for page in PAGES if page.exists()]
CONSOLE = re.compile(r'```console\n\$ ([^\n]*)\n(.*?)```', re.DOTALL)


def blocks(page, kind):
    return re.findall(rf'```{kind}\n(.*?)```', page.read_text(encoding='utf-8'), re.DOTALL)


def sources(page):
    return [(page.parent / name).resolve()
            for name in re.findall(r'\]\(([\w./-]+\.cu)\)', page.read_text(encoding='utf-8'))]


# ---- Listings

def check_listing(page, block):
    wanted = block.splitlines()
    for source in sources(page):
        lines = source.read_text(encoding='utf-8').splitlines()
        for at in range(len(lines)):
            if textwrap.dedent('\n'.join(lines[at:at + len(wanted)])).splitlines() == wanted:
                return
    raise Failure(f'in no source that {page.name} links to:\n{block}')


def check_order():
    """the first page is the index, which has all of them, and the site has their order"""
    there = {path for path in LESSONS.glob('*.md')} - {LESSONS / 'README.md'}
    if set(PAGES) != there:
        raise Failure('README.md does not name: ' + ' '.join(path.name for path in there ^ set(PAGES)))
    order = re.findall(r'docs/lessons/([\w-]+\.md)', (ROOT / 'mkdocs.yml').read_text(encoding='utf-8'))
    if order != ['README.md', *(path.name for path in PAGES)]:
        raise Failure(f'mkdocs.yml has another order: {order}')


def check_whole(page):
    """a picture, a listing and an output"""
    text = page.read_text(encoding='utf-8')
    missing = [what for what, pattern in (('picture', r'^!\['), ('listing', '^```cuda'), ('output', '^```console'))
               if not re.search(pattern, text, re.MULTILINE)]
    if missing:
        raise Failure('no ' + ', '.join(missing))


def check_png():
    """by its command, of both kinds; values are spread to 255, and the pictures are gone"""
    pictures_of = {'grey.pgm': (b'P5\n#2 2\n2 2 # a comment\n1\n\0\1\1\0', b'\0\0\xff\0\xff\0'),
                   'colour.ppm': (b'P6\n1 2\n255\nabcdef', b'\0abc\0def')}
    with folder() as work:
        for name, (data, _) in pictures_of.items():
            (Path(work) / name).write_bytes(data)
        must([sys.executable, ROOT / 'docs' / 'png.py', *(Path(work) / name for name in pictures_of)])
        if {path.name for path in Path(work).iterdir()} != {'grey.png', 'colour.png'}:
            raise Failure('other files than the two')
        for name, (_, rows) in pictures_of.items():
            if zlib.decompress((Path(work) / name).with_suffix('.png').read_bytes()[41:-16]) != rows:
                raise Failure(name)


def listings(_):
    yield 'png.py: a grey and a coloured picture', check_png
    yield 'lessons: in order', check_order
    for page in PRESENT:
        yield f'lesson {page.stem}: a picture, a listing, an output', lambda page=page: check_whole(page)
        for number, block in enumerate(blocks(page, 'cuda'), 1):
            yield (f'lesson {page.stem}, listing {number}: as in its source',
                   lambda page=page, block=block: check_listing(page, block))


# ---- Programs

def compiles(mode, include, source):
    with folder() as work:
        status, output = run([*compile_command(mode, include), '-O2', '-c', source, '-o', Path(work) / 'lesson.o'])
    if status != 0:
        raise Failure(output)


def is_plain(source):
    """whether it is CUDA without cmk's headers, which nvcc and ./cmk run build"""
    return '<cmk/' not in source.read_text(encoding='utf-8')


def programs(include):
    for mode in ('c', 'c++', 'cuda'):
        for source in sorted(LESSONS.glob('*.cu')):
            if is_plain(source) and mode != 'cuda':
                continue
            yield (f'lesson {source.stem}: compiles, {mode}',
                   lambda mode=mode, source=source: compiles(mode, include, source))


# ---- Runs

def steady(text):
    """without what a clock, an allocator or a shell tells"""
    text = re.sub(r'0x[0-9a-f]+', '0x', text)
    text = re.sub(r' *\b[\d.]+ (ms|G points/s)', r' # \1', text)
    text = re.sub(r'(largest error) [^,]*', r'\1 #', text)
    return text.rstrip()


def without_machine(text):
    """what a report says wherever it is made: without what nvcc makes of the kernels, and the places of its files"""
    return re.sub(r'^what nvcc makes .*\n(?:  .*\n)*|^(?:table|page): .*\n', '', text, flags=re.MULTILINE)


class Runs:
    """the commands of all pages, in their order, in one folder"""

    def __init__(self, work, include):
        self.work, self.include, self.said, self.kit = Path(work), include, {}, Kit(work, include)
        (self.kit.house / 'docs').symlink_to(ROOT / 'docs')

    def build(self, name, *flags):
        source = next(path for path in (LESSONS / f'{name}.cu', ROOT / 'examples' / f'{name}.cu') if path.exists())
        target = self.work / f'{name}{"".join(flags)}'.replace('=', '')
        if not target.exists():  # engines that are called compile in a fraction of the time
            must([*compiler('CC'), *C11, '-O1', '-Dalways_inline=unused', '-w', *flags, f'-I{self.include}',
                  source.relative_to(ROOT), '-o', target, '-rdynamic', '-lm', '-lpthread'], cwd=ROOT)
        return target

    def output(self, command):
        if command in self.said:
            return self.said[command]
        words = command.split()
        variables = {}
        while re.match(r'[A-Z_]+=', words[0]):
            name, _, value = words.pop(0).partition('=')
            variables[name] = value
        where = self.work
        if words[0] == './cmk' and is_plain(ROOT / words[2]):
            where, program = self.kit.house, ['sh', '-c', command]
        elif words[:2] == ['./cmk', 'report']:  # which builds and runs it where the sources are
            where = ROOT
            program = [self.build(Path(words[2]).stem, '-DCMK_COUNT=1')]
            variables['CMK_COUNT_REPORT'] = str(self.work / 'report.csv')
        elif words[:2] == ['./cmk', 'run']:
            where = ROOT
            program = [self.build(Path(words[2]).stem, '-DCMK_HOST_RACES_=1'), *words[3:]]
        else:
            program = [self.build(words[0].removeprefix('./')), *words[1:]]
        said = without_machine(run(program, cwd=where, **variables)[1]).rstrip()
        self.said[command] = said + '\n' if said else ''
        return self.said[command]

    def check(self, page, command, wanted):
        found = self.output(command)
        if steady(found) != steady(wanted):
            raise Failure(f'$ {command}\n{found}')

    def write(self, page):
        text = page.read_text(encoding='utf-8')
        page.write_text(CONSOLE.sub(lambda found: f'```console\n$ {found[1]}\n{self.output(found[1])}```', text),
                        encoding='utf-8')

    def image(self, name):
        return png.read((self.work / name).read_bytes())

    def pictures(self):
        """by their names, made by the commands of the pages"""
        for page in PRESENT:
            for command, _ in CONSOLE.findall(page.read_text(encoding='utf-8')):
                self.output(command)
        filtered = [self.image(name) for name in ('rings.pgm', 'gauss.pgm', 'sobel.pgm', 'emboss.pgm')]
        grey = {
            'first-kernel.png': self.image('rings.pgm'),
            'tile.png': self.image('blurred.pgm'),
            'race.png': pictures.larger(pictures.beside([self.image(name) for name in ('torn.pgm', 'whole.pgm')]), 2),
            'edges.png': self.image('edges.pgm'),
            'filter.png': pictures.beside(filtered),
            'heat.png': pictures.larger(self.image('slice.pgm'), 5),
            'many-gpus.png': pictures.larger(pictures.split(self.image('ranks.pgm'), 4), 5),
        }
        drawn = {
            'table.svg': pictures.slopes(self.output('./table')),
            'counting.svg': pictures.sectors(self.output('./counting')),
            'roofline.svg': pictures.roofline(self.output('./roofline')),
        }
        return grey, drawn

    def check_pictures(self):
        grey, drawn = self.pictures()
        wrong = [name for name, text in drawn.items() if (LESSONS / name).read_text(encoding='utf-8') != text]
        wrong += [name for name, image in grey.items() if not alike((LESSONS / name).read_bytes(), png.png(*image))]
        if wrong:
            raise Failure('other pictures than the programs make: ' + ' '.join(wrong))

    def save_pictures(self):
        grey, drawn = self.pictures()
        for name, image in grey.items():
            (LESSONS / name).write_bytes(png.png(*image))
        for name, text in drawn.items():
            (LESSONS / name).write_text(text, encoding='utf-8')
        page = self.work / 'report.html'
        must([sys.executable, ROOT / 'bench' / 'report.py', self.work / 'report.csv', page], cwd=ROOT)
        screenshot(page, 'conflict.png', 760)
        must([self.kit.house / 'cmk', 'report', 'docs/lessons/padding.cu'], cwd=self.kit.house)
        screenshot(self.kit.house / 'build' / 'report.html', 'padding.png', 760)


def screenshot(page, name, height):
    must([*chromium(), f'--window-size=1280,{height}', f'--screenshot={LESSONS / name}', page.as_uri()])


def alike(one, other):
    """two PNGs of this project's: the same size, pixels that differ by rounding only"""
    rows = [zlib.decompress(data[41:-16]) for data in (one, other)]
    return (one[:33] == other[:33] and len(rows[0]) == len(rows[1])
            and all(abs(a - b) <= 1 for a, b in zip(*rows)))


def runs(kit):
    for page in PRESENT:
        for command, wanted in CONSOLE.findall(page.read_text(encoding='utf-8')):
            yield (f'lesson {page.stem}: $ {command}',
                   lambda page=page, command=command, wanted=wanted: kit.check(page, command, wanted))
    yield 'lessons: their pictures', kit.check_pictures


def main():
    write = '--write' in sys.argv
    sys.argv = [word for word in sys.argv if word != '--write']
    options = arguments(__doc__, ('listings', 'programs', 'runs'), 'GROUP', parallel=False)
    with folder() as work:
        kit = Runs(work, options.include)
        if write:
            for page in PRESENT:
                kit.write(page)
            kit.save_pictures()
            return
        groups = {'listings': listings(options.include), 'programs': programs(options.include), 'runs': runs(kit)}
        report([check for name in options.which for check in groups[name]], options)


if __name__ == '__main__':
    main()
