"""Asking a target: once for each question, with what went wrong as a record and no secret in it."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

OnError = Literal["record", "raise"]
Target = Callable[[Any, str], Any]

_SECRET = re.compile(
    r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]+|\b(?:sk|pk|rk|key|xox[bp])-[\w-]{3,}|\bgh[opsu]_\w{3,}"
    r"|(?<![a-z])(api[-_ ]?key|token|secret|password|authorization)([\"']?\s*[=:]\s*[\"']?)(?!bearer|basic)[^\s\"']+"
)
_HIDDEN = "[hidden]"


class Answer(Struct, frozen=True):
    """What a target gave: a text, or an error in words. Neither means that it was no text."""

    text: str | None
    error: str | None = None


class Asker:
    """Asks one target. With ``cache`` a question that was answered is not asked again, whichever sample it is of."""

    def __init__(self, target: Any, *, on_error: OnError, cache: bool, concurrency: int = 1) -> None:
        if not callable(target):
            raise TypeError("target must be callable: target(image, prompt) returns a text")
        if on_error not in ("record", "raise"):
            raise ValueError(f"on_error must be 'record' or 'raise', not {on_error!r}")
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            raise ValueError("concurrency must be a whole number of 1 or more")
        self._target: Target = target
        self._raises = on_error == "raise"
        self._cache = cache
        self._concurrency = concurrency

    def ask(self, questions: list[tuple[Any, str]]) -> list[Answer]:
        """Return the answers to (image, prompt) pairs, in their order."""
        keys = [_key(image, prompt) if self._cache else number for number, (image, prompt) in enumerate(questions)]
        first: dict[Any, int] = {}
        for number, key in enumerate(keys):
            first.setdefault(key, number)
        wanted = [questions[number] for number in first.values()]
        if self._concurrency == 1:
            given = [self._once(*question) for question in wanted]
        else:
            with ThreadPoolExecutor(self._concurrency) as pool:
                given = list(pool.map(lambda question: self._once(*question), wanted))
        answers = dict(zip(first, given, strict=True))
        return [answers[key] for key in keys]

    def _once(self, image: Any, prompt: str) -> Answer:
        try:
            value = self._target(image, prompt)
            if inspect.isawaitable(value):
                value = _result_of(value)
            if not isinstance(value, str):
                raise TypeError(f"target must return text, and returned {type(value).__name__}")
        except (Exception, SystemExit) as error:
            if self._raises:
                raise
            return Answer(None, _told(error))
        return Answer(value)


def _result_of(value: Any) -> Any:
    """Return what an awaitable comes to, in a thread of its own where this one has a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(value))
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, _awaited(value)).result()


async def _awaited(value: Any) -> Any:
    return await value


def _told(error: BaseException) -> str:
    """Return the kind and the text of an error, without what looks like a key."""
    text = _SECRET.sub(lambda found: f"{found[1]}{found[2]}{_HIDDEN}" if found[1] else _HIDDEN, str(error))
    return f"{type(error).__name__}: {text[:500]}" if text else type(error).__name__


def _key(image: Any, prompt: str) -> tuple[Any, str]:
    """Return what makes a question the same: the words and the picture, by its content where that is at hand."""
    if isinstance(image, bytes | bytearray):
        return ("bytes", hashlib.sha256(image).digest()), prompt
    if image is None or isinstance(image, str | int | float | Path):
        return (type(image).__name__, image), prompt
    return ("object", id(image)), prompt


def shown_image(image: Any) -> Any:
    """Return a picture as JSON: a path or name as it is, bytes by their digest, anything else by its type."""
    if image is None or isinstance(image, str):
        return image
    if isinstance(image, Path):
        return str(image)
    if isinstance(image, bytes | bytearray):
        return {"sha256": hashlib.sha256(image).hexdigest(), "size": len(image)}
    return {"type": type(image).__name__}
