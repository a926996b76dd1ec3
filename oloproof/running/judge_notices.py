"""What a reader of a run should know of its judges: whether they answered, see, and were the same throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from oloproof import labels
from oloproof.errors import RunNotFound
from oloproof.evaluators import Evaluator
from oloproof.records import Notice
from oloproof.running.judge_documents import judges_document, models_served
from oloproof.storage import History, StoredRun


def parameter_notices(evaluators: Sequence[Evaluator[Any]]) -> Iterator[Notice]:
    """Yield which parameters a judge's model does not take, so that it may answer one question in several ways."""
    for judge in evaluators:
        if judge.not_taken:
            names = " and ".join(judge.not_taken)
            accepted = ", ".join(f"{name}: null" for name in judge.not_taken)
            yield Notice(
                "parameter_not_taken",
                f"{judge.criterion}: its model takes no {names} and is asked without, so it may answer one question in "
                f"several ways; votes: 3 lets a majority decide, {accepted} says that it is known",
            )


def judge_notices(history: History, run: StoredRun) -> Iterator[Notice]:
    """Yield what is to be said of the judges of a run whose trials are all judged."""
    for judge in judges_document(history, run):
        names = ", ".join(judge["criteria"])
        unproven = judge["sight"].get("not_proven", 0)
        does = "hears" if judge["sense"] == "hearing" else "sees"
        if unproven:
            yield Notice(
                "sight_not_proven",
                f"{names}: the judge did not prove that it {does}, for {unproven} of {judge['judgements']} judgements; "
                "oloproof evaluators probe tells more, sight_test: require makes such verdicts missing",
            )
        if len(judge["models_served"]) > 1:
            models = ", ".join(judge["models_served"])
            yield Notice(
                "judge_model_changed",
                f"{names}: the judgements of this run come from several models ({models}), some perhaps from the "
                "cache; --fresh=judge asks one model for all of them",
            )
        yield from _since_validated(history, run, judge["criteria"][0], frozenset(judge["models_served"]))
        if len(judge["ffmpeg"]) > 1:
            versions = ", ".join(judge["ffmpeg"])
            yield Notice("ffmpeg_changed", f"{names}: frames were taken by several versions of ffmpeg ({versions})")


def _since_validated(history: History, run: StoredRun, criterion: str, served: frozenset[str]) -> Iterator[Notice]:
    """Yield that the server answers by another model than the one that was validated under the same name."""
    judge = next(entry["digest"] for entry in run.criteria if entry["criterion"] == criterion)
    looks = labels.validations_of(history.store, criterion)
    look = next((one for one in looks if one.judge == judge and one.state == "VALIDATED"), None)
    if look is None or not served:
        return
    try:
        before = models_served(history, history.find(look.document["run"]), criterion, judge)
    except RunNotFound:
        return
    if before and not served <= before:
        yield Notice(
            "judge_model_changed",
            f"{criterion}: {', '.join(sorted(served - before))} answered, where {', '.join(sorted(before))} did in run "
            f"{look.document['run']}, on which the judge was validated; draw a sample of this run (oloproof labels "
            "export) and validate it again",
        )
