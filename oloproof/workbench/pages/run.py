"""The page of one run: what was decided and why, what must hold, what was measured beside, and its cases."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from oloproof.records import Notice
from oloproof.reports.contexts import Banner, Fact, Mark, MetricRow, RuleRow, Slices
from oloproof.reports.family_figures import is_in_families
from oloproof.reports.metric_rows import metric_row
from oloproof.reports.pages import banner_of, facts_of, rule_row
from oloproof.reports.slices import slices_of
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import visible, worst_first
from oloproof.running.decided_again import decided_again
from oloproof.running.deciding import Conclusion, relations_of
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import RUNS, judge_address, run_address
from oloproof.workbench.pages.decided import conclusion_from, rules_of
from oloproof.workbench.pages.families import Families, families_of
from oloproof.workbench.pages.gallery import Gallery, gallery_of
from oloproof.workbench.pages.judge_states import state_of
from oloproof.workbench.pages.progress import Progress, progress_of
from oloproof.workbench.pages.shell import Link, Shell, Visit, render
from oloproof.workbench.pages.wanted import Wanted, wanted_from


class JudgeLink(Struct, frozen=True):
    """A judge of the run, whether it may decide by now, and where its page is."""

    criterion: str
    mark: Mark
    state: str
    address: str


class RunContext(Struct, frozen=True):
    """The page. ``metrics`` are those that no rule of the run is about; ``live``: the run is under way."""

    shell: Shell
    run: str
    banner: Banner
    facts: tuple[Fact, ...]
    progress: Progress | None
    live: bool
    level: str
    rules: tuple[RuleRow, ...]
    families: Families | None
    judges: tuple[JudgeLink, ...]
    metrics: tuple[MetricRow, ...]
    slices: Slices | None
    notices: tuple[Fact, ...]
    gallery: Gallery


def run_page(visit: Visit) -> Response:
    """Show a run."""
    run = visit.browsing.find(visit.request.path_params["run"])
    conclusion = conclusion_from(visit.browsing.last_decisions([run.number]).get(run.number))
    hide = Withholding(frozenset(), visit.desk.root)
    index = visit.browsing.index(run)
    wanted, refused = wanted_from(visit.query, run)
    banner = banner_of(run, conclusion.decisions, hide)
    rules = rules_of(run)
    ruled, relations = {one.metric for one in conclusion.decisions}, relations_of(run.document)
    page = RunContext(
        shell=visit.shell(
            visible(f"{banner.state} {run.system_name} {run.system_version}"),
            run.project,
            (Link("Runs", RUNS),),
            visible(run.id),
        ),
        run=run.id,
        banner=banner,
        facts=tuple(_facts(visit, run, conclusion)),
        progress=None if run.state == "complete" else progress_of(visit, run),
        live=run.state == "running",
        level=f"{conclusion.metrics[0].level * 100 if conclusion.metrics else 95:g} %",
        rules=tuple(
            rule_row(one, rules.get(one.rule), conclusion.metrics, run, hide)
            for one in worst_first(conclusion.decisions)
        ),
        families=families_of(visit.browsing, run, conclusion, rules, wanted),
        judges=tuple(_judges(visit, run)),
        metrics=tuple(
            metric_row(one, run)
            for one in conclusion.metrics
            if one.criterion not in ruled and not is_in_families(one, relations)
        ),
        slices=_slices(visit, run, conclusion, wanted),
        notices=tuple(Fact(one.code, visible(one.message)) for one in _notices(visit, run)),
        gallery=gallery_of(run, index, wanted, after=visit.query.get("after", ""), refused=refused),
    )
    return render("run.html.j2", page)


def _facts(visit: Visit, run: StoredRun, conclusion: Conclusion) -> Iterator[Fact]:
    """Yield what is told of the run in one line; of one under way the progress tells the trials, for it moves."""
    found = visit.kept(run, "facts", lambda: tuple(facts_of(visit.browsing, run, conclusion.metrics)))
    yield from (one for one in found if run.state != "running" or one.name != "trials")


def _notices(visit: Visit, run: StoredRun) -> Iterator[Notice]:
    yield from run.notices
    yield from decided_again(visit.browsing, run)


def _judges(visit: Visit, run: StoredRun) -> Iterator[JudgeLink]:
    for entry in run.criteria:
        if entry["calls_model"]:
            criterion, judge = entry["criterion"], str(entry["digest"])
            state = state_of(visit.browsing, criterion, judge)
            address = judge_address(judge, [("criterion", criterion)])
            yield JudgeLink(visible(criterion), state.mark, state.word, address)


def _slices(visit: Visit, run: StoredRun, conclusion: Conclusion, wanted: Wanted) -> Slices | None:
    """Return how the criterion that is looked at fares in each slice, each leading to its cases."""

    def address(key: str, value: str) -> str:
        return run_address(run.id, replace(wanted, slice=((key, value),)).query(), "cases")

    return visit.kept(
        run,
        f"slices of {wanted.query()}",
        lambda: slices_of(visit.browsing, run, conclusion, wanted.criterion, address=address),
    )
