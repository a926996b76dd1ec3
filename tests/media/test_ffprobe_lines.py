"""What ffprobe prints, in the ways of its versions."""

from __future__ import annotations

import pytest

from oloproof.media.ffprobe_lines import orientation, read_line

LEFT = r"\n00000000:            0       65536           0\n00000001:       -65536           0           0\n"
MATRIX = rf"{LEFT}00000002:            0           0  1073741824\n"


@pytest.mark.parametrize(
    "line",
    [
        rf"stream|index=0|width=320|tag:rotate=90|side_data|displaymatrix={MATRIX}|rotation=-90",
        rf"stream|index=0|width=320|side_datum/display_matrix:displaymatrix={MATRIX}|side_datum/display_matrix:rotation=-90",
        rf"stream|index=0|width=320|displaymatrix={MATRIX}",
        "stream|index=0|width=320|side_datum/display_matrix:rotation=-90",
        "stream|index=0|width=320|tag:rotate=90",
    ],
    ids=["5.1", "7.1", "matrix alone", "angle alone", "tag alone"],
)
def test_a_turned_stream_is_known_whichever_ffprobe_tells_of_it(line: str) -> None:
    section, values = read_line(line)

    assert (section, values["index"], values["width"]) == ("stream", "0", "320")
    assert orientation(values) == 6


@pytest.mark.parametrize("angle", ["", "nan", "inf", "1e999999999", "N/A", "9" * 500, "1/0", "45"])
def test_an_angle_that_is_none_turns_nothing(angle: str) -> None:
    assert orientation({"rotation": angle}) == orientation({"tag:rotate": angle}) == 1


def test_names_that_are_not_of_side_data_keep_their_prefix() -> None:
    line = "packet|pts=512|flags=K_|disposition:attached_pic=1|side_datum/skip_samples:discard_padding=648|side_data"

    assert read_line(line) == (
        "packet",
        {"pts": "512", "flags": "K_", "disposition:attached_pic": "1", "discard_padding": "648"},
    )
