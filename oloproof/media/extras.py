"""How to get the libraries that looking into pictures needs."""

from __future__ import annotations

import importlib.util
from functools import lru_cache

from oloproof.errors import ToolMissing

INSTALL = "install Oloproof with its media extra (in its checkout: pip install '.[media]')"
"""Never by the bare name, which on the public registry is another package."""


def need_pillow(purpose: str) -> None:
    """Raise ``ToolMissing`` with the ``purpose`` where Pillow is not installed."""
    if not _has_pillow():
        raise ToolMissing(f"{purpose} needs Pillow; {INSTALL}")


@lru_cache(maxsize=1)
def _has_pillow() -> bool:
    return importlib.util.find_spec("PIL") is not None
