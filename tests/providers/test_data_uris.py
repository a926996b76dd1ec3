"""Data URIs are written in one form, and read in the many that real systems hand over (MR-43)."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.providers import InvalidDataUri, data_uri_pieces, parse_data_uri
from tests.providers.conftest import png, wav

FORMS = json.loads((Path(__file__).parents[1] / "data" / "media-cases" / "MR-43.json").read_text())


def written(data: bytes, media_type: str) -> str:
    """Return the data URI that a request carries."""
    return b"".join(data_uri_pieces(data, media_type)).decode("ascii")


def test_there_are_sixteen_forms() -> None:
    assert len(FORMS) == 16


@pytest.mark.parametrize("form", [form for form in FORMS if form["valid"]], ids=lambda form: form["id"])
def test_a_valid_form_is_read_by_its_bytes(form: Any) -> None:
    found = parse_data_uri(form["value"])
    assert found.media_type == form["true_media_type"]
    assert len(found.data) == (form["decoded_bytes"] or len(found.data))


@pytest.mark.parametrize("form", [form for form in FORMS if not form["valid"]], ids=lambda form: form["id"])
def test_an_invalid_form_is_refused_with_what_its_bytes_are(form: Any) -> None:
    with pytest.raises(InvalidDataUri) as caught:
        parse_data_uri(form["value"])
    assert caught.value.true_media_type == form["true_media_type"]
    if form["decoded_bytes"] is not None:
        assert caught.value.decoded_bytes == form["decoded_bytes"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data:image/png;base64", "no comma"),
        ("data:image/png;base64,iVBOR", "cut off"),
        ("data:image/png;base64,iVBORw0K=", "cut off"),
        ("data:image/png;base64,iVB=Rw0K", "not base64"),
        ("data:image/png;base64,ïVBORw0K", "not base64"),
        ("data:image/svg+xml,<svg/>", "neither base64 nor percent-encoded"),
        ("data:image/svg+xml,%3Csvg%2", "neither base64 nor percent-encoded"),
        ("data:image/jpeg;base64," + written(png(), "image/png").partition(",")[2], "the bytes are image/png"),
        ("aGVsbG8gd29ybGQ=", "neither a data URI nor"),
        ("photo.png", "not base64"),
        ("", "neither a data URI nor"),
        ("https://example.com/a.png", "not base64"),
    ],
)
def test_what_is_no_data_uri_is_refused_with_a_reason(text: str, told: str) -> None:
    with pytest.raises(InvalidDataUri, match=told):
        parse_data_uri(text)


def test_a_picture_cut_off_on_a_whole_letter_is_refused() -> None:
    whole = png(size=64)
    cut = written(whole[: len(whole) // 2 // 3 * 3], "image/png")
    with pytest.raises(InvalidDataUri, match="the image/png is cut off"):
        parse_data_uri(cut)


def test_a_length_beyond_reason_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oloproof.providers.data_uris.LARGEST", 100)
    with pytest.raises(InvalidDataUri, match="longer than 100 characters"):
        parse_data_uri("A" * 101)


@given(st.binary(min_size=1, max_size=60), st.booleans())
def test_what_is_written_is_read_back(tail: bytes, sound: bool) -> None:
    data, media_type = (wav() + tail, "audio/x-wav") if sound else (png() + tail, "image/png")
    found = parse_data_uri(written(data, media_type))
    assert (found.data, found.media_type) == (data, media_type.replace("x-", ""))


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    for candidate in (text, f"data:{text}", f"data:image/png;base64,{text}"):
        with suppress(InvalidDataUri):
            parse_data_uri(candidate)


@pytest.mark.parametrize("media_type", ["image/image/png", "png", "", "image/png;charset=x", "audio/png", "image/jpeg"])
def test_only_what_is_true_is_written(media_type: str) -> None:
    with pytest.raises(InvalidDataUri):
        written(png(), media_type)


def test_nothing_is_not_written() -> None:
    with pytest.raises(InvalidDataUri, match="no bytes"):
        written(b"", "image/png")
