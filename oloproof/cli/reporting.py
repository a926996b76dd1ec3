"""``oloproof report`` and ``oloproof export``."""

from __future__ import annotations

import sys

import click

from oloproof.cli.console import reported
from oloproof.cli.files import written
from oloproof.cli.opening import opened_history, opened_reader, policy_of, writer_of
from oloproof.cli.options import RUN_HELP, config_option, run_argument
from oloproof.config import PolicyOptions
from oloproof.records import Notice
from oloproof.running.decided_again import decided_otherwise
from oloproof.running.deciding import Conclusion, conclude
from oloproof.storage import StoredRun

FORMATS = ("json", "jsonl", "csv", "junit", "markdown", "parquet")
_OF_TRIALS = ("jsonl", "csv", "parquet")
"""The forms that hold trials alone: no policy has to fit the run."""


@click.command("report", short_help="Write a run as one HTML file.", epilog=RUN_HELP)
@run_argument
@config_option
@click.option("--html", "html", metavar="FILE", required=True, help="Where to write it.")
@click.option("--thumbnails", is_flag=True, help="Embed small pictures of the recorded images.")
@click.option("--policy", metavar="FILE", help="Decide by this policy instead of the project's own.")
@reported
def report_command(run: str | None, config: str, html: str, thumbnails: bool, policy: str | None) -> None:
    """Write one self-contained HTML file: decisions, metrics with their intervals, failures first."""
    options = policy_of(config, policy)
    with opened_history(config) as history, opened_reader(history) as reader:
        found = history.find(run)
        conclusion = conclude(history, found, options)
        beside = _told(found, options) if policy is None else ()
        write = writer_of(
            "html", history, found, conclusion, reader, policy=options, thumbnails=thumbnails, beside=beside
        )
        written(html, write)
    click.echo(f"wrote {html}", err=True)


@click.command("export", short_help="Write a run as JSON, JSONL, CSV, JUnit, Markdown or Parquet.", epilog=RUN_HELP)
@run_argument
@config_option
@click.option("--format", "format_", type=click.Choice(FORMATS), default="json", show_default=True, help="The form.")
@click.option("--out", "out", metavar="FILE", help="Where to write it; standard output by default.")
@click.option("--policy", metavar="FILE", help="Decide by this policy instead of the project's own.")
@click.option(
    "--withhold",
    type=click.Choice(["paths"]),
    multiple=True,
    help="Leave out what should not leave the machine: paths, where files lie (their digests stay).",
)
@reported
def export_command(
    run: str | None, config: str, format_: str, out: str | None, policy: str | None, withhold: tuple[str, ...]
) -> None:
    """Write a stored run in a form for other programs."""
    if format_ == "parquet" and out is None and sys.stdout.isatty():
        raise click.UsageError("Parquet is no text for a terminal; name a file with --out")
    options = policy_of(config, policy)
    with opened_history(config) as history, opened_reader(history) as reader:
        found = history.find(run)
        decides = format_ not in _OF_TRIALS
        conclusion = conclude(history, found, options) if decides else Conclusion((), ())
        beside = _told(found, options) if decides and policy is None else ()
        write = writer_of(format_, history, found, conclusion, reader, withhold=frozenset(withhold), beside=beside)
        if out is None:
            write(sys.stdout)
        else:
            written(out, write)
            click.echo(f"wrote {out}", err=True)


def _told(run: StoredRun, policy: PolicyOptions | None) -> list[Notice]:
    """Return what to warn of when the project's policy is not the run's own, after saying it to who writes the file."""
    notices = list(decided_otherwise(run, policy))
    for notice in notices:
        click.echo(f"note: {notice.message}", err=True)
    return notices
