"""Where the references of a JSON Schema lead: within it, to a file beside it, never to the network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oloproof.errors import EvaluatorError

_PLAIN_DATA = ("const", "enum", "default", "examples")
_REFERENCES = ("$ref", "$dynamicRef")
_NAMES_FOLLOW = (".properties", ".patternProperties", ".$defs", ".definitions", ".dependentSchemas")


def parts_of(schema: Any, place: str = "schema", base: Any = None) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Yield every mapping in a schema with its place and the resolver of its references, ``base`` for the outermost."""
    if isinstance(schema, Mapping):
        yield place, schema, base
        for key, value in schema.items():
            if key not in _PLAIN_DATA or place.endswith(_NAMES_FOLLOW):
                yield from parts_of(value, f"{place}.{key}", _inside(base, value))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from parts_of(value, f"{place}[{index}]", _inside(base, value))


def _inside(base: Any, schema: Any) -> Any:
    """Return the resolver for a part of a schema, which may give itself another address."""
    from referencing.jsonschema import DRAFT202012

    if base is None or not isinstance(schema, Mapping) or not isinstance(schema.get("$id"), str):
        return base
    return base.in_subresource(DRAFT202012.create_resource(schema))


def references_in(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield every reference in a schema with its place."""
    for place, part, _ in parts_of(schema):
        for key in _REFERENCES:
            if isinstance(part.get(key), str):
                yield f"{place}.{key}", part[key]


def check_references(schema: Any, name: str, resolver: Any) -> None:
    """Resolve every reference in a schema that is called ``name``.

    Raises:
        EvaluatorError: one leads nowhere.
    """
    from referencing.exceptions import Unresolvable

    for place, part, base in parts_of(schema, name, resolver):
        for key in _REFERENCES:
            if not isinstance(part.get(key), str):
                continue
            try:
                base.lookup(part[key])
            except (Unresolvable, ValueError, TypeError, KeyError):
                raise EvaluatorError(f"{place}.{key}: {part[key]} leads nowhere") from None


def local_file(folder: Path, base: str, reference: str, place: str) -> str | None:
    """Return the file that a reference leads to, or None when it stays where it is or leads to a known draft."""
    address = reference.partition("#")[0]
    if not address or address.startswith(("https://json-schema.org/", "http://json-schema.org/", "urn:")):
        return None
    if "://" in address:
        raise EvaluatorError(
            f"{place}: {reference} leads to the network, where nothing is fetched; keep a copy beside the schema"
        )
    path = (folder / base).parent / address if base else folder / address
    if not path.resolve().is_relative_to(folder):
        raise EvaluatorError(f"{place}: {reference} leads out of the folder of the schema")
    return path.resolve().relative_to(folder).as_posix()
