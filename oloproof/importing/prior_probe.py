"""Samples of vlm-prior-probe as a project: its conditions are variants, its labels those of ``prior_probe``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oloproof.importing.reading import Rows, relative_to
from oloproof.importing.writing import Imported, live_system, quoted, rows_text, write_project
from oloproof.probes.samples import read_sample

_WORDS = ("visual_value", "prior_value", "visual_aliases", "prior_aliases", "other_values", "prompts")
_IMAGES = ("original_image", "counterfactual_image")
_MADE = {"blank_image": "blank", "unrelated_image": "unrelated"}
_KEYS = ("id", "prompt", "image", "attribute", "category", *_WORDS, *_IMAGES, *_MADE)


def import_prior_probe(samples: Path, folder: Path, *, responses: Path | None = None, parity: bool) -> Imported:
    """Write a project for samples and return what was written.

    Pictures stay where they are. A blank and an unrelated picture are made anew, whatever file a sample names. With
    ``parity`` answers are read as that tool read them.

    Raises:
        OloproofError: a sample is not as it must be, each mistake with its line; a file that would be written exists.
    """
    rows = Rows(samples)
    cases = [_case(rows, line, row, samples, folder, parity) for line, row in rows]
    found = [case for case in cases if case is not None]
    seen: set[str] = set()
    for case in found:
        if case["id"] in seen:
            rows.wrong(None, f"the id {case['id']!r} stands twice")
        seen.add(case["id"])
    rows.refuse()
    given = {key for _, row in Rows(samples) for key, value in row.items() if value is not None}
    files = {
        "oloproof.yaml": _project(samples, folder, given, found, responses, parity),
        "cases.jsonl": rows_text(found),
    }
    if responses is None:
        files["ask.py"] = live_system()
    notes = [
        f"{key} of the samples is not used: the variant {_MADE[key]} makes its own" for key in _MADE if key in given
    ]
    return Imported(folder, write_project(folder, files), len(found), tuple(notes))


def _case(
    rows: Rows, line: int | None, row: Mapping[str, Any], samples: Path, folder: Path, parity: bool
) -> Mapping[str, Any] | None:
    before = len(rows.problems)
    for key in row:
        if key not in _KEYS:
            rows.wrong(line, f"unknown key {key}; accepted: {', '.join(_KEYS)}")
    for key in ("image", *_IMAGES, *_MADE):
        if row.get(key) is not None and (not isinstance(row[key], str) or not row[key].strip()):
            rows.wrong(line, f"{key} must be the path of a file")
    if row.get("image") is None:
        rows.wrong(line, "image must be the path of a file")
    try:
        sample = read_sample({**row, "image": row.get("image")}, parity=parity)
    except (KeyError, TypeError, ValueError) as error:
        rows.wrong(line, str(error.args[0]))
        return None
    if len(rows.problems) > before:
        return None
    expected: dict[str, Any] = {key: row[key] for key in _WORDS if row.get(key)}
    expected |= {key: relative_to(row[key], samples, folder) for key in _IMAGES if row.get(key)}
    slice_ = {"attribute": sample.attribute, **({"category": sample.category} if sample.category is not None else {})}
    return {
        "id": sample.id,
        "input": {"image": relative_to(row["image"], samples, folder), "prompt": sample.prompt},
        "expected": expected,
        "slice": slice_,
    }


def _project(
    samples: Path,
    folder: Path,
    given: set[str],
    cases: Sequence[Mapping[str, Any]],
    responses: Path | None,
    parity: bool,
) -> str:
    variants = ["text_only: image"]
    if "original_image" in given:
        variants.append("original_image: {field: image, from: expected.original_image}")
    if "counterfactual_image" in given:
        variants.append("counterfactual: {field: image, from: expected.counterfactual_image}")
    if any(case["expected"].get("prompts") for case in cases):
        variants.append("prompts: {field: prompt, from: expected.prompts}")
    if "blank_image" in given:
        variants.append("blank: image")
    if "unrelated_image" in given and len(cases) > 1:
        variants.append("unrelated: image")
    system = "  callable: ask:answer"
    if responses is not None:
        path = relative_to(responses.name, responses.absolute(), folder.absolute())
        system = f"  name: {quoted(samples.stem)}\n  replay: {{path: {quoted(path)}, cycle: true}}"
    listed = "\n".join(f"  - {variant}" for variant in variants)
    return f"""\
# Written by oloproof import prior-probe from {samples.name}.
version: 1
project: {quoted(samples.stem)}
dataset: {{path: cases.jsonl, media: [image]}}
system:
{system}
variants:
{listed}
evaluators:
  - {{type: prior_probe, criterion: sees, parity: {str(parity).lower()}}}    # parity: true labels as that tool did
# policy:
#   rules:
#     - {{id: follows-the-picture, metric: sees, min: 0.8}}
#     - {{id: needs-the-picture, metric: sees.gain, variant: text_only, min: 0.2}}
#     - {{id: few-priors, metric: sees.prior_persistence_rate, max: 0.1}}
"""
