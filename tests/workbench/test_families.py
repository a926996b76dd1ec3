"""Families on the pages: the map of a run leads to cases, and a case has its members in a strip."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oloproof.running import run as run_project
from tests.bars import CASES, VARIANTS, Bars, open_bars
from tests.conftest import opened_once
from tests.workbench.conftest import tone
from tests.workbench.visiting import Page, Visitor


class Looker(Visitor):
    """A visitor of the bars."""

    def __init__(self, bars: Bars) -> None:
        super().__init__(bars.root)
        self.bars = bars

    def run(self, query: str = "") -> Page:
        page = self.get(f"/runs/{self.bars.run}{query}")
        assert page.status == 200
        return page

    def case(self, name: str, query: str = "") -> Page:
        page = self.get(self.bars.case(name, query))
        assert page.status == 200
        return page


@pytest.fixture(scope="module")
def bars(shared: Path) -> Iterator[Looker]:
    looker = Looker(opened_once(shared / "bars", open_bars))
    yield looker
    looker.desk.close()


def cells(page: Page) -> list[tuple[str, str]]:
    """Return the addresses that the map leads to, row by row, each with what its cell says."""
    (table,) = (one for name, one in page.elements if name == "tbody" and "data-cases" in one)
    cases, addresses = (json.loads(str(table[name])) for name in ("data-cases", "data-addresses"))
    found: list[tuple[str, str]] = []
    row: dict[str, Any] = {}
    for name, one in page.elements:
        if one.get("class") == "moves":
            row = {"query": str(one["data-query"]), "words": json.loads(str(one["data-words"])), "place": 0}
        elif name == "use" and str(one["href"]).startswith("#v-") and "x" in one:
            move, place = str(one["href"])[3:], row["place"]
            found.append((addresses[place] + row["query"], f"{cases[place]}: {row['words'][move]}"))
            row["place"] += 1
    return found


def tiles(page: Page) -> list[str]:
    return [str(one["href"]) for one in page.all("a", class_="tile")]


def test_every_cell_of_the_map_leads_to_its_case_at_its_variant(bars: Looker) -> None:
    found = cells(bars.run())
    assert len(found) == 6 * (1 + len(VARIANTS))
    thin = bars.bars.case("thin", "?variant=blur-3&criterion=counted")
    assert (thin, "thin: passes in fewer repeats than the original") in found
    opened = bars.get(found[-1][0])
    assert opened.status == 200
    assert [one["class"] for one in opened.all("a", aria_current="page") if "member" in str(one.get("class"))]


def test_a_map_is_written_in_few_bytes_a_cell(bars: Looker) -> None:
    """Forty cases in twenty variants are eight hundred cells, and a page is to stay below a hundred kilobytes."""
    page = bars.run()
    rows = re.findall(r'<svg class="moves".*?</svg>', page.source, re.DOTALL)
    shapes = [part for row in rows for part in re.findall(r"<use.*?>\s*", row)]
    assert sum(map(len, shapes)) <= 40 * len(shapes)


def test_every_figure_of_the_variants_stands_on_a_page_that_is_asked_for_them(bars: Looker) -> None:
    page = bars.run("?families=shaped&outcome=pass")
    assert "shaped.change_rate [blank]" not in page.words
    (address,) = (one for one in page.links("/runs/") if "figures=all" in one)
    shown = bars.get(address)
    assert "shaped.change_rate [blank]" in shown.words
    assert shown.all("details", id="figures")
    assert shown.all("input", name="figures", value="all")
    assert all("outcome=pass" in one for one in (address, *tiles(shown)))


def test_the_name_of_a_variant_leads_to_its_cases(bars: Looker) -> None:
    (address,) = (
        str(one["href"]) for one in bars.run().all("a", class_="name") if "variant=blur-3" in str(one["href"])
    )
    assert sorted(re.sub(r".*cases/(\w+)\?.*", r"\1", one) for one in tiles(bars.get(address))) == sorted(CASES)
    assert "criterion=counted" in address


def test_another_criterion_of_the_families_is_kept_in_the_address(bars: Looker) -> None:
    assert "moves counted from its original" in bars.run().words
    page = bars.run("?families=shaped&outcome=pass")
    assert "moves shaped from its original" in page.words
    assert page.all("input", name="families", value="shaped")
    assert all("families=shaped" in address for address in tiles(page))
    (other,) = (one for one in page.links("/runs/") if one.endswith("#families") and "families=counted" in one)
    assert "outcome=pass" in other


def test_without_variants_there_is_no_section_and_no_filter(tmp_path: Path) -> None:
    root = tmp_path
    open_bars(root, ["wide"])
    project = (root / "oloproof.yaml").read_text()
    plain = re.sub(r"variants:\n(  - .*\n)+", "", project).partition("policy:")[0]
    (root / "oloproof.yaml").write_text(plain)
    visitor = Visitor(root)
    page = visitor.get(f"/runs/{run_project(root).run.id}")
    assert page.status == 200
    assert "Families" not in page.words
    assert not page.all("select", name="variant")
    visitor.desk.close()


def test_the_gallery_is_of_the_original_unless_a_variant_is_asked_for(bars: Looker) -> None:
    """A control that fails, as it should, does not make every case fail."""
    assert "fail 2 " in bars.run().words
    assert "6 of 6" in bars.run("?variant=all&outcome=fail").words
    page = bars.run("?variant=blur-3&outcome=fail")
    assert sorted(re.sub(r".*cases/(\w+)\?.*", r"\1", address) for address in tiles(page)) == ["flaky", "thin", "wrong"]
    assert all("variant=blur-3&among=blur-3&outcome=fail" in address for address in tiles(page))
    (chosen,) = re.findall(r'<option value="blur-3" selected>', page.source)
    assert chosen
    assert "The run has no variant blur-9; it has original, png-reencode" in bars.run("?variant=blur-9").words


def test_a_tile_shows_what_was_delivered(bars: Looker) -> None:
    (original,), (blurred,) = (
        {str(one["src"]) for one in bars.run(f"?q=thin{more}").all("img")} for more in ("", "&variant=blur-3")
    )
    assert original != blurred
    assert re.search(r"/media/[^/]+/d\d+\.0/thumbnail", blurred)
    assert bars.client.get(blurred).status_code == 200


def strip(page: Page) -> dict[str, str]:
    """Return the words under each member of the strip, by its name."""
    part = page.source.partition('<ol class="members">')[2].partition("</ol>")[0]
    found = {}
    for member in part.split("<li>")[1:]:
        words = " ".join(re.sub(r"<[^>]+>", " ", member).split())
        name = re.search(r'class="id">([^<]+)<', member)
        assert name is not None
        found[name[1]] = words
    return found


def test_the_strip_has_the_members_in_order_with_what_was_found_of_each(bars: Looker) -> None:
    members = strip(bars.case("grey"))
    assert list(members) == ["original", *VARIANTS]
    assert members["original"].startswith("pass: original untouched png, 96 × 64")
    assert "so nothing was degraded" in members["grayscale"]
    assert "same view: refused: claims to be the same to people and is not" in members["crop-10"]
    assert members["text_only"].startswith("no file fail: text_only control")
    assert "error: blur-3" in strip(bars.case("crash"))["blur-3"]
    assert "RuntimeError: the reader lost its connection" in strip(bars.case("crash"))["blur-3"]
    assert '<span class="caption">of blur-3</span>' in bars.case("crash", "?variant=blur-3").source


def test_an_address_of_a_trial_that_is_not_there_says_that_another_one_is_shown(bars: Looker) -> None:
    """Somebody who was sent the address would otherwise take one answer for another."""
    told = "This case has no trial of variant jpeg-1, repeat 7; another one is shown."
    assert told in bars.case("thin", "?variant=jpeg-1&repeat=7").words
    assert "repeat 7; another one is shown" in bars.case("thin", "?repeat=7").words
    for query in ("", "?variant=blur-3", "?variant=blur-3&repeat=1", "?among=all&outcome=fail"):
        assert "another one is shown" not in bars.case("thin", query).words


def test_arrows_lead_to_the_members_beside_the_one_that_is_shown(bars: Looker) -> None:
    page = bars.case("thin", "?variant=blur-3&repeat=1&among=all&outcome=fail")
    keys = {str(one["data-key"]): str(one["href"]) for one in page.all("a") if one.get("data-key")}
    assert keys["ArrowLeft"] == bars.bars.case("thin", "?variant=png-reencode&repeat=1&among=all&outcome=fail")
    assert keys["ArrowRight"] == bars.bars.case("thin", "?variant=grayscale&repeat=1&among=all&outcome=fail")
    assert keys["1"] == bars.bars.case("thin", "?variant=blur-3&repeat=0&among=all&outcome=fail")
    assert {"ArrowRight"} == {key for key in ("ArrowLeft", "ArrowRight") if key in bars.case("thin").source}
    assert "blur-3: 0 of 2 pass; 6 of 14 pass in the family" in page.words


def test_a_variant_is_held_against_what_the_original_was_given(bars: Looker) -> None:
    def offered(page: Page) -> list[tuple[str, str]]:
        part = page.source.partition("data-side=")[2].partition("</select>")[0]
        return re.findall(r'<option value="([^"]+)"[^>]*>([^<]*)</option>', part)

    (first, second) = offered(bars.case("thin", "?variant=blur-3"))
    assert (first[1], second[1]) == ("Original", "blur-3")
    own = {str(one["src"]) for one in bars.case("thin").all("img") if "/thumbnail" not in str(one["src"])}
    assert own == {first[0]}
    assert bars.client.get(first[0]).content != bars.client.get(second[0]).content
    assert offered(bars.case("thin")) == []
    assert "shows the difference from the original" not in bars.case("thin", "?variant=text_only").words


def test_a_case_shows_its_original_first_and_says_where_it_stands_among_those(bars: Looker) -> None:
    page = bars.case("wide")
    assert "6 of 6" not in page.words
    current = [one for one in page.all("a", aria_current="page") if "member" in str(one.get("class"))]
    assert [str(one["class"]) for one in current] == ["member first"]


SOUNDS = """
version: 1
project: sounds
dataset: {path: cases.json, media: [sound]}
system: {callable: "sounds_for_families:hear"}
variants:
  - delivery: {field: sound, apply: [{gain: -6}]}
  - prompts: {field: question, from: input.others}
