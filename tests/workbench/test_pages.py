"""The pages as a browser gets them: runs, a run with its cases, a case with its media, verdicts and what was seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from PIL import Image

from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Decision, DecisionState, Execution, Judgement, MediaItem, Trial, Verdict
from oloproof.running import run as run_project
from oloproof.storage import Entry, NewRun, OpenRun, Store
from tests.workbench.visiting import Page, Visitor

HOSTILE = "<script>alert(1)</script>/../%2e \x1b[31m ‮ \"'>&<img src=https://evil.test/a>"
HOSTILE_ID = "<script>alert(1)</script>/../100%?a=b#c \"'>&<img src=https://evil.test/a>"
RUN = "20261129-143100-ab12"
JUDGE = "ab" * 32

SYSTEM = """
from PIL import Image
from oloproof import current_case, media_file, system

@system(name="painter", version="v1", records=("media/v1",))
def paint(case):
    path = current_case().path("made.png")
    Image.new("RGB", (case["width"], 30), "red").save(path)
    current_case().media([media_file(path)])
    return case["say"]
"""

PROJECT = """
version: 1
project: paintings
dataset: cases.json
system: {callable: "painting_for_pages:paint", records: [media/v1]}
evaluators:
  - {type: media_check, criterion: fits, kind: image, max_width: 50}
  - {type: contains, criterion: says_red, text: red}
policy:
  version: 1
  rules:
    - {id: says-red, metric: says_red, min: 0.5}
"""


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A project that was really run: four cases, of which one is too wide and one says nothing of red."""
    root = tmp_path_factory.mktemp("paintings")
    (root / "painting_for_pages.py").write_text(SYSTEM)
    (root / "oloproof.yaml").write_text(PROJECT)
    cases = [("mug", 40, "a red mug", "de"), ("cup", 60, "a red cup", "fr"), ("jug", 40, "a jug", "de")]
    rows = [
        {"id": name, "input": {"width": width, "say": say}, "slice": {"lang": lang}} for name, width, say, lang in cases
    ]
    rows.append({"id": HOSTILE_ID, "input": {"width": 20, "say": f"red {HOSTILE}"}, "slice": {"lang": HOSTILE}})
    (root / "cases.json").write_text(json.dumps(rows))
    run_project(root)
    visitor = Visitor(root)
    yield visitor
    visitor.desk.close()


def picture(root: Path, name: str, size: tuple[int, int] = (90, 60)) -> Path:
    path = root / "out" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "blue").save(path)
    return path


