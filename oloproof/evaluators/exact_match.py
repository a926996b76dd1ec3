"""``exact_match``: the output is the expected value and nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

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
from oloproof.records import Verdict

INVISIBLE = "\ufeff\u200b\u2060"
"""Marks of no width that a copy or a byte-order mark leaves at the ends of a text; stripped with the spaces."""


class ExactMatchOptions(EvaluatorOptions):
    """The keys of ``exact_match``."""

    type: Literal["exact_match"]
    field: FieldPath | None = None
    expected_field: FieldPath | None = None
    strip: bool = True
    casefold: bool = False


class ExactMatch(Evaluator[ExactMatchOptions]):
    r"""Passes when the output is the expected value. No unit, no score.

    Text is compared in Unicode's composed form (NFC), so that an é is an é however it was typed. Numbers are
    compared by value: 1 is 1.0. Nothing is converted: the text "1" is not the number 1, and true is not 1. Lists
    must agree item by item, mappings key by key.

    Keys:
        field: dotted path of the part of the output that is compared (``lines.0.total``). Default: all of it.
        expected_field: dotted path in the case's ``expected``. Default: all of it.
        strip: ignore white space and invisible marks at both ends of a text. Default: true.
        casefold: ignore upper and lower case; ß is ss. Default: false.

    An output without the field fails. A case without the expected value is missing.

    Passes:
        options: {field: answer, expected_field: animal, casefold: true}
        output: {answer: " Red Panda\n"}
        expected: {animal: red panda}

    Passes:
        options: {}
        output: [1, {a: 2}]
        expected: [1.0, {a: 2}]

    Fails:
        options: {}
        output: "12"
        expected: 12
    """

    type: ClassVar[str] = "exact_match"
    Options = ExactMatchOptions

    def __init__(self, options: ExactMatchOptions, root: Path) -> None:
        super().__init__(options, root)
        self._field = options.field
        self._expected_field = options.expected_field
        self._strip = options.strip
        self._casefold = options.casefold

    def evaluate(self, subject: Subject) -> Verdict:
        """Compare the output with what the case expects."""
        output, expected = subject.execution.output, subject.case.expected
        if self._field is not None:
            output = field_of(output, self._field)
            if output is MISSING_FIELD:
                return field_absent(subject.execution.output, self._field)
        if self._expected_field is not None:
            expected = field_of(expected, self._expected_field)
        if expected is MISSING_FIELD or (expected is None and self._expected_field is None):
            return expected_absent(subject.case, self._expected_field)
        difference = self._difference(output, expected)
        return _EQUAL if difference is None else Verdict("fail", difference)

    def _difference(self, output: Any, expected: Any, where: str = "") -> str | None:
        """Return how the two differ, in words, or None when they do not."""
        if type(output) is str and type(expected) is str:
            if output == expected or self._plain(output) == self._plain(expected):
                return None
        elif isinstance(output, Mapping) and isinstance(expected, Mapping):
            return self._mappings_differ(output, expected, where)
        elif isinstance(output, list) and isinstance(expected, list):
            return self._lists_differ(output, expected, where)
        elif isinstance(output, bool) == isinstance(expected, bool) and output == expected:
            return None
        return _told_apart(output, expected, where)

    def _mappings_differ(self, output: Mapping[str, Any], expected: Mapping[str, Any], where: str) -> str | None:
        for key in expected:
            if key not in output:
                return f"{_place(where, 'output')} has no {key}"
        for key in output:
            if key not in expected:
                return f"{_place(where, 'output')} has {key}, which is not expected"
        for key, value in output.items():
            difference = self._difference(value, expected[key], f"{where}.{key}" if where else str(key))
            if difference is not None:
                return difference
        return None

    def _lists_differ(self, output: list[Any], expected: list[Any], where: str) -> str | None:
        if len(output) != len(expected):
            return f"{_place(where, 'output')} is a list of {len(output)}, expected {len(expected)}"
        for index, value in enumerate(output):
            difference = self._difference(value, expected[index], f"{where}.{index}" if where else str(index))
            if difference is not None:
                return difference
        return None

    def _plain(self, text: str) -> str:
        if not text.isascii():
            if self._casefold:
                text = unicodedata.normalize("NFD", text).casefold()
            text = unicodedata.normalize("NFC", text)
        elif self._casefold:
            text = text.lower()
        return strip_invisible(text) if self._strip else text


_EQUAL = Verdict("pass", "output is the expected value")


def strip_invisible(text: str) -> str:
    """Return ``text`` without white space and marks of no width at its ends."""
    stripped = text.strip()
    while stripped and (stripped[0] in INVISIBLE or stripped[-1] in INVISIBLE):
        stripped = stripped.strip(INVISIBLE).strip()
    return stripped


def _place(where: str, otherwise: str) -> str:
    return f"output.{where}" if where else otherwise


def _told_apart(output: Any, expected: Any, where: str) -> str:
    kinds = kind_of_value(output), kind_of_value(expected)
    if kinds[0] == kinds[1]:
        return f"{_place(where, 'output')} is {shorten(output)}, expected {shorten(expected)}"
    return f"{_place(where, 'output')} is {kinds[0]}, {shorten(output)}; expected {kinds[1]}, {shorten(expected)}"
