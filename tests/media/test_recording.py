"""media_file: what the record of a file says, and what it refuses."""

from __future__ import annotations

import hashlib
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.errors import MediaError
from oloproof.media import MediaReader, media_file, read_media, using_reader


def png(width: int = 6, height: int = 4) -> bytes:
    buffer = BytesIO()
    Image.new("RGB", (width, height), "teal").save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def here(tmp_path: Path) -> Any:
    with using_reader(MediaReader(tmp_path)):
        yield


def test_a_record_holds_kind_type_size_and_digest_told_from_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "pictures" / "photo.jpg"
    path.parent.mkdir()
    path.write_bytes(png())
    item = media_file(path, role="input")
    assert (item.kind, item.format, item.media_type) == ("image", "png", "image/png")
    assert (item.width, item.height, item.duration) == (6, 4, None)
    assert (item.role, item.name, item.path, item.given) == ("input", "photo.jpg", "pictures/photo.jpg", str(path))
    assert (item.size, item.sha256) == (len(png()), hashlib.sha256(png()).hexdigest())


def test_a_relative_path_is_taken_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    assert media_file("a.png").path == "a.png"


def test_a_file_outside_of_the_project_keeps_its_absolute_path(tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.png"
    outside.write_bytes(png())
    assert media_file(outside).path == str(outside)


def test_a_symlink_is_followed_when_recorded_and_the_record_names_where_it_led(tmp_path: Path) -> None:
    (tmp_path / "real.png").write_bytes(png())
    (tmp_path / "link.png").symlink_to("real.png")
    item = media_file(tmp_path / "link.png")
    assert (item.path, item.given) == ("real.png", str(tmp_path / "link.png"))


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda path: None, "there is no file"),
        (Path.mkdir, "it is a directory"),
        (lambda path: os.mkfifo(path), "not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "there is no file"),
    ],
)
def test_what_is_no_file_is_refused_with_its_reason(tmp_path: Path, prepare: Any, words: str) -> None:
    path = tmp_path / "thing.png"
    prepare(path)
    with pytest.raises(MediaError, match=words):
        media_file(path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"role": "outptu"}, "role 'outptu' is none of input, output, context"),
        ({"kind": "picture"}, "kind 'picture' is none of image, audio, video"),
        ({"kind": "video"}, "declared video, but its bytes are png"),
        ({"width": 7}, "declared with width 7, but its bytes say 6"),
        ({"media_type": "image/jpeg"}, "declared with media_type 'image/jpeg'"),
    ],
)
def test_a_declaration_that_the_bytes_contradict_is_refused(
    tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(MediaError, match=words):
        media_file("a.png", **arguments)


def test_other_facts_are_kept_with_the_record(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    item = media_file("a.png", width=6, prompt="a teal picture", seed=7)
    assert dict(item.facts) == {"prompt": "a teal picture", "seed": 7}


def test_facts_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(MediaError, match="fact 'when'"):
        media_file("a.png", when={1, 2})


def test_an_empty_file_is_recorded_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    item = media_file("a.png")
    assert (item.kind, item.size, item.format) == ("image", 0, "empty")


def test_a_path_with_a_nul_character_is_refused() -> None:
    with pytest.raises(MediaError, match="NUL"):
        media_file("a\0b.png")


def test_odd_names_are_recorded_like_any_other(tmp_path: Path) -> None:
    for name in ("-rf.png", "take:2.png", "100%03d.png", "it's [x]*.png", "café 🎬.png", "new\nline.png"):
        (tmp_path / name).write_bytes(png())
        assert media_file(tmp_path / name).path == name


HTML = b"<!DOCTYPE html><html><body>Bad gateway</body></html>"


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.txt", b"hello there", "a.txt is a text file, not an image, audio or video; media.. records media only"),
        ("a.py", b"import os\n", "a.py is a text file"),
        ("a.pdf", b"%PDF-1.7\n1 0 obj<<>>endobj\n", "a.pdf is a PDF document, .*, so record pictures of its pages"),
        ("page", HTML, "page is an HTML page, not an image"),
        ("answer.json", b'{"a": 1}', "answer.json is JSON text"),
        ("a.bin", b"", "a.bin is an empty file"),
        ("a.bin", bytes(range(200, 256)) + bytes(9), "a.bin is a file of no known format"),
    ],
)
def test_a_file_that_neither_by_bytes_nor_by_name_is_a_medium_is_refused(
    tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(MediaError, match=told):
        media_file(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.png", "image"),
        ("a.SVG", "image"),
        ("a.mp4", "video"),
        ("a.ts", "video"),
        ("a.wav", "audio"),
        ("a.mp3", "audio"),
        ("a.ogg", "audio"),
        ("a.3gp", "video"),
        ("a.webm", "video"),
        ("a.m4a", "audio"),
    ],
)
def test_bytes_that_are_no_medium_are_recorded_as_what_the_name_promises(tmp_path: Path, name: str, kind: str) -> None:
    for data in (HTML, b"", b"\x80\0broken"):
        (tmp_path / name).write_bytes(data)
        assert media_file(name).kind == kind


def test_a_declared_kind_makes_no_medium_of_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"import os\n")
    with pytest.raises(MediaError, match=r"a\.py is a text file"):
        media_file("a.py", kind="image")
    (tmp_path / "a.out").write_bytes(b"")
    assert media_file("a.out", kind="audio").kind == "audio"
    (tmp_path / "link").symlink_to("a.png")
    (tmp_path / "a.png").write_bytes(HTML)
    assert media_file("link").kind == "image"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (None, r"media_file\(\) takes a path, not NoneType"),
        (b"x", r"media_file\(\) takes a path, not bytes"),
        (3, r"media_file\(\) takes a path, not int"),
        (["a.png"], r"media_file\(\) takes a path, not list"),
        ("", "an empty path names no file"),
    ],
)
def test_what_is_no_path_is_refused_in_words(path: Any, told: str) -> None:
    with pytest.raises(MediaError, match=told):
        media_file(path)


def test_a_missing_file_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(MediaError) as told:
        media_file(tmp_path / "no.png")
    assert str(told.value) == f"there is no file at {tmp_path / 'no.png'}"
    with pytest.raises(MediaError, match=f"cannot record no.png: there is no file at {tmp_path}"):
        media_file("no.png")


def test_read_media_takes_records_only() -> None:
    with pytest.raises(MediaError, match=r"read_media\(\) takes what media_file\(\) returns .* not str"):
        read_media("x")  # type: ignore[arg-type]
