"""The cases of a run as pictures or as a table: filters, counts, tiles, and the way to the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oloproof.records import ORIGINAL, MediaItem
from oloproof.reports.case_views import TINY
from oloproof.reports.contexts import Mark
from oloproof.reports.wording import is_scored, number_text, one_line, outcome_word, place_words, seconds_words, visible
from oloproof.storage import StoredRun
from oloproof.storage.case_index import CaseIndex, GalleryPage, Sort
from oloproof.storage.tiles import Tile
from oloproof.workbench.derived import is_drawn_here
from oloproof.workbench.pages.addresses import case_address, run_address, thumbnail_address
from oloproof.workbench.pages.choices import Choice, Option
from oloproof.workbench.pages.shell import Link
from oloproof.workbench.pages.wanted import EVERY, SLICE, Wanted, variants_of

SIZE = 60
MOST_VALUES = 50
MARKS: dict[str, Mark] = {
    "pass": "pass",
    "fail": "fail",
    "scored": "scored",
    "invalid": "invalid",
    "missing": "missing",
}
_SORTS: dict[Sort, str] = {
    "worst": "not passed first",
    "run": "order of the run",
    "score": "lowest score",
    "time": "slowest",
}


class Count(Struct, frozen=True):
    """How many cases have an outcome, with the address that shows them; ``chosen`` while they are shown."""

    mark: Mark | None
    words: str
    count: str
    address: str
    chosen: bool


class Picture(Struct, frozen=True):
    """What a tile shows; ``address`` is None where words must do. ``badge`` is its kind and length."""

    address: str | None
    words: str
    badge: str
    tiny: bool


class TileView(Struct, frozen=True):
    """One case: its worst outcome, by which criterion, why."""

    id: str
    address: str
    mark: Mark
    word: str
    criterion: str
    place: str
    score: str
    seconds: str
    reason: str
    picture: Picture | None


class Nothing(Struct, frozen=True):
    """What stands where no case matches: why, and what can be dropped for some to match."""

    sentence: str
    offers: tuple[Link, ...]


class Gallery(Struct, frozen=True):
    """A page of cases with its filters. ``families`` and ``figures`` are of the address, for the page's other part."""

    address: str
    words: str
    counts: tuple[Count, ...]
    choices: tuple[Choice, ...]
    text: str
    view: str
    families: str
    figures: bool
    views: tuple[Count, ...]
    tiles: tuple[TileView, ...]
    nothing: Nothing | None
    refused: tuple[str, ...]
    previous: Link | None
    next: Link | None
    range: str


def gallery_of(
    run: StoredRun, index: CaseIndex, wanted: Wanted, *, after: str = "", refused: tuple[str, ...] = ()
) -> Gallery:
    """Return the page of cases that follows the case called ``after``."""
    page = index.page(wanted.filter(run), SIZE, after)
    return Gallery(
        address=run_address(run.id, part="cases"),
        words=_words(page, len(index.cases)),
        counts=tuple(_counts(run, index, wanted)),
        choices=tuple(_choices(run, index, wanted)),
        text=wanted.text,
        view=wanted.view,
        families=wanted.families,
        figures=wanted.figures,
        views=tuple(_views(run, wanted)),
        tiles=tuple(_tile(run, one, wanted) for one in page.tiles),
        nothing=None if page.tiles else _nothing(run, index, wanted),
        refused=refused,
        previous=None if page.previous is None else Link("Previous", _page_address(run, wanted, page.previous)),
        next=None if page.next is None else Link("Next", _page_address(run, wanted, page.next)),
        range=f"{page.start + 1:,} to {page.start + len(page.tiles):,} of {page.total:,}" if page.tiles else "",
    )


def _words(page: GalleryPage, cases: int) -> str:
    shown = f"{len(page.tiles):,} of {page.total:,}"
    return shown if page.total == cases else f"{shown} that match, {cases:,} in the run"


def _page_address(run: StoredRun, wanted: Wanted, after: str) -> str:
    return run_address(run.id, [*wanted.query(), ("after", after)], "cases")


def _counts(run: StoredRun, index: CaseIndex, wanted: Wanted) -> Iterator[Count]:
    """Yield the outcomes with how many cases each has; they add up, for each case counts by its worst."""
    tally = index.tally(wanted.filter(run))
    address = run_address(run.id, replace(wanted, outcome=None).query(), "cases")
    yield Count(None, "all", f"{sum(tally.values()):,}", address, wanted.outcome is None)
    for outcome, count in tally.items():
        address = run_address(run.id, replace(wanted, outcome=outcome).query(), "cases")
        word = outcome_word(outcome, scored=is_scored(run, wanted.filter(run).criterion))
        yield Count(MARKS[word], word, f"{count:,}", address, wanted.outcome == outcome)


