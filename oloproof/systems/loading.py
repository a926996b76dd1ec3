"""From the ``system:`` of a project file to something that can be called."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oloproof.config import Project
from oloproof.config.importing import load_object
from oloproof.digests import digest_of
from oloproof.errors import SystemError_
from oloproof.media.digesting import sha256_of
from oloproof.systems.base import System
from oloproof.systems.callables import CallableSystem
from oloproof.systems.decorator import agreed


def load_system(project: Project) -> System:
    """Return the system that ``project`` names, with an identity over its code.

    Raises:
        SystemError_: it cannot be found, or project file and ``@system`` disagree.
    """
    options = project.options.system
    if options.callable is not None:
        function = load_object(project.root, options.callable)
        if not callable(function):
            raise SystemError_(f"system.callable: {options.callable} is a {type(function).__name__}, not a callable")
        if isinstance(function, type):
            raise SystemError_(
                f"system.callable: {options.callable} is a class; make an instance in the module and name that"
            )
        named = agreed(options, function, options.callable)
        return CallableSystem(
            function, named, _identity(project, named, _loaded_modules(project.root)), options.timeout
        )
    if options.command is not None:
        from oloproof.systems.commands import CommandSystem  # the other kinds are loaded only when used

        named = agreed(options, None, options.command.run[0])
        files = [path for word in options.command.run if (path := project.root / word).is_file()]
        return CommandSystem(options.command, named, _identity(project, named, files), options.timeout)
    if options.http is not None:
        from oloproof.systems.http import HttpSystem

        named = agreed(options, None, options.http.url)
        return HttpSystem(options.http, named, _identity(project, named, ()), options.timeout)
    raise SystemError_("system: gives none of callable, command and http")


def _identity(project: Project, named: Any, code: Iterable[Path]) -> dict[str, Any]:
    options = project.options.system
    declared = options.model_dump(mode="json", include={"callable", "command", "http", "parameters"})
    if options.http is not None:  # how it is asked, not what is asked
        declared["http"] = {"url": options.http.url}
    return {
        "name": named.name,
        "version": named.version,
        "kind": next(key for key in ("callable", "command", "http") if declared.get(key) is not None),
        "parameters": declared,
        "code": _digests(project.root, [*code, *_files_under(project.code_paths)]),
    }


def _loaded_modules(root: Path) -> list[Path]:
    """Return the source files of the project's own modules that are loaded now."""
    found = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and Path(file).is_relative_to(root):
            path = Path(file)
            if not any(part.startswith(".") or part == "site-packages" for part in path.relative_to(root).parts):
                found.append(path)
    return found


def _files_under(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        elif path.is_file():
            found.append(path)
        else:
            raise SystemError_(f"system.code_paths: there is no {path}")
    return found


def _digests(root: Path, files: Iterable[Path]) -> str:
    entries = {}
    for path in files:
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        with path.open("rb") as file:
            entries[name] = sha256_of(file)
    return digest_of(entries)
