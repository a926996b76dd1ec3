"""The review queue: what a person is shown, what never stands in the page, and what becomes of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oloproof.labels.gathering import gather
from oloproof.records import Verdict
from oloproof.storage import StoredRun
from tests.labels.conftest import SAW, Labelling
from tests.storage.conftest import entry
from tests.workbench.visiting import Page, Visitor

SECRETS = ("JUDGE-REASON", "OTHER-REASON", "0.123", "MODEL-NAME", "SAID-REASON", "THINKING", "0123456789")
HOSTILE = "<img src=https://evil.test/a> \x1b[31m"


class Reviewing:
    """A judged run of pictures with a sample of four of its five cases, and a browser on it."""

    def __init__(self, root: Path) -> None:
        self.made = Labelling(root)
        self.run = self._run()
        self.made.let_see(self.run, {**SAW, "served": "0123456789"})
        self.order = [place.case_id for place in self.made.draw(self.run, 4, seed="s").places]
        self.visitor = Visitor(root)

    def _run(self) -> StoredRun:
        verdicts = (Verdict.passed("JUDGE-REASON", score=0.123), Verdict.failed("OTHER-REASON"))
        cases = [
            entry(
                n,
                f"a mug, number {n} {HOSTILE}",
                input_=json.dumps({"photo": f"in/{n}.png", "question": "what is it?"}),
                expected="a cup",
                verdicts=verdicts,
                media=(
                    self.made.recorded(f"out/{n}.png", b"picture %d" % n),
                    self.made.recorded(f"in/{n}.png", b"in %d" % n, "input"),
                ),
            )
            for n in range(5)
        ]
        return self.made.judged_run(*cases)

    def page(self, **query: str) -> Page:
        asked = "&".join(f"{key}={value}" for key, value in {"reviewer": "Mira", **query}.items())
        return self.visitor.get(f"/review/good?{asked}")

    def answer_with(self, page: Page) -> dict[str, Any]:
        return dict(json.loads(page.all("div", id="review")[0]["data-answer-with"] or ""))

    def answer(self, page: Page, passed: str, **more: Any) -> Any:
        return self.visitor.post("/labels", {**self.answer_with(page), "passed": passed, **more})


@pytest.fixture
def reviewing(tmp_path: Path) -> Iterator[Reviewing]:
    made = Reviewing(tmp_path)
    yield made
    made.visitor.desk.close()
    made.made.store.close()


def test_nothing_of_the_judge_stands_in_any_page_of_the_queue(reviewing: Reviewing) -> None:
    reviewing.answer(reviewing.page(), "pass", labelled_by="Bob", note="BOBS-NOTE")
    pages = [reviewing.visitor.get("/review"), reviewing.visitor.get("/review/good")]
    pages += [reviewing.page(at=str(number)) for number in range(1, 5)]
    for page in pages:
        assert page.status == 200
        assert not [word for word in (*SECRETS, "BOBS-NOTE") if word in page.source]


def test_ticks_say_what_is_done_and_never_which_way(reviewing: Reviewing) -> None:
    def drawing(passed: str) -> str:
        reviewing.answer(reviewing.page(at="1"), passed)
        page = reviewing.page(at="2")
        assert page.all("svg", class_="ticks")[0]["aria-label"] == "1 of 4 labelled"
        assert page.all("button", aria_pressed="true") == []
        return "".join(str(one) for one in page.all("rect"))

    assert drawing("pass") == drawing("fail")


def test_a_case_shows_its_media_what_was_said_and_asked_and_not_the_paths(reviewing: Reviewing) -> None:
    page = reviewing.page()
    case = reviewing.order[0]
    assert f"a mug, number {case[1:]}" in page.words
    assert "what is it?" in page.words
    assert "photo" not in page.words
    assert "Expecteda cup" in page.words
    assert len([one for one in page.all("img") if "/media/" in (one["src"] or "")]) == 2
    assert "https://evil.test" not in "".join(str(one) for one in page.all("img"))
    assert "\x1b" not in page.source
    assert "1 of 4, 0 labelled, seed s" in page.words
    assert len([one for one in page.all("button") if "data-answer" in one and "data-allowed" in one]) == 3


def test_what_is_judged_is_shown_whole(tmp_path: Path) -> None:
    """A label is one of everything that was said, not of its beginning."""
    made = Labelling(tmp_path)
    run = made.judged_run(entry(0, "word " * 2_000 + "and the end"))
    made.draw(run, 1, seed="s")
    visitor = Visitor(tmp_path)
    page = visitor.get("/review/good?reviewer=Mira")
    visitor.desk.close()
    made.store.close()
    assert "and the end" in page.words
    assert "more, in the export" not in page.words


def test_an_answer_is_kept_and_the_way_onward_leads_to_the_next_open_case(reviewing: Reviewing) -> None:
    first = reviewing.page()
    told = reviewing.answer(first, "fail", note="no mug at all")
    assert (told.status_code, told.json()["became"], told.json()["purpose"]) == (201, "added", "validate")
    (label,) = reviewing.made.labels.labels(criterion="good")
    assert (label.case_id, label.passed, label.labelled_by, label.note) == (
        reviewing.order[0], False, "Mira", "no mug at all",
    )  # fmt: skip
    onward = first.all("div", id="review")[0]["data-onward"] or ""
    second = reviewing.visitor.get(onward)
    assert reviewing.answer_with(second)["case_id"] == reviewing.order[1]
    back = reviewing.visitor.get(second.all("a", data_step="back")[0]["href"] or "")
    assert [one["data-answer"] for one in back.all("button", aria_pressed="true")] == ["fail"]
    assert back.all("input", name="note")[0]["value"] == "no mug at all"
    changed = reviewing.answer(back, "pass")
    assert (changed.status_code, changed.json()["became"]) == (200, "replaced")


def test_the_labels_are_those_that_a_validation_reads(reviewing: Reviewing) -> None:
    for _ in range(4):
        reviewing.answer(reviewing.page(), "pass")
    found = gather(reviewing.made.history, reviewing.run, "good")
    assert [(one.case_id, one.passed, one.persons) for one in found.cases] == [(c, True, 1) for c in reviewing.order]


def test_agreement_is_told_when_this_person_is_done_and_not_before(reviewing: Reviewing) -> None:
    for number in range(1, 5):
        reviewing.answer(reviewing.page(at=str(number), reviewer="Bob"), "pass" if number % 2 else "fail")
    assert "Bob" not in reviewing.page().source
    for number in range(1, 5):
        reviewing.answer(reviewing.page(at=str(number)), "pass" if number < 3 else "fail")
    done = reviewing.page()
    assert "Mira has labelled all 4 cases of this sample." in done.words
    assert "Bob 4 of 4" in done.words
    assert "Of 4 cases with two labels or more, people agree on 2; Krippendorff’s alpha 0.12" in done.words
    assert [one.rpartition("at=")[2] for one in done.links("/review/good?")] == ["2", "3", "1"]
    assert "oloproof evaluators validate --criterion good" in done.words


def test_a_case_whose_file_is_not_as_it_was_cannot_be_labelled_and_can_be_passed_over(reviewing: Reviewing) -> None:
    page = reviewing.page()
    number = reviewing.order[0][1:]
    (reviewing.made.root / f"out/{number}.png").write_bytes(b"something else")
    told = reviewing.answer(page, "pass")
    assert (told.status_code, told.json()["error"]) == (409, "media_not_as_recorded")
    assert f"out/{number}.png of case 'c{number}' is changed" in told.json()["message"]
    page = reviewing.page()
    assert "This case cannot be labelled." in page.words
    assert not [one for one in page.all("button") if "data-allowed" in one]
    assert page.all("img") == []
    skipped = reviewing.visitor.get(page.all("a", data_step="skip")[0]["href"] or "")
    assert reviewing.answer_with(skipped)["case_id"] == reviewing.order[1]
    assert reviewing.made.labels.labels(criterion="good") == []


def test_a_case_that_cannot_be_labelled_keeps_nobody_from_the_end(reviewing: Reviewing) -> None:
    """One file that is gone would otherwise send people round in the queue, and nobody would be told of agreement."""
    (reviewing.made.root / f"out/{reviewing.order[1][1:]}.png").unlink()
    first = reviewing.page()
    reviewing.answer(first, "pass")
    lost = reviewing.visitor.get(first.all("div", id="review")[0]["data-onward"] or "")
    assert "gone or not readable" in lost.words
    assert lost.all("svg", class_="mark missing big") != []
    third = reviewing.visitor.get(lost.all("a", data_step="skip")[0]["href"] or "")
    assert reviewing.answer_with(third)["case_id"] == reviewing.order[2]
    for number in (3, 4):
        last = reviewing.page(at=str(number))
        reviewing.answer(last, "pass")
    for done in (reviewing.visitor.get(last.all("div", id="review")[0]["data-onward"] or ""), reviewing.page()):
        assert "Every case that can be shown is labelled" in done.words
        assert "Mira has labelled 3 of the 4 cases of this sample. 1 case cannot be shown as recorded" in done.words
        assert [one.rpartition("at=")[2] for one in done.links("/review/good?")] == ["2", "1"]
        assert "One person labelled" in done.words


def test_who_skips_a_lost_case_at_the_end_is_led_to_what_is_open_before_it(reviewing: Reviewing) -> None:
    (reviewing.made.root / f"out/{reviewing.order[3][1:]}.png").unlink()
    lost = reviewing.page(at="4")
    open_one = reviewing.visitor.get(lost.all("a", data_step="skip")[0]["href"] or "")
    assert reviewing.answer_with(open_one)["case_id"] == reviewing.order[0]


def test_an_empty_answer_is_told_beside_the_media_it_is_about(tmp_path: Path) -> None:
    """Without a word there, people would judge the picture and not what was said of it."""
    made = Labelling(tmp_path)
    run = made.judged_run(entry(0, "", media=(made.recorded("in/0.png", b"picture", "input"),)))
    made.draw(run, 1, seed="s")
    visitor = Visitor(tmp_path)
    words = visitor.get("/review/good?reviewer=Mira").words
    visitor.desk.close()
    made.store.close()
    assert "The system said nothing: its output is an empty text." in words


@pytest.mark.parametrize(
    ("change", "status", "code", "said"),
    [
        ({"shown": "00" * 32}, 409, "shown_otherwise", "reload the page"),
        ({"run": "none-such"}, 404, "run_not_found", "none-such"),
        ({"case_id": "none-such"}, 422, "not_a_label", "no case 'none-such'"),
        ({"criterion": "gud"}, 422, "not_a_label", "its criteria are: good, fits"),
        ({"passed": "maybe"}, 422, "not_a_label", "passed is 'maybe'"),
        ({"passed": 1}, 422, "not_understood", "passed: input should be a valid string"),
        ({"colour": "red"}, 422, "not_understood", "colour: extra inputs"),
        ({"labelled_by": ""}, 422, "not_a_label", "give a name"),
    ],
)
def test_what_is_no_label_is_refused_in_words_and_nothing_is_kept(
    reviewing: Reviewing, change: dict[str, Any], status: int, code: str, said: str
) -> None:
    told = reviewing.visitor.post("/labels", {**reviewing.answer_with(reviewing.page()), "passed": "pass", **change})
    assert (told.status_code, told.json()["error"]) == (status, code)
    assert said in told.json()["message"]
    assert reviewing.made.labels.labels() == []


def test_a_body_that_is_no_json_is_refused(reviewing: Reviewing) -> None:
    headers = {"Origin": "http://127.0.0.1:7788", "X-Oloproof-Token": reviewing.visitor.desk.token}
    told = reviewing.visitor.client.post(
        "/labels", content=b"{", headers={**headers, "Content-Type": "application/json"}
    )
    assert (told.status_code, told.json()["error"]) == (422, "not_understood")


def test_labels_are_taken_from_our_own_pages_only(reviewing: Reviewing) -> None:
    document = {**reviewing.answer_with(reviewing.page()), "passed": "pass"}
    assert reviewing.visitor.post("/labels", document, Origin="http://evil.test").status_code == 403
    assert reviewing.visitor.post("/labels", document, **{"X-Oloproof-Token": "guessed"}).status_code == 403
    assert reviewing.made.labels.labels() == []


def test_a_workbench_that_only_reads_shows_the_queue_and_takes_nothing(reviewing: Reviewing) -> None:
    reading = Visitor(reviewing.made.root, read_only=True)
    page = reading.get("/review/good?reviewer=Mira")
    assert "This workbench is read-only" in page.words
    assert not [one for one in page.all("button") if "data-allowed" in one]
    assert page.all("meta", name="oloproof-token") == []
    assert reading.post("/labels", {**reviewing.answer_with(page), "passed": "pass"}).status_code == 403
    reading.desk.close()


def test_a_sample_is_drawn_from_the_page_as_the_command_draws_it(tmp_path: Path) -> None:
    made = Labelling(tmp_path)
    run = made.plain_run(60)
    visitor = Visitor(tmp_path)
    start = visitor.get("/review/good")
    assert "No sample is drawn of this run yet." in start.words
    assert start.all("input", name="size")[0]["value"] == "60"
    told = visitor.post("/review/good/sample", {"run": run.id, "size": 20})
    assert (told.status_code, told.json()["cases"]) == (201, 20)
    (sample,) = made.labels.samples(criterion="good")
    assert (sample.purpose, sample.seed) == ("validate", told.json()["seed"])
    start = visitor.get("/review/good")
    assert "20 cases of 60, drawn blindly" in start.words
    assert "This sample cannot validate a judge: at least 50 labels are needed" in start.words
    assert visitor.post("/review/good/sample", {"run": run.id, "size": 0}).status_code == 422
    assert visitor.post("/review/nope/sample", {"run": run.id, "size": 5}).json()["error"] == "no_sample"
    assert "60" in visitor.get("/review").words
    visitor.desk.close()
    made.store.close()


def test_what_cannot_be_labelled_is_told(reviewing: Reviewing, tmp_path: Path) -> None:
    page = reviewing.visitor.get("/review/none-such")
    assert page.status == 404
    assert "no complete run has a criterion 'none-such'" in page.words
    assert "no criterion 'gud'" in reviewing.visitor.get(f"/review/gud?run={reviewing.run.id}").words
    assert "printable" in reviewing.page(reviewer="a%00b").words
    empty = Visitor(tmp_path / "empty")
    assert "Nothing can be labelled yet" in empty.get("/review").words
    empty.desk.close()


def test_a_longer_sample_than_there_is_room_for_has_a_tick_for_several(tmp_path: Path) -> None:
    made = Labelling(tmp_path)
    run = made.plain_run(450)
    made.draw(run, 450)
    visitor = Visitor(tmp_path)
    page = visitor.get("/review/good?reviewer=Mira&at=450")
    ticks = [one for one in page.all("rect") if one.get("class") in ("done", "open", "here")]
    assert (len(ticks), ticks[-1]["class"]) == (150, "here")
    visitor.desk.close()
    made.store.close()
