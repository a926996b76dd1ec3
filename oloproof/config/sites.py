"""Follows the place of a validation error through a model and the data side by side.

What comes back tells which path of the data is meant (choices between types leave labels in the place, short forms
leave keys that were never written) and what was asked for there.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from oloproof.config.yaml12 import Path

_ABSENT: Any = object()


class Site(Struct, frozen=True):
    """Where an error landed: its path in the data, what is asked for there, and the model it lies in.

    ``unions`` holds, for each choice of types on the way, the path of the value, the label of the branch taken,
    whether a value of this kind can be meant for that branch, and the kinds that all the branches take.
    """

    path: Path
    annotation: Any
    owner: type[BaseModel] | None
    unions: tuple[tuple[Path, str, bool, tuple[str, ...]], ...]
    on_key: bool = False


def bare(annotation: Any) -> tuple[Any, list[Any]]:
    """Return ``annotation`` without ``Annotated`` and ``| None``, and the constraints that hung on it."""
    constraints: list[Any] = []
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *extra = get_args(annotation)
            for item in extra:
                constraints.extend([*item.metadata] if isinstance(item, FieldInfo) else [item])
        elif _is_union(annotation) and len(_members(annotation)) == 1:
            annotation = _members(annotation)[0]
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            return annotation, constraints


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def _members(annotation: Any) -> list[Any]:
    return [member for member in get_args(annotation) if member is not type(None)]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of ``model`` under the names that a file uses."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _kind_of(value: Any) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list"}
    return kinds.get(type(value), "a mapping")


def _kinds_of(annotation: Any) -> tuple[str, ...]:
    """Return the kinds of value that ``annotation`` takes, in plain words."""
    core, _ = bare(annotation)
    if _is_union(core):
        return tuple(dict.fromkeys(kind for member in _members(core) for kind in _kinds_of(member)))
    if get_origin(core) is Literal:
        return tuple(dict.fromkeys(_kind_of(choice) for choice in get_args(core)))
    if core is Any:
        return ("text", "a number", "true or false", "a list", "a mapping")
    origin = get_origin(core) or core
    if origin in (list, tuple, set, frozenset) or (isinstance(origin, type) and issubclass(origin, list)):
        return ("a list",)
    simple = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    return (simple.get(origin, "a mapping"),)


def _names_of(annotation: Any) -> set[str]:
    """Return the names that the validation library may give the branch ``annotation`` of a union."""
    core, _ = bare(annotation)
    if get_origin(core) is Literal:
        return {"literal"}
    names = {getattr(get_origin(core) or core, "__name__", "")}
    for field in fields_of(core).values() if _is_model(core) else ():
        if get_origin(field.annotation) is Literal:
            names.update(str(choice) for choice in get_args(field.annotation))
    return names


def _branch(union: Any, label: str) -> Any:
    while label.startswith("function-"):
        label = label.partition(", ")[2].removesuffix("]")
    head = label.removeprefix("constrained-").partition("[")[0]
    return next((member for member in _members(union) if head in _names_of(member)), Any)


def _fits(kinds: tuple[str, ...], value: Any) -> bool:
    kind = _kind_of(value)
    return value is not None and (kind in kinds or (kind == "a number" and "a whole number" in kinds))


def locate(model: type[BaseModel], loc: tuple[str | int, ...], data: Any) -> Site:
    """Follow ``loc`` through ``model`` and ``data`` side by side."""
    annotation: Any = model
    owner: type[BaseModel] | None = None
    path: Path = ()
    unions: list[tuple[Path, str, bool, tuple[str, ...]]] = []
    value, on_key = data, False
    for part in loc:
        core, _ = bare(annotation)
        if _is_union(core):
            annotation = _branch(core, str(part))
            unions.append((path, str(part), _fits(_kinds_of(annotation), value), _kinds_of(core)))
            continue
        if part == "[key]":
            on_key, annotation = True, (get_args(core) or (Any,))[0]
            continue
        path, value = (*path, part), _child(value, part)
        if _is_model(core):
            owner = core
            field = fields_of(core).get(str(part))
            annotation = field.rebuild_annotation() if field else Any
        else:
            annotation = _item(core, part)
    return Site(path, annotation, owner, tuple(unions), on_key)


def _item(core: Any, part: str | int) -> Any:
    arguments = [argument for argument in get_args(core) if argument is not Ellipsis]
    if get_origin(core) is tuple and isinstance(part, int) and part < len(arguments):
        return arguments[part]
    return arguments[-1] if arguments else Any


def _child(value: Any, part: str | int) -> Any:
    if isinstance(value, Mapping):
        return value.get(part, _ABSENT)
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return value[part]
    return _ABSENT


def existing(path: Path, data: Any) -> Path:
    """Return the part of ``path`` that is in ``data``: a short form has no keys inside."""
    for number, part in enumerate(path):
        data = _child(data, part)
        if data is _ABSENT:
            return path[:number]
    return path


def value_at(data: Any, path: Path) -> Any:
    """Return the part of ``data`` at ``path``, None where there is none."""
    for part in path:
        data = _child(data, part)
    return None if data is _ABSENT else data
