"""The room as a whole: what it loads, what it offers, and what its page shows."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

from oloproof import statistics as st

ROOT = Path(__file__).parents[2]

DECIDING_PATH = """
import sys
from oloproof import statistics as st
st.clopper_pearson(27, 30)
st.missing_bounded_interval(27, 30, 2)
st.wilson(27, 30)
st.decide(st.clopper_pearson(27, 30), minimum=0.7)
st.gate_counts(30, minimum=0.8)
st.rate_plan_sentence(20, minimum=0.9)
st.more_cases(28, 30, minimum=0.9)
st.predictive_probability_of_pass(28, 30, 100, minimum=0.9)
st.judge_rule(st.JudgeTable(45, 5, 8, 42), max_bias=0.1).sentence
st.agreement_measures(st.JudgeTable(45, 5, 8, 42))
st.human_rate(st.Stratum(850, 85, 83), st.Stratum(150, 15, 4), missing=3)
st.transported_rate(500, 1000, st.JudgeTable(45, 5, 8, 42))
st.decide_judged_difference(
    (-0.01, 0.1), goal="non_inferior", margin=0.05, matched=90,
    candidate=st.JudgeTable(45, 5, 8, 42), baseline=st.JudgeTable(45, 5, 8, 42),
)
print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'scipy'}))
"""


def test_deciding_a_rate_loads_neither_numpy_nor_scipy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DECIDING_PATH], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "[]"


def test_no_public_name_is_hidden_by_a_module_of_that_name() -> None:
    modules = {path.stem for path in (ROOT / "oloproof" / "statistics").glob("*.py")}

    assert modules & set(st.__all__) == set()


def test_a_rate_loads_only_the_modules_it_needs() -> None:
    program = "import sys; from oloproof.statistics import clopper_pearson; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )

    assert "oloproof.statistics.rates" in done.stdout.split()
    assert "oloproof.statistics.planning" not in done.stdout.split()
    assert "oloproof.statistics.betting" not in done.stdout.split()


def test_the_page_shows_what_the_functions_return() -> None:
    result = doctest.testfile(str(ROOT / "docs" / "statistics.md"), module_relative=False)

    assert result.failed == 0
    assert result.attempted > 10


def test_the_page_names_every_method() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    methods = [getattr(st, name) for name in st.__all__ if str(getattr(st, name)).endswith("@1")]

    assert len(methods) > 15
    assert [method for method in methods if f"`{method}`" not in page] == []
