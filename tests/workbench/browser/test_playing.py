"""Clips and sounds: they play, they go where they are sent, and what is seen there is what lies there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.workbench.browser.shop import Shop
from tests.workbench.browser.visit import Visit, colour_in_the_middle, is_like
from tests.workbench.conftest import Exhibit, tone

COLOURS = {0.5: (255, 0, 0), 1.5: (0, 255, 0), 2.5: (0, 0, 255)}


def is_there(page: Page, clip: Locator, time: float) -> None:
    """Wait until the frame at ``time`` is on the screen."""
    page.wait_for_function(
        "([clip, time]) => !clip.seeking && clip.readyState >= 2 && Math.abs(clip.currentTime - time) < 0.05",
        arg=[clip.element_handle(), time],
    )


@pytest.mark.parametrize("case", ["clip-h264", "clip-vp9"])
def test_a_clip_plays_by_a_key_and_goes_to_each_frame_that_the_judge_saw(visit: Visit, shop: Shop, case: str) -> None:
    page = visit.open(shop.case(case))
    clip = page.locator("video[aria-label^=output]")
    page.wait_for_function("clip => clip.readyState >= 2", arg=clip.element_handle())
    assert clip.evaluate("clip => [clip.paused, clip.videoWidth, clip.videoHeight]") == [True, 96, 64]
    visit.press("Space")
    page.wait_for_function("clip => !clip.paused && clip.currentTime > 0.05", arg=clip.element_handle())
    visit.press("Space")
    assert clip.evaluate("clip => clip.paused")
    for time, colour in COLOURS.items():
        visit.press("m")
        is_there(page, clip, time)
        assert is_like(colour_in_the_middle(clip), colour)
    page.get_by_role("button", name="show frame 2 in the clip").click()
    is_there(page, clip, 1.5)
    assert is_like(colour_in_the_middle(clip), COLOURS[1.5])


def test_the_numbers_on_the_time_line_are_beside_each_other_and_clear_of_it(visit: Visit, shop: Shop) -> None:
    """What is 24 pixels wide can be hit by a finger, and only where nothing else lies on it."""
    page = visit.open(shop.case("clip-h264"))
    for across in (320, 341, 360, 1440):
        page.set_viewport_size({"width": across, "height": 800})
        track = page.locator("[data-track]").last.bounding_box()
        marks = [one.bounding_box() for one in page.locator("[data-clip]").last.locator("[data-marker] button").all()]
        assert track is not None
        assert len(marks) == 3
        assert all(mark is not None and mark["y"] >= track["y"] + track["height"] for mark in marks)
    assert visit.accessibility() == []


def test_no_length_is_told_before_it_is_known(visit: Visit, shop: Shop) -> None:
    page = visit.page
    page.route("**/media/**", lambda route: None if route.request.resource_type == "media" else route.continue_())
    page.goto(visit.url + shop.case("voice"), wait_until="domcontentloaded")
    sound = page.locator("[data-sound]").last
    expect(sound.locator("[data-toggle]")).to_be_visible()
    expect(sound.locator("[data-of-all]")).to_have_text("")


def test_the_clips_of_two_runs_are_stepped_through_beside_each_other(
    visits: Callable[..., Visit], tmp_path: Path, clip: bytes
) -> None:
    exhibit = Exhibit(tmp_path)
    for run, more in (("20261130-101500-0001", b""), ("20261130-101500-0002", b"\x00\x00\x00\x08free")):
        exhibit.items.clear()
        exhibit.record(f"{run}.mp4", clip + more)
        exhibit.store(run)
    visit = visits(exhibit)
    page = visit.open("/compare?candidate=20261130-101500-0002&baseline=20261130-101500-0001&tab=moved")
    clips = page.locator("[data-clip]")
    expect(clips).to_have_count(2)
    for one in clips.all():
        expect(one.locator("[data-of-all]")).to_have_text("of 3.000 s, frame 1 of 30")
        one.locator("[data-step='1']").click()
        expect(one.locator("[data-of-all]")).to_have_text("of 3.000 s, frame 2 of 30")
        expect(one.locator("[data-plate][data-width]")).to_have_count(1)
    visit.press(".")
    for one in clips.all():
        expect(one.locator("[data-of-all]")).to_have_text("of 3.000 s, frame 3 of 30")
    visit.press(",")
    for one in clips.all():
        expect(one.locator("[data-of-all]")).to_have_text("of 3.000 s, frame 2 of 30")


def test_two_sounds_of_a_pair_are_paused_together_also_when_one_has_ended(
    visits: Callable[..., Visit], tmp_path: Path
) -> None:
    exhibit = Exhibit(tmp_path)
    for run, seconds in (("20261130-101500-0001", 0.2), ("20261130-101500-0002", 30.0)):
        exhibit.items.clear()
        exhibit.record(f"{run}.wav", tone(seconds))
        exhibit.store(run)
    visit = visits(exhibit)
    page = visit.open("/compare?candidate=20261130-101500-0002&baseline=20261130-101500-0001&tab=moved")
    short, long = (page.locator("audio").nth(number) for number in range(2))
    visit.press("Space")
    page.wait_for_function("sound => sound.ended", arg=short.element_handle())
    assert not long.evaluate("sound => sound.paused")
    visit.press("Space")
    assert [one.evaluate("sound => sound.paused") for one in (short, long)] == [True, True]
    visit.press("s")
    for drawn in page.locator("[data-spectrogram-part]").all():
        expect(drawn).to_be_visible()


def let_hear(shop: Shop, *phrases: tuple[object, ...]) -> None:
    """Let the judge of the sound have read a transcript whose times are known."""
    with closing(sqlite3.connect(shop.root / ".oloproof/oloproof.db")) as connection, connection:
        for number, saw in connection.execute("SELECT id, saw FROM judgements").fetchall():
            told = json.loads(saw)
            for part in told["parts"]:
                if part["kind"] == "audio":
                    text = " ".join(str(one[2]) for one in phrases)
                    part |= {"kind": "transcript", "text": text, "phrases": phrases}
            connection.execute("UPDATE judgements SET saw = ? WHERE id = ?", (json.dumps(told), number))


def test_what_was_said_leads_to_the_moment_where_it_is_said(visits: Callable[..., Visit], own_shop: Shop) -> None:
    let_hear(own_shop, (0.0, 0.4, "a red"), (0.4, 1.0, "<b>mug</b>"))
    visit = visits(own_shop)
    page = visit.open(own_shop.case("voice"))
    sound = page.locator("audio[aria-label^=output]")
    said = page.get_by_role("button", name="<b>mug</b>")
    said.click()
    page.wait_for_function("sound => Math.abs(sound.currentTime - 0.4) < 0.01", arg=sound.element_handle())
    expect(said).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="a red").press("Enter")
    page.wait_for_function("sound => sound.currentTime === 0", arg=sound.element_handle())
    expect(said).not_to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="a red").blur()  # where Space would press it once more
    visit.press("Space")
    page.wait_for_function("sound => !sound.paused", arg=sound.element_handle())
    expect(said).to_have_attribute("aria-current", "true")
    assert visit.accessibility_in_both_looks() == {}


def test_a_word_leads_to_its_own_moment_and_the_keyboard_to_that_of_its_phrase(
    visits: Callable[..., Visit], own_shop: Shop
) -> None:
    let_hear(own_shop, (0.1, 0.9, "a red <i>mug</i>", [0.1, 0.3, 0.6]), (0.9, 1.0, "not split", [0.9]))
    visit = visits(own_shop)
    page = visit.open(own_shop.case("voice"))
    sound = page.locator("audio[aria-label^=output]").element_handle()
    said = page.get_by_role("button", name="a red <i>mug</i>")

    said.get_by_text("<i>mug</i>").click()
    page.wait_for_function("sound => Math.abs(sound.currentTime - 0.6) < 0.01", arg=sound)
    expect(said).to_have_attribute("aria-current", "true")
    said.press("Enter")
    page.wait_for_function("sound => Math.abs(sound.currentTime - 0.1) < 0.01", arg=sound)
    page.get_by_role("button", name="not split").get_by_text("split").click()
    page.wait_for_function("sound => Math.abs(sound.currentTime - 0.9) < 0.01", arg=sound)


def test_a_sound_plays_and_its_wave_is_drawn(visit: Visit, shop: Shop) -> None:
    page = visit.open(shop.case("voice"))
    sound = page.locator("audio[aria-label^=output]")
    expect(page.get_by_role("img", name="wave of voice.wav")).to_be_visible()
    visit.press("Space")
    page.wait_for_function("sound => !sound.paused && sound.currentTime > 0.05", arg=sound.element_handle())
    assert sound.evaluate("sound => sound.duration") == pytest.approx(1.0, abs=0.01)


def test_a_clip_that_cannot_be_shown_has_no_controls_that_do_nothing(visit: Visit, shop: Shop) -> None:
    visit.page.route("**/media/**", lambda route: route.fulfill(status=415, body=""))
    page = visit.open(shop.case("clip-h264"), expecting=(415,))
    expect(page.locator("[data-clip] .mat.absent")).to_have_count(2)
    expect(page.locator(".player-bar, .track").locator("visible=true")).to_have_count(0)


OTHER_CLOCK = """
const real = HTMLVideoElement.prototype.requestVideoFrameCallback;
HTMLVideoElement.prototype.requestVideoFrameCallback = function (tell) {
  return real.call(this, (now, frame) => tell(now, { mediaTime: frame.mediaTime + 0.2 }));
};
"""


def test_frames_are_numbered_on_the_clock_of_the_player_where_a_browser_times_them_by_another(
    visit: Visit, shop: Shop
) -> None:
    """As WebKit over GStreamer does, which leaves out the edit list of an MP4 there."""
    visit.page.add_init_script(OTHER_CLOCK)
    page = visit.open(shop.case("clip-h264"))
    clip = page.locator("video[aria-label^=output]")
    page.wait_for_function("clip => clip.readyState >= 2", arg=clip.element_handle())
    told = page.locator("[data-clip]").last.locator("[data-of-all]")
    expect(told).to_have_text("of 3.000 s, frame 1 of 30")
    visit.press(".")
    expect(told).to_have_text("of 3.000 s, frame 2 of 30")
