"""Data URIs (RFC 2397): the one writer and the one parser, which believe the bytes and not the label.

The parser also takes what real systems hand over for one: small and capital letters, parameters, wrapped lines, the
URL-safe alphabet, padding left off, percent encoding, and bare base64. It refuses what is cut off, empty, a
placeholder, or contradicted by its bytes, and says why.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from dataclasses import dataclass, field
from io import BytesIO
from urllib.parse import unquote_to_bytes

from oloproof.media.binary import Source
from oloproof.media.sniffing import Sniffed, identify
from oloproof.providers.bodies import Pieces, base64_bytes

LARGEST = 100_000_000
"""Characters of a data URI; more is refused undecoded."""

_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")
_SPACE = re.compile(rb"[ \t\r\n\f\v]+")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")

_ALIASES = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "image/svg": "image/svg+xml",
    "image/x-ms-bmp": "image/bmp", "image/x-bmp": "image/bmp", "image/vnd.microsoft.icon": "image/x-icon",
    "image/x-webp": "image/webp", "image/vnd.mozilla.apng": "image/apng",
    "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav", "audio/x-pn-wav": "audio/wav",
    "audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/mpeg3": "audio/mpeg", "audio/mpga": "audio/mpeg",
    "audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4", "audio/x-mp4": "audio/mp4", "audio/x-flac": "audio/flac",
    "audio/x-aac": "audio/aac", "audio/aacp": "audio/aac", "audio/opus": "audio/ogg", "audio/x-aiff": "audio/aiff",
    "application/ogg": "audio/ogg", "video/x-m4v": "video/mp4", "video/avi": "video/x-msvideo",
}  # fmt: skip
_SAME_BYTES = {
    "audio/mp4": "video/mp4",
    "audio/webm": "video/webm",
    "audio/ogg": "video/ogg",
    "image/apng": "image/png",
}
"""Types that share a container: which of the two it is, the first bytes need not tell."""


@dataclass(frozen=True, slots=True)
class DataUri:
    """The content of a data URI; ``media_type`` is true of the bytes, in its registered spelling."""

    media_type: str
    data: bytes = field(repr=False)


class InvalidDataUri(ValueError):
    """The text is no usable data URI; its words say why.

    ``true_media_type`` is what the bytes are, ``decoded_bytes`` how many there are: None where none could be decoded.
    """

    def __init__(self, message: str, data: bytes | None = None) -> None:
        super().__init__(message)
        self.decoded_bytes = None if data is None else len(data)
        self.true_media_type = true_type(data).media_type if data else None


def true_type(data: bytes) -> Sniffed:
    """Return what ``data`` is, by its bytes."""
    return identify(Source(BytesIO(data)))


def agreed_type(media_type: str, data: bytes) -> str:
    """Return ``media_type`` in its registered spelling, checked against ``data``.

    Raises:
        InvalidDataUri: it is no media type, or the bytes are of another one.
    """
    name = media_type.strip().lower()
    if not _TYPE.fullmatch(name):
        raise InvalidDataUri(f"{media_type[:80]!r} is no media type; write it like image/png", data)
    name = _ALIASES.get(name, name)
    found = true_type(data).media_type
    if _container(name) != _container(found):
        raise InvalidDataUri(f"declared {name}, but the bytes are {found}", data)
    return name


def _container(media_type: str) -> str:
    return _SAME_BYTES.get(media_type, media_type)


def data_uri_pieces(data: bytes, media_type: str) -> Pieces:
    """Return ``data`` as a data URI in ASCII, in pieces to be joined.

    Raises:
        InvalidDataUri: ``data`` is empty, or is not what ``media_type`` says.
    """
    if not data:
        raise InvalidDataUri("there are no bytes to write")
    return [b"data:%s;base64," % agreed_type(media_type, data).encode("ascii"), base64_bytes(data)]


def parse_data_uri(text: str) -> DataUri:
    """Return what a data URI, or bare base64 of a known format, holds.

    Raises:
        InvalidDataUri: it is malformed, cut off or empty, or its bytes contradict its declared type.
    """
    if len(text) > LARGEST:
        raise InvalidDataUri(f"longer than {LARGEST} characters")
    text = text.strip()
    if text[:5].lower() != "data:":
        return _bare(text)
    head, comma, payload = text[5:].partition(",")
    if not comma:
        raise InvalidDataUri("there is no comma between the media type and the data")
    declared, *parameters = [piece.strip() for piece in head.split(";")]
    encoded = bool(parameters) and parameters[-1].lower() == "base64"
    data = _decoded(payload) if encoded else _percent_decoded(payload)
    if not data:
        raise InvalidDataUri("the payload is empty", data)
    media_type = agreed_type(declared or "text/plain", data)
    _check_whole(media_type, data)
    return DataUri(media_type, data)


def _bare(text: str) -> DataUri:
    data = _decoded(text)
    found = true_type(data)
    if found.kind is None:
        raise InvalidDataUri("neither a data URI nor the base64 of an image, sound or video", data)
    _check_whole(found.media_type, data)
    return DataUri(found.media_type, data)


def _decoded(payload: str) -> bytes:
    """Return the bytes of base64 in either alphabet, with or without padding and white space."""
    try:
        raw = payload.encode("ascii")
    except UnicodeEncodeError:
        raise InvalidDataUri("the payload holds characters that are not base64") from None
    if b"%" in raw:
        raw = unquote_to_bytes(raw)
    letters = _SPACE.sub(b"", raw).translate(_URL_SAFE)
    if not _BASE64.fullmatch(letters):
        raise InvalidDataUri("the payload holds characters that are not base64; a placeholder, perhaps")
    bare = letters.rstrip(b"=")
    if len(bare) % 4 == 1 or (len(bare) != len(letters) and len(letters) % 4):
        raise InvalidDataUri("the base64 is cut off")
    try:
        return a2b_base64(bare + b"=" * (-len(bare) % 4), strict_mode=True)
    except Error as error:
        raise InvalidDataUri(f"the payload is no base64: {error}") from None


def _percent_decoded(payload: str) -> bytes:
    if _PERCENT.search(payload) or not _PLAIN.fullmatch(payload):
        raise InvalidDataUri("the payload is neither base64 nor percent-encoded text")
    return unquote_to_bytes(payload)


def _check_whole(media_type: str, data: bytes) -> None:
    """Check that a picture does not end too early, where its own structure tells cheaply; cut sound can be heard."""
    check = _WHOLE.get(media_type)
    if check and not check(data):
        raise InvalidDataUri(f"the {media_type} is cut off: its end is missing", data)


def _png_whole(data: bytes) -> bool:
    return b"IEND\xaeB`\x82" in data


def _jpeg_whole(data: bytes) -> bool:
    return data.rfind(b"\xff\xd9") > 2


def _gif_whole(data: bytes) -> bool:
    return data.rstrip(b"\0").endswith(b";")


def _webp_whole(data: bytes) -> bool:
    return len(data) >= int.from_bytes(data[4:8], "little") + 8


_WHOLE = {
    "image/png": _png_whole,
    "image/apng": _png_whole,
    "image/jpeg": _jpeg_whole,
    "image/gif": _gif_whole,
    "image/webp": _webp_whole,
}
