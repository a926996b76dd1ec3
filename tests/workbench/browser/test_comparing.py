"""Two runs side by side: chosen from the list by keys, what broke first, both outputs of a case seen."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import Visit, colour_in_the_middle, is_like, size_when_loaded


def test_two_runs_are_chosen_by_keys_and_the_case_that_broke_is_seen_with_both_outputs(
    visit: Visit, shop: Shop
) -> None:
    page = visit.open("/", expecting=DRIFTED)
    visit.press("j", "x", "j", "x")
    expect(page.get_by_text("v2 against v1, 21 cases in both")).to_be_visible()
    key = page.get_by_role("button", name="Compare two runs").locator("kbd")
    ink, ground = key.evaluate("key => [getComputedStyle(key).color, getComputedStyle(key.parentElement).color]")
    assert ink == ground
    visit.go("c")
    page.get_by_role("link", name="caption_true").click()
    counts = page.locator(".case-counts")
    expect(counts).to_contain_text("2 fixed")
    expect(counts).to_contain_text("1 broken")
    opened = page.get_by_role("article", name="square-01")
    for version, said in (("v1", "blue"), ("v2", "red")):
        told = opened.get_by_role("region", name=re.compile(version))
        expect(told.locator(".answer")).to_have_text(said)
    opened.get_by_role("button", name="Side by side").click()
    for shown in (opened.locator("[data-layer=first]"), opened.locator("[data-layer=beside]")):
        assert min(size_when_loaded(shown)) > 0
        assert is_like(colour_in_the_middle(shown), (0, 0, 255))
    page.get_by_role("list", name="Which pairs").get_by_role("link", name=re.compile("Fixed")).click()
    expect(page.get_by_role("article", name="square-05")).to_be_visible()
    assert page.locator("#pairs [data-item]").all_inner_texts() == ["square-05", "square-07"]


def test_sides_are_swapped_by_a_key(visit: Visit, shop: Shop) -> None:
    older, newer = shop.runs
    page = visit.open(f"/compare?candidate={newer}&baseline={older}&criterion=caption_true", expecting=DRIFTED)
    expect(page.locator(".case-counts")).to_contain_text("1 broken")
    visit.go("x")
    expect(page).to_have_url(re.compile(f"candidate={older}"))
    expect(page.locator(".case-counts")).to_contain_text("2 broken")
