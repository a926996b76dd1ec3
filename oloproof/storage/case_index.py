"""The cases of one run as filters and orders ask about them, read once and kept in memory.

It is one short text a trial. A finished run never changes, so every further page of it, its counts and the neighbours
of a case cost the same at any number of cases.
"""

from __future__ import annotations

import difflib
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from oloproof.records import Outcome
from oloproof.storage.kept import Kept
from oloproof.storage.sql import like_pattern
from oloproof.storage.store import Store
from oloproof.storage.stored import StoredRun
from oloproof.storage.tiles import RANKS, WORST_FIRST, Tile, read_tiles

Slice = tuple[tuple[str, str], ...]
Sort = Literal["worst", "run", "score", "time"]
SORTS: tuple[Sort, ...] = ("worst", "run", "score", "time")
"""Those that did not pass first; the order of the run; the lowest score first; the slowest first."""

_MISSING = WORST_FIRST.index("missing")
_MOST_FILTERS, _NEAR = 32, 2_000


class Filter(Struct, frozen=True):
    """Which cases of a run, in which order.

    ``criterion`` is its number in the run. ``outcome`` is that of the criterion, or else the worst of all of them;
    of several trials of a case the worst counts, with ``variant`` of those of that one. ``slice`` has (key, value as
    text); ``text`` is looked for in the id, the output, the error and the reasons, whatever the case of its ASCII
    letters.
    """

    criterion: int | None = None
    outcome: Outcome | None = None
    slice: Slice = ()
    text: str = ""
    sort: Sort = "worst"
    variant: str | None = None


class GalleryPage(Struct, frozen=True):
    """A page of tiles: the first is the ``start``-th (from 0) of ``total`` that match.

    ``previous`` and ``next`` are what to give as ``after`` for the pages before and behind; None where there is no
    such page. The first page is asked for with an empty text.
    """

    tiles: tuple[Tile, ...]
    start: int
    total: int
    previous: str | None
    next: str | None


def page_start(place: int, total: int, size: int) -> int:
    """Return where a page begins that is to begin at ``place`` of ``total``: the last one where nothing is there."""
    return place if place < total else max(total - size, 0)


class Neighbours(Struct, frozen=True):
    """Where a case stands among those that match: ``number`` counts from 1, None when it does not match itself."""

    number: int | None
    total: int
    previous: str | None
    next: str | None


