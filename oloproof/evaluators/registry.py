"""Which kinds of evaluator there are: a small object that is passed along, never a place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from oloproof.config.models import EvaluatorOptions
from oloproof.errors import EvaluatorError
from oloproof.evaluators.base import Evaluator

AnyEvaluator = Evaluator[Any]

BUILTINS = {
    "media_check": "oloproof.evaluators.media_check:MediaCheck",
    "image_matches_reference": "oloproof.evaluators.image_matches_reference:ImageMatchesReference",
    "exact_match": "oloproof.evaluators.exact_match:ExactMatch",
    "contains": "oloproof.evaluators.contains:Contains",
    "regex": "oloproof.evaluators.regex:Regex",
    "numeric": "oloproof.evaluators.numeric:Numeric",
    "json_schema": "oloproof.evaluators.json_schema:JsonSchema",
    "assertion": "oloproof.evaluators.assertion:Assertion",
    "prior_probe": "oloproof.evaluators.prior_probe:PriorProbe",
    "custom": "oloproof.evaluators.custom:Custom",
    "rubric_judge": "oloproof.evaluators.judges.rubric:RubricJudge",
    "pairwise_judge": "oloproof.evaluators.judges.pairwise:PairwiseJudge",
}
"""Where each type of evaluator lives. A run loads those that its project names."""


class Registry:
    """The evaluators that a project file may name by their ``type``; each is loaded when it is first asked for."""

    def __init__(self, evaluators: Iterable[type[AnyEvaluator]] = (), homes: Mapping[str, str] | None = None) -> None:
        self._types: dict[str, type[AnyEvaluator] | str] = dict(homes or {})
        for evaluator in evaluators:
            self.add(evaluator)

    def add(self, evaluator: type[AnyEvaluator]) -> None:
        """Make ``evaluator`` known under its ``type``.

        Raises:
            EvaluatorError: another one has that type already.
        """
        if evaluator.type in self._types:
            known = self.find(evaluator.type)
            raise EvaluatorError(
                f"two evaluators have the type {evaluator.type}: {known.__qualname__} and {evaluator.__qualname__}"
            )
        self._types[evaluator.type] = evaluator

    def names(self) -> list[str]:
        """Return the types there are."""
        return list(self._types)

    def find(self, name: str) -> type[AnyEvaluator]:
        """Return the evaluator of a type.

        Raises:
            EvaluatorError: no evaluator has that type; the text names the nearest.
        """
        found = self._types.get(name)
        if found is None:
            near = difflib.get_close_matches(name, self._types, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(self._types)}"
            raise EvaluatorError(f"there is no evaluator of the type {name}; {hint}")
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = self._types[name] = getattr(import_module(module), attribute)
        return found

    def __iter__(self) -> Iterator[type[AnyEvaluator]]:
        return (self.find(name) for name in self.names())

    def options(self) -> Mapping[str, type[EvaluatorOptions]]:
        """Return the model of the keys of each type, for checking a project file."""
        return _OptionsByType(self)

    def build(self, options: EvaluatorOptions, root: Path) -> AnyEvaluator:
        """Return the evaluator that ``options`` describe. ``root`` is the folder of the project file.

        Raises:
            EvaluatorError: no evaluator has that type.
        """
        return self.find(options.type)(options, root)


class _OptionsByType(Mapping[str, type[EvaluatorOptions]]):
    """The models of a registry by type, each loaded with its evaluator."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> type[EvaluatorOptions]:
        if name not in self._registry.names():
            raise KeyError(name)
        return self._registry.find(name).Options

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry.names())

    def __len__(self) -> int:
        return len(self._registry.names())


def builtin_registry() -> Registry:
    """Return a new registry of the evaluators that come with Oloproof."""
    return Registry(homes=BUILTINS)
