"""``contains``: the expected words stand somewhere in the output."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import field_validator, model_validator

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


class ContainsOptions(EvaluatorOptions):
    """The keys of ``contains``."""

    type: Literal["contains"]
    field: FieldPath | None = None
    expected_field: FieldPath | None = None
    text: str | list[str] | None = None
    casefold: bool = False
    whole_words: bool = False

    @field_validator("text")
    @classmethod
    def _says_something(cls, text: str | list[str] | None) -> str | list[str] | None:
        if text == []:
            raise ValueError("an empty list asks for nothing, so this would always pass")
        if text is not None and _without_content(text):
            raise ValueError("an empty text stands in every output, so this would always pass")
        return text

    @model_validator(mode="after")
    def _one_source(self) -> ContainsOptions:
        if self.text is not None and self.expected_field is not None:
            raise ValueError("give text: (the same for every case) or expected_field:, not both")
        return self


class Contains(Evaluator[ContainsOptions]):
    """Passes when the output contains the expected text, or each of several. No unit, no score.

    Both are compared in Unicode's composed form (NFC); white space around the expected text is ignored.

    Keys:
        field: dotted path of the text in the output. Default: the output itself.
        text: what must stand there: a text, or a list of texts that must all stand there.
        expected_field: dotted path in the case's ``expected`` instead of ``text``; also a text or a list of texts.
            Without either, all of ``expected``.
        casefold: ignore upper and lower case. Default: false.
        whole_words: the text may not continue a longer word: ``cat`` is not in ``concatenate``. Default: false.

    An output that is not text, or has no such field, fails. A case that expects nothing, or an empty text, is
    missing, because every output contains that.

    Passes:
        options: {field: caption, text: [red, bus], casefold: true}
        output: {caption: A Red double-decker bus}

    Fails:
        options: {whole_words: true}
        output: concatenate
        expected: cat
    """

    type: ClassVar[str] = "contains"
    Options = ContainsOptions

    def __init__(self, options: ContainsOptions, root: Path) -> None:
        super().__init__(options, root)
        self._field = options.field
        self._expected_field = options.expected_field
        self._casefold = options.casefold
        self._whole_words = options.whole_words
        self._wanted = None if options.text is None else self._plain_all(options.text)

    def evaluate(self, subject: Subject) -> Verdict:
        """Look for the expected text in the output."""
        output = field_of(subject.execution.output, self._field)
        if output is MISSING_FIELD:
            return field_absent(subject.execution.output, str(self._field))
        wanted = self._wanted
        if wanted is None:
            expected = field_of(subject.case.expected, self._expected_field)
            if expected is MISSING_FIELD or expected is None:
                return expected_absent(subject.case, self._expected_field)
            problem = _unusable(expected)
            if problem:
                return Verdict.missing(problem)
            wanted = self._plain_all(expected)
        if not isinstance(output, str):
            return Verdict.failed(f"output is {kind_of_value(output)}, {shorten(output)}, where text is needed")
        return self._verdict(output, wanted)

    def _verdict(self, output: str, wanted: Sequence[str]) -> Verdict:
        text = self._plain(output)
        absent = [part for part in wanted if not self._found(part, text)]
        if not absent:
            return _CONTAINED
        return Verdict("fail", f"output does not contain {_listed(absent)}: {shorten(output)}")

    def _found(self, part: str, text: str) -> bool:
        if not self._whole_words:
            return part in text
        start = text.find(part)
        while start >= 0:
            end = start + len(part)
            if not _continues(text, start) and not _continues(text, end):
                return True
            start = text.find(part, start + 1)
        return False

    def _plain(self, text: str) -> str:
        if text.isascii():
            return text.lower() if self._casefold else text
        if self._casefold:
            text = unicodedata.normalize("NFD", text).casefold()
        return unicodedata.normalize("NFC", text)

    def _plain_all(self, texts: str | Sequence[str]) -> tuple[str, ...]:
        return tuple(self._plain(text).strip() for text in ([texts] if isinstance(texts, str) else texts))


_CONTAINED = Verdict("pass", "output contains the expected text")


def _without_content(text: str | Sequence[str]) -> bool:
    return not text or not all(part.strip() for part in ([text] if isinstance(text, str) else text))


def _unusable(expected: Any) -> str:
    if not isinstance(expected, str) and not (
        isinstance(expected, list) and all(isinstance(part, str) for part in expected)
    ):
        return f"expected is {kind_of_value(expected)}, {shorten(expected)}, where a text or a list of texts is needed"
    return "expected is empty, and every output contains that" if _without_content(expected) else ""


def _listed(parts: Sequence[str]) -> str:
    return " or ".join(shorten(part) for part in parts)


def _continues(text: str, at: int) -> bool:
    """Return whether a word goes on across the border at ``at``."""
    return 0 < at < len(text) and _in_word(text[at - 1]) and _in_word(text[at])


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.combining(character) != 0
