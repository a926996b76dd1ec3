"""The judges' pages: whether a judge may decide and on what, what it was before, and where people differ from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oloproof.running.probing import CHANGES
from oloproof.storage.probes import Probes
from oloproof.workbench.pages.judge_versions import changes, rubric_pieces
from tests.workbench.court import CRITERION, IDENTITY, Court, is_red, lenient, truthful
from tests.workbench.visiting import Page, Visitor

HOSTILE = "<script>alert(1)</script>\x1b[31m"
RUN, SECOND = "20261201-101500-ab12", "20261202-101500-cd34"


class Seat:
    """A court and a visitor of its workbench."""

    def __init__(self, root: Path) -> None:
        self.court = Court(root)
        self._visitors: list[Visitor] = []

    def visitor(self, *, read_only: bool = False) -> Visitor:
        self._visitors.append(Visitor(self.court.root, read_only=read_only))
        return self._visitors[-1]

    def page(self, judge: str = "", query: str = "") -> Page:
        return self.visitor().get(f"/judges/{judge or self.court.judge}{query}")

    def close(self) -> None:
        for one in self._visitors:
            one.desk.close()
        self.court.close()


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    found = Seat(tmp_path)
    yield found
    found.close()


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    """Two judges of one criterion, the second VALIDATED on 120 labels of two people, with 60 develop labels beside."""
    found = Seat(tmp_path_factory.mktemp("settled"))
    court = found.court
    court.run(lenient, cases=200, model="eye-2b", name=RUN)
    court.label(size=20)
    court.validate(lenient)
    court.run(lenient, cases=200, rubric="Pass only if the picture is red everywhere.", name=SECOND, reason=HOSTILE)
    court.label(size=120)
    court.label(lambda number: None if number == 1 else is_red(number), size=120, by="bob")
    court.validate(lenient)
    court.label(size=60, purpose="develop", note=f"{HOSTILE} look again")
    yield found
    found.close()


def figures(page: Page) -> dict[str, str]:
    """Return the cells of the confusion table by their words."""
    found = re.findall(r"(\d+)\s*(both pass|too strict|let through|both fail)\b(?! \d)", page.text)
    return {words: count for count, words in found}


def test_the_page_opens_with_the_state_and_its_reason_in_the_words_of_the_product(settled: Seat) -> None:
    page = settled.page()
    assert page.status == 200
    assert f"VALIDATED is_red, judge {settled.court.judge[:12]}" in page.words
    assert "Its verdicts may decide rules: both bars are cleared; TPR 0.9" in page.words
    assert "eye-7b, openai_compatible" in page.words
    assert page.words.index("VALIDATED") < page.words.index("Judge against people")


def test_the_table_and_both_rates_stand_as_the_validation_concluded_them(settled: Seat) -> None:
    page, validation = settled.page(), settled.court.labels.validations(criterion=CRITERION)[0]
    table = validation.document["table"]
    assert figures(page) == {
        "both pass": str(table["tp"]), "too strict": str(table["fn"]),
        "let through": str(table["fp"]), "both fail": str(table["tn"]),
    }  # fmt: skip
    drawn = [str(one["aria-label"]) for one in page.all("svg", role="img")]
    assert [one.partition(":")[0] for one in drawn] == [
        "Of what people pass the judge passes (TPR)",
        "Of what people fail the judge fails (TNR)",
    ]
    assert all(one.endswith("at least 0.70 wanted") for one in drawn)
    assert f"{table['tp']} of {table['tp'] + table['fn']} human PASS" in page.words
    assert "For reading only: agreement 0.9" in page.words
    (bias,) = re.findall(r"bias (.)0\.[0-9]{2}", page.words)
    assert bias in "+−"
    assert "2 of 2 at these labels" in page.words
    assert "blind still" in page.words


def test_versions_stand_newest_first_with_what_made_each_another_judge(settled: Seat) -> None:
    page = settled.page()
    versions = page.words[page.words.index("Versions") :]
    assert versions.index("VALIDATED") < versions.index("INSUFFICIENT_LABELS") < versions.index("Where they disagree")
    assert "model eye-2b → eye-7b" in versions
    assert "all over. everywhere." in versions
    older = next(one for one in page.links("/judges/") if settled.court.judge[:12] not in one)
    assert "INSUFFICIENT_LABELS is_red" in settled.visitor().get(older).words


def test_any_part_that_differs_is_told() -> None:
    newer = {
        **IDENTITY, "parameters": [0.7, None, 1024], "votes": 3, "reply": [{}, "", 2, 1],
        "sees": {**IDENTITY["sees"], "media": "all", "frames": [1, 8]},
    }  # fmt: skip
    assert changes(IDENTITY, newer) == (
        "temperature 0.0 → 0.7",
        "votes 1 → 3",
        "media output → all",
        "which frames of a clip it is shown",
        "how a reply is asked for and read",
    )
    own = {"type": "custom", "version": "1", "options": {"params": {"limit": 20}}, "source": "a"}
    changed = {**own, "options": {"params": {"limit": 30}}, "source": "b"}
    assert changes(own, changed) == ("params.limit 20 → 30", "the code of its modules")


def test_a_change_of_a_long_rubric_is_shown_with_a_few_words_around_it() -> None:
    words = [f"w{number}" for number in range(40)]
    pieces = rubric_pieces(" ".join(words), " ".join([*words[:20], "new", *words[21:]]))
    assert [(one.kind, one.text) for one in pieces] == [
        ("same", "… w14 w15 w16 w17 w18 w19"),
        ("removed", "w20"),
        ("added", "new"),
        ("same", "w21 w22 w23 w24 w25 w26 …"),
    ]
    assert rubric_pieces("the same", "the same") == ()


def test_disagreements_on_develop_labels_show_both_reasons_and_lead_to_the_case(settled: Seat) -> None:
    page = settled.page()
    cases = page.links(f"/runs/{SECOND}/cases/")
    assert cases
    assert f"on {len(cases)} of 60 develop labels" in page.words
    assert "look again" in page.words
    assert "fail: <script>alert(1)</script>\\x1b[31m" in page.words
    assert "<script>alert" not in page.source
    assert settled.visitor().get(cases[0]).status == 200


def test_one_kind_of_disagreement_can_be_asked_for(settled: Seat) -> None:
    strict = settled.page(query="?side=too_strict").links(f"/runs/{SECOND}/cases/")
    through = settled.page(query="?side=let_through").links(f"/runs/{SECOND}/cases/")
    assert sorted(strict + through) == sorted(settled.page().links(f"/runs/{SECOND}/cases/"))
    assert all(is_red(int(one.partition("/cases/c")[2][:3])) for one in strict)
    assert not any(is_red(int(one.partition("/cases/c")[2][:3])) for one in through)


def test_disagreements_are_paged_by_twenty_four(seat: Seat) -> None:
    seat.court.run(lambda _: "pass", cases=80)
    seat.court.label(purpose="develop")
    visitor = seat.visitor()
    first = visitor.get(f"/judges/{seat.court.judge}")
    second = visitor.get(str(first.all("a", rel="next")[0]["href"]))
    shown = [page.links(f"/runs/{RUN}/cases/") for page in (first, second)]
    assert [len(one) for one in shown] == [24, 6]
    assert not set(shown[0]) & set(shown[1])
    assert "25 to 30 of 30" in second.words
    last = shown[1][-1].partition("/cases/")[2].partition("?")[0]
    behind = visitor.get(f"/judges/{seat.court.judge}?after={last}")
    assert "7 to 30 of 30" in behind.words
    assert "The judge and people agree" not in behind.words
    assert visitor.get(str(second.all("a", rel="prev")[0]["href"])).links(f"/runs/{RUN}/cases/") == shown[0]


def test_a_judge_that_gave_no_verdict_differs_too(seat: Seat) -> None:
    seat.court.run(lambda number: "invalid" if number == 3 else truthful(number), cases=30)
    labelled = [number for number in range(30) if number != 3]
    seat.court.label(purpose="develop")
    assert "The judge and people agree on all of these." in seat.page().words
    assert f"on 0 of {len(labelled)} develop labels" in seat.page().words
    seat.court.run(lambda number: "invalid" if number in (3, 4) else truthful(number), cases=30, name=SECOND, votes=3)
    page = seat.page(query="?side=no_verdict")
    assert [one.partition("?")[0] for one in page.links(f"/runs/{SECOND}/cases/")] == [f"/runs/{SECOND}/cases/c004"]
    assert "No verdict 1" in page.words


def spending(page: Page) -> str:
    return next(one for one in page.links("/judges/") if one.endswith("/spend"))


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    """A judge that was looked at on a blind sample, which stays blind."""
    found = Seat(tmp_path_factory.mktemp("sealed"))
    found.court.run(lenient, cases=60)
    found.court.label(size=50, note="a note of ann")
    found.court.validate(lenient)
    yield found
    assert found.court.labels.counts()[CRITERION] == {"validate": 50, "develop": 0}
    found.close()


def test_a_validation_sample_is_not_shown_before_it_is_given_up(sealed: Seat) -> None:
    visitor = sealed.visitor()
    page = visitor.get(f"/judges/{sealed.court.judge}")
    assert not page.links(f"/runs/{RUN}/cases/")
    assert "a note of ann" not in page.source

    asks = visitor.get(spending(page))
    assert "Give up the blind sample of is_red?" in asks.words
    assert "50 labelled cases" in asks.words
    assert "they become develop labels, for good" in asks.words
    assert "a new blind sample has to be drawn" in asks.words
    assert not asks.links(f"/runs/{RUN}/cases/")


def test_giving_it_up_turns_its_labels_into_develop_labels_and_shows_them(seat: Seat) -> None:
    seat.court.run(lenient, cases=120)
    seat.court.label(size=100, note="a note of ann")
    seat.court.validate(lenient)
    visitor = seat.visitor()
    address = spending(visitor.get(f"/judges/{seat.court.judge}"))

    answer = visitor.post(address)
    assert answer.status_code == 200
    assert answer.json()["spent"] == 100
    assert seat.court.labels.counts()[CRITERION] == {"validate": 0, "develop": 100}
    page = visitor.get(answer.json()["next"])
    assert "a note of ann" in page.words
    assert page.links(f"/runs/{RUN}/cases/")
    assert "VALIDATED is_red" in page.words
    assert "spent: seen beside its verdicts since; this conclusion stands" in page.words

    again = visitor.post(address)
    assert again.status_code == 409
    assert "no validation sample any more" in again.json()["message"]
    assert visitor.get(address).status == 404


def test_no_other_page_can_give_it_up(sealed: Seat) -> None:
    visitor = sealed.visitor()
    address = spending(visitor.get(f"/judges/{sealed.court.judge}"))
    guessed = visitor.post(address, **{"X-Oloproof-Token": "guessed"})
    foreign = visitor.post(address, Origin="http://evil.test")
    assert (guessed.status_code, guessed.json()["error"]) == (403, "wrong_token")
    assert (foreign.status_code, foreign.json()["error"]) == (403, "foreign_origin")


def test_a_workbench_that_only_reads_offers_no_button_and_says_why(sealed: Seat) -> None:
    address = spending(sealed.page())
    visitor = sealed.visitor(read_only=True)
    page = visitor.get(f"/judges/{sealed.court.judge}")
    assert "started with --read-only, so it stays blind" in page.words
    assert not [one for one in page.links("/judges/") if one.endswith("/spend")]
    asks = visitor.get(address)
    assert "started with --read-only, so nothing can be changed" in asks.words
    assert not asks.all("button", class_="button costly")
    assert visitor.desk.token not in asks.source
    assert visitor.post(address).status_code == 403


def test_the_token_stands_on_the_page_that_asks_and_on_no_other(sealed: Seat) -> None:
    visitor = sealed.visitor()
    page = visitor.get(f"/judges/{sealed.court.judge}")
    asks = visitor.get(spending(page))
    assert asks.all("button", data_token=visitor.desk.token)
    assert asks.all("script", src="/static/judges.js")
    assert visitor.desk.token not in page.source


def label_none(_: Court) -> None:
    pass


def label_one(court: Court) -> None:
    court.label(size=1)
    court.validate(lenient)


def label_twenty(court: Court) -> None:
    court.label(size=20)
    court.validate(lenient)


@pytest.mark.parametrize(
    ("labelled", "state", "needed", "command"),
    [
        (label_none, "never looked at", "at least 50 labelled cases", "labels export --criterion is_red --sample 100"),
        (label_one, "INSUFFICIENT_LABELS", "1 labels (50 needed, 20 of each class)", "--sample 101 --by NAME"),
        (label_twenty, "INSUFFICIENT_LABELS", "more labels would settle it", "labels import sheet.csv --by NAME"),
    ],
)
def test_a_judge_without_enough_labels_says_how_many_more_and_the_way_there(
    seat: Seat, labelled: Callable[[Court], None], state: str, needed: str, command: str
) -> None:
    seat.court.run(lenient, cases=200)
    labelled(seat.court)
    page = seat.page()
    assert f"{state} is_red" in page.words
    assert needed in page.words
    assert "From a sample to VALIDATED" in page.words
    assert command in page.words
    assert "oloproof evaluators validate --criterion is_red" in page.words


def test_after_a_sample_was_given_up_a_new_one_is_to_be_drawn(seat: Seat) -> None:
    seat.court.run(lenient, cases=200)
    label_twenty(seat.court)
    visitor = seat.visitor()
    page = visitor.get(f"/judges/{seat.court.judge}")
    assert "Draw more cases: the sample only grows." in page.words
    visitor.post(spending(page))
    words = visitor.get(f"/judges/{seat.court.judge}").words
    assert "Draw a new blind sample as a sheet: the one before was given up." in words
    assert "only grows" not in words


def test_labels_that_nobody_looked_at_are_counted_as_far_as_they_go(seat: Seat) -> None:
    seat.court.run(lenient, cases=80)
    seat.court.label(size=20)
    assert "never looked at is_red" in seat.page().words
    assert "more labelled cases before a judge can be tried" in seat.page().words


def test_a_judge_that_is_refuted_is_to_be_mended_and_not_labelled_more(seat: Seat) -> None:
    seat.court.run(lambda _: "pass", cases=80)
    seat.court.label()
    seat.court.validate(lambda _: "pass")
    page = seat.page()
    assert "NOT_VALIDATED is_red" in page.words
    assert "the judge passes too much of what people fail" in page.words
    assert "Mend the judge" in page.words
    assert "oloproof evaluators try --criterion is_red" in page.words


def test_a_changed_judge_is_told_from_the_one_that_was_validated(seat: Seat) -> None:
    seat.court.run(truthful, cases=80)
    seat.court.label()
    seat.court.validate()
    seat.court.run(truthful, cases=80, name=SECOND, model="eye-9b")
    assert "The judge is another than the one that was validated; validate this one." in seat.page().words
    case = seat.visitor().get(f"/runs/{SECOND}/cases/c001")
    assert "another version was validated, not this one" in case.words


def test_a_judge_that_only_tried_its_luck_on_labels_has_a_page(seat: Seat) -> None:
    seat.court.run(truthful, cases=80)
    seat.court.label()
    untried = "ef" * 32
    seat.court.validate(truthful, judge=untried)
    page = seat.page(untried)
    assert f"VALIDATED is_red, judge {untried[:12]}" in page.words
    assert "judged no run yet" in page.words
    assert "what it is made of is not kept" in page.words


def test_a_unique_beginning_of_the_hash_is_enough_and_no_other(settled: Seat) -> None:
    judge = settled.court.judge
    assert settled.page(judge[:6]).status == 200
    assert settled.page(judge[:6].upper()).status == 200
    unknown = settled.page("zz<b>")
    assert unknown.status == 404
    assert "No judge of the runs and validations of this project has a hash that begins with zz<b>." in unknown.words
    assert any(judge[:12] in one for one in unknown.links("/judges/"))


def test_a_beginning_of_two_hashes_offers_both(seat: Seat) -> None:
    seat.court.run(truthful, cases=60)
    seat.court.label(size=50)
    for judge in ("abc1" * 16, "abc2" * 16):
        seat.court.validate(truthful, judge=judge)
    page = seat.page("abc")
    assert page.status == 404
    assert "abc is the beginning of several hashes" in page.words
    assert len(page.links("/judges/abc")) == 2


def test_a_judge_of_several_criteria_shows_one_and_leads_to_the_others(seat: Seat) -> None:
    seat.court.run(truthful, cases=20, criteria=("look.red", "look.sharp"))
    page = seat.page(query="?criterion=look.sharp")
    assert "never looked at look.sharp" in page.words
    other = next(one for one in page.links("/judges/") if one.endswith("criterion=look.red"))
    assert "never looked at look.red" in seat.visitor().get(other).words


def test_what_a_probe_found_is_shown_and_before_any_what_the_judgements_tell(seat: Seat) -> None:
    seat.court.run(truthful, cases=20, sight="not_proven")
    assert "sight NOT proven" in seat.page().words
    assert "Sight test before 20 judgements not proven" in seat.page().words
    movements = [{"change": one, "asked": 8, "moved": 8 if one == "pad" else 1, "unusable": 0} for one in CHANGES]
    sight = {"kind": "image", "state": "proven", "reason": "it told what was in a picture"}
    document = {
        "criterion": CRITERION, "judge": seat.court.judge, "server": "http://localhost:1", "model": "eye-7b",
        "sight": [sight], "run": RUN, "movements": movements, "notes": ["a note"],
    }  # fmt: skip
    Probes(seat.court.store).add(CRITERION, seat.court.judge, document)
    page = seat.page()
    assert "sight NOT proven" not in page.words
    assert "A random code in a picture proven it told what was in a picture" in page.words
    assert "moved in 8 of 8 it should move in none" in page.words
    assert "verdict unchanged without the picture: 7 of 8" in page.words
    assert "a note" in page.words


def test_the_list_names_the_newest_judge_of_each_criterion(settled: Seat) -> None:
    page = settled.visitor().get("/judges")
    assert "1 criterion that a model judges" in page.words
    assert "VALIDATED is_red" in page.words
    assert "2 versions" in page.words
    assert len(page.all("svg", role="img")) == 2
    assert page.all("a", href="/judges", aria_current="page")


def test_without_any_judge_the_list_says_what_to_do(seat: Seat) -> None:
    page = seat.visitor().get("/judges")
    assert page.status == 200
    assert "No run asked a judge yet." in page.words
    assert "oloproof evaluators list" in page.words


def test_runs_and_cases_lead_to_the_judge(settled: Seat) -> None:
    judge = f"/judges/{settled.court.judge[:12]}?criterion=is_red"
    visitor = settled.visitor()
    for address in ("/", f"/runs/{SECOND}", f"/runs/{SECOND}/cases/c001"):
        assert judge in visitor.get(address).links("/judges/"), address
    assert "Judged by a model: is_red VALIDATED" in visitor.get(f"/runs/{SECOND}").words


def test_the_pages_are_whole_and_need_no_more_than_a_strict_policy_allows(settled: Seat) -> None:
    visitor = settled.visitor()
    judge = visitor.get(f"/judges/{settled.court.judge}")
    for address in ("/judges", f"/judges/{settled.court.judge}", spending(judge), "/judges/none"):
        page = visitor.get(address)
        assert len(page.all("h1")) == 1, address
        ids = [have["id"] for _, have in page.elements if "id" in have]
        assert len(ids) == len(set(ids)), address
        for tag, have in page.elements:
            assert not [name for name in have if name == "style" or name.startswith("on")], (address, tag, have)
            assert tag != "script" or have.keys() >= {"src"}
            assert tag != "th" or have.get("scope")
            for name in ("src", "href"):
                assert not re.match(r"(?i)\s*(https?:|//|javascript:|data:)", have.get(name) or ""), (address, have)
        for one in page.all("link"):
            assert visitor.client.get(str(one["href"])).status_code == 200
