"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(scenario, check):
    return ['bits/bits.py', scenario, '--only', check]


ROWS = [
    ('first', 'C11:', 'kernel/image/sums.inc', '? CMK_SUM_FMA_(tap, element, sum) :', '? tap * element + sum :'),
    ('first', 'C11:', 'kernel/volume/sums.inc', '? CMK_FMA(tap, value, sum) :', '? tap * value + sum :'),
    ('contracted', 'with contraction', 'check.h', '(a * a + b != 0.0f)', '0'),
]
