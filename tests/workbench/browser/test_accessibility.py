"""Every page against WCAG 2.2 AA by axe, in both themes and widths."""

from __future__ import annotations

from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import WIDTHS, Visit

LOOKS = (("light", "wide"), ("dark", "narrow"))


def pages(shop: Shop) -> dict[str, str]:
    """Return an address of each kind of page and state."""
    return {
        "runs": "/",
        "runs of which none matches": "/?q=nothing-is-called-this",
        "run": shop.run,
        "cases as a table": f"{shop.run}?view=table&sort=score&slice.kind=png&q=square-0",
        "cases filtered to nothing": f"{shop.run}?outcome=invalid&criterion=none",
        "case with a clip and what the judge saw": shop.case("clip-h264"),
        "case with a sound": shop.case("voice"),
        "case with a drawing": shop.case("drawing"),
        "case of which a file changed": shop.case("changed"),
        "case that failed to run": shop.case("broken"),
        "no such case": shop.case("wid"),
    }


def test_axe_finds_nothing_on_any_page(visit: Visit, shop: Shop) -> None:
    found = {}
    for name, address in pages(shop).items():
        page = visit.open(address, expecting=(*DRIFTED, 404))
        for theme, width in LOOKS:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size(WIDTHS[width])
            found[name, theme, width] = visit.accessibility()
    assert {look: told for look, told in found.items() if told} == {}


def test_axe_finds_nothing_in_the_list_of_keys(visit: Visit, shop: Shop) -> None:
    page = visit.open("/")
    visit.press("?")
    assert page.get_by_role("dialog").is_visible()
    assert visit.accessibility() == []
