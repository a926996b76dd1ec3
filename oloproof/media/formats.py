"""Every format that Oloproof can name: kind, media type, fitting extensions, and who can decode it.

Media types are the registered ones (IANA) where there is one, else the name in common use.
"""

from __future__ import annotations

from msgspec import Struct

from oloproof.records import Kind


class Format(Struct, frozen=True):
    """One format. ``demuxer`` is ffmpeg's input format, ``pillow`` Pillow's; None where it is not used.

    ``kind`` is the kind of a file whose tracks are unknown; a container may turn out to hold sound only.
    """

    name: str
    kind: Kind | None
    media_type: str
    extensions: frozenset[str]
    demuxer: str | None = None
    pillow: str | None = None


def _image(name: str, media_type: str, extensions: str, pillow: str | None = None) -> Format:
    return Format(name, "image", f"image/{media_type}", frozenset(extensions.split()), pillow=pillow)


def _audio(name: str, media_type: str, extensions: str, demuxer: str | None) -> Format:
    return Format(name, "audio", f"audio/{media_type}", frozenset(extensions.split()), demuxer)


def _video(name: str, media_type: str, extensions: str, demuxer: str) -> Format:
    return Format(name, "video", f"video/{media_type}", frozenset(extensions.split()), demuxer)


def _other(name: str, media_type: str, extensions: str) -> Format:
    return Format(name, None, media_type, frozenset(extensions.split()))


_ALL = (
    _image("jpeg", "jpeg", "jpg jpeg jpe jfif jif mpo", "JPEG"),
    _image("png", "png", "png", "PNG"),
    _image("apng", "apng", "png apng", "PNG"),
    _image("gif", "gif", "gif", "GIF"),
    _image("webp", "webp", "webp", "WEBP"),
    _image("bmp", "bmp", "bmp dib", "BMP"),
    _image("tiff", "tiff", "tif tiff", "TIFF"),
    _image("bigtiff", "tiff", "tif tiff btf tf8", "TIFF"),
    _image("avif", "avif", "avif avifs", "AVIF"),
    _image("heic", "heic", "heic heics heif heifs hif", "HEIF"),
    _image("heif", "heif", "heif heifs heic hif"),
    _image("jp2", "jp2", "jp2 jpx jpf jpg2", "JPEG2000"),
    _image("j2k", "j2c", "j2k j2c jpc", "JPEG2000"),
    _image("jxl", "jxl", "jxl"),
    _image("ico", "x-icon", "ico", "ICO"),
    _image("cur", "x-icon", "cur", "CUR"),
    _image("pbm", "x-portable-bitmap", "pbm pnm", "PPM"),
    _image("pgm", "x-portable-graymap", "pgm pnm", "PPM"),
    _image("ppm", "x-portable-pixmap", "ppm pnm", "PPM"),
    _image("pam", "x-portable-arbitrarymap", "pam pnm"),
    _image("pfm", "x-portable-floatmap", "pfm"),
    _image("psd", "vnd.adobe.photoshop", "psd", "PSD"),
    _image("qoi", "qoi", "qoi", "QOI"),
    _image("svg", "svg+xml", "svg"),
    _image("exr", "x-exr", "exr"),
    _image("hdr", "vnd.radiance", "hdr pic rgbe"),
    _image("cr3", "x-canon-cr3", "cr3"),
    _image("dng", "x-adobe-dng", "dng"),
    _image("raw", "x-raw", "nef nrw arw sr2 pef srw raw"),
    _audio("wav", "wav", "wav wave bwf", "wav"),
    _audio("rf64", "wav", "wav rf64 bw64", "wav"),
    _audio("w64", "x-w64", "w64", "w64"),
    _audio("aiff", "aiff", "aif aiff aifc", "aiff"),
    _audio("aifc", "aiff", "aif aiff aifc", "aiff"),
    _audio("caf", "x-caf", "caf", "caf"),
    _audio("au", "basic", "au snd", "au"),
    _audio("flac", "flac", "flac", "flac"),
    _audio("mp3", "mpeg", "mp3 mpga", "mp3"),
    _audio("mp2", "mpeg", "mp2 mpa mp3 mpga", "mp3"),
    _audio("mp1", "mpeg", "mp1 mpa", "mp3"),
    _audio("aac", "aac", "aac adts", "aac"),
    _audio("ac3", "ac3", "ac3", "ac3"),
    _audio("eac3", "eac3", "eac3 ec3", "eac3"),
    _audio("dts", "vnd.dts", "dts", "dts"),
    _audio("ogg", "ogg", "ogg oga opus spx ogx", "ogg"),
    _audio("m4a", "mp4", "m4a m4b m4p m4r mp4 f4a", "mov"),
    _audio("mka", "x-matroska", "mka mkv", "matroska"),
    _audio("wma", "x-ms-wma", "wma asf", "asf"),
    _audio("amr", "amr", "amr awb 3ga", "amr"),
    _audio("wavpack", "x-wavpack", "wv", "wv"),
    _audio("tta", "x-tta", "tta", "tta"),
    _audio("ape", "x-ape", "ape", "ape"),
    _audio("midi", "midi", "mid midi", None),
    _video("mp4", "mp4", "mp4 m4v f4v mpg4", "mov"),
    _video("mov", "quicktime", "mov qt", "mov"),
    _video("3gp", "3gpp", "3gp 3gpp", "mov"),
    _video("3g2", "3gpp2", "3g2 3gpp2", "mov"),
    _video("mj2", "mj2", "mj2 mjp2", "mov"),
    _video("webm", "webm", "webm weba", "matroska"),
    _video("mkv", "x-matroska", "mkv mk3d", "matroska"),
    _video("avi", "x-msvideo", "avi divx", "avi"),
    _video("flv", "x-flv", "flv", "flv"),
    _video("mpeg", "mpeg", "mpg mpeg vob m2p mpe", "mpeg"),
    _video("mpegvideo", "mpeg", "m1v m2v mpv mpg mpeg", "mpegvideo"),
    _video("mpegts", "mp2t", "ts m2ts mts m2t", "mpegts"),
    _video("wmv", "x-ms-wmv", "wmv asf", "asf"),
    _video("ogv", "ogg", "ogv ogg ogx", "ogg"),
    _video("mxf", "x-mxf", "mxf", "mxf"),
    _video("y4m", "x-yuv4mpeg", "y4m", "yuv4mpegpipe"),
    _video("ivf", "x-ivf", "ivf", "ivf"),
    _other("empty", "application/x-empty", ""),
    _other("html", "text/html", "html htm"),
    _other("json", "application/json", "json"),
    _other("xml", "application/xml", "xml"),
    _other("playlist", "application/vnd.apple.mpegurl", "m3u8 m3u"),
    _other("text", "text/plain", "txt"),
    _other("pdf", "application/pdf", "pdf"),
    _other("zip", "application/zip", "zip"),
    _other("gzip", "application/gzip", "gz"),
    _other("unknown", "application/octet-stream", ""),
)

