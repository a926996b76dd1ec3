"""``oloproof media FILE``: all facts of files on disk, decoded to the end, beside what their names promise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from oloproof.errors import MediaMissing
from oloproof.media.digesting import sha256_of
from oloproof.media.facts import facts_of
from oloproof.media.reading import open_regular
from oloproof.media.sniffing import extension_matches
from oloproof.records import Finding


def survey(given: str) -> dict[str, Any]:
    """Return the facts of one file as JSON; symlinks are followed.

    Raises:
        MediaMissing: it cannot be opened.
        ToolMissing: it is audio or video and ffmpeg is not installed.
    """
    try:
        path = Path(given).resolve(strict=True)
    except (OSError, RuntimeError):
        raise MediaMissing(f"there is no file {given}", path=given, code="media_gone") from None
    with open_regular(path) as file:
        sha256 = sha256_of(file)
        size = os.fstat(file.fileno()).st_size
        facts = facts_of(file, path=path, depth="decoded")
    matches = extension_matches(path.name, facts.format)
    findings = list(facts.findings)
    if not matches:
        findings.append(Finding("extension_mismatch", f"the name ends in {path.suffix}, the bytes are {facts.format}"))
    return {
        "path": given,
        "kind": facts.kind,
        "format": facts.format,
        "media_type": facts.media_type,
        "size": size,
        "sha256": sha256,
        "width": facts.width,
        "height": facts.height,
        "stored_width": facts.stored_width,
        "stored_height": facts.stored_height,
        "orientation": facts.orientation,
        "duration": facts.duration,
        "frames": facts.frames,
        "animated": facts.animated,
        "has_audio": facts.has_audio,
        "decodable": facts.decodable,
        "extension_matches": matches,
        "color_mode": facts.color_mode,
        "profile": facts.profile,
        "extras": dict(facts.extras),
        "findings": [{"code": finding.code, "message": finding.message} for finding in findings],
    }
