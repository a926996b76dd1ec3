"""One look at labels: each kind of media that a judge is shown is held to the bars by itself."""

from __future__ import annotations

from oloproof.labels.gathering import gather
from oloproof.labels.validating import JudgedCase, validate
from oloproof.reports.judges import validation_text
from tests.labels.conftest import Labelling

CASES = 120


def test_a_kind_with_too_few_labels_is_named_as_the_one_that_is_open(desk: Labelling) -> None:
    run = desk.plain_run(CASES)
    desk.answer(run, {f"c{number}": "pass" if number % 2 else "fail" for number in range(CASES)})
    labels = gather(desk.history, run, "good")
    cases = [
        JudgedCase(case, case.passed, "audio" if place < 30 else "image") for place, case in enumerate(labels.prefix)
    ]
    found = validate(desk.store, labels, "ab" * 32, cases)

    assert (found.state, found.decision.state) == ("INSUFFICIENT_LABELS", "VALIDATED")
    assert found.document["sentence"].startswith("INSUFFICIENT_LABELS: of audio alone, too few cases")
    told = " ".join(validation_text({**found.document, "again": False}).split())
    assert "all kinds together, though each must clear the bars alone: VALIDATED: both bars are cleared" in told
    assert "audio: INSUFFICIENT_LABELS: too few cases" in told
    assert validate(desk.store, labels, "ab" * 32, cases).again
