"""API keys: read from the environment when a call is made, and kept out of every text."""

from __future__ import annotations

import os

from oloproof.errors import ProviderRefused

SHORTEST_SECRET = 6
"""A key of fewer characters is a placeholder such as ``x``: to blot it out everywhere would spoil the texts."""


def read_key(variable: str) -> str:
    """Return the API key that the environment ``variable`` holds.

    Raises:
        ProviderRefused: it is not set, or cannot be sent in a header; the text names the variable, never its value.
    """
    fault = _fault_of(os.environ.get(variable, "").strip())
    if fault:
        raise ProviderRefused(f"the environment variable {variable} {fault}")
    return os.environ[variable].strip()


def _fault_of(value: str) -> str:
    """Return what is wrong with a key; apart, so that no traceback with variables in it holds the key."""
    if not value:
        return "is not set; set it before the run"
    if not (value.isascii() and value.isprintable()):
        return "holds characters that no header can; use printable ASCII in one line"
    return ""


def without_key(text: str, variable: str | None) -> str:
    """Return ``text`` with the key blotted out that ``variable`` holds now."""
    key = os.environ.get(variable, "").strip() if variable else ""
    return text.replace(key, "***") if len(key) >= SHORTEST_SECRET else text
