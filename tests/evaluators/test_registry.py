"""The registry, and the price of importing it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from oloproof.config.base import InWords
from oloproof.config.models import EvaluatorOptions, PolicyOptions, ProjectOptions
from oloproof.errors import EvaluatorError
from oloproof.evaluators import Registry, builtin_registry
from oloproof.evaluators.exact_match import ExactMatch


def test_the_built_in_types_are_those_of_the_reference() -> None:
    assert list(builtin_registry().options()) == [
        "media_check",
        "image_matches_reference",
        "exact_match",
        "contains",
        "regex",
        "numeric",
        "json_schema",
        "assertion",
        "prior_probe",
        "custom",
        "rubric_judge",
        "pairwise_judge",
    ]


def test_a_second_evaluator_of_one_type_is_refused() -> None:
    registry = Registry([ExactMatch])
    with pytest.raises(EvaluatorError, match="two evaluators have the type exact_match"):
        registry.add(ExactMatch)
    assert list(registry) == [ExactMatch]


def test_an_unknown_type_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(EvaluatorError, match="no evaluator of the type exact_macth; did you mean exact_match"):
        builtin_registry().build(EvaluatorOptions(type="exact_macth", criterion="c"), Path())


def test_two_registries_know_nothing_of_each_other() -> None:
    assert Registry([ExactMatch]).options().keys() != builtin_registry().options().keys()


def test_building_the_registry_imports_no_heavy_library() -> None:
    code = (
        "import sys; from oloproof.evaluators import builtin_registry; builtin_registry().options();"
        "print(sorted({'regex', 'jsonschema', 'numpy', 'scipy', 'PIL', 'imagehash'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.strip() == "[]", done.stderr


def metadata_in(annotation: Any) -> Iterator[tuple[Any, ...]]:
    """Yield what each ``Annotated`` within an annotation says beside its type."""
    if get_origin(annotation) is Annotated:
        yield annotation.__metadata__
    for part in get_args(annotation):
        yield from metadata_in(part)


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def test_every_pattern_is_said_in_words() -> None:
    """Else a person who broke it is shown a regular expression."""
    waiting: list[type[BaseModel]] = [ProjectOptions, PolicyOptions, *builtin_registry().options().values()]
    seen: set[type[BaseModel]] = set()
    while waiting:
        model = waiting.pop()
        seen.add(model)
        for name, field in model.model_fields.items():
            for metadata in (tuple(field.metadata), *metadata_in(field.annotation)):
                patterns = [one for one in metadata if getattr(one, "pattern", None) is not None]
                assert not patterns or any(isinstance(one, InWords) for one in metadata), f"{model.__name__}.{name}"
            waiting += [one for one in models_in(field.annotation) if one not in seen]
    assert len(seen) > 20
