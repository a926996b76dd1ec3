"""The registry, and the price of importing it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from oloproof.config.models import EvaluatorOptions
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
