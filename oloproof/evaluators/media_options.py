"""The keys of ``media_check`` and what they may say."""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher, get_close_matches
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from oloproof.config.models import EvaluatorOptions
from oloproof.media.formats import FORMATS, describe

LIMITS = {
    "width": "px", "height": "px", "duration": "s", "bytes": "bytes", "frame_rate": "frames/s", "sample_rate": "Hz",
    "channels": "",
}  # fmt: skip
"""What has a lowest and a highest value that pass, with its unit."""
OF_KINDS = {
    "width": ("image", "video"), "height": ("image", "video"), "aspect_ratio": ("image", "video"),
    "animated": ("image",), "frame_rate": ("video",), "sample_rate": ("audio", "video"), "channels": ("audio", "video"),
    "blank": ("image", "video"), "transparent": ("image",), "silent": ("audio", "video"),
}  # fmt: skip
"""The kinds of files that have a measure, where not all have it."""
OF_STREAMS = ("frame_rate", "sample_rate", "channels")
"""The measures that are told of the streams of a file."""
OF_CONTENTS = ("blank", "transparent", "silent")
"""The conditions that are told by what a file shows or sounds like."""
_RATIO = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*[:/]\s*([0-9]+(?:\.[0-9]+)?)\s*")
MediaRole = Literal["input", "output", "context", "all"]
Number = Annotated[int, Field(ge=1)]
Whole = Annotated[int, Field(ge=0)]
Length = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(gt=0)]
Ratio = Annotated[float | str, Field(union_mode="smart")]

_NAMES = {name for name, entry in FORMATS.items() if entry.kind is not None}
_ALIASES = {
    extension: name for name in reversed(FORMATS) if name in _NAMES for extension in FORMATS[name].extensions
} | {name: name for name in _NAMES}


class MediaCheckOptions(EvaluatorOptions):
    """The keys of ``media_check``."""

    type: Literal["media_check"]
    role: MediaRole = "output"
    kind: Literal["image", "audio", "video", "any"] = "any"
    only: Literal["image", "audio", "video"] | None = None
    formats: Annotated[list[str], Field(min_length=1)] | None = None
    allow_misnamed: bool = False
    min_width: Number | None = None
    max_width: Number | None = None
    min_height: Number | None = None
    max_height: Number | None = None
    aspect_ratio: Ratio | None = None
    aspect_tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.01
    min_aspect_ratio: Ratio | None = None
    max_aspect_ratio: Ratio | None = None
    min_duration: Length | None = None
    max_duration: Length | None = None
    min_bytes: Whole | None = None
    max_bytes: Whole | None = None
    min_frame_rate: Rate | None = None
    max_frame_rate: Rate | None = None
    min_sample_rate: Number | None = None
    max_sample_rate: Number | None = None
    min_channels: Number | None = None
    max_channels: Number | None = None
    count: Whole | None = None
    min_count: Whole | None = None
    max_count: Whole | None = None
    intact: bool = False
    animated: bool | None = None
    has_audio: bool | None = None
    blank: bool | None = None
    transparent: bool | None = None
    silent: bool | None = None

    @field_validator("formats")
    @classmethod
    def _known(cls, formats: list[str] | None) -> list[str] | None:
        return None if formats is None else [_format_named(name) for name in formats]

    @field_validator("aspect_ratio", "min_aspect_ratio", "max_aspect_ratio")
    @classmethod
    def _is_ratio(cls, value: float | str | None) -> float | str | None:
        if value is not None:
            ratio_of(value)
        return value

    @model_validator(mode="after")
    def _sensible(self) -> MediaCheckOptions:
        for name in (*LIMITS, "aspect_ratio", "count"):
            low, high = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            if low is not None and high is not None and _number(low) > _number(high):
                raise ValueError(f"min_{name}: {low} is above max_{name}: {high}, so nothing could pass")
        if self.count is not None and (self.min_count is not None or self.max_count is not None):
            raise ValueError("give either count: or min_count: and max_count:")
        for name, needed in (("allow_misnamed", "formats"), ("aspect_tolerance", "aspect_ratio")):
            if name in self.model_fields_set and getattr(self, needed) is None:
                raise ValueError(f"{name}: goes with {needed}:")
        if self.only is not None and self.kind != "any":
            raise ValueError("give either kind:, which every file must be, or only:, which leaves the others alone")
        where = "kind" if self.only is None else "only"
        if self.looks_at != "any" and (key := self._of_other_kinds()):
            raise ValueError(f"{key}: measures {_WHAT[OF_KINDS[_bare(key)]]}, and {where} is {self.looks_at}")
        for name in self.formats or ():
            if not _may_be(name, self.looks_at):
                kind = _A_KIND[self.looks_at]
                raise ValueError(f"formats: {describe(name)} is never {kind}, and {where} is {self.looks_at}")
        if not self._has_condition():
            raise ValueError("give at least one condition, such as kind: image or max_width: 256")
        return self

    @property
    def looks_at(self) -> Literal["image", "audio", "video", "any"]:
        """The kind of the files that can meet the conditions."""
        return self.only or self.kind

    def _of_other_kinds(self) -> str:
        """Return the first condition that no file of the wanted kind can meet, or an empty word."""
        given = (name for name in type(self).model_fields if getattr(self, name) is not None)
        return next((name for name in given if self.looks_at not in OF_KINDS.get(_bare(name), (self.looks_at,))), "")

    def _has_condition(self) -> bool:
        besides = {
            "type",
            "criterion",
            "on_execution_error",
            "role",
            "kind",
            "only",
            "allow_misnamed",
            "aspect_tolerance",
            "intact",
        }
        given = [name for name in self.model_fields_set - besides if getattr(self, name) is not None]
        return bool(given) or self.intact or self.kind != "any"


