"""``oloproof evaluators validate``: the judges of a project held against the labels of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, to_builtins

from oloproof.config import Project
from oloproof.digests import digest_of
from oloproof.errors import EvaluatorError
from oloproof.evaluators import Evaluator, Registry
from oloproof.labels.gathering import LabelSet, gather
from oloproof.labels.gathering import spend as spend_sample
from oloproof.labels.sampling import run_numbered
from oloproof.labels.validating import Bars, JudgedCase, Validation, table_of, validate
from oloproof.records import Judgement
from oloproof.running.events import Listener, silent
from oloproof.running.rejudging import rejudged, trials_of
from oloproof.storage import History, Store, StoredRun, StoredTrial
from oloproof.storage.labels import Labels, Purpose


class JudgeCriterion(Struct, frozen=True):
    """One criterion that a model judges: its evaluator, its place among that one's verdicts, and the judge hash."""

    name: str
    evaluator: Evaluator[Any]
    place: int
    judge: str


def judge_criteria(project: Project, registry: Registry, wanted: str | None = None) -> list[JudgeCriterion]:
    """Return the criteria of a project that a model judges, or the one that is wanted.

    Raises:
        EvaluatorError: there is none, or the one wanted is no judge's; the text lists those that are.
    """
    found = []
    for options in project.evaluators:
        evaluator = registry.build(options, project.root)
        if evaluator.calls_model:
            judge = digest_of(evaluator.identity)
            found += [
                JudgeCriterion(shape.name, evaluator, place, judge) for place, shape in enumerate(evaluator.criteria)
            ]
    names = ", ".join(one.name for one in found) or "none"
    if wanted is not None:
        chosen = [one for one in found if one.name == wanted]
        if not chosen:
            raise EvaluatorError(f"no judge of {project.file} reports {wanted!r}; judged by a model: {names}")
        return chosen
    if not found:
        raise EvaluatorError(f"no evaluator of {project.file} asks a model, so there is nothing to validate")
    return found


def validate_judge(
    project: Project,
    store: Store,
    criterion: JudgeCriterion,
    bars: Bars | None = None,
    *,
    listener: Listener = silent,
) -> Validation:
    """Hold one judge against the labels of its newest validation sample; items that it never judged are judged now.

    Raises:
        EvaluatorError: nothing is labelled, or the criterion is a score that nothing passes.
        OloproofError: the judge cannot be asked, or a recorded file changed.
    """
    if criterion.evaluator.criteria[criterion.place].score_range is not None:
        raise EvaluatorError(
            f"{criterion.name} is averaged and passes nothing, so no label of pass or fail can hold it to account; "
            "give it a pass_at:"
        )
    history = History(store)
    run, labels = _labels(history, criterion.name, "validate")
    cases = judged_cases(project, store, run, labels, criterion, listener)
    return validate(store, labels, criterion.judge, cases, bars)


def try_judge(
    project: Project, store: Store, criterion: JudgeCriterion, *, spend: bool = False, listener: Listener = silent
) -> tuple[LabelSet, list[JudgedCase], list[Judgement]]:
    """Return what a draft judge says of the develop labels: for reading and mending, never for validating.

    With ``spend`` and no develop labels the newest validation sample is turned into one, for good.

    Raises:
        EvaluatorError: there are no develop labels.
    """
    history, kept = History(store), Labels(store)
    if spend and not kept.labels(criterion=criterion.name, purpose="develop"):
        sample = next(iter(kept.samples(criterion=criterion.name, purpose="validate")), None)
        if sample is not None:
            spend_sample(history, sample)
    run, labels = _labels(history, criterion.name, "develop")
    trials, found = _judgements(project, store, run, labels, criterion, listener)
    cases = [
        JudgedCase(case, _word(judgement, criterion.place), _kinds(trial, criterion.evaluator))
        for case, trial, judgement in zip(labels.cases, trials, found, strict=True)
    ]
    return labels, cases, found


