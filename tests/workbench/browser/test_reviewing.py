"""Somebody labels a sample without a mouse, and the judge is held to what they said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import FloatRect, Page, Route, expect

from tests.conftest import Folder
from tests.labels.conftest import Labelling
from tests.storage.conftest import entry
from tests.warm import Warm
from tests.workbench.browser.shop import DRIFTED, Shop
from tests.workbench.browser.visit import WIDTHS, Visit, colour_in_the_middle, is_like, size_when_loaded
from tests.workbench.conftest import png, tone

COLOURS = {"red": (255, 0, 0), "blue": (0, 0, 255)}
SECRETS = ("the caption says", "not seen", "sight", "eye")
"""Of what the judge said and is."""

LABELS = 10


@pytest.fixture
def reviewer(visits: Callable[..., Visit], own_shop: Shop, stage: object) -> Callable[[], Visit]:
    """Return a function that opens the queue of a sample of all cases, for Mira."""

    def begin() -> Visit:
        visit = visits(own_shop)
        page = visit.open("/review", expecting=DRIFTED)
        page.get_by_role("link", name="caption_true").click()
        page.get_by_label("Cases, of").fill("19")
        page.get_by_role("button", name="Draw the sample").click()
        page.get_by_label("Your name").fill("Mira")
        page.get_by_role("button", name="Begin").click()
        page.locator("[data-answer-with]").wait_for()
        page.wait_for_load_state("load")
        return visit

    return begin


def number(page: Page) -> str:
    """Return which case of the sample is shown."""
    return str(page.locator("#review").get_attribute("data-number"))


def onward(visit: Visit, key: str) -> None:
    """Press a key that leads to another case of the queue, and wait for it."""
    before = number(visit.page)
    visit.press(key)
    expect(visit.page.locator("#review")).not_to_have_attribute("data-number", before)


def key_of_what_is_seen(page: Page) -> str | None:
    """Look at the picture, read the claim, and return the key; None for a case without a plain picture."""
    picture = page.locator("#review img[alt^='output picture']")
    if picture.count() == 0:
        return "u" if page.locator("[data-answer='unsure']:enabled").count() else None
    assert min(size_when_loaded(picture)) > 0
    claim = page.locator("#claim p").inner_text().strip("“”")
    seen = colour_in_the_middle(picture)
    return "p" if claim in COLOURS and is_like(seen, COLOURS[claim]) else "f"


def label(visit: Visit, wanted: int) -> list[str]:
    """Label so many cases by keyboard; returns the keys."""
    page, keys = visit.page, []
    while len(keys) < wanted:
        key = key_of_what_is_seen(page)
        assert not [word for word in SECRETS if word in page.content()]
        onward(visit, key or "Enter")
        keys += [key] if key else []
    return keys


def test_ten_cases_are_labelled_by_keyboard_and_the_judge_is_held_to_them(
    reviewer: Callable[[], Visit], own_shop: Shop, warm: Warm
) -> None:
    visit = reviewer()
    keys = label(visit, LABELS)
    expect(visit.page.get_by_text(f"{LABELS} labelled")).to_be_visible()
    ended = Folder(own_shop.root, warm).run("evaluators", "validate", "--json")
    (found,) = ended.document["validations"]
    assert (ended.exit, found["state"]) == (1, "INSUFFICIENT_LABELS")
    assert found["table"] == {"tp": keys.count("p"), "fn": 0, "fp": 0, "tn": keys.count("f")}
    page = visit.open("/judges")
    page.get_by_role("link", name="caption_true").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("INSUFFICIENT_LABELS")
    table = page.get_by_role("table", name="Labels of people against the verdicts of the judge")
    expect(table).to_contain_text(f"{keys.count('p')} both pass")
    expect(table).to_contain_text(f"{keys.count('f')} both fail")
    assert visit.accessibility_in_both_looks() == {}


def test_what_is_blind_is_shown_only_when_somebody_gives_it_up(
    reviewer: Callable[[], Visit], own_shop: Shop, warm: Warm
) -> None:
    visit = reviewer()
    label(visit, 1)
    page = visit.open("/judges")
    page.get_by_role("link", name="caption_true").click()
    page.get_by_role("link", name="Show its disagreements …").click()
    assert visit.accessibility_in_both_looks() == {}
    page.get_by_role("button", name="Turn them into develop labels and show them").click()
    expect(page.get_by_role("heading", name="Where they disagree")).to_be_visible()
    expect(page.get_by_role("link", name="Show its disagreements …")).to_have_count(0)


def test_an_answer_is_taken_back_and_a_note_is_kept(reviewer: Callable[[], Visit]) -> None:
    visit = reviewer()
    page = visit.page
    while page.locator("[data-answer='fail']:enabled").count() == 0:
        onward(visit, "Enter")
    first = number(page)
    onward(visit, "f")
    onward(visit, "b")
    assert number(page) == first
    expect(page.get_by_role("button", name="Fail")).to_have_attribute("aria-pressed", "true")
    visit.press("n")
    page.keyboard.type("pass me the unsure one")
    with page.expect_response("**/labels"):
        visit.press("Enter")
    expect(page.get_by_text("Note: pass me the unsure one")).to_be_visible()
    onward(visit, "u")
    onward(visit, "b")
    expect(page.get_by_role("button", name="Unsure")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Note: pass me the unsure one")).to_be_visible()


def test_an_answer_given_while_a_note_is_being_kept_waits_for_it(reviewer: Callable[[], Visit]) -> None:
    visit = reviewer()
    page = visit.page
    while page.locator("[data-answer='unsure']:enabled").count() == 0:
        onward(visit, "Enter")
    onward(visit, "f")
    onward(visit, "b")
    held: list[Route] = []
    visit.intercept("**/labels", lambda route: held.append(route))
    visit.press("n")
    page.keyboard.type("too dark")
    visit.press("Enter")
    while not held:
        page.wait_for_timeout(10)
    visit.press("u")
    first = number(page)
    page.unroute("**/labels")
    held[0].continue_()
    expect(page.locator("#review")).not_to_have_attribute("data-number", first)
    onward(visit, "b")
    expect(page.get_by_role("button", name="Unsure")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Note: too dark")).to_be_visible()


def test_a_note_waits_for_its_answer(reviewer: Callable[[], Visit]) -> None:
    """It is shown as kept, so it may not be lost by a look at the case before."""
    visit = reviewer()
    page = visit.page
    label(visit, 1)
    while page.locator("[data-answer='fail']:enabled").count() == 0:
        onward(visit, "Enter")
    noted = page.url
    visit.press("n")
    page.keyboard.type("a dent in it")
    visit.press("Enter")
    expect(page.get_by_text("Note: a dent in it")).to_be_visible()
    onward(visit, "b")
    expect(page.get_by_text("Note: a dent in it")).to_have_count(0)
    page.goto(noted)
    expect(page.get_by_text("Note: a dent in it")).to_be_visible()
    with page.expect_response("**/labels") as sent:
        visit.press("f")
    assert sent.value.request.post_data_json["note"] == "a dent in it"
    page.goto(noted)
    visit.press("n")
    page.keyboard.press("Delete")
    with page.expect_response("**/labels"):
        visit.press("Enter")
    page.reload()
    expect(page.locator("[data-kept-note]")).to_be_hidden()


def test_an_answer_is_said_to_be_lost_only_when_it_is(reviewer: Callable[[], Visit]) -> None:
    """Who is told that nothing was saved labels again, and who is told nothing waits."""
    visit = reviewer()
    page = visit.page
    while page.locator("[data-answer='fail']:enabled").count() == 0:
        onward(visit, "Enter")
    onward(visit, "f")
    problem, first = page.get_by_role("alert"), number(page)
    visit.intercept("**/review/**", lambda route: route.abort())
    visit.press("b")
    expect(problem).to_contain_text("It cannot be shown: the workbench does not answer")
    while page.locator("[data-answer='fail']:enabled").count() == 0:
        page.unroute("**/review/**")
        onward(visit, "Enter")
        page.route("**/review/**", lambda route: route.abort())
        first = number(page)
    with page.expect_response("**/labels"):
        visit.press("p")
    expect(problem).to_contain_text("Saved, but the next case cannot be shown")
    page.route("**/labels", lambda route: route.abort())
    visit.press("p")
    expect(problem).to_contain_text("Not saved: the workbench does not answer")
    assert number(page) == first
    visit.faults.clear()


def test_axe_finds_nothing_in_the_queue(reviewer: Callable[[], Visit]) -> None:
    visit = reviewer()
    assert visit.accessibility_in_both_looks() == {}
    visit.open("/review")
    assert visit.accessibility_in_both_looks() == {}


def test_where_nothing_may_be_written_the_queue_says_so(visits: Callable[..., Visit], shop: Shop) -> None:
    page = visits(shop, read_only=True).open("/review/caption_true")
    expect(page.get_by_text("this workbench is read-only")).to_be_visible()


@dataclass(frozen=True)
class Odd:
    """A project with a sample: a picture taller than any window, more pictures than fit in a row, and three sounds."""

    root: Path


@pytest.fixture
def odd(tmp_path: Path) -> Odd:
    made = Labelling(tmp_path)
    tall = made.recorded("out/tall.png", png((20, 3_000)))
    many = [made.recorded(f"out/{number}.png", png((300, 200 + number))) for number in range(12)]
    heard = [made.recorded(f"out/{number}.wav", tone(0.2 + number)) for number in range(3)]
    sounds = tuple(replace(one, kind="audio", format="wav", media_type="audio/wav") for one in heard)
    run = made.judged_run(
        entry(0, "a stripe " * 600, media=(tall,)),
        entry(1, "twelve", media=tuple(many)),
        entry(2, "three", media=sounds),
    )
    made.draw(run, 3, seed="s")
    made.store.close()
    return Odd(tmp_path)


def boxes(page: Page, selector: str) -> list[FloatRect]:
    """Return where everything that is chosen stands."""
    return [box for one in page.locator(selector).all() if (box := one.bounding_box()) is not None]


def open_odd(visit: Visit, medium: str, count: int) -> Page:
    """Open the case that has so many media; a sample has an order of its own."""
    pages = (visit.open(f"/review/good?reviewer=Mira&at={place}") for place in (1, 2, 3))
    return next(page for page in pages if page.locator(f".stage {medium}").count() == count)


@pytest.mark.parametrize("count", [1, 12])
def test_media_of_any_number_and_size_leave_room_for_the_answers(
    visits: Callable[..., Visit], odd: Odd, count: int
) -> None:
    visit = visits(odd)
    page = open_odd(visit, "[data-plate] img", count)
    for width, window in WIDTHS.items():
        page.set_viewport_size(window)
        page.reload()
        expect(page.locator("[data-plate][data-width]")).to_have_count(count)
        (stage,), (answer, *_), shown = (boxes(page, one) for one in (".stage", ".answer", ".stage img"))
        assert stage["height"] < window["height"]
        assert width == "narrow" or answer["y"] < window["height"]
        assert len(shown) == count
        assert all(one["height"] <= stage["height"] for one in shown)
        assert count == 1 or min(one["width"] for one in shown) > 120
    assert visit.accessibility() == []


def test_a_key_plays_what_the_system_made_and_not_what_it_was_given(
    visits: Callable[..., Visit], tmp_path: Path
) -> None:
    made = Labelling(tmp_path)
    given = made.recorded("in/0.wav", tone(20.0), "input"), made.recorded("out/0.wav", tone(21.0))
    media = tuple(replace(one, kind="audio", format="wav", media_type="audio/wav") for one in given)
    made.draw(made.judged_run(entry(0, "louder", media=media)), 1, seed="s")
    made.store.close()
    visit = visits(Odd(tmp_path))
    page = visit.open("/review/good?reviewer=Mira&at=1")
    visit.press("Space")
    playing = "[...document.querySelectorAll('audio')].filter((one) => !one.paused).map((one) => one.ariaLabel)"
    page.wait_for_function(f"() => {playing}.length > 0")
    assert page.evaluate(playing) == ["output sound 0.wav"]


def test_every_sound_can_be_played_on_a_phone_too(visits: Callable[..., Visit], odd: Odd) -> None:
    page = open_odd(visits(odd, width="narrow"), "audio", 3)
    players = boxes(page, ".stage audio")
    assert all(player["width"] > 200 and player["height"] >= 32 for player in players)
    page.locator("audio").last.scroll_into_view_if_needed()
    expect(page.locator("audio").last).to_be_in_viewport()
