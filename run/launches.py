"""Rewrites plain CUDA for the CPU backend: launches k<<<grid, block, bytes, stream>>>(arguments), and shared memory.

A text keeps its lines: what is rewritten is replaced in place. host/plain.h has the macros that stand there then.

    k<<<grid, block>>>(x, 1)        CMK_HOST_PLAIN_LAUNCH_((k), ((grid), (block)), (x, 1))
    k<16><<<grid, block>>>(x, 1)    CMK_HOST_PLAIN_CALL_((k<16>), ((grid), (block)), ([=, cmk_0_ = (x), ...] { ... }))
    extern __shared__ float s[];    float (*const s) = (float (*))cmk_host_plain_dynamic_();
    __shared__ float s[8][9];       auto &s = CMK_HOST_PLAIN_SHARED_(s, float [8][9]);
    (void *)k                       cmk_host_plain_address_("k", k)

What is not there is an error of the compiler, which knows what is left out by #if: PTX, headers of CUDA's libraries.

The second form stands where the name of a kernel alone does not say which function it is: templates, overloads,
default arguments. It is C++, as are the last two lines; in C a __shared__ array stays a thread-local variable.
"""

import bisect
import re

import ptx
from lexer import Trouble, partner
from ptx import Unknown

KEYWORDS = frozenset('return else do case goto throw new delete co_return co_yield co_await and or not'.split())
FUNCTION_WORDS = frozenset('__launch_bounds__ __attribute__ __cluster_dims__ __maxnreg__ __block_size__ alignas '
                           '__align__ __declspec decltype'.split())
SHARED_WORDS = frozenset('extern __shared__ static __device__'.split())
ALIGNMENTS = frozenset('__align__ alignas __attribute__ _Alignas'.split())
QUALIFIERS = frozenset('volatile __volatile__ inline __inline__ goto'.split())
LITERALS = frozenset('nullptr NULL true false'.split())
ASSEMBLY = frozenset('asm __asm__ __asm'.split())
# what only the assembly of a GPU has: operations with a type or a space behind a point, special registers
PTX = re.compile(r'(?<=[a-z0-9])(?<!\\n)(?<!\\t)\.(?:[usbf](?:8|16|32|64)|f16x2|pred|sync|aligned|global|shared|local|'
                 r'param|gl|sys|cta|gpu)\b|%%?\w*(?:laneid|lanemask|warpid|smid|ctaid|tid|clock|globaltimer)')
WIDE = re.compile(r'(u?(int|long)|float)4|(double|u?longlong|u?long)[24]|__half8|uint128_t')  # types of 16 bytes
HALF_AS_WIDE = re.compile(r'double|long|u?int64_t|size_t|(u?int|float)2|u?short4')  # of 8, or some of them
MOST_UNROLLED = 64  # turns of a loop of #pragma unroll
MARK = 'cmk says: '  # in an error of the compiler that is a sentence of ours
OF_PTX = '({ extern void cmk_host_ptx_(void) __attribute__((error("' + MARK + \
    'inline PTX is not there on a CPU: it is the assembly of GPUs"))); cmk_host_ptx_(); })'



class Program:
    """what all files of a program say of its kernels: which of them need their arguments to be told apart"""

    def __init__(self):
        self.parameters = {}  # of each kernel its lists of parameters
        self.templates = set()
        self.dynamic = {}  # extern __shared__ arrays at file scope: name -> (type, bounds behind the first)
        self.constants = set()  # the names of __constant__ variables
        self.unrolls = False  # whether gcc unrolls what nvcc does
        self.has_ptx = True  # whether the functions of host/ptx.h are there
        self.alignment = 4  # the largest of a type, up to 16, by the words of the files

    def is_ambiguous(self, name):
        lists = self.parameters.get(name, set())
        return name in self.templates or len(lists) > 1 or any('=' in words for words in lists)

    def has_ambiguous(self):
        return any(self.is_ambiguous(name) for name in self.parameters)


# ---- Steps through tokens

def text_at(tokens, at):
    return tokens[at].text if 0 <= at < len(tokens) else ''


def touches(tokens, at):
    """whether the token at this index and the one behind it touch"""
    return at + 1 < len(tokens) and tokens[at].end == tokens[at + 1].first


