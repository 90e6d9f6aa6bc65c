"""./cmk report --assert 'KERNEL: COUNTER <= NUMBER': limits that a program's kernels must keep, for tests.

Without KERNEL each kernel must keep the limit. A counter is the sum over all launches of a kernel. efficiency is the
percentage of the bytes between L1 and L2 that are used.
"""

import operator
import re

import records

OPERATORS = {'<=': operator.le, '<': operator.lt, '==': operator.eq, '>=': operator.ge, '>': operator.gt}
COLUMNS = {'requests': ('shared', 'global', 'constant', 'atomic', 'texture', 'shuffle'), 'wavefronts': ('shared',),
           'conflicts': ('shared',), 'sectors': ('global',), 'replays': ('constant', 'atomic')}
KINDS = ['shared load', 'shared store', 'global load', 'global store', 'constant load', 'atomic shared',
         'atomic global', 'texture load', 'shuffle']
COUNTERS = {f'{kind.replace(" ", "_")}_{column}': (kind, column)
            for kind in KINDS for column, spaces in COLUMNS.items() if kind.split()[0] in spaces}
LIMIT = re.compile(r'\s*(?:(?P<kernel>.*\S)\s*:\s*)?(?P<counter>\w+)\s*(?P<sign><=|>=|==|<|>)\s*'
                   r'(?P<number>\d+(?:\.\d+)?)\s*')


class Limit:
    def __init__(self, text):
        """raises ValueError with a sentence where the text is no limit"""
        found = LIMIT.fullmatch(text)
        if not found:
            raise ValueError(f"{text!r} is no limit: it must be like 'KERNEL: shared_load_wavefronts <= 32'")
        if found['counter'] not in COUNTERS and found['counter'] != 'efficiency':
            raise ValueError(f'{found["counter"]} is no counter; there are efficiency, {", ".join(COUNTERS)}')
        self.text, self.kernel, self.counter = text.strip(), found['kernel'], found['counter']
        self.sign, self.number = found['sign'], float(found['number'])

    def broken(self, counts):
        """the sentences of the kernels that do not keep it; counts: of each kernel its numbers by counter"""
        kernels = [self.kernel] if self.kernel else list(counts)
        if self.kernel and self.kernel not in counts:
            return [f'{self.text}: no kernel {self.kernel} has run; there are: {", ".join(counts)}']
        return [f'{self.text}: of kernel {kernel} it is {counts[kernel][self.counter]:g}' for kernel in kernels
                if not OPERATORS[self.sign](counts[kernel][self.counter], self.number)]


def counts_of(table):
    """of each kernel of a report its numbers by counter"""
    counts = {}
    for row in records.read(table):
        own = counts.setdefault(row['kernel'], dict.fromkeys(COUNTERS, 0))
        if row['record'] == 'kernel':
            own['efficiency'] = float(row['efficiency'])
        for counter, (kind, column) in COUNTERS.items():
            if row['kind'] == kind:
                own[counter] += int(row[column])
    return counts


def broken(limits, table):
    """the sentences of all limits that are not kept"""
    counts = counts_of(table) if limits else {}
    return [sentence for limit in limits for sentence in limit.broken(counts)]
