"""Two runs compared as a browser gets them: the sentence, the numbers, the pairs, and what cannot be compared."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Delivery, Execution, Judgement, MediaItem, Trial, Verdict
from oloproof.running.comparing import compare_runs
from oloproof.storage import Entry, History, NewRun, Store, StoredRun
from oloproof.storage.labels import Labels, StoredValidation
from tests.workbench.test_pages import HOSTILE, Page, Visitor, assert_whole

CHECK = {"type": "contains", "version": "1", "calls_model": False, "digest": "1" * 64, "metric": "rate",
         "score_range": None}  # fmt: skip
TWO = "/compare?candidate=new&baseline=old"


class Shop:
    """A project whose runs are stored answer by answer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reader = MediaReader(root)
        self.store = Store(root)
        self.expected: Any = None
        self.given = ""

    def run(
        self,
        name: str,
        cases: Mapping[str, Any],
        *,
        state: str = "complete",
        criteria: Mapping[str, Mapping[str, Any]] | None = None,
        policy: Any = None,
        repeats: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Store a run: each case has (output, verdicts) or a list of them, one a repeat."""
        given = {"id": name, "project": "shop", "system_name": "describer", "system_version": f"v-{name}",
                 "config_digest": "c", "dataset_digest": "d", "partial": False, **more}  # fmt: skip
        entries = [{**CHECK, "criterion": key, **one} for key, one in (criteria or {"says": {}}).items()]
        document = {"project": {"policy": policy}, "evaluators": entries,
                    "repeats": repeats or {"count": 1, "pass_when": None}}  # fmt: skip
        opened = self.store.begin(NewRun(cases=len(cases), trials=len(cases), document=document, **given))
        for case, told in cases.items():
            for repeat, (output, *verdicts) in enumerate(told if isinstance(told, list) else [told]):
                self._append(opened, name, case, repeat, output, verdicts)
        self.store.finish(opened, state)

    def picture(self, name: str, colour: str, role: Any = "output") -> MediaItem:
        """Draw a picture and record it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (90, 60), colour).save(path)
        with using_reader(self.reader):
            return media_file(path, role=role)

    def _append(self, opened: Any, name: str, case: str, repeat: int, output: Any, verdicts: list[Any]) -> None:
        media = []
        if isinstance(output, tuple):
            output, *colours = output
            for number, colour in enumerate(colours):
                media.append(self.picture(f"out/{name}/{case}{'-and' * number}.png", colour))
        given = (Delivery("photo", self.picture(f"in/{self.given}.png", self.given, "input")),) if self.given else ()
        self.count = getattr(self, "count", 0) + 1
        judged = [Judgement((one,)) for one in verdicts]
        trial = Trial(self.count, Case(case, "x", self.expected, {"lang": "de"}), repeat=repeat)
        done = Execution(output, tuple(media), seconds=0.1)
        self.store.append(opened, [Entry(trial, b"%d" % self.count, '"x"', done, judged, None, given)])


def said(outcome: str, score: float | None = None, reason: str = "because") -> Verdict:
    return Verdict(outcome, reason, score)  # type: ignore[arg-type]


PASS, FAIL, MISSING = said("pass"), said("fail"), said("missing")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The candidates of the comparisons that are worked out from now on."""
    found: list[str] = []

    def counted(history: History, candidate: StoredRun, *more: Any) -> Any:
        found.append(candidate.id)
        return compare_runs(history, candidate, *more)

    monkeypatch.setattr("oloproof.workbench.pages.compared.compare_runs", counted)
    return found


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Two runs of which the newer one breaks 31 cases, fixes one, and moves one without another verdict."""
    made = Shop(tmp_path_factory.mktemp("compared"))
    old: dict[str, Any] = {f"b{n:02d}": ("a red mug", said("pass", 0.9)) for n in range(30)}
    new: dict[str, Any] = {f"b{n:02d}": ("a blue mug", said("fail", 0.9 - n / 100, HOSTILE)) for n in range(30)}
    same = {f"k{n:02d}": ("a red mug", said("pass", 0.9)) for n in range(20)}
    old |= same | {
        "fixed": ("no", said("fail", 0.1)), "moved": ("a red cup", said("pass", 0.8)), "both-fail": ("no", FAIL),
        "picture": (("seen from the front", "red"), said("pass", 0.5)), "unmeasured": ("x", PASS),
        "old-only": ("x", PASS),
    }  # fmt: skip
    new |= same | {
        "fixed": ("a red mug", said("pass", 0.9)), "moved": ("a red jug", said("pass", 0.7)),
        "both-fail": ("no", FAIL), "picture": ((f"seen whole {HOSTILE}", "blue"), said("fail", 0.05)),
        "unmeasured": ("x", MISSING), "new-only": ("x", PASS),
    }  # fmt: skip
    made.run("old", old)
    made.run("new", new)
    made.store.close()
    visitor = Visitor(made.root)
    yield visitor
    visitor.desk.close()


