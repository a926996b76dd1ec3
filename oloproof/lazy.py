"""Names that a package offers and loads when they are first used (PEP 562), so that importing it costs nothing.

What a package offers stands once, in the stub beside its ``__init__.py`` (``__init__.pyi``), where type checkers look
for it too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^from \.([\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def offered_names(package: str, init_file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package, as the stub beside ``init_file`` has them.

    A line of the stub reads ``from .module import name as name``, with parentheses when it is long; whatever else it
    says is for type checkers alone. ``__getattr__`` raises ``AttributeError`` for a name that the stub does not import.
    """
    home_of = dict(_imports(Path(init_file).with_suffix(".pyi").read_text(encoding="utf-8")))

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(home_of), sorted(home_of)


def _imports(stub: str) -> list[tuple[str, str]]:
    """Return each name that a stub imports, with the module that holds it."""
    return [
        (entry.partition(" as ")[0].strip(), module)
        for module, long, short in _IMPORT.findall(stub)
        for entry in (long or short).split(",")
        if entry.strip()
    ]
