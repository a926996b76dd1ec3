"""Pairs of answers to one case, as two runs gave them: their words, what changed marked, their media, the verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.records import ORIGINAL, MediaItem
from oloproof.reports.case_views import CaseViews, worst_word
from oloproof.reports.changes import Pieces, changed_words
from oloproof.reports.contexts import Fact, Mark
from oloproof.reports.delivered import shown_media
from oloproof.reports.wording import is_scored, json_lines, json_words, number_text, one_line, outcome_word, visible
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.pairs import Side
from oloproof.workbench.pages.addresses import case_address
from oloproof.workbench.pages.compared import Compared
from oloproof.workbench.pages.differences import Names
from oloproof.workbench.pages.gallery import MARKS, Picture, picture_of
from oloproof.workbench.pages.pictures import Medium, PairPicture, medium_of

SHORT, LONG = 280, 2_000
"""Characters shown of an output in the list, and of the pair that is opened."""
_LEAD = 60
"""Characters that stay before the first change where both begin alike for long."""


class SideView(Struct, frozen=True):
    """What one run gave: its verdict by the chosen criterion, its words and its files.

    ``word`` is empty where the run has no such case. ``media`` are there for the opened pair only (those that are not
    held against each other), ``picture`` only for the others. ``more`` says what of the text is not shown.
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


class PairView(Struct, frozen=True):
    """One case in both runs, the baseline first.

    ``pictures`` are those that are held against each other, two by two; ``input`` a picture of what both were given,
    and ``given`` those files at their full size, for the opened pair of systems that made no files.
    """

    id: str
    address: str
    opened: bool
    slice: tuple[Fact, ...]
    place: str
    scores: str
    baseline: SideView
    candidate: SideView
    pictures: tuple[tuple[PairPicture, PairPicture], ...]
    input: Picture | None
    given: tuple[Medium, ...]
    note: str


class _Given(Struct, frozen=True):
    """What one run has of a case: the trial that is shown, among all its repeats."""

    run: StoredRun
    name: str
    side: Side | None
    repeats: Sequence[Side]

    def media(self, role: str) -> list[MediaItem]:
        """Return the files of one role."""
        return [] if self.side is None else [item for item in self.side.media if item.role == role]


