"""The HTML report: one safe file that says what was decided, readable by everybody."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, b64encode
from html.parser import HTMLParser
from io import BytesIO, StringIO
from itertools import pairwise

import pytest
from jinja2 import nodes
from msgspec import Struct
from PIL import Image

from oloproof.records import Verdict
from oloproof.reports import contexts, write_html
from oloproof.reports.html import TEMPLATES, environment

from .conftest import HOSTILE, RULES, Told, failed, passed

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Page(HTMLParser):
    """The elements of a page in order, with their attributes and texts; refuses tags that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        """All texts, with single spaces."""
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each ``tag``."""
        return [attrs for name, attrs in self.elements if name == tag]


def html(bureau, run, *rules, policy=None, **options):
    conclusion, made = bureau.conclude(run, *rules, **(policy or {}))
    stream = StringIO()
    write_html(stream, bureau.history, run, conclusion, bureau.reader, policy=made, **options)
    return stream.getvalue()


def test_the_first_heading_says_what_was_decided_and_the_sentence_why(bureau, mixed):
    page = Page(html(bureau, mixed, *RULES))
    assert (
        "FAIL 2 of 2 rules block 1 of 2 rules fails, 1 has too little evidence. fits: 2 of 6 cases failed" in page.text
    )
    assert [name for name, _ in page.elements].count("h1") == 1


@pytest.mark.parametrize(
    ("rules", "policy", "words"),
    [
        ((), {}, "NOTHING WAS DECIDED There are no rules"),
        (RULES[:1], {}, "FAIL thumbnails-fit fails"),
        (RULES[1:], {}, "INSUFFICIENT_EVIDENCE photo-floor is not decided"),
        (RULES[1:], {"block_on": ["FAIL"]}, "INSUFFICIENT_EVIDENCE No rule blocks"),
        (({"id": "low", "metric": "fits", "max_failures": 6},), {}, "PASS Every rule holds"),
    ],
)
def test_every_kind_of_decision_has_its_words(bureau, mixed, rules, policy, words):
    assert words in Page(html(bureau, mixed, *rules, policy=policy)).text


def test_a_run_that_was_stopped_is_never_shown_as_decided(bureau):
    run = bureau.run("r", [Told("a", [passed()])], ["fits"], state="stopped")
    page = Page(html(bureau, run, {"id": "any", "metric": "fits", "max_failures": 1}))
    assert "NOT COMPLETED The run is stopped ffmpeg is not installed" in page.text


def test_hostile_texts_are_shown_and_do_nothing(bureau, mixed):
    text = html(bureau, mixed, *RULES, thumbnails=True)
    page = Page(text)
    assert page.all("script") == []
    assert "<script>alert(1)</script> javascript:alert(1) \\x1b[31m\\x00 \\u202e @team" in page.text
    for _, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("style", "srcset", "action")]
        assert (attrs.get("href") or "#").startswith("#")
        assert (attrs.get("src") or "data:image/jpeg;base64,").startswith("data:image/jpeg;base64,")


def test_nothing_is_loaded_and_the_style_is_the_one_that_the_policy_names(bureau, mixed):
    text = html(bureau, mixed)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(one["content"] for one in Page(text).all("meta") if "http-equiv" in one)
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:")
    assert "url(" not in style
    assert "@import" not in style
    assert not Page(text).all("link")


def test_no_absolute_path_of_the_machine_is_told(bureau, mixed):
    (bureau.root / "out/mug.png").unlink()
    assert str(bureau.root) not in html(bureau, mixed, *RULES, thumbnails=True)


def test_failures_come_first_and_what_is_not_shown_is_counted(bureau, mixed):
    page = Page(html(bureau, mixed, cases=3))
    headings = [text for text in page.texts if text in ("mug-1", "mug-2", "clip-1", "clip-2", "crash")]
    assert headings == ["mug-2", "clip-1"]
    assert "showing 3 of 6, those that did not pass first; oloproof export 20261129-143100-ab12" in page.text
    assert len(page.all("details")) == 3
    whole = Page(html(bureau, mixed))
    assert "6 cases, those that did not pass first" in whole.text
    assert ["open" in one for one in whole.all("details")] == [True] * 5 + [False]


def test_every_denominator_stands_beside_its_interval(bureau, mixed):
    page = Page(html(bureau, mixed, *RULES))
    row = "fits pass rate, clopper_pearson@1 33.3 % [0.4 %, 95.7 %] 6 1 2 2 1"
    assert row in page.text
    labels = [one["aria-label"] for one in page.all("svg") if "aria-label" in one]
    assert any(label.startswith("estimate ") and label.endswith(", at least 80 % wanted") for label in labels)


def test_a_count_rule_shows_its_count_and_no_interval(bureau, mixed):
    page = Page(html(bureau, mixed, RULES[0]))
    assert "2 of 6 failed; at most 0 may 2 a count" in page.text


def test_a_score_is_drawn_on_its_own_axis(bureau):
    trials = [Told(f"c{n}", [passed(score=4.0)]) for n in range(30)]
    run = bureau.run("r", trials, [{"criterion": "style", "metric": "score", "score_range": [0, 5]}])
    page = Page(html(bureau, run, {"id": "style", "metric": "style", "max": 2.5}))
    bars = [one["x"] for one in page.all("svg") if "x" in one]
    assert bars == ["50%"]
    assert [one["cx"] for one in page.all("circle") if one.get("class") == "dot"] == ["80%", "80%"]


def test_pictures_are_embedded_only_when_asked_and_only_when_verified(bureau):
    kept, changed, gone = (bureau.picture(name) for name in ("kept.png", "changed.png", "gone.png"))
    run = bureau.run("r", [Told("a", [failed()], media=[kept, changed, gone, bureau.sound("s.wav")])], ["fits"])
    (bureau.root / "out/changed.png").write_bytes(b"something else")
    (bureau.root / "out/gone.png").unlink()
    assert Page(html(bureau, run)).all("img") == []
    page = Page(html(bureau, run, thumbnails=True))
    (image,) = page.all("img")
    assert image["alt"] == "output picture kept.png"
    picture = Image.open(BytesIO(b64decode(image["src"].partition(",")[2])))
    assert (str(picture.width), str(picture.height)) == (image["width"], image["height"]) == ("320", "240")
    assert page.text.count("changed since it was recorded") == 2
    assert page.text.count("gone or not readable") == 2
    assert page.text.count(" verified ") == 2
    assert kept.sha256 in [one.get("title") for one in page.all("code")]


def test_a_picture_that_cannot_be_decoded_is_said_to_be_so(bureau):
    path = bureau.root / "out/broken.png"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"broken" * 9)
    run = bureau.run("r", [Told("a", [failed()], media=[bureau.media(path)])], ["fits"])
    page = Page(html(bureau, run, thumbnails=True))
    assert page.all("img") == []
    assert "this picture cannot be decoded" in page.text


def test_repeats_of_a_case_stand_together(bureau):
    trials = [Told(case, [passed() if n else failed()], repeat=n) for case in ("a", "b") for n in range(3)]
    run = bureau.run("r", trials, ["fits"], repeats=3)
    page = Page(html(bureau, run))
    assert len(page.all("details")) == 2
    assert "a fail fits: not as wanted original fail took 0.25 s" in page.text
    assert "repeat 2 pass took 0.25 s" in page.text


def test_a_long_answer_is_cut_and_says_how_much_is_left(bureau):
    run = bureau.run("r", [Told("a", [Verdict.invalid("x" * 5000)], output="y" * 5000)], ["fits"])
    text = Page(html(bureau, run)).text
    assert text.count("3,000 characters more, in the export") == 2


def test_one_character_that_is_left_is_one(bureau):
    run = bureau.run("r", [Told("a", [failed()], output="y" * 2001)], ["fits"])
    assert "1 character more, in the export" in Page(html(bureau, run)).text


def test_no_case_at_all_still_makes_a_page(bureau):
    run = bureau.run("r", [], ["fits"])
    page = Page(html(bureau, run, *RULES[:1]))
    assert "INSUFFICIENT_EVIDENCE thumbnails-fit is not decided" in page.text
    assert "0 cases" in page.text


def test_the_page_can_be_read_without_seeing_it(bureau, mixed):
    page = Page(html(bureau, mixed, *RULES, thumbnails=True))
    names = [name for name, _ in page.elements]
    for landmark in ("header", "main", "nav", "footer"):
        assert names.count(landmark) == 1
    assert page.all("html") == [{"lang": "en"}]
    assert all("scope" in one for one in page.all("th"))
    assert all(one.get("alt") for one in page.all("img"))
    for svg in (one for one in page.all("svg") if one.get("class") and "x" not in one):
        assert svg.get("aria-hidden") == "true" or svg.get("aria-label")
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = {one["href"][1:] for one in [*page.all("a"), *page.all("use")]}
    assert targets <= set(ids)
    levels = [int(name[1]) for name in names if name in ("h1", "h2", "h3", "h4", "h5", "h6")]
    assert all(level <= before + 1 for before, level in pairwise(levels)), levels


def documented() -> set[str]:
    classes = [one for one in vars(contexts).values() if isinstance(one, type) and issubclass(one, Struct)]
    return {name for one in classes for name in one.__struct_fields__}


def test_the_templates_use_exactly_the_documented_fields():
    used: set[str] = set()
    for name in environment().list_templates(extensions=["j2"]):
        tree = environment().parse((TEMPLATES / name).read_text())
        imported = {node.target for node in tree.find_all(nodes.Import)}
        for node in tree.find_all(nodes.Getattr):
            if not (isinstance(node.node, nodes.Name) and node.node.name in {*imported, "loop"}):
                used.add(node.attr)
    assert used == documented()


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_every_text_has_enough_contrast(theme):
    css = (TEMPLATES / "report.css").read_text()
    tokens = dict(re.findall(r"--([\w-]+): (#\w+);", re.findall(r":root \{(.*?)\}", css, re.DOTALL)[theme]))
    tokens = {
        name: value if len(value) == 7 else "#" + "".join(c * 2 for c in value[1:]) for name, value in tokens.items()
    }
    texts = ("ink", "ink-2", "ink-3", "accent", "pass", "fail", "undecided", "invalid", "missing")
    for ground in ("page", "mat"):
        for text in texts:
            light, dark = sorted((luminance(tokens[ground]), luminance(tokens[text])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (ground, text)


def test_jinja_is_loaded_only_when_a_page_is_written():
    import subprocess
    import sys

    code = "import sys, oloproof.reports; sys.exit(any(name in sys.modules for name in ('jinja2', 'PIL', 'xml.sax')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_hostile_name_is_really_hostile():
    assert all(sign in HOSTILE for sign in ("<script>", "javascript:", "\x1b", "\x00", "\u202e", "@", "|", "`"))
