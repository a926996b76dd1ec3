"""Sizes of the less common still formats, told from a few bytes."""

from __future__ import annotations

import pytest

from tests.media.conftest import facts_in

SVGS = {
    b"<svg width='30mm' height='20mm'/>": (113, 76),
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
