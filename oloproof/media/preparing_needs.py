"""What stands between a picture as stored and a picture that any model sees as people do."""

from __future__ import annotations

from typing import BinaryIO

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media import decoding, images, png
from oloproof.media.binary import Source
from oloproof.media.drafting import Draft, Limits
from oloproof.media.formats import describe
from oloproof.media.hdr import unshowable_transfer
from oloproof.media.preparing_colors import profile_effect

_METADATA = frozenset(("exif", "xmp", "XML:com.adobe.xmp", "Raw profile type exif", "comment", "photoshop"))
_LOSSLESS = frozenset(("png", "apng", "gif", "bmp", "tiff", "bigtiff", "ico", "cur", "pbm", "pgm", "ppm", "psd", "qoi"))
_CHECKED_APART = frozenset(("png", "apng", "jpeg"))
"""Formats whose damage Pillow overlooks in part."""
_NAME_LENGTH = 60


class Look(Struct, frozen=True):
    """What opening a picture tells beyond its header facts.

    ``mode`` is Pillow's, ``profile`` the embedded ICC profile, ``transparent`` whether it may be so in places,
    ``metadata`` whether texts or camera data travel with it, ``lossless`` whether its pixels were stored exactly.
    """

    mode: str
    profile: bytes | None
    transparent: bool
    metadata: bool
    lossless: bool


def look_at(source: Source, draft: Draft) -> Look:
    """Open a picture without decoding it; raises ``MediaUnreadable`` with code ``damaged``."""
    name = draft.found.format
    with images.quiet():
        try:
            opened = images.open_plugin(source.file, name)
        except images.pillow_errors() as error:
            raise damaged(name, str(error)) from error
    info = opened.info
    return Look(
        mode=opened.mode,
        profile=info.get("icc_profile"),
        transparent=draft.has("transparency") or "transparency" in info or opened.mode in ("RGBA", "LA", "PA"),
        metadata=any(info.get(key) for key in _METADATA) or (name == "png" and png.has_text(source)),
        lossless=name in _LOSSLESS or (name == "webp" and source.at(12, 4) == b"VP8L"),
    )


def refuse_unshowable(source: Source, draft: Draft, look: Look) -> None:
    """Raise ``MediaUnreadable`` for what is no still picture of ordinary range: code ``animated`` or ``hdr``."""
    name = describe(draft.found.format)
    if draft.animated:
        raise MediaUnreadable(
            f"{name} of {draft.frames or 'several'} frames is an animation; it is shown as frames, like a video",
            code="animated",
        )
    transfer = unshowable_transfer(source, draft.found.format, look.profile)
    if transfer is not None:
        raise MediaUnreadable(
            f"{name} in {transfer} is no ordinary-range picture, and nothing here maps its tones; "
            "convert it to an sRGB picture",
            code="hdr",
        )


def require_whole(source: Source, draft: Draft, limits: Limits, *, untouched: bool) -> None:
    """Raise ``MediaUnreadable`` with code ``damaged`` or ``too_large`` unless the picture decodes to its end.

    What will be decoded by Pillow anyway is only checked here for what Pillow overlooks; a picture that goes out
    ``untouched`` is decoded now.
    """
    name = draft.found.format
    if untouched or name in _CHECKED_APART:
        decoding.decode_image(source, draft, limits)
        if draft.decodable != "complete":
            raise _not_whole(draft)
    elif draft.has("truncated") and name not in ("tiff", "bigtiff"):
        raise _not_whole(draft)


def _not_whole(draft: Draft) -> MediaUnreadable:
    if draft.decodable in ("too_large", "no_decoder"):
        return MediaUnreadable(draft.findings[draft.decodable].message, code=draft.decodable)
    told = [draft.findings[code].message for code in ("damaged", "truncated") if draft.has(code)]
    return damaged(draft.found.format, told[0] if told else "it does not decode to its end")


def damaged(name: str, why: str) -> MediaUnreadable:
    """Return the error for a picture of which a part at most could be seen."""
    return MediaUnreadable(
        f"{describe(name)} that cannot be decoded to its end is not sent: {why}"[:500], code="damaged"
    )


def color_steps(draft: Draft, look: Look) -> tuple[str, ...]:
    """Return what must be done to the pixels, in order, transparency left out; nothing for a plain sRGB picture."""
    effect = profile_effect(look.profile, look.mode)
    turned = draft.exif_orientation if draft.exif_orientation != 1 else None
    asked = (
        (turned is not None, f"upright (orientation {turned})"),
        (effect == "converts" or wide_by_number(draft, look), f"to sRGB ({_shown_name(draft)})"),
        (effect == "unusable", "unusable profile dropped"),
        (draft.has("sixteen_bit"), "to 8 bits"),
        (look.mode == "CMYK", "from CMYK"),
        (draft.extras.get("pages", 1) > 1, f"first of {draft.extras.get('pages')} pictures"),
    )
    return tuple(words for needed, words in asked if needed)


def wide_by_number(draft: Draft, look: Look) -> bool:
    """Return whether colours beyond sRGB are told by number (``nclx``, ``cICP``) and by no profile."""
    return not look.profile and draft.has("wide_gamut_profile")


def _shown_name(draft: Draft) -> str:
    """Return the profile's name, which the file chose, as one short printable line."""
    name = "".join(char if char.isprintable() else " " for char in draft.profile or "unnamed profile")
    return " ".join(name.split())[:_NAME_LENGTH] or "unnamed profile"


def is_opaque(file: BinaryIO, draft: Draft) -> bool:
    """Return whether a picture with an alpha channel or a transparent colour shows none of it; decodes it."""
    with images.quiet():
        try:
            opened = images.open_plugin(file, draft.found.format)
            opened.load()
            alpha = opened.convert("RGBA").getchannel("A")
        except images.pillow_errors() as error:
            raise damaged(draft.found.format, str(error)) from error
    return alpha.getextrema()[0] == 255
