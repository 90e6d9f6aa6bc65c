"""What nvcc makes of the parts, on every architecture, without a GPU.

equal    a kernel made from parts has the same cubin, byte for byte, as the kernel written by hand
spills   no kernel of the parts, the definitions and the examples spills or uses local memory
stencils nor does a kernel of a stencil of your own, in the examples, and in tests/point for sm_90, but for those of
         SPILLING; of several steps in a pass, in the examples for sm_90 and 100, and in tests/point/steps.cu
ptx      global loads of inputs take the read-only path, 16 bytes wide where they should be, and a coefficient
         table is read at constant addresses; every hint of load.h yields its instruction for every size of element;
         every transport of fill.h has its copies; the kernel of a pass of several steps is there where it is called,
         or where kernels have their names in C
sass     no thread loads a coefficient of a table: it is a c[] operand or in a uniform register; from a LITERAL table it
         is part of the instruction, and from a GLOBAL one a read-only load
edges    a thread inside the domain pays nothing for the edges
"""

import collections
import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, Failure, Skip, arguments, compiler, folder, must, program, report, run  # noqa: E402

HERE = Path(__file__).resolve().parent
ARCHITECTURES = ['75', '80', '90', '100', '120']
BOARDS = {'87': 'Jetson Orin', '121': 'DGX Spark'}  # one file for each
PAIRS = ['stencil1d', 'conv2d', 'read_only']
SOURCES = ['LITERAL', 'CONSTANT', 'PARAMETER', 'GLOBAL']
ENTRY = r'^.*\.entry (\w+)\('


@functools.lru_cache(maxsize=None)
def known_architectures():
    return run(compiler('NVCC') + ['--list-gpu-arch'])[1].split()


Made = collections.namedtuple('Made', 'cubin ptx said')


@functools.lru_cache(maxsize=None)
def nvcc(include, source, arch, *defines):
    """what nvcc makes of a source and what ptxas says of it, once for all checks"""
    if f'compute_{arch}' not in known_architectures():
        raise Skip(f'this nvcc does not know sm_{arch}')
    with folder() as work:
        cubin = Path(work) / 'cubin'
        said = must(compiler('NVCC') + ['-std=c++17', '-O3', f'-arch=sm_{arch}', '-I', include, '-I', ROOT / 'tests',
                                        '-Xptxas=-v', '-keep', '-keep-dir', work, *defines, '-cubin', '-o', cubin,
                                        source])
        return Made(cubin.read_bytes(), (Path(work) / f'{source.stem}.ptx').read_text(), said)


@functools.lru_cache(maxsize=None)
def sass_of(include, source, arch, *defines):
    disassembler = program('nvdisasm')
    with folder() as work:
        cubin = Path(work) / 'cubin'
        cubin.write_bytes(nvcc(include, source, arch, *defines).cubin)
        return must([disassembler, '-c', cubin])


def equal(include, pair, arch, *defines):
    made = [nvcc(include, HERE / f'{pair}_{kind}.cu', arch, *defines).cubin for kind in ('parts', 'hand')]
    if made[0] != made[1]:
        raise Failure(f'the cubins differ: {len(made[0])} and {len(made[1])} bytes')


def single_steps(source, arch):
    """what leaves out the kernels of several steps, which take the longest"""
    with_steps = source.name == 'steps.cu' or (source.parent.name == 'examples' and arch in ('90', '100'))
    return [] if with_steps else ['-DCMK_STEPS_MOST=1']


def spills(include, source, arch, *defines):
    """nothing in local memory, in stack frame, spill stores and spill loads of each kernel, but of those of SPILLING"""
    said = nvcc(include, source, arch, *defines).said
    known = SPILLING.get(source.name, {})
    found = re.findall(r'properties for (\w+)\n +((\d+) bytes stack frame, (\d+) bytes spill stores, '
                       r'(\d+) bytes spill loads)', said)
    if not found:
        raise Failure(f'no kernels in what ptxas says:\n{said}')
    wrong = [f'{name}: {what}' for name, what, *numbers in found if any(map(int, numbers))
             and arch not in known.get(re.sub(r'^_Z\d+|_kernel\w*$', '', name), [])]
    if wrong:
        raise Failure('\n'.join(wrong))


