"""``json_schema``: the output has the declared shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from oloproof.config.base import FieldPath
from oloproof.config.models import EvaluatorOptions
from oloproof.digests import digest_of
from oloproof.errors import EvaluatorError
from oloproof.evaluators.base import MISSING_FIELD, Evaluator, Subject, field_absent, field_of, shorten
from oloproof.evaluators.schema_patterns import SECONDS, PatternTooSlow, guarded, mistake_in
from oloproof.evaluators.schema_references import check_references, local_file, parts_of, references_in
from oloproof.records import Verdict

TOLD = 3
KEPT = 20


class JsonSchemaOptions(EvaluatorOptions):
    """The keys of ``json_schema``."""

    model_config = ConfigDict(populate_by_name=False)

    type: Literal["json_schema"]
    schema_: str | dict[str, Any] | bool = Field(alias="schema")
    field: FieldPath | None = None
    parse: bool = False


class JsonSchema(Evaluator[JsonSchemaOptions]):
    """Passes when the output fits a JSON Schema. No unit, no score.

    The draft is the one that ``$schema`` names, 2020-12 without one. ``$ref`` may lead to a place in the schema itself
    or to a file beside it, never to the network. ``format`` is not checked, as the standard has it. Patterns are those
    of the Python library ``regex``; a search that takes longer than a second measured nothing: missing.

    Keys:
        schema: the path of a schema file, relative to the project file, or the schema itself. Required.
        field: dotted path of the part of the output that is checked. Default: all of it.
        parse: the output is text that holds JSON, which is read first; text that is no JSON fails. Default: false.

    The reason names the first three mistakes with their places (``$.lines[0].total``), ``details.errors`` the first
    20. A schema that is itself wrong, holds a bad pattern or refers to what is not there stops the run before the first
    trial.

    Passes:
        options:
          parse: true
          schema: {type: object, required: [total], properties: {total: {type: number}}}
        output: '{"total": 12.5}'

    Fails:
        options:
          schema: {type: object, required: [total], properties: {total: {type: number}}}
        output: {total: "12.5"}
    """

    type: ClassVar[str] = "json_schema"
    Options = JsonSchemaOptions

    def __init__(self, options: JsonSchemaOptions, root: Path) -> None:
        super().__init__(options, root)
        self._field = options.field
        self._parse = options.parse

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes its verdicts what they are: also the content of the schema file and of those it refers to."""
        return {**super().identity, "schema": digest_of(self._schema), "files": digest_of(self._referred)}

    def prepare(self) -> None:
        """Read the schema and check it."""
        _ = self._validator

    @cached_property
    def _folder(self) -> Path:
        schema = self.options.schema_
        return (self.root / schema).resolve().parent if isinstance(schema, str) else self.root.resolve()

    @cached_property
    def _schema(self) -> Any:
        schema = self.options.schema_
        return _read_schema(self.root / schema, schema) if isinstance(schema, str) else schema

    @cached_property
    def _referred(self) -> dict[str, Any]:
        """Return the files that the schema refers to, by their path from its folder."""
        found: dict[str, Any] = {}
        waiting = [("", self._schema)]
        while waiting:
            base, schema = waiting.pop()
            for place, reference in references_in(schema):
                name = local_file(self._folder, base, reference, place)
                if name and name not in found:
                    found[name] = _read_schema(self._folder / name, name)
                    waiting.append((name, found[name]))
        return found

    @cached_property
    def _validator(self) -> Any:
        import jsonschema  # only where a project uses it
        import jsonschema_specifications  # type: ignore[import-untyped]
        from referencing import Registry, Resource
        from referencing.jsonschema import DRAFT202012

        kind = guarded(_draft(self._schema))
        formats = jsonschema.FormatChecker(set(kind.FORMAT_CHECKER.checkers) - {"regex"})  # patterns: see below
        for name, schema in (("schema", self._schema), *self._referred.items()):
            try:
                kind.check_schema(schema, format_checker=formats)
            except jsonschema.SchemaError as error:
                place = error.json_path.replace("$", name, 1)
                raise EvaluatorError(f"{self.criterion}: {place}: {_short(error.message)}") from None
            _check_patterns(schema, name)
        files = [
            (name, Resource.from_contents(schema, default_specification=DRAFT202012))
            for name, schema in self._referred.items()
        ]
        registry: Any = Registry().combine(jsonschema_specifications.REGISTRY).with_resources(files)
        validator = kind(self._schema, registry=registry)
        check_references(self._schema, "schema", validator._resolver)
        for name, schema in self._referred.items():
            check_references(schema, name, registry.resolver(name))
        return validator

    def evaluate(self, subject: Subject) -> Verdict:
        """Check the output against the schema."""
        from referencing.exceptions import Unresolvable

        output = field_of(subject.execution.output, self._field)
        if output is MISSING_FIELD:
            return field_absent(subject.execution.output, str(self._field))
        if self._parse and isinstance(output, str):
            try:
                output = json.loads(output, parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                return Verdict.failed(f"output is no JSON: {_why(error)}: {shorten(output)}")
        try:
            errors = sorted(self._validator.iter_errors(output), key=lambda error: [str(part) for part in error.path])
        except PatternTooSlow as error:
            return Verdict.missing(
                f"the search for {shorten(error.pattern)} in {error.length} characters did not end within "
                f"{SECONDS:g} s; make the pattern simpler",
                code="timeout",
            )
        except Unresolvable as error:
            return Verdict.missing(f"the schema refers to what is not there: {error}")
        except RecursionError:
            return Verdict.missing("the schema refers to itself without end, or the output is nested too deeply")
        return _verdict([{"path": error.json_path, "message": _short(error.message)} for error in errors])


def _verdict(errors: list[dict[str, str]]) -> Verdict:
    if not errors:
        return Verdict("pass", "output fits the schema")
    told = "; ".join(f"{error['path']}: {error['message']}" for error in errors[:TOLD])
    more = f"; and {len(errors) - TOLD} more" if len(errors) > TOLD else ""
    return Verdict.failed(told + more, errors=errors[:KEPT])


def _short(message: str, limit: int = 160) -> str:
    return message if len(message) <= limit else f"{message[: limit - 60]}…{message[-55:]}"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno} column {error.colno}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _read_schema(path: Path, name: str) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise EvaluatorError(f"schema {name} cannot be read: {error.strerror}: {path}") from None
    except (ValueError, RecursionError) as error:
        raise EvaluatorError(f"schema {name} is no JSON: {_why(error)}") from None


def _draft(schema: Any) -> Any:
    """Return the validator of the draft that ``$schema`` names."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    named = schema.get("$schema") if isinstance(schema, Mapping) else None
    kind = Draft202012Validator if named is None else validator_for({"$schema": named}, default=None)
    if kind is None:
        raise EvaluatorError(
            f"schema.$schema: {named!r} is no draft that is known; the newest is "
            "https://json-schema.org/draft/2020-12/schema"
        )
    return kind


def _check_patterns(schema: Any, name: str) -> None:
    for place, part, _ in parts_of(schema, name):
        given = [(f"{place}.pattern", part.get("pattern"))]
        if isinstance(part.get("patternProperties"), Mapping):
            given += [(f"{place}.patternProperties", pattern) for pattern in part["patternProperties"]]
        for where, pattern in given:
            if isinstance(pattern, str) and (mistake := mistake_in(pattern)):
                raise EvaluatorError(f"{where}: {mistake}")
