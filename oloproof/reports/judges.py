"""What the commands about judges print on a terminal: validations, drafts tried, probes, and the list of evaluators."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from oloproof.reports.layout import GAP, Cell, Paint, plain, table, wrapped
from oloproof.reports.wording import count_words, one_line

NEVER_LOOKED_AT = "never looked at"
"""What is said of a judge that was held to no labels."""

_STYLE = {"VALIDATED": "pass", "NOT_VALIDATED": "fail", "INSUFFICIENT_LABELS": "missing"}
_SIGHT = {"proven": "pass", "not_proven": "fail", "not_tested": "missing"}
_KINDS = {"image": "pictures", "video": "clips", "audio": "sound"}


def validation_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return one validation in words: what was decided, on which table, and what is for reading only."""
    state = document["state"]
    lines = [f"{paint(document['criterion'], 'strong')}{GAP}{paint(state, _STYLE[state])}{GAP}{document['reason']}"]
    whole = (
        f"all kinds together, though each must clear the bars alone: {document['decision']['sentence']}"
        if document["kinds"]
        else document["sentence"]
    )
    lines += wrapped(whole, width, GAP)
    lines += [GAP + line for line in _confusion(document["table"], width, paint)]
    lines += wrapped(unclear_words(document), width, GAP) if any(document["unclear"].values()) else []
    for kind, one in document["kinds"].items():
        lines += wrapped(f"{kind}: {one['sentence']}", width, GAP)
    lines += wrapped(reading_words(document["measures"]), width, GAP)
    if document["unsettled"]:
        some = ", ".join(one_line(case) for case in document["unsettled"][:10])
        split = count_words(len(document["unsettled"]), "case")
        lines += wrapped(f"people are split on {split}, somebody has to settle them: {some}", width, GAP)
    if state == "NOT_VALIDATED":
        lines += wrapped(mending_words(document["criterion"]), width, GAP)
    again = "; nothing changed since, so no further look was spent" if document.get("again") else ""
    lines += wrapped(
        f"judge {document['judge'][:12]}, labels of run {document['run']}, guide {document['guide']}, "
        f"look {document['look']} at these labels{again}",
        width,
        GAP,
    )
    return "\n".join(lines)


def _confusion(counts: Mapping[str, int], width: int, paint: Paint) -> list[str]:
    head = ("", "judge PASS", "judge FAIL")
    rows = [
        (Cell("people PASS"), Cell(str(counts["tp"])), Cell(str(counts["fn"]))),
        (Cell("people FAIL"), Cell(str(counts["fp"])), Cell(str(counts["tn"]))),
    ]
    return table(head, rows, align="lrr", width=width - len(GAP), paint=paint)


def mending_words(criterion: str) -> str:
    """Return what can be done for a judge that people's labels refuted."""
    return (
        "more labels will not help; another rubric or model may: "
        f"oloproof labels export --criterion {shlex.quote(criterion)} --purpose develop draws cases to mend it on, "
        "and oloproof evaluators try shows where it and people differ"
    )


def unclear_words(document: Mapping[str, Any]) -> str:
    """Return how many cases of a validation lack a label, a verdict or both, and what that means."""
    unclear = document["unclear"]
    parts = []
    unlabelled = unclear["judge_pass"] + unclear["judge_fail"]
    unjudged = unclear["human_pass"] + unclear["human_fail"]
    if unlabelled:
        parts.append(f"{unlabelled} skipped, unsure or split")
    if unjudged:
        parts.append(
            f"{unjudged} labelled, on which the judge gave no verdict (the next validate asks again for answers that "
            "were cut off or never came)"
        )
    if unclear["neither"]:
        parts.append(f"{unclear['neither']} with neither")
    why = "".join(
        f"; why most often ({one['cases']}): {one_line(one['reason'], 200)}" for one in document.get("gaps", ())
    )
    return f"{', '.join(parts)}: each is counted as it hurts the judge most{why}"


