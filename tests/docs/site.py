"""The reference and the site: every public name of the headers has an entry with its signature, its parameters and its
errors, and a use that the tests compile; the site builds without a warning, by itself, and its search finds each name.

A public name is a macro, a function or a type of cmk without a trailing underscore, or what a definition makes: name_x.
"""

import html
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, arguments, chromium, folder, must, report, run  # noqa: E402

sys.path.insert(0, str(ROOT / 'docs'))
import reference  # noqa: E402

# what stands for a kind, or is told by its type
PLAIN = {'', 'name', 'stream', 'LIST', 'VALUES', 'TABLES'}
REFERS = r'(?:All else is as in|steps of|exchanges by MPI:|exchanges by NCCL:) ([\w/]+\.h)'  # the header with the rest


def body_of(path):
    text = path.read_text(encoding='utf-8')
    return re.sub(r'/\*.*?\*/', '', text[text.index('*/'):], flags=re.DOTALL)


def macros_of(text):
    """(name, parameters) of what is defined, without guards"""
    found = re.findall(r'^\s*#\s*define (CMK_\w*[A-Za-z0-9])(?:\(([^)]*)\))?(?=\s|$)', text, re.MULTILINE)
    return {name: inside for name, inside in found if not name.endswith('_H')}


def functions_of(text):
    found = re.findall(r'^[A-Za-z_][\w *]*\b(cmk_\w*[a-z0-9])\(([^;{]*?)\)\s*\{', text, re.MULTILINE)
    types = re.findall(r'\}\s*(cmk_\w*[a-z0-9])\s*;|^typedef [^;{]*?\b(cmk_\w*[a-z0-9])\s*;', text, re.MULTILINE)
    return dict(found), {first or second for first, second in types}


def public(include):
    """the public names of the headers, and where each is"""
    found = {}
    for path in sorted((include / 'cmk').rglob('*.h')):
        text = body_of(path)
        functions, types = functions_of(text)
        for name in [*macros_of(text), *functions, *types]:
            found.setdefault(name, path)
    return found


def made(include):
    """the functions and types that definitions make, and the face of each"""
    found = {}
    for path in sorted((include / 'cmk' / 'kernel').glob('*.h')):
        for name in re.findall(r'name##(_[a-z_]*[a-z])\b', body_of(path)):
            if not re.search('_(kernel|table)', name):
                found[f'name{name}'] = path
    return found


def require(missing, what):
    if missing:
        raise Failure(f'{len(missing)} {what}\n' + '\n'.join(missing))


def check_names(include):
    told = reference.places(include)
    require([f'{name} of {path.relative_to(include)}' for name, path in public(include).items() if name not in told],
            'public names that no opening comment tells')


def check_made(include):
    told = {name for path in reference.documented(include) for name, _ in reference.declared(path)}
    require([f'{name} of {path.relative_to(include)}' for name, path in made(include).items() if name not in told],
            'functions of definitions that no opening comment tells')


def check_signatures(include):
    """as many parameters as the definition has; groups are one, what follows dots is any number"""
    defined = {}
    for path in sorted((include / 'cmk').rglob('*.h')):
        text = body_of(path)
        defined.update(macros_of(text))
        defined.update(functions_of(text)[0])
    wrong = []
    for path in reference.documented(include):
        for name, inside in reference.declared(path):
            own = defined.get(name)
            if own is None or inside is None or '...' in own or '...' in inside:
                continue
            count, told = (len(reference.parted(text)) for text in (own, inside))
            if count != told:
                wrong.append(f'{name}({inside}) of {path.relative_to(include)}: defined as ({own})')
    require(wrong, 'signatures are not those of the definitions')


def said(path):
    """a comment without its signatures and its example, and those of the pages to which it refers for the rest"""
    text = '\n'.join('\n'.join(own) for kind, lines in reference.tables_of(path)
                     for own in ([lines] if kind == 'prose' or not reference.is_table(lines)
                                 else [text for _, text in reference.entries_of(lines)]))
    others = [folder / name for name in re.findall(REFERS, text) for folder in (path.parent, path.parent.parent)]
    return '\n'.join([text, *(said(other) for other in others if other.is_file() and other != path)])


