"""A suite of vision-input-check as a project: its fixtures, its deliveries, its three gates, its responses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from oloproof.evaluators.assertion import mistake_of
from oloproof.importing.reading import Rows, relative_to
from oloproof.importing.writing import Imported, live_system, quoted, rows_text, write_project
from oloproof.systems.replays import read_responses

DELIVERIES = ("png-reencode", "exif-strip", "jpeg-75", "jpeg-40", "resize-50", "grayscale", "webp")
_KEYS = ("id", "image", "question", "assert")


class Gates(Struct, frozen=True):
    """The gates of that tool; None is off."""

    max_identical_delta: float = 0.0
    min_lossy_accuracy: float | None = None
    max_flaky: int | None = None


def import_vision_check(
    suite: Path, folder: Path, *, responses: Path | None = None, runs: int = 3, gates: Gates | None = None, parity: bool
) -> Imported:
    """Write a project for a suite and return what was written.

    Pictures and responses stay where they are. With ``parity`` answers are compared as that tool compared them.

    Raises:
        OloproofError: the suite or the responses are not as they must be, each mistake with its line; a file that
            would be written exists.
    """
    rows = Rows(suite)
    cases = [_case(rows, line, row, suite, folder) for line, row in rows]
    ids: dict[str, int] = {}
    for case in filter(None, cases):
        ids[case["id"]] = ids.get(case["id"], 0) + 1
    for name, times in ids.items():
        if times > 1:
            rows.wrong(None, f"the id {name!r} stands {times} times")
    rows.refuse()
    notes = []
    if responses is not None:
        recorded = read_responses(responses, str(responses))
        extra = sorted(set(recorded) - set(ids))
        if extra:
            notes.append(f"{responses} has answers of fixtures that the suite does not have: {', '.join(extra[:5])}")
    files = {
        "oloproof.yaml": _project(suite, folder, responses, runs, parity),
        "release.yaml": _policy(gates or Gates()),
        "cases.jsonl": rows_text(case for case in cases if case is not None),
    }
    if responses is None:
        files["ask.py"] = live_system()
    return Imported(folder, write_project(folder, files), len(cases), tuple(notes))


def _case(rows: Rows, line: int | None, row: Mapping[str, Any], suite: Path, folder: Path) -> Mapping[str, Any] | None:
    before = len(rows.problems)
    for key in row:
        if key not in _KEYS:
            rows.wrong(line, f"unknown key {key}; accepted: {', '.join(_KEYS)}")
    for key in ("id", "image", "question"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            rows.wrong(line, f"{key} must be text and not empty")
    asserted = row.get("assert")
    mistake = "is required, and not given" if asserted is None else mistake_of(asserted)
    if mistake:
        rows.wrong(line, f"assert {mistake}")
    if len(rows.problems) > before:
        return None
    image = relative_to(row["image"], suite, folder)
    return {"id": row["id"], "input": {"image": image, "question": row["question"]}, "expected": asserted}


def _project(suite: Path, folder: Path, responses: Path | None, runs: int, parity: bool) -> str:
    system = "  callable: ask:answer"
    if responses is not None:
        path = relative_to(responses.name, responses.absolute(), folder.absolute())
        told = "# a list that is too short is gone through again"
        system = f"  name: {quoted(suite.stem)}\n  replay: {{path: {quoted(path)}, cycle: true}}    {told}"
    how = "parity: true" if parity else "parity: false"
    return f"""\
# Written by oloproof import vision-check from {suite.name}.
version: 1
project: {quoted(suite.stem)}
dataset: {{path: cases.jsonl, media: [image]}}
system:
{system}
repeats: {runs}
variants:
  - delivery: {{field: image, apply: [{", ".join(DELIVERIES)}]}}
evaluators:
  - {{type: assertion, criterion: answer, {how}}}    # parity: true compares as that tool did, to the letter
policy: release.yaml
"""


def _policy(gates: Gates) -> str:
    delta = (
        f"{gates.max_identical_delta:g}"
        if float(f"{gates.max_identical_delta:g}") == gates.max_identical_delta
        else repr(gates.max_identical_delta)
    )
    rules = [
        "# The first rule is not of that tool: with every original wrong, no variant can be worse. Raise its minimum.",
        "  - {id: original-not-all-wrong, metric: answer, min: 0.01, decide_on: estimate}",
        "# decide_on: estimate compares bare numbers, as that tool did; without it the whole interval must hold.",
        f"  - {{id: identical-delta, metric: answer, max_identical_delta: {delta}, decide_on: estimate}}",
    ]
    if gates.min_lossy_accuracy is not None:
        rules.append(
            f"  - {{id: lossy-accuracy, metric: answer, min_lossy_accuracy: {gates.min_lossy_accuracy!r}, "
            "decide_on: estimate}"
        )
    if gates.max_flaky is not None:
        rules.append(f"  - {{id: flaky, metric: answer, max_flaky: {gates.max_flaky}, decide_on: estimate}}")
    return "version: 1\nrules:\n" + "\n".join(rules) + "\n"
