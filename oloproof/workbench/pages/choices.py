"""Filters that are chosen from a list, as every page with one shows them."""

from __future__ import annotations

from msgspec import Struct


class Option(Struct, frozen=True):
    """One choice of a filter."""

    value: str
    words: str
    chosen: bool


class Choice(Struct, frozen=True):
    """A filter that is chosen from a list. ``name`` is its part of the address."""

    name: str
    words: str
    options: tuple[Option, ...]
