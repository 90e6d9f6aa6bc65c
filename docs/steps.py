"""Draws docs/steps.svg: the strip of a warp that does three steps in one pass, and the rows that its levels hold.

usage: steps.py [FILE]     without FILE to the drawing beside it
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from drawing import arrow, picture, rect, text, write  # noqa: E402

WIDTH, HEIGHT = 1040, 430
LEVELS, REACH, ROWS, ARRIVES = 3, 1, 11, 7
COLUMN, ROW, TOP, LEFT, WIDE, APART = 9, 25, 96, 118, 20, 234  # of the drawing: pixels, but for WIDE columns
GREY, HALO, WINDOW, POINT, RESULT = '#eeeeee', '#f6d9b0', '#bcd7f2', '#8fb8e0', '#d9ead3'


def row_at(row):
    return TOP + ROW * row


def bar(panel, row, fill, lost):
    """a row of a strip, whose columns next to its ends are lost"""
    x, y = LEFT + APART * panel, row_at(row)
    rect(x, y, WIDE * COLUMN, ROW - 4, fill, '#888')
    for side in (0, (WIDE - lost) * COLUMN):
        if lost > 0:
            rect(x + side, y, lost * COLUMN, ROW - 4, HALO, '#888')


def head(panel, title, words):
    middle = LEFT + APART * panel + WIDE * COLUMN // 2
    text(middle, 26, title, 'middle', True)
    text(middle, 45, words, 'middle')


def rows():
    """at the left: the rows of the grid, and which of them arrive"""
    text(20, 26, 'rows', bold=True)
    for row in range(ROWS):
        by = row - ARRIVES
        text(20, row_at(row) + 16, f'row r {"+" if by > 0 else "−"} {abs(by)}' if by else 'row r arrives')


def levels():
    """a panel each: the rows that are under way, the window, the row that is updated"""
    for level in range(LEVELS):
        newest, lost = ARRIVES - level * REACH, level * REACH
        steps = f'n + {level}' if level else 'n'
        head(level, f'level {level}', f'holds step {steps}, makes n + {level + 1}')
        for row in range(newest - 2 * REACH, newest + 1):
            bar(level, row, POINT if row == newest - REACH else WINDOW, lost)
        middle = LEFT + APART * level + WIDE * COLUMN // 2
        text(middle, row_at(newest - REACH) + 16, 'updated', 'middle')
        x = LEFT + APART * level + WIDE * COLUMN
        arrow(x + 3, row_at(newest - REACH) + 10, x + APART - WIDE * COLUMN - 4, row_at(newest - REACH) + 10)
    for row in range(ARRIVES + 1, ROWS):
        bar(0, row, GREY, 0)
    text(LEFT + WIDE * COLUMN // 2, row_at(ARRIVES + 2) + 16, 'on the way', 'middle')


def results():
    """at the right: rows of results; the columns of the halo are those of the strips beside"""
    stored = ARRIVES - LEVELS * REACH
    head(LEVELS, 'results', f'step n + {LEVELS}, in memory')
    for row in range(stored + 1):
        bar(LEVELS, row, RESULT, LEVELS * REACH)
    text(LEFT + APART * LEVELS + WIDE * COLUMN // 2, row_at(stored) + 16, 'stored now', 'middle')
    text(LEFT + APART * LEVELS, row_at(stored + 1) + 16, 'columns of the strips beside')


def legend():
    for place, (fill, words) in enumerate(((WINDOW, 'window: the rows that a level holds in registers'),
                                           (HALO, 'halo: lost; the strip beside has these columns'),
                                           (GREY, 'rows that are copied to shared memory'))):
        x = 20 + 348 * place
        rect(x, HEIGHT - 34, 24, 16, fill, '#888')
        text(x + 32, HEIGHT - 21, words)
    text(LEFT, 76, 'columns of a warp: 32 vectors of 16 bytes →')


def drawing():
    return picture(WIDTH, HEIGHT, rows, levels, results, legend)


if __name__ == '__main__':
    write(__file__, drawing)