def tried_document(
    criterion: JudgeCriterion, labels: LabelSet, cases: Sequence[JudgedCase], found: Sequence[Judgement]
) -> dict[str, Any]:
    """Return a trial of a draft judge as JSON: the table, and every case on which it and people differ."""
    table, unclear = table_of(cases)
    differing = [
        {
            "case": case.label.case_id,
            "people": "pass" if case.label.passed else "fail",
            "judge": judgement.verdicts[criterion.place].outcome,
            "reason": judgement.verdicts[criterion.place].reason,
        }
        for case, judgement in zip(cases, found, strict=True)
        if case.label.passed is not None and case.judged is not case.label.passed
    ]
    return {
        "criterion": criterion.name,
        "judge": criterion.judge,
        "run": labels.run,
        "cases": len(cases),
        "table": to_builtins(table),
        "unclear": to_builtins(unclear),
        "differing": differing,
    }


def judged_cases(
    project: Project,
    store: Store,
    run: StoredRun,
    labels: LabelSet,
    criterion: JudgeCriterion,
    listener: Listener = silent,
) -> list[JudgedCase]:
    """Return the labelled cases that count, each with this judge's word on it."""
    trials, found = _judgements(project, store, run, labels, criterion, listener)
    return [
        JudgedCase(
            case,
            _word(judgement, criterion.place),
            _kinds(trial, criterion.evaluator),
            "" if _word(judgement, criterion.place) is not None else judgement.verdicts[criterion.place].reason,
        )
        for case, trial, judgement in zip(labels.prefix, trials, found, strict=True)
    ]


def _labels(history: History, criterion: str, purpose: Purpose) -> tuple[StoredRun, LabelSet]:
    kept = Labels(history.store)
    sample = next(iter(kept.samples(criterion=criterion, purpose=purpose)), None)
    if sample is not None:
        run = run_numbered(history, sample.run)
    else:
        told = kept.labels(criterion=criterion, purpose=purpose)
        if not told:
            raise EvaluatorError(
                f"there are no {purpose} labels of {criterion}; "
                f"oloproof labels export --criterion {criterion} --purpose {purpose} draws cases for people to label"
            )
        run = run_numbered(history, told[-1].run)
    labels = gather(history, run, criterion, purpose=purpose)
    if not any(one.persons for one in labels.cases):  # a look that sees nothing would still count as one
        raise EvaluatorError(
            f"nobody has labelled a case of the sample of {criterion} yet; label it in oloproof workbench, "
            "or fill in its sheet and take it with oloproof labels import"
        )
    return run, labels


def _judgements(
    project: Project, store: Store, run: StoredRun, labels: LabelSet, criterion: JudgeCriterion, listener: Listener
) -> tuple[list[StoredTrial], list[Judgement]]:
    """Return the labelled trials with this judge's judgements: from the run where it was its judge, else asked now."""
    counted = labels.prefix if labels.purpose == "validate" else labels.cases
    trials = trials_of(History(store), run, [(one.case_id, one.variant, one.repeat) for one in counted])
    number = next(
        (
            place
            for place, entry in enumerate(run.criteria)
            if entry["criterion"] == criterion.name and entry["digest"] == criterion.judge
        ),
        None,
    )
    if number is not None:
        empty = criterion.place
        return trials, [_padded(trial, number, empty) for trial in trials]
    criterion.evaluator.prepare()
    return trials, rejudged(
        store,
        project.root,
        criterion.evaluator,
        trials,
        concurrency=project.options.concurrency,
        listener=listener,
    )


def _padded(trial: StoredTrial, number: int, place: int) -> Judgement:
    """Return a stored verdict as the judgement it was part of, with the verdicts before it in their places."""
    return Judgement(tuple(trial.verdicts[number - place : number + 1]))


def _word(judgement: Judgement, place: int) -> bool | None:
    outcome = judgement.verdicts[place].outcome
    return None if outcome not in ("pass", "fail") else outcome == "pass"


def _kinds(trial: StoredTrial, evaluator: Evaluator[Any]) -> str:
    role = getattr(evaluator.options, "media", "all")
    kinds: Sequence[str] = [item.kind for item in trial.execution.media if role in ("all", item.role)] if role else []
    return "+".join(sorted(set(kinds))) or "text"