def run_of(tokens, at, mark):
    """how many of a mark stand here without a space"""
    count = 0
    while text_at(tokens, at + count) == mark and (count == 0 or touches(tokens, at + count - 1)):
        count += 1
    return count


def three(tokens, at, mark):
    """whether three of a mark stand here; nvcc takes them with spaces too: k << <1, 2> >> (x)"""
    return all(text_at(tokens, at + step) == mark for step in range(3))


def template_end(tokens, at):
    """the index of the > that closes the < at this index, or None where it is a comparison"""
    at += 1
    while at < len(tokens):
        token = tokens[at]
        if token.text == '>' and token.kind == 'mark':
            behind = tokens[at + 1] if at + 1 < len(tokens) else None
            return None if behind and behind.kind in ('number', 'string') else at
        if token.text in ('(', '[', '{') and token.kind == 'mark':
            at = partner(tokens, at)
            if at is None:
                return None
        elif token.text == '<':
            if run_of(tokens, at, '<') > 1:
                at += 1  # a shift
            else:
                at = template_end(tokens, at)
                if at is None:
                    return None
        elif token.kind == 'mark' and token.text in (';', '?', ')', ']', '}', '=', '#'):
            return None
        at += 1
    return None


def template_begin(tokens, at):
    """the index of the < that opens the template arguments which end at this >, or None"""
    depth = 0
    while at >= 0:
        text = tokens[at].text if tokens[at].kind == 'mark' else ''
        if text in (')', ']', '}'):
            at = partner(tokens, at, -1)
            if at is None:
                return None
        elif text == '>':
            depth += 1
        elif text == '<' and text_at(tokens, at - 1) == '<' and touches(tokens, at - 1):
            at -= 1  # a shift
        elif text == '<':
            depth -= 1
            if depth == 0:
                return at
        elif text in (';', '{', '('):
            return None
        at -= 1
    return None


def configuration_end(tokens, at, templates=True):
    """the index of the >>> that closes a launch whose configuration begins at this index, or None"""
    while at < len(tokens):
        token = tokens[at]
        text = token.text if token.kind == 'mark' else ''
        if text in ('(', '[', '{'):
            at = partner(tokens, at)
            if at is None:
                return None
        elif text in (')', ']', '}', ';'):
            return None
        elif text == '<' and templates and run_of(tokens, at, '<') == 1 and tokens[at - 1].kind == 'name':
            at = template_end(tokens, at) or at
        elif text == '<':
            at += run_of(tokens, at, '<') - 1
        elif text == '>' and three(tokens, at, '>'):
            return at
        at += 1
    return None


def split(tokens, first, end):
    """(first, end) of what commas divide between two indices"""
    pieces, begin, at = [], first, first
    while at < end:
        token = tokens[at]
        text = token.text if token.kind == 'mark' else ''
        if text in ('(', '[', '{'):
            at = partner(tokens, at)
        elif text == '<' and run_of(tokens, at, '<') == 1 and tokens[at - 1].kind == 'name':
            closed = template_end(tokens, at)
            at = closed if closed and closed < end else at
        elif text == ',':
            pieces.append((begin, at))
            begin = at + 1
        at += 1
    return pieces + [(begin, end)] if end > first else []


def words_of(tokens):
    """apart where they are apart in the source: << is two tokens"""
    spaces = [''] + [' ' * (before.end != token.first) for before, token in zip(tokens, tokens[1:])]
    return ''.join(space + token.text for space, token in zip(spaces, tokens))


def macro_bodies(source):
    """of each #define what stands for the macro"""
    for tokens in source.directives:
        if len(tokens) > 1 and tokens[0].text == 'define':
            begin = 2
            if text_at(tokens, 2) == '(' and touches(tokens, 1):
                begin = (partner(tokens, 2) or 1) + 1
            yield tokens[begin:]


# ---- Kernels

def kernel_begin(tokens, end):
    """the index where the expression of a kernel begins that ends before this index, or None"""
    at = end - 1
    if text_at(tokens, at) == '>':
        at = template_begin(tokens, at)
        at = None if at is None else at - 1
        if at is None or at < 0 or tokens[at].kind != 'name':
            return None
    while text_at(tokens, at) == ']':
        at = partner(tokens, at, -1)
        at = -1 if at is None else at - 1
    if text_at(tokens, at) == ')':
        at = partner(tokens, at, -1)
        if at is None:
            return None
        if at == 0 or tokens[at - 1].kind != 'name' or tokens[at - 1].text in KEYWORDS:
            return at
        at -= 1
    if at < 0 or tokens[at].kind != 'name' or tokens[at].text in KEYWORDS:
        return None
    return qualified_begin(tokens, at)


