"""What is left out of records that leave the machine: where its files and folders lie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from oloproof.media.formats import FORMATS

WITHHOLDABLE = frozenset({"paths"})

_INSIDE = re.compile(
    r"""
      file://[^\s"'<>]*/                                        # file:///home/me/a.png
    | (?<![\w.:\\/])[A-Za-z]:[\\/](?:[^\\/\s"'<>|:*?]+[\\/]+)*      # C:\Users\me\a.png
    | (?<![\w.:\\/])\\\\(?:[^\\/\s"'<>|:*?]+[\\/]+)+                # \\server\share\a.png
    | (?<![\w./~<])~[\w-]*/(?:[^/\s"'`<>|:;,()\[\]{}]+/)*       # ~/pictures/a.png
    | (?<![\w./~<])…?/(?:[^/\s"'`<>|:;,()\[\]{}]+/)+            # /home/me/a.png, and what is left below a root
    """,
    re.VERBOSE,
)
"""The folders of an absolute path that stands in a text."""

_BLANK = re.compile(r"\s")

_WHOLE = re.compile(r"(?:/|~[\w-]*/|[A-Za-z]:[\\/]|\\\\)(?:\S*|[^\n]*\.\w{1,5})")
"""A text that is an absolute path and nothing else; one that ends as a file's name may hold spaces."""


class Withholding:
    """Removes what is not to leave the machine from texts and documents; with nothing to withhold it changes nothing.

    ``root`` is the project's folder: its name is taken out even where its path holds spaces.

    Raises:
        ValueError: ``what`` names something that cannot be withheld.
    """

    def __init__(self, what: frozenset[str], root: Path) -> None:
        unknown = sorted(what - WITHHOLDABLE)
        if unknown:
            raise ValueError(f"{', '.join(unknown)} cannot be withheld; known is {', '.join(sorted(WITHHOLDABLE))}")
        self.paths = "paths" in what
        roots = {str(root), str(root.resolve()), str(Path.home())} - {"/"}
        self._roots = [
            (re.compile(re.escape(one) + r"(?:/|(?![\w-]|\.\w))"), "…/" + _last_part(one))
            for one in sorted(roots, key=len, reverse=True)
        ]

    def text(self, text: str) -> str:
        """Return ``text`` with every absolute path cut down to its last part."""
        if not self.paths or not ("/" in text or "\\" in text):
            return text
        if _WHOLE.fullmatch(text) or _names_media(text):
            return "…/" + _last_part(text)
        for root, name in self._roots:
            text = root.sub(lambda found, name=name: "…/" if found[0].endswith("/") else name, text)  # type: ignore[misc]
        return _INSIDE.sub("…/", text)

    def value(self, value: Any) -> Any:
        """Return a JSON value with every text in it treated, keys too."""
        if not self.paths:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        return [self.value(inner) for inner in value] if isinstance(value, list | tuple) else value

    def trial(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a trial's document without the places of its files; their digests, sizes and kinds stay."""
        if not self.paths:
            return dict(document)
        items = document.get("media", ())
        media = [{**self.value(item), "path": None, "name": _last_part(item["name"])} for item in items]
        recorded = {item["path"]: "…/" + _last_part(item["path"]) for item in items if "/" in item["path"]}
        rest = {key: self.value(_replaced(value, recorded)) for key, value in document.items() if key != "media"}
        return {**rest, "media": media}


def _replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """Return a JSON value in which every text that is a key of ``texts`` is what stands there."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, Mapping):
        return {key: _replaced(inner, texts) for key, inner in value.items()}
    return [_replaced(inner, texts) for inner in value] if isinstance(value, list | tuple) else value


def _names_media(text: str) -> bool:
    """Return whether ``text`` is nothing but a relative path of a media file: where it lies in the project."""
    name = _last_part(text)
    suffix = PurePosixPath(name).suffix.lower().lstrip(".")
    return name != text and not _BLANK.search(text) and "://" not in text and suffix in _media_suffixes()


@cache
def _media_suffixes() -> frozenset[str]:
    return frozenset(suffix for format_ in FORMATS.values() if format_.kind for suffix in format_.extensions)


def _last_part(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name
