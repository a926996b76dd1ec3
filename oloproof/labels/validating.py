"""Whether a judge may decide: its verdicts held against the reference labels, one look at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from oloproof.labels.gathering import LabelledCase, LabelSet
from oloproof.statistics import (
    JudgeDecision,
    JudgeTable,
    Unclear,
    agreement_measures,
    judge_rule,
    krippendorff_alpha,
)
from oloproof.storage import Store
from oloproof.storage.labels import Labels, StoredValidation

_WORST = ("NOT_VALIDATED", "INSUFFICIENT_LABELS", "VALIDATED")


@dataclass(frozen=True, slots=True)
class Bars:
    """What a judge has to reach; the defaults are those of ``judge_rule@1``."""

    bar: float = 0.70
    minimum: int = 50
    class_minimum: int = 20
    max_bias: float | None = None


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One labelled case with the judge's word on it (None where it gave none) and the kinds of media it was shown."""

    label: LabelledCase
    judged: bool | None
    kinds: str


@dataclass(frozen=True, slots=True)
class Validation:
    """One look at the labels of a criterion with one judge. ``parts`` holds a decision for each kind of media shown.

    ``again`` says that this very look was taken before and is only told again.
    """

    criterion: str
    judge: str
    run: str
    state: str
    reason: str
    look: int
    decision: JudgeDecision
    parts: Mapping[str, JudgeDecision]
    document: Mapping[str, Any]
    again: bool = False


def table_of(cases: Sequence[JudgedCase]) -> tuple[JudgeTable, Unclear]:
    """Return the table of clear cases, and how the others stand: judged or labelled only, or neither."""
    counts = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    unclear = dict.fromkeys(("judge_pass", "judge_fail", "human_pass", "human_fail", "neither"), 0)
    for case in cases:
        human, judged = case.label.passed, case.judged
        if human is not None and judged is not None:
            counts[("tp" if judged else "fn") if human else ("fp" if judged else "tn")] += 1
        elif judged is not None:
            unclear["judge_pass" if judged else "judge_fail"] += 1
        elif human is not None:
            unclear["human_pass" if human else "human_fail"] += 1
        else:
            unclear["neither"] += 1
    return JudgeTable(**counts), Unclear(**unclear)


def validate(
    store: Store, labels: LabelSet, judge: str, cases: Sequence[JudgedCase], bars: Bars | None = None
) -> Validation:
    """Look at the labels with one judge, and keep what that concludes.

    ``cases`` are those of the prefix of the sample, each with the judge's word. The same labels and judge with the
    same bars are not looked at twice: what was concluded then is told again, and no look is spent.
    """
    bars = bars or Bars()
    kept = Labels(store)
    earlier = next(
        (
            one
            for one in kept.validations(criterion=labels.criterion)
            if one.judge == judge and one.document["labels"] == labels.digest and one.document["bars"] == asdict(bars)
        ),
        None,
    )
    look = earlier.look if earlier is not None else kept.looks(labels.criterion, labels.series) + 1
    found = _decided(labels, judge, cases, bars, look, again=earlier is not None)
    if earlier is None:
        kept.add_validation(
            StoredValidation(labels.criterion, judge, labels.series, look, found.state, found.reason, found.document)
        )
    return found


def _decided(
    labels: LabelSet, judge: str, cases: Sequence[JudgedCase], bars: Bars, look: int, *, again: bool
) -> Validation:
    table, unclear = table_of(cases)
    reliability = krippendorff_alpha(labels.units) if labels.units else None
    limits: dict[str, Any] = asdict(bars)
    decision = judge_rule(table, unclear=unclear, look=look, reliability=reliability, **limits)
    parts = {}
    kinds = list(dict.fromkeys(case.kinds for case in cases))
    for kind in kinds if len(kinds) > 1 else ():
        rows, missing = table_of([case for case in cases if case.kinds == kind])
        parts[kind] = judge_rule(rows, unclear=missing, look=look, reliability=reliability, **limits)
    worst = min([decision, *parts.values()], key=lambda one: _WORST.index(one.state))
    document = {
        "criterion": labels.criterion,
        "judge": judge,
        "run": labels.run,
        "guide": labels.guide,
        "labels": labels.digest,
        "bars": limits,
        "look": look,
        "state": worst.state,
        "reason": worst.reason,
        "sentence": worst.sentence,
        "table": asdict(table),
        "unclear": asdict(unclear),
        "cases": len(cases),
        "unsettled": list(labels.unsettled),
        "decision": asdict(decision),
        "kinds": {kind: {**asdict(one), "sentence": one.sentence} for kind, one in parts.items()},
        "measures": _measures(table, reliability),
    }
    return Validation(
        labels.criterion, judge, labels.run, worst.state, worst.reason, look, decision, parts, document, again
    )


def _measures(table: JudgeTable, reliability: Any) -> dict[str, Any]:
    """Return what is shown for reading only: no measure that mixes both classes decides."""
    measures = asdict(agreement_measures(table)) if table.n else None
    return {"agreement": measures, "alpha": None if reliability is None else asdict(reliability)}
