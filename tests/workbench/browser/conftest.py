"""The workbench in a real browser: the server of the command, the Chromium of the system, projects really run.

A test that asks for ``visit`` or ``visits`` fails at its end if a page complained, broke its policy, or asked anything
of anybody but the workbench.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.bars import Bars, open_bars
from tests.conftest import opened_once
from tests.workbench.browser.chromium import launch
from tests.workbench.browser.crowd import Crowd, open_crowd
from tests.workbench.browser.served import Served, served
from tests.workbench.browser.shop import Shop, open_shop
from tests.workbench.browser.visit import WIDTHS, Visit

PATIENCE = 10_000
"""Milliseconds after which something will not come any more."""

Visits = Callable[..., Visit]


class Stage:
    """The thread of the browser. Playwright keeps an event loop in it, which others must not find in theirs."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "browser")

    def do(self, act: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """Do something there and wait for what comes of it."""
        return self._thread.submit(act, *arguments, **more).result()

    def end(self) -> None:
        """Let it go."""
        self._thread.shutdown()


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The thread in which browser tests run."""
    stage = Stage()
    yield stage
    stage.end()


@pytest.fixture(autouse=True)
def on_stage(request: pytest.FixtureRequest, stage: Stage) -> None:
    """Have the test itself run in the thread of the browser."""
    test = request.node.obj
    request.node.obj = lambda **arguments: stage.do(test, **arguments)


@pytest.fixture(scope="session")
def browser(stage: Stage) -> Iterator[Browser]:
    """One Chromium for all tests."""
    playwright = stage.do(lambda: sync_playwright().start())
    expect.set_options(timeout=PATIENCE)
    browser = stage.do(launch, playwright)
    yield browser
    stage.do(browser.close)
    stage.do(playwright.stop)


@pytest.fixture(scope="session")
def shop(shared: Path) -> Shop:
    """Captions of media, judged; run twice."""
    return opened_once(shared / "shop", open_shop)


@pytest.fixture
def own_shop(shop: Shop, tmp_path: Path) -> Shop:
    """A shop for a test that writes: the other one, moved."""
    return replace(shop, root=copytree(shop.root, tmp_path / "shop"))


@pytest.fixture(scope="session")
def crowd(shared: Path) -> Crowd:
    """More cases than a page holds."""
    return opened_once(shared / "crowd", open_crowd)


@pytest.fixture(scope="session")
def bars(shared: Path) -> Bars:
    """Pictures of bars, delivered in several ways."""
    return opened_once(shared / "bars", open_bars)


@pytest.fixture(scope="session")
def serving() -> Iterator[Callable[..., Served]]:
    """Return a function that gives the workbench of a project, one for all who ask for the same."""
    kept: dict[tuple[Any, ...], Served] = {}
    with ExitStack() as open_ones:

        def serve(project: Any, *, read_only: bool = False) -> Served:
            key = (project.root, read_only)
            if key not in kept:
                kept[key] = open_ones.enter_context(served(project.root, read_only=read_only))
            return kept[key]

        yield serve


@pytest.fixture
def visits(stage: Stage, browser: Browser, serving: Callable[..., Served]) -> Iterator[Visits]:
    """Return a function that opens a window on a project; ``more`` are options of Playwright's context."""
    contexts, made = [], []

    def visit(project: Any, *, width: str = "wide", read_only: bool = False, **more: Any) -> Visit:
        context = browser.new_context(viewport=WIDTHS[width], reduced_motion="reduce", **more)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        made.append(Visit(context, serving(project, read_only=read_only).url))
        return made[-1]

    yield visit
    for context in contexts:
        stage.do(context.close)
    assert [fault for one in made for fault in one.faults] == []


@pytest.fixture
def visit(stage: Stage, visits: Visits, shop: Shop) -> Visit:
    """A window on the shop."""
    made: Visit = stage.do(visits, shop)
    return made
