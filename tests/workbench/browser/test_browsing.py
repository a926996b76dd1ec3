"""From the list of runs to the pixels of a case that failed, and to a file that is no longer what it was."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import Visit, colour_in_the_middle, is_like, size_when_loaded


def test_a_failed_case_is_a_few_clicks_away_and_its_pixels_are_seen(visit: Visit, shop: Shop) -> None:
    page = visit.open("/", expecting=DRIFTED)
    expect(page).to_have_title("Runs · captions")
    page.locator(f'a[href^="{shop.run}"]').first.click()
    page.get_by_role("link", name=re.compile("fail: wide")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("wide fail")
    expect(page.get_by_text("wide.png: width 200 px is above 100 px")).to_be_visible()
    picture = page.get_by_role("img", name="output picture wide.png")
    assert size_when_loaded(picture) == [200, 48]
    assert is_like(colour_in_the_middle(picture), (0, 0, 255))


def test_what_the_judge_saw_of_a_clip_is_shown_frame_by_frame(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("clip-h264"))
    frames = page.get_by_role("img", name=re.compile("at [0-9.]+ s$"))
    expect(frames).to_have_count(3)
    for frame, colour in zip(frames.all(), [(255, 0, 0), (0, 255, 0), (0, 0, 255)], strict=True):
        assert min(size_when_loaded(frame)) > 0
        assert is_like(colour_in_the_middle(frame), colour)


def test_a_file_that_changed_is_told_with_both_digests_and_not_shown(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("changed"))
    now = hashlib.sha256(next((shop.root / "out").glob("captioner@v2/**/changed.png")).read_bytes()).hexdigest()
    before = hashlib.sha256((shop.root / "media/changed.png").read_bytes()).hexdigest()
    told = page.locator(".drift")
    expect(told).to_contain_text("changed.png is changed")
    expect(told).to_contain_text(now)
    expect(told).to_contain_text(before)
    expect(told).to_contain_text("oloproof run")
    assert shown_roles(page) == ["input"]


def shown_roles(page: Page) -> list[str]:
    """Return the roles of the pictures that the case page shows."""
    return [str(image.get_attribute("alt")).split()[0] for image in page.locator("main [data-plate] img").all()]


def test_a_file_that_is_gone_says_where_it_was(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("gone"))
    expect(page.locator(".drift")).to_contain_text("gone.png is gone or not readable")
    expect(page.locator(".drift")).to_contain_text("out/captioner@v2/")
    assert shown_roles(page) == ["input"]


def test_the_gallery_tells_a_file_that_changed_from_one_that_is_gone(visit: Visit, shop: Shop) -> None:
    page = visit.open(f"{shop.run}?q=ed", expecting=DRIFTED)
    changed = page.get_by_role("link", name=re.compile("changed")).locator(".mat")
    expect(changed).to_have_attribute("data-words", "output image: changed since it was recorded")
    expect(changed.locator(".mark.changed")).to_be_visible()
    page = visit.open(f"{shop.run}?q=gone&view=table")
    gone = page.locator(".cases .mat").first
    expect(gone).to_have_attribute("title", "output image: gone or not readable")
    expect(gone.locator(".mark.missing")).to_be_visible()
    box = gone.bounding_box()
    assert box is not None
    assert box["height"] == box["width"]


def test_a_page_that_does_not_exist_is_a_page_with_a_way_on(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("wid"), expecting=[404])
    page.get_by_role("link", name="wide", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("wide fail")


def test_a_workbench_that_only_reads_says_so(visits: Callable[..., Visit], shop: Shop) -> None:
    page = visits(shop, read_only=True).open("/")
    expect(page.get_by_text("read-only")).to_be_visible()


def test_a_picture_that_failed_before_the_script_came_says_so_too(visit: Visit, shop: Shop) -> None:
    page, held = visit.page, []
    visit.expected.add(422)
    page.route("**/thumbnail", lambda route: route.fulfill(status=422, body=""))
    page.route("**/static/workbench.js", lambda route: held.append(route))
    page.goto(f"{visit.url}{shop.run}", wait_until="commit")
    page.locator(".gallery img").first.wait_for(state="attached")
    page.wait_for_function("() => document.querySelector('.gallery img').complete")
    while not held:
        page.wait_for_timeout(10)
    page.unroute("**/static/workbench.js")
    for route in held:
        route.continue_()
    expect(page.locator(".gallery .mat.absent").first).to_have_attribute("data-words", re.compile("cannot be shown"))
