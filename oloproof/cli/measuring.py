"""``oloproof media``."""

from __future__ import annotations

import sys
from typing import Any

import click

from oloproof.cli.console import painted, print_document, print_error, reported
from oloproof.errors import MediaError, ToolMissing
from oloproof.media.survey import survey
from oloproof.reports.wording import one_line, visible


@click.command("media", short_help="Tell the truth about media files from their bytes.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@reported
def media_command(files: tuple[str, ...], as_json: bool) -> None:
    """Tell what each FILE is from its bytes: kind, format, displayed size, duration, frames, sound, and whether it
    decodes to the end.

    Exit codes: 0 all were read, 2 one could not be opened.
    """
    found: list[dict[str, Any]] = []
    errors: list[dict[str, str]] = []
    for given in files:
        try:
            found.append(survey(given))
        except MediaError as error:
            errors.append({"path": given, "code": error.code, "message": str(error)})
        except ToolMissing as error:
            errors.append({"path": given, "code": "tool_missing", "message": f"{given}: {error}"})
    if as_json:
        print_document({"files": found, "errors": errors})
    else:
        click.echo("\n\n".join(_words(facts) for facts in found))
    for problem in errors:
        print_error(visible(problem["message"]))
    sys.exit(2 if errors else 0)


def _words(facts: dict[str, Any]) -> str:
    lines = [painted(visible(facts["path"]).replace("\n", "\\n"), "strong")]
    lines += [f"  {name:<12} {one_line(value)}" for name, value in _rows(facts) if value is not None]
    lines += [f"  note         {one_line(finding['message'])} ({finding['code']})" for finding in facts["findings"]]
    return "\n".join(lines)


def _rows(facts: dict[str, Any]) -> list[tuple[str, str | None]]:
    kind = facts["kind"] or "no image, audio or video"
    shown, stored = _size(facts["width"], facts["height"]), _size(facts["stored_width"], facts["stored_height"])
    turned = f", {facts['orientation']}" if facts["orientation"] else ""
    size = shown if shown is None or shown == stored else f"{shown} (stored as {stored}{turned})"
    return [
        ("kind", f"{kind}: {facts['format']}, {facts['media_type']}"),
        ("bytes", f"{facts['size']:,}"),
        ("sha256", facts["sha256"]),
        ("size", size),
        ("duration", None if facts["duration"] is None else f"{facts['duration']:.3f} s"),
        (
            "frames",
            None if facts["frames"] is None else f"{facts['frames']}{' (animated)' if facts['animated'] else ''}",
        ),
        ("sound", None if facts["kind"] != "video" else "yes" if facts["has_audio"] else "none"),
        ("decodable", facts["decodable"]),
        ("profile", facts["profile"]),
    ]


def _size(width: int | None, height: int | None) -> str | None:
    return None if width is None or height is None else f"{width} × {height} px"
