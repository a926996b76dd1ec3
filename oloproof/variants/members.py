"""Who belongs to the family of a case, told before anything is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from oloproof.config.recipes import Recipe, recipes_of
from oloproof.config.variants import (
    BlankOptions,
    Condition,
    ConditionOptions,
    ReplacedOptions,
    UnrelatedOptions,
    VariantOptions,
)
from oloproof.records import ORIGINAL, Case, Relation
from oloproof.variants.fields import ABSENT, value_of

Way = Literal["made", "dropped", "other_case", "other_file", "words"]
_WAYS: dict[Condition, Way] = {
    "text_only": "dropped", "blank": "made", "unrelated": "other_case", "mirror": "made",
    "counterfactual": "other_file", "original_image": "other_file", "prompts": "words",
}  # fmt: skip


class Member(Struct, frozen=True):
    """One variant of one case. ``way`` is how its input comes about.

    ``made`` files have a recipe: its ``recipe`` name, ``amount`` and ``color``. ``source`` is the field of the case
    that replaces ``field``, with its ``index`` where it holds a list; ``expected`` the field whose keys replace those
    of what is expected.
    """

    name: str
    field: str
    relation: Relation
    way: Way
    recipe: str = ""
    amount: float = 0.0
    color: str = ""
    seed: int = 0
    source: str = ""
    index: int = 0
    expected: str | None = None


class Members:
    """The variants of a project, for each case; what is the same for all of them is worked out once."""

    def __init__(self, variants: Sequence[VariantOptions]) -> None:
        self._groups = [_group(entry) for entry in variants]

    def of(self, case: Case) -> Iterator[Member]:
        """Yield the variants that a case has, in the order of the file; ``original`` is none of them.

        A case has no ``counterfactual``, ``original_image`` or ``prompts`` when the field they come from is not there.
        """
        for group in self._groups:
            yield from group(case)


def _group(entry: VariantOptions) -> Callable[[Case], Iterable[Member]]:
    """Return what tells the members of one entry that a case has."""
    relations = entry.relations
    condition = entry.condition
    if entry.delivery is not None:
        field = entry.delivery.field
        same = [_delivered(recipe, field, relations[recipe.name]) for recipe in recipes_of(entry.delivery.apply)]
        return lambda case: same
    if condition is None:
        return lambda case: ()
    name, options = condition
    if isinstance(options, ReplacedOptions):
        return lambda case: _replaced(name, options, relations[name], case, _WAYS[name])
    only = [_condition(name, options, relations[name])]
    return lambda case: only


def _delivered(recipe: Recipe, field: str, relation: Relation) -> Member:
    return Member(recipe.name, field, relation, "made", recipe.form.name, recipe.amount)


def _condition(name: Condition, options: ConditionOptions, relation: Relation) -> Member:
    way = _WAYS[name]
    if isinstance(options, BlankOptions):
        return Member(name, options.field, relation, way, "blank", color=options.color)
    seed = options.seed if isinstance(options, UnrelatedOptions) else 0
    return Member(name, options.field, relation, way, name if way == "made" else "", seed=seed)


def _replaced(name: Condition, options: ReplacedOptions, relation: Relation, case: Case, way: Way) -> Iterator[Member]:
    found = value_of(case, options.source)
    if found is ABSENT or found is None:
        return
    count = len(found) if way == "words" and isinstance(found, list) else 1
    for index in range(count):
        called = f"prompt_{index + 1}" if way == "words" else name
        yield Member(
            called, options.field, relation, way, source=options.source, index=index, expected=options.expected
        )


def names_in_advance(variants: Sequence[VariantOptions], prompts: int) -> dict[str, Member]:
    """Return every variant that a run can have, by its name; ``prompts`` is the most wordings that a case has."""
    blank = Case(ORIGINAL, None)
    found: dict[str, Member] = {}
    for entry in variants:
        if entry.condition is None or not isinstance(entry.condition[1], ReplacedOptions):
            found |= {member.name: member for member in Members([entry]).of(blank)}
            continue
        name, options = entry.condition
        called = [f"prompt_{number + 1}" for number in range(prompts)] if name == "prompts" else [name]
        way = _WAYS[name]
        found |= {one: Member(one, options.field, entry.relations[name], way) for one in called}
    return found
