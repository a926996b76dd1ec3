"""What ``inspect`` prints on a terminal: one case with everything known of it, or what did not pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import count, islice
from typing import Any

from oloproof.labels.saw import saw_words
from oloproof.records import ORIGINAL
from oloproof.reports.layout import GAP, Paint, block, plain, wrapped
from oloproof.reports.wording import (
    failed_words,
    json_lines,
    json_words,
    judged_words,
    number_text,
    one_line,
    outcome_word,
    place_words,
    seconds_words,
    trial_name,
    visible,
)
from oloproof.running.documents import is_failure
from oloproof.storage import StoredRun, StoredTrial

LONGEST = 2_000
"""Characters of an input, output or expected value that are printed."""


def case_text(
    document: Mapping[str, Any], *, scored: Collection[str] = (), width: int = 80, paint: Paint = plain
) -> str:
    """Return one case in words; ``document`` is what ``inspect --case ID --json`` prints.

    ``scored`` are the criteria whose scores are averaged, and neither pass nor fail.
    """
    lines = [f"{paint(one_line(document['case']), 'strong')}{GAP}in run {document['run']}"]
    if document.get("slice"):
        lines += wrapped(one_line(_pairs(document["slice"])), width, GAP)
    lines += _value("input", document["input"], paint)
    if document["expected"] is not None:
        lines += _value("expected", document["expected"], paint)
    for trial in document["trials"]:
        lines += ["", *_trial(trial, scored, width, paint)]
    return "\n".join(lines)


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json_words(value)}" for name, value in values.items())


def _value(name: str, value: Any, paint: Paint) -> list[str]:
    text = visible(value if isinstance(value, str) else json_lines(value))
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}… {len(text) - LONGEST:,} characters more"
    if "\n" not in text:
        return [f"{GAP}{paint(name, 'quiet')} {text}"]
    return [f"{GAP}{paint(name, 'quiet')}", *block(text, GAP * 2)]


def _trial(trial: Mapping[str, Any], scored: Collection[str], width: int, paint: Paint) -> list[str]:
    place = place_words(trial["variant"], trial["repeat"]) or "original"
    source = "from the cache" if trial["cached"] else seconds_words(trial["seconds"])
    lines = [f"{paint(one_line(place), 'strong')}, {source}"]
    if trial["error"] is not None:
        lines += wrapped(one_line(trial["error"]), width, GAP * 3, first=f"{GAP}{paint('error', 'fail')} ")
        if trial.get("error_detail"):
            lines += block(visible(trial["error_detail"].rstrip()), GAP * 2, 40)
    else:
        lines += _value("output", trial["output"], paint)
    recorded = {item["sha256"] for item in trial["media"] if item["role"] == "input"}
    for delivery in trial.get("delivered", ()):
        if trial["variant"] != ORIGINAL or delivery["file"]["sha256"] not in recorded:
            lines += _delivery(delivery, width, paint)
    for item in trial["media"]:
        lines += _item(item, width, paint)
    for verdict in trial["verdicts"]:
        word = outcome_word(verdict["outcome"], scored=verdict["criterion"] in scored)
        lines += verdict_lines({**verdict, "outcome": word}, width, paint)
    return lines


def _delivery(delivery: Mapping[str, Any], width: int, paint: Paint) -> list[str]:
    """Return what a trial was given: the file; of a variant what it claims to be, and what was found of that."""
    item = delivery["file"]
    what = "no file" if item is None else f"{item['media_type']}, {item['size']:,} bytes, sha256 {item['sha256']}"
    finding = delivery["finding"]
    same = delivery["same"] or {}
    levels = [f"same {name}" for name in ("bytes", "data", "view") if same.get(name)]
    told = [delivery["relation"] or "", *levels, delivery["difference"], finding["message"] if finding else ""]
    head = f"{GAP}{paint('given', 'quiet')} {one_line(delivery['field'])}{GAP}{what}"
    claims = ", ".join(filter(None, told))
    return [head, *(wrapped(one_line(claims, 300), width, GAP * 3) if claims else [])]


def _item(item: Mapping[str, Any], width: int, paint: Paint) -> list[str]:
    facts = [item["role"], item["kind"], item["media_type"], f"{item['size']:,} bytes"]
    if item["width"] is not None:
        facts.append(f"{item['width']} × {item['height']}")
    if item["duration"] is not None:
        facts.append(seconds_words(item["duration"]))
    if item.get("facts"):
        facts.append(one_line(_pairs(item["facts"]), 200))
    state = item["state"]
    where = one_line(item["path"] or item["name"])
    return [
        f"{GAP}{paint('media', 'quiet')} {where}{GAP}{paint(state, 'quiet' if state == 'verified' else 'fail')}",
        *wrapped(", ".join(facts), width, GAP * 3),
        f"{GAP * 3}sha256 {item['sha256']}",
    ]


def verdict_lines(verdict: Mapping[str, Any], width: int = 80, paint: Paint = plain) -> list[str]:
    """Return a verdict: outcome, criterion and score on one line with the reason, or above it."""
    outcome, name = verdict["outcome"], one_line(verdict["criterion"])
    score = "" if verdict["score"] is None else f"{GAP}score {number_text(verdict['score'])}"
    start = f"{GAP}{outcome}{GAP}{name}{score}"
    shown = f"{GAP}{paint(outcome, outcome)}{GAP}{paint(name, 'strong')}{score}"
    reason = one_line(verdict["reason"], 1_000)
    fits = len(start) + len(GAP) + len(reason) <= width
    lines = [f"{shown}{GAP}{reason}"] if fits else [shown, *wrapped(reason, width, GAP * 3)]
    return lines + _saw_lines(verdict.get("saw"), width)


def _saw_lines(saw: Mapping[str, Any] | None, width: int) -> list[str]:
    """Return what a judge saw, which model answered, and whether it proved that it sees."""
    if saw is None:
        return []
    lines = wrapped(judged_words(saw), width, GAP * 3)
    for line in saw_words(saw).splitlines():
        lines += wrapped(f"saw {one_line(line, 400)}", width, GAP * 4, first=GAP * 3)
    return lines


def failures_text(
    run: StoredRun,
    trials: Iterable[StoredTrial],
    *,
    limit: int | None = 50,
    width: int = 80,
    paint: Paint = plain,
) -> str:
    """Return what did not pass, the first ``limit`` trials in full; trials are read one by one and not kept."""
    seen = count()
    failing = (trial for trial, _ in zip(trials, seen, strict=False) if is_failure(trial))
    lines: list[str] = []
    shown = 0
    for trial in islice(failing, limit):
        shown += 1
        lines += [*_failure(run, trial, width, paint), ""]
    more = sum(1 for _ in failing)
    if not shown and next(seen) == 0:
        return f"run {run.id} ({run.state}) holds no trial, so nothing can be said of it"
    if not shown:
        return f"nothing failed in run {run.id}: every verdict is a pass"
    words = failed_words(shown + more, next(seen), run.trials)
    if more:
        words += f"; the first {shown} are shown, oloproof inspect {run.id} --failures --json has all"
    return "\n".join([*lines, *wrapped(words, width)])


def _failure(run: StoredRun, trial: StoredTrial, width: int, paint: Paint) -> list[str]:
    lines = [paint(one_line(trial_name(trial.case_id, trial.variant, trial.repeat)), "strong")]
    if trial.execution.error is not None:
        error = one_line(trial.execution.error, 1_000)
        lines += wrapped(error, width, GAP * 3, first=f"{GAP}{paint('error', 'fail')}{GAP}")
    for entry, verdict in zip(run.criteria, trial.verdicts, strict=False):
        if verdict.outcome == "pass" or (trial.execution.failed and verdict.outcome == "missing"):
            continue
        told = {"criterion": entry["criterion"], "outcome": verdict.outcome}
        lines += verdict_lines({**told, "score": verdict.score, "reason": verdict.reason}, width, paint)
    return lines
