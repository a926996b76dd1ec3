"""The JSON Schema of the documents that this room gives, which ships with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (Draft 2020-12) of what ``probe``, ``evaluate`` and ``compare`` return.

    Reports of ``parity=True`` have the older shape of tool 001 and are not held to it.
    """
    schema: dict[str, Any] = json.loads(files("oloproof.probes").joinpath("report.schema.json").read_text("utf-8"))
    return schema
