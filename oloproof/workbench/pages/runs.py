"""The list of runs: what was decided of each, and one column a criterion, so that the eye sees it move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from starlette.responses import Response

from oloproof.config.models import RuleOptions
from oloproof.policy import count_against
from oloproof.policy.wording import interval_words, number_words
from oloproof.records import ORIGINAL, Metric
from oloproof.reports.contexts import Mark, Plot
from oloproof.reports.metric_rows import axis_of
from oloproof.reports.pages import MARKS, not_measured
from oloproof.reports.plots import plot_of
from oloproof.reports.wording import cost_words, count_words, headline, one_line, seconds_words, visible, worst_first
from oloproof.running.deciding import Conclusion
from oloproof.running.judge_documents import judges_document
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import judge_address, run_address, runs_address
from oloproof.workbench.pages.choices import Choice, Option
from oloproof.workbench.pages.decided import conclusion_from, rules_of
from oloproof.workbench.pages.headlines import HEADLINES, Headline, headline_of
from oloproof.workbench.pages.progress import Progress, progress_of
from oloproof.workbench.pages.shell import Link, Shell, Visit, render

SIZE = 50
MOST_COLUMNS = 4
_WORDS: dict[Headline, str] = {"NOT_COMPLETED": "NOT COMPLETED", "NOTHING_DECIDED": "NOTHING WAS DECIDED"}


class MetricCell(Struct, frozen=True):
    """One criterion in one run. ``instead`` stands where there is no interval to draw; ``estimate`` is empty then."""

    criterion: str
    plot: Plot | None
    mark: Mark | None
    estimate: str
    interval: str
    instead: str


class Tick(Struct, frozen=True):
    """What tells two runs that are chosen apart: ``dataset`` is the digest of what they are over.

    ``whole`` says that a run took every case of it, so that two such runs have them all in common.
    """

    words: str
    dataset: str
    cases: str
    whole: bool


class RunRow(Struct, frozen=True):
    """One run of the list. ``tick`` is None where a run has not come to its end, so that nothing compares with it."""

    id: str
    address: str
    mark: Mark
    state: str
    system: str
    version: str
    sentence: str
    when: str
    moment: str
    cells: tuple[MetricCell, ...]
    not_measured: tuple[str, ...]
    size: str
    took: str
    cost: str
    progress: Progress | None
    tick: Tick | None


class Heading(Struct, frozen=True):
    """A criterion at the head of its column, with the bar that the newest run's rule sets.

    ``judge`` is the address of the judge's page where a model judges it in the newest run, else empty.
    """

    criterion: str
    bar: str
    judge: str


class RunsContext(Struct, frozen=True):
    """The page. ``narrowed`` says which filters are set, empty where none is.

    ``next`` leads to older runs, ``first`` back to the newest; ``live``: a run that begins stands here.
    """

    shell: Shell
    words: str
    text: str
    filters: tuple[Choice, ...]
    narrowed: str
    headings: tuple[Heading, ...]
    more_criteria: int
    rows: tuple[RunRow, ...]
    first: Link | None
    next: Link | None
    live: bool


def runs_page(visit: Visit) -> Response:
    """Show the runs of the project, newest first."""
    text = visit.query.get("q", "")[:200]
    wanted = next((one for one in HEADLINES if one == visit.query.get("decision")), None)
    before = _number(visit.query.get("after", ""))
    among = None if wanted is None else visit.headlines.numbers(visit.browsing, wanted)
    found = visit.browsing.runs_page(SIZE, before=before, text=text, among=among)
    documents = visit.browsing.last_decisions([run.number for run in found.runs])
    concluded = [(run, conclusion_from(documents.get(run.number))) for run in found.runs]
    criteria = list(dict.fromkeys(entry["criterion"] for run in found.runs for entry in run.criteria))
    shown = criteria[:MOST_COLUMNS]
    query = [("q", text), ("decision", wanted or "")]
    page = RunsContext(
        shell=visit.shell("Runs", found.runs[0].project if found.runs else None),
        words=f"{found.total:,}, newest first" if found.total else "",
        text=text,
        filters=(_decisions(wanted),),
        narrowed=_narrowed(text, wanted),
        headings=tuple(_headings(shown, found.runs)),
        more_criteria=len(criteria) - len(shown),
        rows=tuple(_row(visit, run, conclusion, shown) for run, conclusion in concluded),
        first=None if before is None else Link("Newest runs", runs_address(query)),
        next=None if found.next is None else Link("Older runs", runs_address([*query, ("after", str(found.next))])),
        live=not text and wanted is None and before is None,
    )
    return render("runs.html.j2", page)


def _decisions(chosen: Headline | None) -> Choice:
    every = Option("", "all", chosen is None)
    return Choice(
        "decision", "Decision", (every, *(Option(one, _WORDS.get(one, one), one == chosen) for one in HEADLINES))
    )


def _narrowed(text: str, wanted: Headline | None) -> str:
    named = [] if not text else [f"“{text}”"]
    return " and ".join(named if wanted is None else [*named, _WORDS.get(wanted, wanted)])


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _headings(criteria: Sequence[str], runs: Iterable[StoredRun]) -> Iterable[Heading]:
    newest = next(iter(runs), None)
    rules = {} if newest is None else rules_of(newest)
    for criterion in criteria:
        rule = _rule_on(criterion, rules)
        yield Heading(visible(criterion), "" if rule is None else _bar_words(rule), _judge(criterion, newest))


def _judge(criterion: str, run: StoredRun | None) -> str:
    entries = () if run is None else run.criteria
    digests = (str(one["digest"]) for one in entries if one["criterion"] == criterion and one["calls_model"])
    return next((judge_address(digest, [("criterion", criterion)]) for digest in digests), "")


def _rule_on(criterion: str, rules: Mapping[str, RuleOptions]) -> RuleOptions | None:
    """Return the rule over all cases of a criterion."""
    found = [
        rule
        for rule in rules.values()
        if rule.metric == criterion and not rule.compares and rule.variant in (None, ORIGINAL)
    ]
    return next((rule for rule in found if rule.slice is None), None)


def _bar_words(rule: RuleOptions) -> str:
    if rule.max_failures is not None:
        return f"at most {count_words(rule.max_failures, 'failure')}"
    return f"at least {rule.min:g}" if rule.min is not None else f"at most {rule.max:g}"


def _cost(visit: Visit, run: StoredRun) -> str:
    return cost_words(judges_document(visit.browsing, run))


def _row(visit: Visit, run: StoredRun, conclusion: Conclusion, criteria: Sequence[str]) -> RunRow:
    state, mark, sentence = _told(run, conclusion)
    rules = rules_of(run)
    whole = {one.criterion: one for one in conclusion.metrics if one.variant == ORIGINAL and one.slice is None}
    return RunRow(
        id=run.id,
        address=run_address(run.id),
        mark=mark,
        state=state,
        system=visible(run.system_name),
        version=visible(run.system_version),
        sentence=sentence,
        when=run.started_text[:16] + " UTC",
        moment=run.started_text.replace(" ", "T") + "Z",
        cells=tuple(_cell(name, whole.get(name), _rule_on(name, rules), run, conclusion) for name in criteria),
        not_measured=tuple(
            f"{count:,} {word}{where}" for word, count, where in not_measured(conclusion.metrics) if conclusion.metrics
        ),
        size=count_words(run.cases, "case") + (" (a part)" if run.partial else ""),
        took="" if run.finished is None else seconds_words(max(run.finished - run.started, 0.0)),
        cost="" if run.finished is None else visit.kept(run, "cost", lambda: _cost(visit, run)),
        progress=progress_of(visit, run) if run.state == "running" else None,
        tick=_tick(run),
    )


def _tick(run: StoredRun) -> Tick | None:
    if run.state != "complete":
        return None
    return Tick(visible(run.system_version), run.dataset_digest, f"{run.cases:,}", not run.partial)


def _told(run: StoredRun, conclusion: Conclusion) -> tuple[str, Mark, str]:
    state, sentence = headline(conclusion.decisions)
    word = headline_of(run.state, state)
    words = _WORDS.get(word, word)
    if word == "RUNNING":
        return words, "undecided", "No decision until it ends."
    if word == "NOT_COMPLETED":
        why = run.error or "It did not come to its end; oloproof run --resume goes on."
        return words, "missing", one_line(why, 200)
    return words, "missing" if state is None else MARKS[state], sentence


def _cell(
    criterion: str, metric: Metric | None, rule: RuleOptions | None, run: StoredRun, conclusion: Conclusion
) -> MetricCell:
    decided = [one for one in worst_first(conclusion.decisions) if one.metric == criterion]
    mark = MARKS[decided[0].state] if decided else None
    if metric is None or metric.interval is None:
        return MetricCell(visible(criterion), None, None, "", "", "no data" if metric is not None else "")
    if rule is not None and rule.effective_kind == "observed_count":
        found = count_against(rule, metric)
        words = f"{found:,} of {metric.n:,} failed"
        return MetricCell(visible(criterion), None, mark or "missing", "", "", words)
    return MetricCell(
        criterion=visible(criterion),
        plot=plot_of(metric, axis_of(metric, run), rule),
        mark=mark,
        estimate=number_words(metric.estimate, metric.kind),
        interval=interval_words(metric),
        instead="",
    )
