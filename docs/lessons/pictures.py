"""The pictures of the lessons, from what their programs write and print; tests/docs/lessons.py runs these, with --write
it saves the pictures too."""

import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import png  # noqa: E402
from drawing import parts, picture, rect, text  # noqa: E402


def beside(pictures, gap=8):
    """grey pictures of one height, side by side on white"""
    height = pictures[0][1]
    rows = []
    for row in range(height):
        cells = [values[row * width:(row + 1) * width] for width, _, _, values in pictures]
        rows.append((b'\xff' * gap).join(cells))
    return len(rows[0]), height, 1, b''.join(rows)


def larger(image, times):
    width, height, channels, values = image
    rows = [bytes(value for value in values[row * width:(row + 1) * width] for _ in range(times))
            for row in range(height) for _ in range(times)]
    return width * times, height * times, channels, b''.join(rows)


def split(image, ranks):
    """a slice with a white line where the planes of one rank end"""
    width, height, channels, values = image
    rows = [values[row * width:(row + 1) * width] for row in range(height)]
    for rank in range(1, ranks):
        rows.insert(rank * height // ranks + rank - 1, b'\xff' * width)
    return width, height + ranks - 1, channels, b''.join(rows)


def line(x, y, to_x, to_y, colour='#333', width=1.5):
    parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" '
                 f'stroke-width="{width}"/>')


def dot(x, y, colour):
    parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')


def slopes(said):
    """what `table` prints: the computed slopes on the line by hand"""
    points = [(int(x), float(slope)) for x, slope in re.findall(r'x = +(\d+): slope ([\d.]+)', said)]

    def draw():
        line(50, 200, 550, 200)
        line(50, 20, 50, 200)
        line(50, 200, 550, 20, '#8ab')
        text(555, 204, 'x')
        text(60, 30, 'slope of 0.001 x²: the line is exact, the points are computed')
        for x, slope in points:
            dot(50 + x / 2, 200 - 90 * slope, '#c33')
            text(50 + x / 2, 218, x, 'middle')
    return picture(600, 230, draw)


def sectors(said):
    """what `counting` prints: bytes that are moved, and of them used"""
    counts = [tuple(map(int, found)) for found in re.findall(r'stride +(\d+): +(\d+) sectors for (\d+) bytes', said)]

    def draw():
        for at, (stride, number, used) in enumerate(counts):
            y = 34 + 26 * at
            text(70, y + 14, f'stride {stride}', 'end')
            rect(80, y, number * 32 * 0.4, 18, '#f3c9c4')
            rect(80, y, used * 0.4, 18, '#7bb489')
            text(90 + number * 32 * 0.4, y + 14, f'{100 * used / (number * 32):.0f} % of {number * 32} bytes are used')
        text(80, 20, 'a load of 32 floats: bytes that are moved, and used', bold=True)
    return picture(720, 40 + 26 * len(counts), draw)


def roofline(said, gigabytes=4238.8, teraflops=65.77):
    """what `roofline` prints, under the roof of the card, both axes by powers of two"""
    points = re.findall(r'^(\w+) +([\d.]+) operations a byte: at most +([\d.]+)', said, re.MULTILINE)

    def place(intensity, rate):
        return 70 + 50 * (math.log2(intensity) + 3), 330 - 36 * (math.log2(rate) + 2)

    def draw():
        bend = 1000 * teraflops / gigabytes
        for power in range(-3, 8):
            x, y = place(2.0 ** power, 0.25)
            line(x, 330, x, 50, '#e4e4e4', 1)
            text(x, 348, f'{2.0 ** power:g}', 'middle')
        for power in range(-2, 6, 2):
            x, y = place(0.125, 2.0 ** power)
            line(70, y, 600, y, '#e4e4e4', 1)
            text(62, y + 4, f'{2.0 ** power:g}', 'end')
        line(*place(0.125, 0.125 * gigabytes / 1000), *place(bend, teraflops), '#333', 2)
        line(*place(bend, teraflops), *place(160, teraflops), '#333', 2)
        text(520, place(1, teraflops)[1] - 8, f'{teraflops} TFLOP/s', 'middle')
        text(330, 372, 'operations a byte that is asked for', 'middle')
        text(20, 36, f'TFLOP/s of an H200; the slope is its copy, {gigabytes} GB/s')
        for name, intensity, rate in points:
            x, y = place(float(intensity), float(rate))
            dot(x, y, '#c33')
            text(*((x - 9, y - 3, name, 'end') if name == 'line' else (x + 9, y + 14, name)))
    return picture(640, 385, draw)
