"""What a trial was given and its system did not record: so that people see it beside the answer, or the failure."""

from __future__ import annotations

from oloproof.media import MediaReader
from oloproof.media.input_files import input_file, input_item
from oloproof.records import Case, Delivery, Execution


def given_files(case: Case, execution: Execution, reader: MediaReader) -> tuple[Delivery, ...]:
    """Return the media that a case names in its input, but for those that the system recorded as input itself."""
    recorded = {item.sha256 for item in execution.media if item.role == "input"}
    found = []
    for field, path in case.files.items():
        file = input_file(path, reader)
        if file is None or file.facts is None or file.sha256 in recorded:
            continue
        item = input_item(field, path, file.sha256, file.size, file.facts, reader)
        if item is not None:
            found.append(Delivery(field, item))
    return tuple(found)
