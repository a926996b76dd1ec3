"""What every model of a file of ours stands on: strict mappings, short forms, and the common kinds of text."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, core_schema


class InWords(Struct, frozen=True):
    """Says what a pattern asks for, in words for the person who broke it: ``Annotated[str, ..., InWords("...")]``."""

    text: str


class ShortForm(Struct, frozen=True):
    """Lets a mapping be written as one value: a value of type ``kind`` stands for ``{key: value}``.

    Used as ``Annotated[SomeOptions, ShortForm("path", str)]``.
    """

    key: str
    kind: type

    def expand(self, value: Any) -> Any:
        """Return the long form of ``value``; what is not in the short form stays as it is."""
        return {self.key: value} if isinstance(value, self.kind) and not isinstance(value, bool) else value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.expand, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        long = handler(schema)
        short = handler.resolve_ref_schema(long)["properties"][self.key]
        choices = [choice for choice in short.get("anyOf", [short]) if choice.get("type") != "null"]
        return {"anyOf": [*({k: v for k, v in choice.items() if k != "title"} for choice in choices), long]}


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Criterion = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$", max_length=100),
    InWords("letters, digits, _ and -, beginning with a letter or _"),
]
RepositoryPath = Annotated[str, StringConstraints(min_length=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
FieldPath = Annotated[str, StringConstraints(min_length=1)]


class Options(BaseModel):
    """The base of every mapping in a file of ours: unknown keys, wrong types and loose numbers are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, populate_by_name=True)
