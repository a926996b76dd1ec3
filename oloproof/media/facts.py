"""``facts_of``: the truth about one file, at one of three depths.

``header`` starts no process and decodes nothing; ``probed`` adds frame tables and true times; ``decoded`` goes
through the file to its end. What each depth tells stands in ``docs/media-facts.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from oloproof.media import animation_tables, decoding, streams
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, FINDINGS, ORIENTATIONS, Draft, Limits
from oloproof.media.formats import FORMATS, describe
from oloproof.media.headers import read_header
from oloproof.media.sniffing import Sniffed, identify
from oloproof.records import Depth, Facts

__all__ = ["DEFAULT", "FINDINGS", "ORIENTATIONS", "Limits", "describe", "facts_of", "needs_ffmpeg"]

_OWN_LENGTH = frozenset(("wav", "rf64", "w64", "aiff", "aifc", "au", "caf"))


def needs_ffmpeg(found: Sniffed, depth: Depth) -> bool:
    """Return whether facts at ``depth`` may start ffprobe. Images never do, plain PCM sound does not either."""
    if depth == "header" or found.kind not in ("audio", "video"):
        return False
    return found.format not in _OWN_LENGTH and FORMATS[found.format].demuxer is not None


def facts_of(
    file: BinaryIO,
    *,
    path: Path | str,
    depth: Depth,
    limits: Limits = DEFAULT,
    check: Callable[[], None] | None = None,
) -> Facts:
    """Return the facts of an open, seekable file at ``depth``.

    ``path`` is where the same file lies, used only when ffprobe must be started on it; ``check`` is called right
    before and after that and may raise when the path no longer leads to the file. Damage is told in the facts and
    does not raise. Raises ``ToolMissing`` when ffprobe (or, to decode an image, Pillow) is needed and not installed;
    ``MediaUnreadable`` with code ``media_too_slow`` when ffprobe exceeds the limit; ``OSError`` when the file itself
    cannot be read.
    """
    source = Source(file)
    draft = Draft(identify(source))
    read_header(source, draft, limits)
    kind = draft.found.kind
    if depth != "header" and kind == "image":
        animation_tables.read_animation(source, draft)
        if depth == "decoded":
            decoding.decode_image(source, draft, limits)
    elif depth != "header" and kind is not None and draft.decodable is None:
        _measure_sound_or_video(source, draft, path, depth, limits, check)
    elif depth == "decoded" and kind is None:
        draft.decodable = "none"
    return draft.finish(depth)


def _measure_sound_or_video(
    source: Source, draft: Draft, path: Path | str, depth: Depth, limits: Limits, check: Callable[[], None] | None
) -> None:
    if draft.found.format in _OWN_LENGTH and (draft.plain or draft.has("damaged")):
        if depth == "decoded":
            decoding.settle_plain_sound(draft)
        return
    if draft.found.format in _OWN_LENGTH and depth == "probed" and draft.duration is not None:
        return
    if check is not None:
        check()
    try:
        streams.measure(source, draft, Path(path), depth, limits)
    finally:
        if check is not None:
            check()
