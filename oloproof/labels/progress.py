"""How far the labels of each criterion are, and how many more a validation needs at the least."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from oloproof.labels.gathering import LabelSet, gather
from oloproof.labels.problems import LabelsError
from oloproof.labels.sampling import members_of, run_numbered
from oloproof.storage import History
from oloproof.storage.labels import Labels, Purpose, StoredLabel, StoredSample

MINIMUM = 50
"""Labelled cases that a validation needs."""
CLASS_MINIMUM = 20
"""Cases that people pass, and cases that they fail, that a validation needs."""


def status_document(history: History, criterion: str | None = None) -> dict[str, Any]:
    """Return how far the labels of every criterion are, or of one.

    Raises:
        LabelsError: nothing was sampled or labelled for the criterion.
    """
    labels = Labels(history.store)
    counts = labels.counts()
    if criterion is not None and criterion not in counts:
        known = f"there are samples and labels of {', '.join(counts)}" if counts else "nothing was sampled yet"
        raise LabelsError(f"nothing was sampled or labelled for {criterion!r}; {known}; oloproof labels export begins")
    wanted = counts if criterion is None else {criterion: counts[criterion]}
    return {"criteria": [_criterion(history, labels, name, dict(count)) for name, count in wanted.items()]}


def further_labels(passed: int, failed: int) -> int | None:
    """Return how many more labelled cases bring ``MINIMUM`` in all and ``CLASS_MINIMUM`` of each class.

    It is what the pass rate so far leads to expect; None when a class that is needed was not met yet.
    """
    total = passed + failed
    if total == 0:
        return MINIMUM
    if not (passed and failed):
        return None if total >= MINIMUM else MINIMUM - total
    per_class = max(
        math.ceil(CLASS_MINIMUM * total / count) if count < CLASS_MINIMUM else 0 for count in (passed, failed)
    )
    return max(0, MINIMUM - total, per_class - total)


def _criterion(history: History, labels: Labels, criterion: str, by_purpose: dict[Purpose, int]) -> dict[str, Any]:
    found = labels.labels(criterion=criterion)
    samples = labels.samples(criterion=criterion)
    return {
        "criterion": criterion,
        "labels": by_purpose,
        "persons": sorted({one.labelled_by for one in found}),
        "guides": sorted({one.guide for one in found}),
        **_answers(found),
        "samples": [_sample(history, labels, sample) for sample in samples],
        "needed": _needed(history, samples),
    }


def _answers(labels: Sequence[StoredLabel]) -> dict[str, int]:
    answers = Counter(one.passed for one in labels)
    return {"pass": answers[True], "fail": answers[False], "unsure": answers[None]}


def _sample(history: History, labels: Labels, sample: StoredSample) -> dict[str, Any]:
    run = run_numbered(history, sample.run)
    found = gather(history, run, sample.criterion, purpose=sample.purpose)
    members = {place.case_id for place in members_of(history, labels, run, sample)}
    held = [one for one in found.cases if one.case_id in members]
    return {
        "id": sample.id,
        "run": run.id,
        "purpose": sample.purpose,
        "seed": sample.seed,
        "size": len(members),
        "frame": sample.frame,
        "labelled": sum(one.persons > 0 for one in held),
        "settled": sum(one.passed is not None for one in held),
        "unsettled": [one.case_id for one in held if one.split],
    }


def _needed(history: History, samples: Sequence[StoredSample]) -> dict[str, Any]:
    newest = next((one for one in samples if one.purpose == "validate"), None)
    found = gather(history, run_numbered(history, newest.run), newest.criterion) if newest else None
    passed, failed = _classes(found)
    return {
        "minimum": MINIMUM,
        "class_minimum": CLASS_MINIMUM,
        "pass": passed,
        "fail": failed,
        "skipped": len(found.missing) if found else 0,
        "further": further_labels(passed, failed),
        "message": needed_words(passed, failed),
    }


def _classes(found: LabelSet | None) -> tuple[int, int]:
    settled = found.settled if found else ()
    return sum(one.passed is True for one in settled), sum(one.passed is False for one in settled)


def needed_words(passed: int, failed: int) -> str:
    """Return how many labelled cases a validation needs beyond ``passed`` and ``failed`` ones, in words."""
    further, total = further_labels(passed, failed), passed + failed
    if further is None:
        absent = "fail" if passed else "pass"
        return f"none of {total} labelled cases is a {absent}, and {CLASS_MINIMUM} are needed to try a judge"
    if further == 0:
        return "enough cases are labelled to try a judge; an interval on the bar may still ask for more"
    if total == 0:
        return f"at least {MINIMUM} labelled cases, {CLASS_MINIMUM} of them passes and {CLASS_MINIMUM} fails"
    rate = f"at {100 * passed / total:.0f} % passes so far"
    needs = f"{MINIMUM} in all, {CLASS_MINIMUM} passes, {CLASS_MINIMUM} fails"
    before = f"about {further} more labelled cases before a judge can be tried"
    return f"{before}, {rate}: {needs}; its bars may ask for more"
