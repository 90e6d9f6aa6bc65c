"""Defects planted in the headers for this suite, by tests/planted.py, which says what a row is."""


def command(group, check):
    return ['script/tune.py', group, '--only', check]


ROWS = [
    ('cpu', 'what a program reports', 'kernel/point/measure.h', '(double)$steps * $part', '$part'),
    ('cpu', 'what a program reports', 'kernel/point/call.h', '++$c->made', '(void)$c->made'),
    ('cpu', 'no event is left', 'kernel/point/measure.h', 'if ($clock->begin != NULL)', 'if ($clock->runs)'),
]
