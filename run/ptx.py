"""Inline PTX of one instruction, as C: what launches.py writes in place of asm("prmt.b32 %0, %1, %2, %3;" : ...).

A row of OPERATIONS is an instruction, and an expression of its operands in braces, 1 for the first behind the result.
In an instruction {} stands for a type, and in its expression {t} for the same type in C. {raw1} is an operand of
another type, and {at1} an address. host/ptx.h has the functions.
"""

import ast
import re

TYPES = {'b8': 'unsigned char', 'u8': 'unsigned char', 's8': 'signed char', 'b16': 'unsigned short',
         'u16': 'unsigned short', 's16': 'short', 'b32': 'unsigned', 'u32': 'unsigned', 's32': 'int',
         'b64': 'unsigned long long', 'u64': 'unsigned long long', 's64': 'long long', 'f32': 'float', 'f64': 'double'}
MEMORY = r'(?:\.(?:volatile|relaxed|weak|acquire|release|cta|gpu|sys|global|shared|nc|ca|cg|cs|lu|cv|wb|wt|' \
    r'L1::\w+|L2::\w+))*'
OPERATIONS = [
    ('mov.{}', '{1}'),
    *((f'{word}(?:\\.rn)?(?:\\.lo)?.{{}}', '{1} ' + mark + ' {2}') for word, mark in
      (('add', '+'), ('sub', '-'), ('mul', '*'), ('and', '&'), ('or', '|'), ('xor', '^'))),
    ('not.{}', '~{1}'), ('neg.{}', '-{1}'), ('div(?:\\.rn)?.{}', '{1} / {2}'), ('rem.{}', '{1} % {2}'),
    ('(?:mad|fma)(?:\\.lo)?(?:\\.rn)?.{i}', '{1} * {2} + {3}'),
    ('(?:mad|fma)\\.rn.f32', 'fmaf({1}, {2}, {3})'), ('(?:mad|fma)\\.rn.f64', 'fma({1}, {2}, {3})'),
    ('mul\\.hi.s32', '__mulhi({1}, {2})'), ('mul\\.hi.u32', '__umulhi({1}, {2})'),
    ('mul\\.hi.s64', '__mul64hi({1}, {2})'), ('mul\\.hi.u64', '__umul64hi({1}, {2})'),
    ('mad\\.hi.s32', '__mulhi({1}, {2}) + {3}'), ('mad\\.hi.u32', '__umulhi({1}, {2}) + {3}'),
    ('mul\\.wide.u32', '(unsigned long long){1} * {2}'), ('mul\\.wide.s32', '(long long){1} * {2}'),
    ('min.{}', '(min)({1}, {2})'), ('max.{}', '(max)({1}, {2})'),
    ('abs.{s}', 'llabs({1})'), ('abs.f32', 'fabsf({1})'), ('abs.f64', 'fabs({1})'),
    ('shl.{i}', 'cmk_ptx_left_({1}, {raw2}, 8 * sizeof({t}))'),
    ('shr.{u}', 'cmk_ptx_right_({1}, {raw2}, 8 * sizeof({t}))'),
    ('shr.{s}', 'cmk_ptx_right_signed_({1}, {raw2})'),
    ('shf\\.l\\.wrap.b32', '__funnelshift_l({1}, {2}, {3})'), ('shf\\.r\\.wrap.b32', '__funnelshift_r({1}, {2}, {3})'),
    ('popc.b32', '__popc({1})'), ('popc.b64', '__popcll({1})'), ('clz.b32', '__clz((int){1})'),
    ('clz.b64', '__clzll((long long){1})'), ('brev.b32', '__brev({1})'), ('brev.b64', '__brevll({1})'),
    ('bfe.{u}', '({t})cmk_ptx_field_({1}, {raw2}, {raw3}, 8 * sizeof({t}), 0)'),
    ('bfe.{s}', '({t})cmk_ptx_field_({1}, {raw2}, {raw3}, 8 * sizeof({t}), 1)'),
    ('bfi.{u}', '({t})cmk_ptx_insert_({1}, {2}, {raw3}, {raw4}, 8 * sizeof({t}))'),
    ('lop3.b32', 'cmk_ptx_lop3_({1}, {2}, {3}, {4})'), ('prmt.b32', '__byte_perm({1}, {2}, {3})'),
    ('sad.s32', '__sad({1}, {2}, {3})'), ('sad.u32', '__usad({1}, {2}, {3})'),
    ('dp4a\\.s32.s32', '__dp4a({1}, {2}, {3})'),
    *((f'v{word}{count}\\.{sign}32\\.{sign}32.{sign}32', f'__v{name}{count}({{1}}, {{2}})')
      for count in (2, 4) for sign in 'us' for word, name in
      (('absdiff', f'absdiff{sign}'), ('min', f'min{sign}'), ('max', f'max{sign}'), ('avrg', f'avg{sign}'),
       ('add', 'add'), ('sub', 'sub'))),
    *((f'vabsdiff{count}\\.{sign}32\\.{sign}32.{sign}32\\.add', f'__vsad{sign}{count}({{1}}, {{2}}) + {{3}}')
      for count in (2, 4) for sign in 'us'),
    ('vabsdiff\\.u32\\.u32.u32\\.add', '__usad({1}, {2}, {3})'),
    ('vabsdiff\\.s32\\.s32.s32\\.add', '__sad({1}, {2}, {3})'),
    *((f'{word}\\.approx(?:\\.ftz)?.f32', expression) for word, expression in
      (('ex2', 'exp2f({1})'), ('lg2', 'log2f({1})'), ('sin', 'sinf({1})'), ('cos', 'cosf({1})'), ('rcp', '1.0f / {1}'),
       ('sqrt', 'sqrtf({1})'), ('rsqrt', 'rsqrtf({1})'), ('tanh', 'tanhf({1})'), ('div', '{1} / {2}'))),
    ('sqrt\\.rn.f32', 'sqrtf({1})'), ('rcp\\.rn.f32', '1.0f / {1}'), ('sqrt\\.rn.f64', 'sqrt({1})'),
    ('rcp\\.rn.f64', '1.0 / {1}'),
    (f'ld{MEMORY}.{{}}', '*(const volatile {t} *){at1}'),
    ('activemask.b32', '__activemask()'),
]
STATEMENTS = [  # instructions without a result
    (r'membar\.(?:gl|cta|sys)|fence(?:\.\w+)*', '__threadfence()'),
    (r'(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)? 0', '__syncthreads()'),
    (r'bar\.warp\.sync ([^,]+)', '__syncwarp({0})'), (r'nanosleep\.u32 ([^,]+)', '__nanosleep({0})'),
    (r'prefetch\S* \[[^,]+\]', '(void)0'),
    (f'st{MEMORY}\\.(\\w+) \\[([^,]+)\\],([^,]+)', '*(volatile {t} *){1} = ({t}){2}'),
]
SPECIAL = {  # registers
    'laneid': 'cmk_host_lane_()', 'warpid': 'cmk_ptx_rank_() / 32', 'nwarpid': '32u', 'smid': 'cmk_ptx_smid_()',
    'nsmid': '(unsigned)cmk_host_core_count_()', 'WARP_SZ': '32u', 'clock': '(unsigned)clock64()',
    'clock_hi': '(unsigned)(clock64() >> 32)', 'clock64': '(unsigned long long)clock64()',
    'globaltimer': '(unsigned long long)clock64()', 'globaltimer_lo': '(unsigned)clock64()',
    'lanemask_eq': '(1u << cmk_host_lane_())', 'lanemask_lt': '((1u << cmk_host_lane_()) - 1)',
    'lanemask_le': '((2u << cmk_host_lane_()) - 1)', 'lanemask_gt': '~((2u << cmk_host_lane_()) - 1)',
    'lanemask_ge': '~((1u << cmk_host_lane_()) - 1)',
    **{f'{name}.{axis}': f'{value}.{axis}' for axis in 'xyz' for name, value in
       (('tid', 'threadIdx'), ('ntid', 'blockDim'), ('ctaid', 'blockIdx'), ('nctaid', 'gridDim'))}}
