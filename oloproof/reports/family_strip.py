"""The members of one case's family: what each was given, what that is to the original, and what was said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from oloproof.records import ORIGINAL, Delivery
from oloproof.reports.contexts import FamilyMember, Mark
from oloproof.reports.delivered import sameness_words
from oloproof.reports.wording import one_line, seconds_words, visible
from oloproof.running.deciding import relations_of
from oloproof.storage import StoredRun, StoredTrial

_LONGEST = 240
_REFUSED = "variant_refused"
"""The code that the verdicts of a variant carry that was not asked."""


class Kin(Struct, frozen=True):
    """One member: the trial that shows it, and what it was given; None where nothing was."""

    trial: StoredTrial
    delivery: Delivery | None


def kin_of(run: StoredRun, trials: Sequence[StoredTrial], repeat: int = 0) -> list[Kin]:
    """Return the members of a family in the order of the recipes, ``original`` first, each by one of its repeats.

    That is the one asked for, or else its first. A case without variants has no family, so nothing is returned.
    """
    order = [ORIGINAL, *relations_of(run.document)]
    found: dict[str, StoredTrial] = {}
    for one in trials:
        if one.variant not in found or one.repeat == repeat:
            found[one.variant] = one
    if len(found) < 2:
        return []
    names = sorted(found, key=lambda name: order.index(name) if name in order else len(order))
    return [Kin(found[name], _delivery(found[name])) for name in names]


def _delivery(trial: StoredTrial) -> Delivery | None:
    """Return what stood in the field that the variant changes; of the original, in the first field of all."""
    return trial.delivered[0] if trial.delivered else None


def members_of(run: StoredRun, kin: Sequence[Kin], said: Sequence[tuple[Mark, str]]) -> Iterator[FamilyMember]:
    """Yield the members as they are shown; ``said`` is the mark and the word of each."""
    relations = relations_of(run.document)
    for one, (mark, word) in zip(kin, said, strict=True):
        item = None if one.delivery is None else one.delivery.item
        relation = str(relations.get(one.trial.variant, "")).replace("_", " ")
        yield FamilyMember(
            name=visible(one.trial.variant),
            mark=mark,
            word=word,
            relation=relation or "untouched",
            fact=one_line(_fact(one), _LONGEST),
            measured="" if item is None else _measured(item.width, item.height, item.duration, item.format),
            size="" if item is None else f"{item.size:,} bytes",
            sha256="" if item is None else item.sha256,
            sha256_short="" if item is None else item.sha256[:8],
        )


def _fact(one: Kin) -> str:
    """Return why a member was not asked or failed, what was found of its file, or how that compares."""
    if one.trial.execution.error is not None:
        prefix = f"variant {one.trial.variant} "
        why = one.trial.execution.error.removeprefix(prefix)
        return f"refused: {why}" if is_refused(one.trial) else why
    if one.delivery is None:
        return ""
    if one.delivery.finding is not None:
        return one.delivery.finding.message
    return sameness_words(one.delivery)


def is_refused(trial: StoredTrial) -> bool:
    """Return whether a variant was not asked, because it cannot be made or is not what it claims to be."""
    return any(verdict.details.get("code") == _REFUSED for verdict in trial.verdicts)


def _measured(width: int | None, height: int | None, duration: float | None, form: str) -> str:
    size = f"{width} × {height}" if width and height else ""
    return ", ".join(part for part in (form, size, "" if duration is None else seconds_words(duration)) if part)
