"""What can be wrong with a sample or with a sheet of labels."""

from __future__ import annotations

from oloproof.config import suggestion
from oloproof.errors import _ProblemsError
from oloproof.storage import StoredRun


class LabelsError(_ProblemsError):
    """A sample cannot be drawn, or a sheet of labels not be taken; ``problems`` holds every bad row with its line."""


def criterion_number(run: StoredRun, criterion: str) -> int:
    """Return the place of a criterion in the run.

    Raises:
        LabelsError: the run has no such criterion; the text names the nearest.
    """
    names = [entry["criterion"] for entry in run.criteria]
    if criterion not in names:
        hint = suggestion(criterion, names, "its criteria are")
        raise LabelsError(f"run {run.id} has no criterion {criterion!r}; {hint}")
    return names.index(criterion)


def evaluator_number(run: StoredRun, criterion: str) -> int:
    """Return the place among the run's evaluators of the one behind a criterion: one may report several.

    Raises:
        LabelsError: the run has no such criterion.
    """
    number = criterion_number(run, criterion)
    return int(run.criteria[number].get("evaluator", number))  # runs of older versions had one criterion an evaluator


def judge_of(run: StoredRun, criterion: str) -> str:
    """Return the digest of the evaluator that stands behind a criterion of the run, in hexadecimal.

    Raises:
        LabelsError: the run has no such criterion.
    """
    return str(run.criteria[criterion_number(run, criterion)]["digest"])