def qualified_begin(tokens, at):
    """the index where the name at this index begins with what leads to it: namespaces, objects, pasted parts"""
    while text_at(tokens, at - 1) in ('::', '.', '->', '##', 'template'):
        joint = text_at(tokens, at - 1)
        if joint == 'template':
            at -= 1
            continue
        before = tokens[at - 2] if at >= 2 else None
        if joint == '::' and (before is None or before.text in KEYWORDS or
                              not (before.kind == 'name' or before.text == '>')):
            return at - 1  # of the global namespace
        begin = kernel_begin(tokens, at - 1)
        return at if begin is None else begin
    return at


def name_of(tokens, begin, end):
    """the kernel's name of an expression, without what leads to it and without template arguments"""
    if text_at(tokens, end - 1) == '>':
        end = template_begin(tokens, end - 1)
    return tokens[end - 1].text if end - 1 >= begin and tokens[end - 1].kind == 'name' else ''


def parameter_types(tokens, first, end):
    """the words of parameters between two indices, without their names; what is given by default is a ="""
    words = []
    for begin, behind in split(tokens, first, end):
        piece = [token.text for token in tokens[begin:behind]]
        given = '=' in piece
        piece = piece[:piece.index('=')] if given else piece
        names = [at for at in range(begin, begin + len(piece)) if tokens[at].kind == 'name']
        if len(names) > 1 and names[-1] == begin + len(piece) - 1:
            piece.pop()
        piece = [word for word in piece if word not in ('const', '__restrict__', '__restrict', 'restrict')]
        words += piece + ['='] * given + [',']
    return tuple(words)


def collect_kernel(tokens, at, program):
    """notes the kernel that the __global__ at this index declares"""
    opening = at + 1
    while opening < len(tokens) and tokens[opening].text not in (';', '{', '}'):
        if tokens[opening].text == '(' and tokens[opening].kind == 'mark':
            named = tokens[opening - 1]
            if named.kind == 'name' and named.text not in FUNCTION_WORDS:
                break
            if named.text == '>':
                break
            opening = partner(tokens, opening)
            if opening is None:
                return
        opening += 1
    closing = partner(tokens, opening) if text_at(tokens, opening) == '(' else None
    if closing is None:
        return
    name = name_of(tokens, at, opening)
    program.parameters.setdefault(name, set()).add(parameter_types(tokens, opening + 1, closing))
    before = at - 1
    while before >= 0 and (tokens[before].kind in ('name', 'string') and tokens[before].text != 'template'):
        before -= 1
    opened = template_begin(tokens, before) if text_at(tokens, before) == '>' else None
    if text_at(tokens, before) == 'template' or (opened and text_at(tokens, opened - 1) == 'template'):
        program.templates.add(name)


def collect_constants(tokens, at, program):
    """notes the variables that the __constant__ at this index declares"""
    name = None
    for at in range(at + 1, len(tokens)):
        token = tokens[at]
        if token.kind == 'name':
            name = token.text
        elif token.text in ('[', '=', '{', ',', ';') and name:
            program.constants.add(name)
            name = None
        if token.text in ('=', '{', ';'):
            return


def collect_alignment(tokens, at, program):
    """notes how a type may be aligned that the name at this index tells of"""
    name = tokens[at].text
    if name in ALIGNMENTS or name == 'aligned':
        number = next((token.text for token in tokens[at + 1:at + 6] if token.kind == 'number'), '')
        bytes_of_type = int(number) if number.isdecimal() else 4
    else:
        bytes_of_type = 16 if WIDE.fullmatch(name) else 8 if HALF_AS_WIDE.fullmatch(name) else 4
    program.alignment = max(program.alignment, min(bytes_of_type, 16))


