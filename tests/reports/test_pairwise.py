"""What ``compare --judge`` prints for people."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from oloproof.records import Judgement, Verdict
from oloproof.reports.pairwise import pairwise_text
from oloproof.running.pairwise import JudgedPair, counts_of, position_bias, win_share


def document(pairs: list[JudgedPair], **more: Any) -> dict[str, Any]:
    return {
        "criterion": "nicer",
        "model": "eye",
        "pairs": len(pairs),
        **counts_of(pairs),
        "identical": 0,
        "skipped": {"one_run_only": 0, "execution_failed": 0, "input_differs": 0},
        "win_share": to_builtins(win_share(pairs, 0.95)),
        "position_bias": to_builtins(position_bias(pairs, 0.95)),
        "media": "output",
        "sight": {"proven": 2 * len(pairs), "not_proven": 0, "not_tested": 0},
        "answers": {"asked": 2 * len(pairs), "cached": 0},
        "cases": [{"case": one.case, "outcome": one.outcome, "orders": [_order(one.candidate_first)]} for one in pairs],
        **more,
    }


def _order(judgement: Judgement) -> dict[str, Any]:
    return {"outcome": judgement.verdicts[0].outcome, "reason": judgement.verdicts[0].reason}


def pair(case: str, first: str, second: str) -> JudgedPair:
    one, other = (Judgement((Verdict.passed("seen", better=better),)) for better in (first, second))
    return JudgedPair(case, one, other)


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_numbers_stand_with_their_numerators_and_that_nobody_held_it_to_labels() -> None:
    won = [pair(f"w{number}", "A", "B") for number in range(3)]
    text = words(pairwise_text(document([*won, pair("lost-one", "B", "A"), pair("odd-one", "A", "A")])))

    assert "candidate: 3 wins, 1 loss, 0 ties, 1 inconsistent of 5 pairs" in text
    assert "win share 75.0 % [19.4 %, 99.4 %]: 3 of 4 decided" in text
    assert "position bias +20.0 points" in text
    assert "the one shown first won both in 1, the one shown second in 0" in text
    assert "not held to labels" in text
    assert "lost: lost-one" in text
    assert "inconsistent: odd-one" in text
    assert "sight: proven" in text


def test_sight_that_is_not_proven_is_said() -> None:
    found = document([pair("c", "A", "B")], sight={"proven": 0, "not_proven": 2, "not_tested": 0})

    assert "sight: 2 not proven (of answers)" in words(pairwise_text(found))


def test_what_was_left_out_and_what_is_missing_is_said_with_its_reason() -> None:
    missing = Judgement((Verdict.missing("the file\x1b[2J is damaged"),))
    skipped = {"one_run_only": 2, "execution_failed": 1, "input_differs": 0}
    text = words(pairwise_text(document([JudgedPair("bad", missing, missing)], skipped=skipped)))

    assert "cases left out: 2 in one run only, 1 failed in a run" in text
    assert "missing: bad: the file\\x1b[2J is damaged" in text
    assert "win share: no data" in text
    assert "position bias: no data" in text


def test_long_lists_are_cut_and_lines_fit_the_terminal() -> None:
    text = pairwise_text(document([pair(f"case-{number:02}", "A", "A") for number in range(30)]), width=60)

    assert "and 20 more" in words(text)
    assert max(map(len, text.splitlines())) <= 60
    assert "<0.001" in text
