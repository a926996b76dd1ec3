"""A browser without script on a project: pages are asked of the real application and taken apart."""

from __future__ import annotations

import warnings
import weakref
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from oloproof.workbench.app import create_app
from oloproof.workbench.desk import Desk

with warnings.catch_warnings():  # it would rather have another client library than the one that is here
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

BASE = "http://127.0.0.1:7788"


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, and its text."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.status = answer.status_code
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.source = answer.text
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        """Return the attributes of every such element."""
        names = {key.rstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        return [have for name, have in self.elements if name == tag and names.items() <= have.items()]

    def links(self, part: str) -> list[str]:
        """Return the addresses of links that begin with ``part``."""
        return [href for one in self.all("a") if (href := one.get("href")) is not None and href.startswith(part)]

    @property
    def words(self) -> str:
        """The text with blanks made one."""
        return " ".join(self.text.split())


class Visitor:
    """A browser on a project, which is closed when nobody has it any more."""

    def __init__(self, root: Path, *, read_only: bool = False) -> None:
        self.desk = Desk(root, read_only=read_only)
        weakref.finalize(self, self.desk.close)
        self.client = TestClient(create_app(self.desk), base_url=BASE, follow_redirects=False)

    def get(self, address: str, **more: Any) -> Page:
        return Page(self.client.get(address, **more))

    def post(self, address: str, document: Any = None, **headers: str) -> Any:
        """Send a document, or nothing, as a page of the workbench does."""
        given = {"Origin": BASE, "X-Oloproof-Token": self.desk.token, "Accept": "application/json", **headers}
        body = {} if document is None else {"json": document}
        return self.client.post(address, headers=given, **body)
