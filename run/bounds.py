"""What bounds each kernel of a report: the least time that each resource of a card takes for what was counted.

The table of cards is of public specifications. It is no part of include/cmk/kernel/card.h, which has what was measured
of cmk's own kernels and no rates.
"""

import collections

# SMs, boost clock in GHz, GB/s of DRAM, bytes a clock of L2 where they are published, TFLOP/s of FP32. NVIDIA's data
# sheets and white papers have them; an H200 is an H100 with other memory. Its clock, and that of an H100, follow from
# 67 TFLOP/s: 132 SMs do 256 operations a clock each.
Card = collections.namedtuple('Card', 'name sms clock dram l2 fp32')
CARDS = {card.name.replace(' ', ''): card for card in (
    Card('H100', 132, 1.98, 3350, None, 67.0),
    Card('H200', 132, 1.98, 4800, None, 67.0),
    Card('A100', 108, 1.41, 2039, 5120, 19.5),
    Card('L40S', 142, 2.52, 864, None, 91.6),
    Card('RTX 4090', 128, 2.52, 1008, None, 82.6))}
USUAL = 'H200'
SECTORS = 2  # that an SM takes from L2 a clock: 64 bytes
CACHED = ('L2', 'DRAM')  # whose sectors the model of caches tells (host/count/cache.h)


def card_of(word):
    """raises ValueError with a sentence where no card has this name"""
    name = word.upper().replace(' ', '')
    if name not in CARDS:
        raise ValueError(f'{word!r} is no card; there are {", ".join(CARDS)}')
    return CARDS[name]


def total(accesses, column, *spaces):
    """over the accesses of kinds that begin so; of all kinds where none is named"""
    return sum(int(row[column] or 0) for row in accesses if not spaces or row['kind'].startswith(spaces))


def sectors_moved(kernel):
    """sectors between L1 and L2, and between L2 and DRAM"""
    from_l2 = sum(int(kernel[f'l2_{what}_sectors']) for what in ('read', 'written', 'atomic'))
    return from_l2, sum(int(kernel[f'dram_{what}_sectors']) for what in ('read', 'written'))


class Bounds:
    """of a kernel: the seconds of each resource; None where what it does is not counted"""

    def __init__(self, kernel, accesses, card):
        self.kernel, self.card = kernel, card
        self.operations = int(kernel['operations'])
        from_l2, from_dram = sectors_moved(kernel)
        self.bytes = 32 * from_dram
        sms = min(card.sms, int(kernel['most_blocks']))  # no more than blocks of a launch are at work
        cycle = 1e-9 / (sms * card.clock)
        l2 = from_l2 / SECTORS * cycle
        if card.l2:
            l2 = max(l2, 32e-9 * from_l2 / (card.l2 * card.clock))
        wavefronts = total(accesses, 'wavefronts') + total(accesses, 'requests', 'atomic shared') + \
            total(accesses, 'replays', 'atomic shared')
        self.seconds = {
            'shared wavefronts': wavefronts * cycle,
            'requests': total(accesses, 'requests', 'shared', 'global', 'atomic') * cycle,
            'replays': total(accesses, 'replays', 'constant', 'atomic global') * cycle,
            'L2': l2,
            'DRAM': 1e-9 * self.bytes / card.dram,
            'operations': 1e-12 * self.operations / (card.fp32 * sms / card.sms) if self.operations else None,
        }

    def order(self):
        """the resources that are used, the slowest first"""
        return sorted((name for name, seconds in self.seconds.items() if seconds), key=lambda name: -self.seconds[name])

    def bound(self):
        """the slowest, or None where nothing is counted"""
        return next(iter(self.order()), None)

    def said(self):
        """the sentence behind the kernel's name"""
        names = self.order()
        if not names:
            return 'nothing is counted that takes time'
        first, *others = names
        said = [f'bound by {first}: {self.time_of(first)}', *(f'{name} {self.time_of(name)}' for name in others)]
        return '; '.join(said + ['operations are not counted'] * (not self.operations))

    def time_of(self, name):
        return 'about ' * (name in CACHED) + duration(self.seconds[name])


def duration(seconds):
    for unit, name in ((1.0, 's'), (1e-3, 'ms'), (1e-6, 'us')):
        if seconds >= unit:
            return f'{seconds / unit:.3g} {name}'
    return f'{seconds * 1e9:.3g} ns'


def of_kernels(rows, card):
    """the bounds of each kernel of a report"""
    accesses = collections.defaultdict(list)
    for row in rows:
        if row['record'] == 'access':
            accesses[row['kernel']].append(row)
    return [Bounds(row, accesses[row['kernel']], card) for row in rows if row['record'] == 'kernel']


def sentences(rows, card):
    kernels = of_kernels(rows, card)
    if kernels:
        yield f'what bounds each kernel on an {card.name}, by its specifications:'
    for bounds in kernels:
        yield f'  kernel {bounds.kernel["kernel"]}: {bounds.said()}'
