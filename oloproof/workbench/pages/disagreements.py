"""Where a judge and people differ: develop labels freely, those of a validation sample only when it is given up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from oloproof.labels import LabelSet, gather
from oloproof.labels.gathering import LabelledCase, trials_at
from oloproof.labels.sampling import Place
from oloproof.labels.validating import JudgedCase, table_of
from oloproof.reports.contexts import Mark
from oloproof.reports.wording import count_words, json_words, one_line, place_words, visible
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.case_index import page_start
from oloproof.storage.judges import Judges
from oloproof.storage.labels import Labels, ShownTrial, StoredLabel
from oloproof.storage.tiles import Tile, read_tiles
from oloproof.workbench.pages.addresses import case_address, judge_address, run_address, spending_address
from oloproof.workbench.pages.gallery import MARKS, Count, Picture, picture_of
from oloproof.workbench.pages.shell import Link

SIZE = 24
_AT_ONCE = 500
_MOST_RUNS = 8
PART = "disagreements"

Side = Literal["let_through", "too_strict", "no_verdict"]
_SIDES: dict[Side, str] = {
    "let_through": "Let through",
    "too_strict": "Too strict",
    "no_verdict": "No verdict",
}


class PersonSaid(Struct, frozen=True):
    """What one person said of a case."""

    who: str
    mark: Mark
    word: str
    note: str


class Disagreement(Struct, frozen=True):
    """One case on which the judge and people differ, with the reasons of both."""

    id: str
    address: str
    place: str
    picture: Picture | None
    output: str
    judge_mark: Mark
    judge_word: str
    judge_reason: str
    people: tuple[PersonSaid, ...]


class Sealed(Struct, frozen=True):
    """A validation sample that is blind still, with the address of the page that asks before it is spent."""

    words: str
    address: str


class Disagreements(Struct, frozen=True):
    """A page of them. ``nothing`` stands where there is none to show."""

    words: str
    run: Link | None
    sides: tuple[Count, ...]
    shown: tuple[Disagreement, ...]
    nothing: str
    sealed: tuple[Sealed, ...]
    previous: Link | None
    next: Link | None
    range: str


class _Differing(Struct, frozen=True):
    """One labelled case of a run with what the judge said of it there."""

    label: LabelledCase
    trial: ShownTrial
    tile: Tile

    @property
    def side(self) -> Side | None:
        if self.tile.outcome not in ("pass", "fail"):
            return None if self.label.passed is None else "no_verdict"
        if self.label.passed is None or self.label.passed is (self.tile.outcome == "pass"):
            return None
        return "too_strict" if self.label.passed else "let_through"


def disagreements_of(browsing: Browsing, criterion: str, judge: str, *, side: str, after: str) -> Disagreements:
    """Return the page of disagreements that follows the case called ``after``, of one ``side`` or of all."""
    labels = Labels(browsing.store)
    sealed = tuple(_sealed(browsing, labels, criterion, judge))
    found = _labelled(browsing, labels, criterion, judge)
    if found is None:
        return Disagreements(
            "", None, (), (), _nothing_to_show(browsing, labels, criterion, judge), sealed, None, None, ""
        )
    run, held = found
    cases = _compared(browsing, labels, run, held)
    differing = [one for one in cases if one.side is not None]
    chosen = [one for one in differing if side not in _SIDES or one.side == side]
    said = _said_by_people(labels, held)
    place = next((number for number, one in enumerate(chosen, 1) if one.label.case_id == after), 0)
    place = page_start(place, len(chosen), SIZE)
    shown = chosen[place : place + SIZE]

    def page(words: str, start: int) -> Link | None:
        if start < 0 or start >= len(chosen):
            return None
        before = chosen[start - 1].label.case_id if start else ""
        query = [("criterion", criterion), ("side", side if side in _SIDES else ""), ("after", before)]
        return Link(words, judge_address(judge, query, PART))

    return Disagreements(
        words=_words(len(differing), cases),
        run=Link(run.id, run_address(run.id)),
        sides=tuple(_sides(criterion, judge, differing, side)),
        shown=tuple(_shown(run, criterion, one, said) for one in shown),
        nothing="" if shown else "The judge and people agree on all of these.",
        sealed=sealed,
        previous=page("Previous", max(place - SIZE, 0)) if place else None,
        next=page("Next", place + SIZE),
        range=f"{place + 1:,} to {place + len(shown):,} of {len(chosen):,}" if len(chosen) > SIZE else "",
    )


def _words(differing: int, cases: Sequence[_Differing]) -> str:
    table, _ = table_of([JudgedCase(one.label, _passed(one.tile), "") for one in cases])
    agreed = f"both pass {table.tp:,}, both fail {table.tn:,}"
    return f"on {differing:,} of {count_words(len(cases), 'develop label')}; {agreed}"


def _passed(tile: Tile) -> bool | None:
    return tile.outcome == "pass" if tile.outcome in ("pass", "fail") else None


def _labelled(browsing: Browsing, labels: Labels, criterion: str, judge: str) -> tuple[StoredRun, LabelSet] | None:
    """Return the run in which this judge judged most of what has develop labels, with those labels.

    It is looked for among the newest run of the judge and those of its runs at which people labelled.
    """
    told = labels.labels(criterion=criterion, purpose="develop")
    if not told:
        return None
    own = Judges(browsing.store).runs_with(criterion, judge)
    labelled = {one.run for one in told}
    wanted = [number for place, number in enumerate(own) if place == 0 or number in labelled][:_MOST_RUNS]
    runs = browsing.numbered(wanted)
    sets = [(runs[number], gather(browsing, runs[number], criterion, purpose="develop")) for number in wanted]
    return max(sets, key=lambda one: len(one[1].cases), default=None)


def _compared(browsing: Browsing, labels: Labels, run: StoredRun, held: LabelSet) -> list[_Differing]:
    places = [Place(one.case_id, one.variant, one.repeat) for one in held.cases]
    trials = trials_at(labels, run, places)
    number = next(place for place, entry in enumerate(run.criteria) if entry["criterion"] == held.criterion)
    tiles: dict[int, Tile] = {}
    for start in range(0, len(trials), _AT_ONCE):
        tiles |= read_tiles(browsing.store, [one.row for one in trials[start : start + _AT_ONCE]], number)
    return [_Differing(label, trial, tiles[trial.row]) for label, trial in zip(held.cases, trials, strict=True)]


def _said_by_people(labels: Labels, held: LabelSet) -> dict[str, list[StoredLabel]]:
    """Return the labels of the set by the digest of what they are of."""
    found: dict[str, list[StoredLabel]] = {}
    for one in labels.labels(criterion=held.criterion, purpose=held.purpose):
        if one.guide == held.guide:
            found.setdefault(one.shown, []).append(one)
    return found


def _sides(criterion: str, judge: str, differing: Sequence[_Differing], chosen: str) -> Iterator[Count]:
    def address(side: str) -> str:
        return judge_address(judge, [("criterion", criterion), ("side", side)], PART)

    yield Count(None, "All", f"{len(differing):,}", address(""), chosen not in _SIDES)
    for side, words in _SIDES.items():
        count = sum(one.side == side for one in differing)
        if count or chosen == side:
            yield Count(None, words, f"{count:,}", address(side), chosen == side)


def _shown(run: StoredRun, criterion: str, one: _Differing, said: Mapping[str, Sequence[StoredLabel]]) -> Disagreement:
    trial = one.trial
    place = [("variant", trial.variant), ("repeat", str(trial.repeat)), ("criterion", criterion)]
    return Disagreement(
        id=visible(trial.case_id),
        address=case_address(run.id, trial.case_id, place),
        place=visible(place_words(trial.variant, trial.repeat)),
        picture=picture_of(run, trial.media),
        output="" if trial.output is None else one_line(json_words(trial.output), 200),
        judge_mark=MARKS[one.tile.outcome],
        judge_word=one.tile.outcome,
        judge_reason=one_line(one.tile.reason, 400),
        people=tuple(_person(label) for label in said.get(one.label.shown, ())),
    )


def _person(label: StoredLabel) -> PersonSaid:
    word = "unsure" if label.passed is None else "pass" if label.passed else "fail"
    note = one_line(label.note or "", 400)
    return PersonSaid(one_line(label.labelled_by, 60), MARKS.get(word, "undecided"), word, note)


def _sealed(browsing: Browsing, labels: Labels, criterion: str, judge: str) -> Iterator[Sealed]:
    """Yield the validation samples of a criterion, if anything of it was labelled."""
    if not labels.counts().get(criterion, {}).get("validate"):
        return
    samples = labels.samples(criterion=criterion, purpose="validate")
    runs = browsing.numbered([one.run for one in samples])
    for one in samples:
        words = f"the validation sample of run {runs[one.run].id}"
        yield Sealed(words, spending_address(judge, one.id))


def _nothing_to_show(browsing: Browsing, labels: Labels, criterion: str, judge: str) -> str:
    if not labels.counts().get(criterion, {}).get("develop"):
        return f"There are no develop labels of {criterion}, which may be seen beside verdicts."
    return (
        "This judge judged no run, so what it says of single cases does not stand here. It judges the next one; "
        f"oloproof evaluators try --criterion {criterion} asks it about the develop labels."
    )