def collect(source, program):
    """notes what one file says of the program"""
    for tokens in [source.code, *macro_bodies(source)]:
        for at, token in enumerate(tokens):
            if token.kind == 'name':
                collect_alignment(tokens, at, program)
            if token.text == '__global__' and token.kind == 'name':
                collect_kernel(tokens, at, program)
            elif token.text == '__constant__' and token.kind == 'name':
                collect_constants(tokens, at, program)
    for at, outer in shared_places(source.code):
        begin, end = declaration(source.code, at)
        if outer and any(token.text == 'extern' for token in source.code[begin:end]):
            name, kind, bounds = extern_shared(source.code, begin, end)
            program.dynamic[name] = (kind, bounds)


# ---- Shared memory

def shared_places(tokens):
    """(index, whether it is at file scope) of each __shared__"""
    open_ones = []
    for at, token in enumerate(tokens):
        if token.kind == 'name' and token.text == '__shared__':
            yield at, not any(open_ones)
        elif token.kind == 'name' and token.text == '__global__':
            open_ones = [inner for inner in open_ones if not inner]  # kernels are at file scope
        elif token.kind == 'mark' and token.text == '{':
            open_ones.append(not opens_namespace(tokens, at))
        elif token.kind == 'mark' and token.text == '}' and open_ones:
            open_ones.pop()


def opens_namespace(tokens, at):
    before = at - 1
    while before >= 0 and (tokens[before].kind == 'name' or tokens[before].text == '::'):
        if tokens[before].text == 'namespace':
            return True
        before -= 1
    return before >= 1 and tokens[before].kind == 'string' and tokens[before - 1].text == 'extern'


def declaration(tokens, at):
    """the indices between which the declaration stands whose __shared__ is at this index, without its semicolon"""
    begin = at
    while begin > 0:
        before = tokens[begin - 1]
        if before.text == ')':
            opening = partner(tokens, begin - 1, -1)
            if not opening or tokens[opening - 1].text not in ALIGNMENTS:
                break
            begin = opening
        elif before.text == '>':
            begin = template_begin(tokens, begin - 1) or begin - 1
        elif (before.kind == 'name' and before.text not in KEYWORDS) or before.text in ('::', '*'):
            begin -= 1
        else:
            break
    end = at
    while end < len(tokens) and tokens[end].text not in (';', '}'):
        if tokens[end].text in ('(', '[', '{') and tokens[end].kind == 'mark':
            closing = partner(tokens, end)
            if closing is None:
                raise Trouble(tokens[end].first, f'the {tokens[end].text} of a __shared__ declaration is not closed')
            end = closing
        end += 1
    return begin, end


def type_and_names(tokens, begin, end):
    """the tokens of a declaration without storage classes and alignments"""
    kept, at = [], begin
    while at < end:
        if tokens[at].text in ALIGNMENTS and text_at(tokens, at + 1) == '(':
            at = partner(tokens, at + 1)
        elif tokens[at].text not in SHARED_WORDS:
            kept.append(tokens[at])
        at += 1
    return kept


def declarators(kept):
    """of each declared name: (type, name, bounds); None where it is not understood"""
    found, base = [], None
    for first, end in split(kept, 0, len(kept)):
        bracket = first
        while bracket < end and kept[bracket].text not in ('[', '=', '('):
            bracket += 1
        name = bracket - 1
        if name < first or kept[name].kind != 'name' or text_at(kept[:end], bracket) in ('=', '('):
            return None
        stars = name
        while stars > first and kept[stars - 1].text in ('*', 'const', 'volatile', '__restrict__'):
            stars -= 1
        if base is None:
            if stars == first:
                stars = name if name > first else stars
            base = words_of(kept[first:stars])
        elif stars != first:
            return None
        if not base:
            return None
        found.append((f'{base} {words_of(kept[stars:name])}'.strip(), kept[name].text, words_of(kept[bracket:end])))
    return found


def extern_shared(tokens, begin, end):
    """name, type and bounds behind the first of a dynamic array"""
    found = declarators(type_and_names(tokens, begin, end))
    if not found or len(found) > 1 or not found[0][2].startswith('['):
        raise Trouble(tokens[begin].first, 'an extern __shared__ must declare one array: extern __shared__ T name[];')
    kind, name, bounds = found[0]
    return name, kind, bounds[bounds.index(']') + 1:].strip()


# ---- Rewriting

def body_of(tokens, at):
    """the indices of the braces of the function whose __global__ or __device__ is here; None where there are none"""
    body = at
    while body < len(tokens) and tokens[body].text not in (';', '{', '}', '='):
        body = (partner(tokens, body) or body) + 1 if tokens[body].text == '(' else body + 1
    return body, partner(tokens, body) if text_at(tokens, body) == '{' else None


