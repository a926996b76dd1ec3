"""The values that answers may name."""

from __future__ import annotations

import pytest

from oloproof.evaluators.priors import Vocabulary


def test_a_value_that_no_answer_could_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"holds no word and no number"):
        Vocabulary(["blue"], ["!!!"])


@pytest.mark.parametrize(("visual", "prior"), [(["blue"], ["Blue"]), (["3"], ["three"]), (["blue", "gold"], ["gold"])])
def test_a_value_that_stands_for_both_sides_is_refused(visual: list[str], prior: list[str]) -> None:
    with pytest.raises(ValueError, match="stands for both the visual and the prior value"):
        Vocabulary(visual, prior)


def test_symbols_tell_values_apart() -> None:
    Vocabulary(["C++"], ["C"])
    Vocabulary(["-5"], ["5"])
    Vocabulary(["5%"], ["5"])
