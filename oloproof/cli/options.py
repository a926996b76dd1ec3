"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

config_option = click.option(
    "--config",
    "config",
    metavar="FILE",
    default=".",
    show_default="oloproof.yaml here",
    help="The project file, or the folder that holds it.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
run_argument = click.argument("run", metavar="[RUN]", required=False)
RUN_HELP = "RUN is an id, a unique part of one, a version (its newest run), latest (the default) or latest~1."


def project_root(config: str) -> Path:
    """Return the folder of the project that ``--config`` names."""
    path = Path(config)
    return (path if path.is_dir() else path.parent).resolve()