def is_told(word, text):
    """as it stands, or by its last part: in_pitch is a pitch, TABLES... are a TABLE's"""
    word = word.strip('.')
    forms = {word, word.removesuffix('S'), re.sub(r'^.*_', '', word)}
    return word in PLAIN or any(re.search(rf'\b{form}\b', text) for form in forms if form)


def check_parameters(include):
    """each word between brackets is said again: what it is, its shape, its unit"""
    missing = []
    for path in reference.documented(include):
        text = said(path)
        missing += [f'{path.relative_to(include)}: {word} of {name}' for name, inside in reference.declared(path)
                    for word in reference.parameters(inside or '') if not is_told(word, text)]
    require(list(dict.fromkeys(missing)), 'parameters that nothing is said about')


def check_errors(include):
    missing = []
    for path in reference.documented(include):
        returns = re.findall(r'^  cudaError_t (\w+)\(', '\n'.join(reference.comment_of(path)), re.MULTILINE)
        if returns and not re.search(r'cudaError[A-Z]|\b[Ee]rrors?\b', said(path)):
            missing.append(f'{path.relative_to(include)}: ' + ', '.join(returns))
    require(missing, 'headers whose calls return errors that they do not tell')


def check_uses(include):
    missing = []
    for name, path in {**public(include), **made(include)}.items():
        page = reference.places(include).get(name, path)
        shown = '\n'.join(reference.example_of(page))
        if not reference.pattern(name).search(shown) and reference.use_of(name, page) is None:
            missing.append(f'{name} of {path.relative_to(include)}')
    require(missing, 'public names that no program uses')


def interface(include):
    yield 'reference: each public name', lambda: check_names(include)
    yield 'reference: what definitions make', lambda: check_made(include)
    yield 'reference: signatures', lambda: check_signatures(include)
    yield 'reference: parameters', lambda: check_parameters(include)
    yield 'reference: errors', lambda: check_errors(include)
    yield 'reference: a use of each name', lambda: check_uses(include)


# ---- The site

PROBE = """<title></title><script src="search/lunr.js"></script><script>
    const data = %s;
    lunr.tokenizer.separator = new RegExp(data.config.separator);
    const index = lunr(function () {
        for (const field of ['title', 'text']) this.field(field);
        this.ref('location');
        for (const section of data.docs) this.add(section);
    });
    const first = name => index.search(name).slice(0, 1).map(answer => answer.ref).join();
    document.title = JSON.stringify(Object.fromEntries(%s.map(name => [name, first(name)])));
    </script>"""
SOUGHT = {'missing barrier': 'docs/lessons/race.html', 'bank conflict': 'docs/bank-conflicts.html',
          'CMK_POINT_RESULT_BYTES': 'docs/stencils.html'}

WIDTH = 400
WIDTHS = """<title>{}</title><body></body><script>
    const found = {};
    for (const name of %s) {
        const frame = document.createElement('iframe');
        frame.style.width = '400px';
        frame.onload = () => {
            found[name] = frame.contentDocument.documentElement.scrollWidth;
            document.title = JSON.stringify(found);
        };
        frame.src = name;
        document.body.append(frame);
    }
    </script>"""


