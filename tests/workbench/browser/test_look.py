"""The look: a theme from the first paint on, no page wider than its window."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import WIDTHS, Visit
from tests.workbench.conftest import RUN, Exhibit, png

LIGHT, DARK = "rgb(251, 251, 250)", "rgb(18, 19, 20)"


def ground(page: Page) -> str:
    """Return the colour of the page."""
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_follows_the_system_until_somebody_chooses_one(visits: Callable[..., Visit], shop: Shop) -> None:
    visit = visits(shop, color_scheme="dark")
    page = visit.open("/")
    assert ground(page) == DARK
    visit.press("?")
    choose(page, "light")
    assert ground(page) == LIGHT
    visit.open(shop.run, expecting=DRIFTED)
    assert ground(page) == LIGHT
    visit.press("?")
    choose(page, "")
    assert ground(page) == DARK
    visit.open("/")
    assert ground(page) == DARK


def choose(page: Page, theme: str) -> None:
    """Choose a theme, and wait until the browser has stored its cookie: it does that beside the page."""
    page.get_by_label("Theme").select_option(theme)
    deadline = time.monotonic() + 20
    while "".join(one["value"] for one in page.context.cookies() if one["name"] == "theme") != theme:
        assert time.monotonic() < deadline
        page.wait_for_timeout(10)


def test_a_chosen_theme_stands_in_the_page_itself_so_that_nothing_flashes(
    visits: Callable[..., Visit], shop: Shop
) -> None:
    visit = visits(shop, color_scheme="light", java_script_enabled=False)
    visit.page.context.add_cookies([{"name": "theme", "value": "dark", "url": visit.url}])
    page = visit.open("/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("background-color", DARK)


def test_what_is_printed_is_light_also_where_a_dark_theme_was_chosen(visits: Callable[..., Visit], shop: Shop) -> None:
    visit = visits(shop)
    visit.page.context.add_cookies([{"name": "theme", "value": "dark", "url": visit.url}])
    page = visit.open("/")
    assert ground(page) == DARK
    page.emulate_media(media="print")
    assert ground(page) == "rgb(255, 255, 255)"


def test_a_phone_has_the_name_of_the_project_and_the_address_above_the_sections(visit: Visit, shop: Shop) -> None:
    page = visit.open("/")
    page.set_viewport_size(WIDTHS["narrow"])
    brand, aside, nav = (page.locator(f".bar {one}").bounding_box() for one in (".brand", ".aside", "nav"))
    assert brand is not None
    assert aside is not None
    assert nav is not None
    assert brand["height"] >= 36  # its words are in the middle, clear of the edge
    assert abs(brand["y"] + brand["height"] / 2 - aside["y"] - aside["height"] / 2) < 2
    for fact in visit.open(shop.run, expecting=DRIFTED).locator(".facts dt").all():
        assert fact.evaluate("name => name.scrollWidth <= name.clientWidth && name.clientHeight < 20")
    assert nav["y"] > brand["y"] + brand["height"] / 2
    label = page.locator(".filters .choice > span").first
    assert label.evaluate("words => words.scrollWidth <= words.clientWidth")


def test_a_theme_is_chosen_by_touch_where_there_are_no_keys(visits: Callable[..., Visit], shop: Shop) -> None:
    page = visits(shop, width="narrow", is_mobile=True, has_touch=True, color_scheme="light").open("/")
    assert ground(page) != DARK
    page.get_by_role("button", name="Theme").tap()
    shown = page.get_by_role("dialog", name="How pages look")
    assert shown.inner_text().split("\n")[0] == "How pages look"
    assert "Keys" not in shown.inner_text()
    choose(page, "dark")
    assert ground(page) == DARK


def test_a_phone_shows_each_metric_of_a_run_in_a_width_that_can_be_read(visit: Visit) -> None:
    page = visit.open("/")
    page.set_viewport_size(WIDTHS["narrow"])
    widths = page.locator(".runs td.metric").evaluate_all("cells => cells.map(cell => cell.offsetWidth)")
    assert min(widths) >= 120


def test_many_pictures_of_a_case_stand_beside_each_other_above_its_verdicts(
    visits: Callable[..., Visit], tmp_path: Path
) -> None:
    exhibit = Exhibit(tmp_path)
    for number in range(12):
        exhibit.record(f"{number}.png", png((400, 300 + number)))
    exhibit.store()
    page = visits(exhibit).open(f"/runs/{RUN}/cases/mug-1")
    expect(page.locator(".panes [data-plate][data-width]")).to_have_count(12)
    pictures = [one.bounding_box() for one in page.locator(".panes [data-picture]").all()]
    assert len({box["y"] for box in pictures if box is not None}) <= 6
    verdicts = page.locator("#verdicts").bounding_box()
    assert verdicts is not None
    assert verdicts["y"] < 2_000


def test_no_page_is_wider_than_its_window(visit: Visit, shop: Shop) -> None:
    for address in ("/", shop.run, f"{shop.run}?view=table", shop.case("clip-h264"), shop.case("markup")):
        page = visit.open(address, expecting=DRIFTED)
        for across in (320, 719, 960, 3840):
            page.set_viewport_size({"width": across, "height": 800})
            assert not visit.spills, (address, across)


def test_where_the_reader_chooses_the_colours_what_is_chosen_keeps_an_edge(
    visits: Callable[..., Visit], shop: Shop
) -> None:
    visit = visits(shop, forced_colors="active")
    page = visit.open(shop.run, expecting=DRIFTED)
    expect(page.locator(".views [aria-current]").first).to_have_css("outline-style", "solid")
    expect(page.locator(".views a:not([aria-current])").first).to_have_css("outline-style", "none")
    current, other = (
        page.locator(f".bar nav a{which}").first.evaluate("link => getComputedStyle(link).borderBottomColor")
        for which in ("[aria-current]", ":not([aria-current])")
    )
    assert current != other
    page = visit.open(shop.case("clip-h264"))
    expect(page.locator("[data-track]").first).to_have_css("forced-color-adjust", "none")
