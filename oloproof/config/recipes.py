"""The recipes by which a file is delivered in another form: their names, their amounts, what each claims to be.

Only what may be written is told here; :mod:`oloproof.media` knows how each is made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from oloproof.config.problems import found, nearest
from oloproof.records import ORIGINAL, Kind, Relation


class Amount(Struct, frozen=True):
    """The number that a recipe takes: what it counts, its least and its largest value, whether it must be whole."""

    noun: str
    low: float
    high: float
    whole: bool = True
    default: float | None = None
    never: float | None = None
    """A value that would change nothing."""


class RecipeForm(Struct, frozen=True):
    """One way to deliver a file. ``relation`` is what a file made by it claims to be to the original."""

    name: str
    kind: Kind
    does: str
    amount: Amount | None = None
    relation: Relation = "degraded"


_ALL = (
    RecipeForm("png-reencode", "image", "a PNG of the same pixels, written anew", relation="same_view"),
    RecipeForm("exif-strip", "image", "turned upright, then without camera data and texts", relation="same_view"),
    RecipeForm("jpeg", "image", "a JPEG", Amount("quality", 1, 100)),
    RecipeForm("webp", "image", "a lossy WebP", Amount("quality", 1, 100, default=80)),
    RecipeForm("avif", "image", "an AVIF", Amount("quality", 1, 100)),
    RecipeForm("resize", "image", "a PNG of so many percent of each side", Amount("percent", 1, 400, never=100)),
    RecipeForm("grayscale", "image", "a PNG without colours"),
    RecipeForm("crop", "image", "so many percent cut off at each edge", Amount("percent", 0.1, 49, whole=False)),
    RecipeForm("pad", "image", "a white border of so many pixels", Amount("number of pixels", 1, 4096)),
    RecipeForm(
        "rotate", "image", "turned clockwise by so many degrees, on white",
        Amount("angle in degrees", -180, 180, whole=False, never=0),
    ),
    RecipeForm(
        "noise", "image", "seeded noise of so many of 255 levels (standard deviation)",
        Amount("number of levels", 0.1, 255, whole=False),
    ),
    RecipeForm(
        "blur", "image", "blurred by a Gaussian of so many pixels (standard deviation)",
        Amount("radius in pixels", 0.1, 200, whole=False),
    ),
    RecipeForm("wav-reencode", "audio", "a WAV of the same samples", relation="same_view"),
    RecipeForm("flac", "audio", "a FLAC of the same samples", relation="same_view"),
    RecipeForm("mp3", "audio", "an MP3", Amount("number of kbit/s", 8, 320)),
    RecipeForm("opus", "audio", "an Opus file", Amount("number of kbit/s", 6, 510)),
    RecipeForm("resample", "audio", "a WAV of another sample rate", Amount("rate in Hz", 1000, 384_000)),
    RecipeForm("mono", "audio", "a WAV with all channels mixed into one"),
    RecipeForm(
        "gain", "audio", "louder, or below zero quieter, by so many decibels",
        Amount("number of decibels", -60, 60, whole=False, never=0),
    ),
    RecipeForm(
        "noise_snr", "audio", "seeded white noise, so many decibels below the loudest channel of the sound",
        Amount("number of decibels", -30, 60, whole=False),
    ),
    RecipeForm("trim", "audio", "without the silence at its beginning and its end"),
    RecipeForm("remux", "video", "the same streams in a new container", relation="same_view"),
    RecipeForm("h264", "video", "H.264 at a constant rate factor", Amount("rate factor", 0, 51)),
    RecipeForm("scale", "video", "H.264 of so many percent of each side", Amount("percent", 1, 400, never=100)),
    RecipeForm("fps", "video", "H.264 of so many frames a second", Amount("number of frames a second", 1, 240)),
    RecipeForm("mute", "video", "the same pictures without sound"),
)  # fmt: skip

FORMS: Mapping[str, RecipeForm] = {form.name: form for form in _ALL}
"""Every recipe by its name."""


class Recipe(Struct, frozen=True):
    """A recipe as it was written: ``given`` is its amount, None where none was."""

    form: RecipeForm
    given: float | None = None

    @property
    def name(self) -> str:
        """How its variant is called: ``grayscale``, ``jpeg-40``, ``blur-3``."""
        return self.form.name if self.given is None else f"{self.form.name}-{self.given:g}"

    @property
    def amount(self) -> float:
        """The amount, the usual one where none was given; 0 for a recipe that takes none."""
        if self.given is not None:
            return self.given
        return (self.form.amount.default if self.form.amount else None) or 0.0


_LEAST = 0.0001
"""The least amount that a name can hold."""


def recipe_named(text: str) -> Recipe:
    """Return the recipe that a name such as ``jpeg-40`` or ``webp`` stands for.

    Raises:
        ValueError: there is none of that name, or its amount is missing or out of range; the text says which there are.
    """
    form = FORMS.get(text)
    if form is not None:
        return _without_amount(form)
    base, dash, number = text.partition("-")
    form = FORMS.get(base)
    if form is None or not dash:
        raise ValueError(_no_such_recipe(text))
    if form.amount is None:
        raise ValueError(f"{form.name} takes no amount; write {form.name}")
    if not re.fullmatch(r"-?\d{1,7}(\.\d{1,6})?", number):
        raise ValueError(f"{text!r}: {number!r} is no number; {_example(form, number)}")
    return _checked(form, float(number))


def _without_amount(form: RecipeForm) -> Recipe:
    if form.amount is not None and form.amount.default is None:
        raise ValueError(f"{form.name} needs a {form.amount.noun}; {_example(form)}")
    return Recipe(form)


def _checked(form: RecipeForm, value: float) -> Recipe:
    """Return the recipe of a form that takes an amount; ``value`` is what was given."""
    amount = form.amount
    if amount is None:
        raise ValueError(f"{form.name} takes no amount; write {form.name}")
    if not math.isfinite(value) or not amount.low <= value <= amount.high:
        raise ValueError(
            f"{form.name}: the {amount.noun} must be between {amount.low:g} and {amount.high:g}, found {value:g}"
        )
    if amount.whole and value != int(value):
        raise ValueError(f"{form.name}: the {amount.noun} must be a whole number, found {value:g}")
    if 0 < abs(value) < _LEAST:
        raise ValueError(f"{form.name}: the {amount.noun} must be 0 or at least {_LEAST:g}, found {value:g}")
    if value == amount.never:
        raise ValueError(f"{form.name}-{value:g} changes nothing; original is always a member")
    return Recipe(form, value)


def _example(form: RecipeForm, meant: str = "") -> str:
    """Return how the recipe is written: with the number in ``meant``, such as ``64k``, where it takes that."""
    amount = form.amount
    if amount is None:
        return f"write {form.name}"
    written = re.search(r"-?\d+", meant)
    number = int(written[0]) if written else int((max(amount.low, 1) + amount.high) // 2)
    if not amount.low <= number <= amount.high:
        return f"write a number from {amount.low:g} to {amount.high:g}"
    return f"write {form.name}-{number} or {{{form.name}: {number}}}"


def _no_such_recipe(text: str) -> str:
    base, _, number = text.partition("-")
    near = nearest(base, FORMS)
    if near is not None and number and FORMS[near].amount:
        near = f"{near}-{number}"
    else:
        near = next((name for name in FORMS if name.startswith(f"{text}-")), None) or nearest(text, FORMS)
    hint = f"did you mean {near}?" if near else f"recipes: {', '.join(FORMS)}"
    return f"there is no recipe {text!r}; {hint}"


class _RecipeText:
    """Reads one entry of ``apply``: a name, or a mapping of a name to its amount. The long form is the name."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read_entry)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [_names_schema(), _amounts_schema()]}


