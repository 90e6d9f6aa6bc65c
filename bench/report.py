"""Makes one page of a report of the counters: the source with what each line costs beside it.

usage: report.py REPORT.csv PAGE.html    REPORT.csv as cmk_count_report writes it (count.h)

The page needs no other file. Sources are looked for from the current folder; of one that is gone only the lines that
the report quotes are shown.
"""

import csv
import html
import sys

PROFILER = [
    ('requests of shared loads, stores', 'smsp__sass_inst_executed_op_shared_ld.sum, ..._st.sum'),
    ('wavefronts of shared loads, stores',
     'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum, ..._op_st.sum'),
    ('ideal wavefronts', 'one for each group of lanes that is served: a warp up to 4 bytes a lane, a half at 8, '
                         'a quarter at 16'),
    ('conflicts', 'wavefronts beyond the ideal'),
    ('requests of global loads, stores', 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, ..._op_st.sum'),
    ('sectors of global loads, stores', 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, ..._op_st.sum'),
    ('ideal sectors', 'those that the bytes asked for would fill'),
    ('replays of constant loads', 'sm__idc_divergent_instruction_replays.sum'),
]

STYLE = '''
:root { color-scheme: light dark; --page: #fff; --text: #1c1c1c; --dim: #6b6b6b; --line: #ddd; --head: #f3f3f3;
        --bad: #ffd5d0; --poor: #fff0c2; }
@media (prefers-color-scheme: dark) {
  :root { --page: #161616; --text: #e4e4e4; --dim: #999; --line: #383838; --head: #222; --bad: #6b2018;
          --poor: #574508; } }
body { margin: 1.5rem; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 1px 8px; text-align: right; vertical-align: top; white-space: nowrap; }
th { background: var(--head); font-weight: 600; }
.summary td, .names td { border-top: 1px solid var(--line); padding: 3px 8px; }
.source td { font: 12px/1.5 ui-monospace, monospace; }
.source td.code { white-space: pre; border-right: 1px solid var(--line); }
.left, td.code { text-align: left; }
tr.costs td { border-top: 1px solid var(--line); }
.number, .dim { color: var(--dim); }
.bad { background: var(--bad); } .poor { background: var(--poor); }
'''

KERNEL_HEAD = ['kernel', 'launches', 'grid', 'block', 'shared bytes', 'bytes between L1 and L2', 'of them used',
               'operations', 'operations a byte', 'blocks by threads', 'by shared memory', 'occupancy']
SOURCE_HEAD = ['line', 'source', 'kernel', 'access', 'bytes', 'requests', 'cost', 'ideal', 'conflicts', 'efficiency',
               'remedy']


def cell(text, *classes, tag='td', rows=1):
    named = f' class="{" ".join(filter(None, classes))}"' if any(classes) else ''
    spanned = f' rowspan="{rows}"' if rows > 1 else ''
    return f'<{tag}{named}{spanned}>{html.escape(str(text))}</{tag}>'


def head(names, left):
    cells = (cell(name, 'left' if name in left else '', tag='th') for name in names)
    return f'<thead><tr>{"".join(cells)}</tr></thead>'


def grouped(number):
    return f'{int(number):,}'.replace(',', ' ')


def grade(percent):
    return 'bad' if percent < 50 else 'poor' if percent < 90 else ''


def kernel_row(row):
    efficiency = float(row['efficiency'])
    cells = [cell(row['kernel'], 'left'), cell(grouped(row['launches'])), cell(row['grid']), cell(row['block']),
             cell(grouped(row['shared_bytes'])), cell(grouped(row['bytes_moved'])),
             cell(f'{efficiency:.1f} %', grade(efficiency)), cell(grouped(row['operations'])),
             cell(row['operations_a_byte']), cell(row['blocks_by_threads']), cell(row['blocks_by_shared']),
             cell(row['occupancy'] + ' %')]
    return f'<tr>{"".join(cells)}</tr>'


def remedy(pad, tile):
    if not pad:
        return ''
    known = {'swizzle': 'a swizzle', 'order': 'another order'}
    return known.get(pad) or f'PAD {"+ " if pad[0] == "+" else ""}{pad.lstrip("+")} of {tile}'


def cost(row):
    """what an access costs, and the least that it could"""
    if row['kind'].startswith('shared'):
        return grouped(row['wavefronts']) + ' wavefronts', grouped(row['ideal_wavefronts'])
    if row['kind'].startswith('global'):
        return grouped(row['sectors']) + ' sectors', grouped(row['ideal_sectors'])
    return grouped(row['replays']) + ' replays', '0'


def access_cells(row):
    efficiency = float(row['efficiency'])
    conflicts = int(row['conflicts'])
    spent, ideal = cost(row)
    return ''.join([
        cell(row['kernel'], 'left'), cell(row['kind'], 'left'), cell(row['bytes_a_lane']),
        cell(grouped(row['requests'])), cell(spent), cell(ideal),
        cell(grouped(conflicts) if row['kind'].startswith('shared') else '', 'bad' if conflicts > 0 else ''),
        cell(f'{efficiency:.1f} %', grade(efficiency)), cell(remedy(row['pad'], row['tile']), 'left')])


def line_rows(number, text, rows):
    code = cell(number, 'number', rows=len(rows)) + cell(text, 'code', rows=len(rows))
    if not rows:
        return f'<tr>{code}<td colspan="{len(SOURCE_HEAD) - 2}"></td></tr>'
    return '\n'.join(f'<tr{" class=costs" if k == 0 else ""}>{code if k == 0 else ""}{access_cells(row)}</tr>'
                     for k, row in enumerate(rows))


def source_lines(path, rows):
    """pairs of number and text"""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return list(enumerate(file.read().splitlines(), 1))
    except OSError:
        return sorted({int(row['line']): row['source'] for row in rows}.items())


def source_table(path, rows):
    body = '\n'.join(line_rows(number, text.expandtabs(4), [row for row in rows if int(row['line']) == number])
                     for number, text in source_lines(path, rows))
    return (f'<h2>{html.escape(path)}</h2>\n<div class="wide"><table class="source">'
            f'{head(SOURCE_HEAD, ("source", "kernel", "access", "remedy"))}\n<tbody>\n{body}\n</tbody></table></div>')


def page(records):
    kernels = [row for row in records if row['record'] == 'kernel']
    accesses = [row for row in records if row['record'] == 'access']
    files = list(dict.fromkeys(row['file'] for row in accesses))
    none = '' if kernels else '<p>No kernel that counts has run.</p>'
    summary = '\n'.join(map(kernel_row, kernels))
    names = '\n'.join(f'<tr>{cell(ours, "left")}{cell(theirs, "left")}</tr>' for ours, theirs in PROFILER)
    sources = '\n'.join(source_table(path, [row for row in accesses if row['file'] == path]) for path in files)
    return f'''<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What the kernels cost</title><style>{STYLE}</style></head><body>
<h1>What the kernels cost</h1>{none}
<div class="wide"><table class="summary">{head(KERNEL_HEAD, ('kernel',))}
<tbody>
{summary}
</tbody></table></div>
<p class="dim">Sums over the launches; grid and block are the last launch's. Blocks are those that an SM of sm_90 holds:
2048 threads, 32 blocks, 228 KB of shared memory of which each block takes 1 KB more than it asks for. Registers, which
may allow fewer, are not known to the CPU backend.</p>
{sources}
<h2>The profiler's names</h2>
<div class="wide"><table class="names"><tbody>
{names}
</tbody></table></div>
</body></html>
'''


def main(report, target):
    with open(report, encoding='utf-8', errors='replace', newline='') as file:
        records = list(csv.DictReader(file))
    with open(target, 'w', encoding='utf-8') as file:
        file.write(page(records))


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: report.py REPORT.csv PAGE.html')
    main(*sys.argv[1:])
