"""The command line. Each group of commands is a file of its own, loaded when it is used."""

from __future__ import annotations

import sys
import traceback

from oloproof.cli.group import root


def main() -> None:
    """Run the command line; a bug of ours keeps its traceback and ends with 2, like all that could not complete."""
    try:
        root(prog_name="oloproof")
    except Exception:  # noqa: BLE001 - the outermost edge
        traceback.print_exc()
        print("oloproof: this is a bug; please report it with the lines above", file=sys.stderr)
        sys.exit(2)
