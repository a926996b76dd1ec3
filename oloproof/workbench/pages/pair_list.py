"""The pairs of two runs under their tabs: broken, fixed, moved, unpaired; one page at a time, one pair opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from oloproof.reports.case_views import CaseViews
from oloproof.reports.withholding import Withholding
from oloproof.storage.case_index import page_start
from oloproof.workbench.pages.addresses import compare_address
from oloproof.workbench.pages.compared import TABS, Compared, Tab
from oloproof.workbench.pages.differences import Names
from oloproof.workbench.pages.gallery import Count
from oloproof.workbench.pages.pairs import PairView, PairViews
from oloproof.workbench.pages.shell import Link, Visit

SIZE = 24
_WORDS: dict[Tab, str] = {"broken": "Broken", "fixed": "Fixed", "moved": "Moved, same verdict", "unpaired": "Unpaired"}
_OF_SCORES: dict[Tab, str] = {**_WORDS, "broken": "Lower", "fixed": "Higher", "moved": "Moved, same score"}


class PairList(Struct, frozen=True):
    """The pairs of one tab. ``empty`` stands where there is none."""

    tabs: tuple[Count, ...]
    opened: PairView | None
    pairs: tuple[PairView, ...]
    empty: str
    previous: Link | None
    next: Link | None
    range: str


class _Place(Struct, frozen=True):
    """Which pairs are asked for."""

    compared: Compared
    criterion: str
    tab: Tab
    after: str

    def address(self, *, tab: Tab | None = None, after: str = "", case: str = "") -> str:
        """Return the address of other pairs of the same two runs."""
        query = [("criterion", self.criterion), ("tab", tab or self.tab), ("after", after), ("case", case)]
        return compare_address(self.compared.candidate.id, self.compared.baseline.id, query, "pairs")


def pair_list(visit: Visit, compared: Compared, names: Names, criterion: str) -> PairList:
    """Return the page of pairs that the address asks for: by itself the first tab that is not empty."""
    words = _words_of(compared, criterion)
    tabs = {tab: compared.order(criterion, tab) for tab in TABS}
    tab = next((one for one in TABS if one == visit.query.get("tab")), _first(tabs))
    place, order = _Place(compared, criterion, tab, visit.query.get("after", "")), tabs[tab]
    start = page_start(order.index(place.after) + 1 if place.after in order else 0, len(order), SIZE)
    shown, named = order[start : start + SIZE], visit.query.get("case", "")
    opened = named if named in shown else next(iter(shown), "")
    views = PairViews(
        visit.browsing,
        compared,
        names,
        criterion,
        CaseViews(visit.desk.reader, Withholding(frozenset(), visit.desk.root)),
        lambda case: place.address(after=place.after, case=case),
    )
    number = start + shown.index(opened) + 1 if shown else 0
    return PairList(
        tabs=tuple(_tabs(place, tabs, words)),
        opened=views.opened(opened, f"{number:,} of {len(order):,}, {words[tab].lower()}") if shown else None,
        pairs=tuple(views.listed(shown, opened)),
        empty="" if shown else f"No case stands under {words[tab].lower()}.",
        previous=_previous(place, order, start),
        next=Link("Next", place.address(after=shown[-1])) if start + SIZE < len(order) else None,
        range=f"{start + 1:,} to {start + len(shown):,} of {len(order):,}" if shown else "",
    )


def _first(tabs: dict[Tab, list[str]]) -> Tab:
    return next((tab for tab in TABS if tabs[tab]), TABS[0])


def _words_of(compared: Compared, criterion: str) -> dict[Tab, str]:
    found = compared.comparison(criterion)
    return _OF_SCORES if found is not None and found.passed_in_both is None else _WORDS


def _tabs(place: _Place, tabs: dict[Tab, list[str]], words: dict[Tab, str]) -> Iterator[Count]:
    for tab in TABS:
        yield Count(None, words[tab], f"{len(tabs[tab]):,}", place.address(tab=tab), tab == place.tab)


def _previous(place: _Place, order: Sequence[str], start: int) -> Link | None:
    if start == 0:
        return None
    return Link("Previous", place.address(after=order[start - SIZE - 1] if start > SIZE else ""))
