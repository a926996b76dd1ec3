"""The members of one family as they were observed, and the value that each contributes to a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, TypeVar

from msgspec import Struct, field

from oloproof import statistics as st
from oloproof.policy.answers import AnswerOf
from oloproof.policy.metrics import Measure, SliceFilter, reduce_repeats
from oloproof.records import ORIGINAL
from oloproof.statistics import Span
from oloproof.storage import Observation

Unknown = Literal["missing", "invalid"]
T = TypeVar("T")


class Family(Struct):
    """One case with its variants, each with its repeats in order. ``slice`` is as it was stored.

    ``known`` keeps what was read off it, since many metrics stand on the same few values.
    """

    case_id: str
    slice: str | None
    members: dict[str, list[Observation]] = field(default_factory=dict)
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def once(self, what: str, variant: str, read: Callable[[Family, str], T]) -> T:
        """Return what ``read`` gives of a variant, read once."""
        key = (what, variant)
        if key not in self.known:
            self.known[key] = read(self, variant)
        found: T = self.known[key]
        return found


def families(observations: Iterable[Observation], slice_: Mapping[str, Any] | None = None) -> Iterator[Family]:
    """Yield the families; the observations of a case stand together, as runs keep them."""
    wanted = SliceFilter(slice_)
    for case_id, seen in groupby((one for one in observations if wanted(one.slice)), key=attrgetter("case_id")):
        family: Family | None = None
        for one in seen:
            if family is None:
                family = Family(case_id, one.slice)
            family.members.setdefault(one.variant, []).append(one)
        if family is not None:
            yield family


class Reader(Struct, frozen=True):
    """Reads values off families for one criterion. ``relations`` says what each variant claims to be."""

    measure: Measure
    answer: AnswerOf
    relations: Mapping[str, str]

    def related(self, family: Family, relation: str) -> list[str]:
        """Return the variants of a family that stand in a relation to the original, in their order."""
        return [name for name in family.members if self.relations.get(name) == relation]

    def accuracy(self, family: Family, variant: str) -> Span:
        """Return the share of repeats that pass, or whether enough of them do; of a score its place in its range."""
        return family.once("accuracy", variant, self._accuracy)

    def _accuracy(self, family: Family, variant: str) -> Span:
        value = reduce_repeats(family.members[variant], self.measure)
        low, high = self.measure.score_range if self.measure.kind == "score" else (0.0, 1.0)
        return (value.low - low) / (high - low), (value.high - low) / (high - low)

    def delta(self, family: Family, variant: str) -> Span:
        """Return the variant's accuracy minus the original's."""
        return st.difference_span(self.accuracy(family, variant), self.accuracy(family, ORIGINAL))

    def gain(self, family: Family, variant: str) -> Span:
        """Return the original's accuracy minus the variant's."""
        return st.difference_span(self.accuracy(family, ORIGINAL), self.accuracy(family, variant))

    def change_rate(self, family: Family, variant: str) -> Span:
        """Return how often the answer of a variant differs from the original's."""
        return family.once("change_rate", variant, self._change_rate)

    def _change_rate(self, family: Family, variant: str) -> Span:
        return st.changed_span(self._answers(family, variant), self._answers(family, ORIGINAL))

    def noise_floor(self, family: Family) -> Span | None:
        """Return how often the answer differs where nobody could see a difference; None where nothing tells."""
        return family.once("noise_floor", ORIGINAL, self._noise_floor)

    def _noise_floor(self, family: Family, variant: str) -> Span | None:
        same = self.related(family, "same_view")
        if same:
            return st.mean_span([self.change_rate(family, name) for name in same])
        return st.unrest_span(self._answers(family, variant))

    def effect(self, family: Family, variant: str) -> Span | None:
        """Return how often the answer differs above the noise floor."""
        floor = self.noise_floor(family)
        return None if floor is None else st.difference_span(self.change_rate(family, variant), floor)

    def passes(self, family: Family, variant: str) -> list[bool | None]:
        """Return whether each repeat passed, None where it is missing or invalid or was not run."""
        return family.once("passes", variant, self._passes)

    def _passes(self, family: Family, variant: str) -> list[bool | None]:
        known = {"pass": True, "fail": False}
        found = [known.get(one.outcome) for one in family.members[variant]]
        return [*found, *[None] * (self.measure.repeats - len(found))]

    def label(self, family: Family, variant: str) -> str | None:
        """Return the label that most repeats have, the first of those that tie; None without a usable answer."""
        labels = [one.label for one in family.members[variant] if one.outcome in ("pass", "fail") and one.label]
        return max(labels, key=labels.count) if labels else None

    def _answers(self, family: Family, variant: str) -> list[str | None]:
        return family.once("answers", variant, self._read_answers)

    def _read_answers(self, family: Family, variant: str) -> list[str | None]:
        found = [self.answer(one) for one in family.members[variant]]
        return [*found, *[None] * (self.measure.repeats - len(found))]


def unknown_of(family: Family, variants: Sequence[str]) -> Unknown:
    """Return what a case that is not whole is: invalid where all that is not known was answered and unusable."""
    outcomes = [one.outcome for name in variants for one in family.members.get(name, ())]
    open_ones = [outcome for outcome in outcomes if outcome not in ("pass", "fail")]
    return "invalid" if open_ones and set(open_ones) == {"invalid"} else "missing"
