"""Refusals and errors as answers: JSON for programs, a plain page for people, the same words in both."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

_STYLES = "".join(f'<link rel="stylesheet" href="{address}">' for address in ("/report.css", "/static/workbench.css"))


def problem(request: Request, status: int, code: str, message: str, **facts: Any) -> Response:
    """Return an error: a page where the client asks for HTML, else ``{"error": code, "message": …, facts…}``."""
    headers = {"Cache-Control": "no-store"}
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(_page(status, message, facts), status, headers)
    return JSONResponse({"error": code, "message": message, **facts}, status, headers)


def _page(status: int, message: str, facts: dict[str, Any]) -> str:
    title = HTTPStatus(status).phrase
    rows = "".join(
        f"<div><dt>{escape(name.replace('_', ' '))}</dt><dd><code>{escape(str(value))}</code></dd></div>"
        for name, value in facts.items()
        if value is not None
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'{_STYLES}<title>{title} · Oloproof</title></head><body><main><div class="heading"><h1>{title}</h1></div>'
        f"<p>{escape(message)}</p>{_facts(rows)}"
        '<p class="after"><a class="button" href="/">All runs</a></p></main></body></html>'
    )


def _facts(rows: str) -> str:
    return f'<dl class="facts">{rows}</dl>' if rows else ""
