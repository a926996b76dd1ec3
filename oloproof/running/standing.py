"""Which judges of a run may decide, and what people would say of all that such a judge judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof import labels as label_room
from oloproof import statistics
from oloproof.config.models import PolicyOptions
from oloproof.policy import CaseValue, Measure
from oloproof.records import HUMAN_RATE, ONE_REPEAT_LABELLED, Metric
from oloproof.storage import History, Store, StoredRun

if TYPE_CHECKING:
    from oloproof.labels import LabelledCase
    from oloproof.statistics import HumanRate, JudgeTable
    from oloproof.storage.labels import StoredValidation


class JudgeStanding(Struct, frozen=True):
    """Whether one judge may decide: ``reason`` is empty when it may, else the reason code why not."""

    reason: str
    validation: StoredValidation | None = None


def standing_of(
    history: History, run: StoredRun, measures: Mapping[str, Measure], policy: PolicyOptions
) -> dict[str, JudgeStanding]:
    """Return the standing of every criterion that a model judges; none where no rule may ask for it."""
    if not (policy.require_validated_evaluators or any(policy.holds_to_labels(rule) for rule in policy.rules)):
        return {}
    digests = {entry["criterion"]: entry["digest"] for entry in run.document["evaluators"]}
    found = {}
    for number, (name, measure) in enumerate(measures.items()):
        if measure.calls_model:
            blind = history.coded(run, number, "sight_not_proven") > 0
            found[name] = standing_among(label_room.validations_of(history.store, name), digests[name], blind=blind)
    return found


def standing_among(validations: Sequence[StoredValidation], judge: str, *, blind: bool = False) -> JudgeStanding:
    """Return the standing of a judge by the looks at the labels of its criterion, newest first.

    ``blind``: it was to prove that it sees before it judged, and did not.
    """
    if blind:
        return JudgeStanding("sight_not_proven")
    own = next((one for one in validations if one.judge == judge), None)
    if own is not None:
        return JudgeStanding("" if own.state == "VALIDATED" else "judge_not_validated", own)
    another = any(one.state == "VALIDATED" for one in validations)
    return JudgeStanding("judge_changed" if another else "judge_not_validated")


def validated_judges(store: Store, document: Mapping[str, Any]) -> frozenset[str]:
    """Return the criteria of a plan's document whose judges were validated as they are now."""
    return frozenset(
        entry["criterion"]
        for entry in document["evaluators"]
        if entry["calls_model"]
        and not standing_among(label_room.validations_of(store, entry["criterion"]), entry["digest"]).reason
    )


def validation_state(standing: Mapping[str, JudgeStanding]) -> dict[str, Any]:
    """Return what a decision was taken on, as JSON: the labels and the judge behind each validation."""
    return {
        name: None if one.validation is None else [one.validation.judge, one.validation.document["labels"]]
        for name, one in standing.items()
    }


def judge_table(history: History, run: StoredRun, criterion: str) -> JudgeTable:
    """Return the verdicts that a judge gave in a run against the labels of people there; all zero without labels."""
    labels = label_room.gather(history, run, criterion)
    number = next(place for place, entry in enumerate(run.criteria) if entry["criterion"] == criterion)
    counted = {(case.case_id, case.variant, case.repeat): case.passed for case in labels.prefix}
    counts = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    for seen in history.observations(run, number) if counted else ():
        passed = counted.get((seen.case_id, seen.variant, seen.repeat))
        if passed is not None and seen.outcome in ("pass", "fail"):
            judged = seen.outcome == "pass"
            counts[("tp" if judged else "fn") if passed else ("fp" if judged else "tn")] += 1
    return statistics.JudgeTable(**counts)


