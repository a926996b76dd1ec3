"""What the terminal shows."""

from __future__ import annotations

from msgspec import to_builtins
from msgspec.structs import replace

from oloproof.records import Decision, Metric
from oloproof.reports import case_text, comparison_text, failures_text, run_summary, runs_table
from oloproof.reports.text import decision_lines, difference_interval_words, metric_lines
from oloproof.reports.wording import exit_words, seconds_words, visible
from oloproof.running.comparing import compare_runs
from oloproof.running.documents import case_document, comparison_document, run_document, runs_document

from .conftest import HOSTILE, RULES, Told, failed, passed

METRIC = Metric(
    "fits",
    "rate",
    "original",
    None,
    "pass_rate",
    0.95,
    (0.8306, 0.9939),
    0.95,
    "clopper_pearson@1",
    41,
    40,
    38,
    2,
    0,
    1,
)
DECISION = Decision(
    "fit", "fits", "FAIL", "observed_failures_exceed_limit", "fits: 2 of 41 cases failed.", True, 0.95, None, 0.0
)


def plain_document(**changes):
    document = {
        "run": "20261129-143100-ab12",
        "project": "catalogue-media",
        "system": {"name": "describer", "version": "v8"},
        "state": "complete",
        "exit": 1,
        "partial": False,
        "cases": 41,
        "executions": {"run": 40, "cached": 1, "failed": 0},
        "verdicts": {"asked": 41, "cached": 0},
        "oldest_reused": "2026-11-28T14:31:00Z",
        "metrics": [to_builtins(METRIC)],
        "decisions": [to_builtins(DECISION)],
        "warnings": [],
    }
    return {**document, **changes}


def test_a_run_is_told_in_a_header_a_table_its_decisions_and_the_exit_code():
    expected = """\
20261129-143100-ab12  catalogue-media, describer@v8
41 cases, 12 s, 1 answer from the cache (1 day old)

criterion   n  pass  fail  missing  invalid  estimate  interval
fits       41    38     2        1        0    95.0 %  [83.0 %, 99.4 %]

FAIL  fit  observed_failures_exceed_limit  fits: 2 of 41 cases failed.

exit 1: 1 of 1 rule blocks: fit."""
    assert expected == run_summary(plain_document(), seconds=12.2, now=1795962660.0)


def test_verdicts_that_a_judge_gave_earlier_are_told_with_their_age():
    reused = {"verdicts": {"asked": 41, "cached": 3}, "oldest_verdict_reused": "2026-11-26T14:31:00Z"}
    text = run_summary(plain_document(**reused), seconds=None, now=1795962660.0)
    told = "1 answer from the cache (1 day old), 3 verdicts from the cache (the oldest 3 days old)"
    assert told in " ".join(text.split())


def test_without_rules_it_says_that_nothing_was_decided():
    text = run_summary(plain_document(decisions=[], exit=0))
    assert text.endswith("exit 0: nothing was decided: there are no rules")


def test_a_run_that_was_stopped_is_said_to_end_with_2():
    text = run_summary(plain_document(state="stopped", exit=0))
    assert "stopped, not complete" in text
    assert text.endswith("exit 2: the run was not completed")


def test_a_long_sentence_stands_indented_below_and_the_reason_code_stays_whole():
    long = replace(DECISION, state="INSUFFICIENT_EVIDENCE", reason="interval_overlaps_threshold", message="word " * 40)
    first, *rest = decision_lines([long])
    assert first == "INSUFFICIENT_EVIDENCE  fit  interval_overlaps_threshold"
    assert all(line.startswith("    word") and len(line) <= 80 for line in rest)


def test_rules_that_block_come_first_and_one_that_does_not_says_so():
    mild = replace(DECISION, rule="mild", state="INSUFFICIENT_EVIDENCE", blocking=False)
    good = replace(DECISION, rule="good", state="PASS", blocking=False)
    states = [line.split()[:2] for line in decision_lines([good, mild, DECISION], width=200)]
    assert states == [["FAIL", "fit"], ["INSUFFICIENT_EVIDENCE", "mild"], ["PASS", "good"]]
    assert "(does not block)" in decision_lines([mild], width=200)[0]


def test_a_name_that_is_too_long_for_the_table_stands_on_its_own_line():
    long = replace(METRIC, criterion="a_criterion_with_a_very_long_name_indeed", slice={"lang": "de"})
    lines = "\n".join(metric_lines([METRIC, long])).split("\n")
    assert 'a_criterion_with_a_very_long_name_indeed (lang="de")' in lines
    assert lines[-1].index("95.0 %") == lines[1].index("95.0 %")
    assert max(map(len, lines)) <= 80


def test_a_score_and_a_rate_of_errors_count_no_passes():
    score = replace(METRIC, kind="score", estimate=0.5)
    errors = replace(METRIC, criterion="fits.error_rate")
    assert [line.split()[2:4] for line in metric_lines([score, errors])[1:]] == [["–", "–"], ["–", "–"]]


def test_colours_are_painted_on_states_and_change_no_alignment():
    painted = run_summary(plain_document(), now=0, paint=lambda text, style: f"<{style}>{text}</>")
    assert "<FAIL>FAIL</>" in painted
    import re

    assert re.sub(r"<[\w]*>|</>", "", painted) == run_summary(plain_document(), now=0)


def test_exit_codes_in_words():
    passing = replace(DECISION, state="PASS", blocking=False)
    assert exit_words(0, [passing]) == "exit 0: The one rule holds."
    assert exit_words(0, [passing, passing]) == "exit 0: All 2 rules hold."
    assert exit_words(2, [passing]) == "exit 2: the run was not completed"
    undecided = replace(DECISION, state="INSUFFICIENT_EVIDENCE", blocking=False)
    assert exit_words(0, [undecided, passing]) == "exit 0: No rule blocks; 1 of 2 rules did not pass: fit."


