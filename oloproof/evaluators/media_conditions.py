"""Measuring one recorded file against the conditions of ``media_check``, reading no more of it than they need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from oloproof.evaluators.media_options import LIMITS, OF_KINDS, OF_STREAMS, MediaCheckOptions, ratio_of
from oloproof.media.formats import FORMATS, describe
from oloproof.media.measurements import depth_rank
from oloproof.media.reading import MediaReader
from oloproof.media.sniffing import extension_matches
from oloproof.records import Depth, Facts, MediaItem

_COVERED = {"apng": "png"}
_DEPTHS: tuple[Depth, ...] = ("header", "probed", "decoded")


class Problem(Struct, frozen=True):
    """One condition that one item does not meet, with what was measured and what was wanted."""

    item: str
    condition: str
    measured: Any
    wanted: Any
    text: str

    def __str__(self) -> str:
        return f"{self.item}: {self.text}" if self.item else self.text

    def as_json(self) -> dict[str, Any]:
        """Return it as it stands in ``details.problems``."""
        return {"item": self.item, "condition": self.condition, "measured": self.measured, "wanted": self.wanted}


class Measured:
    """One verified item. What its record tells is taken from there; the file is looked into as deep as asked."""

    def __init__(self, item: MediaItem, label: str, reader: MediaReader) -> None:
        self.item = item
        self.label = label
        self.reader = reader
        self.contents: dict[str, bool | None] = {}
        """What it shows or sounds like, as far as that was asked."""
        self._facts: Facts | None = None

    def facts(self, depth: Depth) -> Facts:
        """Return the facts to at least ``depth``."""
        if self._facts is None or depth_rank(self._facts.depth) < depth_rank(depth):
            self._facts = self.reader.facts(self.item, depth)
        return self._facts

    def get(self, name: str, deepest: Depth = "probed") -> Any:
        """Return one fact, or None when not even ``deepest`` tells it."""
        known = getattr(self._facts, name, None)
        if known is None:
            known = getattr(self.item, name, None)
        for depth in _DEPTHS[: depth_rank(deepest) + 1]:
            if known is not None:
                break
            known = getattr(self.facts(depth), name)
        return known

    def of_streams(self, name: str) -> Any:
        """Return what the headers or streams tell of a codec, or None."""
        found = (self.facts(depth).extras.get(name) for depth in _DEPTHS[:2])
        return next((value for value in found if value is not None), None)

    def as_json(self) -> dict[str, Any]:
        """Return what was measured, for ``details.measured``."""
        facts, item = self._facts, self.item
        known: dict[str, Any] = {"name": self.label, "kind": item.kind, "format": item.format}
        for name in ("width", "height", "duration"):
            known[name] = getattr(item, name) if facts is None or getattr(facts, name) is None else getattr(facts, name)
        known["size"] = item.size
        known["sha256"] = item.sha256
        for name in ("frames", "animated", "has_audio", "decodable"):
            known[name] = getattr(facts, name, None)
        for name in OF_STREAMS:
            known[name] = None if facts is None else facts.extras.get(name)
        known |= self.contents
        return {name: value for name, value in known.items() if value is not None}


def is_medium(item: MediaItem) -> bool:
    """Return whether the bytes of an item are an image, audio or video at all."""
    return item.format in FORMATS and FORMATS[item.format].kind is not None


def problems_of(measured: Measured, options: MediaCheckOptions) -> Iterator[Problem]:
    """Yield every condition that an item does not meet."""
    item, label = measured.item, measured.label
    if not is_medium(item):
        wanted = "an image, audio or video" if options.looks_at == "any" else named(options.looks_at)
        yield Problem(label, "kind", item.format, options.looks_at, f"this is {describe(item.format)}, not {wanted}")
        return
    if options.intact:
        measured.facts("decoded")
    wrong_kind = options.kind not in ("any", item.kind)
    if wrong_kind:
        yield Problem(label, "kind", item.kind, options.kind, f"is {named(item.kind)}, not {named(options.kind)}")
    yield from _format_problems(measured, options)
    yield from _limit_problems(measured, options, ("bytes",) if wrong_kind else tuple(LIMITS))
    if not wrong_kind:
        yield from _ratio_problems(measured, options)
        yield from _track_problems(measured, options)
    if options.intact:
        yield from _intact_problems(measured)


def named(kind: str) -> str:
    """Return a kind of medium with its article."""
    return {"image": "an image", "video": "a video"}.get(kind, kind)


def _format_problems(measured: Measured, options: MediaCheckOptions) -> Iterator[Problem]:
    item, label = measured.item, measured.label
    if options.formats is None:
        return
    if item.format not in options.formats and _COVERED.get(item.format) not in options.formats:
        yield Problem(
            label,
            "formats",
            item.format,
            options.formats,
            f"format {item.format} is none of {', '.join(options.formats)}",
        )
    name = PurePosixPath(item.path).name
    if not options.allow_misnamed and not extension_matches(name, item.format):
        yield Problem(
            label, "name", item.format, name, f"the name {name} contradicts its bytes, which are {item.format}"
        )


def _limit_problems(measured: Measured, options: MediaCheckOptions, names: tuple[str, ...]) -> Iterator[Problem]:
    for name in names:
        low, high = getattr(options, f"min_{name}"), getattr(options, f"max_{name}")
        if low is None and high is None:
            continue
        condition, wanted = (f"min_{name}", low) if low is not None else (f"max_{name}", high)
        absent = _has_no(measured, name)
        value = None if absent else _value(measured, name)
        unit = LIMITS[name]
        if absent or value is None:
            unknown = f"its {_word(name)} could not be measured"
            yield Problem(measured.label, condition, None, wanted, absent or unknown)
        elif low is not None and value < low:
            yield Problem(measured.label, f"min_{name}", value, low, _beyond(name, value, "below", low, unit))
        elif high is not None and value > high:
            yield Problem(measured.label, f"max_{name}", value, high, _beyond(name, value, "above", high, unit))


def _word(name: str) -> str:
    """Return a measure as it is said; that of channels is their number."""
    return {"bytes": "size", "channels": "number of channels"}.get(name, name.replace("_", " "))


def _beyond(name: str, value: float, side: str, limit: float, unit: str) -> str:
    whole = name not in ("duration", "frame_rate")
    shown = str(value) if whole else f"{value:.3f}".rstrip("0").rstrip(".")
    if shown == f"{limit:g}":  # so close that rounding would hide the difference
        shown = repr(value)
    behind = f" {unit}" if unit else ""
    return f"{_word(name)} {shown}{behind} is {side} {limit if whole else f'{limit:g}'}{behind}"


def _value(measured: Measured, name: str) -> Any:
    if name == "bytes":
        return measured.item.size
    if name in OF_STREAMS:
        return measured.of_streams(name)
    return measured.get(name, "decoded" if name == "duration" else "probed")


def _has_no(measured: Measured, name: str) -> str:
    """Return in words that an item of its kind has no such measure, an empty text where it may have one."""
    kind, word = measured.item.kind, _word(name)
    if kind not in OF_KINDS.get(name, (kind,)):
        return f"is {named(kind)} and has no {word}"
    if name == "duration" and kind == "image" and measured.get("animated") is False:
        return "is a still image and has no duration"
    if name in ("sample_rate", "channels") and kind == "video" and measured.get("has_audio") is False:
        return "has no sound track"
    return ""


def _ratio_problems(measured: Measured, options: MediaCheckOptions) -> Iterator[Problem]:
    wanted, low, high = options.aspect_ratio, options.min_aspect_ratio, options.max_aspect_ratio
    if wanted is None and low is None and high is None:
        return
    absent = _has_no(measured, "aspect_ratio")
    width, height = (None, None) if absent else (measured.get("width"), measured.get("height"))
    if not width or not height:
        yield Problem(measured.label, "aspect_ratio", None, wanted, absent or "its aspect ratio could not be measured")
        return
    ratio = width / height
    shown = f"aspect ratio {ratio:.4g} ({width}×{height} px)"
    if wanted is not None and abs(ratio / ratio_of(wanted) - 1) > options.aspect_tolerance + 1e-12:
        yield Problem(
            measured.label,
            "aspect_ratio",
            ratio,
            wanted,
            f"{shown} is not {wanted} within {options.aspect_tolerance:.2%}",
        )
    if low is not None and ratio < ratio_of(low) - 1e-12:
        yield Problem(measured.label, "min_aspect_ratio", ratio, low, f"{shown} is below {low}")
    if high is not None and ratio > ratio_of(high) + 1e-12:
        yield Problem(measured.label, "max_aspect_ratio", ratio, high, f"{shown} is above {high}")


def _track_problems(measured: Measured, options: MediaCheckOptions) -> Iterator[Problem]:
    kind, label = measured.item.kind, measured.label
    if options.animated is not None:
        found = measured.get("animated", "decoded") if kind == "image" else None
        if kind != "image":
            text = f"is {named(kind)}, neither a still nor an animated image"
            yield Problem(label, "animated", None, options.animated, text)
        elif found is not options.animated:
            frames = measured.get("frames") if found else None
            told = "is a still image" if found is False else "whether it is animated could not be told"
            told = f"is an animation{f' of {frames} frames' if frames else ''}" if found else told
            yield Problem(label, "animated", found, options.animated, told)
    if options.has_audio is not None:
        sound = measured.get("has_audio") if kind == "video" else kind == "audio"
        if sound is not options.has_audio:
            told = "whether it has a sound track could not be told"
            told = told if sound is None else "has a sound track" if sound else "has no sound track"
            yield Problem(label, "has_audio", sound, options.has_audio, told)


_INCOMPLETE = {
    "partial": "only part of it can be decoded",
    "none": "it cannot be decoded",
    "too_large": "it is too large to be decoded",
    "no_decoder": "no decoder for its format is there, so nobody knows whether it is intact",
    None: "whether it is intact could not be told",
}
_ABOUT_DAMAGE = (
    "truncated",
    "damaged",
    "header_length_wrong",
    "too_large",
    "no_decoder",
    "video_shorter_than_container",
)


def _intact_problems(measured: Measured) -> Iterator[Problem]:
    facts = measured.facts("decoded")
    if facts.decodable == "complete":
        return
    why = [finding.message for finding in facts.findings if finding.code in _ABOUT_DAMAGE]
    readable = facts.extras.get("readable")
    if isinstance(readable, float) and 0 < readable < 1:
        why.insert(0, f"about {readable:.0%} of it")
    text = _INCOMPLETE[facts.decodable] + (f" ({'; '.join(why[:3])})" if why else "")
    yield Problem(measured.label, "intact", facts.decodable, "complete", text)
