"""Draws docs/architecture.svg: image, region, frame, warp strip, ring, window and sums.

usage: architecture.py [FILE]     without FILE to the drawing beside it
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from drawing import arrow, parts, picture, rect, text, write  # noqa: E402

WIDTH, HEIGHT = 1040, 460
GREY, FRAME, STRIP, NEXT, OLD = '#eeeeee', '#f6d9b0', '#bcd7f2', '#d9ead3', '#8fb8e0'


def image():
    """at the left: the image, the region at its upper right corner, the frame along the image's edges, the strips"""
    text(20, 24, 'global memory', bold=True)
    rect(20, 40, 330, 370, GREY)
    text(28, 402, 'image')
    rect(120, 40, 230, 300, 'white', dash='6 3')
    text(210, 356, 'region: outputs of a call')
    rect(120, 40, 230, 26, FRAME)
    rect(324, 66, 26, 274, FRAME)
    text(235, 58, 'frame: may need an edge', 'middle')
    for column in range(4):
        rect(140 + 42 * column, 80, 42, 230, STRIP if column == 1 else 'white', '#888')
    text(210, 327, 'block: four warps')
    arrow(203, 96, 203, 270)
    text(228, 110, 'a warp’s')
    text(228, 127, 'strip: 32 ×')
    text(228, 144, 'lanes wide')
    rect(176, 176, 54, 16, 'none', '#c00')
    text(238, 176, 'a step of rows')


def ring():
    """in the middle: the stages of the ring, which the strip's rows reach by asynchronous copies"""
    text(400, 24, 'shared memory', bold=True)
    text(400, 56, 'ring of the warp: stages × step rows')
    for stage, (fill, words) in enumerate(((OLD, 'oldest: summed now'), (GREY, 'arrived or on its way'),
                                           (NEXT, 'next: being filled'))):
        for row in range(2):
            y = 72 + 58 * stage + 22 * row
            rect(400, y, 30, 18, FRAME, '#888')
            for chunk in range(6):
                rect(430 + 25 * chunk, y, 25, 18, fill, '#888')
            rect(580, y, 30, 18, FRAME, '#888')
        text(505, 72 + 58 * stage + 14, words, 'middle')
    text(398, 262, 'halo')
    text(612, 262, 'halo', 'end')
    text(505, 262, 'chunks of 16 bytes', 'middle')
    arrow(232, 186, 396, 203)
    text(372, 292, 'a copy a chunk, without waiting;')
    text(372, 309, 'edges are treated on the way,')
    text(372, 326, 'so that the sums know none')


def registers():
    """at the right: the window of a lane and its sums"""
    text(660, 24, 'registers of a lane', bold=True)
    text(660, 56, 'window: the part of a row that its outputs need')
    for element in range(10):
        own = 3 <= element < 7
        rect(660 + 30 * element, 72, 30, 22, OLD if own else FRAME, '#888')
    text(705, 88, 'left', 'middle')
    text(810, 88, 'own: lanes', 'middle')
    text(915, 88, 'right', 'middle')
    arrow(612, 82, 656, 82)
    arrow(810, 98, 810, 142)
    text(820, 125, 'FMA with the taps')
    text(660, 160, 'sums: ROWS − 1 + step rows of lanes elements')
    for row in range(5):
        for element in range(4):
            rect(750 + 30 * element, 172 + 24 * row, 30, 20, NEXT if row == 0 else 'white', '#888')
    text(744, 187, 'complete', 'end')
    text(744, 283, 'begun last', 'end')
    text(880, 240, 'each row of the image')
    text(880, 257, 'adds to all outputs')
    text(880, 274, 'that it reaches')
    parts.append('<path d="M 810 294 L 810 440 L 203 440 L 203 313" fill="none" stroke="#333" stroke-width="1.5" '
                 'marker-end="url(#head)"/>')
    text(660, 432, 'complete rows: converted, stored', 'end')


def drawing():
    return picture(WIDTH, HEIGHT, image, ring, registers)


if __name__ == '__main__':
    write(__file__, drawing)
