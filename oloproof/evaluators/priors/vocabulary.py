"""The values that an answer may name, each with its aliases, and where an answer names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

import regex  # type: ignore[import-untyped]
from msgspec import Struct

from oloproof.evaluators.priors.tokens import Token, cleaned, tokens_of

Side = Literal["visual", "prior", "other"]

_HANGUL = regex.compile(r"\p{Hangul}+")
_PARTICLES = frozenset("은는이가을를의에로으도과와만입예인임였네요죠랑")
_SEVERAL = frozenset(["some", "many", "several", "these", "those", "few", "both", "all", "more", "most", "no"])


class Mention(Struct, frozen=True):
    """A value named in an answer: ``sides`` it belongs to, the value as it was given, and which tokens name it."""

    sides: frozenset[Side]
    value: str
    first: int
    last: int


_Key = str | Fraction


class _Entry(Struct, frozen=True):
    keys: tuple[_Key, ...]
    sides: frozenset[Side]
    value: str


class Vocabulary:
    """The visual value, the value that people would expect, and others, as rows of tokens.

    Accents are left out where that merges no two sides. Numbers are their values: ``3``, ``three`` and ``3.0`` are
    one, ``3,000`` and ``-3`` are others.

    Raises:
        ValueError: a value holds no word and no number, or one stands on both the visual and the prior side.
    """

    def __init__(self, visual: Sequence[str], prior: Sequence[str], other: Iterable[str] = ()) -> None:
        named: list[tuple[Side, str]] = [("visual", value) for value in visual]
        named += [("prior", value) for value in prior]
        named += [("other", value) for value in other]
        rows = [(side, value, list(tokens_of(cleaned(value)))) for side, value in named]
        empty = next((value for _, value, tokens in rows if not tokens), None)
        if empty is not None:
            raise ValueError(f"the value {empty!r} holds no word and no number, so no answer could name it")
        self._exact = False
        clash = _clash(rows, exact=False)
        if clash is not None:
            self._exact = True
            clash = _clash(rows, exact=True)
        if clash is not None:
            raise ValueError(f"{clash!r} stands for both the visual and the prior value")
        self._by_first: dict[_Key, list[_Entry]] = {}
        for entry in _entries(rows, exact=self._exact):
            self._by_first.setdefault(entry.keys[0], []).append(entry)

    def mentions(self, tokens: Sequence[Token]) -> list[Mention]:
        """Return where the values are named; of two that overlap the longer one counts."""
        found = [
            Mention(entry.sides, entry.value, place, place + len(entry.keys) - 1)
            for place in range(len(tokens))
            for entry in self._found_at(tokens, place)
        ]
        if len(found) < 2:
            return found
        found.sort(key=lambda one: (one.first - one.last, one.first))
        taken: set[int] = set()
        kept: list[Mention] = []
        for one in found:
            places = set(range(one.first, one.last + 1))
            if taken.isdisjoint(places):
                taken |= places
                kept.append(one)
        return sorted(kept, key=lambda one: one.first)

    def _found_at(self, tokens: Sequence[Token], place: int) -> Iterator[_Entry]:
        token = tokens[place]
        key = _key(token, self._exact)
        for entry in self._by_first.get(key, ()):
            if self._stands(entry, tokens, place):
                yield entry
        if isinstance(key, str):
            for form in _other_forms(key, token, tokens[place - 1] if place else None):
                yield from (entry for entry in self._by_first.get(form, ()) if len(entry.keys) == 1)

    def _stands(self, entry: _Entry, tokens: Sequence[Token], place: int) -> bool:
        """Return whether the tokens from a place on are those of an entry, the last perhaps in another form."""
        last = len(entry.keys) - 1
        if place + last >= len(tokens):
            return False
        for offset, wanted in enumerate(entry.keys[1:], 1):
            token = tokens[place + offset]
            found = _key(token, self._exact)
            if not token.joined:
                return False
            if wanted != found and not (
                offset == last
                and isinstance(found, str)
                and wanted in _other_forms(found, token, tokens[place + offset - 1])
            ):
                return False
        return True


def _entries(rows: Iterable[tuple[Side, str, list[Token]]], *, exact: bool) -> list[_Entry]:
    merged: dict[tuple[_Key, ...], _Entry] = {}
    for side, value, tokens in rows:
        keys = tuple(_key(token, exact) for token in tokens)
        known = merged.get(keys)
        if known is None:
            merged[keys] = _Entry(keys, frozenset((side,)), value)
        elif side != "other":  # a value of a side that is also listed among the others belongs to its side
            merged[keys] = _Entry(keys, (known.sides - {"other"}) | {side}, known.value)
    return list(merged.values())


def _clash(rows: Iterable[tuple[Side, str, list[Token]]], *, exact: bool) -> str | None:
    return next((one.value for one in _entries(rows, exact=exact) if {"visual", "prior"} <= one.sides), None)


def _key(token: Token, exact: bool) -> _Key:
    return token.value if token.value is not None else token.exact if exact else token.text


def _other_forms(word: str, token: Token, before: Token | None) -> list[str]:
    """Return the words that a token may be a form of: one with a Korean particle, one that is counted."""
    if _HANGUL.fullmatch(word):
        return [word[:end] for end in range(1, len(word)) if word[end] in _PARTICLES]
    if before is None or token.pause or not (before.value is not None or before.text in _SEVERAL):
        return []
    shorter = [word[: -len(end)] for end in ("s", "es") if word.endswith(end)]
    return (
        [*shorter, f"{word[:-3]}y", f"{word}s", f"{word}es"]
        if word.endswith("ies")
        else [*shorter, f"{word}s", f"{word}es"]
    )
