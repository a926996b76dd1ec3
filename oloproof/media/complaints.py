"""Which error lines of ffmpeg tell damage: some are about what is no picture and no sound, and lose neither."""

from __future__ import annotations

from oloproof.media.binary import Source
from oloproof.media.drafting import Draft
from oloproof.media.probing import Probe

_EARLY = "File ended prematurely"
_NO_FRAME = ("invalid sync code", "invalid frame header", "decode_frame() failed")
"""What the FLAC decoder says of bytes behind the last frame; of a damaged one it says more, or samples are missing."""
_NO_HEADER = "Header missing"
_HEAD_AS_SOUND = "Error parsing the packet header"


def damage_told(source: Source, draft: Draft, found: Probe) -> list[str]:
    """Return the error lines that tell damage; bytes behind the sound become a finding of their own."""
    errors = _without(found.errors, (_EARLY,))
    if draft.found.format == "flac" and errors and not _without(errors, _NO_FRAME) and _all_heard(draft, found):
        draft.find("trailing_data", "something that is no sound follows the last frame")
        errors = []
    if draft.found.format in ("mp3", "mp2", "mp1") and not draft.has("damaged"):
        errors = _without(errors, (_NO_HEADER,))  # a tag, or what follows the sound: every frame was looked for
    if draft.found.format == "ogg":
        errors = _without_heads(source, errors)
    return errors


def ends_inside(found: Probe) -> bool:
    """Return whether ffmpeg came to the end of the file inside of what it was reading."""
    return any(_EARLY in line for line in found.errors)


def _without(errors: list[str], words: tuple[str, ...]) -> list[str]:
    return [line for line in errors if not any(word in line for word in words)]


def _all_heard(draft: Draft, found: Probe) -> bool:
    """Return whether as many samples were decoded as the header counts."""
    sounds = found.of("audio")
    return bool(sounds) and draft.promised is not None and sounds[0].heard == round(draft.promised * sounds[0].rate)


def _without_heads(source: Source, errors: list[str]) -> list[str]:
    """Leave out the complaints of two headers a joint: Opus streams that were joined and share their number."""
    told = [line for line in errors if _HEAD_AS_SOUND in line]
    joints = sum(block.count(b"OpusHead") for block in source.blocks(0)) - 1 if told else 0
    return _without(errors, (_HEAD_AS_SOUND,)) if told and len(told) <= 2 * joints else errors
