"""What JSON text may not say though Python would read it: a key twice, NaN and infinities, numbers too large to hold.

The three functions are the hooks of :mod:`json`'s readers (``object_pairs_hook``, ``parse_constant``, ``parse_float``).
"""

from __future__ import annotations

import math
from typing import Any, NoReturn


class NotStrict(ValueError):
    """The text is no JSON that could be written again as it was read; the message says what is wrong."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object.

    Raises:
        NotStrict: it has a key twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for number, key in enumerate(keys) if key in keys[:number])
        raise NotStrict(f"the key {twice[:40]!r} is given twice in one object")
    return found


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and infinities, always with :class:`NotStrict`."""
    raise NotStrict(f"{name} is not JSON; write null, or leave the field out")


def finite(text: str) -> float:
    """Return a number.

    Raises:
        NotStrict: it is too large for a float.
    """
    number = float(text)
    if not math.isfinite(number):
        raise NotStrict(f"the number {text[:40]} is too large to hold")
    return number
