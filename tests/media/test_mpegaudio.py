"""What the first frame of an MP3 promises."""

from __future__ import annotations

import io

from oloproof.media.binary import Source
from oloproof.media.mpegaudio import FreeStream, promised_duration, promised_end, read_free, sniff

HEAD = b"\xff\xfb\x90\x00"  # MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 1152 samples a frame


def promise(tag: bytes) -> float | None:
    return promised_duration(Source(io.BytesIO(HEAD + bytes(32) + tag + bytes(417))))


def test_the_silence_that_an_encoder_adds_is_not_promised() -> None:
    header = b"Info\0\0\0\x0f" + (40).to_bytes(4) + bytes(4 + 100 + 4)
    silence = (576 << 12 | 1404).to_bytes(3)

    assert promise(header) == 40 * 1152 / 44100
    assert promise(header + b"LAME3.100" + bytes(12) + silence) == (40 * 1152 - 576 - 1404) / 44100
    assert (
        promise(b"Xing\0\0\0\x01" + (40).to_bytes(4) + b"Lavc59.37" + bytes(12) + silence)
        == (40 * 1152 - 576 - 1404) / 44100
    )
    assert promise(b"Xing\0\0\0\0") is None


def test_only_a_known_encoder_is_believed_how_many_bytes_there_are() -> None:
    for encoder, end in ((b"LAME3.100", 5000), (b"someone", None)):
        header = b"Info\0\0\0\x0f" + (40).to_bytes(4) + (5000).to_bytes(4) + bytes(100 + 4) + encoder
        assert promised_end(Source(io.BytesIO(HEAD + bytes(32) + header + bytes(417)))) == end


def test_a_free_bit_rate_is_told_from_the_distance_of_frames() -> None:
    frame = b"\xff\xfb\x00\x64" + bytes(1302)
    padded = b"\xff\xfb\x02\x64" + bytes(1303)
    data = 3 * frame + padded + frame

    assert sniff(data[:4096]) == "mp3"
    assert read_free(Source(io.BytesIO(data))) == FreeStream(5 * 1152 / 44100, 44100, 2, cut=False)
    assert read_free(Source(io.BytesIO(data[:-1]))) == FreeStream(4 * 1152 / 44100, 44100, 2, cut=True)
    assert read_free(Source(io.BytesIO((HEAD + bytes(413)) * 5))) is None
    assert sniff(b"\xff\xfb\x00\x64" + bytes(4000)) is None
