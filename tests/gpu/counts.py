"""Shared-memory wavefronts of examples/shared_layout: as its source predicts them, as ncu measures them, as published.

usage: counts.py host|gpu SHARED_LAYOUT

Both: the program's own table, which the compiler computes, has the required counts. host also: a pad or a grain with
conflicts stops the build of an example that claims to have none. gpu also: ncu reads the same counts, kernel by kernel;
that part is skipped where there is no ncu or the counters are not permitted, and then nothing has been measured.
"""

import csv
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import (C11, ROOT, Failure, Skip, compiler, folder, must, need_device, program, report,  # noqa: E402
                     run)

REQUIRED = {  # loads, stores; the tutorial has published the same
    'rows_rows': (32, 32),
    'columns_columns': (1024, 1024),
    'rows_columns': (1024, 32),
    'columns_rows': (32, 1024),
    'rows_columns_dyn': (1024, 32),
    'rows_columns_pad': (32, 32),
    'rows_columns_dyn_pad': (32, 32),
    'rectangle': (256, 16),
    'rectangle_pad': (16, 16),
    'rectangle_dyn': (256, 16),
    'rectangle_dyn_pad': (16, 16),
}
COUNTERS = [f'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum' for kind in ('ld', 'st')]
NOT_PERMITTED = r'ERR_NVGPUCTRPERM|Failed to initialize the profiler'


def predicted(path):
    """by kernel: loads and stores, then those of the tutorial"""
    rows = re.findall(r'^(\w+)' + r' +(\d+)' * 4 + '$', must([path]), re.MULTILINE)
    return {name: tuple(map(int, counts)) for name, *counts in rows}


def ncu():
    """ncu, also where the CUDA toolkit or its own installer has put it but not on the PATH"""
    try:
        return program('ncu')
    except Skip:
        installed = sorted(Path('/opt/nvidia').glob('nsight-compute/*/ncu'))
        if not installed:
            raise
        return installed[-1]


def measured(path):
    """by kernel: loads and stores"""
    command = [ncu(), '--clock-control', 'none', '--print-kernel-base', 'function', '--csv', '--page', 'raw',
               '--metrics', ','.join(COUNTERS), path]
    status, output = run(command)
    refused = re.search(rf'^==.*({NOT_PERMITTED}).*', output, re.MULTILINE)
    if refused:
        raise Skip('nothing measured: ' + refused.group(0))
    lines = [line for line in output.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row['ID']]  # below the names stands a row of units, without an ID
    if status != 0 or not rows:
        raise Failure(f'ncu ended with status {status}\n{output}')
    return {row['Kernel Name']: tuple(int(row[name].replace(',', '')) for name in COUNTERS) for row in rows}


def equals(what, found, wanted):
    if found != wanted:
        raise Failure(f'{what} {found} instead of {wanted}')


def table_checks(table):
    return [(f'{name}: {loads} loads and {stores} stores, by the compiler as published',
             lambda name=name, counts=(loads, stores): equals('the table has', table.get(name), 2 * counts))
            for name, (loads, stores) in REQUIRED.items()] + [
                ('no other kernel', lambda: equals('kernels', set(table), set(REQUIRED)))]


# ---- On a GPU

def measured_checks(path, table):
    try:
        readings = measured(path)
    except (Skip, Failure) as why:
        def missing(why=why):
            raise why
        return [('ncu measures what the compiler computes', missing)]
    print(f'# {"loads, stores of":<22} {"predicted":>12} {"measured":>12} {"published":>12}')
    for name in REQUIRED:
        columns = (table.get(name, ())[:2], readings.get(name, ()), table.get(name, ())[2:])
        print(f'# {name:<22}', *(f'{", ".join(map(str, counts)):>12}' for counts in columns))
    return [(f'{name}: ncu measures what the compiler computes',
             lambda name=name: equals('ncu reads', readings.get(name), table.get(name, ())[:2]))
            for name in REQUIRED]


# ---- Without one: conflicts planted into examples that claim to have none

PAD, GRAIN = r'CMK_TILE_PAD\([^()]*\)', r'(?<=#define GRAIN )\d+'
OTHER_PADS = ['0', r'\g<0> - 1', r'\g<0> + 1']
PLANTED = [  # example, what is replaced and by what, the claim that stops the build, what it advises, place by place
    ('shared_layout', PAD, OTHER_PADS, 'CMK_TILE_ASSERT_CONFLICT_FREE', ['a PAD of 1', 'a PAD of 2']),
    ('transpose', PAD, OTHER_PADS, 'CMK_TILE_ASSERT_CONFLICT_FREE', ['a PAD of 1']),
    ('transpose', GRAIN, ['8', '16'], 'CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE', ['a GRAIN of 4']),
]


def compiled(variable, text):
    flags = C11 + ['-fsyntax-only'] if variable == 'CC' else ['-std=c++17', '-arch=sm_75', '-ptx', '-o', 'mutant.ptx']
    with folder() as work:
        (Path(work) / 'mutant.cu').write_text(text)
        return run(compiler(variable) + flags + ['-I', ROOT / 'include', 'mutant.cu'], work)


def source(example):
    return (ROOT / 'examples' / f'{example}.cu').read_text()


def stops(variable, example, pattern, replacement, place, sentence):
    text = source(example)
    found = list(re.finditer(pattern, text))[place]
    status, output = compiled(variable, text[:found.start()] + found.expand(replacement) + text[found.end():])
    if status == 0 or sentence not in output:
        raise Failure(f'exit status {status}, without "{sentence}"\n{output}')


def builds(example):
    status, output = compiled('CC', source(example))
    if status != 0:
        raise Failure(output)
    for name, pattern, _, _, advice in PLANTED:
        if name == example:
            equals(f'places of {pattern}:', len(re.findall(pattern, source(name))), len(advice))


def planted_checks():
    checks = [(f'{example}: no conflict as it is', lambda e=example: builds(e))
              for example in sorted({row[0] for row in PLANTED})]
    for example, pattern, replacements, claim, advice in PLANTED:
        for place, best in enumerate(advice):
            for number, replacement in enumerate(replacements):
                for variable in ['CC', 'NVCC'] if number == 0 else ['CC']:
                    said = replacement.replace(r'\g<0>', 'the pad')
                    checks.append((f'{example}: {said} for {best} stops the build, {variable}',
                                   lambda row=(variable, example, pattern, replacement, place,
                                               f'cmk: {claim}: bank conflicts, but none with {best}'): stops(*row)))
    return checks


def main(kind, path):
    need_device(kind)
    table = predicted(path)
    report(table_checks(table) + (planted_checks() if kind == 'host' else measured_checks(path, table)))


if __name__ == '__main__':
    main(*sys.argv[1:])
