"""The identity of a trial: what must be equal for an earlier answer to be the answer now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oloproof.digests import canonical_json, derived_key
from oloproof.media.recording import stored_path
from oloproof.records import Case, Trial, copy_of


def portable_input(case: Case, root: Path) -> Any:
    """Return the input of ``case`` with the project's files relative to it, so that a moved project is the same."""
    if not case.files:
        return case.input
    portable = copy_of(case.input)
    for field, path in case.files.items():
        _replace(portable, field.split("."), path, stored_path(root, path))
    return portable


def given_input(stored: Any, files: Mapping[str, str], root: Path) -> Any:
    """Return a stored input as its system was given it: with the absolute paths of the project's ``files`` it names."""
    given = copy_of(stored) if files else stored
    for field, path in files.items():
        _replace(given, field.split("."), stored_path(root, path), path)
    return given


def _replace(value: Any, parts: list[str], found: str, wanted: str) -> None:
    """Put ``wanted`` where ``value`` has the path ``found`` at a dotted place."""
    for part in parts[:-1]:
        value = _child(value, part)
        if value is None:
            return
    last = parts[-1]
    if _child(value, last) == found:
        if isinstance(value, dict):
            value[last] = wanted
        else:
            value[int(last)] = wanted


def _child(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    return None


def execution_key(
    system_digest: str, trial: Trial, given: str, files: Mapping[str, str], *, by_id: bool = False
) -> bytes:
    """Return the key under which the answer to ``trial`` is kept.

    It covers the system with its code (``system_digest``), the portable input as canonical JSON, the SHA-256 of each
    file that the input names, the variant and the repeat; the id of the case only with ``by_id``.
    """
    texts = given, canonical_json(files) if files else "{}", trial.variant, str(trial.repeat)
    return derived_key(system_digest, *texts, *((trial.case.id,) if by_id else ()))
