"""The workbench answers before its pages are loaded, and hands on what needs them when they are."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from oloproof.workbench import open_app
from oloproof.workbench.opening import Opening
from oloproof.workbench.safety import own_hosts

BASE = "http://127.0.0.1:7788"


class Slow:
    """An opening that loads as soon as it is let."""

    def __init__(self, root: Path, fault: Exception | None = None) -> None:
        self.root, self.fault = root, fault
        self.let, self.failed = threading.Event(), threading.Event()
        self.opening = Opening(self._load, hosts=own_hosts(7788))

    def _load(self) -> Starlette:
        self.let.wait(10)
        if self.fault is not None:
            raise self.fault
        return open_app(self.root, read_only=True, hosts=own_hosts(7788))

    async def get(self, path: str, **headers: str) -> httpx.Response:
        transport = httpx.ASGITransport(self.opening, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.get(path, headers=headers)


def test_health_is_answered_at_once_and_a_page_as_soon_as_it_is_loaded(tmp_path: Path) -> None:
    slow = Slow(tmp_path)
    slow.opening.begin(slow.failed.set)

    async def visit() -> tuple[Any, ...]:
        page = asyncio.create_task(slow.get("/"))
        early, foreign = await slow.get("/healthz"), await slow.get("/healthz", Host="evil.test")
        waiting = not page.done()
        slow.let.set()
        return early, foreign, waiting, await page, await slow.get("/healthz"), await slow.get("/", Host="evil.test")

    early, foreign, waiting, page, late, refused = asyncio.run(visit())
    assert (early.status_code, early.text, foreign.status_code) == (200, "ok", 421)
    assert waiting
    assert (page.status_code, late.text, refused.status_code) == (200, "ok", 421)
    assert "No runs yet." in page.text
    slow.opening.stop()
    slow.opening.close()
    assert not slow.failed.is_set()


def test_what_cannot_be_loaded_is_told_by_whoever_closes_it(tmp_path: Path) -> None:
    slow = Slow(tmp_path, OSError("no such luck"))
    slow.let.set()
    slow.opening.begin(slow.failed.set)
    assert slow.failed.wait(10)
    assert asyncio.run(slow.get("/")).status_code == 500
    slow.opening.stop()
    with pytest.raises(OSError, match="no such luck"):
        slow.opening.close()
