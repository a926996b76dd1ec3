"""HEIC: what phones write. The pictures were encoded by libheif, whose encoder is no part of what is installed here.

Each of ``tests/data/heic`` is white, 96 by 64 pixels as stored, red in its upper left quarter, blue in its lower right.
"""

from __future__ import annotations

import importlib.util
import io
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.errors import MediaUnreadable
from oloproof.media import heic as heic_room
from oloproof.media.drafting import ORIENTATIONS
from oloproof.media.hashing import perceptual_hash
from oloproof.media.image_recipe import ImageRecipe
from oloproof.media.images import open_upright_srgb, thumbnail
from oloproof.media.preparing import prepare_image
from oloproof.media.reading import MediaReader
from oloproof.media.recording import media_file, using_reader
from oloproof.records import Facts
from tests.media.conftest import CASES, codes, facts_in

HEIC = Path(__file__).parent.parent / "data" / "heic"
PHOTO = (CASES / "MR-09-b.png").read_bytes()
RED, BLUE, WHITE = (220, 30, 30), (30, 60, 200), (255, 255, 255)


def heic(name: str) -> bytes:
    return (HEIC / f"{name}.heic").read_bytes()


def shown(data: bytes) -> Image.Image:
    return open_upright_srgb(io.BytesIO(data))


def corners(picture: Image.Image) -> list[tuple[int, ...]]:
    """The colours near the corners, from the upper left clockwise."""
    right, low = picture.width - 6, picture.height - 6
    places = ((5, 5), (right, 5), (right, low), (5, low))
    return [picture.getpixel(place) for place in places]  # type: ignore[misc]


def nearly(colours: list[tuple[int, ...]]) -> Any:
    return [pytest.approx(colour, abs=6) for colour in colours]


def told(found: Facts, code: str) -> str:
    """What a finding says."""
    return next(finding.message for finding in found.findings if finding.code == code)


def coded_at(data: bytes) -> int:
    """Where the picture data begins."""
    return data.index(b"mdat") + 4


@pytest.mark.parametrize(
    ("name", "size", "orientation", "expected"),
    [
        ("two", (96, 64), None, [RED, WHITE, BLUE, WHITE]),
        ("turned5", (64, 96), 5, [RED, WHITE, BLUE, WHITE]),
        ("turned6", (64, 96), 6, [WHITE, RED, WHITE, BLUE]),
    ],
)
def test_it_is_decoded_and_shown_the_way_up_that_its_properties_say(
    name: str, size: tuple[int, int], orientation: int | None, expected: list[tuple[int, ...]]
) -> None:
    found = facts_in(heic(name))

    assert (found.format, found.decodable, found.frames) == ("heic", "complete", 1)
    assert (found.width, found.height) == size
    assert shown(heic(name)).size == size
    assert corners(shown(heic(name))) == nearly(expected)
    if orientation is not None:
        assert found.orientation == ORIENTATIONS[orientation]


def test_transparency_and_ten_bits_are_told_and_shown() -> None:
    assert "transparency" in facts_in(heic("alpha")).extras
    assert "sixteen_bit" in codes(facts_in(heic("ten")))
    top, bottom = (shown(heic("alpha")).getpixel((5, y)) for y in (2, 28))
    assert top[1] > bottom[1] + 50  # hardly any red at the top, half of it further down
    dark, light = (shown(heic("ten")).getpixel((5, y)) for y in (2, 60))
    assert light[0] > dark[0] + 150


def test_a_judge_is_sent_a_copy_that_servers_take_and_the_rest_of_the_house_sees_it_too() -> None:
    made = prepare_image(io.BytesIO(heic("turned6")), ImageRecipe())

    assert made.media_type == "image/png"
    assert made.steps == ("upright (orientation 6)", "from heic to png", "metadata dropped")
    with Image.open(io.BytesIO(made.data)) as sent:
        assert corners(sent.convert("RGB")) == nearly([WHITE, RED, WHITE, BLUE])
    assert prepare_image(io.BytesIO(heic("two")), ImageRecipe()).steps == ("from heic to png",)
    with Image.open(io.BytesIO(thumbnail(io.BytesIO(heic("turned6")), 32))) as small:
        assert (small.format, small.size) == ("JPEG", (21, 32))
    assert perceptual_hash(io.BytesIO(heic("turned6"))).distance(perceptual_hash(io.BytesIO(heic("turned5")))) > 8


@pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
def test_a_cut_one_shows_nothing_and_says_that_it_ends_early(share: float) -> None:
    found = facts_in(PHOTO[: int(len(PHOTO) * share)])

    assert (found.decodable, "truncated" in codes(found)) == ("none", True)
    with pytest.raises(MediaUnreadable):
        shown(PHOTO[: int(len(PHOTO) * share)])


@pytest.mark.parametrize("length", [16, 512])
@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
def test_a_hole_in_its_data_is_found_though_the_decoder_paints_over_it(place: float, length: int) -> None:
    start = coded_at(PHOTO)
    hole = start + int((len(PHOTO) - start) * place)
    damaged = PHOTO[:hole] + bytes(length) + PHOTO[hole + length :]

    found = facts_in(damaged)

    assert facts_in(PHOTO).decodable == "complete"
    assert found.decodable == "partial"
    assert re.search(r"is no picture data|no unit of the picture begins", told(found, "damaged"))
    with pytest.raises(MediaUnreadable, match="a HEIC image whose data is damaged"):
        shown(damaged)


def test_lost_bytes_shift_what_follows_and_are_noticed() -> None:
    start = coded_at(PHOTO)
    middle = (start + len(PHOTO)) // 2
    shifted = PHOTO[:middle] + PHOTO[middle + 100 :] + bytes(100)

    assert facts_in(shifted).decodable == "partial"


def test_a_size_that_its_data_does_not_have_is_refused_before_the_memory_is_taken() -> None:
    at = PHOTO.index(b"ispe") + 8
    for size in ((8, 8), (9000, 9000)):
        found = facts_in(PHOTO[:at] + struct.pack(">II", *size) + PHOTO[at + 8 :])
        assert (found.decodable, "damaged" in codes(found)) == ("none", True)
    too_large = PHOTO[:at] + struct.pack(">II", 60_000, 60_000) + PHOTO[at + 8 :]
    assert facts_in(too_large).decodable == "too_large"


def test_a_high_range_one_is_refused_for_judges_with_its_reason() -> None:
    at = heic("two").index(b"nclx") + 6
    bright = heic("two")[:at] + struct.pack(">H", 16) + heic("two")[at + 2 :]

    with pytest.raises(MediaUnreadable) as caught:
        prepare_image(io.BytesIO(bright), ImageRecipe())

    assert caught.value.code == "hdr"


def test_without_its_decoder_it_is_named_with_the_cure_and_looked_at_again_once_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "photo.heic").write_bytes(PHOTO)
    reader = MediaReader(tmp_path)
    with using_reader(reader):
        item = media_file(tmp_path / "photo.heic")
    with monkeypatch.context() as bare:
        bare.setattr(heic_room, "find_spec", lambda name: None if name == "pi_heif" else importlib.util.find_spec(name))
        missing = reader.facts(item, "decoded")
        with pytest.raises(MediaUnreadable) as caught:
            shown(PHOTO)

    assert missing.decodable == "no_decoder"
    assert "nothing here decodes HEIC; install Oloproof with its media extra" in told(missing, "no_decoder")
    assert (caught.value.code, "or convert it to PNG or JPEG" in str(caught.value)) == ("no_decoder", True)
    assert reader.facts(item, "decoded").decodable == "complete"


@pytest.mark.parametrize("name", ["two", "turned6"])
def test_an_item_name_that_is_no_text_is_refused_and_does_not_end_the_process(name: str) -> None:
    data = heic(name)
    at = data.rindex(b"infe") + 12  # of the last item: its type, Exif where there is any
    damaged = data[: at + 3] + b"\xb2" + data[at + 4 :]

    assert facts_in(damaged).decodable == "none"
    with pytest.raises(MediaUnreadable):
        shown(damaged)
