"""Sizes of the less common still formats, told from a few bytes."""

from __future__ import annotations

import pytest

from tests.media.conftest import facts_in

SVGS = {
    b"<svg width='30mm' height='20mm'/>": (113, 76),
    b"<svg aria-label='a > b' width='7' height=\"8\"/>": (7, 8),
    b"<!-- <svg width='9' height='9'> --><svg viewBox='0 0 40 20'/>": (40, 20),
    b"<?xml version='1.0'?><!--" + b" " * 5000 + b"--><svg width='7' height='8'/>": (7, 8),
    "<svg width='7' height='8'/>".encode("utf-16"): (7, 8),
}


@pytest.mark.parametrize(("data", "size"), SVGS.items())
def test_the_root_of_an_svg_gives_its_size(data: bytes, size: tuple[int, int]) -> None:
    found = facts_in(data)

    assert (found.format, found.width, found.height) == ("svg", *size)


NETPBMS = {
    b"P6\n" + b"#\n" * 500 + b"10 12\n255\n" + bytes(360): (10, 12),
    b"P1\n#c\n4 2\n01010101\n": (4, 2),
    b"P5 2 2 65535\n" + bytes(8): (2, 2),
}


@pytest.mark.parametrize(("data", "size"), NETPBMS.items())
def test_comments_and_deep_samples_of_netpbm_are_read(data: bytes, size: tuple[int, int]) -> None:
    found = facts_in(data)

    assert (found.width, found.height, found.decodable) == (*size, "complete")


def jxl(*fields: tuple[int, int]) -> bytes:
    """Return the header of a JPEG XL codestream: pairs of a number and its bits, from the least significant one up."""
    value = place = 0
    for number, bits in fields:
        value |= number << place
        place += bits
    return b"\xff\x0a" + value.to_bytes(24, "little")


EIGHT_BY_SIXTEEN = ((1, 1), (1, 5), (0, 3), (0, 5))  # small: sixteen high, eight wide
MEANT_FOR = ((1, 1), *EIGHT_BY_SIXTEEN)


@pytest.mark.parametrize(
    ("fields", "size", "animated"),
    [
        (((1, 1),), (8, 16), False),
        (((0, 1), (0, 1)), (8, 16), False),
        (((0, 1), (1, 1), (0, 3), (0, 1), (0, 1), (1, 1)), (8, 16), True),
        (((0, 1), (1, 1), (5, 3), (0, 1), (0, 1), (0, 1)), (16, 8), False),
        (((0, 1), (1, 1), (5, 3), *MEANT_FOR, (0, 1), (1, 1)), (16, 8), True),
        (((0, 1), (1, 1), (0, 3), (0, 1), (1, 1)), (8, 16), None),
    ],
)
def test_a_jpeg_xl_tells_its_size_and_whether_it_moves(
    fields: tuple[tuple[int, int], ...], size: tuple[int, int], animated: bool | None
) -> None:
    found = facts_in(jxl(*EIGHT_BY_SIXTEEN, *fields))

    assert (found.width, found.height, found.animated, found.decodable) == (*size, animated, "no_decoder")
    assert found.frames == (1 if animated is False else None)