class CaseIndex:
    """The cases of one run in its order, with what filters and orders ask about."""

    def __init__(self, store: Store, run: StoredRun) -> None:
        self._store = store
        self._run = run
        self.cases: list[str] = []
        self._places: list[list[int]] = []
        """The places of each case's trials among all that were read."""
        self._rows: list[int] = []
        """The row of each trial."""
        self._said: list[str] = []
        """For each trial its outcomes, one digit a criterion: few different texts, each held once."""
        self._variants: list[str] = []
        """The variant of each trial."""
        self._slices: list[str | None] = []
        self._orders: Kept[Filter, list[int]] = Kept(_MOST_FILTERS)
        self._found: Kept[tuple[Slice, str, str | None], list[int]] = Kept(_MOST_FILTERS)
        self._ranks: Kept[tuple[int | None, str | None], list[int]] = Kept(_MOST_FILTERS)
        self._values: Kept[tuple[Sort, int | None, str | None], list[float]] = Kept(_MOST_FILTERS)
        self._read()

    def _read(self) -> None:
        # a trial's verdicts lie in the order of the criteria, which is their key
        query = """
            SELECT id, case_id, slice, variant,
                (SELECT group_concat(outcome, '') FROM verdicts WHERE verdicts.trial = trials.id)
            FROM trials WHERE run = ? ORDER BY position
        """
        texts: dict[str, str] = {}
        found = self._store.rows(query, (self._run.number,))
        for place, (row, case, slice_, variant, outcomes) in enumerate(found):
            if not self.cases or self.cases[-1] != case:
                self.cases.append(case)
                self._places.append([])
                self._slices.append(None if slice_ is None else texts.setdefault(slice_, slice_))
            self._places[-1].append(place)
            self._rows.append(row)
            self._variants.append(texts.setdefault(variant, variant))
            self._said.append(texts.setdefault(outcomes or "", outcomes or ""))

    def slices(self) -> dict[str, list[str]]:
        """Return the values of each slice key as texts, the most frequent first."""
        counts: dict[str, Counter[str]] = {}
        for text, count in Counter(self._slices).items():
            for key, value in _slice_values(text).items():
                counts.setdefault(key, Counter())[value] += count
        return {key: [value for value, _ in values.most_common()] for key, values in sorted(counts.items())}

    def tally(self, wanted: Filter) -> dict[Outcome, int]:
        """Return how many cases there are of each outcome, whatever outcome ``wanted`` asks for."""
        ranks = self._ranks_of(wanted)
        counts = Counter(ranks[case] for case in self._within(wanted))
        return {outcome: counts[rank] for rank, outcome in enumerate(WORST_FIRST)}

    def page(self, wanted: Filter, size: int, after: str = "") -> GalleryPage:
        """Return the ``size`` cases that follow the one called ``after``; the first ones when it is not among them."""
        order = self._order(wanted)
        start = page_start(self._place(order, after) + 1, len(order), size)
        chosen = order[start : start + size]
        rows = [self._worst_row(case, wanted) for case in chosen]
        tiles = read_tiles(self._store, rows, wanted.criterion)
        more = start + size < len(order)
        back = max(start - size, 0)
        return GalleryPage(
            tiles=tuple(tiles[row] for row in rows),
            start=start,
            total=len(order),
            previous=None if start == 0 else self.cases[order[back - 1]] if back else "",
            next=self.cases[chosen[-1]] if more else None,
        )

    def neighbours(self, wanted: Filter, case: str) -> Neighbours:
        """Return which cases stand before and behind ``case`` among those that match."""
        order = self._order(wanted)
        place = self._place(order, case)
        if place < 0:
            return Neighbours(None, len(order), None, self.cases[order[0]] if order else None)
        return Neighbours(
            place + 1,
            len(order),
            self.cases[order[place - 1]] if place else None,
            self.cases[order[place + 1]] if place + 1 < len(order) else None,
        )

    def near(self, name: str, count: int = 5) -> list[str]:
        """Return ids that look like ``name``, the nearest first."""
        for length in (3, 1, 0):
            pool = [case for case in self.cases if case.startswith(name[:length])][:_NEAR]
            found = difflib.get_close_matches(name, pool, count, 0.4)
            if found:
                return found
        return self.cases[:count]

    def _place(self, order: list[int], case: str) -> int:
        try:
            return order.index(self.cases.index(case))
        except ValueError:
            return -1

    def said(self, case: int, criterion: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the variant of each trial of the ``case``-th case, and what the criterion says of it."""
        for place in self._places[case]:
            yield self._variants[place], WORST_FIRST[_rank(self._said[place], criterion)]

    def _own(self, case: int, variant: str | None) -> list[int]:
        """Return the places of a case's trials, those of one variant."""
        places = self._places[case]
        return places if variant is None else [place for place in places if self._variants[place] == variant]

    def _worst_row(self, case: int, wanted: Filter) -> int:
        places = self._own(case, wanted.variant)
        return self._rows[min(places, key=lambda place: _rank(self._said[place], wanted.criterion))]

    def _order(self, wanted: Filter) -> list[int]:
        """Return the numbers of the cases that match, in the order asked for."""
        return self._orders.get(wanted, lambda: self._sorted(wanted))

    def _ranks_of(self, wanted: Filter) -> list[int]:
        """Return the rank of the worst that is said of each case; a case without the variant is missing."""

        def make() -> list[int]:
            of_text = {text: _rank(text, wanted.criterion) for text in set(self._said)}
            ranks = [of_text[text] for text in self._said]
            return [
                ranks[own[0]] if len(own) == 1 else min((ranks[one] for one in own), default=_MISSING)
                for own in (self._own(case, wanted.variant) for case in range(len(self.cases)))
            ]

        return self._ranks.get((wanted.criterion, wanted.variant), make)

    def _within(self, wanted: Filter) -> list[int]:
        """Return the cases whose slice and text match and that have the variant, in the order of the run."""
        return self._found.get((wanted.slice, wanted.text, wanted.variant), lambda: self._searched(wanted))

    def _searched(self, wanted: Filter) -> list[int]:
        cases = list(range(len(self.cases)))
        if wanted.variant is not None:
            cases = [case for case in cases if self._own(case, wanted.variant)]
        if wanted.slice:
            holds = {text: _holds(text, wanted.slice) for text in set(self._slices)}
            cases = [case for case in cases if holds[self._slices[case]]]
        if wanted.text:
            named = self._naming(wanted.text)
            cases = [case for case in cases if any(self._rows[one] in named for one in self._own(case, wanted.variant))]
        return cases

    def _naming(self, text: str) -> set[int]:
        """Return the rows of the trials in which a text stands."""
        query = """
            SELECT trials.id FROM trials JOIN executions ON executions.id = trials.execution
            WHERE trials.run = :run AND (
                trials.case_id LIKE :text ESCAPE '\\'
                OR executions.output LIKE :text ESCAPE '\\'
                OR executions.error LIKE :text ESCAPE '\\'
                OR EXISTS (
                    SELECT 1 FROM verdicts WHERE verdicts.trial = trials.id AND verdicts.reason LIKE :text ESCAPE '\\'
                )
            )
        """
        rows = self._store.rows(query, {"run": self._run.number, "text": like_pattern(text)})
        return {row[0] for row in rows}

    def _sorted(self, wanted: Filter) -> list[int]:
        found, ranks = self._within(wanted), self._ranks_of(wanted)
        if wanted.outcome is not None:
            rank = WORST_FIRST.index(wanted.outcome)
            found = [case for case in found if ranks[case] == rank]
        if wanted.sort == "run":
            return found
        if wanted.sort == "worst":
            return found if wanted.outcome is not None else sorted(found, key=ranks.__getitem__)
        criterion = wanted.criterion if wanted.sort == "score" else None
        key = (wanted.sort, criterion, wanted.variant)
        values = self._values.get(key, lambda: self._measured(*key))
        return sorted(found, key=values.__getitem__)

    def _measured(self, sort: Sort, criterion: int | None, variant: str | None) -> list[float]:
        """Return what each case is sorted by: its lowest score, or its longest time below zero."""
        values: dict[str, Any] = {"run": self._run.number, "most": len(self._said), "criterion": criterion}
        if sort == "time":
            value = "SELECT -seconds FROM executions WHERE executions.id = trials.execution"
        else:
            value = "SELECT min(score) FROM verdicts WHERE verdicts.trial = trials.id"
            value += "" if criterion is None else " AND criterion = :criterion"
        query = f"SELECT ({value}) FROM trials WHERE run = :run ORDER BY position LIMIT :most"
        measured = [math.inf if row[0] is None else row[0] for row in self._store.rows(query, values)]
        return [
            min((measured[place] for place in self._own(case, variant)), default=math.inf)
            for case in range(len(self.cases))
        ]


def _rank(said: str, criterion: int | None) -> int:
    if criterion is None:
        return min((RANKS[digit] for digit in said), default=_MISSING)
    return RANKS[said[criterion]] if criterion < len(said) else _MISSING


def _slice_values(text: str | None) -> dict[str, str]:
    values = {} if text is None else json.loads(text)
    return {key: one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for key, one in values.items()}


def _holds(text: str | None, wanted: tuple[tuple[str, str], ...]) -> bool:
    values = _slice_values(text)
    return all(values.get(key) == value for key, value in wanted)
