"""API keys: read from the environment when a call is made, and kept out of every text."""

from __future__ import annotations

import os
import re

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
    """Return ``text`` with the key blotted out that ``variable`` holds now.

    It is found as it is and as JSON, addresses and HTML may write its characters: what is read out of such a text later
    would hold the key again.
    """
    key = os.environ.get(variable, "").strip() if variable else ""
    if len(key) < SHORTEST_SECRET:
        return text
    blotted = text.replace(key, "***")
    may_be_escaped = any(sign in blotted for sign in "\\%&")
    return re.sub("".join(map(_written, key)), "***", blotted) if may_be_escaped else blotted


def _written(character: str) -> str:
    r"""Return a pattern of the ways to write a character, such as ``/``, ``\/``, ``\u002f``, ``%2f`` and ``&#x2f;``."""
    code = ord(character)  # how often a sign may be repeated is bounded, or hostile texts would take hours to search
    escaped = rf"u00(?i:{code:02x})|%(?i:{code:02x})|&#(?i:x0{{0,6}}{code:x})|&#0{{0,6}}{code}"
    return rf"\\{{0,8}}(?:{re.escape(character)}|(?:{escaped});?)"
