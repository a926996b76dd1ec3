"""Finding a Python object that a project file names as ``module:attribute``.

The project's own modules come first: a ``checks.py`` beside ``oloproof.yaml`` is the one that ``checks:sharp`` means,
also where an installed package, or another project in this process, has a module of that name.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from oloproof.config.fresh_code import forget_finders, import_freshly
from oloproof.errors import ConfigError, OloproofError

_lock = threading.RLock()
_loaded: dict[tuple[Path, str], ModuleType] = {}
_PACKAGE = Path(__file__).resolve().parent.parent
_owners: dict[str, Path] = {}
_others: dict[Path, frozenset[str]] = {}
"""Per project, the modules that were loaded before its first one: they are not its code, wherever they lie."""

_states: dict[str, tuple[Path, int, int]] = {}
"""Of each module of a project: its file, and the file's time of change and size when it was loaded."""


def load_object(root: Path, spec: str, error: type[OloproofError] = ConfigError) -> Any:
    """Return what ``spec`` (``module:attribute``) names, importing the module once per project.

    Args:
        root: the folder of the project file; its modules win over installed ones.
        spec: dotted module, a colon, dotted attribute: ``checks:sharp``, ``shop.models:Reader.read``.
        error: the error that is raised.

    Raises:
        OloproofError: of the type ``error``: there is no such module or attribute, or importing it failed, with
            the place in the user's own file.
    """
    module_name, colon, attribute = spec.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module_name.split("."), *attribute.split("."))):
        raise error(f"{spec!r} does not name an object; write module:attribute, as in checks:not_blurred")
    value: Any = load_module(root, module_name, error)
    for part in attribute.split("."):
        if not hasattr(value, part):
            hint = _nearest(part, [name for name in dir(value) if not name.startswith("_")])
            raise error(f"{spec}: {getattr(value, '__name__', type(value).__name__)} has no {part}{hint}")
        value = getattr(value, part)
    return value


def load_module(root: Path, name: str, error: type[OloproofError] = ConfigError) -> ModuleType:
    """Return the module ``name`` of the project at ``root``, or an installed one; imported once per project.

    When a file of the project changed since it was loaded, all of its modules are loaded anew: what answers is what
    stands in the files, whose digests are part of the key of every answer.

    Raises:
        OloproofError: of the type ``error``, as :func:`load_object`.
    """
    root = root.resolve()
    with _lock:
        if root not in _others:
            _others[root] = frozenset(name for name, _ in _under(root))
            _import_freshly_from(root)
        remember_loaded(root)
        _forget_changed(root)
        if (root, name) not in _loaded:
            _make_first(root)
            _loaded[root, name] = _import(root, name, error)
            remember_loaded(root)
        return _loaded[root, name]


def _import_freshly_from(root: Path) -> None:
    if len(_others) == 1:
        import_freshly(_holds_own_code)
    forget_finders(str(root))


def _holds_own_code(folder: str) -> bool:
    path = Path(folder).resolve()
    return any(is_own(path, root) for root in (path, *path.parents) if root in _others)


def remember_loaded(root: Path) -> None:
    """Note the state of the project's files behind modules that were loaded since, such as inside of a function.

    Called when a run is over, before anybody changes a file.
    """
    others = _others.get(root, frozenset())
    with _lock:
        for name, module in _under(root):
            path = None if name in _states or name in others else _file_of(module)
            if path is not None and is_own(path, root) and (state := _state_of(path)) is not None:
                _states[name] = (path, *state)


def _under(root: Path) -> list[tuple[str, ModuleType]]:
    """Return the loaded modules whose files lie under ``root``."""
    start = f"{root}{os.sep}"
    return [
        (name, one) for name, one in list(sys.modules.items()) if str(getattr(one, "__file__", "")).startswith(start)
    ]


def _state_of(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _forget_changed(root: Path) -> None:
    """Forget every module of the project when the file of one is not what it was when it was loaded."""
    own = {name: state for name, state in _states.items() if state[0].is_relative_to(root)}
    if all(_state_of(path) == (changed, size) for path, changed, size in own.values()):
        return
    for name in own:
        sys.modules.pop(name, None)
        _owners.pop(name, None)
        del _states[name]
    for key in [key for key in _loaded if key[0] == root]:
        del _loaded[key]
    importlib.invalidate_caches()


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) and file.endswith(".py") else None


