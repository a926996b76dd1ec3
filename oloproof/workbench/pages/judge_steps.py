"""What to do for a judge to be VALIDATED: commands to copy, and which of them were done."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec import Struct

from oloproof.labels.sampling import DEFAULT_SIZE
from oloproof.storage.labels import Labels, StoredSample, StoredValidation
from oloproof.workbench.pages.addresses import review_address
from oloproof.workbench.pages.judge_states import JudgeState
from oloproof.workbench.pages.shell import Link


class Step(Struct, frozen=True):
    """One of four steps. ``command`` is empty where people do it by hand; ``link`` leads to where they can."""

    words: str
    command: str
    done: bool
    link: Link | None = None


class Steps(Struct, frozen=True):
    """The way to VALIDATED; ``words`` say where it begins."""

    title: str
    words: str
    steps: tuple[Step, ...]


def steps_to_validated(labels: Labels, criterion: str, state: JudgeState) -> Steps | None:
    """Return the way on from a state; None where the judge is there already."""
    if state.word == "VALIDATED":
        return None
    if state.word == "NOT_VALIDATED":
        words = "more labels will not help; another rubric or model may, and is another judge"
        return Steps("Mend the judge", words, tuple(_mending(criterion)))
    words = "four steps, in the project's folder"
    return Steps("From a sample to VALIDATED", words, tuple(_sampling(labels, criterion, state.validation)))


def _sampling(labels: Labels, criterion: str, looked: StoredValidation | None) -> Iterator[Step]:
    """Yield the way from a blind sample; where a look asked for more labels it begins anew with a longer one."""
    name = shlex.quote(criterion)
    sample = next(iter(labels.samples(criterion=criterion, purpose="validate")), None)
    told = looked is None and bool(labels.labels(criterion=criterion, purpose="validate"))
    size = DEFAULT_SIZE if looked is None else _size(looked, sample)
    draws = f"oloproof labels export --criterion {name} --sample {size} --by NAME --output sheet.csv"
    yield Step(_drawing(looked, sample), draws, looked is None and sample is not None)
    words = "People say pass, fail or unsure of each: in the review queue, or in the column passed of the sheet."
    yield Step(words, "", told, Link("Label it here", review_address(criterion)))
    yield Step(
        "Take what stands in a sheet; the queue keeps every answer at once.",
        "oloproof labels import sheet.csv --by NAME",
        told,
    )
    yield Step("Hold the judge to it.", f"oloproof evaluators validate --criterion {name}", False)


def _drawing(looked: StoredValidation | None, sample: StoredSample | None) -> str:
    if looked is None:
        return "Draw a blind random sample as a sheet."
    if sample is None:
        return "Draw a new blind sample as a sheet: the one before was given up."
    return "Draw more cases: the sample only grows."


def _size(looked: StoredValidation, sample: StoredSample | None) -> int:
    """Return how large a sample would settle it, as far as its run has so many cases."""
    further = looked.document["decision"]["further"] or {}
    more = further.get("draw") or further.get("draw_at_best") or DEFAULT_SIZE
    wanted = int(looked.document["cases"]) + int(more)
    return wanted if sample is None else min(wanted, sample.frame)


def _mending(criterion: str) -> Iterator[Step]:
    name = shlex.quote(criterion)
    draws = f"oloproof labels export --criterion {name} --purpose develop --output develop.csv"
    yield Step("Draw other cases to mend it on, and let people label them.", draws, False)
    yield Step("Take what they wrote.", "oloproof labels import develop.csv --by NAME", False)
    yield Step(
        "Change the rubric or the model, and see where it and people differ, as often as you like.",
        f"oloproof evaluators try --criterion {name}",
        False,
    )
    yield Step("Hold the new judge to the blind sample.", f"oloproof evaluators validate --criterion {name}", False)