evaluators:
  - {type: contains, criterion: heard, text: tone}
"""


def test_a_sound_stands_beside_that_of_the_original_and_other_words_are_shown_as_words(tmp_path: Path) -> None:
    (tmp_path / "tone.wav").write_bytes(tone(0.2))
    (tmp_path / "oloproof.yaml").write_text(SOUNDS)
    (tmp_path / "sounds_for_families.py").write_text("def hear(case):\n    return 'a tone'\n")
    given = {"sound": "tone.wav", "question": "What is it?", "others": ["What do you <b>hear</b>?"]}
    (tmp_path / "cases.json").write_text(json.dumps([{"id": "c", "input": given}]))
    run, visitor = run_project(tmp_path).run.id, Visitor(tmp_path)
    page = visitor.get(f"/runs/{run}/cases/c?variant=gain--6")
    titles = re.findall(r'<h2 class="pane-title"[^>]*>(\w+)', page.source)
    sounds = [str(one["src"]) for one in page.all("audio")]
    members = strip(page)
    visitor.desk.close()
    assert titles[:2] == ["Original", "Input"]
    assert len(set(sounds)) == 2
    assert "What do you &lt;b&gt;hear&lt;/b&gt;?" in members["prompt_1"]


def test_only_the_criteria_themselves_are_counted_as_missing(bars: Looker) -> None:
    """The noise floor is not known here, as crop-10 was refused; of the original nothing is missing."""
    assert "0 missing0 invalid" in bars.get("/").words
    facts = bars.run().source.partition('<dl class="facts">')[2].partition("</dl>")[0]
    assert "executions failed" in facts
    assert "missing" not in facts
