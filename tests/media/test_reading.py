"""The one way to the bytes of a recorded file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from oloproof.errors import MediaDrift, MediaError, MediaMissing
from oloproof.media import DigestMemo, MediaReader, media_file, read_media, using_reader
from oloproof.media.reading import open_regular
from oloproof.records import MediaItem

PNM = b"P5 2 1 255 \x01\x02"


@pytest.fixture
def reader(tmp_path: Path) -> MediaReader:
    return MediaReader(tmp_path)


@pytest.fixture
def item(reader: MediaReader) -> MediaItem:
    (reader.root / "a.pgm").write_bytes(PNM)
    with using_reader(reader):
        return media_file(reader.root / "a.pgm")


def rewrite(path: Path, data: bytes) -> None:
    """Write other bytes in place and take care that not even the clock tells."""
    status = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_read_media_returns_the_recorded_bytes(reader: MediaReader, item: MediaItem) -> None:
    with using_reader(reader):
        assert read_media(item) == PNM


@pytest.mark.parametrize("other", [PNM[:-1] + b"\x09", PNM[:-1], PNM + b"\x00", b""])
def test_other_bytes_are_refused_however_they_came(reader: MediaReader, item: MediaItem, other: bytes) -> None:
    rewrite(reader.locate(item), other)
    with pytest.raises(MediaDrift, match=r"a\.pgm changed after it was recorded"):
        reader.read(item)
    with pytest.raises(MediaDrift), reader.open(item):
        pytest.fail("changed bytes must not be handed out")
    with pytest.raises(MediaDrift):
        reader.verify(item, certain=True)
    assert reader.state(item) == "changed"


def test_a_byte_changed_within_the_same_tick_of_the_clock_is_found_at_the_latest_by_the_certain_look(
    reader: MediaReader,
) -> None:
    path = reader.root / "quick.pgm"
    for attempt in range(30):
        path.write_bytes(PNM)
        with using_reader(reader):
            item = media_file(path)
        path.write_bytes(PNM[:-1] + bytes([attempt + 10]))
        with pytest.raises(MediaDrift):
            reader.verify(item, certain=True)


def test_both_digests_stand_in_the_error_for_those_who_look_at_it(reader: MediaReader, item: MediaItem) -> None:
    rewrite(reader.locate(item), PNM[:-1] + b"\x09")
    with pytest.raises(MediaDrift) as raised:
        reader.read(item)
    assert raised.value.recorded == item.sha256
    assert len(raised.value.found) == 64
    assert raised.value.found != item.sha256


def test_a_file_swapped_while_it_is_open_does_not_change_what_is_read(reader: MediaReader, item: MediaItem) -> None:
    other = reader.root / "other.pgm"
    other.write_bytes(b"something else entirely")
    with reader.open(item) as file:
        other.replace(reader.locate(item))
        assert file.read() == PNM
    assert reader.state(item) == "changed"


def test_a_file_changed_in_place_while_it_is_open_is_noticed(reader: MediaReader, item: MediaItem) -> None:
    time.sleep(0.06)  # a change within one tick of the clock is the certain look's to find

    def change_while_reading() -> None:
        with reader.open(item) as file:
            file.read(1)
            rewrite(reader.locate(item), PNM[:-1] + b"\x09")

    with pytest.raises(MediaDrift):
        change_while_reading()


def test_a_path_swapped_while_ffmpeg_reads_it_is_noticed(reader: MediaReader, item: MediaItem) -> None:
    path = reader.locate(item)
    with reader.open(item) as file:
        check = reader._same(item, file, path)
        check()
        other = reader.root / "other.pgm"
        other.write_bytes(PNM)
        other.replace(path)
        with pytest.raises(MediaDrift, match="replaced while it was being measured"):
            check()


def make_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_symlink(path: Path) -> None:
    path.rename(path.with_name("b.pgm"))
    path.symlink_to("b.pgm")


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("become", "code"),
    [
        (Path.unlink, "media_gone"),
        (make_directory, "media_is_directory"),
        (make_symlink, "media_is_symlink"),
        (make_fifo, "media_not_a_file"),
    ],
)
def test_each_way_of_being_unreadable_has_its_own_code(
    reader: MediaReader, item: MediaItem, become: object, code: str
) -> None:
    become(reader.locate(item))  # type: ignore[operator]
    for use in (reader.read, reader.verify):
        with pytest.raises(MediaMissing) as raised:
            use(item)
        assert raised.value.code == code
    assert reader.state(item) == "gone"


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, as_nobody: Callable[..., str]) -> None:
    path = tmp_path / "locked.pgm"
    path.write_bytes(PNM)
    path.chmod(0)
    script = """
        import sys
        from pathlib import Path
        from oloproof.errors import MediaMissing
        from oloproof.media.reading import open_regular
        give_up_rights()
        try:
            open_regular(Path(sys.argv[1]))
        except MediaMissing as error:
            print(error.code)
        """
    assert as_nobody(script, str(path)).strip() == "media_not_readable"


def test_an_unchanged_file_is_hashed_once_however_often_it_is_read(reader: MediaReader) -> None:
    path = reader.root / "old.pgm"
    path.write_bytes(PNM)
    os.utime(path, ns=(1, 1))
    memo = reader.memo
    with using_reader(reader):
        items = [media_file(path) for _ in range(3)]
    for item in items:
        reader.verify(item)
        with reader.open(item):
            pass
        assert reader.digest_of_path(path) == item.sha256
    assert memo.hashed == 1


def test_what_earlier_runs_hashed_is_not_hashed_again(reader: MediaReader, item: MediaItem) -> None:
    identity = item.identity
    assert identity is not None
    again = MediaReader(reader.root, memo=DigestMemo([(identity, item.sha256)]))
    with again.open(item) as file:
        assert file.read() == PNM
    assert again.memo.hashed == 0


def test_facts_are_measured_once_for_the_same_bytes(reader: MediaReader, item: MediaItem) -> None:
    asked: list[tuple[str, str]] = []
    kept = reader.measurements
    original = kept.put

    def put(sha256: str, name: str, value: object) -> None:
        asked.append((sha256, name))
        original(sha256, name, value)

    kept.put = put  # type: ignore[method-assign]
    copy = reader.root / "copy.pgm"
    copy.write_bytes(PNM)
    with using_reader(reader):
        twin = media_file(copy)
    assert reader.facts(item, "decoded") == reader.facts(twin, "decoded")
    assert reader.facts(item, "header").width == 2, "what was measured deeper answers a shallower question"
    assert len(asked) == 1


def test_open_regular_refuses_what_is_no_file_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MediaMissing) as raised:
        open_regular(tmp_path / "pipe")
    assert raised.value.code == "media_not_a_file"


def test_a_record_is_read_wherever_the_project_lies_now(reader: MediaReader, item: MediaItem, tmp_path: Path) -> None:
    assert item.path == "a.pgm"
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "a.pgm").write_bytes(PNM)
    assert MediaReader(moved).read(item) == PNM


def test_the_identity_alone_never_vouches_for_a_record_of_other_bytes(reader: MediaReader, item: MediaItem) -> None:
    forged = replace(item, sha256="0" * 64)
    with pytest.raises(MediaError):
        reader.verify(forged)
