"""What people and other programs read of a run: terminal text, HTML, JUnit, Markdown, CSV, JSON and Parquet.

A command needs one form or two, so each is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.reports.html import write_html
    from oloproof.reports.inspection import case_text, failures_text
    from oloproof.reports.junit import write_junit
    from oloproof.reports.markdown import write_markdown
    from oloproof.reports.parquet import write_parquet
    from oloproof.reports.tables import write_csv, write_json, write_jsonl
    from oloproof.reports.text import comparison_text, run_summary, runs_table

__all__ = [
    "case_text",
    "comparison_text",
    "failures_text",
    "run_summary",
    "runs_table",
    "write_csv",
    "write_html",
    "write_json",
    "write_jsonl",
    "write_junit",
    "write_markdown",
    "write_parquet",
]

_HOMES = {
    "html": ("write_html",),
    "inspection": ("case_text", "failures_text"),
    "junit": ("write_junit",),
    "markdown": ("write_markdown",),
    "parquet": ("write_parquet",),
    "tables": ("write_csv", "write_json", "write_jsonl"),
    "text": ("comparison_text", "run_summary", "runs_table"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