class Site:
    """built once, when the first check asks for it"""

    def __init__(self, work, include):
        self.work, self.include, self.said = Path(work), include, None

    def build(self):
        """by the headers that are tested"""
        if self.said is None:
            try:
                import mkdocs  # noqa: F401
            except ImportError:
                raise Skip('no mkdocs') from None
            words = [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', self.work]
            self.said = run(words, cwd=ROOT, CMK_INCLUDE=str(self.include))
        if self.said[0] != 0:
            raise Failure(self.said[1])

    def finds(self):
        self.build()
        index = json.loads((self.work / 'search' / 'search_index.json').read_text(encoding='utf-8'))
        titles = '\n'.join(entry['title'] for entry in index['docs'])
        text = titles + '\n'.join(entry['text'] for entry in index['docs'])
        names = [*public(self.include), *made(self.include)]
        require([name for name in names if not re.search(rf'\b{name}\b', text)], 'names that the search does not find')
        entries = [name for path in reference.documented(self.include) for name, _ in reference.declared(path)]
        require([name for name in dict.fromkeys(entries) if not re.search(rf'\b{name}\b', titles)],
                'entries that are no section')

    def answers(self):
        """what the search says first, by the program and the data that the site has, in a browser"""
        self.build()
        wanted = {words: [page] for words, page in SOUGHT.items()}
        for path in reference.documented(self.include):
            blocks = '\n'.join(line for kind, lines in reference.tables_of(path) if kind == 'block' for line in lines)
            for name in reference.NAME.findall(blocks):
                wanted.setdefault(name, []).append(f'include/{path.relative_to(self.include).as_posix()}.html')
        data = (self.work / 'search' / 'search_index.json').read_text(encoding='utf-8').replace('</', '<\\/')
        page = self.work / 'probe.html'
        page.write_text(PROBE % (data, json.dumps([*wanted])), encoding='utf-8')
        dump = must([*chromium(), '--dump-dom', page.as_uri()])
        page.unlink()
        found = json.loads(html.unescape(re.search('<title>(.*?)</title>', dump, re.DOTALL).group(1)))
        require([f'{words}: {place}, not {wanted[words]}' for words, place in found.items()
                 if not place.startswith(tuple(wanted[words]))], 'searches that another page answers first')

    def widths(self):
        """no page is wider than a telephone: what is too wide scrolls by itself"""
        self.build()
        page = self.work / 'probe.html'
        pages = [path.relative_to(self.work).as_posix() for path in sorted(self.work.glob('docs/*.html'))]
        page.write_text(WIDTHS % json.dumps(['index.html', *pages]), encoding='utf-8')
        dump = must([*chromium(), '--allow-file-access-from-files', '--virtual-time-budget=60000', '--dump-dom',
                     page.as_uri()])
        page.unlink()
        found = json.loads(html.unescape(re.search('<title>(.*?)</title>', dump, re.DOTALL).group(1)))
        require([f'{name}: {width}' for name, width in found.items() if not 0 < width <= WIDTH],
                f'pages that are wider than {WIDTH} pixels')
        require([] if len(found) > 10 else [f'{len(found)}'], 'pages that were looked at')

    def alone(self):
        """no page takes anything from elsewhere"""
        self.build()
        taken = [f'{path.relative_to(self.work)}: {word}' for path in self.work.rglob('*.html')
                 for word in re.findall(r'(?:src|href)="(?:https?:)?(//[^"]*)', path.read_text(encoding='utf-8'))
                 if 'mkdocs.org' not in word]
        taken += [f'{path.relative_to(self.work)}: {word}' for path in self.work.rglob('*.css')
                  for word in re.findall(r'url\(["\']?(?:https?:)?(//[^)]*)', path.read_text(encoding='utf-8'))]
        require(taken, 'things from the network')


def check_nav():
    """mkdocs leaves out of its menus what nobody names there"""
    menus = (ROOT / 'mkdocs.yml').read_text(encoding='utf-8')
    names = [path.relative_to(ROOT).as_posix() for path in (ROOT / 'docs').rglob('*.md')]
    require([name for name in sorted(names) if f': {name}\n' not in menus], 'pages that no menu of mkdocs.yml has')


def site(include, kit):
    yield 'site: its menus have each page', check_nav
    yield 'site: builds without a warning', kit.build
    yield 'site: its search finds each public name', kit.finds
    yield 'site: its search answers each name by the page that tells it', kit.answers
    yield 'site: no page is wider than a telephone', kit.widths
    yield 'site: needs no network', kit.alone


def main():
    options = arguments(__doc__, ('interface', 'site'), 'GROUP', parallel=False)
    with folder() as work:
        checks = [*interface(options.include)] if 'interface' in options.which else []
        checks += [*site(options.include, Site(work, options.include))] if 'site' in options.which else []
        report(checks, options)


if __name__ == '__main__':
    main()