def reading_words(measures: Mapping[str, Any]) -> str:
    """Return the measures of a validation that decide nothing, in one line."""
    found = measures["agreement"]
    if found is None:
        return "for reading only: nothing yet"
    kappa = found["kappa"]
    parts = [
        f"agreement {_number(found['agreement'])}",
        f"bias {_number(found['bias'], sign=True)}",
        f"kappa {_number(kappa['kappa'])}{_range(kappa['interval'])}",
        f"AC1 {_number(found['ac1'])}",
    ]
    alpha = measures["alpha"]
    if alpha is not None and alpha["cases"]:
        parts.append(f"alpha of the people {_number(alpha['alpha'])}{_range(alpha['interval'])} on {alpha['cases']}")
    return f"for reading only: {', '.join(parts)}"


def _number(value: float | None, *, sign: bool = False) -> str:
    return "undefined" if value is None else f"{value:+.2f}" if sign else f"{value:.2f}"


def _range(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" [{interval[0]:.2f}, {min(interval[1], 1.0):.2f}]"


def tried_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return how a draft judge does on develop labels: the table, then each case on which it and people differ."""
    lines = [
        f"{paint(document['criterion'], 'strong')}{GAP}tried on {count_words(document['cases'], 'develop label')}, "
        f"run {document['run']}"
    ]
    lines += [GAP + line for line in _confusion(document["table"], width, paint)]
    for one in document["differing"]:
        said = f"{one['case']}: people {one['people']}, judge {one['judge']}: {one_line(one['reason'])}"
        lines += wrapped(said, width, GAP)
    if not document["differing"]:
        lines.append(f"{GAP}judge and people agree on all of them")
    return "\n".join(lines)


def probe_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return what the probe of one judge found."""
    who = f"{document['model']} at {document['server']}"
    lines = [f"{paint(document['criterion'], 'strong')}{GAP}{one_line(who)}"]
    for sight in document["sight"]:
        words = f"sees {_KINDS[sight['kind']]}: " if sight["kind"] != "audio" else "hears: "
        state = sight["state"].replace("_", " ")
        lines += wrapped(f"{words}{paint(state, _SIGHT[sight['state']])}: {one_line(sight['reason'])}", width, GAP)
    for one in document["movements"]:
        unusable = f" ({one['unusable']} without a usable answer)" if one["unusable"] else ""
        lines += wrapped(
            f"{one['meaning']}: the verdict moved in {one['moved']} of {one['asked']}{unusable}{_after(one)}",
            width,
            GAP,
        )
    lines += [line for note in document["notes"] for line in wrapped(note, width, GAP)]
    return "\n".join(lines)


def _after(one: Mapping[str, Any]) -> str:
    warning = movement_warning(one)
    return f"; {warning}" if warning else ""


def movement_warning(one: Mapping[str, Any]) -> str:
    """Return what is to be noticed of how often verdicts moved under one change; nothing where all is well."""
    if not one["asked"]:
        return ""
    if one["change"] in ("again", "pad") and one["moved"]:
        return "it should move in none"
    unchanged = one["asked"] - one["moved"]
    if one["change"] == "blank":
        return f"verdict unchanged without the picture: {unchanged} of {one['asked']}"
    return ""


def evaluators_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return the criteria of a project with their evaluators; of judges, whether they are validated."""
    head = ("criterion", "type", "version", "measures", "validated")
    rows = [
        (
            Cell(one["criterion"], "strong"),
            Cell(one["type"]),
            Cell(one["version"]),
            Cell(one["metric"]),
            Cell(_validated(one), _STYLE.get(one["validation"] or "", "")),
        )
        for one in document["evaluators"]
    ]
    return "\n".join(table(head, rows, align="lllll", width=width, paint=paint)) if rows else "no evaluators"


def _validated(one: Mapping[str, Any]) -> str:
    if not one["calls_model"]:
        return "needs none"
    if one["metric"] == "comparison":
        return "decides nothing"
    return str(one["validation"] or NEVER_LOOKED_AT)
