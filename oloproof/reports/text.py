"""What ``run``, ``gate``, ``compare`` and ``runs`` print on a terminal; every function returns the text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from oloproof.policy import Comparison
from oloproof.policy.wording import interval_words, number_words
from oloproof.records import ORIGINAL, Decision, Metric, Relation
from oloproof.reports.family_figures import is_told_by_variant
from oloproof.reports.family_rows import family_tables
from oloproof.reports.layout import GAP, Cell, Paint, plain, table, width_of, wrapped
from oloproof.reports.wording import (
    NOTHING_DECIDED,
    USUAL_LEVEL,
    age_words,
    count_words,
    counted,
    exit_words,
    interval_head,
    judge_words,
    metric_from,
    metric_name,
    one_line,
    seconds_words,
    worst_first,
)

LISTED = 10
"""How many ids of changed cases a comparison lists."""


def run_summary(
    document: Mapping[str, Any],
    *,
    seconds: float | None = None,
    now: float | None = None,
    exit_code: int | None = None,
    width: int = 80,
    paint: Paint = plain,
) -> str:
    """Return a run in words: what it was, its metrics, what each rule decided, warnings, what the exit code means.

    Args:
        document: as :func:`oloproof.running.documents.run_document` makes it.
        seconds: how long the command took, where it ran something.
        now: the time to which the age of reused answers is told; the clock's by default.
        exit_code: the code the command ends with where that is not the policy's, such as 2.
        width: columns of the terminal.
        paint: colours a text in a style.
    """
    decisions = [Decision(**one) for one in document["decisions"]]
    metrics = [metric_from(one) for one in document["metrics"]]
    relations = document.get("relations") or {}
    code = document["exit"] if exit_code is None else exit_code
    if document["state"] in ("stopped", "interrupted"):
        code = 2
    parts = [
        _header(document, seconds, time.time() if now is None else now, width, paint),
        metric_lines([one for one in metrics if not is_told_by_variant(one, relations)], width=width, paint=paint),
        *family_lines(metrics, relations, width=width, paint=paint),
        judge_lines(document.get("judges", ()), width=width),
        decision_lines(decisions, width=width, paint=paint) or [NOTHING_DECIDED],
        _warning_lines(document["warnings"], width, paint),
        wrapped(exit_words(code, decisions), width, GAP, first=""),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _header(document: Mapping[str, Any], seconds: float | None, now: float, width: int, paint: Paint) -> list[str]:
    system = document["system"]
    named = one_line(f"{document['project']}, {system['name']}@{system['version']}")
    facts = [count_words(document["cases"], "case")]
    trials = document["executions"]["run"] + document["executions"]["cached"]
    if trials != document["cases"]:
        facts.append(f"{trials:,} trials")
    if document["partial"]:
        facts.append("only a part of the dataset")
    if seconds is not None:
        facts.append(seconds_words(seconds))
    executions = document["executions"]
    facts.append(_from_cache(executions["cached"], document.get("oldest_reused"), now))
    reused = document["verdicts"]["cached"]
    if reused:
        facts.append(_from_cache(reused, document.get("oldest_verdict_reused"), now, what="verdict"))
    if executions["failed"]:
        facts.append(f"{count_words(executions['failed'], 'execution')} failed")
    if document["state"] != "complete":
        facts.append(f"{document['state']}, not complete")
    first = f"{paint(document['run'], 'strong')}{GAP}{named}"
    if width_of(f"{document['run']}{GAP}{named}") > width:
        first = "\n".join([paint(document["run"], "strong"), *wrapped(named, width, GAP)])
    return [first, *wrapped(", ".join(facts), width)]


def _from_cache(cached: int, oldest: str | None, now: float, *, what: str = "answer") -> str:
    if not cached:
        return f"no {what} from the cache"
    words = f"{count_words(cached, what)} from the cache"
    if oldest is None:
        return words
    age = now - datetime.fromisoformat(oldest).timestamp()
    return f"{words} ({'the oldest ' if cached > 1 else ''}{age_words(age)})"


def judge_lines(judges: Sequence[Mapping[str, Any]], *, width: int = 80) -> list[str]:
    """Return, for each judge of a run, whether it proved that it sees, and what answered when that is not one model."""
    lines = []
    for judge in judges:
        if not judge["judgements"]:
            continue
        lines += wrapped(judge_words(judge), width, GAP, first="")
    return lines


def metric_lines(metrics: Sequence[Metric], *, width: int = 80, paint: Paint = plain) -> list[str]:
    """Return the table of metrics; what is not counted (passes of a score) is a dash.

    Metrics over families of one variant or slice are only counted where they are zero, with nothing missing.
    """
    if not metrics:
        return []
    head = ("criterion", "n", "pass", "fail", "missing", "invalid", "estimate", interval_head(metrics[0].level))
    shown = [one for one in metrics if not _still(one)]
    lines = table(head, [_metric_row(one) for one in shown], align="lrrrrrrl", width=width, paint=paint)
    left = len(metrics) - len(shown)
    return (
        [*lines, *wrapped(f"{left} metrics of variants and slices more are zero; --json has them", width, "", first="")]
        if left
        else lines
    )


def family_lines(
    metrics: Sequence[Metric], relations: Mapping[str, Relation], *, width: int = 80, paint: Paint = plain
) -> list[list[str]]:
    """Return a table a criterion: how far each variant moves its cases from the original, paired case by case."""
    tables = []
    for criterion, heads, rows in family_tables(metrics, relations):
        cells = [[Cell(one_line(row[0]), "strong"), *map(Cell, row[1:])] for row in rows]
        head = (f"{one_line(criterion)} by variant", *heads)
        tables.append(table(head, cells, align="lrlrrrrr", width=width, paint=paint))
    return tables


def _still(metric: Metric) -> bool:
    return (
        metric.family is not None
        and (metric.variant != ORIGINAL or metric.slice is not None)
        and metric.estimate == 0.0
        and metric.observed == metric.n
    )


def _metric_row(metric: Metric) -> list[Cell]:
    passed, failed = counted(metric)
    return [
        Cell(one_line(metric_name(metric)), "strong"),
        Cell(f"{metric.n:,}"),
        Cell(passed),
        Cell(failed, "" if failed in ("–", "0") else "fail"),
        Cell(f"{metric.missing:,}", "missing" if metric.missing else ""),
        Cell(f"{metric.invalid:,}", "invalid" if metric.invalid else ""),
        Cell(number_words(metric.estimate, metric.kind)),
        Cell(interval_words(metric)),
    ]


def decision_lines(decisions: Iterable[Decision], *, width: int = 80, paint: Paint = plain) -> list[str]:
    """Return one line a decision, those that block first; a sentence that does not fit stands below, indented."""
    lines: list[str] = []
    for one in worst_first(decisions):
        marks = [one.state, one_line(one.rule), one.reason]
        if not one.blocking and one.state != "PASS":
            marks.append("(does not block)")
        sentence = one_line(one.message)
        start = GAP.join(marks)
        lines.append(GAP.join([paint(one.state, one.state), paint(marks[1], "strong"), *marks[2:]]))
        if width_of(start + GAP + sentence) <= width:
            lines[-1] += GAP + sentence
        else:
            lines += wrapped(sentence, width, GAP * 2)
    return lines


def _warning_lines(warnings: Sequence[Mapping[str, str]], width: int, paint: Paint) -> list[str]:
    lines: list[str] = []
    for one in warnings:
        first, *rest = wrapped(f"warning {one['code']}: {one_line(one['message'])}", width, GAP * 2, first="")
        lines += [first.replace("warning", paint("warning", "warning"), 1), *rest]
    return lines


def runs_table(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return the list of runs, newest first; ``document`` is what ``runs --json`` prints."""
    if not document["runs"]:
        return "no runs yet; oloproof run makes the first"
    rows = [
        [
            Cell(run["run"], "strong"),
            Cell((run["started"] or "").replace("T", " ").rstrip("Z")),
            Cell(run["state"] + (", partial" if run["partial"] else "")),
            Cell(str(run["cases"])),
            Cell("–" if run["exit"] is None else str(run["exit"]), "" if not run["exit"] else "fail"),
            Cell(one_line(f"{run['system']['name']}@{run['system']['version']}")),
        ]
        for run in document["runs"]
    ]
    head, *lines = table(
        ("run", "started (UTC)", "state", "cases", "exit", "system"), rows, align="lllrrl", width=width, paint=paint
    )
    out = [head]
    for run, line in zip(document["runs"], lines, strict=True):
        out.append(line)
        if run["error"]:
            out += wrapped(one_line(run["error"], 400), width, GAP * 2)
    return "\n".join(out)


