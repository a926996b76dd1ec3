"""What every page stands in: its frame, the templates, and how a handler comes to an answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from oloproof.errors import RunNotFound
from oloproof.labels.queue import Samples
from oloproof.media import MediaReader
from oloproof.reports.html import TEMPLATES as REPORT_TEMPLATES
from oloproof.reports.html import style
from oloproof.reports.wording import visible
from oloproof.storage import Store, StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.storage.progress import ProgressReader
from oloproof.workbench.pages.addresses import COMPARE, JUDGES, REVIEWS, RUNS
from oloproof.workbench.pages.headlines import Headlines

if TYPE_CHECKING:
    from jinja2 import Environment

Kept = TypeVar("Kept")
TEMPLATES = Path(__file__).parent.parent / "templates"
THEMES = ("light", "dark")
_MOST_TOLD = 256


class Desk(Protocol):
    """What pages need of the desk that the app keeps."""

    @property
    def root(self) -> Path:
        """The project's folder."""

    @property
    def read_only(self) -> bool:
        """Whether nothing may be written."""

    @property
    def token(self) -> str:
        """The secret of the session, which whoever writes must show."""

    @property
    def reader(self) -> MediaReader:
        """The way to the bytes of recorded files."""

    @property
    def store(self) -> Store:
        """The project's database."""

    @property
    def progress(self) -> ProgressReader:
        """How far the runs under way are."""


class Link(Struct, frozen=True):
    """Words that lead somewhere."""

    words: str
    address: str


class Section(Struct, frozen=True):
    """A part of the workbench, as the navigation names it; ``g`` and ``key`` go there."""

    name: str
    address: str
    words: str
    key: str


SECTIONS = (
    Section("runs", RUNS, "Runs", "r"),
    Section("review", REVIEWS, "Review", "v"),
    Section("judges", JUDGES, "Judges", "j"),
    Section("compare", COMPARE, "Compare", "c"),
)


class Shell(Struct, frozen=True):
    """The frame of a page. ``theme`` is None where the browser's own is followed; ``host`` is where this is served.

    ``token`` is what the page must show to write, None where it writes nothing. ``section`` is the name of the
    section that the page belongs to, as the navigation marks it.
    """

    title: str
    project: str
    theme: str | None
    host: str
    read_only: bool
    crumbs: tuple[Link, ...] = ()
    here: str = ""
    token: str | None = None
    section: str = "runs"
    sections: tuple[Section, ...] = SECTIONS


class NoCase(LookupError):
    """A run has no case of that id."""

    def __init__(self, run: StoredRun, case: str) -> None:
        super().__init__(case)
        self.run = run
        self.case = case


class Visit(Struct, frozen=True):
    """One request for a page, with what it is answered from."""

    request: Request
    desk: Desk
    browsing: Browsing
    samples: Samples
    headlines: Headlines
    told: OrderedDict[tuple[int, float, str], Any]

    @property
    def query(self) -> dict[str, str]:
        """The state of the page that the address asks for; the last of equal names counts."""
        return dict(self.request.query_params)

    def shell(
        self,
        title: str,
        project: str | None = None,
        crumbs: tuple[Link, ...] = (),
        here: str = "",
        section: str = "runs",
        *,
        writes: bool = False,
    ) -> Shell:
        """Return the frame of the page; with ``writes`` it may change something, unless nothing may.

        ``project`` is its name where the page is about one run; else it is what the newest run calls it.
        """
        theme = self.request.cookies.get("theme")
        return Shell(
            title=title,
            project=visible(project or self._project()),
            theme=theme if theme in THEMES else None,
            host=self.request.url.netloc,
            read_only=self.desk.read_only,
            crumbs=crumbs,
            here=here,
            token=self.desk.token if writes and not self.desk.read_only else None,
            section=section,
        )

    def _project(self) -> str:
        """Return what the newest run calls the project, or else the name of its folder."""
        newest = self.browsing.runs_page(1).runs
        return newest[0].project if newest else self.desk.root.name

    def kept(self, run: StoredRun, what: str, make: Callable[[], Kept]) -> Kept:
        """Return what ``make`` tells of a run; of a finished one it is told once, since counting takes as long as the
        run is large.
        """
        if run.finished is None:
            return make()
        key = (run.number, run.finished, what)
        if key not in self.told:
            self.told[key] = make()
        self.told.move_to_end(key)
        while len(self.told) > _MOST_TOLD:
            self.told.popitem(last=False)
        found: Kept = self.told[key]
        return found


Page = Callable[[Visit], Response]


class Pages(Struct):
    """The handlers of one app, and what they keep between requests.

    ``no_run`` and ``no_case`` answer where there is no such run, or no such case in it.
    """

    no_run: Callable[[Visit, RunNotFound], Response]
    no_case: Callable[[Visit, NoCase], Response]
    _browsing: Browsing | None = None
    _samples: Samples | None = None
    _headlines: Headlines = field(default_factory=Headlines)
    _told: OrderedDict[tuple[int, float, str], Any] = field(default_factory=OrderedDict)

    def handler(self, page: Page) -> Callable[[Request], Response]:
        """Return ``page`` as a handler; what does not exist is answered by the pages for that."""

        def handle(request: Request) -> Response:
            visit = self.visit(request)
            try:
                return page(visit)
            except RunNotFound as error:
                return self.no_run(visit, error)
            except NoCase as error:
                return self.no_case(visit, error)

        return handle

    def visit(self, request: Request) -> Visit:
        """Return a request with what it is answered from."""
        desk: Desk = request.app.state.desk
        if self._browsing is None or self._samples is None or self._browsing.store is not desk.store:
            self._browsing = Browsing(desk.store)
            self._samples = Samples(self._browsing)
            self._headlines = Headlines()
        return Visit(request, desk, self._browsing, self._samples, self._headlines, self._told)


def render(template: str, page: Any, status: int = 200) -> HTMLResponse:
    """Return a page as HTML; ``page`` is its context, with the frame as ``shell``."""
    html = _environment().get_template(template).render(page=page, shell=page.shell)
    return HTMLResponse(html, status, {"Cache-Control": "private, no-cache"})


def report_style(request: Request) -> Response:
    """Return the style that the pages share with the report."""
    return Response(style(), media_type="text/css", headers={"Cache-Control": "no-cache"})


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader([TEMPLATES, REPORT_TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
