"""The pages that people look at: runs, a run with its cases, a case with its media, judges, review queues, two runs."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from oloproof.workbench.pages.case import case_page
from oloproof.workbench.pages.compare import ComparePages
from oloproof.workbench.pages.gone import no_case_page, no_run_page
from oloproof.workbench.pages.judge import judge_page
from oloproof.workbench.pages.judges import judges_page
from oloproof.workbench.pages.labelling import Labelling
from oloproof.workbench.pages.review import review_page
from oloproof.workbench.pages.review_list import review_list_page
from oloproof.workbench.pages.run import run_page
from oloproof.workbench.pages.runs import runs_page
from oloproof.workbench.pages.shell import Pages, report_style
from oloproof.workbench.pages.spending import spend_sample, spending_page

__all__ = ["routes"]


def routes() -> list[BaseRoute]:
    """Return the routes of the pages; their handlers read ``request.app.state.desk``."""
    pages = Pages(no_run_page, no_case_page)
    return [
        Route("/", pages.handler(runs_page), name="runs"),
        Route("/report.css", report_style, name="report_style"),
        Route("/compare", pages.handler(ComparePages().page), name="compare"),
        Route("/runs/{run}", pages.handler(run_page), name="run"),
        Route("/runs/{run}/cases/{case:path}", pages.handler(case_page), name="case"),
        Route("/review", pages.handler(review_list_page), name="reviews"),
        Route("/review/{criterion:path}", pages.handler(review_page), methods=["GET"], name="review"),
        *Labelling(pages).routes(),
        Route("/judges", pages.handler(judges_page), name="judges"),
        Route("/judges/{judge}", pages.handler(judge_page), name="judge"),
        Route("/judges/{judge}/samples/{sample}/spend", pages.handler(spending_page), methods=["GET"], name="spending"),
        Route("/judges/{judge}/samples/{sample}/spend", pages.handler(spend_sample), methods=["POST"], name="spend"),
    ]
