"""Whether a container holds pictures and sound, told from its first bytes."""

from __future__ import annotations

import io
import struct

import pytest

from oloproof.media.binary import Source
from oloproof.media.tracks import kind_of_tracks


def packet(pid: int, table: int, body: bytes) -> bytes:
    """Return a transport packet that holds one section (ISO/IEC 13818-1)."""
    section = struct.pack(">BHHBBB", table, 0xB000 | len(body) + 9, 1, 0xC1, 0, 0)[:8] + body + bytes(4)
    return (struct.pack(">BHB", 0x47, 0x4000 | pid, 0x10) + b"\0" + section).ljust(188, b"\xff")


def transport(*types: int) -> bytes:
    """Return a transport stream of one program with streams of ``types``."""
    streams = b"".join(struct.pack(">BHH", kind, 0xE100 + kind, 0xF000) for kind in types)
    program = struct.pack(">HH", 0xE101, 0xF000) + streams
    return packet(0, 0, struct.pack(">HH", 1, 0xE100)) + packet(0x100, 2, program)


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        ((0x1B,), ("video", False)),
        ((0x1B, 0x0F), ("video", True)),
        ((0x1B, 0x06), ("video", None)),  # private data: sound or subtitles
        ((0x03,), ("audio", True)),
        ((0x06,), None),
    ],
)
def test_a_program_map_tells_what_its_streams_are(types: tuple[int, ...], kind: tuple[str, bool | None] | None) -> None:
    assert kind_of_tracks(Source(io.BytesIO(transport(*types))), "mpegts") == kind
