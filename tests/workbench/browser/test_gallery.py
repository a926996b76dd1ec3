"""The cases of a run: filtered, paged by key, walked through without a mouse, and the address says where one is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.workbench.browser.crowd import CASES, Crowd
from tests.workbench.browser.visit import Visit

FAILED = (CASES + 2) // 3


@pytest.fixture
def among_many(visits: Callable[..., Visit], crowd: Crowd, stage: object) -> Callable[..., Visit]:
    """Return a function that opens the run with more cases than a page holds."""

    def opened(**more: object) -> Visit:
        visit = visits(crowd, **more)
        visit.open(crowd.run)
        return visit

    return opened


def shown(page: Page) -> list[str]:
    """Return the ids of the cases in the gallery."""
    return page.locator(".gallery .id").all_inner_texts()


def test_filters_apply_themselves_and_the_address_keeps_them(among_many: Callable[..., Visit]) -> None:
    page = among_many().page
    page.get_by_label("Sort").select_option("run")
    expect(page).to_have_url(re.compile("sort=run"))
    page.get_by_label("lang").select_option("fr")
    expect(page.locator("[data-told]")).to_have_text("60 of 65 that match, 130 in the run")
    assert shown(page)[:2] == ["strip-001", "strip-003"]
    page.get_by_placeholder("Text in id, output, reason").fill("strip-03")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".gallery > li")).to_have_count(5)
    page.reload()
    assert shown(page) == [f"strip-03{digit}" for digit in (1, 3, 5, 7, 9)]
    page.go_back()
    expect(page.locator(".gallery > li")).to_have_count(60)
    outcomes = page.get_by_role("list", name="Outcomes")
    outcomes.get_by_role("link", name=re.compile("^fail")).click()
    expect(outcomes.get_by_role("link", name=re.compile("^fail"))).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile("lang=fr"))


def test_a_filter_that_gets_no_answer_says_so_and_one_that_came_too_late_is_not_shown(
    among_many: Callable[..., Visit],
) -> None:
    visit = among_many()
    page, told = visit.page, visit.page.locator("[data-told]")
    held = []
    visit.intercept("**/*slice.lang=fr*", lambda route: held.append(route))
    page.get_by_label("lang").select_option("fr")
    page.get_by_label("lang").select_option("de")
    expect(told).to_have_text("60 of 65 that match, 130 in the run")
    with page.expect_response("**/*slice.lang=fr*"):
        held[0].continue_()
    page.get_by_label("Sort").select_option("run")
    expect(page).to_have_url(re.compile("lang=de&sort=run"))
    assert shown(page)[0] == "strip-000"
    page.route("**/*", lambda route: route.abort())
    page.get_by_label("Sort").select_option("time")
    expect(told).to_have_text("Not filtered: the workbench does not answer; it may have been stopped.")
    expect(page).to_have_url(re.compile("lang=de&sort=run"))
    visit.faults.clear()


def test_who_comes_back_to_the_gallery_goes_on_from_the_case_that_was_opened(among_many: Callable[..., Visit]) -> None:
    visit = among_many()
    visit.press("j", "j", "j")
    visit.go("Enter")
    visit.page.go_back()
    expect(visit.page.locator(".tile:focus")).to_contain_text("strip-006")
    visit.press("j")
    assert "strip-009" in visit.focused


def test_cases_without_pictures_take_no_room_for_them(among_many: Callable[..., Visit]) -> None:
    page = among_many().page
    expect(page.locator(".gallery .mat").first).to_have_text("no media")
    heights = page.locator(".gallery .tile").evaluate_all("tiles => tiles.map((tile) => tile.offsetHeight)")
    assert max(heights) < 120


def test_pages_follow_each_other_by_a_key_without_a_gap(among_many: Callable[..., Visit]) -> None:
    visit = among_many()
    seen = shown(visit.page)
    seen += shown(visit.go("]"))
    seen += shown(visit.go("]"))
    assert sorted(seen) == [f"strip-{number:03}" for number in range(CASES)]
    assert seen[:FAILED] == [f"strip-{number:03}" for number in range(0, CASES, 3)]
    assert visit.page.get_by_role("link", name="Next").count() == 0
    assert shown(visit.go("[")) == seen[60:120]


def test_a_run_is_walked_through_by_keys_alone(among_many: Callable[..., Visit]) -> None:
    visit = among_many()
    heading = visit.page.get_by_role("heading", level=1)
    visit.press("j", "j", "k", "j", "j")
    assert "strip-006" in visit.focused
    visit.go("Enter")
    expect(heading).to_have_text("strip-006 fail")
    expect(visit.page.get_by_text("3 of 130")).to_be_visible()
    visit.go("j")
    expect(heading).to_have_text("strip-009 fail")
    visit.go("k")
    expect(heading).to_have_text("strip-006 fail")
    visit.go("g", "r")
    expect(heading).to_have_text("Runs")


def test_tab_enters_the_gallery_once(among_many: Callable[..., Visit]) -> None:
    visit = among_many()
    visit.press("j", "j", "Tab")
    assert "strip-" not in visit.focused


def test_the_keys_are_told_and_do_nothing_while_somebody_writes(among_many: Callable[..., Visit]) -> None:
    visit = among_many()
    page = visit.page
    visit.press("/")
    expect(page.get_by_placeholder("Text in id, output, reason")).to_be_focused()
    page.keyboard.type("j?g")
    expect(page.get_by_placeholder("Text in id, output, reason")).to_have_value("j?g")
    visit.press("Escape", "?")
    expect(page.get_by_role("dialog", name="Keys on this page")).to_be_visible()
    page.get_by_label("Keys of a single letter are on").uncheck()
    visit.press("Escape", "/")
    expect(page.get_by_placeholder("Text in id, output, reason")).not_to_be_focused()
    page.reload()
    visit.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_keys_that_were_turned_off_can_be_turned_on_in_a_narrow_window_too(
    among_many: Callable[..., Visit],
) -> None:
    """A page that is enlarged to 200 % is narrow, and `?` is a key of a single letter."""
    visit = among_many(width="narrow")
    page = visit.page
    for wanted in (False, True):
        page.get_by_role("button", name="Keys").click()
        page.get_by_label("Keys of a single letter are on").set_checked(wanted)
        page.keyboard.press("Escape")
    visit.press("j")
    expect(page.locator("[data-item]").first).to_be_focused()


def test_without_script_filters_are_a_form_and_pages_are_links(among_many: Callable[..., Visit]) -> None:
    page = among_many(java_script_enabled=False).page
    page.get_by_label("lang").select_option("de")
    page.get_by_placeholder("Text in id, output, reason").fill("strip-02")
    page.get_by_role("button", name="Apply").click()
    assert sorted(shown(page)) == [f"strip-02{digit}" for digit in (0, 2, 4, 6, 8)]
    page.get_by_role("link", name=re.compile("fail: strip-024")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("strip-024 fail")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("strip-02"))
