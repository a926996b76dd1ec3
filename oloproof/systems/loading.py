"""From the ``system:`` of a project file to something that can be called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oloproof.config import Project
from oloproof.config.models import SYSTEM_KINDS
from oloproof.config.sources import digest_of_files, load_with_sources
from oloproof.errors import SystemError_
from oloproof.systems.base import System
from oloproof.systems.callables import CallableSystem
from oloproof.systems.decorator import Named, agreed


def load_system(project: Project) -> System:
    """Return the system that ``project`` names, with an identity over its code.

    Raises:
        SystemError_: it cannot be found, or project file and ``@system`` disagree.
    """
    options = project.options.system
    if options.callable is not None:
        function, sources = load_with_sources(project.root, options.callable, SystemError_)
        if not callable(function):
            raise SystemError_(f"system.callable: {options.callable} is a {type(function).__name__}, not a callable")
        if isinstance(function, type):
            raise SystemError_(
                f"system.callable: {options.callable} is a class; make an instance in the module and name that"
            )
        named = agreed(options, function, options.callable)
        return CallableSystem(function, named, _identity(project, "callable", named, sources), options.timeout)
    if options.command is not None:
        from oloproof.systems.commands import CommandSystem  # the other kinds are loaded only when used

        named = agreed(options, None, options.command.run[0])
        files = [project.root / word for word in options.command.run if os.path.isfile(project.root / word)]
        return CommandSystem(options.command, named, _identity(project, "command", named, files), options.timeout)
    if options.http is not None:
        from oloproof.systems.http import HttpSystem

        named = agreed(options, None, options.http.url)
        return HttpSystem(options.http, named, _identity(project, "http", named, ()), options.timeout)
    if options.replay is not None:
        from oloproof.systems.replays import MARK, ReplaySystem, read_responses

        answers = read_responses(project.root / options.replay.path, options.replay.path)
        given = agreed(options, None, options.replay.path)
        named = Named(f"{given.name}{MARK}", given.version, given.records)
        identity = _identity(project, "replay", named, [project.root / options.replay.path])
        return ReplaySystem(options.replay, named, identity, answers)
    raise SystemError_("system: gives none of callable, command, http and replay")


def _identity(project: Project, kind: str, named: Named, code: Iterable[Path]) -> dict[str, Any]:
    """Return what makes the system's answers what they are: not how long, how many at once or with which keys."""
    options = project.options.system
    declared = options.model_dump(mode="json", include={*SYSTEM_KINDS, "parameters"})
    if options.http is not None:
        declared["http"] = {"url": options.http.url}
    return {
        "name": named.name,
        "version": named.version,
        "kind": kind,
        "records": list(named.records),
        "parameters": declared,
        "code": digest_of_files(
            project.root, [*code, *_files_under(project.code_paths, project.outputs)], SystemError_
        ),
    }


def _files_under(paths: Iterable[Path], outputs: Path) -> list[Path]:
    """Return the files of ``code_paths``, without what runs write and without hidden folders."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if _is_code(file, path, outputs))
        elif path.is_file():
            found.append(path)
        else:
            raise SystemError_(f"system.code_paths: there is no {path}")
    return found


def _is_code(file: Path, folder: Path, outputs: Path) -> bool:
    within = file.relative_to(folder).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in within)
    return not hidden and file.is_file() and not (file.is_relative_to(outputs) and folder != outputs)
