"""Compiles misuses of the headers, which must fail with the text that the case expects.

A case is cases/NAME.cu and opens with one line or more of
    /* expect: TEXT */              in every mode
    /* expect c c++: TEXT */        in these modes
Then there may be, for docs/errors.md,
    /* says: TEXT */                what the compiler says, as the page has it, where it is no sentence of cmk
    /* because: TEXT */
    /* do: TEXT */                  several lines of a kind are one text
A mode without a line is not tried; of several texts for a mode all must be there. `/* compiles */` opens a case that
must compile. clang and clang++ must say what c and c++ must, where all of it begins with "cmk: ". Every sentence of a
CMK_STATIC_ASSERT, CMK_NEEDS_, CMK_ASSERT_HERE_ or CMK_ASSERT_THEN_ in the headers that begins with "cmk: " needs a case
that expects it in every mode (a sentence of host/: in C and C++; of span.h: in C++ and CUDA; one that only a CUDA
compiler meets: in CUDA).
Sentences that macros join from pieces are read from the cases as the preprocessor leaves them, so that each piece must
be in one; those that differ in the number at their end alone need one case.

--write FILE makes the page, a row for what each case expects and for each sentence of a call that is refused, and
docs/errors.md must be what it makes.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import ROOT, Failure, arguments, compile_command, folder, report, run  # noqa: E402

CASES = HERE / 'cases'
MODES = ('c', 'c++', 'cuda')
CLANG = {'c': 'clang', 'c++': 'clang++'}
NOTE = re.compile(r'/\* (says|because|do): (.*) \*/')
EXPECT = re.compile(r'/\* expect([^:]*): (.*) \*/')
SENTENCE = re.compile(r'CMK_(?:STATIC_ASSERT|ASSERT_HERE_|ASSERT_THEN_)\([^;]*?"(cmk: [^"]+)"[,)]')
SHARED = re.compile(r'#define (CMK_\w+_) ("[^"]+")\n')  # words of several sentences
NEEDS = re.compile(r'CMK_NEEDS_\("(\w+)",([^;"]*?),\s*"')
ASSERTS = re.compile(r'\b(?:CMK_(?:STATIC_ASSERT|NEEDS_|ASSERT_HERE_|ASSERT_THEN_)|_Static_assert)\(')
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
JOINED = re.compile(r'"cmk: [^"]*"(?:\s*"[^"]*")*')
SPLIT_LITERAL = re.compile(r'"\s*\\?\n\s*"|" "')
ONLY_CUDA = re.compile(r'#if defined\(__CUDACC__\)\n(.*?)\n#(?:else|endif)', re.DOTALL)


def expectations(path):
    """the texts that the compiler's output must hold, by mode; none where the case must compile"""
    texts = {}
    for line in path.read_text().splitlines():
        found = EXPECT.fullmatch(line)
        if line == '/* compiles */':
            return {mode: [] for mode in (*MODES, *CLANG.values())}
        if found is None:
            break
        for mode in found.group(1).split() or MODES:
            texts.setdefault(mode, []).append(found.group(2))
    for mode, clang in CLANG.items():
        if mode in texts and all(text.startswith('cmk: ') for text in texts[mode]):
            texts[clang] = texts[mode]
    return texts


def compile_case(mode, include, path, texts):
    with folder() as temporary:
        said_early = mode != 'cuda' and texts and all(text.startswith('cmk: ') for text in texts)
        how = ['-fsyntax-only'] if said_early else ['-c', '-o', Path(temporary) / 'case.o']
        status, output = run(compile_command(mode, include) + [*how, path])
    if status != 0 and not texts:
        raise Failure('does not compile:\n' + output)
    if status == 0 and texts:
        raise Failure(f'compiles, but should stop with: {texts[0]}')
    for text in texts:
        if text not in output:
            raise Failure(f'stops, but not with: {text}\n{output}')


def case_checks(include, modes):
    for path in sorted(CASES.glob('*.cu')):
        for mode, texts in expectations(path).items():
            if mode in modes:
                yield (f'{mode}: {path.stem}',
                       lambda mode=mode, path=path, texts=texts: compile_case(mode, include, path, texts))


