"""The page of a case with media of every kind: what stands beside what, and what its scripts are given to work with."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from PIL import Image

from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Execution, Judgement, MediaItem, Role, Trial, Verdict
from oloproof.storage import Entry, NewRun, Store
from tests.workbench.conftest import SVG, png, tone
from tests.workbench.test_pages import JUDGE, RUN, Page, Visitor

CASES: dict[str, dict[str, Role]] = {
    "pair": {"made.png": "output", "given.png": "input", "wanted.tif": "context"},
    "twice": {"given.png": "input", "given-2.png": "input", "made.png": "output"},
    "alone": {"clear.png": "output"},
    "drifted": {"given.png": "input", "gone.png": "output"},
    "logo": {"given.png": "input", "logo.svg": "output"},
    "clip": {"clip.mp4": "output"},
    "sound": {"tone.wav": "output"},
    "tiny": {"dot.png": "output"},
    "long": {},
    "failed": {},
    "null": {"given.png": "input"},
    "empty": {},
    "it's one": {},
}
SAYS: dict[str, Any] = {"null": None, "empty": ""}
SAID = " ".join(f"word-{number}" for number in range(2_000))
"""More than lists and reports show of an answer."""
RUBRIC = "Pass only if <b>all</b> of it is told. " * 20


def encoded(form: str, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (300, 200), "blue").save(out, form)
    return out.getvalue()


def judged(criterion: int, item: MediaItem, times: tuple[float, ...]) -> Judgement:
    """Return what a judge said that saw these frames of a clip."""
    frames = [
        {"kind": "frame", "name": item.name, "role": "output", "time": at, "sha256_recorded": item.sha256}
        for at in times
    ]
    saw = {"parts": frames, "model_served": "looker-7b", "sight": "proven"}
    return Judgement((Verdict.passed("as told"),), key=b"%d" % criterion, judge=JUDGE, saw=saw, kept=True)


def looked_at(item: MediaItem) -> Judgement:
    """Return what a judge said that saw a picture."""
    part = {"kind": "image", "name": item.name, "role": "output", "sha256_recorded": item.sha256}
    asked = {"kind": "text", "name": "rubric", "text": None}
    saw = {"parts": [asked, {**part, "width": item.width, "height": item.height}], "model_served": "looker-7b"}
    return Judgement((Verdict.passed(SAID),), key=b"dot", judge=JUDGE, saw=saw, kept=True)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, clip: bytes) -> Iterator[Visitor]:
    """A run with a case for each of :data:`CASES`; two judges saw frames of the clip."""
    root = tmp_path_factory.mktemp("shown")
    data = {"clip.mp4": clip, "tone.wav": tone(0.2), "logo.svg": SVG, "wanted.tif": encoded("TIFF")}
    data |= {"clear.png": encoded("PNG", "RGBA"), "dot.png": png((20, 20))}
    base = {"type": "rubric_judge", "version": "3", "metric": "rate", "score_range": None, "digest": JUDGE}
    evaluators = [
        {**base, "criterion": name, "calls_model": True, "evaluator": number}
        for number, name in enumerate(("moves", "colours"))
    ]
    document = {"project": {"policy": None}, "evaluators": evaluators, "repeats": {"count": 1, "pass_when": None}}
    document["judges"] = {JUDGE: {"rubric": RUBRIC}}
    reader, store = MediaReader(root), Store(root)
    total = len(CASES)
    opened = store.begin(NewRun(RUN, "shop", "describer", "v8", "c" * 64, "d" * 64, False, total, total, document))
    for number, (case, files) in enumerate(CASES.items()):
        items = []
        for name, role in files.items():
            path = root / case / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data.get(name, png((300, 200))))
            with using_reader(reader):
                items.append(replace(media_file(path), role=role))
        seen = ((0.5, 2.0), (0.5,)) if case == "clip" else ((), ())
        found = [judged(criterion, items[0], times) for criterion, times in enumerate(seen)] if items else []
        if case == "tiny":
            found = [looked_at(items[0])]
        failed = Execution(None, error="RuntimeError: it fell over")
        said = SAID if case == "long" else SAYS.get(case, "a mug")
        made = failed if case == "failed" else Execution(said, tuple(items))
        trial = Trial(number, Case(case, "x"))
        store.append(opened, [Entry(trial, b"e%d" % number, '"x"', made, found)])
    store.finish(opened, "complete")
    store.close()
    (root / "drifted" / "gone.png").unlink()
    visitor = Visitor(root)
    yield visitor
    visitor.desk.close()


def case(shown: Visitor, name: str) -> Page:
    page = shown.get(f"/runs/{RUN}/cases/{quote(name)}")
    assert page.status == 200
    return page


def offered(page: Page) -> list[str]:
    """Return the names among which the two pictures are chosen."""
    return re.findall(
        r"<option[^>]*>([^<]*)</option>", page.source.partition("data-side=")[2].partition("</select>")[0]
    )


def test_pictures_of_a_case_can_be_held_against_each_other(shown: Visitor) -> None:
    page = case(shown, "pair")
    assert offered(page) == ["Input", "Output", "Expected"]
    modes = [one["data-mode"] for one in page.all("button") if "data-mode" in one]
    assert modes == ["side", "wipe", "flicker", "difference"]
    (slider,) = (one for one in page.all("input", type="range") if one.get("class") == "wipe")
    assert slider["aria-label"]
    for words in ("Wipe", "Flicker", "Difference", "wipes one picture over another", "shows where they differ"):
        assert words in page.words
    assert offered(case(shown, "twice")) == ["Input given.png", "Output", "Input given-2.png"]


@pytest.mark.parametrize("name", ["alone", "drifted", "logo", "clip", "sound"])
def test_one_picture_alone_is_held_against_nothing(shown: Visitor, name: str) -> None:
    """A file that changed or is gone, and one that is never drawn, are no pictures to compare."""
    page = case(shown, name)
    assert not page.all("section", class_="pair")
    assert "shows where they differ" not in page.words
    assert ("Zoom: Fit" in page.words) == (name != "sound")


def test_a_picture_that_browsers_cannot_show_is_shown_at_its_full_size(shown: Visitor) -> None:
    page = case(shown, "pair")
    (made,) = {str(one["src"]) for one in page.all("img") if str(one["src"]).endswith("/picture")}
    assert shown.client.get(made).headers["content-type"] == "image/png"
    assert "browsers cannot show image/tiff" in page.words
    assert "logo.svg: image/svg+xml, 9 × 9 is never drawn here" in [
        one["data-words"] for one in case(shown, "logo").all("div") if "data-words" in one
    ]


def test_only_what_may_be_transparent_lies_on_a_checkerboard(shown: Visitor) -> None:
    assert [one["class"] for one in case(shown, "alone").all("img")] == ["alpha"]
    assert not [one for one in case(shown, "pair").all("img") if "alpha" in (one.get("class") or "")]


def test_the_time_line_of_a_clip_carries_the_frames_that_judges_saw(shown: Visitor) -> None:
    page = case(shown, "clip")
    markers = [(one["data-seek"], one["title"]) for one in page.all("button") if one.get("title")]
    assert markers == [
        ("0.500000", "frame 1 that the judge of moves and the judge of colours saw, at 0.500 s"),
        ("2.000000", "frame 2 that the judge of moves saw, at 2.000 s"),
    ]
    (clip,) = (have for tag, have in page.elements if "data-frames" in have)
    assert len(shown.client.get(str(clip["data-frames"])).json()["times"]) == 30
    (video,) = page.all("video")
    assert shown.client.get(str(video["poster"])).headers["content-type"] == "image/png"
    assert "controls" in video
    assert "without sound" in page.words
    assert "Spectrogram" not in page.words


def test_a_sound_can_be_drawn_over_time_and_frequency(shown: Visitor) -> None:
    page = case(shown, "sound")
    (sound,) = (have for tag, have in page.elements if "data-sound" in have)
    tops = re.findall(r'<option value="(\d+)"( selected)?>\d+ kHz', page.source)
    assert [top for top, _ in tops] == ["4000", "8000", "16000", "24000"]
    assert [top for top, chosen in tops if chosen] == ["8000"]
    assert shown.client.get(f"{sound['data-spectrogram']}8000").headers["content-type"] == "image/png"


def test_the_page_brings_the_scripts_and_styles_that_it_needs(shown: Visitor) -> None:
    page = case(shown, "pair")
    named = [str(one["href"]) for one in page.all("link")] + [str(one["src"]) for one in page.all("script")]
    for address in named:
        answer = shown.client.get(address)
        assert answer.status_code == 200, address
        named += [f"/static/{name}" for name in re.findall(r'from "\./(\w+\.js)"', answer.text)]
        assert len(named) < 100
    for name in ("case.css", "pairs.css", "case.js", "pairs.js", "difference.js", "zoom.js", "clips.js", "sounds.js"):
        assert f"/static/{name}" in named


def test_it_needs_no_style_in_its_elements_and_names_none_of_them_twice(shown: Visitor) -> None:
    for name in CASES:
        page = case(shown, name)
        ids = [have["id"] for _, have in page.elements if "id" in have]
        assert len(ids) == len(set(ids))
        for tag, have in page.elements:
            assert not [one for one in have if one == "style" or one.startswith("on")], (tag, have)
            assert tag != "img" or (have.get("src") and have.get("alt") is not None)


def test_a_file_that_is_gone_says_so_in_its_place(shown: Visitor) -> None:
    page = case(shown, "drifted")
    assert "gone.png is gone or not readable" in page.words
    assert [one["alt"] for one in page.all("img")] == ["input picture given.png"]


def test_what_a_system_said_is_shown_whole_and_scrolls_in_itself(shown: Visitor) -> None:
    """The page of a case is where it is read; a list or a report sends people here."""
    page = case(shown, "long")
    assert "word-1999" in page.words
    assert "in the export" not in page.words
    (box,) = page.all("div", class_="long")
    assert box == {"class": "long", "tabindex": "0", "role": "group", "aria-label": "Output, the whole text"}
    assert not case(shown, "pair").all("div", class_="long")


def test_a_reason_is_shown_whole_too(shown: Visitor) -> None:
    assert "word-1999" in case(shown, "tiny").words


def test_a_tiny_picture_that_a_judge_saw_is_drawn_crisp(shown: Visitor) -> None:
    (seen,) = (one for one in case(shown, "tiny").all("img") if one.get("loading") == "lazy")
    assert seen["class"] == "tiny"


def test_a_case_whose_system_failed_says_how_long_it_took_and_how_to_look_further(shown: Visitor) -> None:
    page = case(shown, "failed")
    assert "RuntimeError: it fell over" in page.words
    assert f"oloproof inspect {RUN} --case failed" in page.words
    assert "The trial took" in page.words


@pytest.mark.parametrize(("name", "said"), [("null", "null"), ("empty", "an empty text")])
def test_a_system_that_said_nothing_has_an_output_that_says_so(shown: Visitor, name: str, said: str) -> None:
    """A column that is not there looks like a page that was not written, not like an answer."""
    assert f"OutputThe system said nothing: its output is {said}." in case(shown, name).words.replace(
        "Output ", "Output"
    )
    for other in ("failed", "pair", "long"):
        assert "said nothing" not in case(shown, other).words


def test_the_command_of_a_case_can_be_typed_whatever_its_id_is(shown: Visitor) -> None:
    command = f"oloproof inspect {RUN} --case 'it'\"'\"'s one'"
    assert command in case(shown, "it's one").words


@pytest.mark.parametrize(
    ("name", "zooms"),
    [("alone", True), ("clip", True), ("pair", True), ("logo", True), ("sound", False), ("long", False)],
)
def test_zoom_is_offered_where_something_can_be_enlarged(shown: Visitor, name: str, zooms: bool) -> None:
    assert bool([one for one in case(shown, name).all("button") if "data-zoom-next" in one]) == zooms


def test_what_a_judge_was_asked_stands_with_what_it_saw(shown: Visitor) -> None:
    page = case(shown, "tiny")
    assert RUBRIC.strip() in page.words
    assert "Read the rubric" in page.words
    assert "it stands in its project file" not in page.words
