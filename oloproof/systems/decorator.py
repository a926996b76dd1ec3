"""``@system``: what a callable says of itself, and how that agrees with the project file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from oloproof.config.models import SystemOptions
from oloproof.errors import SystemError_

MARK = "__oloproof_system__"
Function = TypeVar("Function", bound=Callable[..., Any])


class Declaration(Struct, frozen=True):
    """The name, version and record kinds that a callable declares; None where it is silent."""

    name: str | None
    version: str | None
    records: tuple[str, ...] | None


def system(
    name: str | None = None, *, version: str | None = None, records: Sequence[str] | None = None
) -> Callable[[Function], Function]:
    """Mark a callable as a system under evaluation; it stays the function it was.

    Args:
        name: how the system is called in runs and reports.
        version: raise it when you want answers asked anew; a change of the project's own modules does so by itself.
        records: the kinds of artifact it records, ``("media/v1",)`` or nothing.

    The function is called with the case's ``input`` and returns a JSON value; it may be ``async``.
    """
    if callable(name):
        raise SystemError_('@system takes its name in brackets: @system(name="captioner", version="v1")')
    for key, value in (("name", name), ("version", version)):
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise SystemError_(f"@system: {key} is text such as {key}='v1', not {value!r}")
    if isinstance(records, str):
        raise SystemError_(f'records is a list of kinds: records=("{records}",)')
    unknown = [kind for kind in records or () if kind != "media/v1"]
    if unknown:
        raise SystemError_(f"@system: unknown record kind {unknown[0]!r}; the one there is: 'media/v1'")
    declaration = Declaration(name, version, None if records is None else tuple(records))

    def mark(function: Function) -> Function:
        try:
            setattr(function, MARK, declaration)
        except AttributeError:
            raise SystemError_(
                f"@system cannot mark a {type(function).__name__}; mark a function, or an instance of a class of yours"
            ) from None
        return function

    return mark


class Named(Struct, frozen=True):
    """Name, version and record kinds on which the callable and the project file agree."""

    name: str
    version: str
    records: tuple[str, ...]


def agreed(options: SystemOptions, target: Any, fallback: str) -> Named:
    """Return what callable and project file say together; each may leave out what the other gives.

    Raises:
        SystemError_: they say different things; the text names every disagreement.
    """
    declared = getattr(target, MARK, None) or Declaration(None, None, None)
    records = None if options.records is None else tuple(options.records)
    pairs = (
        ("name", options.name, declared.name),
        ("version", options.version, declared.version),
        ("records", records, declared.records),
    )
    differing = [
        f"system.{key} is {in_file!r} in the project file and {in_code!r} in @system"
        for key, in_file, in_code in pairs
        if in_file is not None and in_code is not None and in_file != in_code
    ]
    if differing:
        raise SystemError_("; ".join(differing) + ": leave one of them out or make them equal")
    return Named(
        options.name or declared.name or fallback,
        options.version or declared.version or "0",
        records or declared.records or (),
    )