FORMATS: dict[str, Format] = {entry.name: entry for entry in _ALL}

_SOUND_ONLY_NAME = {"mkv": "mka", "wmv": "wma", "ogv": "ogg"}
_PICTURE_NAME = {"m4a": "mp4", "mka": "mkv", "wma": "wmv", "ogg": "ogv"}

_WHAT = {
    "empty": "an empty file",
    "html": "an HTML page",
    "json": "JSON text",
    "xml": "an XML document",
    "playlist": "a playlist",
    "text": "plain text",
    "pdf": "a PDF document",
    "zip": "a ZIP archive",
    "gzip": "a gzip archive",
    "unknown": "bytes of no known format",
}


def named_for(kind: Kind, name: str) -> tuple[str, str]:
    """Return format name and media type of a container whose tracks make it ``kind``.

    An MP4 with sound only is ``audio/mp4``; Matroska, ASF and Ogg have a name of their own for that.
    """
    renamed = (_SOUND_ONLY_NAME if kind == "audio" else _PICTURE_NAME).get(name, name)
    media_type = FORMATS[renamed].media_type
    return renamed, f"{kind}/{media_type.partition('/')[2]}"


def describe(name: str) -> str:
    """Return a format in words for a reason: ``an HTML page``, ``a JPEG image``, ``a WAV audio file``."""
    if name in _WHAT:
        return _WHAT[name]
    kind = FORMATS[name].kind if name in FORMATS else None
    article = "an" if name[:1] in "aefhilmnorsx8" and not name.startswith(("flac", "hdr", "heic", "heif")) else "a"
    noun = "image" if kind == "image" else f"{kind or 'data'} file"
    return f"{article} {name.upper()} {noun}"


def extension_matches(name: str, format: str) -> bool:  # noqa: A002 - the word of the facts
    """Return whether the extension of the file name ``name`` is one that fits ``format``.

    A name without an extension fits everything. ``.png`` fits ``apng``, ``.mp4`` an MP4 with sound only.
    """
    stem, dot, extension = name.rpartition("/")[2].rpartition(".")
    if not dot or not stem or format not in FORMATS:
        return True
    return extension.lower() in FORMATS[format].extensions
