"""In parity the reports of an earlier tool come out again, to the last digit."""

from __future__ import annotations

import pytest

from oloproof.probes import compare, evaluate
from tests.probes.conftest import answering, golden


def test_its_report_is_reproduced_to_the_last_digit() -> None:
    given = golden("vpp_evaluate")
    report = evaluate(given["samples"], answering(given["responses"]), bootstrap=1000, seed=42, parity=True)

    assert report == given["evaluate_bootstrap1000_seed42"]


def test_its_comparison_is_reproduced_to_the_last_digit() -> None:
    given = golden("vpp_compare")
    targets = {name: answering(given[name]) for name in ("base", "post")}
    found = compare(given["samples"], targets, bootstrap=1000, seed=42, parity=True)
    expected = given["compare_bootstrap1000_seed42"]

    assert found["comparisons"] == expected["comparisons"]
    assert {name: {**model, "results": None} for name, model in found["models"].items()} == {
        name: {**model, "results": None} for name, model in expected["models"].items()
    }


@pytest.mark.parametrize("parity", [True, False])
def test_no_data_is_a_zero_only_in_parity(parity: bool) -> None:
    report = evaluate([], answering([]), parity=parity)

    assert report["visual_adoption_rate"] == (0.0 if parity else None)
    assert report["confidence_intervals"]["mixed_rate"] is None
