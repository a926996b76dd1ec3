"""The comment on a pull request."""

from __future__ import annotations

from io import StringIO

import pytest
from markdown_it import MarkdownIt

from oloproof.reports import write_markdown
from oloproof.reports.markdown import escaped

from .conftest import HOSTILE, RULES, Told, failed, passed


def markdown(bureau, run, conclusion, **options):
    stream = StringIO()
    write_markdown(stream, bureau.history, run, conclusion, **options)
    return stream.getvalue()


def test_a_small_run_reads_as_a_verdict_two_tables_and_folded_failures(bureau):
    run = bureau.run("r1", [Told("a", [passed()]), Told("b", [failed("too wide")])], ["fits"])
    conclusion, _ = bureau.conclude(run, {"id": "fit", "metric": "fits", "max_failures": 0})
    why = "fits: 1 of 2 cases failed; at most 0 allowed. Over the limit."
    assert (
        markdown(bureau, run, conclusion)
        == f"""\
## Oloproof: FAIL

1 of 1 rule blocks: fit. catalogue-media, describer&#64;&#8203;v8, 2 cases, run r1

| state | rule | reason | why |
|---|---|---|---|
| **FAIL** | fit | observed\\_failures\\_exceed\\_limit | {why} |

| criterion | n | pass | fail | missing | invalid | estimate | interval |
|---|--:|--:|--:|--:|--:|--:|---|
| fits | 2 | 1 | 1 | 0 | 0 | 50.0 % | \\[1.2 %, 98.8 %\\] |

<details><summary>1 trial of 2 did not pass</summary>

- **b**: fits fail: too wide

</details>
"""
    )


def test_without_rules_it_says_that_nothing_was_decided(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed)
    assert markdown(bureau, mixed, conclusion).startswith(
        "## Oloproof: nothing was decided: there are no rules\n\nThere are no rules. catalogue-media"
    )


def test_only_the_first_failures_are_listed_and_the_rest_is_counted(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES)
    text = markdown(bureau, mixed, conclusion, failures=2)
    assert text.count("\n- **") == 2
    assert "- and 3 more: `oloproof inspect --failures`" in text


@pytest.mark.parametrize(
    "text", [HOSTILE, "a | b", "@team", "<img src=x>", "`code`", "**bold** _it_", "[a](b)", "#12", "&#64;"]
)
def test_hostile_text_is_shown_as_it_is_and_nothing_else(text):
    rendered = MarkdownIt("commonmark").enable("table").renderInline("x " + escaped(text))
    assert "<" not in rendered
    assert "@\u200b" in rendered or "@" not in text.replace("&#64;", "")
    row = f"| {escaped(text)} |\n|---|\n| {escaped(text)} |\n"
    assert MarkdownIt("commonmark").enable("table").render(row).count("<td>") == 1


def test_a_hostile_run_keeps_its_tables_whole(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, {"id": HOSTILE.replace("\x00", ""), "metric": "fits", "max_failures": 0})
    text = markdown(bureau, mixed, conclusion)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<script" not in html
    assert "<a " not in html
    assert "@team" not in html
    assert html.count("<table>") == 2
    assert "#1\n" not in text