def _bare(key: str) -> str:
    """Return what a key measures."""
    return key.removeprefix("min_").removeprefix("max_")


_WHAT = {("image", "video"): "pictures", ("image",): "images", ("video",): "video", ("audio", "video"): "sound"}


def ratio_of(value: float | str) -> float:
    """Return a ratio of width to height written as ``16:9`` or as a number.

    Raises:
        ValueError: it is neither, or not above zero.
    """
    if isinstance(value, str):
        match = _RATIO.fullmatch(value)
        if match is None or not float(match[1]) or not float(match[2]):
            raise ValueError(f'{value!r} is no ratio; write "16:9" in quotes, or a number such as 1.5')
        return float(match[1]) / float(match[2])
    if not value > 0 or not math.isfinite(value):
        raise ValueError(f"{value!r} is no ratio; it must be above 0")
    return float(value)


def _number(value: float | str) -> float:
    return ratio_of(value) if isinstance(value, str) else value


def _format_named(name: str) -> str:
    plain = re.sub(r"^\.", "", name.strip().lower())
    if plain in _ALIASES:
        return _ALIASES[plain]
    near = min(get_close_matches(plain, _ALIASES, 20, 0.5), key=lambda other: _distance(plain, other), default="")
    hint = f"; did you mean {near}?" if near else f"; there are {', '.join(sorted(_NAMES))}"
    raise ValueError(f"{name!r} is no format that can be told{hint}")


_COMMON = (
    "png",
    "jpeg",
    "jpg",
    "webp",
    "gif",
    "mp4",
    "wav",
    "mp3",
    "webm",
    "mov",
    "tiff",
    "avif",
    "flac",
    "ogg",
    "m4a",
)


def _distance(plain: str, other: str) -> tuple[bool, float, int]:
    """Return how far a known name is from one that was typed: swapped letters first, then likeness, then use."""
    swapped = sorted(plain) == sorted(other)
    common = _COMMON.index(other) if other in _COMMON else len(_COMMON)
    return not swapped, -SequenceMatcher(None, other, plain).ratio(), common


_A_KIND = {"image": "an image", "audio": "audio", "video": "video"}


def _may_be(name: str, kind: str) -> bool:
    """Return whether a file of the format may be of ``kind``: containers of video may hold sound only."""
    usual = FORMATS[name].kind
    return kind in ("any", usual) or (kind != "image" and FORMATS[name].demuxer in _CONTAINERS)


_CONTAINERS = {entry.demuxer for entry in FORMATS.values() if entry.kind == "video"} - {
    "mpegvideo",
    "yuv4mpegpipe",
    "ivf",
}
