"""``regex``: a pattern is found in the output, or is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from oloproof.config.base import FieldPath
from oloproof.config.models import EvaluatorOptions
from oloproof.evaluators.base import (
    MISSING_FIELD,
    Evaluator,
    Subject,
    field_absent,
    field_of,
    kind_of_value,
    shorten,
)
from oloproof.evaluators.schema_patterns import mistake_in
from oloproof.records import Verdict


class RegexOptions(EvaluatorOptions):
    """The keys of ``regex``."""

    type: Literal["regex"]
    pattern: Annotated[str, Field(min_length=1)]
    field: FieldPath | None = None
    pass_if: Literal["match", "no_match"] = "match"  # noqa: S105 - no password
    full_match: bool = False
    timeout: Annotated[float, Field(gt=0, le=60)] = 1.0

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        if mistake := mistake_in(pattern):
            raise ValueError(mistake)
        return pattern


class Regex(Evaluator[RegexOptions]):
    r"""Passes when a pattern is found in the output, or with ``pass_if: no_match`` when it is not. No score.

    The pattern is that of the Python library ``regex``: the syntax of ``re`` and more, such as ``\p{Lu}``. Ignoring
    case and the like is said in it: ``(?i)invoice``. The output is read as it is, nothing is stripped.

    Keys:
        pattern: the pattern; a mistake in it is refused with its position.
        field: dotted path of the text in the output. Default: the output itself.
        pass_if: ``match`` or ``no_match``. Default: match.
        full_match: the pattern must cover the text from its first to its last character. Default: false.
        timeout: seconds that one search may take, above 0 up to 60. Default: 1.

    A search that does not end in time measured nothing: missing. An output that is not text fails either way.

    Passes:
        options: {pattern: '\d{4}-\d{2}-\d{2}', full_match: true, field: date}
        output: {date: "2026-03-14"}

    Fails:
        options: {pattern: '(?i)as an ai', pass_if: no_match}
        output: As an AI model I cannot see the image.
    """

    type: ClassVar[str] = "regex"
    Options = RegexOptions

    def __init__(self, options: RegexOptions, root: Path) -> None:
        super().__init__(options, root)
        import regex  # type: ignore[import-untyped]  # only where a project uses it

        pattern: Any = regex.compile(options.pattern)
        self._search = pattern.fullmatch if options.full_match else pattern.search
        self._pattern = shorten(options.pattern).replace("\\\\", "\\")  # as it is written in the project file
        self._misses = "does not cover the whole of" if options.full_match else "is not in"
        self._field = options.field
        self._wants_match = options.pass_if == "match"  # noqa: S105
        self._timeout = options.timeout

    def evaluate(self, subject: Subject) -> Verdict:
        """Search the output for the pattern."""
        output = field_of(subject.execution.output, self._field)
        if output is MISSING_FIELD:
            return field_absent(subject.execution.output, str(self._field))
        if not isinstance(output, str):
            return Verdict.failed(f"output is {kind_of_value(output)}, {shorten(output)}, where text is needed")
        try:
            match = self._search(output, timeout=self._timeout)
        except TimeoutError:
            return Verdict.missing(
                f"the search for {self._pattern} in {len(output)} characters did not end within "
                f"{self._timeout:g} s; make the pattern simpler or raise timeout",
                code="timeout",
            )
        outcome: Literal["pass", "fail"] = "pass" if (match is not None) == self._wants_match else "fail"
        if match is None:
            return Verdict(outcome, f"{self._pattern} {self._misses} {shorten(output)}")
        return Verdict(outcome, f"found {shorten(match.group())} at character {match.start()}")
