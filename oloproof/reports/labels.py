"""What ``labels status`` prints on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oloproof.reports.layout import GAP, Cell, Paint, plain, table, wrapped
from oloproof.reports.wording import count_words, one_line

NO_LABELS = "no sample yet; oloproof labels export --criterion C draws the first"


def labels_text(document: Mapping[str, Any], *, width: int = 80, paint: Paint = plain) -> str:
    """Return how far the labels of each criterion are; ``document`` is what ``labels status --json`` prints."""
    if not document["criteria"]:
        return NO_LABELS
    return "\n\n".join("\n".join(_lines(one, width, paint)) for one in document["criteria"])


def _lines(one: Mapping[str, Any], width: int, paint: Paint) -> list[str]:
    counts, persons = one["labels"], [one_line(name) for name in one["persons"]]
    facts = [
        f"{counts['validate']} labels to validate, {counts['develop']} to develop",
        f"{one['pass']} pass, {one['fail']} fail, {one['unsure']} unsure",
        f"by {', '.join(persons)}" if persons else "by nobody yet",
    ]
    lines = [paint(one["criterion"], "strong"), *wrapped("; ".join(facts), width, GAP)]
    head = ("sample of run", "purpose", "seed", "cases", "labelled", "settled")
    rows = [_row(sample) for sample in one["samples"]]
    lines += table(head, rows, align="lllrrr", width=width, paint=paint) if rows else []
    for sample in one["samples"]:
        if sample["unsettled"]:
            split = count_words(len(sample["unsettled"]), "case")
            some = ", ".join(one_line(case) for case in sample["unsettled"][:10])
            lines += wrapped(f"people are split on {split}, somebody has to settle them: {some}", width, GAP)
    if one["needed"]["skipped"]:
        skipped = count_words(one["needed"]["skipped"], "case")
        lines += wrapped(f"{skipped} skipped, unsure or split: they count against the judge", width, GAP)
    return lines + wrapped(one["needed"]["message"], width, GAP)


def _row(sample: Mapping[str, Any]) -> list[Cell]:
    return [
        Cell(sample["run"]),
        Cell(sample["purpose"]),
        Cell(one_line(sample["seed"])),
        Cell(f"{sample['size']:,} of {sample['frame']:,}"),
        Cell(f"{sample['labelled']:,}"),
        Cell(f"{sample['settled']:,}"),
    ]
