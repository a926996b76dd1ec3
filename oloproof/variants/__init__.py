"""Families: what is derived from a case, made on demand, and proven to be what it claims.

A case's family is the case itself, ``original``, and its variants: deliveries of one of its files in other forms, and
conditions under which it is asked again. What makes them is loaded when there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.variants.families import Families, FamilyLook
    from oloproof.variants.members import Member, Members
    from oloproof.variants.workshop import VariantWorkshop, Variation

__all__ = ["Families", "FamilyLook", "Member", "Members", "VariantWorkshop", "Variation"]

_HOMES = {
    "families": ("Families", "FamilyLook"),
    "members": ("Member", "Members"),
    "workshop": ("VariantWorkshop", "Variation"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