RECIPE_TEXT = _RecipeText()


def _read_entry(value: Any) -> str:
    if value == ORIGINAL:
        return ORIGINAL
    if isinstance(value, str):
        return recipe_named(value).name
    if not isinstance(value, Mapping) or len(value) != 1:
        raise ValueError("expected the name of a recipe, such as jpeg-40, or one recipe with its amount: {blur: 3}")
    name, number = next(iter(value.items()))
    form = FORMS.get(name)
    if form is None:
        raise ValueError(_no_such_recipe(str(name)))
    if isinstance(number, bool) or not isinstance(number, int | float):
        needed = f"{name} needs a {form.amount.noun}, found {found(number)}; " if form.amount else ""
        raise ValueError(f"{needed}{_example(form, str(number))}")
    return _checked(form, number).name


def _names_schema() -> dict[str, Any]:
    """Return the schema of the names: every recipe without an amount, and those that take one with a number."""
    plain = [ORIGINAL, *(form.name for form in _ALL if form.amount is None or form.amount.default is not None)]
    counted = [form.name for form in _ALL if form.amount is not None]
    pattern = f"^({'|'.join(plain)}|({'|'.join(counted)})--?\\d+(\\.\\d+)?)$"
    return {"type": "string", "pattern": pattern}


def _amounts_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": {form.name: _number_schema(form.amount) for form in _ALL if form.amount is not None},
    }


def _number_schema(amount: Amount) -> dict[str, Any]:
    kind = "integer" if amount.whole else "number"
    return {"type": kind, "minimum": amount.low, "maximum": amount.high}


def recipes_of(texts: Sequence[str]) -> list[Recipe]:
    """Return the recipes of names that were read before; ``original`` is none."""
    return [recipe_named(text) for text in texts if text != ORIGINAL]
