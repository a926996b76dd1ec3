"""Facts as JSON, the form in which they are kept by SHA-256."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from oloproof.records import Depth, Facts, Finding

_RANKS: dict[Depth, int] = {"header": 0, "probed": 1, "decoded": 2}


def depth_rank(depth: Depth) -> int:
    """Return how deep ``depth`` looks: 0 for the header, 1 probed, 2 decoded to the end."""
    return _RANKS[depth]


def facts_to_json(facts: Facts) -> dict[str, Any]:
    """Return ``facts`` as a JSON object without its empty fields."""
    return {key: value for key, value in to_builtins(facts).items() if value not in (None, (), {})} | {
        "kind": facts.kind,
        "format": facts.format,
        "media_type": facts.media_type,
    }


def facts_from_json(kept: dict[str, Any]) -> Facts:
    """Return the facts that :func:`facts_to_json` wrote."""
    findings = tuple(Finding(**finding) for finding in kept.get("findings", ()))
    return Facts(**{**kept, "findings": findings})
