from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from oloproof.config import EvaluatorOptions, policy_schema, project_schema

Known = dict[str, type[EvaluatorOptions]]
SYSTEM = {"callable": "app:describe"}


def _valid(schema: dict[str, Any], document: Any) -> bool:
    jsonschema.Draft202012Validator.check_schema(schema)
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


def test_a_good_project_is_valid_and_the_schema_is_described(known: Known, good: str) -> None:
    schema = project_schema(known)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert _valid(schema, yaml.safe_load(good))
    assert schema["$defs"]["evaluator_media_check"]["description"] == "Measures a picture."


@pytest.mark.parametrize(
    ("changes", "valid"),
    [
        ({"dataset": {"path": "x", "media": ["photo"]}, "repeats": {"count": 3}}, True),
        ({"repeats": 3, "policy": "release.yaml"}, True),
        ({"system": {"name": "x", "command": ["a", "b"]}}, True),
        ({"system": {"name": "x", "command": {"run": ["a"], "keep": True}}}, True),
        ({"system": {"name": "x", "http": "http://localhost"}}, True),
        ({"system": {"name": "x", "http": {"url": "http://localhost"}}}, True),
        ({"evaluators": [{"type": "rubric_judge", "criterion": "a", "model": "m"}]}, True),
        ({"evaluators": [{"type": "rubric_judge", "criterion": "a"}]}, False),
        ({"evaluators": [{"type": "media_check", "criterion": "a", "model": "m"}]}, False),
        ({"evaluators": [{"type": "nothing", "criterion": "a"}]}, False),
        ({"evaluators": [{"criterion": "a"}]}, False),
        ({"repeats": 0}, False),
        ({"repeats": None}, False),
        ({"dataset": 5}, False),
        ({"dataset": {"path": "x", "folder": "y"}}, False),
        ({"system": {}}, False),
        ({"system": {**SYSTEM, "command": ["a"]}}, False),
        ({"bogus": 1}, False),
        ({"version": 2}, False),
    ],
)
def test_short_forms_and_mistakes_are_told_apart(known: Known, changes: dict[str, Any], valid: bool) -> None:
    document = {"version": 1, "project": "x", "dataset": "cases.jsonl", "system": SYSTEM, **changes}
    assert _valid(project_schema(known), document) is valid


def test_a_policy_has_a_schema_too() -> None:
    assert _valid(policy_schema(), {"rules": [{"id": "a", "metric": "b", "min": 0.5}]})
    assert not _valid(policy_schema(), {"rules": [{"id": "a", "metric": "b", "minimum": 0.5}]})
