"""The patterns of a JSON Schema, searched by the library ``regex`` and never longer than a second.

``jsonschema`` searches with ``re``, which holds the interpreter until it is done: one unlucky pattern would hang a
run that not even Ctrl-C stops. So every keyword that looks at a pattern is replaced here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

SECONDS = 1.0


class PatternTooSlow(Exception):
    """A search did not end in time: ``pattern`` in a text of ``length`` characters."""

    def __init__(self, pattern: str, length: int) -> None:
        super().__init__(pattern)
        self.pattern = pattern
        self.length = length


def mistake_in(pattern: str) -> str:
    """Return what is wrong with a pattern, empty when nothing is."""
    import regex  # type: ignore[import-untyped]  # only where a project uses it

    try:
        regex.compile(pattern)
    except regex.error as error:
        where = "" if error.pos is None else f" at position {error.pos}"
        return f"{pattern!r} is no pattern{where}: {error.msg}"
    return ""


@lru_cache(maxsize=512)
def _search(pattern: str) -> Any:
    import regex

    return regex.compile(pattern).search


def found(pattern: str, text: str) -> bool:
    """Return whether ``pattern`` stands anywhere in ``text``.

    Raises:
        PatternTooSlow: the search took longer than a second.
    """
    try:
        return _search(pattern)(text, timeout=SECONDS) is not None
    except TimeoutError:
        raise PatternTooSlow(pattern, len(text)) from None


def guarded(kind: Any) -> Any:
    """Return a validator class of ``jsonschema`` with patterns that end in time."""
    return kind if getattr(kind, "ends_in_time", False) else _guarded(kind)


@lru_cache(maxsize=32)
def _guarded(kind: Any) -> Any:
    from jsonschema.validators import extend

    replaced = {name: keyword for name, keyword in _KEYWORDS.items() if name in kind.VALIDATORS}
    made: Any = extend(kind, replaced)
    made.ends_in_time = True
    made.evolve = _evolve
    return made


def _evolve(self: Any, **changes: Any) -> Any:
    """Return the validator of a part of the schema: one that names its own ``$schema`` is guarded like the rest."""
    import attrs
    from jsonschema.validators import validator_for

    kind = guarded(validator_for(changes.setdefault("schema", self.schema), default=type(self)))
    for field in attrs.fields(kind):
        if field.init:
            changes.setdefault(field.alias, getattr(self, field.name))
    return kind(**changes)


def _mistake(message: str) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message)


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "string") and not found(pattern, instance):
        yield _mistake(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in patterns.items():
        for name, value in instance.items():
            if found(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, additional: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [name for name in instance if name not in named and not any(found(each, name) for each in patterns)]
    if validator.is_type(additional, "object"):
        for name in extra:
            yield from validator.descend(instance[name], additional, path=name)
    elif not additional and extra:
        told = ", ".join(repr(name) for name in sorted(extra))
        if patterns:
            verb = "does" if len(extra) == 1 else "do"
            yield _mistake(f"{told} {verb} not match any of the regexes: {', '.join(map(repr, sorted(patterns)))}")
        else:
            verb = "was" if len(extra) == 1 else "were"
            yield _mistake(f"Additional properties are not allowed ({told} {verb} unexpected)")


def _unevaluated_properties(validator: Any, unevaluated: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    seen = _evaluated(validator, instance, schema)
    wrong = [name for name in instance if name not in seen and not _fits(validator, instance[name], unevaluated)]
    if not wrong:
        return
    told = f"{', '.join(repr(name) for name in sorted(wrong))} {'was' if len(wrong) == 1 else 'were'}"
    if unevaluated is False:
        yield _mistake(f"Unevaluated properties are not allowed ({told} unexpected)")
    else:
        yield _mistake(f"Unevaluated properties are not valid under the given schema ({told} unevaluated and invalid)")


def _fits(validator: Any, instance: Any, schema: Any) -> bool:
    return next(iter(validator.descend(instance, schema)), None) is None


def _evaluated(validator: Any, instance: Mapping[str, Any], schema: Any) -> set[str]:
    """Return the names that other keywords of a schema have looked at (JSON Schema 2020-12, Core, 11.3)."""
    if not isinstance(schema, Mapping):
        return set()
    seen = instance.keys() & set(schema.get("properties", {}))
    patterns = schema.get("patternProperties", {})
    seen |= {name for name in instance if any(found(pattern, name) for pattern in patterns)}
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            seen |= {name for name, value in instance.items() if _fits(validator, value, schema[keyword])}
    for resolved in _led_to(validator, schema):
        inner = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
        seen |= _evaluated(inner, instance, resolved.contents)
    for part in _applied(validator, instance, schema):
        seen |= _evaluated(validator, instance, part)
    return seen


def _led_to(validator: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref

    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield validator._resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(validator._resolver)


def _applied(validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the parts of a schema that apply to this very instance."""
    yield from (part for name, part in schema.get("dependentSchemas", {}).items() if name in instance)
    for keyword in ("allOf", "oneOf", "anyOf"):
        yield from (part for part in schema.get(keyword, []) if _fits(validator, instance, part))
    if "if" in schema:
        if _fits(validator, instance, schema["if"]):
            yield schema["if"]
            yield schema.get("then", True)
        else:
            yield schema.get("else", True)


_KEYWORDS = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
}