def body_of(kernel, text, begin):
    """the text of a kernel, its name mangled or not; begin matches a kernel's first line and captures the name"""
    parts = re.split(begin, text, flags=re.MULTILINE)
    bodies = [body for name, body in zip(parts[1::2], parts[2::2]) if re.fullmatch(rf'(_Z\w*\d)?{kernel}(P\w*)?', name)]
    if len(bodies) != 1:
        raise Failure(f'{len(bodies)} kernels are called {kernel}')
    return bodies[0]


def expect(body, kernel, wanted=(), unwanted=()):
    for pattern in wanted:
        if not re.search(pattern, body):
            raise Failure(f'{kernel}: nothing matches {pattern}')
    for pattern in unwanted:
        found = re.search(f'.*{pattern}.*', body)
        if found:
            raise Failure(f'{kernel}: {found.group(0).strip()} matches {pattern}')


def ptx(include, source, arch, kernel, wanted, unwanted):
    expect(body_of(kernel, nvcc(include, source, arch).ptx, ENTRY), kernel, wanted, unwanted)


def hints(include, arch):
    """every global access of a kernel of loads.cu has its hint, and their widths are those of the elements"""
    spills(include, LOADS, arch)
    text = nvcc(include, LOADS, arch).ptx
    for kernel, access in HINTS:
        found = re.findall(rf'\b{access[:2]}\.global\.\S+', body_of(kernel, text, ENTRY))
        cached = '.L2::cache_hint' if 'L1::' in access and int(arch) >= 80 else ''
        widths = [re.fullmatch(re.escape(access + cached) + r'\.(v4\.)?[busf](\d+)', one) for one in found]
        if None in widths or sorted(''.join(width.groups('')) for width in widths) != WIDTHS:
            raise Failure(f'{kernel}: {" ".join(found)}')


def sass(include, source, arch, kernel, unwanted):
    text = sass_of(include, source, arch)
    expect(body_of(kernel, text, r'^\.text\.(\w+):'), kernel, [r'c\[0x3\]'], unwanted)


def passes(include, wanted, *defines):
    """the kernels of passes of passes.cu are these"""
    text = nvcc(include, PASSES, '80', *defines).ptx
    found = {re.sub(r'^_Z\d+|_kernel\w*$', '', name) for name in re.findall(ENTRY, text, re.MULTILINE)}
    if {name for name in found if name.endswith('_steps')} != set(wanted) or not {'flat', 'deep_bordered'} <= found:
        raise Failure(f'the kernels are of {" ".join(sorted(found))}')


def must_count(kernel, body, wanted):
    """wanted: how often a pattern must match, by pattern"""
    for pattern, count in wanted.items():
        found = len(re.findall(pattern, body))
        if found != count:
            raise Failure(f'{kernel}: {found} matches of {pattern} instead of {count}')


def table_sass(include, table, arch):
    """each tap is one load of its sample and one FFMA with its coefficient, from where the source of the table says"""
    text = sass_of(include, TABLE, arch, f'-DWHERE={table}')
    for kernel, taps in CONVOLUTIONS.items():
        body = body_of(kernel, text, r'^\.text\.(\w+):')
        loads = 2 * taps if table == 'GLOBAL' else taps
        must_count(kernel, body, {r'\bLDG\b': loads, r'\bLDG\S*\.CONSTANT\b': loads, r'\bFFMA\b': taps,
                                  rf'\bFFMA\S* R\w+, R[\w.]+, {COEFFICIENT[table]}[,; ]': taps})
        expect(body, kernel, [BANK] * (table == 'CONSTANT'), [LOADED] + [BANK] * (table != 'CONSTANT'))


def table_ptx(include, table, arch):
    text = nvcc(include, TABLE, arch, f'-DWHERE={table}').ptx
    for kernel, taps in CONVOLUTIONS.items():
        loads = 2 * taps if table == 'GLOBAL' else taps
        must_count(kernel, body_of(kernel, text, ENTRY),
                   {r'\bld\.global\.': loads, r'\bld\.global\.nc\.': loads,
                    r'\bld\.const\.': taps if table == 'CONSTANT' else 0,
                    r'\bld\.param\.f': taps if table == 'PARAMETER' else 0, r'\bld\.local\.': 0})


