"""Whether a judge may decide: its verdicts held against the reference labels, one look at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

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


class Bars(Struct, frozen=True):
    """What a judge has to reach; the defaults are those of ``judge_rule@1``."""

    bar: float = 0.70
    minimum: int = 50
    class_minimum: int = 20
    max_bias: float | None = None


class JudgedCase(Struct, frozen=True):
    """One labelled case with the judge's word on it and the kinds of media it was shown.

    ``judged`` is None where it gave none, and ``gap`` says why then.
    """

    label: LabelledCase
    judged: bool | None
    kinds: str
    gap: str = ""


class Validation(Struct, frozen=True):
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

    ``cases`` are those of the prefix of the sample, each with the judge's word. The same labels and words with the
    same bars are not looked at twice: what was concluded then is told again, counts again, and spends no look.
    """
    gaps = Counter(case.gap for case in cases if case.judged is None and case.gap)
    seen = _Seen(labels, judge, bars or Bars(), _by_kind(cases), gaps.most_common(1))
    kept = Labels(store)
    while True:  # once, unless another process looks at these labels at the same moment
        known = kept.validations(criterion=labels.criterion)
        own = [one for one in known if one.judge == judge]
        earlier = next((one for one in own if seen.is_in(one.document)), None)
        look = earlier.look if earlier is not None else 1 + _looks(kept, known, labels)
        found = seen.decided(look, again=earlier is not None)
        looked = StoredValidation(
            labels.criterion, judge, labels.series, look, found.state, found.reason, found.document
        )
        if (earlier is not None and earlier is own[0]) or kept.add_validation(looked, again=earlier is not None):
            return found


def _looks(kept: Labels, known: Sequence[StoredValidation], labels: LabelSet) -> int:
    """Return how often these labels were looked at, also as those of a sample that was drawn anew by another seed."""
    same = (one.look for one in known if one.document["labels"] == labels.digest)
    return max(kept.looks(labels.criterion, labels.series), *same, 0)


def _by_kind(cases: Sequence[JudgedCase]) -> dict[str, tuple[JudgeTable, Unclear]]:
    """Return the tables of each kind of media shown, in the order in which the kinds come."""
    kinds = dict.fromkeys(case.kinds for case in cases)
    return {kind: table_of([case for case in cases if case.kinds == kind]) for kind in kinds}


class _Seen(Struct, frozen=True):
    """What one look sees: the labels, the words of one judge on them, and the bars it is held to."""

    labels: LabelSet
    judge: str
    bars: Bars
    kinds: Mapping[str, tuple[JudgeTable, Unclear]]
    gaps: Sequence[tuple[str, int]]

    @property
    def whole(self) -> tuple[JudgeTable, Unclear]:
        """The tables over all kinds of media."""
        tables = self.kinds.values()
        return sum((one for one, _ in tables), JudgeTable(0, 0, 0, 0)), sum((one for _, one in tables), Unclear())

    def is_in(self, document: Mapping[str, Any]) -> bool:
        """Whether a kept look saw just this: an answer of the judge that came late makes another table."""
        table, unclear = self.whole
        known = {
            "labels": self.labels.digest,
            "bars": to_builtins(self.bars),
            "table": to_builtins(table),
            "unclear": to_builtins(unclear),
        }
        parts = {kind: [rows.tp, rows.n, missing.n] for kind, (rows, missing) in self._parts.items()}
        kept = {kind: [one["tpr"]["correct"], one["n"], one["unclear"]] for kind, one in document["kinds"].items()}
        return parts == kept and all(document[name] == value for name, value in known.items())

    @property
    def _parts(self) -> Mapping[str, tuple[JudgeTable, Unclear]]:
        """The tables of each kind where there is more than one."""
        return self.kinds if len(self.kinds) > 1 else {}

    def decided(self, look: int, *, again: bool) -> Validation:
        """Return what the rule makes of it at the ``look``-th look."""
        labels, (table, unclear), limits = self.labels, self.whole, to_builtins(self.bars)
        reliability = krippendorff_alpha(labels.units) if labels.units else None
        decision = judge_rule(table, unclear=unclear, look=look, reliability=reliability, **limits)
        parts = {
            kind: judge_rule(rows, unclear=missing, look=look, reliability=reliability, **limits)
            for kind, (rows, missing) in self._parts.items()
        }
        worst = min([decision, *parts.values()], key=lambda one: _WORST.index(one.state))
        document = {
            "criterion": labels.criterion,
            "judge": self.judge,
            "run": labels.run,
            "guide": labels.guide,
            "labels": labels.digest,
            "bars": limits,
            "look": look,
            "state": worst.state,
            "reason": worst.reason,
            "sentence": _sentence(worst, parts),
            "table": to_builtins(table),
            "unclear": to_builtins(unclear),
            "cases": table.n + unclear.n,
            "gaps": [{"reason": reason, "cases": count} for reason, count in self.gaps],
            "unsettled": list(labels.unsettled),
            "decision": {**to_builtins(decision), "sentence": decision.sentence},
            "kinds": {kind: {**to_builtins(one), "sentence": one.sentence} for kind, one in parts.items()},
            "measures": _measures(table, reliability),
        }
        who = labels.criterion, self.judge, labels.run
        return Validation(*who, worst.state, worst.reason, look, decision, parts, document, again)


def _sentence(worst: JudgeDecision, parts: Mapping[str, JudgeDecision]) -> str:
    """Return what is said of the whole, with the kind of media that it is about where that is not all of them."""
    kind = next((kind for kind, one in parts.items() if one is worst), None)
    return worst.sentence if kind is None else worst.sentence.replace(": ", f": of {kind} alone, ", 1)


def _measures(table: JudgeTable, reliability: Any) -> dict[str, Any]:
    """Return what is shown for reading only: no measure that mixes both classes decides."""
    measures = to_builtins(agreement_measures(table)) if table.n else None
    return {"agreement": measures, "alpha": None if reliability is None else to_builtins(reliability)}
