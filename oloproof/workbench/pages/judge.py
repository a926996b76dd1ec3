"""The page of one judge: whether it may decide, on which labels, what it was before, and where people differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from oloproof.labels.progress import needed_words, status_document
from oloproof.reports.contexts import Banner, Fact
from oloproof.reports.wording import count_words, one_line, visible
from oloproof.storage import StoredRun
from oloproof.storage.judges import Judges, KnownJudge
from oloproof.storage.labels import Labels
from oloproof.storage.probes import Probes
from oloproof.workbench.pages.addresses import JUDGES, judge_address, short_hash
from oloproof.workbench.pages.disagreements import Disagreements, disagreements_of
from oloproof.workbench.pages.gone import gone_page
from oloproof.workbench.pages.judge_sight import SightView, sight_of
from oloproof.workbench.pages.judge_states import JudgeState, is_blind, state_of
from oloproof.workbench.pages.judge_steps import Steps, steps_to_validated
from oloproof.workbench.pages.judge_versions import VersionRow, identity_of, version_rows
from oloproof.workbench.pages.shell import Link, Shell, Visit, render
from oloproof.workbench.pages.validated import Look, look_of

_OFFERED = 8


class OtherCriterion(Struct, frozen=True):
    """Another criterion that the same judge reports."""

    words: str
    address: str
    current: bool


class JudgeContext(Struct, frozen=True):
    """The page. ``steps`` lead to VALIDATED where the judge is not; ``needed`` says how many labels are missing."""

    shell: Shell
    judge: str
    criterion: str
    others: tuple[OtherCriterion, ...]
    banner: Banner
    facts: tuple[Fact, ...]
    look: Look | None
    needed: str
    steps: Steps | None
    versions: tuple[VersionRow, ...]
    rubric: str
    disagreements: Disagreements
    sight: SightView
    probe_command: str


def judge_page(visit: Visit) -> Response:
    """Show a judge."""
    known = Judges(visit.browsing.store).known()
    wanted = visit.request.path_params["judge"].lower()
    found = [one for one in known if wanted and one.judge.startswith(wanted)]
    if len({one.judge for one in found}) != 1:
        return no_judge_page(visit, wanted, found or known)
    asked = visit.query.get("criterion")
    one = next((each for each in found if each.criterion == asked), found[0])
    return _shown(visit, one, found, [each for each in known if each.criterion == one.criterion])


def no_judge_page(visit: Visit, wanted: str, near: Sequence[KnownJudge]) -> Response:
    """Say that no judge, or several, have a hash that begins so."""
    several = wanted and any(one.judge.startswith(wanted) for one in near)
    name = one_line(wanted, 80)
    title = "Several judges begin so" if several else "There is no such judge"
    sentence = (
        f"{name} is the beginning of several hashes; give more of it."
        if several
        else (f"No judge of the runs and validations of this project has a hash that begins with {name}.")
    )
    hashes = dict.fromkeys((one.judge, one.criterion) for one in near)
    nearest = tuple(
        Link(f"{visible(criterion)}, {short_hash(judge)}", judge_address(judge, [("criterion", criterion)]))
        for judge, criterion in list(hashes)[:_OFFERED]
    )
    return gone_page(visit, title, sentence, Link("All judges", JUDGES), "judges", nearest)


def _shown(visit: Visit, one: KnownJudge, same: Sequence[KnownJudge], versions: Sequence[KnownJudge]) -> Response:
    browsing, store, criterion = visit.browsing, visit.browsing.store, one.criterion
    runs = browsing.numbered([each.newest_run for each in versions if each.newest_run is not None])
    run = runs.get(one.newest_run or 0)
    state = state_of(browsing, criterion, one.judge, blind=is_blind(browsing, run, criterion))
    labels, identity = Labels(store), identity_of(run, one.judge)
    title = f"{criterion}, judge {short_hash(one.judge)}"
    project = None if run is None else run.project
    page = JudgeContext(
        shell=visit.shell(
            visible(f"{state.word} {title}"), project, (Link("Judges", JUDGES),), visible(title), "judges"
        ),
        judge=one.judge,
        criterion=visible(criterion),
        others=tuple(_others(same, one)),
        banner=Banner(state.word, state.mark, visible(title), state.sentence),
        facts=tuple(_facts(labels, one, identity)),
        look=None if state.validation is None else look_of(labels, state.validation),
        needed=_needed(visit, labels, criterion, state),
        steps=steps_to_validated(labels, criterion, state),
        versions=version_rows(browsing, versions, runs, one.judge),
        rubric=visible(str((identity or {}).get("rubric", ""))),
        disagreements=disagreements_of(
            browsing,
            criterion,
            one.judge,
            side=visit.query.get("side", ""),
            after=visit.query.get("after", ""),
        ),
        sight=sight_of(Judges(store), Probes(store), one.judge, run, _evaluator(run, criterion)),
        probe_command=f"oloproof evaluators probe --criterion {shlex.quote(criterion)}",
    )
    return render("judge.html.j2", page)


def _evaluator(run: StoredRun | None, criterion: str) -> int:
    entries = [] if run is None else [entry for entry in run.criteria if entry["criterion"] == criterion]
    return int(entries[0].get("evaluator", -1)) if entries else -1


def _others(same: Sequence[KnownJudge], shown: KnownJudge) -> Iterator[OtherCriterion]:
    if len(same) > 1:
        for one in sorted(same, key=lambda each: each.criterion):
            address = judge_address(one.judge, [("criterion", one.criterion)])
            yield OtherCriterion(visible(one.criterion), address, one is shown)


def _facts(labels: Labels, one: KnownJudge, identity: Mapping[str, Any] | None) -> Iterator[Fact]:
    for name, value in _made_of(identity or {}):
        yield Fact(name, one_line(value, 80))
    yield Fact("judged", count_words(one.runs, "run") if one.runs else "no run yet")
    told = labels.labels(criterion=one.criterion)
    by_purpose = {purpose: sum(each.purpose == purpose for each in told) for purpose in ("validate", "develop")}
    unsure = sum(each.passed is None for each in told)
    words = f"{by_purpose['validate']:,} to validate, {by_purpose['develop']:,} to develop, {unsure:,} unsure"
    yield Fact("labels", words)
    people = sorted({each.labelled_by for each in told})
    if people:
        yield Fact("by", one_line(", ".join(people), 120))


def _made_of(identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "model" in identity:
        yield "model", f"{identity['model']}, {identity['provider']}"
    media = identity.get("sees", {}).get("media")
    if "sees" in identity:
        yield "shown", "text alone" if media is None else f"{media} media and text"
    if identity.get("votes", 1) > 1:
        yield "votes", str(identity["votes"])
    if "callable" in identity.get("options", {}):
        yield "function", str(identity["options"]["callable"])


def _needed(visit: Visit, labels: Labels, criterion: str, state: JudgeState) -> str:
    """Return how many more labels are needed; a validation says so itself."""
    if state.validation is not None:
        return ""
    if criterion not in labels.counts():
        return f"Needed: {needed_words(0, 0)}."
    return f"Needed: {status_document(visit.browsing, criterion)['criteria'][0]['needed']['message']}."
