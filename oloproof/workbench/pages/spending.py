"""Giving up a validation sample: a page that asks first, and what is done when the answer is yes."""

from __future__ import annotations

from msgspec import Struct
from starlette.responses import JSONResponse, Response

from oloproof.labels import gather
from oloproof.labels.gathering import spend
from oloproof.reports.wording import count_words, visible
from oloproof.storage.labels import Labels, StoredSample
from oloproof.workbench.answers import problem
from oloproof.workbench.pages.addresses import JUDGES, judge_address, run_address, short_hash, spending_address
from oloproof.workbench.pages.disagreements import PART
from oloproof.workbench.pages.gone import gone_page
from oloproof.workbench.pages.shell import Link, Shell, Visit, render

_SPENT = "this sample is no validation sample any more, if it ever was one; nothing was changed"


class SpendingContext(Struct, frozen=True):
    """The page that asks. ``refused`` says why nothing can be changed here; ``token`` is empty then."""

    shell: Shell
    criterion: str
    sample: str
    labels: str
    run: Link
    refused: str
    address: str
    token: str
    back: Link


def spending_page(visit: Visit) -> Response:
    """Ask before a validation sample is seen beside its verdicts."""
    judge = visit.request.path_params["judge"]
    sample = _sample(visit)
    if sample is None:
        back = Link("The judge", judge_address(judge))
        return gone_page(
            visit, "There is no such validation sample", f"{_SPENT[0].upper()}{_SPENT[1:]}.", back, "judges"
        )
    run = visit.browsing.numbered([sample.run])[sample.run]
    labelled = sum(case.persons > 0 for case in gather(visit.browsing, run, sample.criterion).cases)
    gallery = judge_address(judge, [("criterion", sample.criterion)], PART)
    crumbs = (Link("Judges", JUDGES), Link(f"{sample.criterion}, {short_hash(judge)}", gallery))
    may_write = not (visit.desk.read_only or visit.desk.store.read_only)
    page = SpendingContext(
        shell=visit.shell("Give up a sample?", run.project, crumbs, "give up a sample", "judges"),
        criterion=visible(sample.criterion),
        sample=sample.id,
        labels=count_words(labelled, "labelled case"),
        run=Link(run.id, run_address(run.id)),
        refused="" if may_write else _why_not(visit),
        address=spending_address(judge, sample.id),
        token=visit.desk.token if may_write else "",
        back=Link("Keep it blind", gallery),
    )
    return render("spending.html.j2", page)


def spend_sample(visit: Visit) -> Response:
    """Turn a validation sample into a develop one; the guard has seen to it that our own page asks."""
    sample = _sample(visit)
    if sample is None:
        return problem(visit.request, 409, "not_a_validation_sample", _SPENT)
    if visit.desk.store.read_only:
        return problem(visit.request, 403, "read_only", _why_not(visit))
    spent = spend(visit.browsing, sample)
    address = judge_address(visit.request.path_params["judge"], [("criterion", sample.criterion)], PART)
    return JSONResponse({"spent": spent, "next": address}, headers={"Cache-Control": "no-store"})


def _sample(visit: Visit) -> StoredSample | None:
    wanted = visit.request.path_params["sample"]
    samples = Labels(visit.browsing.store).samples(purpose="validate")
    return next((one for one in samples if one.id == wanted), None)


def _why_not(visit: Visit) -> str:
    if visit.desk.read_only:
        return "the workbench was started with --read-only, so nothing can be changed here; start it without"
    return "the project's folder may only be read here, so nothing can be changed"
