"""What may enter this room: whole counts, shares, finite numbers. Anything else is refused, never coerced."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real


def _is_number(kind: type) -> bool:
    """Tell whether ``kind`` is a type of real numbers; True and False are not numbers here."""
    return issubclass(kind, Real) and not issubclass(kind, bool)


def count(name: str, value: object) -> int:
    """Return ``value`` as a whole number of zero or more, or raise ``ValueError``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if value < 0:
        raise ValueError(f"{name} must not be negative, but is {value}")
    return int(value)


def counted(passes: object, n: object) -> tuple[int, int]:
    """Return a number of passes and the number of cases it is out of, or raise ``ValueError``."""
    checked_passes, checked_n = count("passes", passes), count("n", n)
    if checked_passes > checked_n:
        raise ValueError(f"passes cannot be more than the cases: {checked_passes} of {checked_n}")
    return checked_passes, checked_n


def finite(name: str, value: object) -> float:
    """Return ``value`` as a finite number, or raise ``ValueError``."""
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def positive(name: str, value: object) -> float:
    """Return ``value`` as a finite number above zero, or raise ``ValueError``."""
    number = finite(name, value)
    if number <= 0.0:
        raise ValueError(f"{name} must be above 0, but is {number}")
    return number


def share(name: str, value: object) -> float:
    """Return ``value`` as a number from 0 to 1, or raise ``ValueError``."""
    number = finite(name, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1, but is {number}")
    return number


def inner_share(name: str, value: object) -> float:
    """Return ``value`` as a number strictly between 0 and 1, or raise ``ValueError``."""
    number = finite(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1, but is {number}")
    return number


def tail_of(level: object) -> float:
    """Return the probability left in each tail by a two-sided ``level`` such as 0.95."""
    return (1.0 - inner_share("level", level)) / 2.0


def value_range(low: object, high: object) -> tuple[float, float]:
    """Return the two ends of a score's range, or raise ``ValueError``."""
    checked_low, checked_high = finite("low", low), finite("high", high)
    if checked_low >= checked_high or math.isinf(checked_high - checked_low):
        raise ValueError(
            f"low must be below high within reach of a float, but the range is {checked_low} to {checked_high}"
        )
    return checked_low, checked_high


def numbers(name: str, values: Iterable[object]) -> list[float]:
    """Return ``values`` as floats, or raise ``ValueError`` for anything else; infinity may stay."""
    if isinstance(values, str | bytes):
        raise ValueError(f"{name} must be a list of numbers, not text")
    given = list(values)
    if not all(_is_number(kind) for kind in set(map(type, given))):
        bad = next(value for value in given if not _is_number(type(value)))
        raise ValueError(f"{name} must hold numbers only, but holds {bad!r}")
    checked: list[float] = list(map(float, given))  # type: ignore[arg-type]
    if any(map(math.isnan, checked)):
        raise ValueError(f"{name} must hold numbers only, but holds nan")
    return checked


def finite_numbers(name: str, values: Iterable[object]) -> list[float]:
    """Return ``values`` as finite floats, or raise ``ValueError``."""
    checked = numbers(name, values)
    if any(map(math.isinf, checked)):
        raise ValueError(f"{name} must hold finite numbers only, but holds an infinite one")
    return checked


def numbers_within(name: str, values: Iterable[object], low: float, high: float) -> list[float]:
    """Return ``values`` as floats from ``low`` to ``high``, or raise ``ValueError``."""
    checked = finite_numbers(name, values)
    outside = next((value for value in checked if not low <= value <= high), None)
    if outside is not None:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, but holds {outside:g}")
    return checked
