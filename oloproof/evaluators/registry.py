"""Which kinds of evaluator there are: a small object that is passed along, never a place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from oloproof.config.models import EvaluatorOptions
from oloproof.errors import EvaluatorError
from oloproof.evaluators.base import Evaluator
from oloproof.evaluators.contains import Contains
from oloproof.evaluators.custom import Custom
from oloproof.evaluators.exact_match import ExactMatch
from oloproof.evaluators.image_matches_reference import ImageMatchesReference
from oloproof.evaluators.json_schema import JsonSchema
from oloproof.evaluators.media_check import MediaCheck
from oloproof.evaluators.numeric import Numeric
from oloproof.evaluators.regex import Regex

AnyEvaluator = Evaluator[Any]


class Registry:
    """The evaluators that a project file may name by their ``type``."""

    def __init__(self, evaluators: Iterable[type[AnyEvaluator]] = ()) -> None:
        self._types: dict[str, type[AnyEvaluator]] = {}
        for evaluator in evaluators:
            self.add(evaluator)

    def add(self, evaluator: type[AnyEvaluator]) -> None:
        """Make ``evaluator`` known under its ``type``.

        Raises:
            EvaluatorError: another one has that type already.
        """
        known = self._types.get(evaluator.type)
        if known is not None:
            raise EvaluatorError(
                f"two evaluators have the type {evaluator.type}: {known.__qualname__} and {evaluator.__qualname__}"
            )
        self._types[evaluator.type] = evaluator

    def __iter__(self) -> Iterator[type[AnyEvaluator]]:
        return iter(self._types.values())

    def options(self) -> Mapping[str, type[EvaluatorOptions]]:
        """Return the model of the keys of each type, for checking a project file."""
        return {name: evaluator.Options for name, evaluator in self._types.items()}

    def build(self, options: EvaluatorOptions, root: Path) -> AnyEvaluator:
        """Return the evaluator that ``options`` describe. ``root`` is the folder of the project file.

        Raises:
            EvaluatorError: no evaluator has that type.
        """
        evaluator = self._types.get(options.type)
        if evaluator is None:
            near = difflib.get_close_matches(options.type, self._types, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(self._types)}"
            raise EvaluatorError(f"there is no evaluator of the type {options.type}; {hint}")
        return evaluator(options, root)


def builtin_registry() -> Registry:
    """Return a new registry of the evaluators that come with Oloproof and ask no model."""
    return Registry((MediaCheck, ImageMatchesReference, ExactMatch, Contains, Regex, Numeric, JsonSchema, Custom))