class PairViews(Struct, frozen=True):
    """Makes the views of pairs by one criterion; ``address`` gives where a pair is opened."""

    browsing: Browsing
    compared: Compared
    names: Names
    criterion: str
    views: CaseViews
    address: Callable[[str], str]

    def listed(self, cases: Sequence[str], opened: str) -> Iterator[PairView]:
        """Yield the pairs of a page in its order, each in a few lines."""
        for case, old, new in self._given(cases):
            told = [
                self._short(given, *words) for given, words in zip((old, new), _words(old, new, SHORT), strict=True)
            ]
            made = old.media("output") or new.media("output")
            yield self._pair(case, old, new, told, given=not made, opened=case == opened)

    def opened(self, case: str, place: str) -> PairView:
        """Return one pair at its full size; ``place`` says in words where it stands."""
        _, old, new = next(self._given([case]))
        media = [list(self._media(given, "output")) for given in (old, new)]
        made = any(media)
        shared: tuple[Medium, ...] = ()
        if not made:
            shared, media = _shared([list(self._media(given, "input")) for given in (old, new)])
        pictures = tuple(_held(self.names, *media))
        held = {picture.address for pair in pictures for picture in pair}
        told = [
            self._long(
                given, pieces, prose, more, tuple(one for one in files if one.shown not in held or not one.shown)
            )
            for given, (pieces, prose, more), files in zip((old, new), _words(old, new, LONG), media, strict=True)
        ]
        return self._pair(case, old, new, told, given=made, opened=True, place=place, pictures=pictures, shared=shared)

    def _given(self, cases: Sequence[str]) -> Iterator[tuple[str, _Given, _Given]]:
        baseline, candidate = self.compared.baseline, self.compared.candidate
        olds, news = (
            self.compared.pairs.sides(run, self.compared.number(run, self.criterion), cases)
            for run in (baseline, candidate)
        )
        for case in cases:
            before, after = olds.get(case, []), news.get(case, [])
            new, old = _telling(after, before)
            yield (
                case,
                _Given(baseline, self.names.baseline, old, before),
                _Given(candidate, self.names.candidate, new, after),
            )

    def _pair(
        self,
        case: str,
        old: _Given,
        new: _Given,
        told: Sequence[SideView],
        *,
        given: bool,
        opened: bool,
        place: str = "",
        pictures: tuple[tuple[PairPicture, PairPicture], ...] = (),
        shared: tuple[Medium, ...] = (),
    ) -> PairView:
        some = new if new.side is not None else old
        other = case in self.compared.pairs.differences().inputs
        return PairView(
            id=visible(case),
            address=self.address(case),
            opened=opened,
            slice=_slice(some.side),
            place=place,
            scores=_scores(new.side, old.side),
            baseline=told[0],
            candidate=told[1],
            pictures=pictures,
            input=picture_of(some.run, some.media("input")) if given else None,
            given=shared,
            note="The two runs gave it different inputs." if other else "",
        )

    def _short(self, given: _Given, pieces: Pieces, prose: bool, more: str) -> SideView:
        view = self._long(given, pieces, prose, more, ())
        return replace(view, reason=one_line(view.reason, 200), picture=picture_of(given.run, given.media("output")))

    def _long(self, given: _Given, pieces: Pieces, prose: bool, more: str, media: tuple[Medium, ...]) -> SideView:
        side, repeats = given.side, given.repeats
        if side is None:
            return SideView(given.name, "missing", "", "", "not in this run", (), True, "", (), None, "", "")
        query = [("criterion", self.criterion), ("variant", ORIGINAL), ("repeat", str(side.repeat))]
        scored = is_scored(given.run, self.compared.number(given.run, self.criterion))
        word = outcome_word(side.outcome, scored=scored)
        return SideView(
            name=given.name,
            mark=MARKS[word],
            word=word,
            score="" if side.score is None else number_text(round(side.score, 3)),
            reason=one_line(side.error or side.reason, LONG),
            pieces=pieces,
            prose=prose,
            more=more,
            media=media,
            picture=None,
            repeats=_repeats(side, repeats, "scored" if scored else "pass"),
            address=case_address(given.run.id, side.case_id, query),
        )

    def _media(self, given: _Given, role: str) -> Iterator[Medium]:
        """Yield one run's files of the case in a role, each after a look whether it is as it was recorded."""
        side = given.side
        if side is None:
            return
        trial = next(
            one
            for one in self.browsing.trials(given.run, case=side.case_id)
            if (one.variant, one.repeat) == (ORIGINAL, side.repeat)
        )
        shown = self.views.case(given.run, [trial], worst_word(trial), 0).trials[0]
        for item, view in zip(shown_media(trial), shown.media, strict=True):
            if item.role == role:
                yield medium_of(self.views.reader, given.run.id, item, view)


def _shared(media: list[list[Medium]]) -> tuple[tuple[Medium, ...], list[list[Medium]]]:
    """Return the files that both runs were given, and those of each where they are not the same."""
    old, new = ([one.view.sha256 for one in files] for files in media)
    if old == new or not old or not new:
        return tuple(media[1] or media[0]), [[], []]
    return (), media


def _held(names: Names, old: Sequence[Medium], new: Sequence[Medium]) -> Iterator[tuple[PairPicture, PairPicture]]:
    """Yield the pictures of both runs two by two, in their order, where both are as they were recorded."""
    for one, other in zip(old, new, strict=False):
        if all(
            medium.view.kind == "image" and medium.view.state == "verified" and medium.shown for medium in (one, other)
        ):
            yield (
                PairPicture(names.baseline, one.shown, one.alpha),
                PairPicture(names.candidate, other.shown, other.alpha),
            )


def _words(old: _Given, new: _Given, longest: int) -> Iterator[tuple[Pieces, bool, str]]:
    """Yield, for each run, its answer in pieces, whether it is prose, and what of it is not shown."""
    texts = [_text(given.side) for given in (old, new)]
    if old.side is not None and new.side is not None:
        told = _told(texts[0][0], texts[1][0], longest)
    else:
        told = [_alone(text, longest) for text, _ in texts]
    for (pieces, more), (_, prose) in zip(told, texts, strict=True):
        yield pieces, prose, more


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


def _repeats(side: Side, repeats: Sequence[Side], word: str) -> str:
    if len(repeats) < 2:
        return ""
    passed = sum(one.outcome == "pass" for one in repeats)
    return f"repeat {side.repeat}; {passed} of {len(repeats)} {word}"


def _slice(side: Side | None) -> tuple[Fact, ...]:
    values = json.loads(side.slice) if side is not None and side.slice else {}
    return tuple(Fact(one_line(key, 40), one_line(json_words(value), 80)) for key, value in list(values.items())[:6])
