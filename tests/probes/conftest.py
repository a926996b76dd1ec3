"""Samples of two earlier reports, with the answers that were given to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def golden(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def answering(responses: list[list[Any]]) -> Callable[[Any, str], str]:
    """Return a target that gives recorded responses; those that begin with ``EXC:`` are errors."""
    given = {(image, prompt): text for image, prompt, text in responses}

    def target(image: Any, prompt: str) -> str:
        text = given[image, prompt]
        if text.startswith("EXC:"):
            raise ValueError(text.removeprefix("EXC:"))
        return str(text)

    return target


def sample(**more: Any) -> dict[str, Any]:
    return {
        "id": "s",
        "prompt": "Which colour?",
        "image": "x.png",
        "attribute": "color",
        "visual_value": "blue",
        "prior_value": "yellow",
        **more,
    }


def always(text: Any) -> Callable[[Any, str], Any]:
    return lambda image, prompt: text
