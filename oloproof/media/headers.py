"""Facts at header depth: what the first bytes of each format tell, without a process and without Pillow."""

from __future__ import annotations

from collections.abc import Callable

from oloproof.media import ebml, gif, heif, isobmff, jpeg, mpegaudio, pcm, png, riff, stills, tiff, tracks, webp
from oloproof.media.binary import Source
from oloproof.media.drafting import Draft, Limits
from oloproof.media.formats import FORMATS
from oloproof.media.profiles import read_profile
from oloproof.media.sniffing import sniffed
from oloproof.records import Kind

_WIDE_PRIMARIES = {9: "BT.2020", 11: "DCI-P3", 12: "Display P3"}


def read_header(source: Source, draft: Draft, limits: Limits) -> None:
    """Fill ``draft`` with what the header of its format tells."""
    reader = _READERS.get(draft.found.format)
    if reader is not None:
        reader(source, draft)
    elif draft.found.kind == "image":
        _still(source, draft)
    elif draft.found.kind is not None:
        _other_container(source, draft)
    if draft.found.kind == "image":
        _settle_image(draft, limits)
    elif draft.found.kind == "audio":
        draft.has_audio = True
    if draft.found.format == "midi":
        draft.decodable = "no_decoder"
        draft.find("no_decoder", "MIDI holds notes, not sound; nothing here plays it")


def _settle_image(draft: Draft, limits: Limits) -> None:
    draft.has_audio = False
    if draft.animated is False:
        draft.frames = 1
    entry = FORMATS[draft.found.format]
    if draft.pixels() > limits.max_pixels:
        draft.decodable = "too_large"
        size = f"{draft.stored_width}×{draft.stored_height}"
        draft.find("too_large", f"{size} pixels are more than the limit of {limits.max_pixels}; nothing was decoded")
    elif entry.name == "heic" and draft.animated:
        draft.decodable = "no_decoder"
        draft.find("no_decoder", "nothing here decodes a sequence of HEIC pictures; convert it to MP4")
    elif entry.pillow is None:
        draft.decodable = "no_decoder"
        why = "is not rendered on purpose" if entry.name == "svg" else "has no decoder here; convert it to PNG or JPEG"
        draft.find("no_decoder", f"{entry.name.upper()} {why}")


def _color(draft: Draft, mode: str | None, bits: int | None = None, *, transparent: bool = False) -> None:
    draft.color_mode = mode
    if bits is not None:
        draft.extras["bits"] = bits
        if bits > 8:
            draft.find("sixteen_bit", f"{bits} bits a channel")
    if mode == "cmyk":
        draft.find("cmyk", "stored in printing inks (CMYK), shown by conversion to sRGB")
    if transparent:
        draft.extras["transparency"] = True
        draft.find("transparency", "has an alpha channel or a transparent colour")


def _profile(draft: Draft, data: bytes | None, primaries: int | None = None) -> None:
    found = read_profile(data) if data else None
    if found is not None:
        draft.profile = found.name
        if found.wide:
            draft.find("wide_gamut_profile", f"the embedded profile «{found.name}» reaches beyond sRGB")
    elif primaries in _WIDE_PRIMARIES:
        draft.profile = _WIDE_PRIMARIES[primaries]
        draft.find("wide_gamut_profile", f"the colours are given in {draft.profile}, beyond sRGB")


def _orientation(exif: bytes | None) -> int:
    return tiff.exif_orientation(exif) if exif else 1


_PNG_MODES = {0: "grey", 2: "rgb", 3: "palette", 4: "grey_alpha", 6: "rgba"}


def _png(source: Source, draft: Draft) -> None:
    found = png.read_png(source, quick=True)
    draft.found = sniffed("apng" if found.promised_frames else "png")
    draft.set_size(found.width, found.height, _orientation(found.exif))
    draft.animated = found.promised_frames > 1
    if found.promised_frames == 1:
        draft.frames = 1
    _color(draft, _PNG_MODES.get(found.color), found.depth or None, transparent=found.transparent)
    _profile(draft, found.profile, found.primaries)
    if found.cut:
        draft.find("truncated", "the file ends before the end of the PNG")
    if not found.valid:
        draft.find("damaged", "the PNG header names no possible picture")
    if found.apple:
        draft.decodable = "no_decoder"
        draft.find("no_decoder", "nothing here decodes the form of PNG that Xcode makes for iOS; convert it")


def _jpeg(source: Source, draft: Draft) -> None:
    found = jpeg.read_jpeg(source)
    draft.set_size(found.width, found.height, _orientation(found.exif))
    draft.animated = False
    draft.extras["progressive"] = found.progressive
    _color(draft, {1: "grey", 3: "rgb", 4: "cmyk"}.get(found.components), found.bits)
    _profile(draft, found.profile)
    if not found.scan:
        draft.find("truncated", "the file ends before any picture data")


def _gif(source: Source, draft: Draft) -> None:
    draft.set_size(*gif.read_size(source))
    _color(draft, "palette", 8)