def _choices(run: StoredRun, index: CaseIndex, wanted: Wanted) -> Iterator[Choice]:
    names = [entry["criterion"] for entry in run.criteria]
    criteria = [
        Option("", "all", not wanted.criterion),
        *(Option(one, visible(one), one == wanted.criterion) for one in names),
    ]
    yield Choice("criterion", "Criterion", tuple(criteria))
    variants = variants_of(run)
    if variants:
        named = (Option("" if one == ORIGINAL else one, visible(one), one == wanted.variant) for one in variants)
        yield Choice("variant", "Variant", (*named, Option(EVERY, "all, the worst", wanted.variant == EVERY)))
    chosen = dict(wanted.slice)
    for key, values in index.slices().items():
        yield Choice(SLICE + key, visible(key), tuple(_values(values, chosen.get(key, ""))))
    orders = [Option("" if sort == "worst" else sort, words, sort == wanted.sort) for sort, words in _SORTS.items()]
    yield Choice("sort", "Sort", tuple(orders))


def _values(values: Sequence[str], chosen: str) -> Iterator[Option]:
    yield Option("", "any", not chosen)
    shown = list(values[:MOST_VALUES])
    for value in [*shown, *([chosen] if chosen and chosen not in shown else [])]:
        yield Option(value, one_line(value, 60), value == chosen)


def _views(run: StoredRun, wanted: Wanted) -> Iterator[Count]:
    yield Count(
        None,
        "Gallery",
        "",
        run_address(run.id, replace(wanted, view="gallery").query(), "cases"),
        wanted.view == "gallery",
    )
    yield Count(
        None, "Table", "", run_address(run.id, replace(wanted, view="table").query(), "cases"), wanted.view == "table"
    )


def _nothing(run: StoredRun, index: CaseIndex, wanted: Wanted) -> Nothing:
    """Say why nothing is shown, and offer to drop what emptied it: only what leaves some cases when it is dropped."""
    parts = list(wanted.parts())
    if not index.cases:
        return Nothing("No case of this run is stored yet.", ())
    useful = [(words, rest) for words, rest in parts if index.page(rest.filter(run), 1).total]
    every = EVERY if wanted.variant else ""
    cleared = Wanted(
        sort=wanted.sort, view=wanted.view, families=wanted.families, figures=wanted.figures, variant=every
    )
    offers = [Link(f"Drop {one_line(words, 60)}", run_address(run.id, rest.query(), "cases")) for words, rest in useful]
    offers.append(Link("Show all cases", run_address(run.id, cleared.query(), "cases")))
    told = " and ".join(one_line(words, 60) for words, _ in parts) or "this"
    return Nothing(f"No case matches {told}.", tuple(offers))


def _tile(run: StoredRun, one: Tile, wanted: Wanted) -> TileView:
    criterion = "" if one.told is None else visible(run.criteria[one.told]["criterion"])
    told = wanted.criterion or one.outcome == "pass"
    reason = one.error or one.reason
    word = outcome_word(one.outcome, scored=is_scored(run, wanted.filter(run).criterion))
    return TileView(
        id=visible(one.case_id),
        address=case_address(run.id, one.case_id, wanted.beside()),
        mark=MARKS[word],
        word=word,
        criterion="" if told else criterion,
        place=visible(place_words(one.variant, one.repeat)),
        score="" if one.score is None else number_text(round(one.score, 3)),
        seconds=seconds_words(one.seconds),
        reason=one_line(reason, 120) if one.outcome != "pass" or wanted.criterion else "",
        picture=picture_of(run, one.media),
    )


def picture_of(run: StoredRun, media: Sequence[MediaItem]) -> Picture | None:
    """Return the most telling file of a case: what the system made before what it was given, pictures before sounds."""
    order = {"output": 0, "input": 1, "context": 2}
    shown = min(media, key=lambda item: (item.kind == "audio", order[item.role]), default=None)
    if shown is None:
        return None
    previewed = is_drawn_here(shown)
    length = "" if shown.duration is None or shown.kind == "image" else f"{shown.duration:.1f} s"
    return Picture(
        address=thumbnail_address(run.id, shown.id) if previewed else None,
        words=f"{shown.role} {shown.kind}" if previewed else f"{shown.format.upper()}, no preview",
        badge="" if shown.kind == "image" else f"{shown.kind} {length}".strip(),
        tiny=0 < max(shown.width or 0, shown.height or 0) <= TINY,
    )
