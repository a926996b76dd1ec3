"""``numeric``: the number in the output is the expected one, exactly or within a tolerance."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from oloproof.config.base import FieldPath
from oloproof.config.models import EvaluatorOptions
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
from oloproof.evaluators.number_formats import Locale, within_range
from oloproof.evaluators.number_rules import Candidate, Rules
from oloproof.evaluators.number_units import canonical, carries, is_percent
from oloproof.evaluators.number_words import Language
from oloproof.evaluators.numbers import read_numbers
from oloproof.records import Verdict


def _short_words(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class NumericOptions(EvaluatorOptions):
    """The keys of ``numeric``."""

    type: Literal["numeric"]
    value: int | float | str | None = None
    expected_field: FieldPath | None = None
    field: FieldPath | None = None
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    relative_tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0
    unit: Annotated[str, Field(min_length=1, max_length=30)] | None = None
    percent: Literal["number", "fraction"] = "number"
    which: Literal["only", "first", "last"] = "only"
    locale: Locale = "auto"
    accounting: bool = False
    magnitudes: bool = False
    fractions: bool = False
    spaced_minus: bool = False
    words: Annotated[list[Language], BeforeValidator(_short_words)] = []  # noqa: RUF012 - pydantic copies it

    @model_validator(mode="after")
    def _sensible(self) -> NumericOptions:
        if self.value is not None and self.expected_field is not None:
            raise ValueError("give value: (the same for every case) or expected_field:, not both")
        if self.percent == "fraction" and self.unit is not None and canonical(self.unit) == "%":
            raise ValueError("with percent: fraction, 50% is the plain number 0.5 and has no unit %")
        if isinstance(self.value, str) and isinstance(read := _Reader(self).expected(self.value), str):
            raise ValueError(f"value {read}")
        return self


class Numeric(Evaluator[NumericOptions]):
    r"""Passes when the number in the output is the expected one. No score.

    Numbers are compared exactly, as decimal fractions and never as floats: 0.1 + 0.2 is 0.3, and
    9007199254740993 is not 9007199254740992. Output and expected value are JSON numbers or text. In a text the
    number is found among words, in the digits of any script, with a sign, an exponent, groups and a unit:
    ``-1,234.50``, ``1.234,5``, ``1 234``, ``1'234``, ``2.5E+6``, ``½``, ``50%``. Identifiers (``INV-1001``,
    ``H2O``), dates and times are not numbers.

    Keys:
        value: the expected number for every case.
        expected_field: dotted path in the case's ``expected`` instead. Without either, all of ``expected``.
        field: dotted path of the part of the output that is read. Default: all of it.
        tolerance: largest difference that passes, in the unit of the numbers, 0 or more. Default: 0.
        relative_tolerance: the same as a share of the expected number, 0 to 1; the larger of the two holds. Default: 0.
        unit: the unit that the number is in (``kg``, ``%``, ``EUR``). A number that carries it is taken before all
            others, one without a unit is taken to be in it, one in another unit fails. Nothing is converted.
            Default: units are ignored.
        percent: what ``50%`` is: the ``number`` 50 or the ``fraction`` 0.5. Default: number.
        which: ``only``, ``first`` or ``last`` of several numbers. Default: only.
        locale: ``en`` (1,234.5), ``de`` (1.234,5) or ``auto``, where a lone dot is decimal and a lone comma before
            exactly three digits groups. Default: auto.
        accounting: ``(5)`` is −5. Default: false.
        magnitudes: ``1.5k``, ``3M``, ``£2bn``, ``2 million``, ``12万``. Default: false.
        fractions: ``3/4`` and ``1 1/2``. Default: false.
        spaced_minus: a minus, a space and a number at the start of a line is negative, not an item of a list.
            Default: false.
        words: languages whose number words are read: ``en`` (twelve, minus five), ``cjk`` (十二). Default: none.

    No number in the output fails. Several numbers where one is asked for, or one that can be read in two ways
    (``1/2`` or ``1.5k`` without their key, ``3-5``), is invalid: it is never guessed. Infinity, NaN and numbers
    beyond 1.8e308 are equal to nothing. A case without a readable expected number is missing.

    Passes:
        options: {field: answer, unit: kg, tolerance: 0.05}
        output: {answer: "In 2024 it weighed 1.234,50 kg."}
        expected: 1234.45

    Passes:
        options: {percent: fraction}
        output: 50%
        expected: 0.5

    Fails:
        options: {relative_tolerance: 0.01}
        output: about 102
        expected: 100

    Fails:
        options: {value: 12}
        output: see INV-12
    """

    type: ClassVar[str] = "numeric"
    Options = NumericOptions

    def __init__(self, options: NumericOptions, root: Path) -> None:
        super().__init__(options, root)
        self._field = options.field
        self._expected_field = options.expected_field
        self._value = options.value
        self._reader = _Reader(options)
        self._tolerance = Fraction(Decimal(repr(options.tolerance)))
        self._relative = Fraction(Decimal(repr(options.relative_tolerance)))
        self._plain = options.locale != "de" and options.unit is None

    def evaluate(self, subject: Subject) -> Verdict:
        """Compare the number in the output with the expected one."""
        output, expected = subject.execution.output, self._value
        if self._field is not None:
            output = field_of(output, self._field)
            if output is MISSING_FIELD:
                return field_absent(subject.execution.output, self._field)
        if expected is None:
            expected = field_of(subject.case.expected, self._expected_field)
            if expected is MISSING_FIELD or expected is None:
                return expected_absent(subject.case, self._expected_field)
        if self._plain and (found := _quick(output)) is not None and (wanted := _quick(expected)) is not None:
            if found == wanted:
                return Verdict("pass", f"{output} is the expected {expected}")
            return self._told(Fraction(found), Fraction(wanted))
        return self._read_and_compared(output, expected)

    def _read_and_compared(self, output: Any, expected: Any) -> Verdict:
        wanted = self._reader.expected(expected)
        if isinstance(wanted, str):
            return Verdict.missing(f"expected {wanted}")
        found = self._reader.found(output)
        if isinstance(found, Verdict):
            return found
        return self._told(found, wanted)

    def _told(self, found: Fraction, wanted: Fraction) -> Verdict:
        difference = abs(found - wanted)
        allowed = max(self._tolerance, self._relative * abs(wanted))
        details = {"found": shown(found), "expected": shown(wanted), "difference": shown(difference)}
        outcome: Literal["pass", "fail"] = "pass" if difference <= allowed else "fail"
        within = f" within {shown(allowed)}" if allowed else ""
        told = f"{shown(found)}, expected {shown(wanted)}{within}"
        return Verdict(outcome, f"{told}; off by {shown(difference)}" if difference else told, None, details)


class _Reader:
    """Gets one number out of a JSON value, or the words why there is none."""

    def __init__(self, options: NumericOptions) -> None:
        self.unit = options.unit
        self.which = options.which
        self.percent_is_fraction = options.percent == "fraction"
        self.rules = Rules(
            locale=options.locale,
            accounting=options.accounting,
            magnitudes=options.magnitudes,
            fractions=options.fractions,
            spaced_minus=options.spaced_minus,
            words=tuple(options.words),
            unit=options.unit or "",
        )

    def expected(self, value: Any) -> Fraction | str:
        """Return the expected number, or what is wrong with it."""
        if not isinstance(value, str):
            number = _exactly(value)
            return number if number is not None else f"is {kind_of_value(value)}, {shorten(value)}, not a finite number"
        candidates = read_numbers(value, self.rules)
        if len(candidates) != 1:
            return f"holds {'several numbers' if candidates else 'no number'}: {shorten(value)}"
        only = self._worth(candidates[0])
        return only if only is not None else f"{candidates[0].text!r} {candidates[0].problem}"

    def found(self, value: Any) -> Fraction | Verdict:
        """Return the number in an output, or the verdict on an output without one."""
        if not isinstance(value, str):
            number = _exactly(value)
            if number is not None:
                return number
            return Verdict.failed(
                f"output is {kind_of_value(value)}, {shorten(value)}, where a finite number is needed"
            )
        candidates = read_numbers(value, self.rules)
        if not candidates:
            return Verdict.failed(f"no number in {shorten(value)}")
        if self.unit is not None:
            fitting = self._in_unit(candidates, self.unit)
            if not fitting:
                other = candidates[-1 if self.which == "last" else 0]
                return Verdict.failed(f"{shorten(value)} is in {other.unit or other.currency}, not in {self.unit}")
            candidates = fitting
        return self._chosen(candidates)

    def _in_unit(self, candidates: list[Candidate], unit: str) -> list[Candidate]:
        carrying = [candidate for candidate in candidates if carries(candidate, unit)]
        return carrying or [each for each in candidates if not each.unit and not each.currency]

    def _chosen(self, candidates: list[Candidate]) -> Fraction | Verdict:
        chosen = candidates[-1 if self.which == "last" else 0]
        worth = self._worth(chosen)
        if self.which == "only" and any(worth is None or self._worth(other) != worth for other in candidates[1:]):
            listed = ", ".join(candidate.text for candidate in candidates[:6])
            return Verdict.invalid(f"several numbers: {listed}; say which: first or last")
        if worth is None:
            return Verdict.invalid(f"{chosen.text!r} {chosen.problem}")
        return worth

    def _worth(self, candidate: Candidate) -> Fraction | None:
        if candidate.value is not None and self.percent_is_fraction and is_percent(candidate):
            return candidate.value / 100
        return candidate.value


_PLAIN_TEXT = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def _quick(value: Any) -> int | Decimal | None:
    """Return the exact value of a plain number, or None where it takes a closer look."""
    kind = type(value)
    if kind is str:
        return Decimal(value) if _PLAIN_TEXT.fullmatch(value) else None
    if kind is float:
        return Decimal(repr(value)) if math.isfinite(value) else None
    return value if kind is int and -(10**300) < value < 10**300 else None


def _exactly(value: Any) -> Fraction | None:
    """Return the exact value of a JSON number as it is written, or None for what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float):
        return Fraction(Decimal(repr(float(value)))) if math.isfinite(value) else None
    return within_range(Fraction(value))


def shown(value: Fraction) -> str:
    """Return ``value`` as people write it: a decimal where that is exact and short, else a fraction or rounded."""
    if value.denominator == 1:
        text = str(value.numerator)
        return text if len(text) <= 25 else f"{float(value):.15g}"
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    decimal = Decimal(value.numerator) / Decimal(value.denominator)
    if rest == 1 and Fraction(decimal) == value and decimal.adjusted() > -7:
        return f"{decimal.normalize():f}"
    return f"{float(value):.15g}" if rest == 1 or max(value.numerator, value.denominator) > 10**6 else str(value)
