"""A text as a row of words, numbers and unit signs, written in one way whatever script and markup it came in.

Scripts that put no spaces between words give one token a letter, so that a value is found inside of a sentence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import regex  # type: ignore[import-untyped]
from msgspec import Struct

from oloproof.evaluators.number_rules import Candidate, Rules
from oloproof.evaluators.number_units import canonical
from oloproof.evaluators.numbers import read_numbers

LONGEST = 20_000
"""Characters of an answer that are read; an answer to a short question is far shorter."""

_SHORT = 100
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_TOKEN = regex.compile(
    rf"[{_UNSPACED}]\p{{M}}*"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+(?:['’][[\p{{L}}\p{{M}}]--[{_UNSPACED}]]+)*[+#]*(?![\p{{L}}\p{{N}}])"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+"
    r"|[%٪％€$£¥₹₩°]",
    regex.V1,
)
_REASONING = regex.compile(r"^\s*<(think|thinking|thought|reasoning)>.*?</\1>", regex.DOTALL | regex.IGNORECASE)
_STRUCK = regex.compile(r"~~.{1,400}?~~|<(del|s|strike)>.{1,400}?</\1>", regex.DOTALL | regex.IGNORECASE)
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_ACCENTS = regex.compile(r"[\u0300-\u036f\u064b-\u0655\u0640]")
_SENTENCE_ENDS = frozenset(".!?;…\n。！？；।؟؛")
_PAUSES = frozenset(",:()[]，：、—–،")
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_NUMBERS = Rules(fractions=True, words=("en", "cjk"))
_CJK_NUMERAL = regex.compile(r"\p{Han}+")
_COUNTERS = frozenset("个個只隻条條本枚匹頭头人台件张張片つ号歳岁年月日点")
_PRONOUN_BEFORE = frozenset(["this", "that", "the", "which", "each", "every", "no", "any", "another", "other"])


class Token(Struct, frozen=True):
    """One word, number or sign. ``exact`` keeps the accents that ``text`` leaves out.

    ``pause`` says what stands before it: nothing (0), a comma or its like (1), the end of a sentence (2). ``joined``
    says that it may continue a phrase with the token before it. ``value`` is None for a word.
    """

    text: str
    exact: str
    value: Fraction | None
    start: int
    end: int
    pause: int = 0
    joined: bool = True


def cleaned(text: str) -> str:
    """Return an answer without a leading block of reasoning, what is struck out, and signs that nobody sees."""
    text = text[:LONGEST]
    if "<" in text or "~~" in text:
        text = _STRUCK.sub(" ", _REASONING.sub(" ", text, count=1))
    text = unicodedata.normalize("NFC", text.translate(_UNSEEN))
    if text.isascii():
        return text
    return "".join(
        unicodedata.normalize("NFKC", sign) if sign.isalpha() or "\uff00" <= sign <= "\uffef" else sign for sign in text
    )


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a cleaned text, in their order. Those of short texts, as values are, are kept."""
    return _kept(text) if len(text) <= _SHORT else _read(text)


@lru_cache(maxsize=4096)
def _kept(text: str) -> tuple[Token, ...]:
    return _read(text)


def _read(text: str) -> tuple[Token, ...]:
    found = sorted(_pieces(text), key=lambda piece: (piece.start, piece.end))
    tokens: list[Token] = []
    for piece in found:
        before = tokens[-1].end if tokens else 0
        gap = text[before : piece.start]
        pause = 2 if not _SENTENCE_ENDS.isdisjoint(gap) else 1 if not _PAUSES.isdisjoint(gap) else 0
        joined = pause == 0 or gap.strip("*_`~ \t-\u2010\u2011") in ("", "\n")
        tokens.append(Token(piece.text, piece.exact, piece.value, piece.start, piece.end, pause, joined))
    return tuple(tokens)


def folded(word: str) -> str:
    """Return a word in lower case and without accents: ``CAFÉ`` and ``cafe`` are one."""
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word.casefold()))
    return unicodedata.normalize("NFC", plain).replace("ı", "i")


def _pieces(text: str) -> Iterator[Token]:
    taken: list[tuple[int, int]] = []
    for candidate in _numbers(text):
        start, end = candidate.start, candidate.start + len(candidate.text)
        if candidate.currency:
            sign = folded(canonical(candidate.currency))
            yield Token(sign, sign, None, start, start)
        if candidate.unit and candidate.text.endswith(candidate.unit):
            end -= len(candidate.unit)
        taken.append((start, end))
        unclear = "" if candidate.value is not None else candidate.text.casefold()
        yield Token(unclear, unclear, candidate.value, start, end)
    number = 0
    for match in _TOKEN.finditer(text):
        while number < len(taken) and taken[number][1] <= match.start():
            number += 1
        if number < len(taken) and taken[number][0] < match.end():
            if match.end() <= taken[number][1]:
                continue
            yield _word(text, taken[number][1], match.end())
        else:
            yield _word(text, match.start(), match.end())


def _word(text: str, start: int, end: int) -> Token:
    written = text[start:end].replace("’", "'")
    if written.endswith("'s"):
        written = written[:-2] if written[:-2].casefold() not in _CONTRACTED else written
    exact = unicodedata.normalize("NFC", canonical(written).casefold())
    return Token(folded(canonical(written)), exact, None, start, end)


_CONTRACTED = frozenset(["it", "that", "he", "she", "there", "what", "who", "let"])


def _numbers(text: str) -> Iterator[Candidate]:
    for candidate in read_numbers(text, _NUMBERS):
        before = text[: candidate.start].rstrip()
        if candidate.unit in _ORDINALS or (before.endswith("#") and candidate.start == len(before)):
            continue
        if candidate.text.casefold() == "one" and _is_pronoun(before, candidate.after):
            continue
        if _CJK_NUMERAL.fullmatch(candidate.text) and not _counts(candidate.after):
            continue
        yield candidate


def _is_pronoun(before: str, after: str) -> bool:
    words = before.split()
    return (bool(words) and words[-1].casefold() in _PRONOUN_BEFORE) or after.lstrip().startswith("of ")


def _counts(after: str) -> bool:
    """Return whether a numeral in Chinese signs stands alone or before a counter, and not inside of a word."""
    return not after or after[0] in _COUNTERS or not regex.match(r"\p{Han}", after)
