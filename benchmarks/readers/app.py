"""The readers: a model that sees pages and one that hears sentences, behind one OpenAI-compatible server."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

import httpx

from oloproof import evaluator, system

SERVER = os.environ.get("READER_URL", "http://127.0.0.1:8077/v1")
_client = httpx.Client(timeout=120)


@system(name="page-reader", version="local-ocr")
def read_page(case: dict[str, Any]) -> str:
    """Ask the model one question about a page."""
    page = Path(case["page"])
    kind = {".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}.get(page.suffix, "png")
    data = base64.b64encode(page.read_bytes()).decode()
    parts = [
        {"type": "text", "text": case["question"]},
        {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{data}"}},
    ]
    body = {"model": "local-ocr", "messages": [{"role": "user", "content": parts}]}
    answer = _client.post(f"{SERVER}/chat/completions", json=body)
    answer.raise_for_status()
    return str(answer.json()["choices"][0]["message"]["content"])


@system(name="listener", version="whisper-base")
def hear(case: dict[str, Any]) -> str:
    """Have the model write down a sound."""
    sound = Path(case["sound"])
    files = {"file": (sound.name, sound.read_bytes())}
    answer = _client.post(f"{SERVER}/audio/transcriptions", files=files, data={"model": "whisper-1"})
    answer.raise_for_status()
    return str(answer.json()["text"])


@evaluator(version="1")
def answers_rightly(case: Any, output: str) -> bool:
    """Whether the answer holds the true one, whatever stands around it."""
    wanted = str(case.expected["answer"]).lower()
    return re.search(rf"(?<![\w.-]){re.escape(wanted)}(?![\w-]|\.\d)", str(output).lower()) is not None


@evaluator(version="1")
def heard_word_for_word(case: Any, output: str) -> bool:
    """Whether every word was written down, in order and none beside, whatever the case and the punctuation."""
    return _words(case.expected["text"]) == _words(output)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())