def human_metric(
    history: History,
    run: StoredRun,
    judged: Metric,
    measure: Measure,
    values: Iterable[CaseValue],
    validation: StoredValidation,
) -> Metric:
    """Return the rate at which people would pass the cases of a run: ``judged`` is the judge's own metric of them.

    With labels of a random sample of this run it is post-stratified; with labels of another run it is carried over by
    the judge's TPR and TNR (Rogan-Gladen), and None where those do not tell. Of each case one execution was labelled,
    drawn from all variants and repeats, so that those of the variant in question are a random sample of its cases, and
    tell the rate of its executions: not how many cases pass some of their repeats, and with several repeats a judge's
    TPR and TNR carry nothing over, since those of one case go together.
    """
    if measure.repeats > 1 and measure.pass_when is not None:
        return _as_metric(judged, None, None, ONE_REPEAT_LABELLED)
    verdicts = {value.case_id: None if value.observed is None else value.observed >= 1.0 for value in values}
    answered = _answered(history, run, judged, verdicts, measure.repeats)
    labels = label_room.gather(history, run, judged.criterion)
    told = [case for case in labels.prefix if case.variant == judged.variant]
    if labels.sample is not None and any(case.passed is not None for case in told):
        found = _of_this_run(told, verdicts, judged.level)
        return _as_metric(judged, found.estimate, found.interval, found.method, answered)
    if measure.repeats > 1:
        return _as_metric(judged, None, None, statistics.ROGAN_GLADEN)
    document = validation.document
    counts = list(verdicts.values())
    moved = statistics.transported_rate(
        counts.count(True),
        len(counts) - counts.count(None),
        statistics.JudgeTable(**document["table"]),
        missing=counts.count(None),
        unclear=statistics.Unclear(**document["unclear"]),
        level=judged.level,
    )
    return _as_metric(judged, moved.estimate, moved.interval, moved.method, answered)


class _Answered(Struct, frozen=True):
    """The share of cases with an answer, and of their repeats the share ``lost`` because there was none."""

    cases: float = 1.0
    lost: float = 0.0


def _answered(
    history: History, run: StoredRun, judged: Metric, verdicts: dict[str, bool | None], repeats: int
) -> _Answered:
    """Take the cases out of ``verdicts`` that failed because there was no answer; return what was answered.

    No judge said that they fail, and people would pass none of them: what labels tell of its verdicts is about answers
    (``on_execution_error: fail``).
    """
    if not (whole := len(verdicts)) or False not in verdicts.values():
        return _Answered()
    executed = history.executed(run, variant=judged.variant)
    errors = Counter(one.case_id for one in executed if one.error and verdicts.get(one.case_id) is False)
    for case in [case for case, count in errors.items() if count >= repeats]:
        del verdicts[case], errors[case]
    left = len(verdicts)
    return _Answered(left / whole, errors.total() / (left * repeats) if left else 0.0)


def _of_this_run(labelled: Sequence[LabelledCase], verdicts: Mapping[str, bool | None], level: float) -> HumanRate:
    frame = list(verdicts.values())
    strata = []
    for side in (True, False):
        told = [case for case in labelled if verdicts.get(case.case_id) is side]
        strata.append(
            statistics.Stratum(
                frame=frame.count(side),
                labelled=sum(case.passed is not None for case in told),
                human_pass=sum(case.passed is True for case in told),
                unsure=sum(case.passed is None for case in told),
            )
        )
    return statistics.human_rate(*strata, missing=frame.count(None), level=level)


def _as_metric(
    judged: Metric,
    estimate: float | None,
    interval: tuple[float, float] | None,
    method: str,
    answered: _Answered | None = None,
) -> Metric:
    """Return the metric of people's rate: ``estimate`` and ``interval`` are those of what was ``answered``.

    All else fails. Which cases lost repeats is as bad as can be for the low end, and does not matter for the high one.
    """
    share, lost = (1.0, 0.0) if answered is None else (answered.cases, answered.lost)
    told = None if estimate is None else estimate * (1.0 - lost) * share
    ends = None if interval is None else (max(interval[0] - lost, 0.0) * share, interval[1] * share)
    return replace(judged, estimand=HUMAN_RATE, could_be=None, estimate=told, interval=ends, method=method)
