"""Families in reports: variants on one axis, the map of their cases, the members of a case, and tables of words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from oloproof.media import MediaReader
from oloproof.reports import write_html, write_markdown
from oloproof.reports.case_views import CaseViews
from oloproof.reports.contexts import FamilyRow, FamilySection, RunPage
from oloproof.reports.pages import run_page
from oloproof.reports.text import run_summary
from oloproof.reports.withholding import Withholding
from oloproof.running.deciding import Conclusion, conclude, policy_of
from oloproof.running.documents import run_document
from oloproof.storage import History, Store, StoredRun
from tests.bars import CASES, VARIANTS, Bars, open_bars
from tests.conftest import opened_once

from .test_html import Page


class Told:
    """The run of the bars with what was concluded of it."""

    def __init__(self, bars: Bars, store: Store) -> None:
        self.history = History(store)
        self.run: StoredRun = self.history.find(bars.run)
        self.policy = policy_of(self.run)
        self.conclusion: Conclusion = conclude(self.history, self.run, self.policy)
        self.reader = MediaReader(bars.root)

    def page(self, conclusion: Conclusion | None = None) -> RunPage:
        hide = Withholding(frozenset(), self.history.store.root)
        views = CaseViews(self.reader, hide)
        found = conclusion or self.conclusion
        return run_page(self.history, self.run, found, views, hide, policy=self.policy, cases=3)

    def html(self) -> str:
        out = StringIO()
        write_html(out, self.history, self.run, self.conclusion, self.reader, policy=self.policy, thumbnails=True)
        return out.getvalue()


@pytest.fixture(scope="module")
def told(shared: Path) -> Iterator[Told]:
    bars = opened_once(shared / "bars", open_bars)
    with closing(Store(bars.root)) as store:
        yield Told(bars, store)


@pytest.fixture(scope="module")
def counted(told: Told) -> FamilySection:
    return told.page().families[0]


def row(section: FamilySection, variant: str) -> FamilyRow:
    return next(one for one in section.rows if one.variant == variant)


def moves(section: FamilySection, variant: str) -> dict[str, str]:
    """Return what became of each case, by its id."""
    return dict(zip((one.name for one in section.cases), row(section, variant).moves, strict=True))


def test_there_is_a_row_a_member_in_the_order_of_the_recipes_for_each_criterion(told: Told) -> None:
    families = told.page().families
    assert [one.criterion for one in families] == ["counted", "shaped"]
    assert [one.variant for one in families[0].rows] == ["original", *VARIANTS]
    assert [one.relation for one in families[0].rows[:4]] == ["baseline", "same view", "degraded", "degraded"]


def test_a_row_tells_the_stored_delta_with_its_denominators(told: Told, counted: FamilySection) -> None:
    delta = next(one for one in told.conclusion.metrics if (one.criterion, one.variant) == ("counted.delta", "blur-3"))
    assert delta.estimate == -0.2
    blurred = row(counted, "blur-3")
    assert (blurred.estimate, blurred.mark, blurred.state) == ("−20.0 points", "undecided", "INSUFFICIENT_EVIDENCE")
    assert blurred.told == (
        "0 better, 1 worse of 5 cases, 1 missing",
        "answer changed 30.0 %, in 2 of 5",
        "1 of 5 flip between repeats",
    )
    assert blurred.delta is not None
    assert blurred.delta.label.startswith("blur-3: change -20.0 points [-87.4, +49.8]; blur-holds wants at least")


def test_a_rule_about_the_worst_of_a_relation_puts_its_bar_on_each_of_them(counted: FamilySection) -> None:
    grey = row(counted, "grayscale")
    assert grey.delta is not None
    assert grey.delta.allowed == "right"
    assert (grey.mark, grey.state) == ("pass", "PASS")
    assert row(counted, "png-reencode").mark is None
    assert "worst-degraded wants at least −30 points of the worst degraded variant" in counted.notes[-1]


def test_the_gain_over_a_control_is_told_as_the_change_to_it(counted: FamilySection) -> None:
    blank = row(counted, "blank")
    assert blank.estimate == "−75.0 points"
    assert blank.told[0] == "0 better, 5 worse of 6 cases"


def test_the_map_says_of_each_case_what_became_of_it(counted: FamilySection) -> None:
    assert moves(counted, "original") == {
        "wide": "passes", "thin": "passes", "flaky": "mixed", "grey": "passes", "wrong": "fails", "crash": "passes",
    }  # fmt: skip
    assert moves(counted, "blur-3") == {
        "wide": "passes", "thin": "broke", "flaky": "mixed", "grey": "passes", "wrong": "fails", "crash": "missing",
    }  # fmt: skip
    assert moves(counted, "blank")["wrong"] == "other_answer"
    assert set(moves(counted, "crop-10").values()) == {"missing"}
    assert next(iter(moves(counted, "blur-3"))) == "thin"
    assert counted.heading == "All 6 cases, those that move most on the left"
    assert row(counted, "blur-3").summary.startswith("blur-3: passes, as the original does: 2; fails, as")
    assert {one.move for one in counted.signs} == {"passes", "fails", "other_answer", "broke", "mixed", "missing"}


def test_a_cell_leads_to_its_case_where_the_page_shows_it(told: Told, counted: FamilySection) -> None:
    shown = [one.id for one in told.page().cases]
    cells = {one.name: one.address for one in counted.cases}
    assert len(shown) == 3
    assert {case for case, address in cells.items() if address} == set(shown)
    assert cells[shown[1]] == "#case-2"


def test_the_noise_floor_is_a_band_about_zero(told: Told, counted: FamilySection) -> None:
    assert counted.band_x is None  # crop-10 was refused, so the floor is not known
    metrics = tuple(
        replace(one, estimate=0.1, observed=6) if one.criterion == "counted.noise_floor" else one
        for one in told.conclusion.metrics
    )
    section = told.page(replace(told.conclusion, metrics=metrics)).families[0]
    assert section.band_x is not None
    assert section.band_width is not None
    middle = float(section.band_x.rstrip("%")) + float(section.band_width.rstrip("%")) / 2
    assert middle == pytest.approx(float(section.zero.rstrip("%")), abs=0.02)
    assert section.notes[0].startswith("Grey band: the noise floor, ±10.0 points.")


def test_what_families_tell_stands_in_no_other_table(told: Told, counted: FamilySection) -> None:
    page = told.page()
    beside = {one.criterion for one in page.metrics}
    assert beside == {
        *(f"{name}{more}" for name in ("counted", "shaped") for more in ("", ".noise_floor", ".flip_rate", ".pass^2")),
        *(f"{name}.worst_delta ({of})" for name in ("counted", "shaped") for of in ("same_view", "degraded")),
    }
    assert {"counted [blur-3]", "counted.effect [blur-3]", "counted.change_rate [blank]"} <= {
        one.criterion for one in counted.metrics
    }
    assert len(page.metrics) + sum(len(one.metrics) for one in page.families) == len(told.conclusion.metrics)


def test_the_members_of_a_case_are_told_with_what_was_found_of_them(told: Told) -> None:
    hide = Withholding(frozenset({"paths"}), told.history.store.root)
    trials = list(told.history.trials(told.run, case="grey"))
    members = {one.name: one for one in CaseViews(told.reader, hide).members(told.run, trials)}
    assert list(members) == ["original", *VARIANTS]
    assert (members["original"].relation, members["original"].word) == ("untouched", "pass")
    assert "every pixel or sample is the same" in members["grayscale"].fact
    assert members["crop-10"].fact.startswith("refused: claims to be the same to people and is not")
    assert members["blank"].relation == "control"
    assert members["text_only"].size == members["text_only"].sha256 == ""
    assert members["blur-3"].sha256_short == members["blur-3"].sha256[:8]
    assert members["blur-3"].measured == "png, 96 × 64"


def test_the_html_report_has_the_same_and_needs_nothing_beside_it(told: Told) -> None:
    source = told.html()
    page = Page(source)
    for words in ("Families", "The same case, delivered otherwise", "refused: claims to be the same", "a different"):
        assert (words in page.text) == (words != "a different")
    assert len(page.all("use")) > len(CASES) * len(VARIANTS)
    assert not [one for one in page.all("use") if not str(one["href"]).startswith("#")]
    shapes = {str(one["id"]) for kind in ("symbol", "g") for one in page.all(kind) if "id" in one}
    assert {str(one["href"])[1:] for one in page.all("use")} <= shapes
    anchors = {f"#{one['id']}" for _, one in page.elements if "id" in one}
    assert {str(one["href"]) for one in page.all("a")} <= anchors
    assert "style=" not in source


def test_a_run_without_variants_has_no_families(bureau: Any, mixed: StoredRun) -> None:
    conclusion, policy = bureau.conclude(mixed)
    out = StringIO()
    write_html(out, bureau.history, mixed, conclusion, bureau.reader, policy=policy)
    assert "Families" not in Page(out.getvalue()).text


def test_one_case_is_told_as_a_table_without_a_map(tmp_path: Any) -> None:
    bars = open_bars(tmp_path, ["thin"])
    with closing(Store(bars.root)) as store:
        told = Told(bars, store)
        (section, _) = told.page().families
        text = Page(told.html()).text
    assert section.single
    assert "What became of the one case" in text
    assert "thin: passes in fewer repeats than the original" in text


def test_words_on_a_terminal_and_in_markdown_have_a_row_a_variant(told: Told) -> None:
    document = run_document(told.history, told.run, told.conclusion)
    text = run_summary(document, width=120)
    (line,) = (one for one in text.splitlines() if one.startswith("blur-3 (degraded)") and "-20.0" in one)
    assert line.split()[2:] == [
        "-20.0", "points", "[-87.4,", "+49.8]", "0", "1", "5", "of", "6", "30.0", "%", "in", "2", "1",
    ]  # fmt: skip
    assert "counted.delta" not in text.partition("INSUFFICIENT_EVIDENCE")[0]
    out = StringIO()
    write_markdown(out, told.history, told.run, told.conclusion)
    row = "| blur-3 (degraded) | -20.0 points | \\[-87.4, +49.8\\] | 0 | 1 | 5 of 6 | 30.0 % in 2 | 1 |"
    assert row in out.getvalue().splitlines()
