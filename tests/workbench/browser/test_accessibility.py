"""Every page against WCAG 2.2 AA by axe, in both themes and widths."""

from __future__ import annotations

from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import Visit


def pages(shop: Shop) -> dict[str, str]:
    """Return an address of each kind of page."""
    older, newer = shop.runs
    return {
        "runs": "/",
        "run": f"{shop.run}?slice.kind=png&q=square-0",
        "case with a clip and what the judge saw": shop.case("clip-h264"),
        "comparison": f"/compare?candidate={newer}&baseline={older}&criterion=caption_true",
        "judges": "/judges",
    }


def states(shop: Shop) -> dict[str, str]:
    """Return addresses of pages of these kinds in states that look otherwise."""
    return {
        "runs of which none matches": "/?q=nothing-is-called-this",
        "cases as a table": f"{shop.run}?view=table&sort=score&slice.kind=png&q=square-0",
        "cases filtered to nothing": f"{shop.run}?outcome=invalid&criterion=none",
        "case with a sound": shop.case("voice"),
        "case with a drawing": shop.case("drawing"),
        "case of which a file changed": shop.case("changed"),
        "case that failed to run": shop.case("broken"),
        "comparison of what is not chosen yet": "/compare",
        "no such case": shop.case("wid"),
    }


def test_axe_finds_nothing_on_any_page_light_and_wide_or_dark_and_narrow(visit: Visit, shop: Shop) -> None:
    found = {}
    for name, address in pages(shop).items():
        visit.open(address, expecting=DRIFTED)
        found[name] = visit.accessibility_in_both_looks()
    assert {name: told for name, told in found.items() if told} == {}


def test_axe_finds_nothing_in_any_state_of_a_page(visit: Visit, shop: Shop) -> None:
    found = {}
    for name, address in states(shop).items():
        visit.open(address, expecting=(*DRIFTED, 404))
        found[name] = visit.accessibility()
    assert {name: told for name, told in found.items() if told} == {}


def test_axe_finds_nothing_in_the_list_of_keys(visit: Visit, shop: Shop) -> None:
    page = visit.open("/")
    visit.press("?")
    assert page.get_by_role("dialog").is_visible()
    assert visit.accessibility() == []