def written_out(text):
    """a header whose sentences stand whole where they are asserted, each as one string"""
    for name, words in SHARED.findall(text):
        text = re.sub(rf'(?<!#define ){name}\b', lambda _, words=words: words, text)
    text = SPLIT_LITERAL.sub('', text.replace('\\\n', ''))
    return NEEDS.sub(r'CMK_STATIC_ASSERT(\2, "cmk: \1: ', text)


def assertions(text):
    """the words of each assertion, from its name on"""
    for opening in ASSERTS.finditer(text):
        depth, end = 1, opening.end()
        while depth and end < len(text):
            literal = LITERAL.match(text, end)
            depth += {'(': 1, ')': -1}.get(text[end], 0)
            end = literal.end() if literal else end + 1
        yield text[opening.start():end - 1]


def any_number(sentence):
    return re.sub(r'(?<= of )\d+$', 'N', sentence)


def joined_sentences(include):
    """what the cases may be told, in C: the sentences of the assertions that the preprocessor leaves in all of them"""
    with folder() as temporary:
        path = Path(temporary) / 'cases.c'
        cases = [case for case in sorted(CASES.glob('*.cu'))  # but for those of other compilers, and of C++ alone
                 if not case.name.startswith('door_') and set(expectations(case)) & {'c', 'cuda'}]
        path.write_text(''.join(f'#include "{case}"\n' for case in cases))
        # without its errors, which would stand between two pieces wherever a buffer ends
        text = subprocess.run([*compile_command('c', include), '-w', '-E', '-P', path], encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = (JOINED.findall(words) for words in assertions(text))
    return {any_number(''.join(LITERAL.findall(words[0]))) for words in found if words}


def sentence_checks(include):
    cases = [{mode: [any_number(text) for text in texts] for mode, texts in expectations(path).items()}
             for path in CASES.glob('*.cu')]
    joined = joined_sentences(include)
    seen = set()

    def check(sentence, modes):
        for mode in modes:
            if not any(any_number(sentence) in texts.get(mode, []) for texts in cases):
                raise Failure(f'no case expects it in mode {mode}')

    def check_pieces(path):
        for words in assertions(path.read_text().replace('\\\n', '')):
            for piece in LITERAL.findall(words) if words.startswith('CMK_NEEDS_') or '"cmk: ' in words else ():
                if not any(piece in sentence for sentence in joined | seen):
                    raise Failure(f'no case meets the assertion that says "{piece}"')

    for path in sorted(include.glob('cmk/**/*.h')):
        text = written_out(path.read_text())
        in_cuda = SENTENCE.findall('\n'.join(ONLY_CUDA.findall(text)))
        for sentence in sorted(set(SENTENCE.findall(text))):
            seen.add(sentence)
            modes = ('c++',) if 'toolkit' in path.parts else ('c', 'c++') if 'host' in path.parts else \
                ('c++', 'cuda') if path.name == 'span.h' else ('cuda',) if sentence in in_cuda else MODES
            yield f'a case expects: {sentence}', lambda sentence=sentence, modes=modes: check(sentence, modes)
        yield (f'a case meets each assertion of {path.relative_to(include)}', lambda path=path: check_pieces(path))
    for sentence in sorted(joined - seen):
        yield f'a case expects: {sentence}', lambda sentence=sentence: check(sentence, MODES)


PAGE = """# When it does not compile

Made by `tests/misuse/misuse.py --write docs/errors.md` from the assertions and their cases in tests/misuse/cases; do
not edit.

Which of many errors is the one to read? The first: it names your word, or says a sentence of cmk. The tables below have
it, with the reason and what to do. What follows the first error comes of it, and is some kilobytes long. It is tens of
kilobytes where a name is defined twice, or where an update is none.

How do you see less of it?

- With `-isystem include` in place of `-Iinclude`, gcc and g++ show your own line alone. That is a fourth to an eighth
  of the text.
- The command `gcc -x c -fsyntax-only -fmax-errors=1 -Iinclude k.cu` shows the first error alone. It puts the caret on
  your own token inside a macro, where nvcc prints the expansion.
- g++ does the same, and so does clang with `-ferror-limit=1`.
- nvcc has no such option: `nvcc ... 2>&1 | grep -m 1 error:` is what is left.
- NVRTC's log begins with the first error.
"""
LINKER = """
## The linker

| it says | because | do |
| --- | --- | --- |
| `multiple definition of 'weights_values_'`, `undefined reference to 'weights_values_'` | a table of several files \
has two `CMK_TABLE_DEFINE`, or none; nvcc links device code of one program or library only | one `CMK_TABLE_DEFINE`, \
in the library or program whose kernels read the table |
| `cmk_a_program_has_objects_of_nvcc_and_of_the_CPU_backend_: TLS definition ... mismatches non-TLS definition` | \
a host file that nvcc does not compile includes cmk, so that it is for the CPU backend | in that file a header of your \
own, without cmk ([parts.md](parts.md)), or nvcc for it |
"""

CALLS = """
## A call that is refused

A launcher that refuses a call returns `cudaErrorInvalidValue` and launches nothing. The CPU backend says why on stderr,
and `name_why` returns it. Exchanges have their sentence in `halo.why`, which `CMK_CHECK` prints.

| it says | because | do |
| --- | --- | --- |
"""
REFUSED = [  # of calls that compile: what is said, because, do
    ('energy is NULL', 'a reduction needs memory of its own', 'CMK_POINT_RESULT_BYTES bytes, set to zeros'),
    ('in is NULL', 'a pointer was not set, or its allocation failed', '`CMK_CHECK` around each allocation'),
    ('in 0x7f3c00000001 is not aligned to 4 bytes', 'rows begin at whole elements; a spare buffer at 16 bytes',
     'an address of `cudaMalloc` plus whole elements'),
    ('grid is NULL', 'the address of a grid is asked for', '`heat(&grid, ...)`'),
    ('the pointer to a VALUE_OF is NULL', 'a value is read from device memory, by a pointer',
     'the address of the value, from `cudaMalloc`'),
    ('rows -1 is below 0', 'a number below 0 has become a size_t', 'look at what computes it'),
    ('rows 2147483648 is above 2147418112', 'kernels count an axis by int', 'several calls, or `name_region`'),
    ('spare is NULL, but 100 steps take 4 passes', 'passes write spare and out in turns',
     'an array as large as out, with its pitch; NULL where one pass is enough'),
    ('first_row 3 is above end_row 2', 'the part of a grid is from `first_` to `end_`, end not included', ''),
    ('region_rows 7, from row 2 on, is not inside rows 8', 'a region is a part of the image', ''),
    ('in_pitch 15 is smaller than columns 16', 'a pitch counts elements from row to row, not bytes',
     'bytes divided by `sizeof(T)`'),
    ('in_pitch 40 is smaller than columns 16, of 3 channels', 'a pitch counts elements of all channels',
     'at least columns times channels'),
    ('u_row_pitch 15 is smaller than columns 16', 'the pitch of a field, where it is not 0, is used for it', ''),
    ('u_plane_pitch 155 is smaller than rows 8 of row_pitch 20', 'planes would overlap',
     'at least rows times row_pitch'),
    ('in has more bytes than half of the address space, by 8 rows of in_pitch 4611686018427387904',
     'this pitch, step or size is wrong', ''),
    ('in has more bytes than half of the address space, by 3 times in_step 4611686018427387904', '', ''),
    ('in has more bytes than half of the address space, by count 4611686018427387904', '', ''),
    ('in has more bytes than half of the address space, by depth 2147483648, height 2147483648, width 16', '', ''),
    ('in and out overlap', 'a call reads while it writes, so that its buffers must be apart', 'another buffer for out'),
    ('u and u_next overlap: u has 60 rows of row_pitch 128, and u_next is 21600 bytes behind it',
     'the rows fit, but not with this pitch: the buffers were allocated for a smaller one',
     'the pitch of the allocation, or buffers of rows times pitch elements'),
    ('in and out overlap: in has 3 times in_step 4096, and out is 8192 bytes behind it', '', ''),
    ('out overlaps itself, by out_pitch 20 and out_step 100', 'images or planes of out would share elements',
     'a step of at least rows times pitch'),
    ('origin_row 9 puts what is updated outside of global_rows 16', 'the part of a rank lies in the larger grid',
     '`name_of_rank`, which sets both'),
    ('first_plane 1 leaves 1 planes of ghosts, but 4 are read',
     'a SHAPE, or the steps between two exchanges, read more points beside the part than the grid has',
     'as many ghosts in `name_of_rank`: the reach, times the steps with deep_ghosts'),
    ('border.low[0] 1 is below 2, the reach of u', 'the neighbour reads more points than the border has',
     '`cmk_point_border_of` with the widths of the ghosts; 0 for none along an axis'),
    ('u_spare has fewer bytes than the field', 'sizes or pitches have changed since `name_prepare`',
     '`name_release`, then `name_prepare`'),
    ('u has more bytes than the memory that was prepared', '', ''),
    ('u is prepared, but u_spare is no buffer for what it holds', '', ''),
    ('the grid has prepared buffers: name_release comes first', '', ''),
    ('the stream is captured', '`name_prepare` and `name_release` allocate and wait', 'call them before the capture'),
    ('spare buffers need more bytes than there are addresses', 'a pitch is wrong', ''),
    ('axes 6 is no word of transpose.h', 'an order of a volume is a word', 'CMK_TRANSPOSE_ZXY and its like'),
    ('rows 7 is odd: of cells a coarse one covers two along each axis', 'cells of half of the size must fit',
     'even sizes, or POINTS'),
    ('a matrix of this size needs more than 2147483647 blocks', 'a launch of CUDA has no more', 'several calls'),
    ('the elements need more than 2147483647 blocks', '', ''),
    ('the part that is updated needs more than 2147483647 blocks', '', ''),
    ('the grid is not split', 'an exchange needs the grid of `cmk_grid_split`', 'look at what it returns'),
    ('shape 2 is neither a star nor a box', 'there are these two', 'CMK_HALO_STAR or CMK_HALO_BOX'),
    ('0 fields are not 1 to CMK_HALO_FIELDS, 32', 'fields of one exchange are a halo',
     'several halos; `name_fields` gives 0 where no field is read beside the point'),
    ('field 0 (u) has no data', 'the buffers of the grid were not set before `name_fields`', 'first the buffers'),
    ('field 0 (u) reaches 4 planes, but its grid has 1 of ghosts', 'SHAPE reads more ghosts than the memory has',
     'as many ghosts in `name_of_rank` as SHAPE reaches'),
    ('field 0 (u) has 10 rows from its part on, but the part of the rank has 20', 'it is the grid of another rank', ''),
    ('field 0 (u) is read at corners too: its shape is CMK_HALO_BOX', 'a star brings faces only', 'CMK_HALO_BOX'),
    ('field 0 has elements of 20 bytes, not 1 to 16', 'a field has elements of at most 16 bytes', 'several fields'),
    ('field 0 reaches -1 planes', 'a reach is 0 or more', ''),
    ('field 0 reaches 4 planes, but the smallest of 8 parts has 3', 'ghosts come from the next rank, none from beyond',
     'fewer ranks along this axis'),
    ('field 0 has a row_pitch of 20, but rows of 22 columns with the ghosts of reach 1',
     'the memory has no room for these ghosts', 'a pitch for the points with their ghosts'),
    ('field 0 has a plane_pitch of 400, but planes of 22 rows with the ghosts of reach 1, 20 elements apart', '', ''),
    ('field 0 has more than 10^18 bytes from end to end', 'a pitch is wrong', ''),
    ('a face has more than 2^31 - 1 units to be packed, or all have 2^39: a unit is the most of 1 to 16 bytes that '
     'divides rows and pitches', 'a face that is packed is that large', 'more parts; even pitches'),
    ('the ranks do not have the same fields', 'ranks have made unlike plans', 'the same call on all ranks'),
    ('another rank cannot connect, and says why', '', ''),
    ('an exchange has not ended within 60 s', 'a rank has stopped, or has not begun the same exchange',
     'look at the rank that the sentence names; `halo.patience` is the time'),
    ('a stream has not ended, though the last exchange has, within 60 s', '', ''),
]
EXCHANGES = re.compile(r'cmk_halo_fail_\([^;"]*((?:"[^"]*"\s*)+)')
FORMATS = re.compile(r'(?:cmk_why_\(|why = |return |\? |none_\()\s*((?:"[^"]*"\s*)+)')


def row_of(path):
    """what the compiler says in this case, as the page has it, and why, and what to do; the header that it is about"""
    text = path.read_text()
    notes = {'says': [], 'because': [], 'do': []}
    for kind, words in NOTE.findall(text):
        notes[kind].append(words)
    texts = dict.fromkeys(text for texts in expectations(path).values() for text in texts)
    sentences = [text for text in texts if text.startswith('cmk: ') or notes['because']]
    says = ' '.join(notes['says']) or ', '.join(f'`{sentence}`' for sentence in sentences)
    header = re.search(r'#include [<"]cmk/(?:kernel/)?(.*)[>"]', text).group(1)
    if header == 'cmk.h':  # of a case of several headers the name tells which it is about
        header = {'door': 'base.h'}.get(path.stem.split('_')[0], path.stem.split('_')[0] + '.h')
    return header, says, ' '.join(notes['because']), ' '.join(notes['do'])


def page():
    rows = {}  # by header, by what is said: because and do
    for path in sorted(CASES.glob('*.cu')):
        header, says, because, remedy = row_of(path)
        if says and ((because or remedy) or says not in rows.get(header, {})):
            rows.setdefault(header, {})[says] = (because, remedy)
    text = PAGE
    for header in sorted(rows):
        by_reason = {}  # what has one reason and one remedy is one row
        for says, reason in rows[header].items():
            by_reason.setdefault(reason if any(reason) else says, []).append(says)
        text += f'\n## {header}\n\n| the compiler says | because | do |\n| --- | --- | --- |\n'
        for says in by_reason.values():
            text += f'| {", ".join(says)} | {" | ".join(rows[header][says[0]])} |\n'
    text += LINKER + CALLS
    rows = []
    for says, because, remedy in REFUSED:
        if because:
            rows.append([[says], because, remedy])
        else:  # it has the reason of the row before it
            rows[-1][0].append(says)
    return text + ''.join(f'| {", ".join(f"`{one}`" for one in says)} | {because} | {remedy} |\n'
                          for says, because, remedy in rows)


def any_words(text):
    """a pattern of the sentences that a format of printf makes"""
    return re.sub(r'%(?:zu|lld|d|g)', r'-?\\d+', re.sub('%p', r'0x\\w+', re.escape(text).replace('%s', '.*')))


def refusal_check(include):
    """each sentence by which a launcher, or a plan of an exchange, refuses has a row, and each row is of one of them"""
    found = [words for path in sorted(include.glob('cmk/kernel/**/*.h'))
             for words in FORMATS.findall(path.read_text())]
    found += [words for name in ('halo.h', 'halo/plan.h')
              for words in EXCHANGES.findall((include / 'cmk' / name).read_text())]
    formats = {text for text in (''.join(LITERAL.findall(words)) for words in found)
               if ' ' in text and re.search('[a-z]{2}', re.sub('%z?.', '', text)) and 'cmk_' not in text}
    missing = [text for text in formats if not any(re.fullmatch(any_words(text), says) for says, *_ in REFUSED)]
    others = [says for says, *_ in REFUSED if not any(re.fullmatch(any_words(text), says) for text in formats)]
    if missing or others:
        raise Failure('\n'.join(['no row says:', *missing, 'no header says:', *others]))


def page_check():
    path = ROOT / 'docs' / 'errors.md'
    if not path.is_file() or path.read_text() != page():
        raise Failure('it is not: run tests/misuse/misuse.py --write docs/errors.md')


def header_check():
    """a case whose first line says nothing would test nothing"""
    silent = [path.name for path in CASES.glob('*.cu') if not expectations(path)]
    if silent:
        raise Failure('no expectation in ' + ' '.join(silent))


def main():
    if sys.argv[1:2] == ['--write'] and len(sys.argv) == 3:
        Path(sys.argv[2]).write_text(page())
        return
    options = arguments(__doc__, [*MODES, *CLANG.values(), 'sentences'], 'MODE')
    checks = list(case_checks(options.include, options.which))
    if 'sentences' in options.which:
        checks += [('every case expects something', header_check), *sentence_checks(options.include),
                   ('docs/errors.md has each sentence of a refused call', lambda: refusal_check(options.include)),
                   ('docs/errors.md is what --write makes', page_check)]
    report(checks, options)


main()