def blocks_of(body):
    """the basic blocks of a kernel's SASS: the instructions from a label or a branch to the next"""
    found = [[]]
    for line in body.splitlines():
        if re.match(r'\.L\w*:', line.strip()):
            found.append([])
        instruction = re.search(r'/\*[0-9a-f]{4,}\*/\s+(.*?);', line)
        if instruction:
            found[-1].append(instruction.group(1))
            if re.search(r'\b(BRA|EXIT|RET|BRX)\b', line):
                found.append([])
    return found


def interior(include, edge, arch):
    """threads inside read every sample in a block of code without a comparison, a selection or a predicate"""
    text = sass_of(include, EDGES, arch, f'-DEDGE={edge}')
    for kernel, samples in (('line_edge', 9), ('plane_edge', 9)):
        free = [block for block in blocks_of(body_of(kernel, text, r'^\.text\.(\w+):'))
                if sum('LDG' in line for line in block) == samples
                and not any(re.search(r'SETP|SEL|MNMX|@', line) for line in block[:-1])]
        if not free:
            raise Failure(f'{kernel}: no block reads {samples} samples and decides nothing')


TABLE = HERE / 'table_parts.cu'
CONVOLUTIONS = {'conv_5': 25, 'conv_15': 225}  # and their taps
COEFFICIENT = {'LITERAL': r'-?\d+(\.\d+)?(e[+-]?\d+)?', 'CONSTANT': r'(c\[0x3\]\[0x\w+\]|UR\d+)',
               'PARAMETER': r'(c\[0x0\]\[0x\w+\]|UR\d+)', 'GLOBAL': r'R[\w.]+'}
BANK = r'c\[0x3\]'  # of constant memory
LOADED = r'\b(LDC(\.\w+)* R\w+, c\[0x3\]|LDL|STL)'
EDGES = HERE / 'edges.cu'
DEFINITION = HERE / 'definition.cu'
CONVOLUTION = HERE / 'convolution.cu'  # takes nvcc long, and is the same on every architecture
PARTS = {pair: HERE / f'{pair}_parts.cu' for pair in PAIRS}
CONSTANT_ADDRESS = r'ld\.const\.f32\s+%f\d+, \[(coefficients|weights|taps_\d+)_values_(\+\d+)?\]'
PER_THREAD_CONSTANT = r'ld\.const\.f32\s+%f\d+, \[%'
READ_ONLY = [r'ld\.global\.nc\.f32', CONSTANT_ADDRESS]
NOT_READ_ONLY = [PER_THREAD_CONSTANT, r'ld\.global\.f']
PTX = [
    (PARTS['stencil1d'], 'stencil_1d', READ_ONLY, NOT_READ_ONLY),
    (PARTS['conv2d'], 'conv_constant', READ_ONLY, NOT_READ_ONLY),
    (PARTS['conv2d'], 'conv_tiled', READ_ONLY, NOT_READ_ONLY),
    (CONVOLUTION, 'conv2d_5_kernel',
     [r'ld\.global\.nc\.v[24]\.[ufb]32', r'st\.global\S*\.v4\.[ufb]32', CONSTANT_ADDRESS],
     [PER_THREAD_CONSTANT, r'ld\.global\.[vfu]']),
    (CONVOLUTION, 'conv2d_15_kernel', [r'cp\.async\.cg', r'st\.global\S*\.v4\.[ufb]32', CONSTANT_ADDRESS],
     [PER_THREAD_CONSTANT, r'ld\.global\.[vfu]']),
    (DEFINITION, 'derivative_kernel', [r'ld\.global\.nc\.v4\.[ufb]32', r'st\.global\S*\.v4\.[ufb]32', CONSTANT_ADDRESS],
     [PER_THREAD_CONSTANT, r'ld\.global\.[vfu]']),
]
TRANSFERS = [  # which have no coefficients
    (DEFINITION, r'cells_double_restrict_kernel\w*', [r'ld\.global\.nc\.v4\.[ufb]32', r'st\.global\.[ufb]64'],
     [r'ld\.global\.[vfu]']),
    (DEFINITION, r'points_float_prolong_kernel\w*',
     [r'ld\.global\.nc\.(v2\.[ufb]32|[ufb]64)', r'ld\.global\.v4\.[ufb]32', r'st\.global\.v4\.[ufb]32'], []),
]
ALIGNED = (HERE / 'aligned.cu', 'gather_kernel',
           [r'ld\.global\.nc\.v4', r'ld\.global\.v[24]\.[ufb](32|64)', r'st\.global\.v4\.[ufb]32'],
           [r'ld\.global\S*[ub]8\b', r'st\.global\S*[ub]8\b'])