def test_spans_of_time_are_told_as_people_tell_them():
    seconds = (0.254, 12.2, 494.0, 7300.0, 400000.0)
    assert [seconds_words(one) for one in seconds] == ["0.25 s", "12 s", "8 min 14 s", "2 h 1 min", "5 days"]


def test_steering_characters_are_written_out():
    assert visible("a\x1b[31m\x00\u202eb\ud800\tc\n") == "a\\x1b[31m\\x00\\u202eb\\ud800\tc\n"


def test_a_real_run_is_told_without_a_single_steering_character(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES)
    document = run_document(bureau.history, mixed, conclusion)
    text = run_summary(document)
    assert "1 execution failed" in text
    assert "warning odd: look here" in text
    case = case_text(case_document(mixed, bureau.history.trials(mixed, case=HOSTILE), bureau.reader))
    failures = failures_text(mixed, bureau.history.trials(mixed))
    for shown in (text, case, failures):
        assert visible(shown) == shown


def test_a_case_is_told_with_its_files_and_their_state(bureau, mixed):
    (bureau.root / "out/wide.png").unlink()
    document = case_document(mixed, bureau.history.trials(mixed, case="mug-2"), bureau.reader)
    text = case_text(document)
    assert "mug-2  in run 20261129-143100-ab12\n  lang de\n  input describe the picture" in text
    assert '  expected {"text": "a blue mug", "n": 2}' in text
    assert "  media out/wide.png  gone\n      output, image, image/png," in text
    assert document["trials"][0]["media"][0]["sha256"] in text
    assert "  fail  same_photo  score 0.2  distance 12; at most 8" in text


def test_failures_are_counted_even_where_they_are_not_shown(bureau, mixed):
    text = failures_text(mixed, bureau.history.trials(mixed), limit=1)
    assert text == (
        "mug-2\n"
        "  fail  fits  300 px wide; at most 256 allowed\n"
        "  fail  same_photo  score 0.2  distance 12; at most 8\n"
        "\n"
        "5 trials of 6 did not pass; the first 1 are shown, oloproof inspect\n"
        "20261129-143100-ab12 --failures --json has all"
    )


def test_trials_that_a_stopped_run_did_not_execute_did_not_fail(bureau, mixed):
    stopped = replace(mixed, state="stopped", trials=40)
    text = failures_text(stopped, bureau.history.trials(mixed))
    assert text.endswith("\n5 trials of 6 did not pass, 34 were not executed")


def test_a_run_without_failures_says_so(bureau):
    run = bureau.run("r1", [Told("a", [passed()])], ["fits"])
    assert failures_text(run, bureau.history.trials(run)) == "nothing failed in run r1: every verdict is a pass"
    assert failures_text(run, iter(())) == "run r1 (complete) holds no trial, so nothing can be said of it"


def test_runs_are_listed_newest_first_with_the_error_of_a_stopped_one(bureau):
    bureau.run("20261128-000000-aaaa", [Told("a", [passed()])], ["fits"])
    bureau.run("20261129-000000-bbbb", [Told("a", [passed()])], ["fits"], state="stopped")
    text = runs_table(runs_document(bureau.history, bureau.history.runs()))
    head, newest, why, oldest = text.split("\n")
    assert head.split() == ["run", "started", "(UTC)", "state", "cases", "exit", "system"]
    assert newest.startswith("20261129-000000-bbbb")
    assert newest.endswith("stopped       1     2  describer@v8")
    assert why == "    ffmpeg is not installed"
    assert oldest.startswith("20261128-000000-aaaa")


def test_no_runs_yet_says_what_makes_one():
    assert runs_table({"runs": []}) == "no runs yet; oloproof run makes the first"


def test_two_runs_are_compared_with_what_was_fixed_and_broken(bureau):
    before = bureau.run("r1", [Told(f"c{n}", [passed() if n else failed()]) for n in range(20)], ["fits"])
    after = bureau.run("r2", [Told(f"c{n}", [failed() if n == 3 else passed()]) for n in range(20)], ["fits"])
    conclusion, policy = bureau.conclude(after, {"id": "no-worse", "metric": "fits", "kind": "superiority"})
    found, decisions = compare_runs(bureau.history, after, before, policy)
    conclusion = replace(conclusion, decisions=tuple(decisions))
    text = comparison_text(comparison_document(after, before, found, conclusion))
    assert text.startswith("candidate r2, baseline r1")
    assert "fits: 1 fixed, 1 broken\n  broken: c3\n  fixed: c0" in text
    assert "INSUFFICIENT_EVIDENCE  no-worse  interval_overlaps_margin" in text
    assert text.endswith("exit 1: 1 of 1 rule blocks: no-worse.")
    lost = replace(found[0], unmatched=4, lost=3)
    counted = comparison_text(comparison_document(after, before, [lost], conclusion), width=100)
    assert "fits: 1 fixed, 1 broken, 4 unmatched (3 of them observed in the baseline only)\n" in counted
    scored = replace(found[0], method="paired_betting_mixture@1")
    assert "fits: 1 higher, 1 lower\n  lower: c3\n  higher: c0" in comparison_text(
        comparison_document(after, before, [scored], conclusion)
    )
    outward = replace(found[0], interval=(-0.1234, 0.3))
    assert difference_interval_words(outward) == "[-12.4, +30.0]"
