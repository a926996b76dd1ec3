"""``prior_probe``: does the answer follow the picture, or what people would expect of it?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Struct
from pydantic import Field

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
from oloproof.evaluators.priors import Label, Reading, Vocabulary, read_answer, read_as_tool_001
from oloproof.records import Case, Verdict

_Values = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]


class PriorProbeOptions(EvaluatorOptions):
    """The keys of ``prior_probe``."""

    type: Literal["prior_probe"]
    field: FieldPath | None = None
    visual_field: FieldPath = "visual_value"
    prior_field: FieldPath = "prior_value"
    visual_aliases_field: FieldPath = "visual_aliases"
    prior_aliases_field: FieldPath = "prior_aliases"
    other_field: FieldPath = "other_values"
    aliases: dict[str, _Values] = {}  # noqa: RUF012 - pydantic copies it
    parity: bool = False


class _CaseValues(Struct, frozen=True):
    """The values of one case, each side with its aliases."""

    visual: tuple[str, ...]
    prior: tuple[str, ...]
    other: tuple[str, ...]


class PriorProbe(Evaluator[PriorProbeOptions]):
    """Passes when the answer follows the picture and not what people would expect. No unit, no score.

    The case's ``expected`` holds two controlled values: ``visual_value``, which the picture shows, and
    ``prior_value``, which one would guess without it; a blue banana has ``blue`` and ``yellow``. The answer gets one
    label: ``visual`` (passes), ``prior``, ``mixed`` (both), ``other`` (one of ``other_values``) or ``unclear`` (none).
    An answer that says that it cannot see the picture is a ``refusal``, which is invalid.

    The longest value wins (``light blue`` is not ``blue``). What is negated (``not blue``), doubted (``could be
    blue``) or only called usual (``usually yellow, but this one is blue``) does not count; this is understood in some
    17 languages. Words may be written in any script, case and markup, with or without accents. Numbers are compared
    by value: ``three``, ``3.0`` and ``٣`` are 3; ``3,000``, ``-3``, ``3rd`` and ``3.4`` are not.

    Keys:
        field: dotted path of the answer in the output. Default: the output itself.
        visual_field, prior_field: dotted paths of the two values in ``expected``.
        visual_aliases_field, prior_aliases_field: lists of other words for them. Default: ``visual_aliases``,
            ``prior_aliases``.
        other_field: values that are neither. Default: ``other_values``.
        aliases: other words for a value wherever it stands: ``{blue: [azure, navy]}``. Default: none.
        parity: read answers by the recipe of an earlier tool, to the letter: whole phrases, no negation, no numbers.
            Default: false.

    The label stands in the verdict's details, and its rates are metrics of their own. A case without the values, or
    whose two values are the same, is missing.

    Passes:
        options: {}
        output: Bananas are usually yellow, but this one is blue.
        expected: {visual_value: blue, prior_value: yellow}

    Fails:
        options: {}
        output: It isn't blue, it's yellow.
        expected: {visual_value: blue, prior_value: yellow}

    Fails:
        options: {aliases: {blue: [azure]}}
        output: either azure or yellow
        expected: {visual_value: blue, prior_value: yellow}
    """

    type: ClassVar[str] = "prior_probe"
    Options = PriorProbeOptions

    def __init__(self, options: PriorProbeOptions, root: Path) -> None:
        super().__init__(options, root)
        self._vocabulary = lru_cache(maxsize=1024)(_vocabulary)

    def evaluate(self, subject: Subject) -> Verdict:
        """Label the answer and say why."""
        answer = field_of(subject.execution.output, self.options.field)
        if answer is MISSING_FIELD:
            return field_absent(subject.execution.output, str(self.options.field))
        values = self._values(subject.case)
        if isinstance(values, Verdict):
            return values
        if not isinstance(answer, str):
            return Verdict.invalid(f"output is {kind_of_value(answer)}, {shorten(answer)}, where text is needed")
        if not answer.strip():
            return Verdict.invalid("the answer is empty")
        if self.options.parity:
            return _told(answer, Reading(read_as_tool_001(answer, values.visual, values.prior, values.other)))
        vocabulary = self._vocabulary(values)
        if isinstance(vocabulary, str):
            return Verdict.missing(vocabulary)
        return _told(answer, read_answer(answer, vocabulary))

    def _values(self, case: Case) -> _CaseValues | Verdict:
        options, sides = self.options, []
        for path, aliases in (
            (options.visual_field, options.visual_aliases_field),
            (options.prior_field, options.prior_aliases_field),
        ):
            value = field_of(case.expected, path)
            if value is MISSING_FIELD or value is None:
                return expected_absent(case, path)
            others = _texts(case.expected, aliases)
            if not isinstance(value, str) or not value.strip() or others is None:
                return Verdict.missing(
                    f"expected.{path} is {shorten(value)}, where text with a list of texts is needed"
                )
            sides.append((value, *others, *options.aliases.get(value, ())))
        other = _texts(case.expected, options.other_field)
        if other is None:
            return Verdict.missing(f"expected.{options.other_field} is no list of texts")
        return _CaseValues(sides[0], sides[1], tuple(other))


def _vocabulary(values: _CaseValues) -> Vocabulary | str:
    """Return the vocabulary of a case, or why there is none."""
    try:
        return Vocabulary(values.visual, values.prior, values.other)
    except ValueError as error:
        return str(error)


def _texts(expected: Any, path: str) -> list[str] | None:
    """Return the list of texts at a path, empty where there is none, None where it is something else."""
    found = field_of(expected, path)
    if found is MISSING_FIELD or found is None:
        return []
    if isinstance(found, list) and all(isinstance(one, str) and one.strip() for one in found):
        return found
    return None


def _told(answer: str, reading: Reading) -> Verdict:
    named = {"stated": reading.stated, "negated": reading.negated, "doubted": reading.doubted, "usual": reading.usual}
    details: Mapping[str, Any] = {
        "label": reading.label,
        "found": ", ".join(sorted(reading.stated)) or reading.label,
        **{name: list(values) for name, values in named.items() if values},
    }
    if reading.label == "refusal":
        return Verdict("invalid", f"the answer refuses: {shorten(answer)}", None, details)
    outcome: Literal["pass", "fail"] = "pass" if reading.label == "visual" else "fail"
    return Verdict(outcome, f"{_WORDS[reading.label]}: {shorten(answer)}", None, details)


_WORDS: Mapping[Label, str] = {
    "visual": "follows the picture",
    "prior": "follows what one would expect",
    "mixed": "names both values",
    "other": "names a value that is neither",
    "unclear": "states none of the values",
}