FILL = HERE / 'fill.cu'
COPY_16 = r'cp\.async\.cg\.shared\.global \[%r\d+\], \[%rd\d+\], 16,'
COPY_4 = r'cp\.async\.ca\.shared\.global \[%r\d+\], \[%rd\d+\], 4,'
TENSOR = r'cp\.async\.bulk\.tensor\.3d\.'
LOAD_16 = r'ld\.global\.nc\.v4\.[ufb]32'
FILLS = [  # architecture, kernel, what its PTX must have, what not
    ('75', 'plain_16', [LOAD_16], [r'cp\.async']), ('75', 'async_16', [LOAD_16], [r'cp\.async']),
    ('75', 'bulk', [LOAD_16], [r'cp\.async', 'mbarrier']), ('80', 'plain_16', [LOAD_16], [r'cp\.async']),
    ('80', 'async_16', [COPY_16], [r'ld\.global']), ('80', 'async_4', [COPY_4], [r'ld\.global', COPY_16]),
    ('80', 'async_swizzled', [COPY_16], [r'ld\.global']), ('80', 'bulk', [COPY_16], [r'ld\.global', 'mbarrier']),
    ('90', 'async_16', [COPY_16], [r'ld\.global', 'mbarrier']), ('90', 'bulk', [TENSOR, COPY_16], [r'ld\.global']),
    ('90', 'bulk_swizzled', [TENSOR, COPY_16], [r'ld\.global']),
]
OWN_STENCILS = [path for path in [*sorted((ROOT / 'examples').glob('*.cu')), *sorted(HERE.parent.glob('point/*.cu'))]
                if re.search('^CMK_DEFINE_STENCIL[23]D', path.read_text(), re.MULTILINE) and path.stem != 'outside']
# kernels that do spill, and where: a row goes when its kernel is mended, none comes
SPILLING = {
    'heat2d.cu': {'heat_steps': ['100']},  # 12 bytes, in the loop of rows near an edge
    'gray_scott.cu': {'gray_scott_unaligned': ['80']},  # 4 bytes
    'stencils2d.cu': {'wave': ['90']},  # 8 bytes, with two pointers among its values
    # of rows that begin anywhere: 12 bytes, of 12 fields of bytes beside one of doubles; 128, of 13 fields
    'stencils3d.cu': {'mixed_unaligned': ['90'], 'elastic_unaligned': ['90']},
    'median.cu': {'median_3x3': ['75', '80', '90'], 'median_5x5': ARCHITECTURES, 'median_5x5_unaligned': ARCHITECTURES},
}
PASSES = HERE / 'passes.cu'
PASSES_OF = [  # what is called, how the file is compiled, the kernels of passes
    ('nothing', [], []), ('name_steps', ['-DCALLED=1'], ['flat_steps']),
    ('name_steps_plan', ['-DCALLED=2'], ['flat_steps']), ('a pointer', ['-DCALLED=3'], ['flat_steps']),
    ('in a template', ['-DCALLED=4'], ['deep_steps']),
    ('name_bordered_steps', ['-DCALLED=5'], ['deep_steps', 'deep_bordered_steps']),
    ('nothing, with names in C', ['-DCMK_C_NAMES=1'], ['flat_steps', 'deep_steps', 'deep_bordered_steps']),
]
LOADS = HERE / 'loads.cu'
WIDTHS = ['16'] * 3 + ['32'] * 4 + ['64'] * 2 + ['8'] + ['v4.32'] * 2
HINTS = [('load_READ_ONLY', 'ld.global.nc'), ('load_LAST_USE', 'ld.global.lu')]
for how, word in [('PLAIN', ''), ('STREAMING', '.cs'), ('EVICT_FIRST', '.L1::evict_first'),
                  ('EVICT_LAST', '.L1::evict_last')]:
    HINTS += [(f'load_{how}', f'ld.global{word}'), (f'store_{how}', f'st.global{word}')]
