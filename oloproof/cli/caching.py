"""``oloproof cache stats`` and ``oloproof cache clear``."""

from __future__ import annotations

import sys

import click

from oloproof.cli.console import print_document, reported
from oloproof.cli.group import HELP_OPTIONS
from oloproof.cli.opening import opened_history
from oloproof.cli.options import config_option, json_option
from oloproof.storage.upkeep import cache_stats, clear_cache


@click.group("cache", context_settings=HELP_OPTIONS, short_help="Show or clear the answers kept from earlier runs.")
def cache_command() -> None:
    """Answers of systems and measurements on files are kept under .oloproof/ and reused while they hold."""


@cache_command.command("stats")
@config_option
@json_option
@reported
def stats_command(config: str, as_json: bool) -> None:
    """Say what is kept and how large it is."""
    with opened_history(config) as history:
        stats = cache_stats(history.store)
    if as_json:
        print_document(stats)
        return
    for name, value in stats.items():
        click.echo(f"{name.replace('_', ' '):<24} {value}")


@cache_command.command("clear")
@config_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@reported
def clear_command(config: str, yes: bool) -> None:
    """Let no later run reuse an answer or a measurement; stored runs stay as they are.

    The files that variants were made of go too; the next run makes them again.
    """
    if not yes:
        _ask("Every case will be executed again in the next run. Go on?")
    with opened_history(config) as history:
        count = clear_cache(history.store)
    click.echo(f"{count} answers will not be reused any more; the runs that hold them stay")


def _ask(question: str) -> None:
    """Ask on the terminal, and go on with yes only.

    Raises:
        click.ClickException: nobody is there to answer.
    """
    try:
        click.confirm(question, abort=True, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        raise click.ClickException("nothing was cleared: nobody said yes; --yes says it without a question") from None
