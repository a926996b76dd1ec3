"""What stands in the files of a run that could not be completed, so that no earlier result is taken for its own.

Somebody reads these files after every run, also after one that ended with exit code 2: a pull request shows the
Markdown, a build server the JUnit XML.
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from oloproof.reports.html import content_policy_of, environment, style, trusted
from oloproof.reports.junit import opening_tag
from oloproof.reports.markdown import escaped
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import visible

TITLE = "not completed"
SENTENCE = "The run ended with exit 2, so nothing is decided."
_MOST_LINES = 50


def write_stopped(kind: str, stream: TextIO, error: str, root: Path) -> None:
    """Write why a run was not completed.

    Args:
        kind: ``html``, ``junit`` or ``markdown``.
        stream: where to, as UTF-8.
        error: why, in one line or several.
        root: the folder of the project, whose place HTML does not tell.
    """
    {"html": _html, "junit": _junit, "markdown": _markdown}[kind](stream, error, root)


def _html(stream: TextIO, error: str, root: Path) -> None:
    hide = Withholding(frozenset({"paths"}), root)
    css = style()
    stream.writelines(
        environment()
        .get_template("stopped.html.j2")
        .generate(
            title=TITLE,
            sentence=SENTENCE,
            error=visible(hide.text(error)),
            css=trusted(css),
            content_policy=content_policy_of(css),
        )
    )


def _junit(stream: TextIO, error: str, _root: Path) -> None:
    counts = {"tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(opening_tag("testsuites", name="oloproof", **counts) + opening_tag("testsuite", name="run", **counts))
    stream.write(opening_tag("testcase", classname="oloproof.run", name="the run is completed"))
    stream.write(opening_tag("error", type="not_completed", message=error))
    stream.write("</error>\n</testcase>\n</testsuite>\n</testsuites>\n")


def _markdown(stream: TextIO, error: str, _root: Path) -> None:
    lines = [line for line in error.splitlines() if line.strip()]
    stream.write(f"## Oloproof: {TITLE}\n\n{SENTENCE}\n\n")
    stream.writelines(f"- {escaped(line)}\n" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        stream.write(f"- and {len(lines) - _MOST_LINES} more\n")
