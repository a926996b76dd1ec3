"""A visit of somebody with a browser, who watches that the pages are sound while they are used."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Response, Route, ViewportSize

WIDTHS: dict[str, ViewportSize] = {"narrow": {"width": 360, "height": 740}, "wide": {"width": 1440, "height": 900}}
LOOKS: tuple[tuple[Literal["light", "dark"], str], ...] = (("light", "wide"), ("dark", "narrow"))
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))"
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


class Visit:
    """One page of one browser window on a workbench; ``page`` is Playwright's, for whatever is not offered here.

    ``faults`` is what went wrong so far: words on the console, errors of scripts, what the policy of the page kept from
    loading, requests that went elsewhere, and answers of 400 and above other than those that were ``expected``.
    """

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.expected: set[int] = set()
        context.on("request", lambda request: self._requested(request.url))
        context.on("response", self._answered)
        context.on("console", self._said)
        context.on("weberror", lambda error: self.faults.append(f"error of a script: {error.error}"))
        self.page: Page = context.new_page()

    def open(self, address: str, *, expecting: Collection[int] = ()) -> Page:
        """Go to an address of the workbench; from now on answers of these statuses are as they should be."""
        self.expected |= set(expecting)
        self.page.goto(self.url + address, wait_until="load")
        return self.page

    def press(self, *keys: str) -> None:
        """Press one key after another, on a page whose scripts are there to hear them."""
        self.page.wait_for_load_state("load")
        for key in keys:
            self.page.keyboard.press(key)

    def intercept(self, pattern: str, handler: Callable[[Route], object]) -> None:
        """Have ``handler`` answer the requests of an open page from now on.

        The browser says that it stops requests a moment before it does, so that the first one may slip by: it is asked
        for something that the workbench answers otherwise until it does not get through any more.
        """
        self.page.route("**/healthz", lambda route: route.fulfill(body="stopped"))
        while self.page.evaluate("fetch('/healthz').then((answer) => answer.text())") != "stopped":
            pass
        self.page.route(pattern, handler)

    def go(self, *keys: str) -> Page:
        """Press keys of which the last leads to another page, and wait for that."""
        self.press(*keys[:-1])
        with self.page.expect_navigation(wait_until="load"):
            self.press(keys[-1])
        return self.page

    @property
    def focused(self) -> str:
        """The text of what has the focus."""
        return str(self.page.evaluate("document.activeElement.innerText"))

    def accessibility(self) -> list[str]:
        """Return what axe finds against WCAG 2.2 AA and its own best practice, in words."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        asked = {"runOnly": list(WCAG), "resultTypes": ["violations"], "preload": False}
        found = self.page.evaluate("asked => axe.run(document, asked)", asked)
        return [violation(rule, node) for rule in found["violations"] for node in rule["nodes"]]

    def accessibility_in_both_looks(self) -> dict[str, list[str]]:
        """Return what axe finds in light on a wide window, and in dark on a narrow one."""
        found = {}
        for theme, width in LOOKS:
            self.page.emulate_media(color_scheme=theme)
            self.page.set_viewport_size(WIDTHS[width])
            self.page.evaluate(TWO_FRAMES)  # until the page has heard of it
            found[f"{theme}, {width}"] = self.accessibility()
        return {look: told for look, told in found.items() if told}

    @property
    def spills(self) -> bool:
        """Whether the page has to be scrolled sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

    def _requested(self, address: str) -> None:
        self.requests.append(address)
        if not address.startswith((f"{self.url}/", "data:", "blob:")):
            self.faults.append(f"request to elsewhere: {address}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"answer {response.status}: {response.url}")

    def _said(self, message: ConsoleMessage) -> None:
        is_of_an_answer = message.text.startswith("Failed to load resource: the server responded with a status of")
        if message.type in ("error", "warning") and not is_of_an_answer:  # those are told by their status
            self.faults.append(f"console: {message.text}")


def violation(rule: dict[str, Any], node: dict[str, Any]) -> str:
    """Return what axe found in words."""
    return f"{rule['id']}: {rule['help']}\n  {node['html'][:200]}\n  {node['failureSummary']}"


def size_when_loaded(picture: Locator) -> list[int]:
    """Return the width and height of an ``img`` in its own pixels, once the browser has loaded and decoded it."""
    picture.scroll_into_view_if_needed()
    size: list[int] = picture.evaluate(
        "async image => { await image.decode(); return [image.naturalWidth, image.naturalHeight]; }"
    )
    return size


def colour_in_the_middle(shown: Locator) -> tuple[int, int, int]:
    """Return the colour that somebody sees in the middle of an element, from a picture of the screen."""
    picture = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    red, green, blue = picture.getpixel((picture.width // 2, picture.height // 2))
    return red, green, blue


def is_like(seen: tuple[int, int, int], wanted: tuple[int, int, int]) -> bool:
    """Return whether two colours are the same but for what a codec loses."""
    return max(abs(one - other) for one, other in zip(seen, wanted, strict=True)) < 40
