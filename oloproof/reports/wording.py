"""Words that every report shares: text made safe to show, sizes, spans of time, names of trials and metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oloproof.config.models import RATES
from oloproof.policy.wording import slice_words
from oloproof.records import HUMAN_RATE, ORIGINAL, Decision, DecisionState, Metric, Outcome
from oloproof.storage import StoredRun, StoredTrial

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that steer a terminal, turn the direction of text, or that XML and UTF-8 cannot hold."""

_NEGATIVE = re.compile(r"(?<![^\s\[(])-(?=\d)")

WORST_FIRST: tuple[Outcome, ...] = ("fail", "invalid", "missing", "pass")
_STATES: tuple[DecisionState, ...] = ("FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW", "PASS")

USUAL_LEVEL = 0.95
NOTHING_DECIDED = "nothing was decided: there are no rules"


def visible(text: str) -> str:
    r"""Return ``text`` with invisible steering characters written out (``\x1b``); tabs and line ends stay."""
    return _UNSEEN.sub(_written_out, text.replace("\r\n", "\n"))


def interval_head(level: float) -> str:
    """Return what stands above intervals: their level too, where it is not the usual one."""
    return "interval" if level == USUAL_LEVEL else f"{level * 100:g} % interval"


def with_minus_signs(text: str) -> str:
    """Return ``text`` with the hyphens before negative numbers as minus signs, as pages set them."""
    return _NEGATIVE.sub("−", text)


