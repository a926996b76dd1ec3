"""Numbers written in words: English cardinals and Chinese or Japanese numerals, each only where asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

Language = Literal["en", "cjk"]

_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_SMALL = {word: value for value, word in enumerate(_UP_TO_NINETEEN.split())}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD = "|".join((*sorted((*_SMALL, *_TENS), key=len, reverse=True), "hundred", *_SCALES))
_ENGLISH = re.compile(rf"(?<!\w)(?:{_WORD})(?:(?:[\s-]+(?:and\s+)?)(?:{_WORD})(?!\w))*(?!\w)", re.IGNORECASE)

_CJK_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}
_CJK_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CJK = re.compile(f"[{''.join((*_CJK_DIGITS, *_CJK_UNITS, *_CJK_SCALES))}]+")

Found = tuple[int, int, Fraction | None]


def numbers_in_words(text: str, languages: tuple[Language, ...]) -> Iterator[Found]:
    """Yield start, end and value of each number written in words; a value of None is no well-made number."""
    if "en" in languages:
        for match in _ENGLISH.finditer(text):
            yield match.start(), match.end(), _english(match.group().lower())
    if "cjk" in languages:
        for match in _CJK.finditer(text):
            if match.group()[0] not in _CJK_SCALES:
                yield match.start(), match.end(), _cjk(match.group())


def _english(text: str) -> Fraction | None:
    total = part = 0
    last, scale = "", 10**15
    for word in re.split(r"[\s-]+", text):
        if word == "and":
            continue
        if word in _SMALL:
            if last == "small" or (last == "tens" and not 0 < _SMALL[word] < 10):
                return None
            part, last = part + _SMALL[word], "small"
        elif word in _TENS:
            if last in ("small", "tens"):
                return None
            part, last = part + _TENS[word], "tens"
        elif word == "hundred":
            if not 0 < part < 10 or last == "hundred":
                return None
            part, last = part * 100, "hundred"
        else:
            if not part or _SCALES[word] >= scale:
                return None
            scale = _SCALES[word]
            total, part, last = total + part * scale, 0, "scale"
    return Fraction(total + part)


def _cjk(text: str) -> Fraction | None:
    """Return the value of a numeral with units (十二), or of digits in a row (二〇二六)."""
    if all(sign in _CJK_DIGITS for sign in text):
        return Fraction(int("".join(str(_CJK_DIGITS[sign]) for sign in text)))
    total = section = digit = 0
    for sign in text:
        if sign in _CJK_DIGITS:
            if digit:
                return None
            digit = _CJK_DIGITS[sign]
        elif sign in _CJK_UNITS:
            section, digit = section + (digit or 1) * _CJK_UNITS[sign], 0
        else:
            total, section, digit = total + (section + digit) * _CJK_SCALES[sign], 0, 0
    return Fraction(total + section + digit)
