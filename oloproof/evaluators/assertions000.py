"""How an earlier tool compared answers, kept to the letter so that its results can be reproduced.

It knows no exponents, takes the first number of a text whatever stands around it, and lets every answer contain an
empty text. New work lets each kind of check do as it does.
"""

from __future__ import annotations

import math
import re
import unicodedata

_NUMBER = re.compile(r"-?\d[\d.,]*")
_SLACK = 1e-9


def first_number(text: str) -> float | None:
    """Return the first number of a text as that tool reads it, None where it finds none.

    The right one of a dot and a comma is decimal; a lone comma groups before three digits or more.
    """
    match = _NUMBER.search(text)
    if match is None:
        return None
    written = match.group().rstrip(".,")
    plain = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in written)
    return _value(plain)


def _value(written: str) -> float | None:
    dots, commas = written.count("."), written.count(",")
    if dots and commas:
        decimal = "." if written.rindex(".") > written.rindex(",") else ","
        if written.count(decimal) > 1:
            return None
        whole, _, part = written.replace("," if decimal == "." else ".", "").partition(decimal)
        return float(f"{whole}.{part}")
    if dots:
        return float(written) if dots == 1 else None
    if commas == 1:
        whole, _, part = written.partition(",")
        return float(f"{whole}.{part}") if len(part) <= 2 else float(whole + part)
    if commas:
        return float(written.replace(",", "")) if len(written.rpartition(",")[2]) == 3 else None
    return float(written)


def equals(answer: str, expected: str) -> bool:
    """Return whether the two are the same but for white space at their ends."""
    return answer.strip() == expected.strip()


def contains(answer: str, expected: str) -> bool:
    """Return whether the expected text stands anywhere in the answer; an empty one always does."""
    return expected.strip() in answer.strip()


def numeric(answer: str, expected: str, tolerance: float) -> bool:
    """Return whether the first numbers of the two differ by no more than a tolerance; no number never passes."""
    found, wanted = first_number(answer), first_number(expected)
    if found is None or wanted is None:
        return False
    difference = abs(found - wanted)
    return not math.isnan(difference) and difference <= tolerance + _SLACK
