"""The conditions of ``media_check`` that no header tells: whether there is anything to see, to see through, to hear."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import to_builtins

from oloproof import media
from oloproof.errors import MediaUnreadable
from oloproof.evaluators.media_conditions import Measured, Problem, is_medium, named
from oloproof.evaluators.media_options import OF_CONTENTS, OF_KINDS, MediaCheckOptions
from oloproof.media.drafting import DEFAULT

Told = tuple[bool | None, str]
"""Whether a condition holds, None where that cannot be told, and that in words."""


def contents_problems(measured: Measured, options: MediaCheckOptions) -> Iterator[Problem]:
    """Yield every condition on its contents that an item does not meet.

    Raises:
        MediaUnreadable: with code ``media_too_slow``.
        ToolMissing: ffmpeg or Pillow is needed and not installed.
    """
    if not is_medium(measured.item) or options.kind not in ("any", measured.item.kind):
        return  # told by the other conditions
    for name in OF_CONTENTS:
        wanted = getattr(options, name)
        if wanted is None:
            continue
        found, words = _told(measured, name)
        if found is not wanted:
            yield Problem(measured.label, name, found, wanted, words)


def _told(measured: Measured, name: str) -> Told:
    kind = measured.item.kind
    if kind not in OF_KINDS[name]:
        return None, f"is {named(kind)} and has {_LACKS[name]}"
    try:
        found, words = _TELL[name](measured)
    except MediaUnreadable as error:
        if error.code == "media_too_slow":
            raise
        return None, f"whether it is {name} could not be told: {error}"
    measured.contents[name] = found
    return found, words


def _blank(measured: Measured) -> Told:
    item, reader = measured.item, measured.reader
    kept = f"blank@{media.CONTENTS_VERSION}"
    if item.kind == "video":
        shades = reader.measure_by_path(
            item, kept, lambda path, check: to_builtins(media.shades_of_video(path, item.format, check=check))
        )
    else:
        animated = bool(measured.get("animated", "decoded"))
        shades = reader.measure(item, kept, lambda file: to_builtins(media.shades_of_image(file, animated=animated)))
    if not shades["blank"]:
        return False, "shows more than one colour"
    where = "" if shades["pictures"] == 1 else f" in each of the {shades['pictures']} frames looked at"
    return True, f"shows one colour only ({shades['color']}){where}"


def _transparent(measured: Measured) -> Told:
    def look(file: BinaryIO) -> Mapping[str, Any]:
        return {"transparent": media.is_transparent(file)}

    if measured.reader.measure(measured.item, f"transparent@{media.CONTENTS_VERSION}", look)["transparent"]:
        return True, "is transparent in places"
    return False, "is opaque everywhere"


def _silent(measured: Measured) -> Told:
    item = measured.item

    def listen(path: Path, check: Callable[[], None]) -> Mapping[str, Any]:
        found = media.loudness(path, item.format, check=check, timeout=DEFAULT.decode_seconds)
        return {"has_audio": found.has_audio, "silent": not found.speech_possible, "reason": found.reason}

    kept = measured.reader.measure_by_path(item, f"silent@{media.SOUND_VERSION}", listen)
    if not kept["has_audio"]:
        return None, "has no sound track"
    return kept["silent"], f"{'is silent' if kept['silent'] else 'is not silent'}: {kept['reason']}"


_LACKS = {"blank": "no picture", "transparent": "no transparency", "silent": "no sound"}
_TELL: Mapping[str, Callable[[Measured], Told]] = {"blank": _blank, "transparent": _transparent, "silent": _silent}
