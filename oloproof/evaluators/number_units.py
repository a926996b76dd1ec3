"""The units that stand beside numbers: which spellings mean the same, and whether a number carries one."""

from __future__ import annotations

from oloproof.evaluators.number_rules import Candidate

_SAME = (
    ("%", "٪", "％", "percent", "per cent", "pct"),
    ("EUR", "€"),
    ("USD", "$", "US$"),
    ("GBP", "£"),
    ("JPY", "¥"),
    ("INR", "₹", "Rs", "Rs."),
    ("KRW", "₩"),
    ("°C", "℃"),
    ("°F", "℉"),
)
_CANONICAL = {spelling: group[0] for group in _SAME for spelling in group}
_GOES_ON = "/²³^·"


def canonical(unit: str) -> str:
    """Return the one spelling of ``unit``: ``%`` for percent, ``EUR`` for €."""
    return _CANONICAL.get(unit, unit)


def carries(candidate: Candidate, unit: str) -> bool:
    """Return whether ``unit`` stands right before the number (a currency) or right after it, in any spelling."""
    wanted = canonical(unit)
    if candidate.currency and canonical(candidate.currency) == wanted:
        return True
    spellings = [spelling for spelling, same in _CANONICAL.items() if same == wanted] or [unit]
    return any(_begins_with(candidate.after.lstrip(), spelling) for spelling in spellings)


def is_percent(candidate: Candidate) -> bool:
    """Return whether the number is a percentage."""
    return carries(candidate, "%")


def _begins_with(text: str, unit: str) -> bool:
    start, rest = text[: len(unit)], text[len(unit) :]
    if start != unit and not (len(unit) > 2 and start.casefold() == unit.casefold()):
        return False
    if not unit[-1].isalnum():
        return True
    if len(unit) > 2 and rest[:1] == "s":
        rest = rest[1:]
    return not rest[:1].isalnum() and rest[:1] not in tuple(_GOES_ON)
