"""Finding the numbers in a text, and saying why something that looks like one is not.

What is certainly no number (an identifier, a date, a time) is passed over. What may be one, but could be read in two
ways, is kept as a candidate with a ``problem``, so that a check never picks a reading in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from oloproof.evaluators.number_rules import Candidate, Rules
from oloproof.evaluators.number_token import FIRST, SIGN_WORD, Token
from oloproof.evaluators.number_words import numbers_in_words


def read_numbers(text: str, rules: Rules) -> list[Candidate]:
    """Return every number in ``text``, in the order in which they stand."""
    found = list(_in_digits(text, rules))
    if rules.words:
        found += _in_words(text, rules)
    return sorted(found, key=lambda candidate: candidate.start)


def _in_digits(written: str, rules: Rules) -> Iterator[Candidate]:
    text = written if written.isascii() else _ascii_digits(written)
    position = 0
    while match := FIRST.search(text, position):
        token = Token(text, written, rules, match.start(), position)
        position = token.read()
        if token.candidate is not None:
            yield token.candidate


def _ascii_digits(text: str) -> str:
    """Return ``text`` with every decimal digit of any script as 0 to 9, at the same places."""
    return "".join(str(unicodedata.decimal(sign)) if not sign.isascii() and sign.isdecimal() else sign for sign in text)


def _in_words(text: str, rules: Rules) -> Iterator[Candidate]:
    for start, end, value in numbers_in_words(text, rules.words):
        before, written = text[max(0, start - 12) : start], text[start:end]
        if (start and text[start - 1].isdigit()) or re.search(r"[0-9][ \u00a0-]$", before):
            continue  # 12万 and 3 million are read with their digits
        sign = -1 if SIGN_WORD.search(before) else 1
        problem = "" if value is not None else "is not one number"
        yield Candidate(
            start,
            written,
            None if value is None else sign * value,
            after=text[end : end + 40].partition("\n")[0],
            problem=problem,
        )
