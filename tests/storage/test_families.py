"""Which families of a run moved most, and cases looked at by one variant."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from oloproof.records import OUTCOMES, Delivery, Outcome, Verdict
from oloproof.storage.browsing import Browsing
from oloproof.storage.case_index import CaseIndex, Filter
from oloproof.storage.families import FamilyIndex
from tests.storage.conftest import CRITERIA, PASSED, Base, entry, item

RELATIONS = {"jpeg-40": "degraded", "blur-3": "degraded", "blank": "control"}
MEMBERS = ("original", *RELATIONS)
LETTERS: dict[str, Outcome] = {outcome[0]: outcome for outcome in OUTCOMES}


def index(base: Base, said: dict[str, tuple[str, ...]]) -> CaseIndex:
    """Return the index of a run that holds these families."""
    browsing = stored(base, said)
    return browsing.index(browsing.find())


def families(base: Base, said: dict[str, tuple[str, ...]]) -> FamilyIndex:
    """Return which families moved of a run that holds these."""
    browsing = stored(base, said)
    return browsing.families(browsing.find())


def stored(base: Base, said: dict[str, tuple[str, ...]]) -> Browsing:
    """Store a case a row with a letter a repeat for the original and each variant; ``f2`` fails with another answer."""
    entries: list[Any] = []
    for case, members in said.items():
        for variant, letters in zip(MEMBERS, members, strict=False):
            answer = "two" if letters.endswith("2") else "one"
            for repeat, letter in enumerate(letters.removesuffix("2")):
                told = (Verdict(LETTERS[letter], "because", 0.1 * len(entries)), PASSED)
                entries.append(entry(len(entries), answer, case=case, variant=variant, repeat=repeat, verdicts=told))
    run = base.begin(document={"evaluators": CRITERIA, "relations": RELATIONS})
    base.store.append(run, entries)
    base.store.finish(run, "complete")
    return Browsing(base.store)


SAID = {
    "still": ("p", "p", "p", "f"),
    "wrong": ("f", "f", "f", "f"),
    "once": ("p", "p", "f", "f"),
    "twice": ("p", "f", "f", "f"),
    "lost": ("p", "p", "m", "f"),
    "back": ("f", "p", "f", "f"),
    "otherwise": ("f", "f", "f2", "f"),
}


def test_the_cases_that_most_variants_moved_come_first(base: Base) -> None:
    """A control that fails is no news, and equals keep the order of the run."""
    found = families(base, SAID)
    assert found.most_moved(0, 10) == ("twice", "back", "once", "lost", "wrong", "otherwise", "still")


def test_where_few_cases_moved_those_with_several_wrong_answers_follow(base: Base) -> None:
    found = families(base, SAID)
    assert found.most_moved(0, 4) == ("twice", "back", "once", "otherwise")
    assert found.most_moved(1, 2) == ("still", "wrong")


def test_a_share_of_repeats_that_changed_is_a_move(base: Base) -> None:
    found = families(base, {"still": ("pp", "pp"), "flaky": ("pf", "fp"), "less": ("pp", "pf")})
    assert found.most_moved(0, 1) == ("less",)


def test_answers_of_a_few_cases_are_read_alone_and_in_order(base: Base) -> None:
    browsing = stored(base, SAID)
    run = browsing.find()
    found = [(one.case_id, one.variant, one.outcome) for one in browsing.answers(run, 0, cases=["once", "still"])]
    assert found[:4] == [("still", name, out) for name, out in zip(MEMBERS, ["pass"] * 3 + ["fail"], strict=True)]
    assert [case for case, _, _ in found] == ["still"] * 4 + ["once"] * 4


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(variant="original", outcome="fail"), ["wrong", "back", "otherwise"]),
        (Filter(variant="blur-3", outcome="fail"), ["wrong", "once", "twice", "back", "otherwise"]),
        (Filter(variant="blur-3", outcome="missing"), ["lost"]),
        (Filter(variant="blank", outcome="pass"), []),
        (Filter(outcome="pass"), []),
        (Filter(variant="jpeg-40", sort="score"), ["still", "wrong", "once", "twice", "lost", "back", "otherwise"]),
    ],
)
def test_with_a_variant_only_its_trials_count(base: Base, wanted: Filter, found: list[str]) -> None:
    page = index(base, SAID).page(wanted, 10)
    assert [tile.case_id for tile in page.tiles] == found
    assert {tile.variant for tile in page.tiles} <= {wanted.variant}


def test_a_case_without_the_variant_is_not_among_its_cases(base: Base) -> None:
    cases = index(base, {"one": ("p", "p", "f"), "two": ("p",)})
    assert [tile.case_id for tile in cases.page(Filter(variant="blur-3"), 10).tiles] == ["one"]
    assert cases.tally(Filter(variant="blur-3")) == {"fail": 1, "invalid": 0, "missing": 0, "pass": 0}
    assert cases.neighbours(Filter(variant="blur-3"), "two").number is None


def test_text_is_looked_for_in_the_trials_of_the_variant(base: Base) -> None:
    cases = index(base, SAID)
    assert [tile.case_id for tile in cases.page(Filter(variant="blur-3", text="two"), 10).tiles] == ["otherwise"]
    assert cases.page(Filter(variant="original", text="two"), 10).total == 0


def test_a_tile_has_what_was_delivered_behind_what_was_recorded(base: Base) -> None:
    sent = Delivery("photo", item("sent.png", role="input"))
    base.complete(replace(entry(0, media=(item("made.png"),)), delivered=(sent,)))
    browsing = Browsing(base.store)
    (tile,) = browsing.index(browsing.find()).page(Filter(), 5).tiles
    assert [one.name for one in tile.media] == ["made.png", "sent.png"]
