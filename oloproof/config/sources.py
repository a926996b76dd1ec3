"""Which files of the project a callable is made of, so that a change of any of them asks it anew.

The imports that the sources state are followed, whether they were executed yet or not; so the answer does not depend
on what else is loaded in this process. Modules that are found in other ways (by name, from a folder) count when
importing the callable's module brought them in.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from oloproof.config.importing import is_own, load_object
from oloproof.digests import digest_of
from oloproof.errors import ConfigError, OloproofError

_brought: dict[tuple[Path, str], frozenset[Path]] = {}
"""Per project and callable, the files that importing it brought in the first time in this process."""


def load_with_sources(root: Path, spec: str, error: type[OloproofError] = ConfigError) -> tuple[Any, list[Path]]:
    """Return the object that ``spec`` (``module:attribute``) names, and the project's files it is made of.

    Raises:
        OloproofError: it cannot be loaded; of the class ``error``.
    """
    before = dict(sys.modules)
    value = load_object(root, spec, error)
    added = [_own_file(module, root) for name, module in sys.modules.items() if module is not before.get(name)]
    brought = _brought.setdefault((root, spec), frozenset(file for file in added if file is not None))
    module, _, _ = spec.partition(":")
    stated = set(_closure(root, [module, *_modules_of(value)]))
    return value, sorted(stated | {file for file in brought if file.is_file()})


def digest_of_files(root: Path, files: Iterable[Path], error: type[OloproofError] = ConfigError) -> str:
    """Return one digest over the contents of ``files`` and their names, which are relative to the project.

    Raises:
        OloproofError: one cannot be read; of the class ``error``.
    """
    entries = {}
    for path in files:
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        try:
            entries[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as failure:
            raise error(f"{path} is part of the code and cannot be read: {failure.strerror}") from None
    return digest_of(entries)


def _modules_of(value: Any) -> Iterator[str]:
    """Yield the names of the modules in which ``value``, what it wraps and its class are defined."""
    for one in (value, inspect.unwrap(value) if callable(value) else value, type(value)):
        name = getattr(one, "__module__", None)
        if isinstance(name, str):
            yield name


def _closure(root: Path, names: list[str]) -> Iterator[Path]:
    """Yield the files of the modules ``names`` and of every module of the project that they import."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if not name or name in seen:
            continue
        seen.add(name)
        path = _find(root, name)
        if path is None:
            continue
        yield path
        waiting += _parents(name)
        waiting += _imported(path, name if path.name == "__init__.py" else name.rpartition(".")[0])


def _find(root: Path, name: str) -> Path | None:
    """Return the file of a module of the project, loaded or not."""
    loaded = _own_file(sys.modules.get(name), root)
    if loaded is not None:
        return loaded
    places = [root, *(Path(place) for place in sys.path if place and Path(place).is_relative_to(root))]
    for place in places:
        stem = place.joinpath(*name.split("."))
        for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if path.is_file() and is_own(path.resolve(), root):
                return path.resolve()
    return None


def _own_file(module: Any, root: Path) -> Path | None:
    file = getattr(module, "__file__", None)
    path = Path(file).resolve() if isinstance(file, str) else None
    return path if path is not None and path.is_file() and is_own(path, root) else None


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _imported(path: Path, package: str) -> Iterator[str]:
    """Yield the names of the modules that the source at ``path`` may import, anywhere in it."""
    if path.suffix != ".py":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the sources were said when they were imported
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module, node.level, package)
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _absolute(module: str | None, level: int, package: str) -> str:
    """Return the full name of what ``from .module import`` means inside ``package``."""
    if level == 0:
        return module or ""
    parts = package.split(".") if package else []
    return ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])
