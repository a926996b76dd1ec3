"""What a trial was given and its system did not record: so that people see it beside the answer, or the failure."""

from __future__ import annotations

from collections.abc import Mapping

from oloproof.media import MediaReader
from oloproof.media.input_files import input_file, input_item
from oloproof.records import Case, Delivery, Execution


def given_files(
    case: Case, digests: Mapping[str, str], execution: Execution, reader: MediaReader
) -> tuple[Delivery, ...]:
    """Return the media that a case names in its input, but for those that the system recorded as input itself.

    ``digests`` has the sha256 of each field's file as the system was given it.
    """
    recorded = {item.sha256 for item in execution.media if item.role == "input"}
    found = []
    for field, sha256 in digests.items():
        file = input_file(path := case.files[field], reader) if sha256 not in recorded else None
        if file is None or file.facts is None or file.sha256 != sha256:  # the last: it was changed meanwhile
            continue
        item = input_item(field, path, file.sha256, file.size, file.facts, reader)
        if item is not None:
            found.append(Delivery(field, item))
    return tuple(found)
