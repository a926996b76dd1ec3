"""The families of a run before its first trial: how many members they have, and what can never be made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from oloproof import media
from oloproof.config import Project
from oloproof.config.recipes import FORMS
from oloproof.config.variants import VariantOptions
from oloproof.datasets import Dataset
from oloproof.errors import ConfigError, DatasetError, MediaMissing, Problem
from oloproof.media.formats import describe
from oloproof.media.reading import open_regular
from oloproof.records import Case, Facts
from oloproof.variants import Families, FamilyLook

_MOST_TOLD = 20
_WHAT = {"image": "images", "audio": "sounds", "video": "videos"}


class Relatives(Struct, frozen=True):
    """The families with the number of their members: ``each`` a case has, ``members`` in all where cases differ."""

    families: Families
    each: int
    members: int | None = None


def families_of(project: Project, dataset: Dataset, pick: Callable[[Iterator[Case]], Iterator[Case]]) -> Relatives:
    """Return the families of a dataset; all cases are looked at where a condition needs it.

    ``pick`` selects the cases that a run takes. Files are opened of the first case only: that all of them are of
    another kind than the recipes want is known then.

    Raises:
        ConfigError: a recipe is for another kind of file, or no case has the field that a condition comes from.
        DatasetError: cases hold something else there than a condition needs.
    """
    families = Families(project.options.variants, base=dataset.base, root=project.root)
    if not families:
        return Relatives(families, 1)
    _refuse_other_kinds(project, dataset)
    if families.must_look:
        look = families.look(iter(dataset))
        _refuse_missing(project, dataset, look)
    members = sum(len(families.names(case)) for case in pick(iter(dataset))) if families.uneven else None
    return Relatives(families, 1 + len(families.known), members)


def _refuse_other_kinds(project: Project, dataset: Dataset) -> None:
    first = next(iter(dataset), None)
    problems = []
    for number, entry in enumerate(project.options.variants):
        facts = _header(first, entry) if first is not None else None
        if first is not None and facts is not None:
            problems += list(_other_kinds(project, number, entry, facts, first))
    if problems:
        raise ConfigError(problems)


def _header(case: Case, entry: VariantOptions) -> Facts | None:
    path = case.files.get(entry.field)
    if entry.delivery is None or path is None:
        return None
    try:
        with open_regular(path, follow=True) as file:
            return media.facts_of(file, path=path, depth="header")
    except MediaMissing:
        return None  # that the file cannot be read is for its case to say


def _other_kinds(project: Project, number: int, entry: VariantOptions, facts: Facts, case: Case) -> Iterator[Problem]:
    for place, name in enumerate(entry.delivery.apply if entry.delivery else ()):
        form = FORMS.get(name) or FORMS.get(name.partition("-")[0])
        if form is not None and form.kind != facts.kind:
            fitting = [one.name for one in FORMS.values() if one.kind == facts.kind]
            there = f"; recipes for {_WHAT[facts.kind]}: {', '.join(fitting)}" if facts.kind else ""
            yield project.problem(
                ("variants", number, "delivery", "apply", place),
                f"{name} is for {_WHAT[form.kind]}, and {entry.field} of case {case.id!r} is "
                f"{describe(facts.format)}{there}",
            )


def _refuse_missing(project: Project, dataset: Dataset, look: FamilyLook) -> None:
    problems = []
    for number, entry in enumerate(project.options.variants):
        found = entry.condition
        source = getattr(found[1], "source", None) if found is not None else None
        if found is not None and source is not None and not look.met.get(source):
            problems.append(project.problem(("variants", number, found[0], "from"), f"no case has the field {source}"))
    if problems:
        raise ConfigError(problems)
    if look.problems:
        told = [
            Problem(dataset.shown, f"case {case.id!r}: {field}: {message}", case.line)
            for case, field, message in look.problems[:_MOST_TOLD]
        ]
        rest = len(look.problems) - len(told)
        if rest:
            told.append(Problem(dataset.shown, f"{rest} more cases like these"))
        raise DatasetError(told)
