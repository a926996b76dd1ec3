"""Taking labels over HTTP: ``POST /labels`` keeps an answer, ``POST /review/CRITERION/sample`` draws a sample.

Both are asked by our own pages only (the guard checks origin and token), and keep what ``oloproof labels import`` and
``oloproof labels export`` would keep, by the same rules.
"""

from __future__ import annotations

from typing import TypeVar

from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from oloproof.errors import RunNotFound
from oloproof.labels.answering import Answered, ShownOtherwise, keep_answer
from oloproof.labels.importing import DEFAULT_GUIDE
from oloproof.labels.problems import LabelsError
from oloproof.labels.sampling import draw
from oloproof.storage.labels import Labels
from oloproof.workbench.answers import problem
from oloproof.workbench.pages.shell import Pages, Visit

_NO_STORE = {"Cache-Control": "no-store"}
_Body = TypeVar("_Body", bound=BaseModel)


class LabelBody(BaseModel):
    """What ``POST /labels`` takes: the columns of a sheet of labels."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run: str = Field(min_length=1, max_length=200)
    case_id: str = Field(min_length=1)
    criterion: str = Field(min_length=1)
    passed: str = Field(max_length=40)
    labelled_by: str = Field(max_length=1_000)
    variant: str = ""
    repeat: str | int = ""
    execution: str | int = ""
    note: str | None = None
    guide: str = Field(default=DEFAULT_GUIDE, min_length=1, max_length=200)
    shown: str = ""


class SampleBody(BaseModel):
    """What ``POST /review/CRITERION/sample`` takes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    run: str = Field(min_length=1, max_length=200)
    size: int = Field(ge=1, le=1_000_000)


class Labelling:
    """The addresses that keep what people say."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/labels", self.label, methods=["POST"]),
            Route("/review/{criterion:path}/sample", self.sample, methods=["POST"]),
        ]

    async def label(self, request: Request) -> Response:
        """Keep one answer of one person; answers with what became of it."""
        body = await _body(request, LabelBody)
        return body if isinstance(body, Response) else await run_sync(self._label, request, body)

    async def sample(self, request: Request) -> Response:
        """Draw a sample of a run, or extend the one that it has; answers with how many cases it holds."""
        body = await _body(request, SampleBody)
        return body if isinstance(body, Response) else await run_sync(self._sample, request, body)

    def _label(self, request: Request, body: LabelBody) -> Response:
        visit = self._pages.visit(request)
        values = {**body.model_dump(), "repeat": str(body.repeat), "execution": str(body.execution)}
        answer = Answered(**values)
        try:
            lost = _lost(visit, answer)
            if lost:
                return problem(request, 409, "media_not_as_recorded", lost)
            kept = keep_answer(visit.samples.claims(), answer)
        except RunNotFound as error:
            return problem(request, 404, "run_not_found", str(error))
        except ShownOtherwise as error:
            return problem(request, 409, "shown_otherwise", str(error))
        except LabelsError as error:
            return problem(request, 422, "not_a_label", str(error))
        label = kept.label
        told = {"label": label.identity, "became": kept.became, "purpose": label.purpose, "case_id": label.case_id}
        return JSONResponse(told, 201 if kept.became == "added" else 200, _NO_STORE)

    def _sample(self, request: Request, body: SampleBody) -> Response:
        visit = self._pages.visit(request)
        try:
            run = visit.browsing.find(body.run)
            drawn = draw(visit.browsing, run, request.path_params["criterion"], size=body.size)
        except RunNotFound as error:
            return problem(request, 404, "run_not_found", str(error))
        except LabelsError as error:
            return problem(request, 422, "no_sample", str(error))
        told = {"sample": drawn.sample.id, "run": run.id, "seed": drawn.sample.seed, "cases": len(drawn.places)}
        return JSONResponse(told, 201, _NO_STORE)


async def _body(request: Request, model: type[_Body]) -> _Body | Response:
    """Return the body of a request, or the answer that says what is wrong with it."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        told = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'the body'}: {one['msg'][0].lower()}{one['msg'][1:]}"
            for one in error.errors(include_url=False, include_context=False, include_input=False)
        )
        return problem(request, 422, "not_understood", told)


def _lost(visit: Visit, answer: Answered) -> str:
    """Return which of the files that were shown is not as it was recorded, in words; empty where all are."""
    run = visit.browsing.find(answer.run)
    for trial in Labels(visit.browsing.store).trials(run.number, [answer.case_id]):
        if answer.execution in ("", str(trial.execution)):
            for item in trial.media:
                state = visit.desk.reader.state(item)
                if state != "verified":
                    return f"{item.path} of case {trial.case_id!r} is {state}, so what was shown cannot be labelled"
    return ""
