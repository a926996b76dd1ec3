"""The family strip of a case: its members side by side, what each was given and what was said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oloproof.evaluators.base import MISSING_FIELD, field_of
from oloproof.media import MediaReader
from oloproof.records import ORIGINAL, Delivery
from oloproof.reports.case_views import CaseViews, worst_word
from oloproof.reports.contexts import FamilyMember
from oloproof.reports.delivered import delivery_facts
from oloproof.reports.family_strip import Kin, members_of
from oloproof.reports.wording import is_scored, one_line, outcome_of, outcome_word, visible
from oloproof.storage import StoredRun, StoredTrial
from oloproof.workbench.pages.addresses import case_address
from oloproof.workbench.pages.gallery import MARKS, Picture, picture_of
from oloproof.workbench.pages.pictures import Medium, medium_of
from oloproof.workbench.pages.wanted import Wanted

_LONGEST = 120


class StripMember(Struct, frozen=True):
    """A member with its place in the strip. ``picture`` is of what was delivered; ``words`` stand where none was."""

    told: FamilyMember
    address: str
    current: bool
    key: str
    picture: Picture | None
    words: str


class Strip(Struct, frozen=True):
    """The members of a family. ``caption`` says what their marks are about."""

    caption: str
    members: tuple[StripMember, ...]


def said_of(trial: StoredTrial, criterion: int | None) -> str:
    """Return what a criterion says of a trial, or the worst that is said of it."""
    return worst_word(trial) if criterion is None else outcome_of(trial, criterion)


def strip_of(
    run: StoredRun, kin: Sequence[Kin], shown: StoredTrial, criterion: int | None, wanted: Wanted
) -> Strip | None:
    """Return the strip of a case; None where it has no variants. The keys lead to the members beside the shown one."""
    if not kin:
        return None
    words = [outcome_word(said_of(one.trial, criterion), scored=is_scored(run, criterion)) for one in kin]
    told = members_of(run, kin, [(MARKS.get(word, "missing"), word) for word in words])
    place = next((number for number, one in enumerate(kin) if one.trial.variant == shown.variant), 0)
    keys = {place - 1: "ArrowLeft", place + 1: "ArrowRight"}
    members = tuple(
        StripMember(
            told=member,
            address=_address(run, one.trial, shown, wanted),
            current=number == place,
            key=keys.get(number, ""),
            picture=_picture(run, one.delivery),
            words=_words(one),
        )
        for number, (one, member) in enumerate(zip(kin, told, strict=True))
    )
    only = 0 if len(run.criteria) == 1 else criterion
    about = "the worst of all criteria" if only is None else visible(run.criteria[only]["criterion"])
    repeat = f", repeat {shown.repeat}" if run.document["repeats"]["count"] > 1 else ""
    return Strip(f"{about}{repeat}", members)


def _address(run: StoredRun, trial: StoredTrial, shown: StoredTrial, wanted: Wanted) -> str:
    repeat = str(trial.repeat) if shown.repeat or trial.repeat else ""
    return case_address(run.id, trial.case_id, [("variant", trial.variant), ("repeat", repeat), *wanted.around()])


def _picture(run: StoredRun, delivery: Delivery | None) -> Picture | None:
    return None if delivery is None or delivery.item is None else picture_of(run, [delivery.item])


def _words(kin: Kin) -> str:
    """Return what stands in place of a picture: the words that were delivered, or that there was no file."""
    if kin.delivery is None or kin.delivery.item is not None:
        return "nothing was delivered" if kin.delivery is None else ""
    value = field_of(kin.trial.input, kin.delivery.field)
    return "no file" if value is MISSING_FIELD or value is None else one_line(str(value), _LONGEST)


def original_of(
    reader: MediaReader, run: StoredRun, kin: Sequence[Kin], shown: StoredTrial, views: CaseViews
) -> Medium | None:
    """Return the file that the original was given where ``shown``, a variant of it, was given another; else None."""
    if shown.variant == ORIGINAL:
        return None
    fields = {one.field for one in shown.delivered if one.item is not None}
    return next(_originals(reader, run, kin, fields, views), None)


def _originals(
    reader: MediaReader, run: StoredRun, kin: Sequence[Kin], fields: set[str], views: CaseViews
) -> Iterator[Medium]:
    for one in kin:
        for delivery in one.trial.delivered if one.trial.variant == ORIGINAL else ():
            if delivery.item is not None and delivery.field in fields:
                item = replace(delivery.item, facts=delivery_facts(delivery))
                yield medium_of(reader, run.id, item, views.file(item))
