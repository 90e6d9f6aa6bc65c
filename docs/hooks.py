"""What mkdocs reads: the pages of the project where they are in it, a page for each header with an interface, made from
its comment (reference.py), and one for each source that a page links to. So a link is right here and in the files.
"""

import os
import re
import sys
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File, Files
from pygments.formatters import HtmlFormatter

sys.path.insert(0, str(Path(__file__).resolve().parent))
import reference  # noqa: E402

ROOT = reference.ROOT
INCLUDE = Path(os.environ.get('CMK_INCLUDE', ROOT / 'include'))
LINK = re.compile(r'\]\(([^)#\s]+)(#[^)\s]*)?\)')
PICTURES = {'.png', '.svg', '.csv'}
LANGUAGES = {'.cu': 'cuda', '.h': 'c', '.inc': 'c', '.py': 'python'}


def pages():
    """the pages that are written by hand, from the folder of the project"""
    found = [ROOT / name for name in ('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md')]
    for folder in ('docs', 'bench/results'):
        found += sorted((ROOT / folder).rglob('*.md'))
    return found


def linked_from(path):
    """the files that a page links to"""
    text = re.sub(r'```.*?```', '', path.read_text(encoding='utf-8'), flags=re.DOTALL)
    return {(path.parent / name).resolve() for name, _ in LINK.findall(text) if '://' not in name}


def place(path):
    """in the site, as in the project; the headers may be others than its own"""
    return (Path('include') / path.relative_to(INCLUDE) if path.is_relative_to(INCLUDE)
            else path.relative_to(ROOT)).as_posix()


def listing(path):
    """a page that is a source, or names the files of a folder"""
    if path.is_dir():
        return '\n'.join([f'# {place(path)}', '', *(f'- `{own.name}`' for own in sorted(path.iterdir()))])
    lines = path.read_text(encoding='utf-8').splitlines()
    return '\n'.join([f'# {place(path)}', '', *reference.fenced(lines, LANGUAGES.get(path.suffix, 'text'))])


def style():
    """colors of code by day and by night; what is too wide for a telephone scrolls; drawings keep a light ground"""
    dark = '[data-bs-theme=dark] .codehilite'
    return '\n'.join([
        HtmlFormatter().get_style_defs('.codehilite'), HtmlFormatter(style='github-dark').get_style_defs(dark),
        '.codehilite .err { border: none; }  /* a word that the lexer of C does not know is no error */',
        '.codehilite { margin-bottom: 1rem; } .codehilite pre { margin: 0; }',
        '.codehilite, table { display: block; max-width: 100%; overflow-x: auto; }',
        'p, li, h1, h2, h3 { overflow-wrap: anywhere; }',
        '[data-bs-theme=dark] img[src$=".svg"] { background: white; padding: 0.5em; }', ''])


def on_config(config):
    for section in config.nav:
        if 'Reference' in section:
            section['Reference'] = [{path.relative_to(INCLUDE / 'cmk').as_posix(): place(path) + '.md'}
                                    for path in reference.documented(INCLUDE)]
    return config


def on_files(files, config):
    found = Files([file for file in files if not file.src_uri.endswith(('.md', '.py', '.cu', '.png', '.svg'))])
    documented = reference.documented(INCLUDE)
    written = pages()

    def add(path, suffix='', **what):
        found.append(File.generated(config, place(path) + suffix, **what))

    for path in written:
        add(path, content=path.read_text(encoding='utf-8'))
    for path in documented:
        add(path, '.md', content=reference.page_of(path, INCLUDE))
    there = {place(path) for path in written + documented}
    for path in sorted(set().union(*map(linked_from, written))):
        if place(path) in there:
            continue
        if path.is_file() and path.suffix in PICTURES:
            add(path, abs_src_path=str(path))
        elif path.exists():
            add(path, '.md', content=listing(path))
    found.append(File.generated(config, 'cmk.css', content=style()))
    return found


def on_page_markdown(markdown, page, config, files):
    """links to sources lead to their pages; a block of code is none of Markdown's business"""
    here = PurePosixPath(page.file.src_uri).parent

    def target(match):
        name, anchor = match.group(1), match.group(2) or ''
        goal = os.path.normpath(here / name)
        made = '://' not in name and files.get_file_from_path(goal) is None and files.get_file_from_path(goal + '.md')
        return f']({name}.md{anchor})' if made else match.group()

    parts = re.split(r'(```.*?```)', markdown, flags=re.DOTALL)
    return ''.join(part if part.startswith('```') else LINK.sub(target, part) for part in parts)
