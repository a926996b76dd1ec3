"""What ffprobe prints with ``-of compact``: a line a section, ``packet|pts=512|dts=0|flags=K_``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from oloproof.media.isobmff import matrix_orientation

_SIDE_DATA = "side_datum/"


def read_line(line: str) -> tuple[str, dict[str, str]]:
    """Return the section that a line is about (``stream``, ``packet``, ``format`` ...) and its values by name.

    Names of side data have a prefix since ffmpeg 7 (``side_datum/display_matrix:rotation``), which is left out. Side
    data are asked for as a whole (``stream_side_data_list``): ffprobe 4 knows no other name for them.
    """
    section, _, rest = line.partition("|")
    values = {}
    for part in rest.split("|"):
        name, equals, value = part.partition("=")
        if equals:
            values[name.rpartition(":")[2] if name.startswith(_SIDE_DATA) else name] = value
    return section, values


def orientation(stream: Mapping[str, str]) -> int:
    """Return the EXIF number (1 to 8) for a stream's display matrix, else for its ``rotate`` tag of older files."""
    rows = stream.get("displaymatrix", "").replace("\\n", "\n").split("\n")
    numbers = [int(word) for row in rows for word in row.partition(":")[2].split() if _is_whole(word)]
    if len(numbers) == 9:
        return matrix_orientation(tuple(numbers))
    turned = _degrees(stream.get("rotation"))  # counted the other way
    clockwise = -turned if turned is not None else _degrees(stream.get("tag:rotate")) or 0.0
    return {90: 6, 180: 3, 270: 8}.get(round(clockwise) % 360, 1)


def _is_whole(word: str) -> bool:
    return len(word) < 20 and word.lstrip("-").isdecimal()


def _degrees(text: str | None) -> float | None:
    """Return an angle, None for words that are none: a tag may hold anything."""
    try:
        found = float(text) if text else None
    except ValueError:
        return None
    return found if found is not None and math.isfinite(found) else None
