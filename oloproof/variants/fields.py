"""Fields of a case by their dotted names: reading one, and an input with one of them changed or left out."""

from __future__ import annotations

from typing import Any

from oloproof.records import Case, copy_of

ABSENT: Any = object()
"""What a field that is not there holds."""


def value_of(case: Case, name: str) -> Any:
    """Return what ``input.…`` or ``expected.…`` of a case holds, :data:`ABSENT` where there is no such field."""
    part, _, rest = name.partition(".")
    return _inside(case.input if part == "input" else case.expected, rest.split("."))


def _inside(value: Any, parts: list[str]) -> Any:
    for part in parts:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ABSENT
    return value


def with_value(given: Any, field: str, value: Any) -> Any:
    """Return a copy of an input whose dotted ``field`` holds ``value``; the field is there."""
    changed = copy_of(given)
    *before, last = field.split(".")
    holder = _inside(changed, before) if before else changed
    if isinstance(holder, list):
        holder[int(last)] = value
    else:
        holder[last] = value
    return changed


def without(given: Any, fields: list[str]) -> Any:
    """Return a copy of an input without these dotted fields; those that are not there are no mistake."""
    changed = copy_of(given)
    for field in fields:
        *before, last = field.split(".")
        holder = _inside(changed, before) if before else changed
        if isinstance(holder, dict):
            holder.pop(last, None)
    return changed
