"""A run as Markdown, for a comment on a pull request: short, and safe whatever a system answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from typing import TextIO

from oloproof.policy.wording import interval_words, number_words
from oloproof.records import Decision, Metric, Relation
from oloproof.reports.family_figures import is_told_by_variant
from oloproof.reports.family_rows import family_tables
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import (
    NOTHING_DECIDED,
    count_words,
    counted,
    failed_words,
    headline,
    interval_head,
    judge_words,
    metric_name,
    one_line,
    trial_name,
    worst_first,
)
from oloproof.running.deciding import Conclusion, relations_of
from oloproof.running.documents import is_failure
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, StoredRun, StoredTrial

LONGEST = 300
"""Characters of one reason; a comment on GitHub holds 65,536 in all."""
MOST_METRICS = 60

_ENTITIES = {sign: f"&#{ord(sign)};" for sign in "&<>|`@"}
_BACKSLASHED = {sign: f"\\{sign}" for sign in "\\*_[]~$"}
_SIGNS = str.maketrans(_ENTITIES | _BACKSLASHED)
_BREAK = "&#8203;"
"""A space of no width: what stands on both sides of it is no mention, reference or address any more."""
_LINKING = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bGH)(?=-\d)", re.IGNORECASE)


def escaped(text: str, limit: int = LONGEST) -> str:
    """Return ``text`` on one line so that it is shown as it is: no table, tag, link, mention or markup of its own."""
    return _LINKING.sub("\0", one_line(text, limit)).translate(_SIGNS).replace("\0", _BREAK)


def write_markdown(
    stream: TextIO,
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    *,
    failures: int = 10,
    withhold: frozenset[str] = frozenset(),
) -> None:
    """Write what was decided, the metrics, and the first ``failures`` trials that did not pass, folded."""
    hide = Withholding(withhold, history.store.root)
    relations = relations_of(run.document)
    parts = (
        _heading(run, conclusion, hide),
        _decisions(conclusion.decisions, hide),
        _metrics([one for one in conclusion.metrics if not is_told_by_variant(one, relations)]),
        _families(conclusion.metrics, relations),
        _judges(history, run),
    )
    for part in parts:
        stream.writelines(line + "\n" for line in part)
    stream.writelines(line + "\n" for line in _failures(history, run, failures, hide))


def _heading(run: StoredRun, conclusion: Conclusion, hide: Withholding) -> Iterator[str]:
    state, sentence = headline(conclusion.decisions)
    complete = run.state == "complete"
    title = "not completed" if not complete else state or NOTHING_DECIDED
    yield f"## Oloproof: {escaped(title)}"
    yield ""
    system = escaped(f"{run.system_name}@{run.system_version}")
    facts = f"{escaped(run.project)}, {system}, {count_words(run.cases, 'case')}, run {escaped(run.id)}"
    yield f"{escaped(sentence)} {facts}{', only a part of the dataset' if run.partial else ''}"
    if not complete:
        yield f"\nThe run is {run.state}: {escaped(hide.text(run.error or 'it did not come to its end'))}"
    yield ""


def _decisions(decisions: Sequence[Decision], hide: Withholding) -> Iterator[str]:
    if not decisions:
        return
    yield "| state | rule | reason | why |"
    yield "|---|---|---|---|"
    for one in worst_first(decisions):
        state = f"**{escaped(one.state)}**" + ("" if one.blocking or one.state == "PASS" else ", does not block")
        why = escaped(hide.text(one.message), 600)
        yield f"| {state} | {escaped(one.rule)} | {escaped(one.reason)} | {why} |"
    yield ""


def _metrics(metrics: Sequence[Metric]) -> Iterator[str]:
    if not metrics:
        return
    yield f"| criterion | n | pass | fail | missing | invalid | estimate | {interval_head(metrics[0].level)} |"
    yield "|---|--:|--:|--:|--:|--:|--:|---|"
    for one in metrics[:MOST_METRICS]:
        passed, failed = counted(one)
        estimate, interval = number_words(one.estimate, one.kind), interval_words(one)
        cells = [escaped(metric_name(one)), f"{one.n:,}", passed, failed, f"{one.missing:,}", f"{one.invalid:,}"]
        yield "| " + " | ".join([*cells, estimate, escaped(interval)]) + " |"
    if len(metrics) > MOST_METRICS:
        yield ""
        yield f"{len(metrics) - MOST_METRICS} metrics more are not shown."
    yield ""


def _families(metrics: Sequence[Metric], relations: Mapping[str, Relation]) -> Iterator[str]:
    """Yield a table a criterion: how far each variant moves its cases from the original."""
    for criterion, heads, rows in family_tables(metrics, relations):
        yield "| " + " | ".join([f"{escaped(criterion)} by variant", *heads]) + " |"
        yield "|---|--:|---|--:|--:|--:|--:|--:|"
        yield from ("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows)
        yield ""


def _judges(history: History, run: StoredRun) -> Iterator[str]:
    """Yield whether each judge proved that it sees."""
    told = [escaped(judge_words(one)) for one in judges_document(history, run) if one["judgements"]]
    if told:
        yield from (f"- judge of {words}" for words in told)
        yield ""


def _failures(history: History, run: StoredRun, limit: int, hide: Withholding) -> Iterator[str]:
    seen = count()
    failing = (trial for trial, _ in zip(history.trials(run), seen, strict=False) if is_failure(trial))
    shown = [_failure(run, trial, hide) for trial in islice(failing, limit)]
    total = len(shown) + sum(1 for _ in failing)
    if total:
        yield f"<details><summary>{failed_words(total, next(seen), run.trials)}</summary>"
        yield ""
        yield from shown
        if total > len(shown):
            yield f"- and {total - len(shown):,} more: `oloproof inspect --failures`"
        yield ""
        yield "</details>"


def _failure(run: StoredRun, trial: StoredTrial, hide: Withholding) -> str:
    name = escaped(hide.text(trial_name(trial.case_id, trial.variant, trial.repeat)))
    if trial.execution.error is not None:
        return f"- **{name}**: error: {escaped(hide.text(trial.execution.error))}"
    told = [
        f"{escaped(entry['criterion'])} {verdict.outcome}: {escaped(hide.text(verdict.reason))}"
        for entry, verdict in zip(run.criteria, trial.verdicts, strict=False)
        if verdict.outcome != "pass"
    ]
    return f"- **{name}**: " + "; ".join(told)
