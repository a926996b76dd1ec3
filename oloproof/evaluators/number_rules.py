"""How numbers are read from text, and what is found: one candidate for each number."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from oloproof.evaluators.number_formats import Locale
from oloproof.evaluators.number_words import Language


class Rules(Struct, frozen=True):
    """How texts are read; everything off is the careful default."""

    locale: Locale = "auto"
    accounting: bool = False
    magnitudes: bool = False
    fractions: bool = False
    spaced_minus: bool = False
    words: tuple[Language, ...] = ()
    unit: str = ""


class Candidate(Struct, frozen=True):
    """One number in a text: as written, its exact value, and its unit where one stands close.

    ``value`` is None when it cannot be read as one number; ``problem`` says why. ``currency`` is the sign or code
    before it, ``after`` what follows the number itself on its line, a unit first.
    """

    start: int
    text: str
    value: Fraction | None
    unit: str = ""
    currency: str = ""
    after: str = ""
    problem: str = ""
