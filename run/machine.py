"""What nvcc makes of the kernels of a report: no GPU is needed, only the toolkit.

A report counts what a source asks for. nvcc joins, removes, repeats and adds accesses. Where nvcc is there, it compiles
the program's .cu files beside the report, and nvdisasm tells of each load and store in the machine code its line and
its width. For each line where these are others than in the source, a sentence says so, and the table gets what the
accesses cost then: it was counted in each form that nvcc may give them (include/cmk/host/count/forms.h).
"""

import collections
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import records

ARCH = 'sm_90'
INSTRUCTION = re.compile(r'^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?(LDG|STG|LDS|STS|LDL|STL|LD|ST)\.?(\S*)')
LABEL = re.compile(r'^(\.L\w+):')
CALLED = re.compile(r'^\$\S+:$')  # a function that is not inlined begins; it stands behind its kernel
BRANCH = re.compile(r'^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?BRA.*?`\((\.L\w+)\)')
PLACE = re.compile(r'^\s*//## File "([^"]+)", line (\d+)( inlined at "[^"]+", line \d+)?')
KINDS = {'LDG': 'global load', 'STG': 'global store', 'LDS': 'shared load', 'STS': 'shared store',
         'LDL': 'local load', 'STL': 'local store', 'LD': 'generic load', 'ST': 'generic store'}
COSTS = {'shared': 'wavefronts', 'global': 'sectors'}
WAYS = {5: 'turns4', 7: 'turns421', 29: 'turns1684', 31: 'turns1684'}  # by the instructions of an access
SECTION = re.compile(r'^\.text\.(\S+):', re.MULTILINE)
USED = re.compile(r'Used (\d+) registers')
SPILLED = re.compile(r'(\d+) bytes spill stores, (\d+) bytes spill loads')


def base_of(name):
    """the name of a function in its symbol or in a report, without its arguments"""
    found = re.match(r'_ZL?(\d+)', name)
    if found:
        return name[found.end():][:int(found[1])]
    return re.sub(r'<.*', '', name).rpartition('::')[2].strip()


