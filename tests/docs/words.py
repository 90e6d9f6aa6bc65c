"""The words of the project: sentences that are short enough, and none of the words that the glossary replaces.

usage: words.py [GROUP...] [--include DIR]

Prose is what a page has beside its code, tables, headings and drawings, and what the comments of more than a line in
include/ have beside lines that are set off. A sentence ends at a point, a question mark or the end of a paragraph, of
an item or of a comment.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, arguments, report  # noqa: E402
from pages import PAGES, headers  # noqa: E402

MEAN, MOST = 20, 45
MADE = {'bench/results/README.md'}  # of records, which are facts of their day
GLOSSARY = 'docs/glossary.md'
READ = [page for page in PAGES if page not in MADE and not page.startswith('docs/lessons')]

# What may still be too long: pages whose mean is above MEAN, sentences above MOST. A ledger: it only goes down.
LONG_MEANS = set()
LONG_SENTENCES = {}


def paragraphs(text):
    """of a page: runs of lines, and items of lists, without code, tables, headings, comments"""
    text = re.sub(r'```.*?```|<!--.*?-->|^---\n.*?^---\n', '\n\n', text, flags=re.DOTALL | re.MULTILINE)
    lines = []
    for line in text.splitlines():
        if re.match(r'\s*(\||#|<|    \S|\t)', line) and not re.match(r'\s+[-*\d]', line) and not (lines and lines[-1]):
            lines.append('')
        elif re.match(r'\s*([-*]|\d+\.)\s', line):
            lines += ['', re.sub(r'^\s*([-*]|\d+\.)\s+', '', line)]
        elif re.match(r'\s*(\||#|<)', line):
            lines.append('')
        else:
            lines.append(line.strip())
    return [re.sub(r'\s+', ' ', part) for part in re.split(r'\n\n+', '\n'.join(lines)) if part.strip()]


def comments(text):
    """the paragraphs of comments of more than a line: lines that are set off by more spaces are tables or code"""
    for comment in re.findall(r'/\*(.*?)\*/', text, flags=re.DOTALL):
        if '\n' not in comment:
            continue
        lines = [re.sub(r'^\s*\* ?', '', line) for line in comment.splitlines()]
        kept = ['' if re.match(r' {2,}\S|.*\S {3,}\S', line) else line.strip() for line in lines]
        yield from (re.sub(r'\s+', ' ', part) for part in re.split(r'\n\n+', '\n'.join(kept)) if part.strip())


def sentences(paragraph):
    plain = re.sub(r'`[^`]*`', 'code', re.sub(r'!?\[([^][]*)\]\([^()]*\)', r'\1', paragraph))
    for sentence in re.split(r'(?<=[.?!])[)"*]*\s+(?=[^a-z])', plain):
        words = [word for word in sentence.split() if re.search(r'\w', word)]
        if len(words) > 2:
            yield len(words), sentence


def measure(parts):
    return [found for part in parts for found in sentences(part)]


def require(found, what):
    if found:
        raise Failure(f'{len(found)} {what}\n' + '\n'.join(found[:60]))


def too_long(name, found):
    longest = [f'{name}: {count} words: {sentence[:140]}' for count, sentence in found if count > MOST]
    return longest if len(longest) > LONG_SENTENCES.get(name, 0) else []


def check_pages(_):
    wrong = []
    for page in READ:
        found = measure(paragraphs((ROOT / page).read_text(encoding='utf-8')))
        mean = sum(count for count, _ in found) / max(len(found), 1)
        if mean > MEAN and page not in LONG_MEANS:
            wrong.append(f'{page}: {mean:.1f} words a sentence, not {MEAN}')
        wrong += too_long(page, found)
    require(wrong, 'sentences or pages are too long')


def check_comments(include):
    found = [(path, one) for path, text in headers(include).items() for one in measure(comments(text))]
    mean = sum(count for _, (count, _) in found) / len(found)
    wrong = [f'{mean:.1f} words a sentence, not {MEAN}'] if mean > MEAN else []
    long = [f'{path.relative_to(include)}: {count}: {text[:140]}' for path, (count, text) in found if count > MOST]
    require(wrong + (long if len(long) > LONG_SENTENCES.get('include/', 0) else []), 'sentences are too long')


def banned():
    """(the pattern of a word, what stands in its place) of the table at the end of the glossary"""
    text = (ROOT / GLOSSARY).read_text(encoding='utf-8').split('<!-- not these -->')[1]
    rows = re.findall(r'^\| `([^`]+)` \| (.*?) \|$', text, re.MULTILINE)
    return [(rf'\b(?:{word})\b', instead) for word, instead in rows]


def prose_of(path, text):
    """what is read by people: of a header its comments and strings"""
    if path.suffix in ('.h', '.inc'):
        return '\n'.join(re.findall(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', text, flags=re.DOTALL))
    return re.sub(r'```.*?```|`[^`]*`', '', text, flags=re.DOTALL)


def check_banned(include):
    paths = [*headers(include), *(ROOT / page for page in READ if page != GLOSSARY)]
    wrong = []
    for path in paths:
        text = re.sub(r'\s*\n\s*\*?\s*', ' ', prose_of(path, path.read_text(encoding='utf-8')))
        for word, instead in banned():
            wrong += [f'{path.name}: {text[max(0, at.start() - 30):at.end() + 30]!r}: {instead}'
                      for at in re.finditer(word, text, re.IGNORECASE)]
    require(wrong, 'words have another in their place')


CHECKS = {
    'pages': (f'pages: {MEAN} words a sentence, none above {MOST}', check_pages),
    'comments': (f'comments: {MEAN} words a sentence, none above {MOST}', check_comments),
    'banned': ('no word that the glossary replaces', check_banned),
}


def main():
    options = arguments(__doc__, CHECKS, 'GROUP')
    report([(CHECKS[name][0], lambda check=CHECKS[name][1]: check(options.include)) for name in options.which], options)


if __name__ == '__main__':
    main()
