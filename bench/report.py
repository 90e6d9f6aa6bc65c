"""Makes one page of a report of the counters: the source with what each line costs beside it.

usage: report.py REPORT.csv PAGE.html [CARD]    REPORT.csv of cmk_count_report (count.h); CARD of run/bounds.py

The page needs no other file. Sources are looked for from the current folder; of one that is gone only the lines that
the report quotes are shown.
"""

import html
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'run'))
import bounds  # noqa: E402
import records  # noqa: E402

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
.bounds td { border-top: 1px solid var(--line); }
.bounds td.bar { width: 24rem; text-align: left; border-left: 1px solid var(--text); }
.bounds .bar div { height: 0.8em; min-width: 1px; background: var(--dim); }
.bounds .most div { background: #d0493a; }
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
BOUNDS_HEAD = ['kernel', 'resource', '', 'time at least']
WIDE, HIGH, LEFT, LOW = 640, 300, 60, 250  # of the roofline: its extent, and where its axes meet
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


def caches_list(kernels):
    """what the caches of an H200 keep of each kernel, in a report that has played them"""
    lines = []
    for row in kernels:
        if row.get('l2_read_sectors'):
            hits, read = int(row['l1_hits']), int(row['l2_read_sectors'])
            down, up, back = [f'{int(row[column]) * 32 / 1e6:.3g} MB' for column in (
                'l2_read_sectors', 'dram_read_sectors', 'dram_written_sectors')]
            lines.append(f'<li>{html.escape(row["kernel"])}: L1 hits {percent(hits, hits + read):.0f} % of the sectors '
                         f'of loads; {down} from L2, {up} from DRAM, {back} to DRAM</li>')
    return f'<h2>Caches of an H200, by a model</h2>\n<ul>{"".join(lines)}</ul>' if lines else ''


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


def branch_cells(row, code):
    """the same cells, of a branch"""
    lanes = float(row['lanes'] or 32)
    return ''.join([
        shared_cell(percent(lanes, 32)), cell(f'{grouped(row["parted"])} warps part', 'bad'), cell('0'), cell(''), code,
        cell('branch', 'left'), cell(''), cell(grouped(row['warps'])), cell(''), cell(row['kernel'], 'left')])


def cells_of(row, code):
    return (access_cells if row['record'] == 'access' else branch_cells)(row, code)


def line_rows(name, number, text, rows):
    """the rows of a line of the source: one for each access, or a plain one"""
    if not rows:
        return (f'<tr>{cell(number, "number")}<td colspan="4"></td>'
                f'<td class="code" colspan="6">{html.escape(text)}</td></tr>')
    code = cell(text, 'code', rows=len(rows))
    first = f'<tr class="costs" id="{name}">{cell(number, "number", rows=len(rows))}{cells_of(rows[0], code)}</tr>'
    return '\n'.join([first, *(f'<tr>{cells_of(row, "")}</tr>' for row in rows[1:])])


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


# ---- What bounds each kernel

def bound_rows(kernel):
    """a bar for each resource, the slowest first"""
    names = kernel.order()
    for at, name in enumerate(names):
        width = 100 * kernel.seconds[name] / kernel.seconds[names[0]]
        first = cell(kernel.kernel['kernel'], 'left', rows=len(names)) if at == 0 else ''
        yield (f'<tr>{first}{cell(name, "left")}<td class="bar{" most" * (at == 0)}"><div style="width: {width:.1f}%">'
               f'</div></td>{cell(kernel.time_of(name))}</tr>')


def drawn_line(x, y, to_x, to_y, colour):
    return (f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}"/>')


def drawn_text(x, y, words, anchor='start'):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def roofline(kernels, card):
    """operations a byte against the rate that the bounds allow, both by powers of two, under the roof of the card"""
    points = [(kernel.operations / kernel.bytes, kernel.operations / kernel.seconds[kernel.bound()] * 1e-12,
               kernel.kernel['kernel']) for kernel in kernels]
    bend = 1000 * card.fp32 / card.dram
    low, high = (edge(math.log2(most(bend / 32, 8 * bend, *(point[0] for point in points))))
                 for edge, most in ((math.floor, lambda least, _, *own: min(least, *own)),
                                    (math.ceil, lambda _, largest, *own: max(largest, *own))))
    floor = math.floor(math.log2(min(card.dram / 1000 * 2.0 ** low, *(point[1] for point in points)))) - 1

    def place(intensity, rate):
        return (LEFT + (WIDE - LEFT - 10) * (math.log2(intensity) - low) / (high - low),
                LOW - (LOW - 30) * (math.log2(rate) - floor) / (math.log2(card.fp32) - floor))

    drawn = []
    for power in range(low, high + 1, 2):
        x = place(2.0 ** power, card.fp32)[0]
        drawn += [drawn_line(x, LOW, x, 30, 'var(--line)'), drawn_text(x, LOW + 16, f'{2.0 ** power:g}', 'middle')]
    for power in range(floor, math.ceil(math.log2(card.fp32)), max(2, (6 - floor) // 6)):
        y = place(bend, 2.0 ** power)[1]
        drawn += [drawn_line(LEFT, y, WIDE - 10, y, 'var(--line)'),
                  drawn_text(LEFT - 6, y + 4, f'{2.0 ** power:g}', 'end')]
    corner, start, end = place(bend, card.fp32), 2.0 ** low, 2.0 ** high
    drawn += [drawn_line(*place(start, card.dram / 1000 * start), *corner, 'currentColor'),
              drawn_line(*corner, *place(end, card.fp32), 'currentColor'),
              drawn_text(LEFT, 18, f'TFLOP/s on an {card.name}; the slope is its DRAM, {card.dram} GB/s'),
              drawn_text((LEFT + WIDE) / 2, LOW + 36, 'operations a byte of DRAM', 'middle')]
    for intensity, rate, name in points:
        x, y = place(intensity, rate)
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#d0493a"/>', drawn_text(x + 8, y + 14, name)]
    return (f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" font-size="12" fill="currentColor">' + ''.join(drawn) +
            '</svg>')


def bounds_section(kernels, card):
    if not kernels:
        return ''
    rows = '\n'.join(row for kernel in kernels for row in bound_rows(kernel))
    counted = [kernel for kernel in kernels if kernel.operations and kernel.bytes]
    others = ', '.join(kernel.kernel['kernel'] for kernel in kernels if kernel not in counted)
    said = f'<p class="dim">Not under the roof, for want of counted operations or bytes: {html.escape(others)}.</p>'
    return (f'<h2>What bounds each kernel on an {card.name}</h2>\n<p class="dim">What each resource takes at least, by '
            f'the public specifications of the card: {card.sms} SMs of {card.clock} GHz, {card.dram} GB/s, {card.fp32} '
            'TFLOP/s. The longest bounds the kernel. L2 and DRAM have the sectors of the model of caches.</p>\n'
            f'<div class="wide"><table class="bounds">{head(BOUNDS_HEAD, BOUNDS_HEAD[:2])}\n<tbody>\n{rows}\n'
            f'</tbody></table></div>\n{roofline(counted, card) if counted else ""}{said if others else ""}')


def page(records, card):
    kernels = [row for row in records if row['record'] == 'kernel']
    accesses = [row for row in records if row['record'] == 'access']
    costs = [row for row in records if row['record'] != 'kernel']
    files = list(dict.fromkeys(row['file'] for row in costs))
    none = '' if kernels else '<p>No kernel that counts has run.</p>'
    plain = [row['kernel'] for row in kernels if row['kernel'] not in {access['kernel'] for access in accesses}]
    if plain:
        none = (f'<p class="bad">No access of {html.escape(", ".join(plain))} was counted. In programs that take '
                "cmk's headers, those by cmk are; plain ones are not.</p>")
    summary = '\n'.join(kernel_row(files, row, accesses) for row in kernels)
    names = '\n'.join(f'<tr>{cell(ours, "left")}{cell(theirs, "left")}</tr>' for ours, theirs in PROFILER)
    sources = '\n'.join(source_table(files, path, [row for row in costs if row['file'] == path]) for path in files)
    return f'''<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What the kernels cost</title><style>{STYLE}</style></head><body>
<h1>What the kernels cost</h1>{none}
{first_table(files, accesses)}
{bounds_section(bounds.of_kernels(records, card), card)}
<h2>Kernels</h2>
<div class="wide"><table class="summary">{head(KERNEL_HEAD, ('kernel', 'worst line'))}
<tbody>
{summary}
</tbody></table></div>
<p class="dim">Needed: the share of those cycles that would be left if each access took the least that it can. Sums
over the launches; grid and block are the last launch's. Blocks are those that an SM of sm_90 holds:
2048 threads, 32 blocks, 228 KB of shared memory of which each block takes 1 KB more than it asks for. Registers, which
may allow fewer, are not known to the CPU backend.</p>
{caches_list(kernels)}
{sources}
<h2>The profiler's names</h2>
<div class="wide"><table class="names"><tbody>
{names}
</tbody></table></div>
</body></html>
'''


def main(report, target, card=bounds.USUAL):
    text = page(records.read(report), bounds.card_of(card))
    with open(target, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit('usage: report.py REPORT.csv PAGE.html [CARD]')
    main(*sys.argv[1:])