BITS = {('r', 'f'): '__float_as_uint', ('f', 'r'): '__uint_as_float', ('l', 'd'): '__double_as_longlong',
        ('d', 'l'): '__longlong_as_double'}  # a mov between these keeps the bits


def kinds(row):
    """a pattern of the row's instruction; of {} any type, of {i} integers, of {s} signed ones, of {u} the others"""
    types = {mark: [name for name in TYPES if name[0] in letters]
             for mark, letters in (('{}', 'bsuf'), ('{i}', 'bsu'), ('{s}', 's'), ('{u}', 'bu'))}
    pattern = re.sub(r'(?<!\\)\.(?=[{\w])', r'\\.', row)
    for mark, names in types.items():
        pattern = pattern.replace(mark, f'(?P<type>{"|".join(names)})')
    return re.compile(pattern)


PATTERNS = [(kinds(row), expression) for row, expression in OPERATIONS]


class Unknown(Exception):
    """no instruction that is known"""


class Operands:
    """the operands behind the colons of an asm: (letter, C text) of each"""

    def __init__(self, lists):
        self.all = [one for one in lists[0] + lists[1]]
        self.results = len(lists[0])

    def value(self, word, of_type=None):
        """the C text of a word of the instruction"""
        word = word.strip()
        if re.fullmatch(r'%\d+', word) and int(word[1:]) < len(self.all):
            letter, text = self.all[int(word[1:])]
            if of_type and (letter in 'fd') != (of_type[0] == 'f'):
                raise Unknown
            return f'({text})'
        if re.fullmatch(r'-?(?:0[xX][0-9a-fA-F]+|\d+)U?', word):
            return word
        name = word.lstrip('%')
        if word.startswith('%') and name in SPECIAL:
            return SPECIAL[name]
        if word == 'WARP_SZ':
            return SPECIAL[word]
        raise Unknown

    def address(self, word):
        found = re.fullmatch(r'\s*\[\s*(%\d+)\s*(?:\+\s*(\d+)\s*)?\]\s*', word)
        if not found:
            raise Unknown
        return f'((uintptr_t){self.value(found.group(1))} + {found.group(2) or 0})'


