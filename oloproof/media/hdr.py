"""Pictures whose numbers mean high dynamic range: told from their colour tags, so that none is taken for sRGB.

Decoders hand out the stored numbers of such a picture; shown as sRGB they look washed out or far too dark. Nothing
here maps tones: every published operator chooses what to clip, and the perceptual hash and the thumbnail would then
have to choose the same. The picture is refused instead, with a reason.

Code points: ITU-T H.273 table 3 (16 PQ, 18 HLG, 8 linear). Places: PNG third edition ``cICP``, ISO/IEC 14496-12
``colr`` of type ``nclx``, ICC.1:2022 ``cicp`` tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oloproof.media import isobmff, png
from oloproof.media.binary import Source, u16, unpack
from oloproof.media.profiles import read_profile

_TRANSFERS = {8: "linear light", 16: "PQ (SMPTE ST 2084)", 18: "HLG (ARIB STD-B67)"}
_NAMED = re.compile(r"2100.{0,4}(PQ|HLG)|(PQ|HLG).{0,4}2100", re.IGNORECASE)
_BOX_PATH = (b"meta", b"iprp", b"ipco")
_SKIPPED = {b"meta": 4}
"""Bytes of version and flags before the boxes inside."""


def unshowable_transfer(source: Source, format: str, profile: bytes | None) -> str | None:  # noqa: A002
    """Return the transfer function, in words, of a picture that must not be read as sRGB; None for any other.

    ``format`` is the sniffed one, ``profile`` the embedded ICC profile. An AVIF is refused when any of its colour
    boxes names such a transfer: which box is the shown picture's is not followed.
    """
    codes = [*_profile_codes(profile or b"")]
    if format in ("png", "apng"):
        codes += _png_codes(source)
    elif format in ("avif", "heic", "heif"):
        codes += _colour_box_codes(source, 0, source.size, _BOX_PATH)
    found = next((_TRANSFERS[code] for code in codes if code in _TRANSFERS), None)
    return found or _named_transfer(profile)


def _png_codes(source: Source) -> list[int]:
    for chunk in png.chunks(source):
        if chunk.type == b"IDAT":
            break
        if chunk.type == b"cICP":
            return list(source.at(chunk.offset + 1, 1))
    return []


def _colour_box_codes(source: Source, start: int, end: int, path: tuple[bytes, ...]) -> list[int]:
    codes = []
    for box in isobmff.boxes(source, start, end):
        if path and box.type == path[0]:
            codes += _colour_box_codes(source, box.start + _SKIPPED.get(box.type, 0), box.end, path[1:])
        elif not path and box.type == b"colr" and source.at(box.start, 4) == b"nclx":
            codes.append(u16(source.at(box.start, 8), 6) or 0)
    return codes


def _profile_codes(profile: bytes) -> Iterator[int]:
    """Yield the transfer of a ``cicp`` tag."""
    count = unpack(">I", profile, 128)
    for index in range(min(count[0], 100) if count else 0):
        entry = unpack(">4sII", profile, 132 + 12 * index)
        if entry is not None and entry[0] == b"cicp":
            yield from profile[entry[1] + 9 : entry[1] + 10]


def _named_transfer(profile: bytes | None) -> str | None:
    """Return the transfer that the profile's name tells, as in the W3C note on HDR in PNG (ITUR_2100_PQ_FULL)."""
    described = read_profile(profile) if profile else None
    match = _NAMED.search(described.name) if described else None
    if match is None:
        return None
    return _TRANSFERS[16 if "PQ" in match[0].upper() else 18]
