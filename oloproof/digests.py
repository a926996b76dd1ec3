"""Canonical JSON and SHA-256: every key, version and identity is made here and nowhere else."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=True
).encode


def canonical_json(value: Any) -> str:
    """Return the one JSON text of ``value``: sorted keys, no spaces, no NaN or infinity.

    Raises ``ValueError`` for a number that JSON cannot hold and ``TypeError`` for a value it cannot.
    """
    return _encode(value)


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of ``value``, as 64 hexadecimal digits."""
    return hashlib.sha256(_encode(value).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def derived_key(base: str, *parts: str) -> bytes:
    """Return the SHA-256 of texts under ``base``, itself a digest: cheap when ``base`` is shared by many.

    Each text stands behind its length, so that no two lists of texts run into one.
    """
    text = "".join([base, *(f"\n{len(part)}:{part}" for part in parts)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
