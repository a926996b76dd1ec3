"""Filters that are chosen from a list, as every page with one shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a filter."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter that is chosen from a list. ``name`` is its part of the address."""

    name: str
    words: str
    options: tuple[Option, ...]