def comparison_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return two runs side by side; ``document`` is what ``compare --json`` prints."""
    found = [Comparison(**one) for one in document["comparisons"]]
    decisions = [Decision(**one) for one in document["decisions"]]
    parts = [wrapped(f"candidate {document['candidate']}, baseline {document['baseline']}", width)]
    level = found[0].level if found else USUAL_LEVEL
    head = ("criterion", "matched", "baseline", "candidate", "difference", interval_head(level), "p")
    rows = [_comparison_row(one) for one in found]
    parts.append(table(head, rows, align="lrrrrlr", width=width, paint=paint))
    parts += [lines for one in found if (lines := _changed_lines(one, width, paint))]
    parts.append(decision_lines(decisions, width=width, paint=paint) or ["nothing was decided: no rule compares"])
    parts += [lines for lines in (_warning_lines(document["warnings"], width, paint),) if lines]
    if decisions:
        parts.append(wrapped(exit_words(document["exit"], decisions), width, GAP, first=""))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _comparison_row(one: Comparison) -> list[Cell]:
    return [
        Cell(one_line(one.criterion), "strong"),
        Cell(f"{one.matched:,}"),
        Cell(number_words(one.baseline, one.kind)),
        Cell(number_words(one.candidate, one.kind)),
        Cell(difference_words(one.difference, one.kind)),
        Cell(difference_interval_words(one)),
        Cell("–" if one.p_value is None else f"{one.p_value:.3f}" if one.p_value >= 0.001 else "<0.001"),
    ]


def difference_words(value: float | None, kind: str) -> str:
    """Return a difference with its sign: of rates in percentage points, of scores as it is."""
    if value is None:
        return "no data"
    return f"{value * 100:+.1f}" if kind == "rate" else f"{value:+.3f}"


def difference_interval_words(found: Comparison) -> str:
    """Return the interval of a difference, rounded outward."""
    if found.interval is None:
        return "[no interval]"
    # 1e-9 keeps a bound that is a round number, such as -0.3, from being pushed out by its binary tail
    low, high = found.interval
    floor, ceil = (low * 1000 + 1e-9) // 1, -((-high * 1000 + 1e-9) // 1)
    if found.kind == "rate":
        return f"[{floor / 10:+.1f}, {ceil / 10:+.1f}]"
    return f"[{floor / 1000:+.3f}, {ceil / 1000:+.3f}]"


def _changed_lines(one: Comparison, width: int, paint: Paint) -> list[str]:
    better, worse = ("higher", "lower") if one.passed_in_both is None else ("fixed", "broken")
    counts = f"{len(one.fixed):,} {better}, {len(one.broken):,} {worse}"
    if one.unmatched:
        lost = f" ({one.lost:,} of them observed in the baseline only)" if one.lost else ""
        counts += f", {one.unmatched:,} unmatched{lost}"
    lines = wrapped(f"{one_line(one.criterion)}: {counts}", width, GAP, first="")
    lines[0] = lines[0].replace(one_line(one.criterion), paint(one_line(one.criterion), "strong"), 1)
    for word, ids in ((worse, one.broken), (better, one.fixed)):
        if ids:
            more = f" and {len(ids) - LISTED:,} more" if len(ids) > LISTED else ""
            listed = ", ".join(one_line(name) for name in ids[:LISTED]) + more
            lines += wrapped(listed, width, GAP * 2, first=f"{GAP}{word}: ")
    return lines if one.fixed or one.broken or one.unmatched else []
