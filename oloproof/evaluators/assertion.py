"""``assertion``: each case says by itself how its answer is checked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from msgspec.structs import replace

from oloproof.config.base import FieldPath
from oloproof.config.models import EvaluatorOptions
from oloproof.evaluators import assertions000
from oloproof.evaluators.base import (
    MISSING_FIELD,
    Evaluator,
    Subject,
    expected_absent,
    field_absent,
    field_of,
    kind_of_value,
    shorten,
)
from oloproof.evaluators.contains import Contains, ContainsOptions
from oloproof.evaluators.exact_match import ExactMatch, ExactMatchOptions
from oloproof.evaluators.numeric import Numeric, NumericOptions
from oloproof.evaluators.regex import Regex, RegexOptions
from oloproof.evaluators.schema_patterns import mistake_in
from oloproof.records import Verdict

KINDS = ("equals", "contains", "regex", "numeric")
_KEYS = ("kind", "expected", "tolerance")


class AssertionOptions(EvaluatorOptions):
    """The keys of ``assertion``."""

    type: Literal["assertion"]
    field: FieldPath | None = None
    expected_field: FieldPath | None = None
    parity: bool = False


class Assertion(Evaluator[AssertionOptions]):
    r"""Passes when the answer is what the case asserts of it. No unit, no score.

    A dataset whose cases are checked in different ways says so case by case: ``expected`` holds ``kind``, which is
    ``equals``, ``contains``, ``regex`` or ``numeric``, with ``expected`` and, for ``numeric``, a ``tolerance`` of 0 or
    more. Each does what the evaluators ``exact_match``, ``contains``, ``regex`` and ``numeric`` do with their default
    keys.

    Keys:
        field: dotted path of the answer in the output. Default: the output itself.
        expected_field: dotted path of the assertion in the case's ``expected``. Default: all of it.
        parity: compare by the recipe of an earlier tool, to the letter: the first number of a text is taken, an empty
            text is contained in everything. Default: false.

    A case whose assertion cannot be used, such as a pattern with a mistake, is missing.

    Passes:
        options: {}
        output: The total is 1.234,50 EUR.
        expected: {kind: numeric, expected: "1234.5"}

    Passes:
        options: {field: answer}
        output: {answer: Acme Retail Co.}
        expected: {kind: contains, expected: Acme}

    Fails:
        options: {}
        output: "page 3"
        expected: {kind: regex, expected: '^\d+$'}
    """

    type: ClassVar[str] = "assertion"
    Options = AssertionOptions

    def __init__(self, options: AssertionOptions, root: Path) -> None:
        super().__init__(options, root)
        self._checks = lru_cache(maxsize=512)(self._check)

    def evaluate(self, subject: Subject) -> Verdict:
        """Check the answer as its case asserts."""
        answer = field_of(subject.execution.output, self.options.field)
        if answer is MISSING_FIELD:
            return field_absent(subject.execution.output, str(self.options.field))
        asserted = field_of(subject.case.expected, self.options.expected_field)
        if asserted is MISSING_FIELD or asserted is None:
            return expected_absent(subject.case, self.options.expected_field)
        mistake = mistake_of(asserted)
        if mistake:
            return Verdict.missing(f"expected {mistake}")
        kind, expected = asserted["kind"], asserted["expected"]
        if self.options.parity:
            return self._as_tool_000(kind, answer, expected, asserted.get("tolerance") or 0.0)
        execution = replace(subject.execution, output=answer)
        case = replace(subject.case, expected=expected)
        if kind == "regex" and not expected:
            return Verdict.missing("expected has an empty pattern, which stands in every output")
        check = self._checks(kind, asserted.get("tolerance") or 0.0, expected if kind == "regex" else "")
        verdict: Verdict = check.evaluate(replace(subject, case=case, execution=execution))
        return verdict

    def _check(self, kind: str, tolerance: float, pattern: str) -> Any:
        name = self.options.criterion
        if kind == "equals":
            return ExactMatch(ExactMatchOptions(type="exact_match", criterion=name), self.root)
        if kind == "contains":
            return Contains(ContainsOptions(type="contains", criterion=name), self.root)
        if kind == "numeric":
            return Numeric(NumericOptions(type="numeric", criterion=name, tolerance=tolerance), self.root)
        return Regex(RegexOptions(type="regex", criterion=name, pattern=pattern), self.root)

    def _as_tool_000(self, kind: str, answer: Any, expected: Any, tolerance: float) -> Verdict:
        if not isinstance(answer, str):
            return Verdict.invalid(f"output is {kind_of_value(answer)}, {shorten(answer)}, where text is needed")
        wanted = str(expected)
        if kind == "regex":
            found = self._searched(answer.strip(), wanted)
            if isinstance(found, Verdict):
                return found
        elif kind == "numeric":
            found = assertions000.numeric(answer, wanted, tolerance)
        else:
            found = (assertions000.equals if kind == "equals" else assertions000.contains)(answer, wanted)
        outcome: Literal["pass", "fail"] = "pass" if found else "fail"
        number = assertions000.first_number(answer) if kind == "numeric" else None
        details = {} if number is None else {"found": repr(number)}
        return Verdict(outcome, f"{shorten(answer)}, asserted to be {kind} {shorten(wanted)}", None, details)

    def _searched(self, answer: str, pattern: str) -> bool | Verdict:
        import regex  # type: ignore[import-untyped]  # only where a case asks for it

        try:
            return regex.search(pattern, answer, timeout=1.0) is not None
        except TimeoutError:
            return Verdict.missing(f"the search for {shorten(pattern)} did not end within 1 s", code="timeout")


def mistake_of(asserted: Any) -> str:
    """Return what is wrong with an assertion, in words that follow its name; empty when it can be used."""
    if not isinstance(asserted, Mapping):
        return f"is {kind_of_value(asserted)}, {shorten(asserted)}, where kind and expected are needed"
    unknown = [str(key) for key in asserted if key not in _KEYS]
    if unknown:
        return f"has the unknown key {unknown[0]}; accepted: kind ({', '.join(KINDS)}), expected and tolerance"
    if asserted.get("kind") not in KINDS:
        return f"has the kind {shorten(asserted.get('kind'))}; there are {', '.join(KINDS)}"
    if asserted.get("expected") is None:
        return "has no expected"
    tolerance = asserted.get("tolerance")
    if tolerance is not None and (
        isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < float("inf")
    ):
        return f"has the tolerance {shorten(tolerance)}, where a number of 0 or more is needed"
    if asserted["kind"] != "regex":
        return ""
    if not isinstance(asserted["expected"], str):
        return f"has the pattern {shorten(asserted['expected'])}, which is no text"
    return mistake_in(asserted["expected"])
