"""How an earlier tool read answers, kept to the letter so that its reports can be reproduced.

It knows neither negation nor numbers, and a value inside of a longer one counts too. New work uses
:func:`oloproof.evaluators.priors.read_answer`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from oloproof.evaluators.priors.labels import Label

_NO_WORD = re.compile(r"\W+")


@lru_cache(maxsize=8192)
def plain_words(text: str) -> str:
    """Return a text as that tool compares it: NFKC, case folded, everything but word signs a space."""
    return _NO_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def read_as_tool_001(answer: str, visual: Iterable[str], prior: Iterable[str], other: Iterable[str] = ()) -> Label:
    """Return the label of an answer by whole phrases alone: both sides found are mixed, neither may be other."""
    words = f" {plain_words(answer)} "

    def named(values: Iterable[str]) -> bool:
        return any(f" {plain} " in words for value in values if (plain := plain_words(value)))

    sees, expects = named(visual), named(prior)
    if sees and expects:
        return "mixed"
    if sees or expects:
        return "visual" if sees else "prior"
    return "other" if named(other) else "unclear"
