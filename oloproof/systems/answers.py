"""From what a system gave to what can be kept: JSON values that last, and files that it may name."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from oloproof import media as media_room
from oloproof.media import media_file
from oloproof.records import Execution, MediaItem
from oloproof.strict_json import finite, no_constant, unique_keys
from oloproof.systems.base import AnswerError, Surroundings, one_line

LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer of a command or service that are read at most."""

_DEEPEST = 100
_ENTRY_KEYS = ("path", "role", "name", "kind")
_HEAD = 4096
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|data:", re.IGNORECASE)
_SAVE_IT = 'save it in a file under "out" and name that file in "media"'


def as_json(value: Any) -> Any:
    """Return ``value`` as what it is once stored: tuples as lists, keys as text.

    Raises:
        AnswerError: it is no JSON value, or two of its keys are one as text; the message names the place or the key.
    """
    try:
        text = json.dumps(value, allow_nan=False)
        kept = json.loads(text)
        if kept != value:  # then keys may have become text, and two of them the same
            json.loads(text, object_pairs_hook=unique_keys)
        return _not_too_deep(kept, text)
    except (TypeError, ValueError, RecursionError) as error:
        raise AnswerError(f"the answer is not a JSON value: {_place_of_fault(value) or error}") from None


def _place_of_fault(value: Any, path: str = "$", depth: int = 0) -> str | None:
    """Return where in ``value`` something is that JSON cannot hold."""
    if depth > _DEEPEST:
        return f"{path[:40]}… is nested too deep or contains itself"
    if isinstance(value, dict):
        odd = next((key for key in value if not (key is None or isinstance(key, (str, int, float)))), None)
        if odd is not None:
            return f"{path} has a key that is {_type_of(odd)}"
        children: Iterable[tuple[str, Any]] = ((f"{path}.{key}", child) for key, child in value.items())
    elif isinstance(value, (list, tuple)):
        children = ((f"{path}[{number}]", child) for number, child in enumerate(value))
    elif value is None or isinstance(value, (str, bool, int)):
        return None
    elif isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {float(value)}, not a finite number"
    else:
        return f"{path} is {_type_of(value)}; give text, numbers, lists and dicts"
    return next((fault for name, child in children if (fault := _place_of_fault(child, name, depth + 1))), None)


def _type_of(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def parse_json(data: bytes) -> Any:
    """Return the JSON value that ``data`` holds in UTF-8: finite numbers, no key twice, no deeper than will last.

    Raises:
        ValueError: it is something else.
    """
    text = data.decode("utf-8-sig")
    try:
        return _not_too_deep(
            json.loads(text, parse_constant=no_constant, parse_float=finite, object_pairs_hook=unique_keys), text
        )
    except RecursionError:
        raise ValueError("nested too deep") from None


def _not_too_deep(value: Any, text: str) -> Any:
    """Return ``value``, written as ``text``, unless it is so deep that writing it again may fail elsewhere."""
    if text.count("[") + text.count("{") > _DEEPEST:
        level = [value]
        for _ in range(_DEEPEST):
            level = [child for one in level if isinstance(one, (dict, list)) for child in _children(one)]
            if not level:
                return value
        raise ValueError("nested too deep")
    return value


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def shown(data: bytes) -> str:
    """Return the beginning of what was found instead of JSON, for a message."""
    return repr(one_line(data[:2_000].decode(errors="replace"), 200)) if data.strip() else "nothing"


def medium_words(data: bytes) -> str:
    """Return what is to be done with an answer that is itself a picture, a sound or a clip; nothing of other bytes."""
    found = media_room.sniff(data[:_HEAD])
    return "" if found.kind is None else f"{found.media_type} of {len(data):,} bytes; {_SAVE_IT}"


def fault_words(error: ValueError) -> str:
    """Return `` (why)`` of an error of :func:`parse_json` about text that looks like JSON, nothing of other text."""
    return "" if isinstance(error, json.JSONDecodeError) else f" ({error})"


def answered(answer: Any, surroundings: Surroundings, seconds: float) -> Execution:
    """Return the execution of a command's or service's ``answer``: an object with output, media and error.

    An ``error`` of null, false or empty text is none.

    Raises:
        AnswerError: it has another shape, or names a file outside the project.
        MediaError: a file that it names cannot be recorded.
    """
    if not isinstance(answer, dict):
        raise AnswerError(f'expected a JSON object with "output", found {shown(json.dumps(answer).encode())}')
    error = answer.get("error")
    if error not in (None, False, ""):
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        raise AnswerError(text.strip().partition("\n")[0] or "an empty error", detail=text if "\n" in text else None)
    if "output" not in answer:
        keys = ", ".join(sorted(answer)[:10]) or "no keys"
        raise AnswerError(
            f'the answer has neither "output" nor "error"; it has {keys}; write {{"output": …}} around what it returns'
        )
    media = answer.get("media")
    if not isinstance(media, (list, type(None))):
        raise AnswerError(f'"media" is a list of objects with "path", not {shown(json.dumps(media).encode())}')
    return Execution(
        output=answer["output"],
        media=tuple(_item_of(entry, surroundings) for entry in media or ()),
        seconds=seconds,
    )


def _item_of(entry: Any, surroundings: Surroundings) -> MediaItem:
    if isinstance(entry, str):
        entry = {"path": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str) or not entry["path"]:
        found = shown(json.dumps(entry).encode())
        raise AnswerError(f'each entry of "media" is an object with "path", not {found}')
    unknown = sorted(set(entry) - set(_ENTRY_KEYS))
    if unknown:
        raise AnswerError(f'unknown key {unknown[0]!r} in an entry of "media"; accepted: {", ".join(_ENTRY_KEYS)}')
    name, role = entry.get("name"), entry.get("role")
    if not isinstance(name, (str, type(None))):
        raise AnswerError(f'the "name" of an entry of "media" is text, not {json.dumps(name)}')
    item = media_file(
        confined(entry["path"], surroundings),
        role="output" if role is None else role,
        kind=entry.get("kind"),
        name=name,
    )
    return replace(item, given=entry["path"])


def confined(given: str, surroundings: Surroundings) -> Path:
    """Return the real path of a file that came from outside, which must lie under the project or a media root.

    Raises:
        AnswerError: it lies elsewhere, also by way of ``..`` or a symlink, or is no path at all.
    """
    if _ADDRESS.match(given):
        cure = "give the path alone" if given.lower().startswith("file:") else _SAVE_IT
        raise AnswerError(f"{one_line(given, 100)} is an address, which is not fetched, and no path: {cure}")
    try:
        real = Path(os.path.realpath(surroundings.root / given))
    except (OSError, ValueError) as error:
        raise AnswerError(f"{given!r} in the answer is no path: {error}") from None
    allowed = [os.path.realpath(folder) for folder in (surroundings.root, *surroundings.media_roots)]
    if not any(real.is_relative_to(folder) for folder in allowed):
        raise AnswerError(
            f"{given} lies outside the project; files named by a command or service must lie under "
            f"{' or '.join(allowed)} (media_roots: adds folders)"
        )
    return real
