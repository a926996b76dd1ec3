"""The page of two runs compared: what moved in words, the cases as one bar, the differences, then pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from oloproof.errors import RunNotFound
from oloproof.media.spectrograms import MOST_SECONDS, TOPS
from oloproof.reports.contexts import Fact
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import COMPARE, compare_address, run_address
from oloproof.workbench.pages.choices import Choice, Option
from oloproof.workbench.pages.compared import Compared, Comparing
from oloproof.workbench.pages.decided import conclusion_from
from oloproof.workbench.pages.differences import (
    DifferenceRow,
    Names,
    Opening,
    Ruling,
    Segment,
    Tick,
    leading,
    names_of,
    opening_of,
    reach_of,
    rows_of,
    rulings_of,
    segments_of,
    ticks_of,
    whole,
)
from oloproof.workbench.pages.pair_list import PairList, pair_list
from oloproof.workbench.pages.shell import Link, Shell, Visit, render

_OFFERED = 50
_TOO_FEW = "Two runs that came to their end are needed before any can be compared."


class RunLine(Struct, frozen=True):
    """One of the two runs in the line of facts."""

    role: str
    name: str
    id: str
    address: str


class CompareContext(Struct, frozen=True):
    """The page. ``criterion`` is what the bar and the pairs are about; empty where the runs share none.

    ``tops`` and ``most_seconds`` are how far sounds can be drawn, as on the page of a case.
    """

    shell: Shell
    opening: Opening
    runs: tuple[RunLine, ...]
    facts: tuple[Fact, ...]
    swap: str
    warnings: tuple[str, ...]
    criterion: str
    names: Names
    segments: tuple[Segment, ...]
    rulings: tuple[Ruling, ...]
    level: str
    ticks: tuple[Tick, ...]
    rows: tuple[DifferenceRow, ...]
    list: PairList
    tops: tuple[int, ...]
    most_seconds: int


class PickContext(Struct, frozen=True):
    """The page that asks for two runs. ``sentence`` says why nothing is compared yet."""

    shell: Shell
    sentence: str
    choices: tuple[Choice, ...]
    ready: Link | None


class ComparePages:
    """The page for two runs, which keeps the last comparisons, and the one that asks for them."""

    def __init__(self) -> None:
        self._comparing = Comparing()

    def page(self, visit: Visit) -> Response:
        """Show two runs compared, or ask for them."""
        query = visit.query
        ticked = visit.request.query_params.getlist("run")
        if ticked:
            return _from_ticks(visit, ticked)
        names = [query.get(key, "") for key in ("candidate", "baseline")]
        if not any(names):
            return _pick(visit, "Pick two runs: each case is compared with itself.")
        if not all(names):
            return _pick(visit, "Pick two runs: one is named, the other is not.", names)
        try:
            candidate, baseline = (visit.browsing.find(name) for name in names)
        except RunNotFound as error:
            return _pick(visit, one_line(str(error), 400) + ".", names, 404)
        refused = _refusal(candidate, baseline)
        if refused:
            return _pick(visit, refused, names, 400)
        compared = self._comparing.of(visit.browsing, candidate, baseline)
        return render("compare.html.j2", _context(visit, compared))


def _refusal(candidate: StoredRun, baseline: StoredRun) -> str:
    if candidate.number == baseline.number:
        return f"Both are run {candidate.id}, and a run does not differ from itself: pick another one."
    for run in (candidate, baseline):
        if run.state != "complete":
            return f"Run {run.id} is {run.state}: it can be compared when it has come to its end."
    return ""


def _from_ticks(visit: Visit, ticked: Sequence[str]) -> Response:
    """Lead from two ticked runs of the list to their comparison; the newer one is the candidate."""
    try:
        runs = {run.number: run for run in map(visit.browsing.find, ticked[:3])}
    except RunNotFound as error:
        return _pick(visit, one_line(str(error), 400) + ".", (), 404)
    if len(runs) != 2:
        told = "one run was ticked" if len(runs) == 1 else "more than two runs were ticked"
        return _pick(visit, f"Pick two runs: {told}.", [run.id for run in runs.values()][:2], 400)
    older, newer = (runs[number].id for number in sorted(runs))
    return RedirectResponse(compare_address(newer, older), 303)


def _pick(visit: Visit, sentence: str, names: Sequence[str] = (), status: int = 200) -> Response:
    runs = [run for run in visit.browsing.runs_page(_OFFERED).runs if run.state == "complete"]
    last = [run.id for run in runs[:2]]
    chosen = [*names, "", ""]
    choices = [
        Choice(key, words, tuple(_options(runs, chosen[place] or (last[place] if len(last) > place else ""))))
        for place, (key, words) in enumerate((("candidate", "Candidate"), ("baseline", "Baseline")))
    ]
    ready = None
    if len(runs) > 1:
        ready = Link(_pair_words(runs[0], runs[1]), compare_address(runs[0].id, runs[1].id))
    page = PickContext(
        shell=visit.shell("Compare", runs[0].project if runs else None, section="compare"),
        sentence=sentence if len(runs) > 1 or names else _TOO_FEW,
        choices=tuple(choices) if len(runs) > 1 else (),
        ready=ready,
    )
    return render("pick.html.j2", page, status)


def _options(runs: Sequence[StoredRun], chosen: str) -> Iterator[Option]:
    for run in runs:
        yield Option(run.id, one_line(f"{run.system_version}, {run.id}", 80), run.id == chosen)


def _pair_words(candidate: StoredRun, baseline: StoredRun) -> str:
    names = names_of(candidate, baseline)
    return f"{names.candidate} against {names.baseline}"


def _context(visit: Visit, compared: Compared) -> CompareContext:
    candidate, baseline = compared.candidate, compared.baseline
    names = names_of(candidate, baseline)
    wanted = visit.query.get("criterion", "")
    found = compared.comparison(wanted) or leading(compared)
    criterion = "" if found is None else found.criterion
    documents = visit.browsing.last_decisions([candidate.number, baseline.number])
    metrics = [whole(conclusion_from(documents.get(run.number)).metrics) for run in (candidate, baseline)]
    addresses = {
        one.criterion: compare_address(candidate.id, baseline.id, [("criterion", one.criterion)], "cases")
        for one in compared.comparisons
    }
    rows = tuple(rows_of(compared, names, visit.browsing.store, metrics, criterion, addresses))
    opening = opening_of(compared, names)
    level = compared.comparisons[0].level if compared.comparisons else 0.95
    return CompareContext(
        shell=visit.shell(
            f"{opening.state}: {names.candidate} against {names.baseline}",
            candidate.project,
            (Link("Compare", COMPARE),),
            f"{names.candidate} against {names.baseline}",
            section="compare",
        ),
        opening=opening,
        runs=tuple(
            RunLine(role, visible(run.system_version), run.id, run_address(run.id))
            for role, run in (("Candidate", candidate), ("Baseline", baseline))
        ),
        facts=tuple(_facts(compared)),
        swap=compare_address(baseline.id, candidate.id, [("criterion", wanted)]),
        warnings=tuple(_warnings(compared, names, wanted)),
        criterion=visible(criterion),
        names=names,
        segments=() if found is None else segments_of(compared, found),
        rulings=tuple(rulings_of(compared.decisions)),
        level=f"{level * 100:g} %",
        ticks=ticks_of(reach_of(compared)) if rows else (),
        rows=rows,
        list=pair_list(visit, compared, names, criterion),
        tops=TOPS,
        most_seconds=MOST_SECONDS,
    )


def _facts(compared: Compared) -> Iterator[Fact]:
    new, old = compared.pairs.only_in_one()
    yield Fact("cases in both", f"{compared.pairs.in_both():,}")
    if new or old:
        yield Fact("only in the candidate", f"{new:,}")
        yield Fact("only in the baseline", f"{old:,}")
    same = compared.candidate.dataset_digest == compared.baseline.dataset_digest
    yield Fact("dataset", "the same" if same else "another one")


def _warnings(compared: Compared, names: Names, wanted: str) -> Iterator[str]:
    """Yield in words what makes the two runs less than alike in all but the system."""
    candidate, baseline = compared.candidate, compared.baseline
    if wanted and compared.comparison(wanted) is None:
        yield f"The runs share no criterion {one_line(wanted, 80)}; another one is shown."
    if candidate.project != baseline.project:
        yield f"The runs are of different projects: {visible(candidate.project)} and {visible(baseline.project)}."
    if candidate.system_name != baseline.system_name:
        yield (
            f"The runs are of different systems: {visible(candidate.system_name)} and {visible(baseline.system_name)}."
        )
    if candidate.dataset_digest != baseline.dataset_digest:
        yield "The runs are over different datasets: cases are paired by their ids."
    for name, run in ((names.candidate, candidate), (names.baseline, baseline)):
        if run.partial:
            yield f"{name} took only a part of its cases, so rules decide nothing."
    inputs = len(compared.pairs.differences().inputs)
    if inputs:
        verb = "was" if inputs == 1 else "were"
        yield f"{count_words(inputs, 'case')} of the same id {verb} given another input, so they are not the same case."
    for notice in compared.notices:
        if notice.code == "expected_changed":  # what else they say stands on the page in its own places
            yield f"{visible(notice.message)}."
    shared = {one.criterion for one in compared.comparisons}
    for name, run in ((names.candidate, candidate), (names.baseline, baseline)):
        alone = [visible(entry["criterion"]) for entry in run.criteria if entry["criterion"] not in shared]
        if alone and shared:
            yield f"Only {name} was measured by {', '.join(alone)} in this way, so that is not compared."
    for rule in compared.left_out:
        yield f"The rule {visible(rule)} is about a criterion that only one of the runs has, and was not decided."