def is_own(path: Path, root: Path) -> bool:
    """Return whether ``path`` is code of the project itself, not of an environment inside its folder."""
    if not path.is_relative_to(root) or path.is_relative_to(_PACKAGE):
        return False
    return not any(part.startswith(".") or part.endswith("-packages") for part in path.relative_to(root).parts)


def _make_first(root: Path) -> None:
    """Put ``root`` first on the path of modules, and forget the modules that another project brought in."""
    folder = str(root)
    if sys.path[:1] != [folder]:
        if folder in sys.path:
            sys.path.remove(folder)
        sys.path.insert(0, folder)
    for name in [name for name, owner in _owners.items() if owner != root]:
        sys.modules.pop(name, None)
        _states.pop(name, None)
        del _owners[name]
    importlib.invalidate_caches()


def _import(root: Path, name: str, error: type[OloproofError]) -> ModuleType:
    top = name.partition(".")[0]
    in_the_way = _set_aside(root, top)
    before = set(sys.modules)
    done = False
    try:
        module = importlib.import_module(name)
        done = True
        return module
    except SyntaxError as problem:
        place = _short(root, problem.filename or name)
        raise error(f"{place}:{problem.lineno}: {problem.msg}") from None
    except ModuleNotFoundError as problem:
        if problem.name is not None and (name == problem.name or name.startswith(f"{problem.name}.")):
            hint = _stands_before(root, name.partition(".")[0]) or _nearest(name, _modules_in(root))
            raise error(f"there is no module {name} in {root} and none is installed{hint}") from None
        raise error(_told(root, name, problem)) from problem
    except (Exception, SystemExit) as problem:
        raise error(_told(root, name, problem)) from problem
    finally:
        for added in set(sys.modules) - before:
            path = _file_of(sys.modules[added])
            if path is not None and is_own(path, root):
                if done:
                    _owners[added] = root
                else:
                    del sys.modules[added]
        if in_the_way:
            _restore(top, in_the_way, forget_ours=top in sys.stdlib_module_names or not done)


def _set_aside(root: Path, top: str) -> dict[str, ModuleType]:
    """Take a module from elsewhere out of the way of the project's own module ``top``."""
    if not (root / f"{top}.py").is_file() and not (root / top).is_dir():
        return {}
    known = sys.modules.get(top)
    if known is None or _lies_under(known, root):
        return {}
    if not (root / f"{top}.py").is_file() and not (root / top / "__init__.py").is_file():
        return {}  # a folder without code of its own, such as data/, takes no name away
    aside = {key: module for key, module in sys.modules.items() if key == top or key.startswith(f"{top}.")}
    for key in aside:
        del sys.modules[key]
    return aside


def _restore(top: str, aside: dict[str, ModuleType], *, forget_ours: bool) -> None:
    """Give a standard module its name back: other libraries rely on it. The project's stays loaded without one."""
    if forget_ours:
        for key in [key for key in sys.modules if key == top or key.startswith(f"{top}.")]:
            del sys.modules[key]
        sys.modules.update(aside)


def _lies_under(module: ModuleType, root: Path) -> bool:
    path = _file_of(module)
    if path is not None:
        return is_own(path, root)
    return any(Path(place).resolve().is_relative_to(root) for place in getattr(module, "__path__", ()))


def _modules_in(root: Path) -> list[str]:
    files = [path.stem for path in root.glob("*.py")]
    return files + [path.parent.name for path in root.glob("*/__init__.py")]


def _stands_before(root: Path, top: str) -> str:
    """Return what to do where a module from elsewhere hides the project's folder, which Python lets it do."""
    known = sys.modules.get(top)
    if known is None or not (root / top).is_dir() or _lies_under(known, root):
        return ""
    place = getattr(known, "__file__", None) or "Python itself"
    return f"; {top} is found in {place} before the folder {top}: put an empty __init__.py in the folder"


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there is {', '.join(sorted(known)[:12])}" if known else ""


def _told(root: Path, name: str, problem: BaseException) -> str:
    """Tell an error while importing with the lines of the user's own files that led to it."""
    own = [
        f"\n  {_short(root, frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"
        for frame in traceback.extract_tb(problem.__traceback__)
        if Path(frame.filename).is_relative_to(root)
    ]
    kind = "" if isinstance(problem, OloproofError) else f"{type(problem).__name__}: "
    return f"importing {name} failed: {kind}{problem}{''.join(own[-8:])}"


def _short(root: Path, file: str) -> str:
    path = Path(file)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file
