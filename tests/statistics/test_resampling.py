"""Bootstrap intervals of labels."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from oloproof import statistics as st

DATA = Path(__file__).parents[1] / "data"
RATES = {label: rate for rate, label in st.LABEL_RATES.items()}


def test_the_recipe_of_the_earlier_tool_is_reproduced_to_the_last_digit() -> None:
    golden = json.loads((DATA / "vpp_bootstrap.json").read_text(encoding="utf-8"))
    found = st.recipe_label_rates(golden["labels"], st.PRIOR_LABELS, resamples=golden["bootstrap"], seed=golden["seed"])

    assert found is not None
    assert {RATES[label]: list(interval) for label, interval in found.items()} == golden["ci"]


def test_its_paired_recipe_is_reproduced_to_the_last_digit() -> None:
    golden = json.loads((DATA / "vpp_compare_bootstrap.json").read_text(encoding="utf-8"))
    pairs = [(a, b) for a, b in zip(golden["a"], golden["b"], strict=True) if "bad" not in (a, b)]
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    found = st.recipe_paired_labels(left, right, ("visual", "prior"), resamples=golden["bootstrap"])

    assert found is not None
    assert {RATES[label]: list(interval) for label, interval in found.items()} == golden["result"]["comparison"][
        "paired_confidence_intervals"
    ]


@pytest.mark.parametrize("seed", [0, "x", 1.5, b"bytes", 2**70])
def test_many_draws_at_once_are_those_that_python_gives_one_by_one(seed: st.Seed) -> None:
    values = [0, 1, 1, 0, 1, 0, 0]
    found = st.recipe_label_rates(["no" if one == 0 else "yes" for one in values], ("yes",), resamples=3, seed=seed)
    drawn = random.Random(seed)
    means = sorted(sum(values[drawn.randrange(7)] for _ in values) / 7 for _ in range(3))

    assert found is not None
    assert found["yes"] == (means[0] + (means[1] - means[0]) * 0.05, means[1] + (means[2] - means[1]) * (0.975 * 2 - 1))


def test_drawing_labels_together_has_the_spread_that_drawing_samples_has() -> None:
    counts = {"visual": 70, "prior": 20, "other": 10}
    found = st.bootstrap_label_rates(counts, resamples=20_000)

    assert found is not None
    assert found["visual"] == pytest.approx(
        np.quantile(np.random.default_rng(1).binomial(100, 0.7, 20_000) / 100, (0.025, 0.975)), abs=0.011
    )
    assert st.bootstrap_label_rates(counts, resamples=50) == st.bootstrap_label_rates(counts, resamples=50)
    assert st.bootstrap_label_rates(counts, resamples=50) != st.bootstrap_label_rates(counts, resamples=50, seed=7)


def test_paired_labels_are_drawn_as_pairs() -> None:
    """Two models that always agree differ by nothing, however their common labels vary."""
    same = st.bootstrap_paired_labels({("visual", "visual"): 5, ("prior", "prior"): 5}, ("visual",), resamples=99)
    moved = st.bootstrap_paired_labels({("visual", "prior"): 5, ("prior", "prior"): 5}, ("visual",), resamples=999)

    assert same == {"visual": (0.0, 0.0)}
    assert moved is not None
    assert moved["visual"][0] < -0.5 < moved["visual"][1] < 0.0


def test_nothing_drawn_from_nothing() -> None:
    assert st.bootstrap_label_rates({"visual": 0}, resamples=9) is None
    assert st.bootstrap_paired_labels({}, ("visual",), resamples=9) is None
    assert st.recipe_label_rates([], ("visual",), resamples=9) is None
    assert st.recipe_paired_labels([], [], ("visual",), resamples=9) is None
    with pytest.raises(ValueError, match="resamples"):
        st.bootstrap_label_rates({"visual": 1}, resamples=0)
    with pytest.raises(ValueError, match="same length"):
        st.recipe_paired_labels(["visual"], [], ("visual",), resamples=9)


def test_ten_thousand_samples_a_thousand_times_take_a_fraction_of_what_they_took() -> None:
    """The earlier tool needed 8.7 s; a twentieth of it is far above what drawing the labels together takes."""
    drawn = random.Random(1)
    counts = Counter(drawn.choice(st.PRIOR_LABELS) for _ in range(10_000))
    st.bootstrap_label_rates(counts, resamples=1)
    began = time.process_time()
    st.bootstrap_label_rates(counts, resamples=1000)

    assert time.process_time() - began < 8.7 / 20
