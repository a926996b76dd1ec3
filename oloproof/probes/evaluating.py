"""``probe`` and ``evaluate``: the questions of each sample, its labels, and the rates over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from oloproof import statistics as st
from oloproof.evaluators.priors import Vocabulary, read_answer, read_as_tool_001
from oloproof.probes.asking import Answer, Asker, OnError, Target, shown_image
from oloproof.probes.recipe001 import report_of_tool_001
from oloproof.probes.samples import Sample, read_sample, read_samples

LEVEL = 0.95
VERSION = "1"


class Question(Struct, frozen=True):
    """One question about a sample: under which condition, with which picture, in which words."""

    condition: str
    image: Any
    prompt: str


def probe(
    sample: Mapping[str, Any],
    target: Target,
    *,
    text_only: bool = True,
    conditions: Iterable[str] | None = None,
    blank_image: Any = None,
    unrelated_image: Any = None,
    on_error: OnError = "record",
    cache: bool = False,
    parity: bool = False,
) -> dict[str, Any]:
    """Ask ``target`` about one sample under each of its conditions, and label what it answers.

    Args:
        sample: ``id``, ``prompt``, ``image`` (anything that the target takes), ``attribute``, ``visual_value`` (what
            the picture shows), ``prior_value`` (what one would expect); and if wanted ``category``,
            ``visual_aliases``, ``prior_aliases``, ``other_values``, ``original_image``, ``counterfactual_image``,
            ``blank_image``, ``unrelated_image``, and ``prompts``, other words for the question.
        target: ``target(image, prompt)`` returns the answer as text; without a picture, ``image`` is None. It may be
            a coroutine function.
        text_only: also ask without a picture.
        conditions: only these of ``visual``, ``original``, ``counterfactual``, ``blank_image``, ``unrelated_image``
            and ``text_only``. Default: all that the sample has.
        blank_image: in place of the sample's own.
        unrelated_image: in place of the sample's own.
        on_error: ``record`` keeps what went wrong as a record; ``raise`` lets it out.
        cache: ask the same words with the same picture once.
        parity: as tool 001 does it, to the letter.

    Returns:
        A JSON document: the label of each condition with the answer, and what they come to together.

    Raises:
        KeyError, TypeError, ValueError: the sample, the target or a condition is not as it must be.
    """
    checked = read_sample(sample, parity=parity, blank_image=blank_image, unrelated_image=unrelated_image)
    asker = Asker(target, on_error=on_error, cache=cache)
    questions = questions_of(checked, text_only=text_only, conditions=conditions)
    answers = asker.ask([(one.image, one.prompt) for one in questions])
    return result_of(checked, questions, answers, parity=parity)


def evaluate(
    samples: Iterable[Mapping[str, Any]],
    target: Target,
    *,
    text_only: bool = True,
    bootstrap: int = 0,
    seed: st.Seed = 42,
    on_error: OnError = "record",
    cache: bool = True,
    concurrency: int = 1,
    parity: bool = False,
) -> dict[str, Any]:
    """Ask ``target`` about every sample and sum up: each rate with its numerator, its denominator and its interval.

    Args:
        samples: as for :func:`probe`; each with an id of its own.
        target: as for :func:`probe`.
        text_only: also ask without a picture.
        bootstrap: how often the labels are resampled; 0 leaves the bootstrap out. The exact intervals are always there.
        seed: of the bootstrap.
        on_error: as for :func:`probe`.
        cache: ask the same words with the same picture once, whichever sample they are of.
        concurrency: how many questions are asked at once, in threads; 1 or more.
        parity: as tool 001 does it, to the last digit of its report.

    Raises:
        KeyError, TypeError, ValueError: a sample, the target or an argument is not as it must be.
    """
    checked = read_samples(samples, parity=parity)
    times = bootstrap_count(bootstrap)
    asker = Asker(target, on_error=on_error, cache=cache, concurrency=concurrency)
    results = asked(checked, asker, text_only=text_only, parity=parity)
    if parity:
        return report_of_tool_001(results, bootstrap=times, seed=seed)
    return report_of(results, bootstrap=times, seed=seed)


def asked(samples: Sequence[Sample], asker: Asker, *, text_only: bool, parity: bool) -> list[dict[str, Any]]:
    """Return the result of every sample, all of their questions asked together."""
    questions = [questions_of(sample, text_only=text_only) for sample in samples]
    answers = iter(asker.ask([(one.image, one.prompt) for each in questions for one in each]))
    return [
        result_of(sample, each, [next(answers) for _ in each], parity=parity)
        for sample, each in zip(samples, questions, strict=True)
    ]


def questions_of(sample: Sample, *, text_only: bool, conditions: Iterable[str] | None = None) -> list[Question]:
    """Return the questions about a sample, in their order.

    Raises:
        TypeError, ValueError: ``conditions`` is no list, is empty, or names one that the sample does not have.
    """
    available = [name for name in sample.conditions if name != "text_only" or text_only]
    if conditions is not None:
        if isinstance(conditions, str) or not isinstance(conditions, Iterable):
            raise TypeError("conditions must be a list of names")
        wanted = set(conditions)
        if not wanted:
            raise ValueError("conditions must name at least one")
        if not wanted <= set(available):
            raise ValueError(
                f"the sample has no {', '.join(sorted(map(str, wanted - set(available))))}; it has {available}"
            )
        available = [name for name in available if name in wanted]
    asked = [Question(name, sample.images.get(name), sample.prompt) for name in available]
    if conditions is None:
        asked += [
            Question(f"prompt_{number}", sample.images["visual"], words)
            for number, words in enumerate(sample.prompts, 1)
        ]
    return asked


def result_of(
    sample: Sample, questions: Sequence[Question], answers: Sequence[Answer], *, parity: bool
) -> dict[str, Any]:
    """Return the document of one sample."""
    told = [_entry(sample, *each, parity=parity) for each in zip(questions, answers, strict=True)]
    conditions = {one["condition"]: one for one in told if not one["condition"].startswith("prompt_")}
    prompts = [one for one in told if one["condition"].startswith("prompt_")]
    primary = "counterfactual" if parity and "counterfactual" in sample.images else "visual"
    first = conditions.get(primary)
    labels = {name: one["classification"] if one["valid"] else None for name, one in conditions.items()}
    seen = labels.get(primary)
    return {
        "sample_id": sample.id,
        "attribute": sample.attribute,
        "category": sample.category,
        "executed_conditions": list(conditions),
        "primary_condition": primary,
        "classification": first["classification"] if first else "unclear",
        "valid": bool(first and first["valid"]),
        "conditions": conditions,
        "prompt_variants": prompts,
        "counterfactual_sensitive": _both(labels.get("original"), "prior", labels.get("counterfactual"), "visual"),
        "visually_reliant": _both(seen, "visual", labels.get("text_only"), "prior"),
        "prompt_corrected": _corrected(seen, prompts, parity=parity),
    }


def _corrected(seen: str | None, prompts: Sequence[Mapping[str, Any]], *, parity: bool) -> bool | None:
    """Return whether other words corrected the answer; None where that cannot be told. Tool 001 takes none for no."""
    if seen is None or not prompts:
        return None
    if parity:
        return seen == "prior" and any(one["classification"] == "visual" for one in prompts)
    said = {one["condition"]: one["classification"] if one["valid"] else None for one in prompts}
    return st.corrected_of({st.PRIMARY: seen, **said})


def _both(one: str | None, wanted: str, other: str | None, expected: str) -> bool | None:
    return None if one is None or other is None else one == wanted and other == expected


def _entry(sample: Sample, question: Question, answer: Answer, *, parity: bool) -> dict[str, Any]:
    text = answer.text
    label: str = "unclear"
    if text is not None and text.strip():
        if sample.vocabulary is None:
            label = read_as_tool_001(text, sample.visual, sample.prior, sample.other)
        else:
            label = _label(text, sample.vocabulary)
    return {
        "condition": question.condition,
        "image": repr(question.image) if parity and isinstance(question.image, bytes) else shown_image(question.image),
        "prompt": question.prompt,
        "response": text,
        "classification": label,
        "valid": text is not None and bool(text.strip()) and label != "refusal",
        "error": answer.error,
    }


@lru_cache(maxsize=16_384)
def _label(text: str, vocabulary: Vocabulary) -> str:
    """Return the label of an answer; models repeat themselves, so the last ones are kept."""
    return read_answer(text, vocabulary).label


def report_of(results: Sequence[Mapping[str, Any]], *, bootstrap: int, seed: st.Seed) -> dict[str, Any]:
    """Return the report over results: the rates as numbers, and each once more with all that it stands on."""
    labels = [labels_of(result) for result in results]
    rates = st.prior_rates(labels, LEVEL)
    primaries = Counter(one[st.PRIMARY] for one in labels if one.get(st.PRIMARY) is not None)
    drawn = None
    if bootstrap:
        counts = {label: primaries[label] for label in st.PRIOR_LABELS}
        drawn = st.bootstrap_label_rates(counts, resamples=bootstrap, seed=seed, level=LEVEL)
    return {
        "kind": "prior_probe_report",
        "version": VERSION,
        "samples": len(results),
        "valid_samples": sum(result["valid"] for result in results),
        "refusals": sum(result["classification"] == "refusal" for result in results),
        "errors": sum(one["error"] is not None for result in results for one in _entries(result)),
        **{name: rate.estimate for name, rate in rates.items()},
        "rates": {name: rate_document(rate) for name, rate in rates.items()},
        "confidence_level": LEVEL,
        "confidence_intervals": {name: rate_document(rate)["interval"] for name, rate in rates.items()},
        "bootstrap_iterations": bootstrap,
        "bootstrap_intervals": None
        if drawn is None
        else {name: list(drawn[label]) for name, label in st.LABEL_RATES.items()},
        "by_attribute": _groups(results, labels, "attribute"),
        "by_category": _groups(results, labels, "category"),
        "results": list(results),
    }


def rate_document(rate: st.PriorRate) -> dict[str, Any]:
    """Return a rate as JSON."""
    return {
        "estimate": rate.estimate,
        "numerator": rate.numerator,
        "denominator": rate.denominator,
        "unusable": rate.unusable,
        "interval": None if rate.interval is None else list(rate.interval),
    }


def labels_of(result: Mapping[str, Any]) -> st.Labels:
    """Return the label of each condition of a result, None where it has no usable answer."""
    labels = {one["condition"]: one["classification"] if one["valid"] else None for one in _entries(result)}
    if result["primary_condition"] in labels:
        labels[st.PRIMARY] = labels[result["primary_condition"]]
    return labels


def _entries(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*result["conditions"].values(), *result["prompt_variants"]]


def _groups(results: Sequence[Mapping[str, Any]], labels: Sequence[st.Labels], key: str) -> dict[str, Any]:
    """Return every rate for each attribute or category; samples without a category stand under ``""``."""
    groups: dict[str, list[st.Labels]] = {}
    for result, one in zip(results, labels, strict=True):
        name = "" if result[key] is None else str(result[key])
        groups.setdefault(name, []).append(one)
    return {
        name: {
            "samples": len(group),
            "valid_samples": sum(one.get(st.PRIMARY) is not None for one in group),
            **{rate: rate_document(found) for rate, found in st.prior_rates(group, LEVEL).items()},
        }
        for name, group in groups.items()
    }


def bootstrap_count(value: Any) -> int:
    """Return how often to resample.

    Raises:
        ValueError: it is no whole number of 0 or more.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("bootstrap must be a whole number of 0 or more")
    return value