def _webp(source: Source, draft: Draft) -> None:
    found = webp.read_webp(source)
    draft.set_size(found.width, found.height, _orientation(found.exif))
    draft.animated = found.animated
    _color(draft, "rgba" if found.transparent else "rgb", 8, transparent=found.transparent)
    _profile(draft, found.profile)
    if found.cut:
        draft.find("truncated", "the file ends before the length that its RIFF header gives")


_TIFF_MODES = {0: "grey", 1: "grey", 2: "rgb", 3: "palette", 5: "cmyk", 6: "rgb", 8: "lab"}


def _tiff(source: Source, draft: Draft) -> None:
    found = tiff.read_tiff(source)
    raw = tiff.read_raw(source, found)
    if raw is not None:
        _raw(draft, found, raw)
        return
    turned = found.one(tiff.ORIENTATION, 1) or 1
    draft.set_size(found.one(tiff.WIDTH), found.one(tiff.HEIGHT), turned if 1 <= turned <= 8 else 1)
    draft.animated = False
    bits = found.one(tiff.BITS, 1)
    mode = _TIFF_MODES.get(found.one(tiff.PHOTOMETRIC, -1) or 0)
    extra = found.one(tiff.EXTRA, 0) in (1, 2)
    if bits == 1 and mode == "grey":
        mode = "bilevel"
    _color(draft, f"{mode}a" if extra and mode == "rgb" else mode, bits, transparent=extra)
    _profile(draft, found.profile)
    if found.pages > 1:
        draft.extras["pages"] = found.pages
        draft.find("several_pages", f"the file holds {found.pages} pages; the first one is measured")
    if found.damaged:
        draft.find("truncated", "the file ends before one of its directories")


def _raw(draft: Draft, first: tiff.Directory, raw: tiff.Directory) -> None:
    draft.found = sniffed("dng" if tiff.DNG_VERSION in first.values else "raw")
    draft.animated = False
    turned = first.one(tiff.ORIENTATION, 1) or 1
    shown = raw.values.get(tiff.CROP) or (raw.one(tiff.WIDTH), raw.one(tiff.HEIGHT))
    if len(shown) == 2:
        draft.set_size(*shown, turned if 1 <= turned <= 8 else 1)
    if not draft.pixels():
        draft.find("damaged", "no directory gives the size of the picture")
    _color(draft, None, raw.one(tiff.BITS))


def _heif(source: Source, draft: Draft) -> None:
    found = heif.read_picture(source)
    draft.set_size(found.width, found.height, found.orientation)
    draft.animated = len(found.delays) > 1
    if draft.animated and not found.cut:
        draft.frames = len(found.delays)
    _color(draft, "rgba" if found.alpha else "rgb", found.bits, transparent=found.alpha)
    _profile(draft, found.profile, found.primaries)
    if found.cut:
        draft.find("truncated", "the file ends inside one of its boxes")
    if found.trailing:
        draft.find("trailing_data", f"{found.trailing} bytes that are no boxes follow the end")


def _still(source: Source, draft: Draft) -> None:
    found = stills.read_still(source, draft.found.format)
    draft.animated = found.animated if found is not None else False
    if found is None:
        if draft.found.format != "svg":  # a drawing may leave its size to the page that shows it
            draft.find("damaged", "the header gives no size")
        return
    draft.set_size(found.width, found.height, found.orientation)
    _color(draft, found.color, found.bits, transparent=found.color in ("rgba", "grey_alpha"))
    if found.cut:
        draft.find("truncated", "the file ends before the end of the picture data")
    if found.pictures > 1:
        draft.extras["pages"] = found.pictures
        draft.find("several_pages", f"the file holds {found.pictures} pictures; the largest one is measured")


def _wav(source: Source, draft: Draft) -> None:
    found = riff.read_wav(source)
    draft.duration, draft.promised = found.duration, found.promised_duration
    draft.plain = found.plain
    draft.extras.update(_sound_extras(found.codec, found.channels, found.rate))
    if found.bits:
        draft.extras["bits"] = found.bits
    if found.damaged or not found.data_at:
        draft.find("damaged", "the WAV header names no sample format" if found.damaged else "there is no audio data")
    elif found.placeholder:
        told = "0" if not found.promised else f"{found.promised} (a placeholder)"
        draft.find("header_length_wrong", f"the header gives a length of {told} bytes; {found.present} are there")
    elif found.cut:
        draft.find("truncated", _cut_words(found.promised_duration, found.duration))
        draft.find(
            "header_length_wrong", f"the header gives {found.promised} bytes of audio; {found.present} are there"
        )
    if found.trailing:
        draft.find("trailing_data", f"{found.trailing} bytes follow the audio")


def _sound_extras(codec: str | None, channels: int, rate: float) -> dict[str, object]:
    pairs = (("audio_codec", codec), ("channels", channels), ("sample_rate", int(rate)))
    return {key: value for key, value in pairs if value}


def _cut_words(promised: float | None, held: float | None) -> str:
    if promised is None or held is None:
        return "the file ends before the end of the audio"
    return f"the header promises {promised:.3f} s, the file holds {held:.3f} s"


