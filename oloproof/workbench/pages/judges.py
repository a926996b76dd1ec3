"""The list of judges: for every criterion that a model judges, the judge seen last and whether it may decide."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from starlette.responses import Response

from oloproof.reports.contexts import Mark
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.storage.judges import Judges, KnownJudge
from oloproof.storage.labels import Labels
from oloproof.workbench.pages.addresses import judge_address, run_address, short_hash
from oloproof.workbench.pages.judge_states import state_of
from oloproof.workbench.pages.judge_versions import identity_of
from oloproof.workbench.pages.shell import Link, Shell, Visit, render
from oloproof.workbench.pages.validated import RateRow, rate_rows


class JudgeRow(Struct, frozen=True):
    """One criterion with the judge that was seen last. ``rates`` are empty where nobody looked at it yet."""

    criterion: str
    address: str
    name: str
    model: str
    mark: Mark
    state: str
    sentence: str
    rates: tuple[RateRow, ...]
    labels: str
    versions: str
    newest_run: Link | None


class JudgesContext(Struct, frozen=True):
    """The page."""

    shell: Shell
    words: str
    rows: tuple[JudgeRow, ...]


def judges_page(visit: Visit) -> Response:
    """Show the judges of the project."""
    by_criterion: dict[str, list[KnownJudge]] = {}
    for one in Judges(visit.browsing.store).known():
        by_criterion.setdefault(one.criterion, []).append(one)
    newest = [versions[0] for versions in by_criterion.values()]
    runs = visit.browsing.numbered([one.newest_run for one in newest if one.newest_run is not None])
    rows = tuple(_row(visit, versions, runs) for versions in by_criterion.values())
    project = max(runs.values(), key=lambda run: run.number).project if runs else None
    words = f"{count_words(len(rows), 'criterion', 'criteria')} that a model judges, the judge seen last of each"
    page = JudgesContext(visit.shell("Judges", project, section="judges"), words if rows else "", rows)
    return render("judges.html.j2", page)


def _row(visit: Visit, versions: list[KnownJudge], runs: Mapping[int, StoredRun]) -> JudgeRow:
    one = versions[0]
    run = runs.get(one.newest_run or 0)
    state = state_of(visit.browsing, one.criterion, one.judge)
    counts = Labels(visit.browsing.store).counts().get(one.criterion, {"validate": 0, "develop": 0})
    return JudgeRow(
        criterion=visible(one.criterion),
        address=judge_address(one.judge, [("criterion", one.criterion)]),
        name=short_hash(one.judge),
        model=one_line(str((identity_of(run, one.judge) or {}).get("model", "")), 60),
        mark=state.mark,
        state=state.word,
        sentence=state.sentence,
        rates=() if state.validation is None else rate_rows(state.validation.document),
        labels=f"{counts['validate']:,} to validate, {counts['develop']:,} to develop",
        versions=count_words(len(versions), "version"),
        newest_run=None if run is None else Link(run.id, run_address(run.id)),
    )
