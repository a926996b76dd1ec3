"""Words that reports and pages share."""

import pytest

from oloproof.reports.wording import with_minus_signs


@pytest.mark.parametrize(
    ("written", "set_"),
    [
        ("-78.1 points", "−78.1 points"),
        ("[-89.0, -59.0]", "[−89.0, −59.0]"),
        ("read.delta on jpeg-40: -3.1 points (of -5)", "read.delta on jpeg-40: −3.1 points (of −5)"),
        ("run 20261130-071326, a - b, x-1, --case", "run 20261130-071326, a - b, x-1, --case"),
    ],
)
def test_negative_numbers_get_minus_signs_and_names_keep_their_hyphens(written: str, set_: str) -> None:
    assert with_minus_signs(written) == set_
