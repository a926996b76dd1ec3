"""What one run of digits and separators is worth: ``1,234.56``, ``1.234,56``, ``1'234``, ``1,00,000``."""

from __future__ import annotations

import re
import sys
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

Locale = Literal["auto", "en", "de"]

SPACES = " \u00a0\u202f\u2009"
"""The spaces that may stand between groups of three digits: plain, no-break, narrow no-break, thin."""

ARABIC_DECIMAL, ARABIC_THOUSANDS = "\u066b", "\u066c"
_ONLY_GROUPING = f"{SPACES}'\u2019_{ARABIC_THOUSANDS}"
_SEPARATORS = re.compile(r"[^0-9]")
LONGEST = 309
"""Digits of the longest whole number that is read."""

_BEYOND = int(sys.float_info.max) + 1


def value_of(body: str, locale: Locale = "auto") -> Fraction | None:
    """Return the exact value of an unsigned number as written, or None when it cannot be one number.

    With ``auto`` a lone comma before exactly three digits groups (1,234 is 1234), a lone dot is always decimal
    (1.234), and where both stand the last is decimal. ``en`` and ``de`` fix what comma and dot mean.
    """
    separators = _SEPARATORS.findall(body)
    if not separators:
        return within_range(Fraction(int(body))) if len(body) <= LONGEST else None
    if len(body) > 2 * LONGEST:
        return None
    decimal = _decimal_mark(body, separators, locale)
    if decimal == "":
        return None
    whole, _, part = body.rpartition(decimal) if decimal else (body, "", "")
    digits = _ungrouped(whole) if whole else ""
    if digits is None or not (part.isdigit() or not part):
        return None
    return exact(f"{digits or '0'}.{part or '0'}")


def exact(text: str) -> Fraction | None:
    """Return the exact value of a plain decimal text, exponent allowed, or None beyond the range of a double."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or not -400 < number.adjusted() < 309:
        return Fraction(0) if number == 0 and number.is_finite() else None
    return within_range(Fraction(number))


def within_range(value: Fraction) -> Fraction | None:
    """Return ``value`` unless a double could not hold it: so large a number is an answer to nothing."""
    return value if -_BEYOND < value < _BEYOND else None


def _decimal_mark(body: str, separators: list[str], locale: Locale) -> str | None:
    """Return the decimal mark, None when there is none, ``""`` when the separators make no sense together."""
    kinds = set(separators)
    grouping = kinds & set(_ONLY_GROUPING)
    marks = kinds - grouping
    if len(grouping) > 1 or len(marks) > 2:
        return ""
    if ARABIC_DECIMAL in marks:
        return ARABIC_DECIMAL if separators.count(ARABIC_DECIMAL) == 1 == len(marks) else ""
    if grouping:
        return _after_groups(separators, marks, locale)
    if len(marks) == 2:
        last = separators[-1]
        return last if separators.count(last) == 1 and last == _fixed(locale, last) else ""
    return _lone_kind(body, separators, locale)


def _after_groups(separators: list[str], marks: set[str], locale: Locale) -> str | None:
    if not marks:
        return None
    mark = separators[-1]
    if len(marks) > 1 or mark not in marks or separators.count(mark) > 1:
        return ""
    return mark if mark == _fixed(locale, mark) else ""


def _lone_kind(body: str, separators: list[str], locale: Locale) -> str | None:
    """Return the decimal mark of a body with only dots, or only commas."""
    mark = separators[0]
    if len(separators) > 1:
        return None if locale == "auto" or mark != _fixed(locale, "") else ""
    if locale != "auto":
        return mark if mark == _fixed(locale, mark) else None
    head, _, tail = body.partition(mark)
    if mark == "." or len(tail) != 3 or not 1 <= len(head) <= 3 or head == "0":
        return mark
    return "" if head.startswith("0") else None


def _fixed(locale: Locale, otherwise: str) -> str:
    return {"en": ".", "de": ","}.get(locale, otherwise)


_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([^0-9])[0-9]{3})(?:\1[0-9]{3})*")
_INDIAN = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")


def _ungrouped(whole: str) -> str | None:
    """Return the digits of a grouped whole number, or None when its groups are not groups."""
    if whole.isdigit():
        return whole
    if _GROUPED.fullmatch(whole) or _INDIAN.fullmatch(whole):
        return _SEPARATORS.sub("", whole)
    return None
