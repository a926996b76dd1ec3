"""Families in the browser: the map is walked by keys, a member is held against its original, nothing spills."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.bars import CASES, VARIANTS, Bars
from tests.workbench.browser.conftest import Visits


def test_the_map_is_walked_by_arrows_to_a_case_whose_members_are_held_against_the_original(
    visits: Visits, bars: Bars
) -> None:
    visit = visits(bars)
    page = visit.open(f"/runs/{bars.run}")
    page.locator("select[name='variant']").select_option("blur-3")
    expect(page.get_by_role("link", name="shaped", exact=True)).to_have_attribute("href", re.compile("variant=blur-3"))
    expect(page.locator(".moves a")).to_have_count(len(CASES) * (1 + len(VARIANTS)))
    expect(page.locator(".moves a[tabindex='0']")).to_have_count(1 + len(VARIANTS))
    page.locator(".moves a").first.focus()
    visit.press("ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == "thin: passes in fewer repeats than the original"
    visit.go("Enter")
    expect(page).to_have_url(re.compile("/cases/thin.variant=blur-3&criterion=counted$"))
    visit.press("d")
    expect(page.locator(".pair-words")).to_contain_text("pixels differ")
    visit.go("ArrowLeft")
    expect(page).to_have_url(re.compile("variant=png-reencode.*#difference$"))
    expect(page.locator(".pair-words")).to_contain_text("No pixel of 6,144 differs.")
    visit.go("1")
    expect(page).to_have_url(re.compile("variant=png-reencode.*repeat=0"))


def test_axe_finds_nothing_in_families_and_nothing_spills(visits: Visits, bars: Bars) -> None:
    visit = visits(bars)
    found = {}
    for address in (f"/runs/{bars.run}?q=thin", bars.case("thin", "?variant=blur-3")):
        page = visit.open(address)
        found[address] = visit.accessibility_in_both_looks()
        assert not visit.spills, address
        page.set_viewport_size({"width": 1440, "height": 900})
    assert {address: told for address, told in found.items() if told} == {}
