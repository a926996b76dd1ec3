"""``oloproof import``: projects from the files of earlier tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oloproof.cli.console import reported
from oloproof.cli.group import HELP_OPTIONS

if TYPE_CHECKING:
    from oloproof.importing import Imported

_FILE = click.Path(path_type=Path)
_INTO = click.option(
    "--into", metavar="DIR", type=_FILE, help="Where to write the project. Default: a folder named like the file."
)
_RESPONSES = click.option(
    "--responses", metavar="FILE", type=_FILE, help="Recorded answers to replay, {CASE: {VARIANT: [ANSWER]}}."
)
_PARITY = click.option("--parity", is_flag=True, help="Read answers as that tool read them, to the letter.")


@click.group("import", context_settings=HELP_OPTIONS, short_help="Make a project from the files of an earlier tool.")
def import_command() -> None:
    """Make a project from the files of an earlier tool. Nothing that exists is overwritten."""


@import_command.command("vision-check", short_help="From a suite of vision-input-check.")
@click.argument("suite", metavar="SUITE", type=_FILE)
@_RESPONSES
@_INTO
@click.option("--runs", type=click.IntRange(1, 1000), default=3, show_default=True, help="How often each is asked.")
@click.option("--max-identical-delta", type=click.FloatRange(0, 1), default=0.0, show_default=True, metavar="X")
@click.option("--min-lossy-accuracy", type=click.FloatRange(0, 1), metavar="X")
@click.option("--max-flaky", type=click.IntRange(0), metavar="N")
@_PARITY
@reported
def vision_check_command(
    suite: Path,
    responses: Path | None,
    into: Path | None,
    runs: int,
    max_identical_delta: float,
    min_lossy_accuracy: float | None,
    max_flaky: int | None,
    parity: bool,
) -> None:
    """Make a project from SUITE, a JSONL or JSON file of {id, image, question, assert}.

    The deliveries, the number of runs and the gates are those of that tool; its gates become rules.
    """
    from oloproof.importing import Gates, import_vision_check

    gates = Gates(max_identical_delta, min_lossy_accuracy, max_flaky)
    folder = into if into is not None else Path(suite.stem)
    _told(import_vision_check(suite, folder, responses=responses, runs=runs, gates=gates, parity=parity))


@import_command.command("prior-probe", short_help="From samples of vlm-prior-probe.")
@click.argument("samples", metavar="SAMPLES", type=_FILE)
@_RESPONSES
@_INTO
@_PARITY
@reported
def prior_probe_command(samples: Path, responses: Path | None, into: Path | None, parity: bool) -> None:
    """Make a project from SAMPLES, a JSON or JSONL file of samples with a visual and a prior value."""
    from oloproof.importing import import_prior_probe

    folder = into if into is not None else Path(samples.stem)
    _told(import_prior_probe(samples, folder, responses=responses, parity=parity))


def _told(imported: Imported) -> None:
    for path in imported.written:
        click.echo(f"wrote {path}")
    for note in imported.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"\n{imported.cases} cases; next: cd {imported.folder} && oloproof check, then oloproof run")
