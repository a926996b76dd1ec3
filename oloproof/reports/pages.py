"""From a stored run to the page that shows it: what was decided, its rules and metrics, and which cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from oloproof.config.models import PolicyOptions, RuleOptions
from oloproof.policy import count_against
from oloproof.policy.wording import interval_words, number_words
from oloproof.records import ORIGINAL, Decision, DecisionState, Metric, Notice
from oloproof.reports.case_views import CaseViews, worst_word
from oloproof.reports.contexts import Banner, CaseView, Fact, FamilySection, Mark, RuleRow, RunPage
from oloproof.reports.families import family_cases, family_section, has_families
from oloproof.reports.family_figures import is_in_families
from oloproof.reports.metric_rows import axis_of, metric_row
from oloproof.reports.plots import plot_of
from oloproof.reports.slices import slices_of
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import (
    age_words,
    cost_words,
    count_words,
    one_line,
    seconds_words,
    visible,
    with_minus_signs,
    worst_first,
)
from oloproof.running.deciding import Conclusion, measures_of, relations_of
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, StoredRun
from oloproof.storage.browsing import Browsing

MARKS: dict[DecisionState, Mark] = {
    "PASS": "pass",
    "FAIL": "fail",
    "INSUFFICIENT_EVIDENCE": "undecided",
    "MANUAL_REVIEW": "undecided",
}
_TALLY: tuple[tuple[DecisionState, str, str], ...] = (
    ("FAIL", "fails", "fail"),
    ("INSUFFICIENT_EVIDENCE", "has too little evidence", "have too little evidence"),
    ("MANUAL_REVIEW", "waits for a person", "wait for a person"),
    ("PASS", "holds", "hold"),
)
_ORDER = ("fail", "invalid", "error", "missing", "pass")


def run_page(
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    views: CaseViews,
    hide: Withholding,
    *,
    policy: PolicyOptions | None,
    cases: int,
    beside: Sequence[Notice] = (),
) -> RunPage:
    """Return the page of a run with at most ``cases`` cases, those that did not pass first.

    ``beside`` is what to warn of that is not kept with the run.
    """
    chosen, total = choose_cases(history, run, cases)
    rules = {} if policy is None else {rule.id: rule.spelled_out for rule in policy.rules}
    level = conclusion.metrics[0].level if conclusion.metrics else 0.95
    banner = banner_of(run, conclusion.decisions, hide)
    relations = relations_of(run.document)
    return RunPage(
        title=f"{banner.state}: {visible(run.project)}, {visible(run.system_name)} {visible(run.system_version)}",
        run=run.id,
        project=visible(run.project),
        banner=banner,
        facts=tuple(facts_of(history, run, conclusion.metrics)),
        level=f"{level * 100:g} %",
        rules=tuple(
            rule_row(one, rules.get(one.rule), conclusion.metrics, run, hide)
            for one in worst_first(conclusion.decisions)
        ),
        families=tuple(_families(history, run, conclusion, rules, chosen, hide)),
        metrics=tuple(metric_row(one, run) for one in conclusion.metrics if not is_in_families(one, relations)),
        slices=slices_of(history, run, conclusion),
        notices=tuple(Fact(one.code, visible(hide.text(one.message))) for one in (*run.notices, *beside)),
        cases=_shown(history, run, chosen, views),
        cases_words=_cases_words(run, len(chosen), total),
        version=str(run.document.get("versions", {}).get("oloproof", "")),
    )


def _families(
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    rules: Mapping[str, RuleOptions],
    chosen: Sequence[tuple[str, str]],
    hide: Withholding,
) -> Iterator[FamilySection]:
    """Yield the families for each criterion; a cell of their map leads to its case where the page shows that."""
    if not has_families(run) or not conclusion.metrics:
        return
    browsing = Browsing(history.store)
    anchors = {case: f"#case-{number}" for number, (case, _) in enumerate(chosen, start=1)}
    for criterion in measures_of(run.document):
        yield family_section(
            run,
            criterion,
            conclusion.metrics,
            ruled(conclusion.decisions, rules),
            family_cases(browsing, run, criterion),
            anchors.get,
            lambda metric: metric_row(metric, run),
            shown=lambda case: visible(hide.text(case)),
        )


def ruled(decisions: Sequence[Decision], rules: Mapping[str, RuleOptions]) -> list[tuple[RuleOptions, Decision]]:
    """Return the rules of a policy, each with what it decided."""
    return [(rules[one.rule], one) for one in decisions if one.rule in rules]


def choose_cases(history: History, run: StoredRun, limit: int) -> tuple[list[tuple[str, str]], int]:
    """Return the cases to show, worst first and then in order, each with its worst word, and how many there are.

    The trials go by once; only the ids of as many cases as are shown are kept of each kind.
    """
    kept: dict[str, list[tuple[str, str]]] = {word: [] for word in _ORDER}
    total = 0
    for case, trials in groupby(history.trials(run), key=attrgetter("case_id")):
        word = min((worst_word(trial) for trial in trials), key=_ORDER.index)
        total += 1
        if len(kept[word]) < limit:
            kept[word].append((case, word))
    return [one for word in _ORDER for one in kept[word]][:limit], total


def _shown(history: History, run: StoredRun, chosen: Sequence[tuple[str, str]], views: CaseViews) -> Iterator[CaseView]:
    for number, (case, word) in enumerate(chosen):
        yield views.case(run, history.trials(run, case=case), word, number)


def _cases_words(run: StoredRun, shown: int, total: int) -> str:
    if shown == total:
        return f"{count_words(total, 'case')}, those that did not pass first"
    words = f"showing {shown:,} of {total:,}, those that did not pass first"
    return f"{words}; oloproof export {run.id} --format jsonl has all"


def banner_of(run: StoredRun, decisions: Sequence[Decision], hide: Withholding) -> Banner:
    """Return what was decided of a run, in words."""
    if run.state == "running":
        return Banner("RUNNING", "undecided", "No decision until it ends", "What is stored so far stands below.")
    if run.state != "complete":
        why = run.error or "It did not come to its end; oloproof run --resume goes on."
        return Banner("NOT COMPLETED", "undecided", f"The run is {run.state}", visible(hide.text(why)))
    if not decisions:
        return Banner("NOTHING WAS DECIDED", "missing", "There are no rules", "What was measured stands below.")
    blocking = [one for one in worst_first(decisions) if one.blocking]
    first = (blocking or worst_first(decisions))[0]
    sentence = _tally(decisions)
    if blocking:
        sentence += " " + hide.text(first.message)
    return Banner(
        first.state, MARKS[first.state], _title(first, blocking, decisions), with_minus_signs(one_line(sentence))
    )


def _title(first: Decision, blocking: Sequence[Decision], decisions: Sequence[Decision]) -> str:
    if len(blocking) > 1:
        return f"{len(blocking)} of {len(decisions)} rules block"
    if not blocking:
        return "Every rule holds" if first.state == "PASS" else "No rule blocks"
    words = {state: word for state, word, _ in (*_TALLY[:1], *_TALLY[2:])} | {"INSUFFICIENT_EVIDENCE": "is not decided"}
    return f"{one_line(first.rule)} {words[first.state]}"


def _tally(decisions: Sequence[Decision]) -> str:
    """Return ``1 of 6 rules fails, 2 have too little evidence, 3 hold.``"""
    parts: list[str] = []
    for state, one, many in _TALLY:
        count = sum(decision.state == state for decision in decisions)
        if count:
            total = "" if parts else f" of {count_words(len(decisions), 'rule')}"
            parts.append(f"{count}{total} {one if count == 1 else many}")
    return ", ".join(parts) + "."


def facts_of(history: History, run: StoredRun, metrics: Sequence[Metric]) -> Iterator[Fact]:
    """Yield what is told of a run in one line: what was run, how much of it, what was not measured, when."""
    counts = history.counts(run)
    yield Fact("system", f"{visible(run.system_name)} {visible(run.system_version)}")
    repeats = run.document["repeats"]["count"]
    yield Fact("cases", f"{run.cases:,}" + (f" × {repeats} repeats" if repeats > 1 else ""))
    if run.partial:
        yield Fact("partial", "only a part of the dataset was run")
    if counts["trials"] != run.cases:
        variants = len(run.document.get("relations") or ())
        yield Fact("trials", f"{counts['trials']:,}" + (f", {count_words(variants, 'variant')}" if variants else ""))
    if counts["failed"]:
        yield Fact("executions failed", f"{counts['failed']:,}")
    for word, count, where in not_measured(metrics):
        if count:
            yield Fact(word, f"{count:,}{where}")
    if counts["cached"]:
        oldest = history.oldest_reused(run)
        age = "" if oldest is None else f", {age_words(run.started - oldest)}"
        yield Fact("from the cache", f"{counts['cached']:,}{age}")
    spent = cost_words(judges_document(history, run))
    if spent:
        yield Fact("judges took", spent)
    if run.finished is not None:
        yield Fact("took", seconds_words(max(run.finished - run.started, 0.0)))
    yield Fact("started", datetime.fromtimestamp(run.started, UTC).strftime("%Y-%m-%d %H:%M UTC"))


def not_measured(metrics: Iterable[Metric]) -> Iterator[tuple[str, int, str]]:
    """Yield ``missing`` and ``invalid``, each with how many there are, and in how many criteria where not in one.

    What is worked out of them, such as the noise floor of families, is missing for its own reasons.
    """
    whole = [one for one in metrics if one.variant == ORIGINAL and one.slice is None and one.family is None]
    for word in ("missing", "invalid"):
        counts = [count for one in whole if (count := getattr(one, word))]
        yield word, sum(counts), f" in {len(counts)} criteria" if len(counts) > 1 else ""


def rule_row(
    one: Decision, rule: RuleOptions | None, metrics: Sequence[Metric], run: StoredRun, hide: Withholding
) -> RuleRow:
    """Return the row of a decision; ``rule`` is None where the policy it was taken by is not known."""
    compares = rule is not None and rule.compares
    metric = None if compares else _metric_behind(one, rule, metrics)
    plot, estimate, interval = None, "–", ""
    instead = "compares two runs" if compares else "nothing observed"
    if metric is not None and rule is not None and rule.effective_kind == "observed_count":
        found = count_against(rule, metric)
        verb = "count" if rule.rate is not None else "failed"
        estimate, interval = f"{found:,}", "a count"
        instead = f"{found:,} of {metric.n:,} {verb}; at most {rule.max_failures} may"
    elif metric is not None:
        estimate, interval = number_words(metric.estimate, metric.kind), interval_words(metric)
        plot = None if rule is None else plot_of(metric, axis_of(metric, run), rule)
        if metric.interval is not None:
            instead = f"threshold {one.threshold:g}"
    return RuleRow(
        rule=visible(one.rule),
        state=one.state,
        mark=MARKS[one.state],
        reason=one.reason,
        message=with_minus_signs(visible(hide.text(one.message))),
        note=None if one.blocking or one.state == "PASS" else "does not block",
        plot=plot,
        instead=instead,
        estimate=with_minus_signs(estimate),
        interval=with_minus_signs(interval),
        measured="" if metric is None else _measured(metric),
    )


def _metric_behind(one: Decision, rule: RuleOptions | None, metrics: Sequence[Metric]) -> Metric | None:
    """Return the metric that a decision was taken on: of a judge's two, the one with the decision's numbers."""
    same = [
        metric
        for metric in metrics
        if metric.criterion == one.metric and (metric.estimate, metric.interval) == (one.estimate, one.interval)
    ]
    for metric in same or metrics:
        if metric.criterion != one.metric:
            continue
        if rule is None:
            if (metric.estimate, metric.interval) == (one.estimate, one.interval):
                return metric
        elif metric.variant == (rule.variant or ORIGINAL) and metric.slice == rule.slice:
            return metric
    return None


def _measured(metric: Metric) -> str:
    parts = [f"{metric.observed:,} of {metric.n:,}"]
    parts += [f"{count:,} {word}" for word in ("missing", "invalid", "excluded") if (count := getattr(metric, word))]
    return ", ".join(parts)
