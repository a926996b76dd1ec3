"""``oloproof labels export``, ``oloproof labels import`` and ``oloproof labels status``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from oloproof.cli.console import painted, print_document, reported, terminal_width
from oloproof.cli.files import checked_target, written
from oloproof.cli.group import HELP_OPTIONS
from oloproof.cli.opening import opened_history, opened_reader
from oloproof.cli.options import RUN_HELP, config_option, json_option, run_argument
from oloproof.labels.csv_files import write_sheet
from oloproof.labels.exporting import sheet_of
from oloproof.labels.importing import DEFAULT_GUIDE, Imported, import_sheet
from oloproof.labels.progress import status_document
from oloproof.labels.sampling import DEFAULT_SIZE, Drawn, draw
from oloproof.reports.labels import labels_text
from oloproof.reports.wording import count_words
from oloproof.storage.labels import Purpose

guide_option = click.option(
    "--guide",
    metavar="VERSION",
    default=DEFAULT_GUIDE,
    show_default=True,
    help="The version of the instructions that people label by.",
)


@click.group(
    "labels", context_settings=HELP_OPTIONS, short_help="Draw cases for people to label, and take their labels."
)
def labels_command() -> None:
    """A judge decides nothing before people agree with it: they label a random sample without seeing its verdicts.

    Export a sample, let people fill in the column passed (pass, fail or unsure), import the sheet.
    """


@labels_command.command("export", short_help="Write a blind sample as a sheet.", epilog=RUN_HELP)
@run_argument
@config_option
@click.option("--criterion", metavar="NAME", required=True, help="What people are to say pass or fail of.")
@click.option(
    "--sample",
    "size",
    metavar="N",
    type=click.IntRange(min=1),
    help=f"How many cases; {DEFAULT_SIZE} by default, or those drawn before. More extends that sample.",
)
@click.option("--seed", metavar="TEXT", help="What the order of the cases comes from; a new random one by default.")
@click.option(
    "--purpose",
    type=click.Choice(["validate", "develop"]),
    default="validate",
    show_default=True,
    help="Whether a judge is held to these labels, or written with them in view.",
)
@click.option("--by", "labelled_by", metavar="NAME", default="", help="Who will label: leaves out what they have done.")
@guide_option
@click.option("--output", "output", metavar="FILE", help="Where to write the sheet; standard output by default.")
@reported
def export_command(
    run: str | None,
    config: str,
    criterion: str,
    size: int | None,
    seed: str | None,
    purpose: Purpose,
    labelled_by: str,
    guide: str,
    output: str | None,
) -> None:
    """Write a random sample of a run's cases as a CSV sheet for people: what the judge saw, never what it said.

    The sheet is UTF-8 with commas, and read with semicolons too; input, output and expected are JSON; media are paths
    from the project's folder, with ; between them. A ' before a text keeps spreadsheets from running or changing it.
    """
    if output is not None:
        checked_target(output)
    with opened_history(config) as history, opened_reader(history) as reader:
        found = history.find(run)
        drawn = draw(history, found, criterion, size=size, seed=seed, purpose=purpose)
        filled = sheet_of(history, found, drawn, reader, labelled_by=labelled_by, guide=guide)
        if output is None:
            write_sheet(sys.stdout, filled.rows)
        else:
            written(output, lambda stream: write_sheet(stream, filled.rows))
    for notice in (*drawn.notices, *filled.notices):
        click.echo(f"note: {notice.message}", err=True)
    click.echo(_exported(drawn, len(filled.rows), labelled_by, guide, output), err=True)


def _exported(drawn: Drawn, rows: int, labelled_by: str, guide: str, output: str | None) -> str:
    sample = drawn.sample
    name = labelled_by or "NAME"
    version = "" if guide == DEFAULT_GUIDE else f" --guide {guide}"
    return (
        f"{count_words(rows, 'case')} of {sample.frame} to {sample.purpose} {sample.criterion}, seed {sample.seed}; "
        f"then: oloproof labels import {output or 'FILE'} --by {name}{version}"
    )


@labels_command.command("import", short_help="Take a sheet that was filled in.")
@click.argument("file")
@config_option
@click.option("--by", "labelled_by", metavar="NAME", default="", help="Who labelled the rows that do not say so.")
@click.option("--run", "run", metavar="RUN", help="The run of the rows that do not say so.")
@guide_option
@click.option("--replace", "replacing", is_flag=True, help="Let new answers take the place of a person's earlier ones.")
@json_option
@reported
def import_command(
    file: str, config: str, labelled_by: str, run: str | None, guide: str, replacing: bool, as_json: bool
) -> None:
    """Take the labels of a filled-in sheet: all rows are checked first, then all are kept or none.

    The column passed takes pass, fail, unsure, true, false, yes, no, 1 and 0; an empty one is skipped.
    """
    with opened_history(config) as history:
        imported = import_sheet(history, Path(file), labelled_by=labelled_by, run=run, guide=guide, replacing=replacing)
    if as_json:
        print_document(_import_document(file, imported))
        return
    for notice in imported.notices:
        click.echo(f"note: {notice.message}", err=True)
    click.echo(_import_text(imported))


def _import_document(file: str, imported: Imported) -> dict[str, Any]:
    return {
        "file": file,
        "added": imported.added,
        "unchanged": imported.unchanged,
        "replaced": imported.replaced,
        "skipped": imported.skipped,
        "labels": dict(imported.purposes),
        "warnings": [{"code": notice.code, "message": notice.message} for notice in imported.notices],
    }


def _import_text(imported: Imported) -> str:
    parts = [f"{count_words(imported.added, 'label')} added"]
    parts += [f"{imported.unchanged} unchanged"] if imported.unchanged else []
    parts += [f"{imported.replaced} replaced"] if imported.replaced else []
    parts += [f"{count_words(imported.skipped, 'row')} without an answer yet"] if imported.skipped else []
    purposes = ", ".join(f"{count} to {purpose}" for purpose, count in imported.purposes.items() if count)
    return ", ".join(parts) + (f" ({purposes})" if purposes else "")


@labels_command.command("status", short_help="Say how far the labels are.")
@config_option
@click.option("--criterion", metavar="NAME", help="This criterion only.")
@json_option
@reported
def status_command(config: str, criterion: str | None, as_json: bool) -> None:
    """Say for each criterion what was labelled, by how many people, and how much more a validation needs."""
    with opened_history(config) as history:
        document = status_document(history, criterion)
    if as_json:
        print_document(document)
    else:
        click.echo(labels_text(document, width=terminal_width(), paint=painted))
