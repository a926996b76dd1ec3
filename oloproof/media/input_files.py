"""Files that cases name: what is known of one from its bytes, and the record of it as a trial was given it."""

from __future__ import annotations

import os
from typing import Any

from msgspec import Struct

from oloproof import media
from oloproof.errors import MediaError
from oloproof.media.reading import FACTS_VERSION, MediaReader, open_regular
from oloproof.media.recording import stored_path
from oloproof.records import Facts, MediaItem


class InputFile(Struct, frozen=True):
    """A file that a case names in a field: its digest and what its header tells; or what is wrong with it."""

    path: str
    sha256: str = ""
    size: int = 0
    facts: dict[str, Any] | None = None
    problem: str = ""


def input_file(path: str, reader: MediaReader, *, making: bool = True) -> InputFile | None:
    """Return what is known of the file at an absolute path.

    Without ``making`` its header is not read, and None returned where nobody did before.
    """
    try:
        sha256 = reader.digest_of_path(path)
        facts = _facts(path, sha256, reader, making=making)
    except MediaError as error:
        return InputFile(path, problem=str(error))
    return None if facts is None else InputFile(path, sha256, facts["size"], facts)


def _facts(path: str, sha256: str, reader: MediaReader, *, making: bool) -> dict[str, Any] | None:
    name = f"header@{FACTS_VERSION}"
    kept = reader.measurements.get(sha256, name)
    if kept is None and making:
        with open_regular(path, follow=True) as file:
            kept = header_facts(media.facts_of(file, path=path, depth="header"))  # loaded only here
            kept["size"] = file.seek(0, 2)
        reader.measurements.put(sha256, name, kept)
    return kept


def header_facts(facts: Facts) -> dict[str, Any]:
    """Return what a header tells and a record of a file holds."""
    return {
        "kind": facts.kind,
        "format": facts.format,
        "media_type": facts.media_type,
        "width": facts.width,
        "height": facts.height,
        "duration": facts.duration,
    }


def input_item(
    field: str, path: str, sha256: str, size: int, facts: dict[str, Any], reader: MediaReader
) -> MediaItem | None:
    """Return the record of a file that a trial is given; None for what is no image, sound or video."""
    if facts["kind"] is None:
        return None
    return MediaItem(
        id="",
        role="input",
        kind=facts["kind"],
        name=field or os.path.basename(path),
        path=stored_path(reader.root, path),
        given=path,
        format=facts["format"],
        media_type=facts["media_type"],
        size=size,
        sha256=sha256,
        width=facts["width"],
        height=facts["height"],
        duration=facts["duration"],
    )
