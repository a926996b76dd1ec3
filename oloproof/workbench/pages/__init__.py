"""The pages that people look at: runs, one run with its cases, one case with its media and verdicts, review queues."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from oloproof.workbench.pages.case import case_page
from oloproof.workbench.pages.gone import no_case_page, no_run_page
from oloproof.workbench.pages.labelling import Labelling
from oloproof.workbench.pages.review import review_page
from oloproof.workbench.pages.review_list import review_list_page
from oloproof.workbench.pages.run import run_page
from oloproof.workbench.pages.runs import runs_page
from oloproof.workbench.pages.shell import Pages, report_style

__all__ = ["routes"]


def routes() -> list[BaseRoute]:
    """Return the routes of the pages; their handlers read ``request.app.state.desk``."""
    pages = Pages(no_run_page, no_case_page)
    return [
        Route("/", pages.handler(runs_page), name="runs"),
        Route("/report.css", report_style, name="report_style"),
        Route("/runs/{run}", pages.handler(run_page), name="run"),
        Route("/runs/{run}/cases/{case:path}", pages.handler(case_page), name="case"),
        Route("/review", pages.handler(review_list_page), name="reviews"),
        Route("/review/{criterion:path}", pages.handler(review_page), methods=["GET"], name="review"),
        *Labelling(pages).routes(),
    ]
