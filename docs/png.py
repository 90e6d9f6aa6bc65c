"""Makes PNGs of the pictures that the examples write.

usage: png.py PICTURE...    each a binary PGM or PPM of 8 bits, whose PNG lies beside it afterwards, and which is gone
"""

import re
import struct
import sys
import zlib
from pathlib import Path


def read(data):
    """width, height, values of a pixel and all values, spread to 255, of a binary PGM or PPM"""
    space = rb'(?:\s|#[^\n]*\n)+'
    head = re.match(rb'(P[56])' + space + rb'(\d+)' + space + rb'(\d+)' + space + rb'(\d+)\s', data)
    if head is None or not 0 < int(head[4]) < 256:
        raise ValueError('neither a PGM nor a PPM of 8 bits')
    width, height, most, channels = int(head[2]), int(head[3]), int(head[4]), {b'P5': 1, b'P6': 3}[head[1]]
    values = data[head.end():head.end() + width * height * channels]
    if len(values) != width * height * channels:
        raise ValueError('the picture ends too early')
    return width, height, channels, values if most == 255 else bytes(value * 255 // most for value in values)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(width, height, channels, values):
    pitch = width * channels
    rows = b''.join(b'\0' + values[row * pitch:(row + 1) * pitch] for row in range(height))
    head = struct.pack('>IIBBBBB', width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b'')


def main(names):
    for path in map(Path, names):
        try:
            path.with_suffix('.png').write_bytes(png(*read(path.read_bytes())))
        except ValueError as why:
            sys.exit(f'png.py: {path}: {why}')
        path.unlink()


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit('usage: png.py PICTURE...')
    main(sys.argv[1:])
