"""The HTML report: one file that needs no script, no network and nothing beside it."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from oloproof.config.models import PolicyOptions
from oloproof.media import MediaReader
from oloproof.records import Notice
from oloproof.reports.case_views import CaseViews
from oloproof.reports.pages import run_page
from oloproof.reports.withholding import Withholding
from oloproof.running.deciding import Conclusion
from oloproof.storage import History, StoredRun

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"
CASES = 200
"""How many cases a report shows when nothing else is asked."""


def write_html(
    stream: TextIO,
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    reader: MediaReader,
    *,
    policy: PolicyOptions | None = None,
    thumbnails: bool = False,
    cases: int = CASES,
    beside: Sequence[Notice] = (),
) -> None:
    """Write the report of a run.

    Args:
        stream: where to, as UTF-8.
        history: where the run is read from.
        run: the run.
        conclusion: its metrics and decisions.
        reader: tells in which state each file is now, and reads the pictures.
        policy: what the decisions were taken by, so that each interval is drawn against its bar.
        thumbnails: embed small pictures of verified images.
        cases: how many cases to show, those that did not pass first.
        beside: what to warn of that is not kept with the run.
    """
    hide = Withholding(frozenset({"paths"}), history.store.root)
    views = CaseViews(reader, hide, thumbnails)
    page = run_page(history, run, conclusion, views, hide, policy=policy, cases=cases, beside=beside)
    css = style()
    template = environment().get_template("report.html.j2")
    stream.writelines(template.generate(page=page, css=trusted(css), content_policy=content_policy_of(css)))


def style() -> str:
    """Return the style of everything that reports and pages share."""
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "families.css"))


def trusted(css: str) -> Markup:
    """Return our own style as it is: its digest, which the policy names, is that of these very bytes."""
    from markupsafe import Markup

    return Markup(css)  # noqa: S704 - the style is a file of this package


def content_policy_of(css: str) -> str:
    """Return the policy under which a browser shows the page: our style by its digest, embedded pictures, no more."""
    digest = b64encode(hashlib.sha256(css.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def environment() -> Environment:
    """Return the templates of this room: everything is escaped, and a field that does not exist is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
