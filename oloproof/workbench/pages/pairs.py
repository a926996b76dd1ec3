"""Pairs of answers to one case, as two runs gave them: their words, what changed marked, their media, the verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from oloproof.records import MediaItem
from oloproof.reports.case_views import CaseViews, worst_word
from oloproof.reports.changes import Pieces, changed_words
from oloproof.reports.contexts import Fact, Mark
from oloproof.reports.delivered import shown_media
from oloproof.reports.wording import json_lines, json_words, number_text, one_line, visible
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.pairs import Side
from oloproof.workbench.pages.addresses import case_address
from oloproof.workbench.pages.compared import Compared
from oloproof.workbench.pages.differences import Names
from oloproof.workbench.pages.gallery import MARKS, Picture, picture_of
from oloproof.workbench.pages.pictures import Medium, medium_of

SHORT, LONG = 280, 2_000
"""Characters shown of an output in the list, and of the pair that is opened."""
_LEAD = 60
"""Characters that stay before the first change where both begin alike for long."""


@dataclass(frozen=True, slots=True)
class SideView:
    """What one run gave: its verdict by the chosen criterion, its words and its files.

    ``word`` is empty where the run has no such case. ``media`` are there for the opened pair only, ``picture`` only
    for the others. ``more`` says what of the text is not shown.
    """

    name: str
    mark: Mark
    word: str
    score: str
    reason: str
    pieces: Pieces
    prose: bool
    more: str
    media: tuple[Medium, ...]
    picture: Picture | None
    repeats: str
    address: str


@dataclass(frozen=True, slots=True)
class PairView:
    """One case in both runs, the baseline first. ``input`` is a picture of what both were given, if there is one."""

    id: str
    address: str
    opened: bool
    slice: tuple[Fact, ...]
    place: str
    scores: str
    baseline: SideView
    candidate: SideView
    input: Picture | None
    note: str


@dataclass(frozen=True, slots=True)
class PairViews:
    """Makes the views of pairs by one criterion; ``address`` gives where a pair is opened."""

    browsing: Browsing
    compared: Compared
    names: Names
    criterion: str
    views: CaseViews
    address: Callable[[str], str]

    def listed(self, cases: Sequence[str], opened: str) -> Iterator[PairView]:
        """Yield the pairs of a page in its order, each in a few lines."""
        new, old = (self._sides(run, cases) for run in (self.compared.candidate, self.compared.baseline))
        for case in cases:
            yield self._pair(case, new.get(case, []), old.get(case, []), SHORT, "", opened=case == opened)

    def opened(self, case: str, place: str) -> PairView:
        """Return one pair at its full size."""
        new, old = (self._sides(run, [case]).get(case, []) for run in (self.compared.candidate, self.compared.baseline))
        return self._pair(case, new, old, LONG, place, opened=True)

    def _sides(self, run: StoredRun, cases: Sequence[str]) -> dict[str, list[Side]]:
        return self.compared.pairs.sides(run, self.compared.number(run, self.criterion), cases)

    def _pair(
        self, case: str, news: Sequence[Side], olds: Sequence[Side], longest: int, place: str, *, opened: bool
    ) -> PairView:
        new, old = _telling(news, olds)
        texts = [_text(side) for side in (old, new)]
        told = _told(texts[0][0], texts[1][0], longest) if new and old else [_alone(text, longest) for text, _ in texts]
        large, some = longest == LONG, new or old
        sides = [
            self._side(run, name, side, all_, pieces, more, texts[number][1], large=large)
            for number, (run, name, side, all_, (pieces, more)) in enumerate(
                (
                    (self.compared.baseline, self.names.baseline, old, olds, told[0]),
                    (self.compared.candidate, self.names.candidate, new, news, told[1]),
                )
            )
        ]
        made = any(item.role == "output" for side in (new, old) if side for item in side.media)
        run = self.compared.candidate if new else self.compared.baseline
        given = [] if some is None else [item for item in some.media if item.role == "input"]
        return PairView(
            id=visible(case),
            address=self.address(case),
            opened=opened,
            slice=_slice(some),
            place=place,
            scores=_scores(new, old),
            baseline=sides[0],
            candidate=sides[1],
            input=picture_of(run, given) if large or not made else None,
            note="The two runs gave it different inputs." if self._other_input(case) else "",
        )

    def _other_input(self, case: str) -> bool:
        return case in self.compared.pairs.differences().inputs

    def _side(
        self, run: StoredRun, name: str, side: Side | None, repeats: Sequence[Side], pieces: Pieces, more: str,
        prose: bool, *, large: bool,
    ) -> SideView:  # fmt: skip
        if side is None:
            return SideView(name, "missing", "", "", "not in this run", (), True, "", (), None, "", "")
        made = [item for item in side.media if item.role == "output"]
        query = [("criterion", self.criterion), ("repeat", str(side.repeat) if len(repeats) > 1 else "")]
        return SideView(
            name=name,
            mark=MARKS[side.outcome],
            word=side.outcome,
            score="" if side.score is None else number_text(round(side.score, 3)),
            reason=one_line(side.error or side.reason, LONG if large else 200),
            pieces=pieces,
            prose=prose,
            more=more,
            media=tuple(self._media(run, side, made)) if large else (),
            picture=None if large else picture_of(run, made),
            repeats=_repeats(side, repeats),
            address=case_address(run.id, side.case_id, query),
        )

    def _media(self, run: StoredRun, side: Side, made: Sequence[MediaItem]) -> Iterator[Medium]:
        trials = [one for one in self.browsing.trials(run, case=side.case_id) if one.repeat == side.repeat]
        for trial in trials[:1]:
            shown = self.views.case(run, [trial], worst_word(trial), 0).trials[0]
            for item, view in zip(shown_media(trial), shown.media, strict=True):
                if item in made:
                    yield medium_of(self.views.reader, run.id, item, view)


def _telling(news: Sequence[Side], olds: Sequence[Side]) -> tuple[Side | None, Side | None]:
    """Return the repeat in which the two runs differ most: in their verdicts, else in score, else in words."""
    both = [(new, old) for new, old in product(news, olds) if new.repeat == old.repeat]
    if not both:
        return next(iter(news), None), next(iter(olds), None)
    return max(
        both,
        key=lambda pair: (
            pair[0].outcome != pair[1].outcome,
            abs((pair[0].score or 0.0) - (pair[1].score or 0.0)),
            pair[0].output != pair[1].output,
        ),
    )


def _text(side: Side | None) -> tuple[str, bool]:
    """Return an output as text, and whether it is prose and not JSON."""
    if side is None or side.output is None:
        return "", True
    if side.is_cut:
        return visible(side.output), False
    value: Any = json.loads(side.output)
    prose = isinstance(value, str)
    return visible(value if prose else json_lines(value)), prose


def _told(before: str, after: str, longest: int) -> list[tuple[Pieces, str]]:
    """Return both texts in pieces, beginning shortly before they begin to differ, and what of each is not shown."""
    same = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = same - _LEAD if same > longest // 2 else 0
    windows = [text[start : start + longest] for text in (before, after)]
    pieces = changed_words(*windows)
    return [
        (one, _more(start, len(text) - start - longest))
        for one, text in zip(pieces, (before, after), strict=True)
    ]  # fmt: skip


def _alone(text: str, longest: int) -> tuple[Pieces, str]:
    return changed_words(text[:longest], text[:longest])[0], _more(0, len(text) - longest)


def _more(before: int, behind: int) -> str:
    parts = [f"{count:,} characters {where}" for count, where in ((before, "before"), (behind, "behind")) if count > 0]
    return f"{' and '.join(parts)} are not shown" if parts else ""


def _scores(new: Side | None, old: Side | None) -> str:
    if new is None or old is None or new.score is None or old.score is None:
        return ""
    return f"{number_text(round(old.score, 3))} → {number_text(round(new.score, 3))}"


def _repeats(side: Side, repeats: Sequence[Side]) -> str:
    if len(repeats) < 2:
        return ""
    passed = sum(one.outcome == "pass" for one in repeats)
    return f"repeat {side.repeat}; {passed} of {len(repeats)} pass"


def _slice(side: Side | None) -> tuple[Fact, ...]:
    values = json.loads(side.slice) if side is not None and side.slice else {}
    return tuple(Fact(one_line(key, 40), one_line(json_words(value), 80)) for key, value in list(values.items())[:6])
