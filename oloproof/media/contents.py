"""Whether a medium holds anything for an eye: more than one colour, and places that let through what lies behind.

A generator that fails often writes a whole file of the right size all the same: a black picture, a clip of one
colour. No header tells that. What there is for an ear is told by :func:`oloproof.media.sound.loudness`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from oloproof.media import images
from oloproof.media.animations import animation_frames
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, Limits
from oloproof.media.frame_rules import Count
from oloproof.media.frames import Frames, extract_frames
from oloproof.media.preparing_needs import is_opaque, look_at

if TYPE_CHECKING:
    from PIL import Image

CONTENTS_VERSION = 1
"""Raised when the same bytes would be told otherwise; part of the name under which the answers are kept."""

BLANK_LEVELS = 16
"""Levels of 255 that the pixels of one colour may lie apart in each channel: what lossy coding adds to it, WebP at
quality 40 as much as 14."""

_LOOKED_AT = Count(4)


class Shades(Struct, frozen=True):
    """Whether each of the ``pictures`` looked at shows one colour only. ``color`` is that of the first, ``#rrggbb``."""

    blank: bool
    color: str
    pictures: int


def shades_of_image(file: BinaryIO, *, animated: bool, limits: Limits = DEFAULT) -> Shades:
    """Return the shades of an image as it is shown on white; of an animation those of at most four of its frames.

    Raises:
        MediaUnreadable: with code ``not_an_image``, ``too_large``, ``no_decoder`` or ``damaged``.
        ToolMissing: Pillow is not installed.
    """
    if animated:
        return _of_frames(animation_frames(file, _LOOKED_AT, limits=limits))
    return _shades([images.open_upright_srgb(file, limits=limits)])


def shades_of_video(path: Path, format: str, *, check: Callable[[], None]) -> Shades:  # noqa: A002
    """Return the shades of the frames shown at the middles of four equal parts of a video.

    ``format`` is the sniffed one; ``check`` raises when the path no longer leads to the recorded file.

    Raises:
        MediaUnreadable: with code ``no_pictures``, ``damaged``, ``too_large``, ``hdr`` or ``media_too_slow``.
        ToolMissing: ffmpeg or Pillow is not installed.
    """
    return _of_frames(extract_frames(path, format, _LOOKED_AT, check=check))


def is_transparent(file: BinaryIO, limits: Limits = DEFAULT) -> bool:
    """Return whether an image lets through what lies behind it anywhere; of an animation its first picture counts.

    Raises:
        MediaUnreadable: with code ``not_an_image``, ``too_large``, ``no_decoder`` or ``damaged``.
        ToolMissing: Pillow is not installed.
    """
    source = Source(file)
    draft = images.decodable_draft(source, limits)
    return look_at(source, draft).transparent and not is_opaque(file, draft)


def _of_frames(frames: Frames) -> Shades:
    return _shades(images.decoded(frame.data, "png") for frame in frames.frames)


def _shades(pictures: Iterable[Image.Image]) -> Shades:
    """Return the shades of RGB pictures, of which there is at least one."""
    import numpy as np

    blank, color, count = True, "", 0
    for picture in pictures:
        pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3)
        low, high = pixels.min(axis=0).astype(int), pixels.max(axis=0).astype(int)
        blank = blank and int((high - low).max()) <= BLANK_LEVELS
        color = color or "#" + "".join(f"{level:02x}" for level in (low + high) // 2)
        count += 1
    return Shades(blank, color, count)