def _written_out(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def one_line(text: str, limit: int | None = None) -> str:
    """Return ``text`` safe to show on one line, cut to ``limit`` characters."""
    line = " ".join(visible(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def json_words(value: Any) -> str:
    """Return a JSON value as compact text; a string as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def json_lines(value: Any, width: int = 72, indent: str = "") -> str:
    """Return a JSON value over several lines; a list or an object that fits stands on one."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= width or not value or not isinstance(value, dict | list):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {json_lines(one, width, inner)}" for key, one in value.items()
        ]
        start, end = "{", "}"
    else:
        parts = [json_lines(one, width, inner) for one in value]
        start, end = "[", "]"
    return start + "\n" + ",\n".join(inner + part for part in parts) + "\n" + indent + end


def count_words(count: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 case``, ``1,200 cases``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def failed_words(failed: int, executed: int, planned: int) -> str:
    """Return ``8 trials of 40 did not pass``, and how many were not executed where a run was stopped."""
    words = f"{count_words(failed, 'trial')} of {executed:,} did not pass"
    return words if executed == planned else f"{words}, {planned - executed:,} were not executed"


def seconds_words(seconds: float) -> str:
    """Return a span of time with the precision that a person wants."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    if seconds < 48 * 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
    return f"{seconds / 86400:.0f} days"


def age_words(seconds: float) -> str:
    """Return how old something is, in whole units."""
    for size, noun in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return count_words(int(seconds // size), noun) + " old"
    return "less than a minute old"


def number_text(value: float) -> str:
    """Return a measured number without needless digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def place_words(variant: str, repeat: int) -> str:
    """Return ``jpeg-40, repeat 2``; nothing for the first repeat of the original."""
    parts = [] if variant == ORIGINAL else [variant]
    return ", ".join([*parts, f"repeat {repeat}"] if repeat else parts)


def trial_name(case: str, variant: str, repeat: int) -> str:
    """Return the case's id, with its variant and repeat where there is something to tell."""
    place = place_words(variant, repeat)
    return f"{case} [{place}]" if place else case


SIGHT = {"proven": "proven", "not_proven": "NOT proven", "not_tested": "not tested"}
"""What is said of a judge's sight, or of its hearing, after that word."""


def sight_words(counts: Mapping[str, int], sense: str = "sight") -> str:
    """Return whether a judge proved that it sees or hears, with numbers where that differs between its judgements."""
    told = [(state, counts[state]) for state in SIGHT if counts.get(state)] or [("not_tested", 0)]
    many = len(told) > 1
    return ", ".join(f"{sense} {SIGHT[state]}" + (f" for {count}" if many else "") for state, count in told)


def judge_words(judge: Mapping[str, Any]) -> str:
    """Return whether a judge of a run proved that it sees, and what answered when that is not one model.

    ``judge`` is its entry in the document of the run.
    """
    words = f"{', '.join(judge['criteria'])}: {sight_words(judge['sight'], judge.get('sense', 'sight'))}"
    if len(judge["models_served"]) > 1:
        words += f"; answered by {len(judge['models_served'])} models: {', '.join(judge['models_served'])}"
    if len(judge["ffmpeg"]) > 1:
        words += f"; frames by {len(judge['ffmpeg'])} versions of ffmpeg: {', '.join(judge['ffmpeg'])}"
    spent = spent_words(judge)
    return f"{words}; {spent}" if spent else words


def spent_words(judge: Mapping[str, Any]) -> str:
    """Return what the new judgements of a judge of a run took, in tokens and dollars; nothing where nothing says."""
    tokens = judge["tokens"]
    parts = [f"{tokens[key]:,} tokens {way}" for key, way in (("input", "in"), ("output", "out")) if tokens[key]]
    if judge["usd"] is not None and judge["asked"]:
        parts.append(usd_words(judge["usd"]))
    return ", ".join(parts)


def cost_words(judges: Sequence[Mapping[str, Any]]) -> str:
    """Return what all judges of a run took together: dollars where each says them, or else tokens, or nothing."""
    asked = [judge for judge in judges if judge["asked"]]
    if asked and all(judge["usd"] is not None for judge in asked):
        return usd_words(sum(judge["usd"] for judge in asked))
    tokens = sum((judge["tokens"][key] or 0) for judge in asked for key in ("input", "output"))
    return f"{tokens:,} tokens" if tokens else ""


def usd_words(usd: float) -> str:
    """Return an amount of US dollars; of small ones two digits that count."""
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.2g}"


def judged_words(saw: Mapping[str, Any]) -> str:
    """Return which model judged, and whether it proved that it sees or, of sound alone, that it hears."""
    told = saw.get("model_served") or saw.get("model_requested") or "a model"
    sense = sense_of(part.get("kind") for part in saw.get("parts") or ())
    return f"judged by {one_line(str(told), 100)}, {sight_words({saw.get('sight') or 'not_tested': 1}, sense)}"


def sense_of(kinds: Iterable[Any]) -> str:
    """Return ``hearing`` where of all that a judge is shown only sound needs a sense, else ``sight``."""
    shown = set(kinds)
    return "hearing" if shown & {"audio", "transcript"} and not shown & {"image", "frame", "video"} else "sight"


def metric_name(metric: Metric) -> str:
    """Return a metric's criterion with its variant and slice, of one over families the relation and the cohort."""
    variant = "" if metric.variant == ORIGINAL else f" [{metric.variant}]"
    people = " (people)" if metric.estimand == HUMAN_RATE else ""
    about = [
        str(value) for key in ("relation", "cohort") if (value := (metric.family or {}).get(key)) not in (None, "all")
    ]
    return metric.criterion + people + variant + (f" ({', '.join(about)})" if about else "") + slice_words(metric.slice)


def counted(metric: Metric) -> tuple[str, str]:
    """Return how many cases passed and failed; dashes where none does either, as in scores and in rates of errors."""
    if metric.kind != "rate" or metric.family is not None or metric.criterion.rpartition(".")[2] in RATES:
        return "–", "–"
    return f"{metric.passed:,}", f"{metric.failed:,}"


def metric_from(document: Mapping[str, Any]) -> Metric:
    """Return the metric that a run's document holds."""
    ends = {key: None if document.get(key) is None else tuple(document[key]) for key in ("interval", "could_be")}
    return Metric(**{**document, **ends})


def outcome_of(trial: StoredTrial, criterion: int) -> Outcome:
    """Return what a criterion says of a trial; one without a verdict is missing."""
    return trial.verdicts[criterion].outcome if criterion < len(trial.verdicts) else "missing"


def is_scored(run: StoredRun, criterion: int | None = None) -> bool:
    """Return whether a criterion gives scores that are averaged, without one whether all do: such a score stands for
    itself and neither passes nor fails.
    """
    entries = run.criteria if criterion is None else (run.criteria[criterion],)
    return bool(entries) and all(entry.get("metric") == "score" for entry in entries)


def scored_criteria(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the criteria, of the evaluators in a document, whose scores are averaged."""
    return frozenset(entry["criterion"] for entry in entries if entry.get("metric") == "score")


def outcome_word(outcome: str, *, scored: bool) -> str:
    """Return an outcome as it is shown; ``pass`` is what is stored of a score that neither passes nor fails."""
    return "scored" if scored and outcome == "pass" else outcome


def worst_first(decisions: Iterable[Decision]) -> list[Decision]:
    """Return decisions with those that block first, then by state."""
    return sorted(decisions, key=lambda one: (not one.blocking, _STATES.index(one.state)))


def headline(decisions: Sequence[Decision]) -> tuple[DecisionState | None, str]:
    """Return the state of the whole and a sentence: which rules block, or that none does.

    The state is None when nothing was decided.
    """
    if not decisions:
        return None, "There are no rules."
    blocking = [one for one in worst_first(decisions) if one.blocking]
    total = count_words(len(decisions), "rule")
    if blocking:
        names = ", ".join(one_line(one.rule) for one in blocking)
        verb = "blocks" if len(blocking) == 1 else "block"
        return blocking[0].state, f"{len(blocking)} of {total} {verb}: {names}."
    open_ones = [one for one in decisions if one.state != "PASS"]
    if open_ones:
        names = ", ".join(one_line(one.rule) for one in open_ones)
        return worst_first(open_ones)[0].state, f"No rule blocks; {len(open_ones)} of {total} did not pass: {names}."
    return "PASS", "The one rule holds." if len(decisions) == 1 else f"All {total} hold."


def exit_words(code: int, decisions: Sequence[Decision]) -> str:
    """Return what an exit code means here, in one line."""
    if code == 2:
        return "exit 2: the run was not completed"
    if not decisions:
        return f"exit {code}: {NOTHING_DECIDED}"
    return f"exit {code}: {headline(decisions)[1]}"
