"""The JSON Schema of ``oloproof.yaml`` and of a policy, for editors and for reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from oloproof.config.base import Options
from oloproof.config.models import EvaluatorOptions, PolicyOptions, ProjectOptions

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def project_schema(evaluator_options: Mapping[str, type[EvaluatorOptions]]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a project file whose evaluators are those of ``evaluator_options``."""
    models: list[type[Options]] = [ProjectOptions, *evaluator_options.values()]
    references, schema = models_json_schema([(model, "validation") for model in models])
    definitions = schema["$defs"]
    top = dict(definitions.pop(_name(references[ProjectOptions, "validation"])))
    choices = []
    for kind, model in sorted(evaluator_options.items()):
        choice = f"evaluator_{kind}"
        definitions[choice] = _of_one_type(kind, definitions[_name(references[model, "validation"])])
        choices.append({"$ref": f"#/$defs/{choice}"})
    for model in set(evaluator_options.values()):
        definitions.pop(_name(references[model, "validation"]), None)
    properties = dict(top["properties"])
    items: dict[str, Any] = {"oneOf": choices} if choices else {"type": "object"}
    properties["evaluators"] = {"type": "array", "items": items, "default": []}
    top.update(properties=properties, title="oloproof.yaml")
    return {"$schema": DIALECT, **top, "$defs": definitions}


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a policy file."""
    return {"$schema": DIALECT, **PolicyOptions.model_json_schema()}


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _of_one_type(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one evaluator, tied to its ``type``."""
    properties = {**schema["properties"], "type": {"const": kind}}
    required = list(dict.fromkeys(["type", *schema.get("required", [])]))
    return {**schema, "title": kind, "properties": properties, "required": required}
