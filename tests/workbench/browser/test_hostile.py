"""What systems and models say, and what lies in files, does nothing in the browser of who reads it."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.workbench.browser.shop import DRIFTED, MARKUP, Shop
from tests.workbench.browser.visit import Visit

FORCED = """async leak => {
    const kept = new Set();
    document.addEventListener('securitypolicyviolation', event => kept.add(event.effectiveDirective));
    document.body.insertAdjacentHTML('beforeend', `
        <img src="${leak}/a.png"><video src="${leak}/a.mp4"></video><link rel="stylesheet" href="${leak}/a.css">
        <b style="color: red">x</b><img src="data:," onerror="document.title = 'owned'">`);
    const script = document.createElement('script');
    script.textContent = "document.title = 'owned'";
    document.body.append(script);
    await fetch(leak).catch(() => {});
    for (let turn = 0; turn < 100 && kept.size < 7; turn += 1) await new Promise(done => setTimeout(done, 10));
    return [...kept].sort();
}"""
REFUSED = [f"{kind}-src" for kind in ("connect", "img", "media")]
REFUSED += [f"{kind}-src-{part}" for kind in ("script", "style") for part in ("attr", "elem")]


def test_an_output_full_of_markup_is_text_and_loads_nothing(visit: Visit, shop: Shop) -> None:
    for address in (f"{shop.run}?q=markup", shop.case("markup")):
        page = visit.open(address, expecting=DRIFTED)
        assert page.locator("#owned").count() == 0
        assert "owned" not in page.title()
    shown = page.locator(".panes")
    expect(shown).to_contain_text(MARKUP)
    expect(page.locator(".verdicts")).to_contain_text(MARKUP)


def test_a_drawing_is_not_shown_and_its_script_does_not_run_when_it_is_opened(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("drawing"))
    spoken: list[str] = []
    page.on("dialog", lambda dialog: (spoken.append(dialog.message), dialog.dismiss()))
    with page.expect_download() as saved:
        page.get_by_role("link", name="drawing.svg").click()
    assert saved.value.suggested_filename == "drawing.svg"
    page.evaluate(
        """async address => {
        const image = new Image();
        image.src = address;
        await image.decode();
        document.body.append(image);
    }""",
        saved.value.url,
    )
    assert spoken == []


def test_the_policy_of_every_page_keeps_what_was_put_in_by_force_from_loading(
    visits: Callable[..., Visit], shop: Shop
) -> None:
    """The second wall: were there a hole in the first, nothing would come in through it and nothing get out."""
    visit = visits(shop)
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        for address in ("/", shop.run, shop.case("markup")):
            page = visit.open(address, expecting=DRIFTED)
            leak = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
            assert page.evaluate(FORCED, leak) == REFUSED, address
            assert page.title() != "owned"
        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    visit.faults = [fault for fault in visit.faults if not fault.startswith(("console: ", "request to elsewhere"))]