def read(page: Page) -> str:
    """Return the text of a page, its parts told apart."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.source)).split())


def ids(page: Page) -> list[str]:
    """Return the cases that a page of pairs lists; of one alone only the opened one is there."""
    listed = re.findall(r"data-item[^>]*>([^<]*)<", page.source)
    return listed or re.findall(r'<h3 id="pair">([^<]*)<', page.source)


def test_the_page_opens_with_what_moved_and_by_how_much(compared: Visitor) -> None:
    page = compared.get(TWO)
    assert page.status == 200
    assert "Worse v-new breaks 31 and fixes 1 of 54 cases in says" in page.words
    assert re.search(r"On the 54 cases measured in both runs, says falls by 55\.6 points \[−\S+, −\S+\]\.", page.words)
    assert "Candidate v-new new Baseline v-old old cases in both 55" in read(page)
    assert "only in the candidate 1 only in the baseline 1" in read(page)
    assert_whole(page, TWO)


def test_its_numbers_are_those_of_the_command(compared: Visitor) -> None:
    history = compared.desk.history
    found = compare_runs(history, history.find("new"), history.find("old"), None)[0][0]
    assert (found.matched, found.unmatched, found.passed_in_both) == (54, 3, 21)
    page = compared.get(TWO)
    assert "21 pass in both 1 fixed 31 broken 1 fail in both" in read(page)
    assert "worse , 1 fixed, 31 broken 54 pairs, 3 unpaired" in read(page)
    assert page.all("svg", role="img")[0]["aria-label"] == "−55.6 points [−68.5, −39.9], worse"
    assert found.interval is not None
    assert [100 * end for end in found.interval] == pytest.approx([-68.5, -39.9], abs=0.1)
    parts = page.all("rect", y="1", height="42")
    assert [one["class"] for one in parts] == ["both", "gained", "lost", "neither"]
    assert parts[2]["fill"] == "url(#hatch)"
    assert sum(float(str(one["width"]).rstrip("%")) for one in parts) == pytest.approx(100 - 3 * 0.4, abs=0.01)


def test_pairs_stand_under_tabs_those_that_moved_most_first(compared: Visitor) -> None:
    page = compared.get(TWO)
    tabs = re.findall(r"(\w[\w, ]*) <strong>([\d,]+)</strong></a>", page.source)
    assert tabs == [("Broken", "31"), ("Fixed", "1"), ("Moved, same verdict", "1"), ("Unpaired", "3")]
    assert ids(page)[:3] == ["picture", "b29", "b28"]
    assert len(ids(page)) == 24
    following = compared.get(str(page.all("a", rel="next")[0]["href"]).partition("#")[0])
    assert (len(ids(following)), ids(following)[0]) == (7, "b06")
    assert "25 to 31 of 31" in following.words
    assert ids(compared.get(str(following.all("a", rel="prev")[0]["href"]).partition("#")[0])) == ids(page)
    assert ids(compared.get(f"{TWO}&tab=fixed")) == ["fixed"]
    assert ids(compared.get(f"{TWO}&tab=moved")) == ["moved"]
    assert ids(compared.get(f"{TWO}&tab=unpaired")) == ["unmeasured", "new-only", "old-only"]
    assert ids(compared.get(f"{TWO}&tab=none&after=none&case=none")) == ids(page)
    behind_the_last = compared.get(f"{TWO}&tab=fixed&after=fixed")
    assert ids(behind_the_last) == ["fixed"]
    assert "No case stands" not in behind_the_last.words


def test_the_first_pair_is_opened_with_both_answers_and_both_pictures(compared: Visitor) -> None:
    page = compared.get(TWO)
    large = [str(one["src"]) for one in page.all("img") if one["src"] and "thumbnail" not in str(one["src"])]
    assert [one.split("/")[2] for one in large] == ["old", "new"]
    assert all(compared.client.get(one).headers["content-type"] == "image/png" for one in large)
    opened = page.source[page.source.index("<article") : page.source.index("</article>")]
    assert "seen <del>from the front</del>" in opened
    assert "seen <ins>whole &lt;script&gt;" in opened
    assert "1 of 31, broken" in opened
    assert 'href="/runs/new/cases/picture?criterion=says&amp;variant=original&amp;repeat=0"' in opened


def test_another_pair_is_opened_by_its_address(compared: Visitor) -> None:
    page = compared.get(TWO)
    address = next(one for one in page.links("/compare") if "case=b20" in one)
    opened = compared.get(address.partition("#")[0])
    assert address.endswith("#pairs")
    assert "11 of 31, broken" in opened.words
    assert ids(opened) == ids(page)
    assert [str(one["href"]) for one in opened.all("a", aria_current="true") if "case=b20" in str(one["href"])]


def test_where_words_are_all_that_was_made_the_picture_they_are_about_stands_beside_them(shop: Shop) -> None:
    shop.given = "red"
    cases = {"mug": ("a red mug", FAIL), "cup": ("a red cup", FAIL)}
    shop.run("old", {case: (words, PASS) for case, (words, _) in cases.items()})
    shop.run("new", cases)

    page = Visitor(shop.root).get(TWO)

    opened, _, listed = page.source.partition("</article>")
    assert opened.count('aria-label="input picture red.png"') == 1
    assert "input of both" in opened
    assert listed.count("/thumb") == 1  # of the other pair; that of the opened one is seen above


def test_inputs_that_are_not_the_same_are_held_against_each_other(shop: Shop) -> None:
    for name, colour in (("old", "red"), ("new", "blue")):
        shop.given = colour
        shop.run(name, {"mug": ("a mug", PASS if name == "old" else FAIL)})

    page = Visitor(shop.root).get(TWO)

    large = [str(one["src"]) for one in page.all("img") if one["src"] and "thumbnail" not in str(one["src"])]
    assert [one.split("/")[2] for one in large] == ["old", "new"]
    assert "input of both" not in page.source


def test_several_pictures_are_told_apart_by_name(shop: Shop) -> None:
    for name, outcome in (("old", PASS), ("new", FAIL)):
        shop.run(name, {"mug": (("a mug", "red", "blue"), outcome)})
    page = Visitor(shop.root).get(TWO)
    names = [one["aria-label"] for one in page.all("section", class_="pair")]
    assert names == [f"Pictures held against each other, {number} of 2" for number in (1, 2)]


def test_changed_words_are_marked_in_the_list(compared: Visitor) -> None:
    page = compared.get(f"{TWO}&case=b28")
    assert page.source.count("a <ins>blue</ins> mug") == 23
    assert page.source.count("a <del>red</del> mug") == 23
    assert "score 0.5 → 0.05" in page.words


def test_nothing_that_a_system_says_becomes_markup(compared: Visitor) -> None:
    for address in (TWO, f"{TWO}&tab=unpaired", f"{TWO}&tab=moved", "/compare?candidate=<script>alert(1)</script>"):
        page = compared.get(address)
        assert "<script>alert" not in page.source
        assert "<img src=https" not in page.source
        assert "\x1b" not in page.text
        assert_whole(page, address)


def test_a_file_that_has_changed_since_is_told_and_not_shown(shop: Shop) -> None:
    for name, colour in (("old", "red"), ("new", "blue")):
        shop.run(name, {"mug": (("a mug", colour), FAIL if name == "new" else PASS)})
    Image.new("RGB", (9, 9)).save(shop.root / "out" / "new" / "mug.png")
    visitor = Visitor(shop.root)
    page = visitor.get(TWO)
    assert "mug.png is changed since it was recorded" in page.words
    assert len([one for one in page.all("img") if "thumbnail" not in str(one["src"])]) == 1
    visitor.desk.close()


def test_two_ticked_runs_of_the_list_are_compared_the_newer_one_as_candidate(compared: Visitor) -> None:
    page = compared.get("/")
    assert [one["value"] for one in page.all("input", name="run")] == ["new", "old"]
    assert page.all("form", action="/compare", method="get")
    for query in ("run=new&run=old", "run=old&run=new"):
        answer = compared.client.get(f"/compare?{query}")
        assert (answer.status_code, answer.headers["location"]) == (303, TWO)
    assert "one run was ticked" in compared.get("/compare?run=new").words
    assert compared.get("/compare?run=none-such").status == 404


def test_without_two_runs_the_page_asks_for_them_with_the_last_two_ready(compared: Visitor) -> None:
    page = compared.get("/compare")
    assert (page.status, page.links("/compare?")) == (200, [TWO])
    assert "v-new against v-old" in page.words
    assert [len(page.all("select", name=name)) for name in ("candidate", "baseline")] == [1, 1]
    assert page.all("a", data_go="c", aria_current="page")
    half = compared.get("/compare?candidate=old")
    assert "one is named, the other is not" in half.words


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("candidate=new&baseline=new", 400, "Both are run new, and a run does not differ from itself"),
        ("candidate=latest&baseline=new", 400, "Both are run new"),
        ("candidate=none&baseline=new", 404, "no run is called 'none'"),
        ("candidate=new&baseline=latest~9", 404, "there is no run latest~9"),
    ],
)
def test_what_is_no_pair_of_runs_is_said_in_words(compared: Visitor, query: str, status: int, told: str) -> None:
    page = compared.get(f"/compare?{query}")
    assert (page.status, told in page.words) == (status, True), page.words
    assert page.all("select", name="candidate")


def test_a_run_that_has_not_come_to_its_end_is_not_compared_and_cannot_be_ticked(shop: Shop) -> None:
    shop.run("old", {"mug": ("x", PASS)})
    shop.run("new", {"mug": ("x", PASS)}, state="stopped")
    visitor = Visitor(shop.root)
    assert "Run new is stopped" in visitor.get(TWO).words
    assert [one["value"] for one in visitor.get("/").all("input", name="run")] == ["old"]
    assert "Two runs that came to their end are needed" in visitor.get("/compare").words
    visitor.desk.close()


def test_runs_that_differ_in_more_than_the_system_say_so(shop: Shop) -> None:
    criteria = {"says": {"digest": "2" * 64}, "fits": {}}
    shop.run("old", {"mug": ("x", PASS), "cup": ("x", PASS)}, system_version="v1")
    shop.expected = "y"
    shop.run("new", {"mug": ("x", FAIL, PASS)}, criteria=criteria, project="shop two", system_name="painter",
             dataset_digest="e", partial=True, system_version="v1")  # fmt: skip
    visitor = Visitor(shop.root)
    words = visitor.get(f"{TWO}&criterion=none").words
    for told in (
        "The runs are of different projects: shop two and shop.",
        "The runs are of different systems: painter and describer.",
        "The runs are over different datasets",
        "new took only a part of its cases",
        "1 case of the same id has another expected value or file in the two runs (mug)",
        "Only new was measured by fits in this way",
        "Each run has another check, so a difference may be that of the check.",
        "The runs share no criterion none; another one is shown.",
        "new against old",
    ):
        assert told in words, told
    visitor.desk.close()


def test_runs_that_share_no_criterion_are_still_shown_side_by_side(shop: Shop) -> None:
    shop.run("old", {"mug": ("red", PASS)})
    shop.run("new", {"mug": ("blue", PASS)}, criteria={"fits": {}})
    visitor = Visitor(shop.root)
    page = visitor.get(TWO)
    assert "Not comparable v-new and v-old share nothing that was measured" in page.words
    assert "runs new and old share no criterion" in page.words
    assert ids(page) == ["mug"]
    assert "<ins>blue</ins>" in page.source
    assert_whole(page, TWO)
    visitor.desk.close()


def test_scores_rise_and_fall_on_the_axis_of_their_own_range(shop: Shop) -> None:
    criteria = {"stars": {"metric": "score", "score_range": [1.0, 5.0]}}
    shop.run("old", {f"c{n}": ("x", said("pass", 2.0)) for n in range(40)}, criteria=criteria)
    shop.run("new", {f"c{n}": ("x", said("pass", 4.0 if n else 1.0)) for n in range(40)}, criteria=criteria)
    visitor = Visitor(shop.root)
    page = visitor.get(TWO)
    assert "Higher v-new lowers 1 and raises 39 of 40 cases in stars" in page.words
    assert "0 unchanged 39 higher 1 lower" in read(page)
    assert "A score from 1 to 5; its place on the axis is its share of that range." in page.words
    assert page.all("circle", cy="12")[0]["cx"] == "90.1%"  # 1.925 of 4, on an axis to 0.6
    assert ids(page) == ["c0"]
    visitor.desk.close()


def test_of_repeats_the_one_that_differs_is_shown_with_how_many_pass(shop: Shop) -> None:
    repeats = {"count": 3, "pass_when": 2}
    shop.run("old", {"mug": [("red", PASS)] * 3}, repeats=repeats)
    shop.run("new", {"mug": [("red", PASS), ("blue", FAIL), ("red", FAIL)]}, repeats=repeats)
    visitor = Visitor(shop.root)
    page = visitor.get(TWO)
    assert "v-old pass repeat 1; 3 of 3 pass" in page.words
    assert "v-new fail repeat 1; 1 of 3 pass" in page.words
    assert page.links("/runs/new/cases/mug?criterion=says&variant=original&repeat=1")
    visitor.desk.close()


def test_rules_that_compare_decide_as_they_stood_when_the_candidate_ran(shop: Shop) -> None:
    rules = [{"id": "no-worse", "metric": "says", "kind": "non_inferiority", "margin": 0.1},
             {"id": "fits-too", "metric": "fits", "kind": "superiority"}]  # fmt: skip
    policy = {"version": 1, "rules": rules}
    shop.run("old", {f"c{n}": ("x", PASS) for n in range(30)})
    shop.run("new", {f"c{n}": ("x", FAIL, PASS) for n in range(30)}, criteria={"says": {}, "fits": {}}, policy=policy)
    visitor = Visitor(shop.root)
    words = read(visitor.get(TWO))
    assert "FAIL v-new breaks 30 of 30 cases in says 1 of 1 rule blocks: no-worse." in words
    assert "no-worse FAIL says: 0.0 % after 100.0 %, a difference of −100.0 points" in words
    assert "The rule fits-too is about a criterion that only one of the runs has" in words
    visitor.desk.close()


def test_what_a_judge_says_is_not_called_what_people_would_say(shop: Shop) -> None:
    judged = {"caption": {"calls_model": True, "type": "rubric_judge"}}
    shop.run("old", {"mug": ("x", PASS)}, criteria=judged)
    shop.run("new", {"mug": ("y", PASS)}, criteria=judged)
    visitor = Visitor(shop.root)
    assert "no labels show yet that it agrees with people: the judge is not validated" in visitor.get(TWO).words
    validated = StoredValidation("caption", "1" * 64, "2" * 64, 1, "VALIDATED", "agrees", {})
    Labels(shop.store).add_validation(validated)
    assert "What the validated judge says in both runs (judge_rate), not the rate of people" in visitor.get(TWO).words
    visitor.desk.close()


def test_a_comparison_is_worked_out_anew_when_a_judge_was_held_to_labels_since(shop: Shop, asked: list[str]) -> None:
    shop.run("old", {"mug": ("x", PASS)})
    shop.run("new", {"mug": ("y", FAIL)})
    visitor = Visitor(shop.root)
    visitor.get(TWO)
    Labels(shop.store).add_validation(StoredValidation("says", "1" * 64, "2" * 64, 1, "NOT_VALIDATED", "no", {}))
    visitor.get(TWO)
    assert asked == ["new", "new"]
    visitor.desk.close()


def test_a_comparison_is_worked_out_once_and_anew_for_another_database(shop: Shop, asked: list[str]) -> None:
    shop.run("old", {"mug": ("x", PASS)})
    shop.run("new", {"mug": ("y", FAIL)})
    visitor = Visitor(shop.root)
    for address in (TWO, f"{TWO}&tab=moved", f"{TWO}&criterion=says"):
        assert "breaks 1 of 1 case" in visitor.get(address).words
    assert asked == ["new"]
    shop.store.close()
    (shop.root / ".oloproof" / "oloproof.db").unlink()
    again = Shop(shop.root)
    again.run("old", {"mug": ("x", FAIL)})
    again.run("new", {"mug": ("y", PASS)})
    assert "fixes 1 of 1 case" in visitor.get(TWO).words
    assert asked == ["new", "new"]
    again.store.close()
    visitor.desk.close()
