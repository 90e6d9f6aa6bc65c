"""What the scripts of docs/ draw with: rectangles, words and arrows, which become an SVG."""

import sys
from pathlib import Path

parts = []


def rect(x, y, width, height, fill='none', line='#333', dash=''):
    dashes = f' stroke-dasharray="{dash}"' if dash else ''
    parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{line}"{dashes}/>')


def text(x, y, words, anchor='start', bold=False):
    weight = ' font-weight="bold"' if bold else ''
    parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight}>{words}</text>')


def arrow(x, y, to_x, to_y):
    parts.append(f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#333" stroke-width="1.5" '
                 'marker-end="url(#head)"/>')


def picture(width, height, *draws):
    """the SVG of what these functions draw"""
    parts.clear()
    for draw in draws:
        draw()
    head = ('<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
            '<path d="M0,0 L9,4 L0,8 z" fill="#333"/></marker></defs>')
    return '\n'.join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      'font-family="sans-serif" font-size="13">', head,
                      f'<rect width="{width}" height="{height}" fill="white"/>', *parts, '</svg>', ''])


def write(script, drawing):
    """to the file that is named, or to the picture beside the script"""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(script).with_suffix('.svg')
    target.write_text(drawing(), encoding='utf-8')