def bodies(tokens):
    """those of all such functions"""
    for at, token in enumerate(tokens):
        if token.kind == 'name' and token.text in ('__global__', '__device__'):
            body, end = body_of(tokens, at)
            if end is not None:
                yield body, end


def assembly_of(tokens, at):
    """(the parts of the asm at this index that colons divide, the index of its last bracket), or None"""
    at += 1
    while text_at(tokens, at) in QUALIFIERS:
        at += 1
    closing = partner(tokens, at) if text_at(tokens, at) == '(' else None
    if closing is None:
        return None
    parts, at = [[]], at + 1
    while at < closing:
        behind = (partner(tokens, at) or at) + 1 if tokens[at].text == '(' else at + 1
        if tokens[at].text in (':', '::'):
            parts += [[] for _ in tokens[at].text]
        else:
            parts[-1] += tokens[at:behind]
        at = behind
    return parts, closing


def operands_of(tokens):
    """(constraint, text) of each operand of an asm"""
    operands = []
    for begin, end in split(tokens, 0, len(tokens)):
        if tokens[begin].kind != 'string' or text_at(tokens, begin + 1) != '(' or partner(tokens, begin + 1) != end - 1:
            raise Unknown
        operands.append((tokens[begin].text, words_of(tokens[begin + 2:end - 1])))
    return operands


def as_c(parts):
    """what stands for an asm of a GPU: C where it is one known instruction, otherwise a sentence"""
    lists = (parts + [[], []])[1:3]
    try:
        if any(token.kind != 'string' for token in parts[0]):
            raise Unknown
        return ptx.as_c([token.text for token in parts[0]], [operands_of(tokens) for tokens in lists])
    except Unknown:
        return OF_PTX


