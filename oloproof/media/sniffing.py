"""What a file is, told from its first bytes and never from its name.

``sniff`` looks at the head alone; ``identify`` also looks into containers whose kind depends on their tracks
and behind an ID3 tag. Signatures follow the documents of each format; where a signature is weak (MPEG audio,
netpbm, BMP) more than one field must agree, so that a text file is not taken for a picture.
"""

from __future__ import annotations

import re

from msgspec import Struct

from oloproof.media import markup, mpegaudio
from oloproof.media.binary import Source
from oloproof.media.formats import FORMATS, extension_matches, named_for
from oloproof.media.stills import netpbm_digit
from oloproof.records import Kind

__all__ = ["Sniffed", "as_kind", "extension_matches", "identify", "sniff", "sniffed"]


class Sniffed(Struct, frozen=True):
    """What the bytes are. ``kind`` is None for what is no image, audio or video; ``format`` then says what."""

    kind: Kind | None
    format: str
    media_type: str


def sniffed(name: str) -> Sniffed:
    """Return the format ``name`` as a result, with its usual kind and media type."""
    entry = FORMATS[name]
    return Sniffed(entry.kind, name, entry.media_type)


def as_kind(found: Sniffed, kind: Kind) -> Sniffed:
    """Return ``found`` as a container whose tracks make it ``kind``."""
    name, media_type = named_for(kind, found.format)
    return Sniffed(kind, name, media_type)


def sniff(head: bytes) -> Sniffed:
    """Return what a file is that begins with ``head`` (4 kB are enough for all but a long ID3 tag)."""
    name = _binary(head)
    if name is None or (name not in _WRITTEN and _is_prose(head)):
        name = _text(head)
    return sniffed(name)


def identify(source: Source) -> Sniffed:
    """Return what a file is, looking behind an ID3 tag or a comment that is longer than the head."""
    head = source.head
    if source.size > len(head) and markup.as_bytes_of_ascii(head[:64]).lstrip().startswith(b"<"):
        head = source.at(0, markup.SEEN_BYTES)
    start = mpegaudio.id3_end(head)
    for _ in range(4):  # tags may follow one another; more than a few is not a real file
        if not start:
            break
        head = source.at(start, 4096).lstrip(b"\0") or source.at(start, 65536).lstrip(b"\0")[:4096]
        inner = mpegaudio.id3_end(head)
        if not inner:
            found = sniff(head)
            return found if found.kind == "audio" else sniffed("mp3")
        start += inner
    return sniff(head)


