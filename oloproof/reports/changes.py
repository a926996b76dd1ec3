"""Which words of two texts differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

MOST_WORDS = 200
"""Words, blanks and marks in which two texts may differ and still be held against each other. Beyond, everything
between counts as changed, since the time to tell grows with the cube of it."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class Piece(Struct, frozen=True):
    """A part of a text; ``changed`` when the other text has something else in its place."""

    text: str
    changed: bool


Pieces = tuple[Piece, ...]


def changed_words(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Return both texts in pieces, word by word; joined again they are the texts.

    What both begin and end with is left out of the comparison, so that long texts which differ in a few words are
    told exactly.
    """
    olds, news = _WORD.findall(before), _WORD.findall(after)
    start = _shared(olds, news)
    end = _shared(olds[start:][::-1], news[start:][::-1])
    old_middle, new_middle = olds[start : len(olds) - end], news[start : len(news) - end]
    head, tail = [(word, False) for word in olds[:start]], [(word, False) for word in olds[len(olds) - end :]]
    old_told, new_told = _told(old_middle, new_middle)
    return _joined([*head, *old_told, *tail]), _joined([*head, *new_told, *tail])


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


Told = list[tuple[str, bool]]


def _told(olds: Sequence[str], news: Sequence[str]) -> tuple[Told, Told]:
    if max(len(olds), len(news)) > MOST_WORDS:
        return [(word, True) for word in olds], [(word, True) for word in news]
    old_told: Told = []
    new_told: Told = []
    for tag, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        old_told += [(word, tag != "equal") for word in olds[a:b]]
        new_told += [(word, tag != "equal") for word in news[c:d]]
    return old_told, new_told


def _joined(told: Told) -> Pieces:
    """Return words as few pieces: a blank between two changed words is changed with them."""
    bridged = [
        (word, changed or (word.isspace() and _between(told, place))) for place, (word, changed) in enumerate(told)
    ]
    return tuple(_merged(bridged))


def _between(told: Told, place: int) -> bool:
    return 0 < place < len(told) - 1 and told[place - 1][1] and told[place + 1][1]


def _merged(told: Told) -> Iterator[Piece]:
    start = 0
    for place in range(1, len(told) + 1):
        if place == len(told) or told[place][1] != told[start][1]:
            yield Piece("".join(word for word, _ in told[start:place]), told[start][1])
            start = place
