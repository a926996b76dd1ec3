"""What ``variants:`` may say: deliveries of a file in other forms, and conditions under which a case is asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field, StringConstraints, field_validator, model_validator

from oloproof.config.base import FieldPath, InWords, Options, ShortForm
from oloproof.config.recipes import RECIPE_TEXT, recipe_named
from oloproof.records import ORIGINAL, Relation

Condition = Literal["text_only", "blank", "unrelated", "mirror", "counterfactual", "original_image", "prompts"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

DEFAULT_RELATIONS: dict[Condition, Relation] = {
    "text_only": "control",
    "blank": "control",
    "unrelated": "control",
    "mirror": "answer_unchanged",
    "counterfactual": "answer_changes",
    "original_image": "answer_changes",
    "prompts": "answer_unchanged",
}

CaseField = Annotated[
    str,
    StringConstraints(pattern=r"^(input|expected)\.\S+$"),
    InWords("a field of the case that begins with input. or expected., such as expected.counterfactual"),
]


class DeliveryOptions(Options):
    """One file of the case, delivered in other forms: ``apply`` names the recipes.

    ``relation`` replaces what the recipes claim by themselves.
    """

    field: FieldPath
    apply: Annotated[list[Annotated[str, RECIPE_TEXT]], Field(min_length=1)]
    relation: Literal["same_view", "degraded"] | None = None

    @field_validator("apply")
    @classmethod
    def _once(cls, recipes: list[str]) -> list[str]:
        twice = next((name for number, name in enumerate(recipes) if name in recipes[:number]), None)
        if twice is not None:
            raise ValueError(f"{twice} stands here twice")
        return recipes


class ConditionOptions(Options):
    """A case asked again with one field of its input changed. ``relation`` replaces the condition's own."""

    field: FieldPath
    relation: Relation | None = None


class BlankOptions(ConditionOptions):
    """A file of the same size with nothing in it: one colour, or silence."""

    color: Annotated[
        str,
        StringConstraints(pattern=r"^(white|black|#[0-9a-fA-F]{6})$"),
        InWords("white, black or a colour such as #808080"),
    ] = "white"


class UnrelatedOptions(ConditionOptions):
    """The file of another case, chosen by ``seed``."""

    seed: Annotated[int, Field(ge=0)] = 0


class ReplacedOptions(ConditionOptions):
    """Something else in place of a field: what the field ``from`` of the case holds.

    ``expected`` names a field whose keys replace those of ``expected`` under this condition.
    """

    source: CaseField = Field(alias="from")
    expected: CaseField | None = None

    model_config = ConfigDict(populate_by_name=False)


class VariantOptions(Options):
    """One entry of ``variants:`` has exactly one key: ``delivery`` or the name of a condition."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    delivery: DeliveryOptions | None = None
    text_only: Annotated[ConditionOptions, ShortForm("field", str)] | None = None
    blank: Annotated[BlankOptions, ShortForm("field", str)] | None = None
    unrelated: Annotated[UnrelatedOptions, ShortForm("field", str)] | None = None
    mirror: Annotated[ConditionOptions, ShortForm("field", str)] | None = None
    counterfactual: ReplacedOptions | None = None
    original_image: ReplacedOptions | None = None
    prompts: ReplacedOptions | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> VariantOptions:
        given = [key for key in ("delivery", *CONDITIONS) if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"an entry has exactly one of delivery: and {', '.join(CONDITIONS)} (found {found})")
        return self

    @property
    def condition(self) -> tuple[Condition, ConditionOptions] | None:
        """The condition with its keys; None for a delivery."""
        for name in CONDITIONS:
            options = getattr(self, name)
            if options is not None:
                return name, options
        return None

    @property
    def field(self) -> str:
        """The field of the input that is changed."""
        found = self.condition
        if self.delivery is not None:
            return self.delivery.field
        return found[1].field if found is not None else ""

    @property
    def names_a_file(self) -> bool:
        """Whether the field that is changed names a file."""
        return self.prompts is None

    @property
    def relations(self) -> dict[str, Relation]:
        """The variants of this entry with what each claims to be; those of ``prompts`` have numbers of their own."""
        if self.delivery is not None:
            named = self.delivery.relation
            return {name: named or recipe_named(name).form.relation for name in self.delivery.apply if name != ORIGINAL}
        found = self.condition
        return {} if found is None else {found[0]: found[1].relation or DEFAULT_RELATIONS[found[0]]}


def clashing_names(variants: Sequence[VariantOptions]) -> Iterator[tuple[str, int, int]]:
    """Yield each variant that two entries make, with the places of both."""
    first: dict[str, int] = {}
    for number, entry in enumerate(variants):
        for name in entry.relations:
            if first.setdefault(name, number) != number:
                yield name, first[name], number