class Machine:
    """the machine code of a program's .cu files, which is made while the report runs"""

    def __init__(self, order):
        nvcc = shutil.which('nvcc')
        self.work, self.processes = tempfile.TemporaryDirectory(), []
        words = [*('-I' + name for name in order.folders), *('-D' + name for name in order.defined)]
        for name in order.files if nvcc else ():
            if os.path.splitext(name)[1] == '.cu':
                target = Path(self.work.name) / f'{len(self.processes)}.cubin'
                command = [nvcc, f'-arch={ARCH}', '-std=c++17', '-O3', '-lineinfo', '-w', '-Xptxas=-v', '-cubin',
                           *words, '-o', str(target), name]
                self.processes.append((target, subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
        self.registers, self.spilled = {}, {}  # of each kernel, by its name
        # by (kernel, file, line, kind), a kernel by its name and by its symbol: the widths of the instructions; and of
        # those that are in no loop and in no function that is called
        self.accesses, self.outside, self.symbols = {}, {}, set()

    def read(self):
        """the machine code of the files that nvcc compiles; of others nothing is known"""
        disassembler = shutil.which('nvdisasm')
        for target, process in self.processes:
            said = process.communicate()[0].decode('utf-8', 'replace')
            if process.returncode == 0:
                self.note_registers(said)
            if process.returncode == 0 and disassembler:
                done = subprocess.run([disassembler, '-g', '-c', str(target)], stdout=subprocess.PIPE)
                self.note_accesses(done.stdout.decode('utf-8', 'replace'))

    def note_registers(self, said):
        for part in said.split("Compiling entry function '")[1:]:
            kernel, used, spilled = base_of(part), USED.search(part), SPILLED.search(part)
            if used:
                self.registers[kernel] = max(int(used[1]), self.registers.get(kernel, 0))
            if spilled:
                self.spilled[kernel] = max(int(spilled[1]), int(spilled[2]), self.spilled.get(kernel, 0))

    def note_accesses(self, text):
        heads = [*SECTION.finditer(text)]
        for head, end in zip(heads, [*(head.start() for head in heads[1:]), len(text)]):
            self.symbols.add(head[1])
            for row, place, again in accesses_of(text[head.end():end].splitlines()):
                instruction = INSTRUCTION.match(row)
                for name in {head[1], base_of(head[1])}:
                    key, width = (name, *place, KINDS[instruction[1]]), width_of(instruction[2])
                    self.accesses.setdefault(key, collections.Counter())[width] += 1
                    if not again:
                        self.outside.setdefault(key, collections.Counter())[width] += 1


def accesses_of(rows):
    """the accesses in the machine code of a kernel: each with its place, and whether it may be made more than once"""
    labels = {LABEL.match(row)[1]: at for at, row in enumerate(rows) if LABEL.match(row)}
    branches = [(labels.get(BRANCH.match(row)[1], at), at) for at, row in enumerate(rows) if BRANCH.match(row)]
    loops = [(begin, end) for begin, end in branches if begin < end]
    called = next((at for at, row in enumerate(rows) if CALLED.match(row)), len(rows))
    place, fresh = (None, None), True  # fresh: the next place is the innermost of an instruction
    for at, row in enumerate(rows):
        named = PLACE.match(row)
        if named and (fresh or is_of_toolkit(place[0])):
            place = os.path.realpath(named[1]), int(named[2])
        elif INSTRUCTION.match(row):
            yield row, place, at > called or any(begin < at < end for begin, end in loops)
        fresh = not named


def is_of_toolkit(file):
    """whether a place is in a header of CUDA, so that the program's line is the one that calls it"""
    return bool(file and re.search(r'/targets/|/cuda[-\d.]*/include/|/cu13/include/', file))


def width_of(modifiers):
    words = set(modifiers.split('.'))
    return 16 if '128' in words else 8 if '64' in words else 2 if words & {'U16', 'S16'} else \
        1 if words & {'U8', 'S8'} else 4


class Source:
    """what a report has counted, by the same keys"""

    def __init__(self, path):
        self.path, self.rows = path, records.read(path)
        self.blocks, self.accesses, self.parted = {}, {}, set()
        self.by_key = collections.defaultdict(list)
        for row in self.rows:
            kernel = base_of(row['kernel'])
            if row['record'] == 'kernel':
                self.blocks[kernel] = [int(count) for count in row['block'].split('x')]
            elif is_compared(row):
                key = kernel, *place_of(row)
                self.by_key[key].append(row)
                self.accesses.setdefault(key, collections.Counter())[int(row['bytes_a_lane'])] += 1
                if float(row['lanes']) < 32:
                    self.parted.add(key)


def is_compared(row):
    return row['record'] == 'access' and row['kind'].split()[0] in COSTS


def place_of(row):
    return os.path.realpath(row['file']), int(row['line']), row['kind']


def forms_of(row):
    """of each form that differs from the source: by how many requests and how much cost"""
    return {name: (int(requests), int(cost))
            for name, requests, cost in (form.split() for form in row['forms'].split(';') if form)}


def is_wider(source, machine):
    return max(machine, default=0) > max(source)


class Place:
    """the accesses of one kind on a line of a kernel, or of one instance of its template"""

    def __init__(self, key, rows, machine):
        self.key, self.rows = key, rows
        self.asked = collections.Counter(int(row['bytes_a_lane']) for row in rows)
        self.made = machine.accesses.get(key, collections.Counter())
        self.outside = machine.outside.get(key, collections.Counter())
        self.loops = {(key[0], row['loop']) for row in rows if row['loop']}

    def form(self, widest, moved):
        """the form that nvcc has given to the accesses, or None; widest: of words that it has joined in the kernel;
        moved: whether accesses of lines in the same loop are now outside"""
        if self.made == self.asked:
            return 'once' if self.made == self.outside else None
        if max(self.asked) == 16 and max(self.made, default=0) == 8:
            return 'halves'
        if widest:
            return 'fours' if widest == 16 else 'pairs'
        if not self.made:
            return 'once' if moved else None
        uneven = sum(any(name in WAYS.values() for name in forms_of(row)) for row in self.rows)
        around = sum(self.asked.values()) - uneven
        copies, odd = divmod(sum(self.made.values()) - around, uneven) if uneven else (0, 0)
        return None if odd else WAYS.get(copies)


def moved_lines(machine, places):
    """The places of loads that no instruction names, where their loop is in the machine code, and outside of all loops
    there are more loads than the source has on those lines: nvcc has moved them there."""
    loops, missing = set(), collections.defaultdict(list)
    for key, place in places.items():
        if place.made != place.outside:
            loops |= place.loops
        if not place.made and key[3].endswith('load'):
            missing[key[0], key[3]].append(place)
    more = collections.Counter()
    for key, widths in machine.outside.items():
        asked = places[key].asked if key in places else {}
        more[key[0], key[3]] += max(0, sum(widths.values()) - sum(asked.values()))
    return {place.key for kind, own in missing.items() for place in own
            if place.loops & loops and more[kind] >= sum(sum(one.asked.values()) for one in own)}


def places_of(machine, source):
    """the places of the kernels that are known in machine code"""
    rows = collections.defaultdict(list)
    for row in source.rows:
        if is_compared(row) and base_of(row['kernel']) in machine.registers:
            symbol = row['symbol'] or row['kernel']
            rows[symbol if symbol in machine.symbols else base_of(row['kernel']), *place_of(row)].append(row)
    return {key: Place(key, own, machine) for key, own in rows.items()}


def note_forms(machine, source):
    """gives each access of the table what it costs in the machine code: machine_requests, machine_cost"""
    for row in source.rows:
        row['machine_form'] = row['machine_requests'] = row['machine_cost'] = ''
    places = places_of(machine, source)
    joined = collections.Counter()  # of a kernel and kind, the widest word that nvcc makes of narrower ones
    for key, place in places.items():
        if is_wider(place.asked, place.made):
            joined[key[0], key[3]] = max(joined[key[0], key[3]], *place.made)
    moved = moved_lines(machine, places)
    for key, place in places.items():
        form = place.form(joined[key[0], key[3]], key in moved)
        for row in place.rows:
            more, cost = forms_of(row).get(form, (0, 0))
            row['machine_form'] = form if form in forms_of(row) else ''
            row['machine_requests'] = int(row['requests']) + more
            row['machine_cost'] = int(row[COSTS[row['kind'].split()[0]]]) + cost
    records.write(source.path, source.rows)


def cost_of(rows):
    """what the accesses of a line cost in the machine code, where it is other than in the source"""
    unit = COSTS[rows[0]['kind'].split()[0]]
    told = [(int(row['machine_requests']), int(row['machine_cost'])) for row in rows]
    if told == [(int(row['requests']), int(row[unit])) for row in rows]:
        return ''
    return f': {sum(requests for requests, _ in told)} requests, {sum(cost for _, cost in told)} {unit}'


def difference(kind, source, machine, parts):
    """what nvcc makes of the accesses of a line, or None where that costs the same; parts: lanes do"""
    asked, made, plural = sum(source.values()), sum(machine.values()), 's' * (sum(machine.values()) != 1)
    widest, made_widest = max(source), max(machine, default=0)
    if made == 0:
        return f'no {kind} is left: its value is known, or another line has it'
    if made_widest != widest:
        why = 'neighbours are joined' if made_widest > widest else 'no wider alignment is known'
        return f'{made} {kind}{plural} of up to {made_widest} bytes, where the source has {asked} of {widest}: {why}'
    if made > asked and parts:
        return f'{made} {kind}{plural}, where the source has {asked}: a loop is unrolled: lanes that make ' \
               'different numbers of turns part'
    if made < asked:
        return f'{made} {kind}{plural}, where the source has {asked}: some are joined'
    return None


def by_kind(accesses, kernel):
    sums = {}
    for (name, _, _, kind), widths in accesses.items():
        if name == kernel:
            sums.setdefault(kind, collections.Counter()).update(widths)
    return sums


def of_line(machine, source, key, differs):
    """what nvcc makes of a line, or None where that costs the same; differs: the number of instructions does"""
    made, rows = machine.accesses.get(key, collections.Counter()), source.by_key[key]
    if any(row['machine_form'] == 'once' for row in rows) and cost_of(rows):
        return f'the {key[3]}{"s" * (len(rows) > 1)} left the loop'
    return difference(key[3], source.accesses[key], made, key in source.parted) if differs else None


def of_kernel(machine, source, kernel):
    """the sentences about the lines of a kernel"""
    asked, made = by_kind(source.accesses, kernel), by_kind(machine.accesses, kernel)
    for key in sorted(key for key in source.by_key if key[0] == kernel):
        said = of_line(machine, source, key, asked.get(key[3]) != made.get(key[3]))
        if said:
            yield f'{os.path.relpath(key[1])}:{key[2]}: {said}{cost_of(source.by_key[key])}'
    for kind in ('local load', 'local store'):
        if kind in made:
            yield f'{sum(made[kind].values())} {kind}s: arrays of a thread, or registers that are spilled'
    if 'global load' in made and 'global load' not in asked:
        yield f'{sum(made["global load"].values())} global loads that the source does not show: of CUDA\'s library'


def sentences(machine, source):
    """of each kernel what nvcc makes of it; the table gets it too"""
    if machine.accesses:
        note_forms(machine, source)
    if machine.registers:
        yield f'what nvcc makes of it for {ARCH}' + ('' if machine.accesses else '; its accesses are not known, as '
                                                     'nvdisasm is not there') + ':'
    for kernel in (kernel for kernel in source.blocks if kernel in machine.registers):
        registers, spilled = machine.registers[kernel], machine.spilled.get(kernel, 0)
        warps = -(-source.blocks[kernel][0] * source.blocks[kernel][1] * source.blocks[kernel][2] // 32)
        blocks = 65536 // (-(-registers * 32 // 256) * 256 * warps)
        yield f'  kernel {kernel}: {registers} registers a thread, {spilled} bytes spilled; by registers {blocks} ' \
              f'block{"s" * (blocks != 1)} on an SM'
        if machine.accesses:
            yield from ('    ' + said for said in of_kernel(machine, source, kernel))