def _pcm(source: Source, draft: Draft) -> None:
    found = pcm.read_sound(source, draft.found.format)
    draft.duration, draft.promised = found.duration, found.promised
    draft.plain = found.plain and not found.damaged
    draft.extras.update(_sound_extras(found.codec, found.channels, found.rate))
    if found.damaged:
        draft.find("damaged", "the header names no sample format or holds no audio")
    elif found.cut:
        draft.find("truncated", _cut_words(found.promised, found.duration))
    elif found.unknown_length:
        draft.find("header_length_wrong", "the header gives no length; it was told from the bytes present")


def _movie(source: Source, draft: Draft) -> None:
    found = isobmff.read_movie(source)
    if not found.found:
        draft.find("damaged", "the index (moov) is missing, so nothing in the file can be found")
        return
    pictures, sounds = found.pictures, found.sounds
    kind: Kind | None = "video" if pictures else "audio" if sounds else None
    if kind is not None:
        draft.become(kind)
        draft.has_audio = bool(sounds)
    if pictures:
        _picture_track(draft, pictures[0])
    if found.cut:
        draft.find("truncated", "the file ends inside one of its boxes")
    elif any(track.reach > source.size for track in (*pictures, *sounds)):
        draft.find("damaged", "the index names places behind the end of the file")
    if found.trailing:
        draft.find("trailing_data", f"{found.trailing} bytes that are no boxes follow the end")
    if not found.fragmented:
        draft.promised = found.duration
        if found.agreed and not found.cut and not found.outlasted:
            draft.duration = found.duration


def _picture_track(draft: Draft, track: isobmff.Track) -> None:
    shown = round(track.width * track.pixel_ratio), track.height
    draft.set_size(track.width, track.height, track.orientation)
    _show(draft, shown, track.orientation)
    draft.extras["video_codec"] = track.codec.decode("latin-1").strip()


def _show(draft: Draft, shown: tuple[int, int], orientation: int) -> None:
    """Set the displayed size of a video: ``shown`` has the pixel ratio applied, but is not turned yet."""
    if draft.stored_width and all(shown):
        draft.width, draft.height = shown[::-1] if orientation >= 5 else shown


def _matroska(source: Source, draft: Draft) -> None:
    found = ebml.read_matroska(source)
    picture, sound = found.first(1), found.first(2)
    if picture or sound:
        draft.become("video" if picture else "audio")
        draft.has_audio = sound is not None
    if picture:
        draft.set_size(picture.width, picture.height, picture.orientation)
        shown = picture.shown_width or picture.width, picture.shown_height or picture.height
        _show(draft, shown, picture.orientation)
    draft.promised = found.duration
    if found.cut:
        draft.find("truncated", "the file ends before the length that its segment gives")
    elif all(track.type in (1, 2) for track in found.tracks):  # subtitles may outlast what is seen and heard
        draft.duration = found.duration
    if found.duration is None and found.tracks:
        draft.find("no_duration_in_header", "the header gives no duration")


def _mp3(source: Source, draft: Draft) -> None:
    free = mpegaudio.read_free(source)
    if free is not None:
        draft.duration = free.seconds
        draft.extras.update(_sound_extras("mp3", free.channels, free.rate))
        draft.decodable = "no_decoder"
        draft.find("no_decoder", "ffmpeg decodes no MP3 of a free bit rate; encode it anew at a usual one")
        if free.cut:
            draft.find("truncated", "the file ends inside a frame")
        return
    if (end := mpegaudio.id3_end(source.head)) > source.size:
        draft.find("truncated", f"the file ends before its tag does, {end - source.size} bytes early")
    draft.promised = mpegaudio.promised_duration(source)


def _flac(source: Source, draft: Draft) -> None:
    """Read STREAMINFO (RFC 9639); its length is a promise that only the end of the file can prove."""
    start = mpegaudio.id3_end(source.head)
    data = source.at(start + 8, 34)
    if len(data) < 34:
        draft.find("truncated", "the file ends inside the FLAC header")
        return
    packed = int.from_bytes(data[10:18])
    rate, channels, samples = packed >> 44, (packed >> 41 & 7) + 1, packed & ((1 << 36) - 1)
    draft.extras.update(_sound_extras("flac", channels, rate))
    if rate and samples:
        draft.promised = samples / rate
    elif rate:
        draft.find("no_duration_in_header", "the FLAC header gives no number of samples")


def _other_container(source: Source, draft: Draft) -> None:
    found = tracks.kind_of_tracks(source, draft.found.format)
    if found is not None:
        draft.become(found[0])
        draft.has_audio = found[1]


_READERS: dict[str, Callable[[Source, Draft], None]] = {
    "png": _png, "apng": _png, "jpeg": _jpeg, "gif": _gif, "webp": _webp, "tiff": _tiff, "bigtiff": _tiff,
    "avif": _heif, "heic": _heif, "heif": _heif, "wav": _wav, "rf64": _wav, "w64": _wav, "aiff": _pcm,
    "aifc": _pcm, "au": _pcm, "caf": _pcm, "mp4": _movie, "mov": _movie, "m4a": _movie, "3gp": _movie,
    "3g2": _movie, "mj2": _movie, "webm": _matroska, "mkv": _matroska, "mp3": _mp3, "flac": _flac,
}  # fmt: skip
