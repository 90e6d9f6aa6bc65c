"""What compilers take for a definition stays within its budget: rows and budgets are those of bench/compile_times.py.

usage: budgets.py [GROUP...] [--include DIR] [--only TEXT]

judge: how a row is judged, without a compiler
few: a few definitions, by nvcc for sm_90 and by gcc
all: all of them, and by nvcc for sm_90a; examples by gcc

A row fails where it takes 1.5 times its budget: CPU seconds over those of a plain kernel, or in C of loops, which is
compiled in turns with it. The least of each counts, so that a busy machine fails nothing.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
sys.path.insert(0, str(TESTS.parent / 'bench'))
from compile_times import CC, EXAMPLES, NVCC, ROWS, Compilers, Refused, budget_of, measure_of  # noqa: E402
from harness import Failure, Skip, arguments, compiler, report, run  # noqa: E402

GATE = 1.5  # times the budget
TURNS = 3
FEW = {'sm_90': ('STENCIL1D, radius 4', 'CONV2D 3x3', 'STENCIL2D, heat', 'STENCIL2D, heat, steps called'),
       'gcc -O2': ('cmk/cmk.h, unused', 'CONV2D 3x3', 'STENCIL2D, heat')}


def judge(seconds, budget):
    """seconds(own): of the row, or of what it is measured by. Only the measure can be too long for the row to pass, so
    it is taken first and last."""
    own, measure = [], [seconds(False)]
    for _ in range(TURNS):
        own.append(seconds(True))
        measure.append(seconds(False))
        if min(own) <= GATE * budget * min(measure):
            return
    raise Failure(f'{min(own) / min(measure):.1f} times as long as its measure: the budget is {budget:.1f}, the gate '
                  f'{GATE * budget:.1f}\nCPU seconds, in turns: ' + ', '.join(f'{spent:.2f}' for spent in own) +
                  '; of the measure: ' + ', '.join(f'{spent:.2f}' for spent in measure))


def check(row, target, include):
    compilers = Compilers(include)
    if target in NVCC:
        compilers.nvcc = compiler('NVCC')
    else:
        compilers.cc = compiler('CC')
        if 'Free Software Foundation' not in run([*compilers.cc, '--version'])[1]:
            raise Skip('CC is not gcc')
    try:
        judge(lambda own: compilers.seconds(row.text if own else measure_of(target), target),
              budget_of(row, target))
    except Refused as why:
        raise Failure(why) from None


def checks_of(rows, include, targets):
    return [(f'{row.name}, {target}: at most {GATE} times its budget',
             lambda row=row, target=target: check(row, target, include))
            for target in targets for row in rows(target) if budget_of(row, target)]


def few(include):
    by_name = {row.name: row for row in ROWS}
    return checks_of(lambda target: [by_name[name] for name in FEW[target]], include, FEW)


def every(include):
    targets = ['sm_90', 'sm_90a', *CC]
    return checks_of(lambda target: ROWS + EXAMPLES * (target in CC), include, targets)


# ---- The judge

def judged(passes, own, measure):
    """by a budget of 2, of seconds in the order in which they are asked for"""
    own, measure = iter(own), iter(measure)
    try:
        judge(lambda is_own: next(own if is_own else measure), 2)
        passed = True
    except Failure:
        passed = False
    if passed != passes:
        raise Failure('passed' if passed else 'failed')


JUDGED = {
    'within the gate': (True, [2.9], [1, 1]),
    'above it in each turn': (False, [3.1, 3.1, 3.1], [1, 1, 1, 1]),
    'a row that was disturbed': (True, [6, 6, 2.9], [1, 1, 1, 1]),
    'a measure that was disturbed': (False, [3.1, 3.1, 3.1], [2, 1, 2, 2]),
    'both by as much': (True, [5.8], [2, 2]),
}


def judges(_):
    return [(f'the judge: {name}', lambda case=case: judged(*case)) for name, case in JUDGED.items()]


GROUPS = {'judge': judges, 'few': few, 'all': every}


def main():
    options = arguments(__doc__, GROUPS, 'GROUP')
    report([check for name in options.which for check in GROUPS[name](options.include)], options)


if __name__ == '__main__':
    main()
