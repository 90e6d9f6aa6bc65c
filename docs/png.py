"""Makes PNGs of the pictures that the examples write.

usage: png.py PICTURE...    each a binary PGM or PPM of 8 bits, whose PNG lies beside it afterwards, and which is gone
"""

import struct
import sys
import zlib
from pathlib import Path


def read(data):
    """width, height, values of a pixel and all values, spread to 255, of a binary PGM or PPM"""
    words, at = [], 0
    while len(words) < 4:
        end = at
        while not data[end:end + 1].isspace():
            end += 1
        words.append(data[at:end])
        at = end + 1
    width, height, most = map(int, words[1:])
    channels = {b'P5': 1, b'P6': 3}[words[0]]
    values = data[at:at + width * height * channels]
    if not 0 < most < 256 or len(values) != width * height * channels:
        raise ValueError('neither a PGM nor a PPM of 8 bits')
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
        target = path.with_suffix('.png')
        target.write_bytes(png(*read(path.read_bytes())))
        path.unlink()


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit('usage: png.py PICTURE...')
    main(sys.argv[1:])
