"""The label of an answer: ``visual``, ``prior``, ``mixed``, ``other``, ``unclear``, or a ``refusal``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from oloproof.evaluators.priors.phrases import phrase_at, refuses
from oloproof.evaluators.priors.tokens import Token, cleaned, tokens_of
from oloproof.evaluators.priors.vocabulary import Mention, Vocabulary

Label = Literal["visual", "prior", "mixed", "other", "unclear", "refusal"]
LABELS: tuple[Label, ...] = ("visual", "prior", "mixed", "other", "unclear")
"""The labels of an answer that was given; a refusal stands beside them and in no rate."""

_NEAR = 4
"""How many tokens away from a word a negation may stand that reaches no further than close by."""


class Reading(Struct, frozen=True):
    """What an answer was read as, and which values it states, negates, doubts or only calls usual."""

    label: Label
    stated: tuple[str, ...] = ()
    negated: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


class _Stance(Struct):
    """A value named in an answer, and how."""

    mention: Mention
    negated: bool
    doubted: bool
    usual: bool


def read_answer(answer: str, vocabulary: Vocabulary) -> Reading:
    """Return what an answer says among the values of a vocabulary.

    A value counts when it is stated: not negated (``not blue``), not doubted (``could be blue``), and not only called
    usual (``usually yellow, but this one is blue``) beside one that is stated. ``visual`` or ``prior`` beat ``other``;
    both of them are ``mixed``; none is ``unclear``.
    """
    text = cleaned(answer)
    if refuses(text):
        return Reading("refusal")
    stances = _stances(tokens_of(text), vocabulary)
    stated = [one for one in stances if not (one.negated or one.doubted or one.usual)]
    counted = stated or [one for one in stances if one.usual and not (one.negated or one.doubted)]
    return Reading(
        label=_label(counted),
        stated=_values(counted),
        negated=_values(one for one in stances if one.negated),
        doubted=_values(one for one in stances if one.doubted and not one.negated),
        usual=_values(one for one in stances if one.usual and one not in counted),
    )


def _label(stances: Sequence[_Stance]) -> Label:
    sides = {side for one in stances for side in one.mention.sides}
    if {"visual", "prior"} <= sides:
        return "mixed"
    for side in ("visual", "prior", "other"):
        if side in sides:
            return side
    return "unclear"


def _values(stances: Iterable[_Stance]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.mention.value for one in stances))


def _stances(tokens: Sequence[Token], vocabulary: Vocabulary) -> list[_Stance]:
    """Walk an answer once, word by word, and note how each value stands in it."""
    mentions = {one.first: one for one in vocabulary.mentions(tokens)}
    walk = _Walk()
    place = 0
    while place < len(tokens):
        walk.pause(tokens[place].pause)
        phrase = phrase_at(tokens, place)
        mention = mentions.get(place)
        if phrase is not None and (mention is None or (phrase[0] == "idiom" and phrase[1] > 1)):
            walk.phrase(phrase[0], place, place + phrase[1] - 1)
            place += phrase[1]
        elif mention is not None:
            walk.mention(mention)
            place = mention.last + 1
        else:
            place += 1
    return walk.stances


class _Walk:
    """What holds at the place that an answer is being read at."""

    def __init__(self) -> None:
        self.stances: list[_Stance] = []
        self._negating = self._doubting = self._usual = False
        self._negating_until = -1
        self._clause = 0

    def pause(self, pause: int) -> None:
        """End a negation at a pause, and what is usual once it was said; everything at the end of a sentence."""
        if pause:
            self._negating, self._negating_until = False, -1
            self._usual = self._usual and not any(stance.usual for stance in self.stances[self._clause :])
            self._clause = len(self.stances)
        if pause == 2:
            self._doubting = self._usual = False

    def mention(self, mention: Mention) -> None:
        """Note a value with what holds for it."""
        negated = self._negating or mention.first <= self._negating_until
        self.stances.append(_Stance(mention, negated, self._doubting, self._usual))

    def phrase(self, role: str, first: int, last: int) -> None:
        """Take in a phrase that turns what follows, or what stands before it in its clause."""
        if role == "not":
            self._negating = True
        elif role == "not_near":
            self._negating_until = last + _NEAR
        elif role == "not_before":
            if self.stances[self._clause :] and first - self.stances[-1].mention.last <= _NEAR:
                self.stances[-1].negated = True
        elif role == "but":
            self._negating = self._doubting = self._usual = False
            self._negating_until = -1
            self._clause = len(self.stances)
        elif role == "this":
            self._usual = False
        elif role == "doubt":
            self._doubting = True
        elif role == "usual":
            self._usual = True
            for stance in self.stances[self._clause :]:
                stance.usual = True
