"""Two answers to one case as a pairwise judge is shown them: neutral words, neutral names, files verified."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.evaluators.base import Subject
from oloproof.evaluators.judges.pairwise_prompt import neutral_text, text_of
from oloproof.evaluators.judges.prompt import without_paths
from oloproof.evaluators.judges.seen import Seen
from oloproof.providers import Part, TextPart
from oloproof.records import MediaItem


class Answer(Struct, frozen=True):
    """One answer: its text and the files that are shown of it. ``whose`` is for messages and never shown."""

    whose: str
    text: str
    items: tuple[MediaItem, ...]

    @property
    def shown(self) -> list[Any]:
        """What is shown of it, as JSON: two answers with the same are one."""
        return [self.text, [[item.role, item.kind, item.name, item.sha256] for item in self.items]]


class Pair(Struct, frozen=True):
    """Two answers to one case: the case's input as text, its files, the candidate's answer and the baseline's."""

    given: str
    expected: str | None
    inputs: tuple[MediaItem, ...]
    candidate: Answer
    baseline: Answer

    @property
    def identical(self) -> bool:
        """Whether there is nothing to tell the answers apart by."""
        return self.candidate.shown == self.baseline.shown

    @property
    def items(self) -> tuple[MediaItem, ...]:
        """Every file that is shown."""
        return (*self.inputs, *self.candidate.items, *self.baseline.items)


class PreparedPair(Struct, frozen=True):
    """What is sent of the files of a pair, made once for both orders."""

    inputs: Seen
    candidate: Seen
    baseline: Seen

    @property
    def ffmpeg(self) -> str | None:
        """The version of ffmpeg that took frames, if one did."""
        return next((seen.ffmpeg for seen in (self.inputs, self.candidate, self.baseline) if seen.ffmpeg), None)


def pair_of(
    candidate: Subject,
    baseline: Subject,
    shown: Sequence[Sequence[MediaItem]],
    root: Path,
    hidden: Sequence[str],
    *,
    show_expected: bool,
) -> Pair:
    """Return two executions of one case as they are shown.

    Args:
        candidate: one execution.
        baseline: the other one, of the same input.
        shown: the files of each that the judge is shown, verified; those with the role input belong to the case.
        root: the folder of the project.
        hidden: texts that tell the runs apart.
        show_expected: whether the judge is shown what the case expects.
    """
    inputs = [[item for item in items if item.role == "input"] for items in shown]
    case = candidate.case
    return Pair(
        given=given_text(candidate, root),
        expected=text_of(without_paths(case.expected, _files(candidate, root), root)) if show_expected else None,
        inputs=tuple(_case_files(inputs[0] or inputs[1], inputs[1])),
        candidate=_answer("candidate", candidate, shown[0], root, hidden),
        baseline=_answer("baseline", baseline, shown[1], root, hidden),
    )


def given_text(subject: Subject, root: Path) -> str:
    """Return the input of a case as text, without any folder of this machine."""
    return text_of(without_paths(subject.case.input, _files(subject, root), root))


def _files(subject: Subject, root: Path) -> dict[str, str]:
    recorded = {item.path: os.path.join(root, item.path) for item in subject.execution.media}
    return {**subject.case.files, **recorded}


def _case_files(inputs: Sequence[MediaItem], others: Sequence[MediaItem]) -> list[MediaItem]:
    """Return the files of the case; where the runs name them differently, neither name is shown."""
    if not others or [item.name for item in inputs] == [item.name for item in others]:
        return list(inputs)
    return [replace(item, name=f"input {place}") for place, item in enumerate(inputs, 1)]


def _answer(whose: str, subject: Subject, shown: Sequence[MediaItem], root: Path, hidden: Sequence[str]) -> Answer:
    recorded = [item for item in subject.execution.media if item.role != "input"]
    named = [(item, f"file {place}") for place, item in enumerate(recorded, 1)]
    items = tuple(replace(item, name=name) for item, name in named if any(item is one for one in shown))
    return Answer(whose, neutral_text(subject.execution.output, named, root, hidden), items)


def labelled(owner: str, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of some media with their ``owner`` (``Answer A``) before every line of words."""
    return tuple(TextPart(f"{owner}. {part.text}") if isinstance(part, TextPart) else part for part in parts)
