"""Small projects to begin with, copied whole by ``oloproof init``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from oloproof.errors import OloproofError

_NOT_COPIED = ("__pycache__", ".oloproof", "out")


def known_examples() -> list[str]:
    """Return the names of the examples there are."""
    return sorted(entry.name for entry in files(__name__).iterdir() if (entry / "oloproof.yaml").is_file())


def copy_example(name: str, folder: Path) -> list[Path]:
    """Write the example ``name`` into ``folder`` and return the files written, in the order of their paths.

    The folder is made when it is not there. Every file is looked for before the first one is written.

    Raises:
        OloproofError: there is no such example, a file that would be written exists, or writing failed.
    """
    content = dict(_files_in(_example(name)))
    _refuse_to_overwrite(folder, content)
    written = []
    for relative in sorted(content):
        target = folder / relative
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content[relative].read_bytes())
        except OSError as error:
            raise OloproofError(f"cannot write {target}: {error.strerror or error}") from None
        written.append(target)
    return written


def _example(name: str) -> Traversable:
    known = known_examples()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known)}"
        raise OloproofError(f"there is no example {name!r}; {hint}")
    return files(__name__) / name


def _files_in(folder: Traversable, below: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield every file of an example with its path within it."""
    for entry in folder.iterdir():
        if entry.name in _NOT_COPIED:
            continue
        if entry.is_dir():
            yield from _files_in(entry, f"{below}{entry.name}/")
        else:
            yield f"{below}{entry.name}", entry


def _refuse_to_overwrite(folder: Path, content: dict[str, Traversable]) -> None:
    if folder.exists() and not folder.is_dir():
        raise OloproofError(f"{folder} is a file; name a folder")
    existing = [relative for relative in sorted(content) if (folder / relative).exists()]
    if existing:
        more = f" and {len(existing) - 3} more" if len(existing) > 3 else ""
        raise OloproofError(
            f"{', '.join(str(folder / relative) for relative in existing[:3])}{more} would be overwritten; "
            "name another folder, or move what is there"
        )
