"""Damage inside a JPEG's compressed data: what libjpeg warns of and Pillow keeps to itself.

libjpeg goes on after damaged data and paints what it can; Pillow reports only that the file ended. simplejpeg hands
over the warning of libjpeg-turbo as an error. A changed bit that happens to be another valid code cannot be noticed by
anybody: baseline data carries no checksum.
"""

from __future__ import annotations

from oloproof.errors import ToolMissing
from oloproof.media.binary import Source
from oloproof.media.extras import INSTALL

_DAMAGE = ("Corrupt JPEG data", "Premature end", "Inconsistent progression", "Bogus", "Warning")


def damage_of(source: Source) -> str | None:
    """Return what libjpeg-turbo complains of when it decodes the whole picture, None when it does not.

    A kind of JPEG that it does not decode at all (arithmetic coding, lossless, 12 bits) gives None too.

    Raises:
        ToolMissing: simplejpeg is not installed.
    """
    try:
        import simplejpeg
    except ImportError as error:
        raise ToolMissing(f"simplejpeg is needed to decode JPEG images to their end; {INSTALL}") from error
    try:
        simplejpeg.decode_jpeg(b"".join(source.blocks(0)), strict=True)
    except ValueError as error:
        told = str(error)
        return told if told.startswith(_DAMAGE) else None
    return None
