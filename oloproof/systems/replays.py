"""Answers that were recorded before, in place of a system: nothing is asked, and every report says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from oloproof.config.models import ReplayOptions
from oloproof.errors import SystemError_
from oloproof.records import Execution, Trial
from oloproof.systems.answers import parse_json
from oloproof.systems.base import System, one_line
from oloproof.systems.decorator import Named

MARK = " (replay)"
_LARGEST = 512 * 1024 * 1024
_MOST_TOLD = 20

Recorded = Mapping[str, Mapping[str, Sequence[Any]]]
"""The answers of each case by variant, one a repeat."""


class ReplaySystem(System):
    """Gives each trial the answer that was recorded for its case, variant and repeat.

    The file is one JSON object: ``{CASE: {VARIANT: [ANSWER, …]}}``. An answer is any JSON value but null;
    ``{"error": "in words"}`` is a failure that was recorded.
    """

    kind = "replay"
    answers_by_id: ClassVar[bool] = True

    def __init__(self, options: ReplayOptions, named: Named, identity: Mapping[str, Any], answers: Recorded) -> None:
        self.name, self.version = named.name, named.version
        self.identity = identity
        self._path = options.path
        self._cycle = options.cycle
        self._answers = answers

    @property
    def notices(self) -> Iterator[tuple[str, str]]:
        """What every reader of a run must know of it."""
        yield "replay", f"this is a replay: every answer comes from {self._path}, and nothing was asked"

    def unanswerable(self, members: Iterable[tuple[str, Sequence[str]]], repeats: int) -> Iterator[str]:
        """Yield what was not recorded of the cases that are asked for."""
        told, asked = 0, set()
        for case, variants in members:
            asked.add(case)
            for message in self._gaps(case, variants, repeats):
                told += 1
                if told <= _MOST_TOLD:
                    yield message
        if told > _MOST_TOLD:
            yield f"{self._path}: {told - _MOST_TOLD} more answers are missing like these"

    def _gaps(self, case: str, variants: Sequence[str], repeats: int) -> Iterator[str]:
        recorded = self._answers.get(case)
        if recorded is None:
            yield f"{self._path}: there are no answers of case {case!r}"
            return
        for variant in variants:
            count = len(recorded.get(variant, ()))
            if not count:
                yield f"{self._path}: case {case!r} has no answers of the variant {variant}"
            elif count < repeats and not self._cycle:
                yield (
                    f"{self._path}: case {case!r}, variant {variant}: {count} of {repeats} answers; record more, lower "
                    "repeats:, or set cycle: true to count one answer more than once"
                )

    def execute(self, trial: Trial) -> Execution:
        """Return the recorded answer."""
        answers = self._answers[trial.case.id][trial.variant]
        answer = answers[trial.repeat % len(answers)]
        if isinstance(answer, dict) and set(answer) == {"error"}:
            return Execution(error=one_line(str(answer["error"])))
        return Execution(output=answer)


def read_responses(path: Path, shown: str) -> Recorded:
    """Return the recorded answers of a file after checking their shape.

    Raises:
        SystemError_: the file cannot be read, is no such object, or holds something that is no answer; with the place.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise SystemError_(f"system.replay.path: {shown} is larger than {_LARGEST // 1024**2} MB")
        value = parse_json(path.read_bytes())
    except OSError as error:
        raise SystemError_(f"system.replay.path: cannot read {shown}: {error.strerror}") from None
    except ValueError as error:
        raise SystemError_(f"system.replay.path: {shown} is not JSON: {error}") from None
    problems = list(_shape_problems(value))
    if problems:
        rest = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise SystemError_(f"system.replay.path: {shown}: {'; '.join(problems[:5])}{rest}")
    recorded: Recorded = value
    return recorded


def _shape_problems(value: Any) -> Iterator[str]:
    if not isinstance(value, dict) or not value:
        yield 'expected {"CASE": {"VARIANT": ["ANSWER"]}}, found ' + ("{}" if value == {} else type(value).__name__)
        return
    for case, variants in value.items():
        if not isinstance(variants, dict) or not variants:
            yield f'{case}: expected {{"VARIANT": ["ANSWER"]}}'
            continue
        for variant, answers in variants.items():
            if not isinstance(answers, list) or not answers:
                yield f"{case}.{variant}: expected a list of answers, one a repeat"
            elif None in answers:
                yield f'{case}.{variant}[{answers.index(None)}]: null is no answer; a failure is {{"error": "words"}}'
