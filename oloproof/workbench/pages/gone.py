"""The pages for what does not exist: they say so and offer the nearest."""

from __future__ import annotations

import difflib

from msgspec import Struct
from starlette.responses import Response

from oloproof.errors import RunNotFound
from oloproof.reports.wording import one_line, visible
from oloproof.workbench.pages.addresses import RUNS, case_address, run_address
from oloproof.workbench.pages.shell import Link, NoCase, Shell, Visit, render

_NEWEST, _OFFERED = 200, 5


class GoneContext(Struct, frozen=True):
    """The page: what was asked for, and what is nearest to it."""

    shell: Shell
    title: str
    sentence: str
    nearest: tuple[Link, ...]
    back: Link


def gone_page(
    visit: Visit, title: str, sentence: str, back: Link, section: str, nearest: tuple[Link, ...] = ()
) -> Response:
    """Say that something does not exist, under an entry of the navigation."""
    page = GoneContext(visit.shell(title, crumbs=(back,), section=section), title, sentence, nearest, back)
    return render("gone.html.j2", page, 404)


def no_run_page(visit: Visit, error: RunNotFound) -> Response:
    """Say that no run is called so."""
    name = visit.request.path_params["run"]
    newest = [run.id for run in visit.browsing.runs_page(_NEWEST).runs]
    near = difflib.get_close_matches(name, newest, _OFFERED, 0.4) or newest[:_OFFERED]
    page = GoneContext(
        shell=visit.shell("No such run", crumbs=(Link("Runs", RUNS),), here=one_line(name, 80)),
        title="There is no such run",
        sentence=one_line(str(error), 400) + ".",
        nearest=tuple(Link(one, run_address(one)) for one in near),
        back=Link("All runs", RUNS),
    )
    return render("gone.html.j2", page, 404)


def no_case_page(visit: Visit, error: NoCase) -> Response:
    """Say that the run has no case of that id."""
    run = error.run
    index = visit.browsing.index(run)
    page = GoneContext(
        shell=visit.shell("No such case", run.project, (Link("Runs", RUNS), Link(run.id, run_address(run.id)))),
        title="There is no such case",
        sentence=f"Run {run.id} has no case {one_line(error.case, 200)!r} among its {len(index.cases):,}.",
        nearest=tuple(Link(visible(one), case_address(run.id, one)) for one in index.near(error.case, _OFFERED)),
        back=Link("All cases of the run", run_address(run.id, part="cases")),
    )
    return render("gone.html.j2", page, 404)
