"""Samples as they are given, checked: what is shown, what it shows, and what one would expect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from oloproof.evaluators.priors import Vocabulary
from oloproof.evaluators.priors.recipe001 import plain_words

IMAGE_CONDITIONS = ("visual", "original", "counterfactual", "blank_image", "unrelated_image")
"""The conditions with a picture, in the order in which they are asked; ``text_only`` and the prompts follow."""

_TEXTS = ("id", "prompt", "attribute", "visual_value", "prior_value")
_LISTS = ("visual_aliases", "prior_aliases", "other_values", "prompts")


class Sample(Struct, frozen=True):
    """One picture with its question. ``images`` maps each condition that has one to its picture, whatever that is."""

    id: str
    prompt: str
    attribute: str
    category: Any
    visual: tuple[str, ...]
    prior: tuple[str, ...]
    other: tuple[str, ...]
    prompts: tuple[str, ...]
    images: Mapping[str, Any]
    vocabulary: Vocabulary | None

    @property
    def conditions(self) -> list[str]:
        """The conditions under which it can be asked, in order."""
        return [*(name for name in IMAGE_CONDITIONS if name in self.images), "text_only"]


def read_sample(
    given: Any, *, parity: bool, blank_image: Any = None, unrelated_image: Any = None, where: str = "sample"
) -> Sample:
    """Return a sample after checking it.

    Raises:
        TypeError: it is no mapping, or a list of its words is no list.
        KeyError: a key that it needs is not there.
        ValueError: a value is empty, the two values are the same, or stand for both sides.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{where} must be a mapping, not {type(given).__name__}")
    absent = next((key for key in (*_TEXTS, "image") if key not in given), None)
    if absent is not None:
        raise KeyError(f"{where} has no {absent!r}")
    texts = {key: _text(given[key], f"{where} {key!r}") for key in _TEXTS}
    lists = {key: _list(given.get(key), f"{where} {key!r}") for key in _LISTS}
    visual = (texts["visual_value"], *lists["visual_aliases"])
    prior = (texts["prior_value"], *lists["prior_aliases"])
    if plain_words(visual[0]) == plain_words(prior[0]) and (parity or visual[0].split() == prior[0].split()):
        raise ValueError(f"{where}: visual_value and prior_value are the same, {visual[0]!r}")
    return Sample(
        id=texts["id"],
        prompt=texts["prompt"],
        attribute=texts["attribute"],
        category=given.get("category"),
        visual=visual,
        prior=prior,
        other=lists["other_values"],
        prompts=lists["prompts"],
        images=_images(given, blank_image, unrelated_image),
        vocabulary=None if parity else _vocabulary(visual, prior, lists["other_values"], f"{where} {texts['id']!r}"),
    )


def read_samples(given: Any, *, parity: bool) -> list[Sample]:
    """Return the samples of any iterable; two of one id are refused.

    Raises:
        TypeError, KeyError, ValueError: as :func:`read_sample`, and for what is no list of samples.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError("samples must be a list or another iterable of mappings")
    samples, seen = [], set()
    for number, one in enumerate(given, 1):
        sample = read_sample(one, parity=parity, where=f"sample {number}")
        if sample.id in seen:
            raise ValueError(f"sample {number}: the id {sample.id!r} stands twice")
        seen.add(sample.id)
        samples.append(sample)
    return samples


def _vocabulary(visual: tuple[str, ...], prior: tuple[str, ...], other: tuple[str, ...], where: str) -> Vocabulary:
    try:
        return _kept_vocabulary(visual, prior, other)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


@lru_cache(maxsize=4096)
def _kept_vocabulary(visual: tuple[str, ...], prior: tuple[str, ...], other: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(visual, prior, other)


def _images(given: Mapping[str, Any], blank: Any, unrelated: Any) -> dict[str, Any]:
    images = {"visual": given["image"]}
    for condition, key in (("original", "original_image"), ("counterfactual", "counterfactual_image")):
        if given.get(key) is not None:
            images[condition] = given[key]
    for condition, called in (("blank_image", blank), ("unrelated_image", unrelated)):
        image = given.get(condition) if called is None else called
        if image is not None:
            images[condition] = image
    return images


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} must be text and not empty")
    return value


def _list(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"{what} must be a list of texts")
    found = tuple(value)
    if not all(isinstance(one, str) and one.strip() for one in found):
        raise ValueError(f"{what} must hold texts that are not empty")
    return found