def saw(item: MediaItem, said: str) -> dict[str, Any]:
    known = {"name": item.name, "role": item.role, "sha256_recorded": item.sha256, "width": 90, "height": 60}
    frames = [
        {**known, "kind": "frame", "time": time, "sha256_sent": f"{number}" * 64, "steps": ["made sRGB"], "text": None}
        for number, time in enumerate((0.5, 1.25), start=1)
    ]
    return {
        "parts": [
            {"kind": "text", "name": "rubric", "text": None},
            {"kind": "text", "name": "case", "text": "Output: a mug"},
            *frames,
            {"kind": "transcript", "name": item.name, "text": said},
        ],
        "model_served": "looker-7b", "sight": "proven", "said": [f"I think {said}"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A run of three cases with two repeats each and a judge; the file of the case ``drifted`` was changed since."""
    root = tmp_path_factory.mktemp("judged")
    base = {"type": "rubric_judge", "version": "3", "metric": "rate", "score_range": None, "digest": JUDGE}
    evaluators = [
        {**base, "criterion": "caption_matches", "calls_model": True, "evaluator": 0},
        {**base, "criterion": "fits", "type": "media_check", "calls_model": False, "evaluator": 1},
    ]
    document = {"project": {"policy": None}, "evaluators": evaluators, "repeats": {"count": 2, "pass_when": 1}}
    reader, store = MediaReader(root), Store(root)
    opened = store.begin(NewRun(RUN, "shop", "describer", "v8", "c" * 64, "d" * 64, False, 3, 6, document))
    entries = []
    for place in range(6):
        case, repeat = ("seen", "drifted", "gone")[place // 2], place % 2
        with using_reader(reader):
            item = media_file(picture(root, f"{case}.png"))
        fails = case == "seen" and repeat == 1
        verdict = Verdict("fail", "the mug has no handle", 0.2) if fails else Verdict("pass", "as told", 0.9)
        found = [
            Judgement((verdict,), key=b"%d" % place, judge=JUDGE, saw=saw(item, HOSTILE), kept=True),
            Judgement((Verdict.passed("small enough", width=90),)),
        ]
        trial = Trial(place, Case(case, "x", {"text": "a blue mug"}), repeat=repeat)
        entries.append(Entry(trial, b"e%d" % place, '"describe it"', Execution("a mug", (item,), seconds=0.2), found))
    store.append(opened, entries)
    store.finish(opened, "complete")
    store.close()
    picture(root, "drifted.png", (10, 10))
    (root / "out" / "gone.png").unlink()
    visitor = Visitor(root)
    yield visitor
    visitor.desk.close()


def addresses(painted: Visitor, judged: Visitor) -> list[tuple[Visitor, str]]:
    hostile = painted.get("/runs/latest?q=alert").links("/runs/")
    case = next(one for one in hostile if "/cases/" in one)
    return [
        (painted, "/"),
        (painted, "/runs/latest"),
        (painted, "/runs/latest?view=table"),
        (painted, "/runs/latest?q=" + "nothing-has-this"),
        (painted, "/runs/none-such"),
        (painted, "/runs/latest/cases/none-such"),
        (painted, case),
        (judged, f"/runs/{RUN}"),
        *((judged, f"/runs/{RUN}/cases/{name}") for name in ("seen", "drifted", "gone")),
    ]


def assert_whole(page: Page, address: str) -> None:
    """A page has its frame, ids that are its own, and nothing that a strict content policy forbids."""
    assert len(page.all("h1")) == 1, address
    assert page.all("html", lang="en")
    assert page.all("main", id="main")
    assert page.all("a", class_="skip", href="#main")
    ids = [have["id"] for _, have in page.elements if "id" in have]
    assert len(ids) == len(set(ids)), address
    for tag, have in page.elements:
        assert not [name for name in have if name == "style" or name.startswith("on")], (address, tag, have)
        assert tag != "style"
        assert tag != "script" or have.keys() >= {"src"}
        for name in ("src", "href", "poster", "action"):
            assert not re.match(r"(?i)\s*(https?:|//|javascript:|data:)", have.get(name) or ""), (address, have)
        assert tag != "img" or have.get("alt") is not None
        assert tag != "th" or have.get("scope")
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(level <= before + 1 for before, level in pairwise(levels)), (address, levels)


def test_every_page_is_whole_and_needs_no_more_than_a_strict_policy_allows(painted: Visitor, judged: Visitor) -> None:
    for visitor, address in addresses(painted, judged):
        page = visitor.get(address)
        assert page.status in (200, 404), address
        assert_whole(page, address)


def test_nothing_that_a_system_a_judge_or_a_dataset_says_becomes_markup(painted: Visitor, judged: Visitor) -> None:
    for visitor, address in addresses(painted, judged):
        page = visitor.get(address)
        assert "<script>alert" not in page.source, address
        assert "<img src=https" not in page.source, address
        assert "\x1b" not in page.text
        assert "‮" not in page.text
    case = next(one for one in painted.get("/runs/latest?q=alert").links("/runs/") if "/cases/" in one)
    page = painted.get(case)
    assert page.status == 200
    assert HOSTILE_ID in page.words


def test_the_list_says_what_was_decided_of_a_run_and_draws_its_criteria(painted: Visitor) -> None:
    page = painted.get("/")
    assert "INSUFFICIENT_EVIDENCE v1" in page.words
    assert "1 of 1 rule blocks: says-red." in page.words
    assert "at least 0.5" in page.words
    assert [one["aria-label"] for one in page.all("svg", role="img")][1].endswith("at least 50 % wanted")  # type: ignore[union-attr]
    assert "0 missing" in page.words
    assert len(page.links("/runs/2")) == 1


def test_a_list_without_runs_says_what_makes_the_first(tmp_path: Path) -> None:
    visitor = Visitor(tmp_path)
    page = visitor.get("/")
    assert "No runs yet." in page.words
    assert "oloproof run" in page.words
    assert "No run matches “x”." not in page.words
    assert "newest first" not in page.words
    assert page.all("form", role="search") == []
    assert visitor.get("/runs/latest").status == 404
    visitor.desk.close()


def test_a_run_under_way_shows_how_far_it_is(tmp_path: Path) -> None:
    document = {"project": {"policy": None}, "evaluators": [], "repeats": {"count": 1, "pass_when": None}}
    store = Store(tmp_path)
    opened = store.begin(NewRun(RUN, "shop", "s", "v9", "c" * 64, "d" * 64, False, 8, 8, document))
    store.append(opened, [Entry(Trial(0, Case("one", "x")), b"k", '"x"', Execution("y"), [])])
    visitor = Visitor(tmp_path)
    for address in ("/", f"/runs/{RUN}"):
        page = visitor.get(address)
        assert page.all("progress", value="1", max="8"), address
        assert "1 of 8 trials" in page.words
        assert not re.search(r"trials ?1\b", page.words), "a number that stands still beside one that moves"
    assert "RUNNING v9" in visitor.get("/").words
    visitor.desk.close()
    store.finish(opened, "stopped", "no more")
    store.close()


def test_the_list_is_paged_by_fifty(tmp_path: Path) -> None:
    document = {"project": {"policy": None}, "evaluators": [], "repeats": {"count": 1, "pass_when": None}}
    store = Store(tmp_path)
    for number in range(52):
        store.finish(
            store.begin(NewRun(f"run-{number:03d}", "p", "s", "v", "c", "d", False, 0, 0, document)), "complete"
        )
    store.close()
    visitor = Visitor(tmp_path)
    first = visitor.get("/")
    assert len(first.links("/runs/")) == 50
    older = visitor.get(first.all("a", rel="next")[0]["href"] or "")
    assert older.links("/runs/") == ["/runs/run-001", "/runs/run-000"]
    assert visitor.get("/?q=run-017").links("/runs/") == ["/runs/run-017"]
    assert "No run matches “zzz”" in visitor.get("/?q=zzz").words
    visitor.desk.close()


def test_the_list_is_narrowed_to_the_runs_with_one_headline(tmp_path: Path) -> None:
    document = {"project": {"policy": None}, "evaluators": [], "repeats": {"count": 1, "pass_when": None}}
    store = Store(tmp_path)

    def begin(name: str) -> OpenRun:
        return store.begin(NewRun(name, "p", "s", "v", "c", "d", False, 0, 0, document))

    def decide(run: OpenRun, *states: DecisionState) -> None:
        rules = [
            to_builtins(Decision("floor", "m", state, "r", "m", state != "PASS", 0.5, (0.1, 0.9), 0.5))
            for state in states
        ]
        store.add_decision(run.number, "p", "v", int(states != ("PASS",)), {"metrics": [], "decisions": rules})

    runs = {name: begin(f"run-{name}") for name in ("passes", "fails", "mended", "open", "bare", "stopped", "runs")}
    decide(runs["passes"], "PASS")
    decide(runs["fails"], "PASS", "FAIL")
    decide(runs["mended"], "FAIL")
    decide(runs["open"], "INSUFFICIENT_EVIDENCE")
    for name, run in runs.items():
        if name != "runs":
            store.finish(run, "stopped" if name == "stopped" else "complete")
    visitor = Visitor(tmp_path)

    def shown(query: str) -> set[str]:
        return {address.removeprefix("/runs/run-") for address in visitor.get(f"/?{query}").links("/runs/")}

    assert shown("decision=FAIL") == {"fails", "mended"}
    decide(runs["mended"], "PASS")
    assert shown("decision=FAIL") == {"fails"}, "a decision that came since counts"
    assert shown("decision=PASS") == {"passes", "mended"}
    assert shown("decision=PASS&q=mend") == {"mended"}
    assert shown("decision=INSUFFICIENT_EVIDENCE") == {"open"}
    assert shown("decision=NOTHING_DECIDED") == {"bare"}
    assert shown("decision=NOT_COMPLETED") == {"stopped"}
    assert shown("decision=RUNNING") == {"runs"}
    assert shown("decision=unheard-of") == set(runs)
    nothing = visitor.get("/?decision=MANUAL_REVIEW&q=x")
    assert "No run matches “x” and MANUAL_REVIEW." in nothing.words
    chosen = [one["value"] for one in nothing.all("option") if "selected" in one]
    assert chosen[0] == "MANUAL_REVIEW"
    visitor.desk.close()
    store.close()


def test_a_run_opens_with_its_decision_and_shows_its_failures_first(painted: Visitor) -> None:
    page = painted.get("/runs/latest")
    assert "INSUFFICIENT_EVIDENCE says-red is not decided" in page.words
    assert "4 of 4" in page.words
    tiles = page.all("a", class_="tile")
    assert [str(one["href"]).rpartition("/")[2] for one in tiles][:2] == ["cup", "jug"]
    assert len(page.all("img")) == 4
    assert "fits: " in page.words


def test_a_run_says_that_another_policy_than_its_own_decided_last(tmp_path: Path) -> None:
    (tmp_path / "painting_for_gate.py").write_text(SYSTEM)
    (tmp_path / "oloproof.yaml").write_text(PROJECT.replace("painting_for_pages", "painting_for_gate"))
    (tmp_path / "cases.json").write_text('[{"id": "mug", "input": {"width": 40, "say": "red"}}]')
    number = run_project(tmp_path).run.number
    visitor = Visitor(tmp_path)
    assert "taken by another policy" not in visitor.get("/runs/latest").words
    visitor.desk.store.add_decision(number, "of another policy", "v", 1, {"metrics": [], "decisions": []})
    assert "with exit 1, was taken by another policy than it was run with" in visitor.get("/runs/latest").words
    visitor.desk.close()


def test_a_run_tells_how_a_criterion_fares_in_each_slice_and_leads_there(painted: Visitor) -> None:
    page = painted.get("/runs/latest?criterion=says_red")
    assert "says_red by slice" in page.words
    assert "/runs/latest" not in "".join(page.links("/runs/latest"))
    (german,) = [one for one in page.links("/runs/") if "slice.lang=de" in one and "criterion=says_red" in one][:1]
    assert "2 of 2 that match" in painted.get(german).words


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("criterion=fits&outcome=fail", ["cup"]),
        ("outcome=fail&sort=run", ["cup", "jug"]),
        ("slice.lang=de&sort=run", ["mug", "jug"]),
        ("q=red+m", ["mug"]),
        ("q=jug&view=table", ["jug"]),
    ],
)
def test_the_address_is_the_state_of_the_gallery(painted: Visitor, query: str, found: list[str]) -> None:
    page = painted.get(f"/runs/latest?{query}")
    shown = [one for one in page.elements if one[0] == "a" and "data-item" in one[1]]
    assert [str(have["href"]).partition("?")[0].rpartition("/")[2] for _, have in shown] == found
    assert all(str(have["href"]).count("?") == 1 for _, have in shown)
    case = painted.get(str(shown[0][1]["href"]))
    assert (f"1 of {len(found)}" in case.words) == (len(found) > 1)


def test_filters_are_a_form_that_keeps_what_is_chosen(painted: Visitor) -> None:
    page = painted.get("/runs/latest?criterion=says_red&outcome=fail&slice.lang=de&q=jug&view=table&sort=score")
    chosen = {have["value"] for have in page.all("option") if "selected" in have}
    assert {"says_red", "de", "score"} <= chosen
    assert page.all("input", name="outcome", value="fail", type="hidden")
    assert page.all("input", name="view", value="table", type="hidden")
    assert page.all("input", name="q", value="jug")


def test_an_empty_gallery_says_which_filter_emptied_it_and_offers_to_drop_that_one(painted: Visitor) -> None:
    page = painted.get("/runs/latest?outcome=invalid&q=jug")
    assert "No case matches invalid and “jug”." in page.words
    assert "Drop invalid" in page.words
    assert "Drop “jug”" not in page.words


def test_what_the_address_asks_for_and_the_run_does_not_have_is_told(painted: Visitor) -> None:
    page = painted.get("/runs/latest?criterion=nope&outcome=odd&sort=worse")
    assert "The run has no criterion nope; it has fits, says_red." in page.words
    assert "odd is no outcome" in page.words
    assert "worse is no order" in page.words


def test_an_address_behind_the_last_case_shows_the_last_ones(painted: Visitor) -> None:
    """Some match, so that none does would be untrue."""
    last = painted.get("/runs/latest?sort=run").links("/runs/")[-1]
    assert "/cases/" in last
    page = painted.get(f"/runs/latest?sort=run&after={last.partition('/cases/')[2].partition('?')[0]}")
    assert "1 to 4 of 4" in page.words
    assert "No case matches" not in page.words


def test_what_does_not_exist_is_a_page_that_offers_the_nearest(painted: Visitor) -> None:
    case = painted.get("/runs/latest/cases/mugg")
    assert case.status == 404
    assert next(one.rpartition("/")[2] for one in case.links("/runs/") if "/cases/" in one) == "mug"
    run = painted.get("/runs/zzz")
    assert run.status == 404
    assert run.links("/runs/2")


def test_the_project_has_one_name_on_every_page(painted: Visitor) -> None:
    """Where no run is shown it is that of the newest one, not that of the folder."""
    addresses = ("/", "/?q=none-such", "/runs/zzz", "/judges", "/judges/zzz", "/review", "/review/zzz", "/compare")
    names = {painted.get(one).source.partition("</title>")[0].rpartition(" · ")[2] for one in addresses}
    assert names == {"paintings"}


def test_a_case_shows_the_file_itself_and_its_verdicts_failing_first(painted: Visitor) -> None:
    page = painted.get("/runs/latest/cases/cup")
    source = next(str(one["src"]) for one in page.all("img"))
    assert painted.client.get(source).headers["content-type"] == "image/png"
    assert page.words.index("fits fail") < page.words.index("says_red pass")
    assert "verified" in page.words
    assert "60 × 30" in page.words


def test_a_case_is_told_by_its_worst_repeat_and_the_others_are_a_step_away(judged: Visitor) -> None:
    page = judged.get(f"/runs/{RUN}/cases/seen")
    assert "seen fail" in page.words
    assert "1 of 2 pass, needs 1" in page.words
    assert "the mug has no handle" in page.words
    first = next(one for one in page.all("a") if one.get("data-key") == "1")
    other = judged.get(str(first["href"]))
    assert "the mug has no handle" not in other.words
    assert "seen pass" in other.words


def test_a_judges_verdict_shows_the_very_frames_their_times_and_the_words_it_was_given(judged: Visitor) -> None:
    page = judged.get(f"/runs/{RUN}/cases/seen?repeat=1")
    frames = [one for one in page.links("/media/") if "/frames/" in one]
    assert [one.rpartition("/")[2] for one in frames] == ["0.5", "1.25"]
    assert "judged by looker-7b, sight proven · not validated" in page.words
    for words in ("0.500 s", "1.250 s", "Transcript", "made sRGB", "11111111 22222222", "I think <script>"):
        assert words in page.words


def test_a_file_that_changed_is_not_shown_as_evidence_and_both_digests_are_told(judged: Visitor) -> None:
    page = judged.get(f"/runs/{RUN}/cases/drifted")
    assert not page.all("img")
    assert "drifted.png changed" in page.words
    digests = set(re.findall(r"\b[0-9a-f]{64}\b", page.words))
    assert len(digests) == 2
    gone = judged.get(f"/runs/{RUN}/cases/gone")
    assert not gone.all("img")
    assert "There now: nothing that can be read" in gone.words


def test_the_cookie_sets_the_theme_and_nothing_but_a_theme(painted: Visitor) -> None:
    assert painted.get("/", headers={"Cookie": "theme=dark"}).all("html", data_theme="dark")
    odd = painted.get("/", headers={"Cookie": 'theme="><script>'}).all("html")[0]
    assert "data-theme" not in odd
    assert "data-theme" not in painted.get("/").all("html")[0]


def test_styles_scripts_and_all_that_they_name_are_there(painted: Visitor) -> None:
    page = painted.get("/")
    named = [str(one["href"]) for one in page.all("link")] + [str(one["src"]) for one in page.all("script")]
    named += [
        "/static/" + name
        for name in re.findall(r'from "\./(\w+\.js)"', painted.client.get("/static/workbench.js").text)
    ]
    assert len(named) == 10
    for address in named:
        answer = painted.client.get(address)
        assert answer.status_code == 200, address
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in answer.text


def test_a_page_of_sixty_cases_is_small(tmp_path: Path) -> None:
    entry = {"criterion": "fits", "type": "custom", "version": "1", "calls_model": False, "metric": "rate"}
    evaluators = [{**entry, "score_range": None, "digest": "0" * 64}]
    document = {"project": {"policy": None}, "evaluators": evaluators, "repeats": {"count": 1, "pass_when": None}}
    store = Store(tmp_path)
    opened = store.begin(NewRun(RUN, "p", "s", "v", "c" * 64, "d" * 64, False, 200, 200, document))
    item = MediaItem("", "output", "image", "a.png", "a.png", "a.png", "png", "image/png", 3, "0" * 64, 9, 9)
    failed = [Judgement((Verdict.failed("a reason of some length " * 30, score=0.5),))]
    entries = [
        Entry(
            Trial(n, Case(f"a-case-with-a-long-name-{n:04d}", "x")),
            b"%d" % n,
            '"x"',
            Execution("y" * 5000, (item,)),
            failed,
        )
        for n in range(200)
    ]
    store.append(opened, entries)
    store.finish(opened, "complete")
    store.close()
    visitor = Visitor(tmp_path)
    page = visitor.get(f"/runs/{RUN}?outcome=fail&sort=run&q=reason")
    assert len(page.all("a", class_="tile")) == 60
    assert "60 of 200" in page.words
    assert len(page.source.encode()) < 100_000 * 60 / 50
    following = visitor.get(str(page.all("a", rel="next")[0]["href"]))
    assert following.all("a", class_="tile")[0]["href"] == page.all("a", class_="tile")[0]["href"].replace(
        "0000", "0060"
    )  # type: ignore[union-attr]
    assert "61 to 120 of 200" in following.words
    visitor.desk.close()
