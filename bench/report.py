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
.summary td, .names td, .first td { border-top: 1px solid var(--line); padding: 3px 8px; }
th { white-space: normal; vertical-align: bottom; }
.source, .first { width: 100%; }
.source th { font-size: 12px; }
.source td { font: 12px/1.5 ui-monospace, monospace; }
.source td.code, .first td.code { white-space: pre-wrap; overflow-wrap: anywhere; width: 100%; min-width: 20rem; }
.first td.code, .first td.line { font: 12px/1.5 ui-monospace, monospace; }
.source td.code { border-left: 1px solid var(--line); border-right: 1px solid var(--line); }
.left, td.code { text-align: left; }
a { color: inherit; }
tr.costs td { border-top: 1px solid var(--line); }
.number, .dim { color: var(--dim); }
.bad { background: var(--bad); } .poor { background: var(--poor); }
'''

FIRST_HEAD = ['share', 'cost', 'ideal', 'remedy', 'source', 'line', 'access', 'kernel']
KERNEL_HEAD = ['kernel', 'needed of its cost', 'worst line', 'launches', 'grid', 'block', 'shared bytes',
               'bytes between L1 and L2', 'of them used', 'operations', 'operations a byte', 'blocks by threads',
               'by shared memory', 'occupancy']
SOURCE_HEAD = ['line', 'efficiency', 'cost', 'ideal', 'remedy', 'source', 'access', 'bytes', 'requests', 'conflicts',
               'kernel']
MOST = 10  # rows of what is mended first


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


def remedy(row):
    """as the report says it; where it says nothing, what is done about such an access"""
    pad, tile = row['pad'], row['tile']
    if pad:
        known = {'swizzle': 'a swizzle', 'order': 'another order'}
        return known.get(pad) or f'PAD {"+ " if pad[0] == "+" else ""}{pad.lstrip("+")} of {tile}'
    if row['kind'].startswith('global') and int(row['sectors']) > int(row['ideal_sectors']):
        return 'coalesce'
    return 'one index a warp, or GLOBAL' if int(row['replays']) > 0 else ''


def cycles(row):
    """of an SM: what an access takes, and the least that it could; a wavefront or a replay takes one, a sector half"""
    spent = int(row['wavefronts']) + int(row['replays']) + int(row['sectors']) / 2
    return spent, int(row['ideal_wavefronts']) + int(row['ideal_sectors']) / 2


def wasted(row):
    spent, ideal = cycles(row)
    return spent - ideal


def cost(row):
    """what an access costs, and the least that it could"""
    if row['kind'].startswith('shared'):
        return grouped(row['wavefronts']) + ' wavefronts', grouped(row['ideal_wavefronts'])
    if row['kind'].startswith('global'):
        return grouped(row['sectors']) + ' sectors', grouped(row['ideal_sectors'])
    return grouped(row['replays']) + ' replays', '0'


def percent(part, whole):
    return 100.0 * part / whole if whole > 0 else 100.0


def shared_cell(value, *classes):
    return cell(f'{value:.1f} %', grade(value), *classes)


def place(row):
    return f'{row["file"].rpartition("/")[2]}:{row["line"]}'


def mark(files, row):
    """the name of a line within the page"""
    return f'f{files.index(row["file"])}-{row["line"]}'


def link(files, row):
    return f'<td class="left line"><a href="#{mark(files, row)}">{html.escape(place(row))}</a></td>'


def kernel_row(files, row, accesses):
    used = float(row['efficiency'])
    own = [access for access in accesses if access['kernel'] == row['kernel']]
    worst = max(own, key=wasted, default=None)
    needed = percent(sum(cycles(access)[1] for access in own), sum(cycles(access)[0] for access in own))
    line = link(files, worst) if worst and wasted(worst) > 0 else cell('', 'left')
    cells = [cell(row['kernel'], 'left'), shared_cell(needed), line, cell(grouped(row['launches'])), cell(row['grid']),
             cell(row['block']), cell(grouped(row['shared_bytes'])), cell(grouped(row['bytes_moved'])),
             shared_cell(used), cell(grouped(row['operations'])), cell(row['operations_a_byte']),
             cell(row['blocks_by_threads']), cell(row['blocks_by_shared']), cell(row['occupancy'] + ' %')]
    return f'<tr>{"".join(cells)}</tr>'


def first_row(files, row, whole):
    spent, ideal = cost(row)
    return ''.join(['<tr>', cell(f'{percent(wasted(row), whole):.1f} %'), cell(spent, 'bad'), cell(ideal),
                    cell(remedy(row), 'left'), cell(row['source'], 'code'), link(files, row),
                    cell(row['kind'], 'left'), cell(row['kernel'], 'left'), '</tr>'])


def first_table(files, accesses):
    """the accesses that waste most, of all kernels"""
    found = sorted((row for row in accesses if wasted(row) > 0), key=wasted, reverse=True)
    if not found:
        return '<p>Each access costs the least that it can.</p>' if accesses else ''
    whole = sum(cycles(row)[0] for row in accesses)
    rows = '\n'.join(first_row(files, row, whole) for row in found[:MOST])
    more = f' The first {MOST} of {len(found)}.' if len(found) > MOST else ''
    return (f'<h2>Mend these first</h2>\n<p class="dim">By share: what would be saved of the cycles that all accesses '
            f'take of an SM, one for a wavefront or a replay, half a one for a sector.{more}</p>\n'
            f'<div class="wide"><table class="first">{head(FIRST_HEAD, FIRST_HEAD[3:])}\n<tbody>\n{rows}\n'
            f'</tbody></table></div>')


def access_cells(row, code):
    efficiency = float(row['efficiency'])
    conflicts = int(row['conflicts'])
    spent, ideal = cost(row)
    return ''.join([
        shared_cell(efficiency), cell(spent, 'bad' if wasted(row) > 0 else ''), cell(ideal), cell(remedy(row), 'left'),
        code, cell(row['kind'], 'left'), cell(row['bytes_a_lane']), cell(grouped(row['requests'])),
        cell(grouped(conflicts) if row['kind'].startswith('shared') else '', 'bad' if conflicts > 0 else ''),
        cell(row['kernel'], 'left')])


def line_rows(name, number, text, rows):
    """the rows of a line of the source: one for each access, or a plain one"""
    if not rows:
        return (f'<tr>{cell(number, "number")}<td colspan="4"></td>'
                f'<td class="code" colspan="6">{html.escape(text)}</td></tr>')
    code = cell(text, 'code', rows=len(rows))
    first = f'<tr class="costs" id="{name}">{cell(number, "number", rows=len(rows))}{access_cells(rows[0], code)}</tr>'
    return '\n'.join([first, *(f'<tr>{access_cells(row, "")}</tr>' for row in rows[1:])])


def source_lines(path, rows):
    """pairs of number and text"""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return list(enumerate(file.read().splitlines(), 1))
    except OSError:
        return sorted({int(row['line']): row['source'] for row in rows}.items())


def source_table(files, path, rows):
    body = []
    for number, text in source_lines(path, rows):
        own = [row for row in rows if int(row['line']) == number]
        body.append(line_rows(mark(files, own[0]) if own else '', number, text.expandtabs(4), own))
    joined = '\n'.join(body)
    return (f'<h2>{html.escape(path)}</h2>\n<div class="wide"><table class="source">'
            f'{head(SOURCE_HEAD, ("remedy", "source", "access", "kernel"))}\n<tbody>\n{joined}\n</tbody></table></div>')


def page(records):
    kernels = [row for row in records if row['record'] == 'kernel']
    accesses = [row for row in records if row['record'] == 'access']
    files = list(dict.fromkeys(row['file'] for row in accesses))
    none = '' if kernels else '<p>No kernel that counts has run.</p>'
    plain = [row['kernel'] for row in kernels if row['kernel'] not in {access['kernel'] for access in accesses}]
    if plain:
        none = (f'<p class="bad">No access of {html.escape(", ".join(plain))} was counted: those by CMK_LOAD, '
                'CMK_STORE, tiles and tables are, plain ones are not.</p>')
    summary = '\n'.join(kernel_row(files, row, accesses) for row in kernels)
    names = '\n'.join(f'<tr>{cell(ours, "left")}{cell(theirs, "left")}</tr>' for ours, theirs in PROFILER)
    sources = '\n'.join(source_table(files, path, [row for row in accesses if row['file'] == path]) for path in files)
    return f'''<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What the kernels cost</title><style>{STYLE}</style></head><body>
<h1>What the kernels cost</h1>{none}
{first_table(files, accesses)}
<h2>Kernels</h2>
<div class="wide"><table class="summary">{head(KERNEL_HEAD, ('kernel', 'worst line'))}
<tbody>
{summary}
</tbody></table></div>
<p class="dim">Needed: the share of those cycles that would be left if each access took the least that it can. Sums
over the launches; grid and block are the last launch's. Blocks are those that an SM of sm_90 holds:
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