# LDC with a bank other than 0, the bank of parameters and launch sizes, is a load of a table by the thread
NO_LDC = [r'\bLDC(\.\w+)* R\w+, c\[0x[1-9]']
SASS = [*[(source, kernel, NO_LDC) for source, kernel, *_ in PTX], (CONVOLUTION, 'conv2d_33_kernel', NO_LDC)]


def checks(include):
    examples = [path for path in sorted((ROOT / 'examples').glob('*.cu')) if path not in OWN_STENCILS]
    sources = [*PARTS.values(), DEFINITION, CONVOLUTION, FILL, *examples]
    everything = {'equal': [], 'spills': [], 'stencils': [], 'ptx': [], 'sass': [], 'edges': []}
    for arch in ARCHITECTURES:
        everything['equal'] += [(f'{pair}: parts and hand give one cubin, sm_{arch}',
                                 lambda p=pair, a=arch: equal(include, p, a)) for pair in PAIRS]
        everything['equal'] += [(f'{table} table: parts and hand give one cubin, sm_{arch}',
                                 lambda t=table, a=arch: equal(include, 'table', a, f'-DWHERE={t}'))
                                for table in SOURCES]
        everything['ptx'] += [(f'every hint, sm_{arch}', lambda a=arch: hints(include, a))]
        everything['sass'] += [(f'{kernel}: no thread loads a coefficient, sm_{arch}',
                                lambda s=source, k=kernel, u=unwanted, a=arch: sass(include, s, a, k, u))
                               for source, kernel, unwanted in SASS if source != CONVOLUTION or arch == '90']
        everything['sass'] += [(f'{table} table: where the coefficients are, sm_{arch}',
                                lambda t=table, a=arch: table_sass(include, t, a)) for table in SOURCES]
        everything['edges'] += [(f'{edge}: threads inside only load and add, sm_{arch}',
                                 lambda e=edge, a=arch: interior(include, e, a))
                                for edge in ('CMK_EDGE_ZERO', 'CMK_EDGE_CLAMP', 'CMK_EDGE_WRAP', 'CMK_EDGE_MIRROR',
                                             'CMK_EDGE_REFLECT', 'WRAP_THEN_ZERO')]
        everything['stencils'] += [(f'{source.relative_to(ROOT)}: no more spills, sm_{arch}',
                                    lambda s=source, a=arch: spills(include, s, a, *single_steps(s, a)))
                                   for source in OWN_STENCILS
                                   if source.parent.name == 'examples' or arch == '90']
    everything['spills'] = [(f'{source.name}: no spills and no local memory, sm_90',
                             lambda s=source: spills(include, s, '90')) for source in sources]
    everything['spills'] += [(f'{table} table: no spills and no local memory, sm_90',
                              lambda t=table: spills(include, TABLE, '90', f'-DWHERE={t}')) for table in SOURCES]
    everything['spills'] += [(f'{DEFINITION.name}: no spills and no local memory, sm_{arch}, {board}',
                              lambda a=arch: spills(include, DEFINITION, a)) for arch, board in BOARDS.items()]
    everything['ptx'] += [(f'{kernel}: loads in PTX', lambda row=row: ptx(include, row[0], '90', *row[1:]))
                          for row in [*PTX, *TRANSFERS, ALIGNED] for kernel in [row[1]]]
    everything['ptx'] += [(f'{kernel}: copies in PTX, sm_{arch}',
                           lambda a=arch, k=kernel, y=yes, n=no: ptx(include, FILL, a, k, y, n))
                          for arch, kernel, yes, no in FILLS]
    everything['ptx'] += [(f'{called}: kernels of passes, sm_80',
                           lambda w=wanted, d=defines: passes(include, w, *d)) for called, defines, wanted in PASSES_OF]
    everything['ptx'] += [(f'{table} table: loads in PTX', lambda t=table: table_ptx(include, t, '90'))
                          for table in SOURCES]
    return everything


if __name__ == '__main__':
    chosen = arguments(__doc__, ['equal', 'spills', 'stencils', 'ptx', 'sass', 'edges'], 'CHECK')
    report([check for which in chosen.which for check in checks(chosen.include)[which]], chosen)