def operation(opcode, words, operands):
    """the C text of an instruction with a result"""
    letter, result = operands.all[0]
    for pattern, expression in PATTERNS:
        found = pattern.fullmatch(opcode)
        if not found:
            continue
        kind = found.groupdict().get('type') or opcode.replace('.add', '').split('.')[-1]
        c_type = TYPES[kind]
        needed = [int(digit) for digit in re.findall(r'\{(?:raw|at)?(\d)\}', expression)]
        if max(needed, default=0) != len(words) - 1:
            raise Unknown
        if opcode.startswith('mov') and re.fullmatch(r'%\d+', words[1].strip()):
            source = operands.all[int(words[1].strip()[1:])]
            if (letter, source[0]) in BITS:
                return f'(void)(({result}) = {BITS[letter, source[0]]}({source[1]}))'
        if letter in 'fd' and kind[0] != 'f' or letter not in 'fd' and kind[0] == 'f':
            raise Unknown
        fields = {'t': c_type}
        for digit in set(needed):
            if f'{{at{digit}}}' in expression:
                fields[f'at{digit}'] = operands.address(words[digit])
                continue
            fields[f'raw{digit}'] = operands.value(words[digit])
            if f'{{{digit}}}' in expression:
                fields[f'_{digit}'] = f'(({c_type})({operands.value(words[digit], kind)}))'
        text = re.sub(r'\{(\d)\}', r'{_\1}', expression).format(**fields)
        return f'(void)(({result}) = ({text}))'
    raise Unknown


def statement(text, operands):
    for pattern, expression in STATEMENTS:
        found = re.fullmatch(pattern, text)
        if not found:
            continue
        given = list(found.groups())
        if '{t}' in expression:
            if given[0] not in TYPES:
                raise Unknown
            address = operands.address(f'[{given[1]}]')
            return expression.format(None, address, operands.value(given[2], given[0]), t=TYPES[given[0]])
        return expression.format(*(operands.value(word) for word in given))
    raise Unknown


def as_c(template, lists):
    """The C text for an asm. template: its strings as they stand in the source; lists: of the results and of the other
    operands (constraint, C text). Raises Unknown."""
    text = ''.join(ast.literal_eval(word) for word in template)
    text = re.sub(r'\s+', ' ', text.replace('%%', '%')).strip().rstrip('; ')
    if ';' in text or '{' in text or not text:
        raise Unknown
    letters = [[(constraint.strip('"=+&'), words) for constraint, words in one] for one in lists]
    if any(letter not in ('r', 'l', 'h', 'f', 'd', 'n') for one in letters for letter, _ in one):
        raise Unknown
    operands = Operands(letters)
    opcode, _, rest = text.partition(' ')
    words = rest.split(',') if rest else []
    if words and words[0].strip() == '%0' and operands.results == 1:
        return operation(opcode, words, operands)
    if operands.results:
        raise Unknown
    return statement(text, operands)