class Rewriter:
    def __init__(self, source, program, cplusplus, absent=()):
        """absent: (tokens of a directive, the sentence of the header that is not there)"""
        self.source, self.program, self.cplusplus, self.absent = source, program, cplusplus, absent
        self.edits = []  # (first, end, text)
        self.troubles = []
        self.launches = 0

    def replace(self, first, end, text):
        """what goes keeps its ends of lines"""
        lines = self.source.text[first:end].split('\n')[:-1]
        kept = ''.join(' \\\n' if line.endswith(('\\', '\\\r')) else '\n' for line in lines)
        self.edits.append((first, end, text + kept))

    def result(self):
        pieces, last = [], 0
        for first, end, text in sorted(self.edits, key=lambda edit: edit[:2]):
            pieces += [self.source.text[last:first], text]
            last = end
        return ''.join(pieces) + self.source.text[last:]

    def all(self):
        for tokens in macro_bodies(self.source):
            self.list(tokens, macro=True)
            self.shared(tokens, ((at, False) for at, token in enumerate(tokens) if token.text == '__shared__'))
            self.assembly(tokens, [])
        self.list(self.source.code)
        self.shared(self.source.code, shared_places(self.source.code))
        if self.program.dynamic:
            self.dynamic_names(self.source.code)
        self.assembly(self.source.code, list(bodies(self.source.code)))
        if self.program.unrolls:
            self.unroll_loops()
        for tokens, sentence in self.absent:
            self.replace(tokens[0].first, tokens[-1].end, f'error {MARK}{sentence}')
        return self

    def unroll_loops(self):
        """writes #pragma unroll in gcc's words; of a count that is no literal nothing is known"""
        code = self.source.code
        firsts = [token.first for token in code]
        for tokens in self.source.directives:
            words = [token.text for token in tokens if token.text not in ('(', ')')]
            behind = bisect.bisect(firsts, tokens[-1].end)
            if words[:2] == ['pragma', 'unroll'] and text_at(code, behind) in ('for', 'while', 'do'):
                count = words[2] if len(words) == 3 and words[2].isdecimal() else MOST_UNROLLED
                self.replace(tokens[0].first, tokens[-1].end, f'pragma GCC unroll {count}')

    def attempt(self, step, *arguments):
        try:
            step(*arguments)
        except Trouble as trouble:
            self.troubles.append(trouble)

    def list(self, tokens, macro=False):
        for at, token in enumerate(tokens):
            if three(tokens, at, '<') and text_at(tokens, at - 1) not in ('operator', '<') and \
                    text_at(tokens, at + 3) != '<':
                self.attempt(self.launch, tokens, at, macro)
            elif token.text == ']' and token.kind == 'mark':
                self.lambda_words(tokens, at + 1)
            elif token.text == '(' and token.kind == 'mark':
                self.address(tokens, at)
            elif token.text == '__noinline__' and text_at(tokens, at - 1) != '(':
                self.replace(token.first, token.end, '__attribute__((noinline))')

    def lambda_words(self, tokens, at):
        """[=] __device__ (int i) {}: not every compiler has attributes there"""
        while text_at(tokens, at) in ('__device__', '__host__'):
            self.replace(tokens[at].first, tokens[at].end, '')
            at += 1

    def address(self, tokens, at):
        """(void *)k of a kernel loses what its arguments are: it is noted"""
        closing = partner(tokens, at) if text_at(tokens, at + 1) in ('void', 'const') else None
        cast = [token.text for token in tokens[at + 1:closing] if token.text != 'const'] if closing else []
        if not self.cplusplus or cast != ['void', '*']:
            return
        begin = closing + 1 + (text_at(tokens, closing + 1) == '&')
        end = begin
        while text_at(tokens, end) == '::' or text_at(tokens, end + 1) == '::':
            end += 1
        if text_at(tokens, end) not in self.program.parameters:
            return
        end += 1
        if text_at(tokens, end) == '<':
            closed = template_end(tokens, end)
            end = closed + 1 if closed else end
        if text_at(tokens, end) in ('', ',', ')', '}', ';'):
            name = words_of(tokens[begin:end]).replace(' ', '')
            self.replace(tokens[at].first, tokens[closing].end, f'cmk_host_plain_address_("{name}", ')
            self.replace(tokens[end - 1].end, tokens[end - 1].end, ')')

    # ---- Launches

    def launch(self, tokens, at, macro):
        first = tokens[at].first
        close = configuration_end(tokens, at + 3) or configuration_end(tokens, at + 3, templates=False)
        if close is None and run_of(tokens, at, '<') < 3:
            return  # << < of no launch
        if close is None:
            raise Trouble(first, 'no >>> closes this <<<')
        opening = close + 3
        if text_at(tokens, opening) != '(':
            raise Trouble(first, 'no arguments follow the >>> of this launch: the kernel, <<<>>> and the arguments '
                                 'must stand together')
        closing = partner(tokens, opening)
        if closing is None:
            raise Trouble(tokens[opening].first, 'the ( of the arguments of this launch is not closed')
        begin = kernel_begin(tokens, at)
        if begin is None:
            raise Trouble(first, 'no kernel stands before this <<<: the kernel, <<<>>> and the arguments must stand '
                                 'together')
        by_call = self.cplusplus and self.is_called(tokens, begin, at, macro)
        form = 'CMK_HOST_PLAIN_CALL_' if by_call else 'CMK_HOST_PLAIN_LAUNCH_'
        self.replace(tokens[begin].first, tokens[begin].first, f'{form}((')
        self.replace(tokens[at - 1].end, tokens[at + 2].end, '), (')
        self.configuration(tokens, at + 3, close)
        if by_call:
            self.call(tokens, (begin, at), (close, opening, closing))
        else:
            self.replace(tokens[close].first, tokens[opening].end, '), (')
            self.replace(tokens[closing].first, tokens[closing].end, '))')
        self.launches += 1

    def is_called(self, tokens, begin, end, macro):
        name = name_of(tokens, begin, end)
        if text_at(tokens, end - 1) == '>' or self.program.is_ambiguous(name):
            return True
        return macro and name not in self.program.parameters and self.program.has_ambiguous()

    def configuration(self, tokens, first, end):
        pieces = split(tokens, first, end)
        if not pieces:
            raise Trouble(tokens[first - 1].first, 'this launch has neither grid nor block')
        for begin, behind in pieces:
            if len(pieces) == 1:
                return  # a macro may hold several
            if begin == behind:
                raise Trouble(tokens[begin - 1].first, 'a part of the configuration of this launch is missing')
            opened = 'dim3' if tokens[begin].text == '{' else '('
            self.replace(tokens[begin].first, tokens[begin].first, opened)
            if opened == '(':
                self.replace(tokens[behind - 1].end, tokens[behind - 1].end, ')')

    def call(self, tokens, kernel, brackets):
        """the arguments as captures of a lambda, evaluated at the launch; a literal stays one: 0 may be a pointer"""
        close, opening, closing = brackets
        pieces = split(tokens, opening + 1, closing)
        kernel = words_of(tokens[kernel[0]:kernel[1]])
        packs = any(text_at(tokens, end - 1) in ('...', '__VA_ARGS__') for _, end in pieces)
        if not pieces or packs:
            self.replace(tokens[close].first, tokens[opening].end, '), ([=, cmk_0_ = cmk_host_plain_pack_(')
            self.replace(tokens[closing].first, tokens[closing].end,
                         f')] {{ cmk_0_.give([&](auto... cmk_1_) {{ {kernel}(cmk_1_...); }}); }}))')
            return
        self.replace(tokens[close].first, tokens[opening].end, '), ([=, cmk_0_ = (')
        given = []
        for number, (begin, end) in enumerate(pieces):
            if number:
                self.replace(tokens[begin - 1].first, tokens[begin - 1].end, f'), cmk_{number}_ = (')
            literal = end == begin + 1 and (tokens[begin].kind != 'name' or tokens[begin].text in LITERALS)
            given.append(tokens[begin].text if literal else f'cmk_{number}_')
        self.replace(tokens[closing].first, tokens[closing].end, f')] {{ {kernel}({", ".join(given)}); }}))')

    # ---- PTX

    def assembly(self, tokens, kernels):
        """An asm of a GPU, which its place tells, or its text, is C where that is one known instruction (ptx.py).
        Otherwise it is an error of the compiler where it is in a function that is used. An empty one, which orders
        accesses, is none."""
        for at, token in enumerate(tokens):
            found = assembly_of(tokens, at) if token.kind == 'name' and token.text in ASSEMBLY else None
            if not found or all(word.text == '""' for word in found[0][0]):
                continue
            parts, closing = found
            if any(first < at < end for first, end in kernels) or PTX.search(words_of(parts[0])):
                self.replace(token.first, tokens[closing].end, as_c(parts) if self.program.has_ptx else OF_PTX)

    # ---- Shared memory

    def shared(self, tokens, places):
        for at, outer in places:
            self.attempt(self.shared_declaration, tokens, at, outer)

    def shared_declaration(self, tokens, at, outer):
        begin, end = declaration(tokens, at)
        first, behind = tokens[begin].first, tokens[end - 1].end
        if any(token.text == 'extern' for token in tokens[begin:end]):
            name, kind, bounds = extern_shared(tokens, begin, end)
            self.replace(first, behind, '' if outer else dynamic_text(name, kind, bounds))
            return
        found = declarators(type_and_names(tokens, begin, end))
        if outer or not self.cplusplus or not found:
            return
        self.replace(first, behind, '; '.join(f'auto &{name} = CMK_HOST_PLAIN_SHARED_({name}, {kind} {bounds})'
                                              for kind, name, bounds in found))

    def dynamic_names(self, tokens):
        """functions that use a dynamic array of file scope begin with a declaration of it"""
        at = 0
        while at < len(tokens):
            if tokens[at].text in ('__global__', '__device__') and tokens[at].kind == 'name':
                at = self.dynamic_names_of(tokens, at)
            at += 1

    def dynamic_names_of(self, tokens, at):
        body, end = body_of(tokens, at)
        if end is None:
            return at
        own = {token.text for token in tokens[at:body]}
        own |= {token.text for before, token in zip(tokens[body:end], tokens[body + 1:end])
                if before.kind == 'name' and before.text not in KEYWORDS}  # declared there
        used = {token.text for token in tokens[body:end]} - own
        for name in sorted(used & set(self.program.dynamic)):
            place = tokens[body].end
            self.replace(place, place, ' ' + dynamic_text(name, *self.program.dynamic[name]) + ';')
        return end


def dynamic_text(name, kind, bounds):
    return f'{kind} (*const {name}){bounds} = ({kind} (*){bounds})cmk_host_plain_dynamic_()'


def rewritten(source, program, cplusplus, absent=()):
    """(text, troubles, number of launches)"""
    rewriter = Rewriter(source, program, cplusplus, absent).all()
    return rewriter.result(), rewriter.troubles, rewriter.launches