_SIMPLE: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"II+\0\x08\0\0\0", "bigtiff"),
    (b"MM\0+\0\x08\0\0", "bigtiff"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
    (b"\xff\x4f\xff\x51", "j2k"),
    (b"\xff\x0a", "jxl"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "jxl"),
    (b"8BPS\0\x01", "psd"),
    (b"qoif", "qoi"),
    (b"\x76\x2f\x31\x01", "exr"),
    (b"#?RADIANCE", "hdr"),
    (b"#?RGBE", "hdr"),
    (b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00", "w64"),
    (b"caff\0\x01", "caf"),
    (b".snd", "au"),
    (b"fLaC", "flac"),
    (b"#!AMR", "amr"),
    (b"wvpk", "wavpack"),
    (b"TTA1", "tta"),
    (b"MAC ", "ape"),
    (b"MThd\0\0\0\x06", "midi"),
    (b"\x7f\xfe\x80\x01", "dts"),
    (b"OggS\0", "ogg"),
    (b"FLV\x01", "flv"),
    (b"\0\0\x01\xba", "mpeg"),
    (b"\0\0\x01\xb3", "mpegvideo"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c", "wmv"),
    (b"\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02", "mxf"),
    (b"YUV4MPEG2 ", "y4m"),
    (b"DKIF\0\0", "ivf"),
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b\x08", "gzip"),
)

_RIFF = {b"WAVE": "wav", b"AVI ": "avi", b"WEBP": "webp"}
_IFF = {b"AIFF": "aiff", b"AIFC": "aifc"}
_NETPBM = {b"1": "pbm", b"4": "pbm", b"2": "pgm", b"5": "pgm", b"3": "ppm", b"6": "ppm"}
_NETPBM_HEAD = re.compile(rb"P([1-6])(?:\s+(?:#[^\n]*\n\s*)*|#[^\n]*\n\s*)\d{1,9}\s")
_PFM_HEAD = re.compile(rb"P[Ff]\s+\d{1,9}\s+\d{1,9}\s+-?[\d.]+")
_OLD_QUICKTIME = (b"moov", b"mdat", b"wide", b"pnot")


def _binary(head: bytes) -> str | None:
    if not head:
        return "empty"
    if found := _png(head):
        return found
    for magic, name in _SIMPLE:
        if head.startswith(magic):
            return name
    return _boxed(head) or _weak(head)


def _png(head: bytes) -> str | None:
    if not head.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    animation, data = head.find(b"acTL"), head.find(b"IDAT")
    return "apng" if animation > 0 and (data < 0 or animation < data) else "png"


def _boxed(head: bytes) -> str | None:
    tag, form = head[:4], head[8:12]
    if tag in (b"RIFF", b"RIFX"):
        return _RIFF.get(form)
    if tag in (b"RF64", b"BW64") and form == b"WAVE":
        return "rf64"
    if tag == b"FORM":
        return _IFF.get(form)
    if tag == b"\x1a\x45\xdf\xa3":
        return _matroska(head)
    box = head[4:8]
    if box == b"ftyp":
        return _branded(head)
    if box in (b"styp", b"moof", b"sidx"):
        return "mp4"
    if box in (b"free", b"skip"):  # room that a writer left, as a rule for an index
        box = head[int.from_bytes(head[:4]) :][4:8]
    return "mov" if box in _OLD_QUICKTIME else None


def _matroska(head: bytes) -> str | None:
    at = head.find(b"\x42\x82", 4, 64)
    if at < 0:
        return "mkv"
    doctype = head[at + 3 : at + 3 + (head[at + 2] & 0x7F if at + 2 < len(head) else 0)].rstrip(b"\0")
    return "webm" if doctype == b"webm" else "mkv"


_BRANDS = {
    b"avif": "avif", b"avis": "avif",
    b"heic": "heic", b"heix": "heic", b"hevc": "heic", b"hevx": "heic", b"heim": "heic", b"heis": "heic",
    b"M4A ": "m4a", b"M4B ": "m4a", b"M4P ": "m4a", b"F4A ": "m4a", b"F4B ": "m4a",
    b"qt  ": "mov", b"crx ": "cr3", b"mjp2": "mj2", b"jp2 ": "jp2", b"jpx ": "jp2", b"jxl ": "jxl",
}  # fmt: skip


def _branded(head: bytes) -> str:
    """Return the format that an ISO base media file names (ISO/IEC 14496-12, 23008-12; MP4RA's brands)."""
    length = min(int.from_bytes(head[:4]), len(head), 512)
    major = head[8:12]
    if major in _BRANDS:
        return _BRANDS[major]
    if major[:2] == b"3g":
        return "3g2" if major[:3] == b"3g2" else "3gp"
    others = [head[at : at + 4] for at in range(16, length - 3, 4)]
    if major in (b"mif1", b"msf1", b"miaf", b"MiHE", b"MiHB"):
        known = [_BRANDS[brand] for brand in others if _BRANDS.get(brand) in ("avif", "heic")]
        return known[0] if known else "heif"
    return "mp4"


def _weak(head: bytes) -> str | None:
    """Return a format whose signature is short, when more of its header agrees."""
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in (12, 40, 52, 56, 64, 108, 124):
        return "bmp"
    if head[:4] in (b"\0\0\x01\0", b"\0\0\x02\0") and 0 < int.from_bytes(head[4:6], "little") <= 256:
        return "ico" if head[2] == 1 else "cur"
    if digit := netpbm_digit(head):
        return _NETPBM[digit]
    if _PFM_HEAD.match(head):
        return "pfm"
    if head.startswith(b"P7\n") and b"WIDTH" in head[:200]:
        return "pam"
    if head[:2] == b"\x0b\x77" and len(head) > 5:
        return "ac3" if head[5] >> 3 <= 10 else "eac3"
    if _is_transport_stream(head):
        return "mpegts"
    return mpegaudio.sniff(head)


def _is_transport_stream(head: bytes) -> bool:
    """Return whether sync bytes stand 188 bytes apart (192 in the Blu-ray form, 4 bytes of time first)."""
    for start, step in ((0, 188), (4, 192)):
        places = range(start, min(len(head), start + 5 * step), step)
        if len(places) >= 2 and all(head[at] == 0x47 for at in places):
            return True
    return False


_HTML = frozenset((
    "html", "head", "body", "title", "meta", "link", "base", "style", "script", "noscript", "main", "header", "footer",
    "nav", "section", "article", "div", "span", "p", "a", "b", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul",
    "ol", "table", "form", "center", "font", "img", "iframe", "pre",
))  # fmt: skip
_JSON = re.compile(rb"\s*(?:\{\s*(?:\"|\}|$)|\[\s*(?:[\[\{\"\]\d-]|true|false|null|$))")


def _text(head: bytes) -> str:
    """Return the kind of text that ``head`` is, or ``unknown`` when it is no text."""
    body = markup.as_bytes_of_ascii(head)
    if not _is_text(body):
        return "unknown"
    start = body.lstrip()
    if start.startswith(b"#EXTM3U"):
        return "playlist"
    if start.startswith(b"<"):
        return _markup(start)
    return "json" if _JSON.match(start[:2048]) else "text"


def _markup(text: bytes) -> str:
    """Return the kind of a document by its root element: an SVG inside of a web page makes no picture."""
    root = markup.root_name(text)
    if root == "svg":
        return "svg"
    if root in _HTML or text[:14].lower() == b"<!doctype html":
        return "html"
    return "xml" if text.startswith(b"<?xml") else "text"


_WRITTEN = frozenset(("empty", "pbm", "pgm", "ppm", "pam", "pfm", "hdr", "y4m", "pdf"))
"""Formats whose head may be nothing but readable characters."""
_PROSE_BYTES = 16
_READABLE = bytes(range(32, 127)) + b"\t\n\r"


def _is_prose(head: bytes) -> bool:
    """Return whether ``head`` is plain written text: words may begin as a format does (``The wide road``)."""
    return len(head) >= _PROSE_BYTES and not head[:512].translate(None, _READABLE)


def _is_text(data: bytes) -> bool:
    try:
        # the head may end inside a character: at most three bytes are then left over
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(data) - 3:
            return _is_latin(data)
        text = data[: error.start].decode("utf-8")
    return bool(text) and not any(char < " " and char not in "\t\n\r\f\x1b" for char in text)


def _is_latin(data: bytes) -> bool:
    """Return whether ``data`` is text of an old one-byte code: mostly letters, no control characters."""
    plain = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in data)
    return plain >= 0.85 * len(data) and not any(byte < 9 or 13 < byte < 32 for byte in data)
