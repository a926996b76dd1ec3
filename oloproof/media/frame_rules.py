"""Which frames of a video or an animation are taken: the rules, how YAML says them, and the moments they mean.

A rule speaks of moments in seconds from the first picture on. It says nothing of frames: which frame is shown at a
moment only the file knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from msgspec import Struct

FRAMES_VERSION = 2
"""Raised when the same rule would take other frames, or other pixels of them."""

MOST_FRAMES = 64
"""The most frames that a rule may ask for."""

ACCEPTED = (
    "a whole number of frames from 1 to 64, a list of moments in seconds such as [0.5, 2.0], "
    "{every: SECONDS} or {scenes: NUMBER}"
)

_Item = TypeVar("_Item")


class Count(Struct, frozen=True):
    """The frames shown at the middles of ``n`` (1 to 64) equal parts of the picture stream."""

    n: int

    def __post_init__(self) -> None:
        _check_number(self.n)

    @property
    def identity(self) -> dict[str, Any]:
        """Return the rule as JSON for digests."""
        return {"frames": FRAMES_VERSION, "count": self.n}


class Moments(Struct, frozen=True):
    """The frames shown at these moments, in seconds from the first picture on, 1 to 64 of them."""

    times: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.times or len(self.times) > MOST_FRAMES:
            raise ValueError(f"a list of moments holds 1 to {MOST_FRAMES} of them, found {len(self.times)}")
        for at in self.times:
            if not _is_number(at) or at < 0:
                raise ValueError(f"a moment is a number of seconds, 0 or more, found {at!r}")

    @property
    def identity(self) -> dict[str, Any]:
        """Return the rule as JSON for digests."""
        return {"frames": FRAMES_VERSION, "moments": [float(at) for at in self.times]}


class Every(Struct, frozen=True):
    """The frames shown at 0, ``seconds``, twice ``seconds`` … up to the end of the picture stream."""

    seconds: float

    def __post_init__(self) -> None:
        if not _is_number(self.seconds) or self.seconds < 0.001:
            raise ValueError(f"every: is a number of seconds, 0.001 or more, found {self.seconds!r}")

    @property
    def identity(self) -> dict[str, Any]:
        """Return the rule as JSON for digests."""
        return {"frames": FRAMES_VERSION, "every": float(self.seconds)}


class Scenes(Struct, frozen=True):
    """The first frame of each scene, of at most ``n`` (1 to 64) scenes; where there are more, of the clearest cuts."""

    n: int

    def __post_init__(self) -> None:
        _check_number(self.n)

    @property
    def identity(self) -> dict[str, Any]:
        """Return the rule as JSON for digests."""
        return {"frames": FRAMES_VERSION, "scenes": self.n}


FrameRule = Count | Moments | Every | Scenes


def parse_frame_rule(value: object) -> FrameRule:
    """Return the rule that a YAML value means: ``4``, ``[0.5, 2.0]``, ``{every: 1.0}`` or ``{scenes: 8}``.

    Raises:
        ValueError: for anything else, in words.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return Count(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return Moments(tuple(value))
    if isinstance(value, Mapping) and len(value) == 1:
        key, given = next(iter(value.items()))
        if key == "every":
            return Every(given)
        if key == "scenes":
            return Scenes(given)
    raise ValueError(f"frames are told by {ACCEPTED}; found {_shown(value)}")


class Wanted(Struct, frozen=True):
    """Moments in seconds from the first picture on, ascending; how many the rule asks for; what was left out."""

    moments: tuple[Fraction, ...]
    asked: int
    notes: tuple[str, ...] = ()


def moments_of(rule: Count | Moments | Every, length: Fraction, most: int) -> Wanted:
    """Return the moments that ``rule`` means in ``length`` seconds of pictures, at most ``most``.

    A moment behind the end stands for the last frame and is noted.
    """
    if isinstance(rule, Count):
        n = min(rule.n, most)
        note = f"{rule.n} frames asked, {n} is the most that are taken"
        return Wanted(tuple(length * (2 * index + 1) / (2 * n) for index in range(n)), rule.n, (note,) * (n < rule.n))
    if isinstance(rule, Every):
        return _every(exact(rule.seconds), length, most)
    kept, notes = thinned(sorted({exact(at) for at in rule.times}), most)
    return Wanted(tuple(kept), len(rule.times), (*notes, *_behind_the_end(kept, length)))


def _every(step: Fraction, length: Fraction, most: int) -> Wanted:
    # only the numbers of the moments are thinned: hours of pictures by the millisecond would be a long list
    count = max(math.ceil(length / step), 1)
    numbers, notes = thinned(range(count), most)
    return Wanted(tuple(number * step for number in numbers), count, notes)


def thinned(items: Sequence[_Item], most: int) -> tuple[list[_Item], tuple[str, ...]]:
    """Return at most ``most`` of ``items``, evenly spread from first to last, and a note where some are left."""
    count = len(items)
    if count <= most:
        return list(items), ()
    note = f"{count} moments asked, {most} of them, evenly spread, are taken"
    if most == 1:
        return [items[0]], (note,)
    return [items[index * (count - 1) // (most - 1)] for index in range(most)], (note,)


def exact(seconds: float) -> Fraction:
    """Return the decimal that was written: 0.1 is a tenth, not the nearest binary number."""
    return Fraction(repr(float(seconds)))


def _behind_the_end(moments: Sequence[Fraction], length: Fraction) -> list[str]:
    return [
        f"asked {float(at):.6g} s, the pictures end at {float(length):.6g} s: the last frame is taken"
        for at in moments
        if at > length
    ]


def _check_number(n: object) -> None:
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MOST_FRAMES:
        raise ValueError(f"a number of frames is a whole number from 1 to {MOST_FRAMES}, found {_shown(n)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value < 1e9


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
