"""The list of commands with their one-line helps, kept here so that ``oloproof --help`` loads none of them."""

from __future__ import annotations

import gc
from difflib import get_close_matches
from importlib import import_module

import click

from oloproof import __version__

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
"""The names of the help option, the same for every group."""

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("oloproof.cli.running", "Run every case, evaluate, and decide."),
    "runs": ("oloproof.cli.reading", "List the runs of this project, newest first."),
    "inspect": ("oloproof.cli.reading", "Show a run, one case of it, or what failed."),
    "gate": ("oloproof.cli.deciding", "Decide a stored run again, by its policy or another."),
    "compare": ("oloproof.cli.deciding", "Compare two runs case by case."),
    "plan": ("oloproof.cli.deciding", "Say how many more cases would decide."),
    "report": ("oloproof.cli.reporting", "Write a run as one HTML file."),
    "export": ("oloproof.cli.reporting", "Write a run as JSON, JSONL, CSV, JUnit, Markdown or Parquet."),
    "labels": ("oloproof.cli.labels", "Draw cases for people to label, and take their labels."),
    "evaluators": ("oloproof.cli.evaluators", "List evaluators; validate, try and probe judges."),
    "workbench": ("oloproof.cli.workbench", "Show runs in the browser, with their media."),
    "media": ("oloproof.cli.measuring", "Tell the truth about media files from their bytes."),
    "check": ("oloproof.cli.project", "Check a project before it is run."),
    "init": ("oloproof.cli.project", "Make a project that runs."),
    "import": ("oloproof.cli.importing", "Make a project from the files of an earlier tool."),
    "schema": ("oloproof.cli.project", "Print the JSON Schema of oloproof.yaml."),
    "doctor": ("oloproof.cli.project", "Say what this machine has and lacks."),
    "cache": ("oloproof.cli.caching", "Show or clear the answers kept from earlier runs."),
}


class LazyGroup(click.Group):
    """A group that knows the names and helps of its commands and loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a user meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), f"{cmd_name}_command")
        gc.freeze()  # what was imported stays, so nobody needs to look for garbage among it
        gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest commands where there is none of that name; click does so for commands that are loaded."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], COMMANDS)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise click.UsageError(f"{error.message}{hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings=HELP_OPTIONS)
@click.version_option(__version__, prog_name="oloproof")
def root() -> None:
    """Decide whether a system that receives or makes images, audio or video may ship.

    Exit codes: 0 every rule is satisfied; 1 at least one rule blocks; 2 the run could not be completed or started.
    """
