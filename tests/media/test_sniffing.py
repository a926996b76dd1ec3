"""Naming a file by its first bytes."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.media.binary import Source
from oloproof.media.formats import FORMATS, describe, extension_matches, named_for
from oloproof.media.sniffing import identify, sniff

HEADS = {
    b"\xff\xd8\xff\xe0": "jpeg",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "png",
    b"GIF89a": "gif",
    b"RIFF\x10\0\0\0WEBPVP8 ": "webp",
    b"RIFF\xff\xff\xff\xffWAVEfmt ": "wav",
    b"RF64\xff\xff\xff\xffWAVEds64": "rf64",
    b"BW64\xff\xff\xff\xffWAVEds64": "rf64",
    b"RIFF\x10\0\0\0AVI LIST": "avi",
    b"FORM\0\0\0\x10AIFFCOMM": "aiff",
    b"FORM\0\0\0\x10AIFCFVER": "aifc",
    b"\0\0\0\x1cftypavif\0\0\0\0avifmif1": "avif",
    b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic": "heic",
    b"\0\0\0\x18ftypheix\0\0\0\0mif1heix": "heic",
    b"\0\0\0\x14ftypmif1\0\0\0\0mif1": "heif",
    b"\0\0\0\x14ftypM4A \0\0\0\0M4A ": "m4a",
    b"\0\0\0\x14ftypqt  \0\0\0\0qt  ": "mov",
    b"\0\0\0\x14ftyp3gp4\0\0\0\0": "3gp",
    b"\0\0\0\x14ftyp3g2a\0\0\0\0": "3g2",
    b"\0\0\0\x14ftypisom\0\0\0\0isom": "mp4",
    b"\0\0\0\x08wide\0\0\0\x10mdat": "mov",
    b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm": "webm",
    b"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska": "mkv",
    b"OggS\0\x02": "ogg",
    b"fLaC\0\0\0\x22": "flac",
    b"#!AMR\n": "amr",
    b"#!AMR-WB\n": "amr",
    b"\0\0\x01\0\x01\0\x10\x10": "ico",
    b"P6\n# made by hand\n12 8\n255\n": "ppm",
    b"P5 12 8 255\n": "pgm",
    b"P4\n12 8\n": "pbm",
    b"8BPS\0\x01": "psd",
    b"\0\0\0\x0cjP  \r\n\x87\n": "jp2",
    b"\xff\x4f\xff\x51\0": "j2k",
    b"\xff\x0a\xfa\x1f": "jxl",
    b"MThd\0\0\0\x06\0\x01": "midi",
    b"\x0b\x77\0\0\0\x40": "ac3",
    b"\x0b\x77\0\0\0\x80": "eac3",
    b"FLV\x01\x05": "flv",
    b"\0\0\x01\xba\x21": "mpeg",
    b"<!DOCTYPE html><html>": "html",
    b"  <html lang=en>": "html",
    b"<?xml version='1.0'?>\n<!-- hi --><svg xmlns='x'>": "svg",
    b"<?xml version='1.0'?><rss>": "xml",
    b'{"error": {"code": 500}}': "json",
    b"[]": "json",
    b"#EXTM3U\n#EXT-X-VERSION:3\n": "playlist",
    b"Internal Server Error": "text",
    b"P6 is a fine format": "text",
    b"BMW and MAN": "text",
    b"The wide road goes on and on": "text",
    b"MAC addresses of this house:\n": "text",
    b"GIF89a is a format of pictures": "text",
    b"P6 10 and other fine numbers": "text",
    b"P6 10" + b" " * 200 + b"x": "text",
    b"<!-- saved --><html><body><svg width='1'>": "html",
    b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b'>]><html><svg>": "html",
    b"<center>502<svg width='4'></center>": "html",
    b"<!-- <html> --><!DOCTYPE svg [ <!ENTITY a '>'> ]><x:svg xmlns:x='y'>": "svg",
    "Détails à venir".encode("latin-1"): "text",
    "h\0i\0".encode("latin-1"): "unknown",
    b"\xff\xfeh\0i\0": "text",
    b"%PDF-1.4": "pdf",
    b"PK\x03\x04": "zip",
    b"": "empty",
    bytes(64): "unknown",
}


@pytest.mark.parametrize(("head", "name"), HEADS.items())
def test_a_head_is_named(head: bytes, name: str) -> None:
    found = sniff(head)

    assert (found.format, found.kind) == (name, FORMATS[name].kind)


def frames(second: int, third: int, length: int, count: int = 5) -> bytes:
    """Return MPEG audio frames with these header bytes."""
    return (bytes((0xFF, second, third, 0x00)) + bytes(length - 4)) * count


def test_layers_and_adts_are_told_apart_by_their_bits() -> None:
    adts = (b"\xff\xf1\x50\x80" + bytes(((64 >> 3) & 0xFF, (64 & 7) << 5 | 0x1F, 0xFC)) + bytes(57)) * 4

    assert sniff(frames(0xFB, 0x90, 417)).format == "mp3"
    assert sniff(frames(0xFD, 0xA4, 576)).format == "mp2"
    assert sniff(adts).format == "aac"
    assert sniff(b"\0" * 50 + frames(0xFB, 0x90, 417)).format == "mp3"  # a little padding before the first frame
    assert sniff(b"\xff\xfb\x90" + bytes(900)).format == "unknown"  # one header alone proves nothing


def test_a_tag_longer_than_the_head_is_looked_behind() -> None:
    tag = b"ID3\x03\0\0\0\x01\0\0" + bytes(16384)
    for body, name in ((b"fLaC" + bytes(80), "flac"), (frames(0xFD, 0xA4, 576), "mp2")):
        assert identify(Source(io.BytesIO(tag + body))).format == name


def test_words_that_begin_as_a_tag_are_no_music() -> None:
    assert identify(Source(io.BytesIO(b"ID3 tags are what players read."))).format == "text"


def test_a_picture_behind_a_long_licence_is_a_picture() -> None:
    licence = b"<?xml version='1.0'?><!-- " + b"as is " * 1000 + b"-->"

    assert identify(Source(io.BytesIO(licence + b"<svg width='1'/>"))).format == "svg"
    assert identify(Source(io.BytesIO(licence + b"<html><svg width='1'/>"))).format == "html"


@pytest.mark.parametrize(
    ("name", "format_", "fits"),
    [
        ("a.JPG", "jpeg", True), ("a.jfif", "jpeg", True), ("a.png", "jpeg", False), ("a.png", "apng", True),
        ("clip.mp4", "mp4", True), ("clip.mp4", "m4a", True), ("clip.wav", "m4a", False), ("song.mkv", "mka", True),
        ("no-extension", "png", True), (".hidden", "png", True), ("a.", "png", False), ("x.tar/file", "png", True),
        ("page.png", "html", False), ("anything.xyz", "not a format", True),
    ],
)  # fmt: skip
def test_whether_an_extension_fits(name: str, format_: str, fits: bool) -> None:
    assert extension_matches(name, format_) is fits


def test_a_container_is_named_for_its_tracks() -> None:
    assert named_for("audio", "mp4") == ("mp4", "audio/mp4")
    assert named_for("audio", "mkv") == ("mka", "audio/x-matroska")
    assert named_for("video", "ogg") == ("ogv", "video/ogg")
    assert named_for("video", "m4a") == ("mp4", "video/mp4")


def test_every_format_can_be_said_in_words() -> None:
    assert describe("html") == "an HTML page"
    assert describe("jpeg") == "a JPEG image"
    assert describe("avif") == "an AVIF image"
    assert all(describe(name) for name in FORMATS)


@given(st.binary(max_size=300))
def test_any_bytes_get_a_name(head: bytes) -> None:
    assert sniff(head).format in FORMATS
