"""The facts of one file while they are being gathered: readers fill a ``Draft``, ``Draft.finish`` seals it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from oloproof.media.sniffing import Sniffed, as_kind
from oloproof.records import Decodable, Depth, Facts, Finding, Kind

FINDINGS = {
    "header_length_wrong": "the header gives another length than the bytes hold",
    "truncated": "the file ends before what its header promises",
    "trailing_data": "bytes follow after the end of the medium",
    "damaged": "part of the file cannot be decoded or contradicts itself",
    "variable_frame_rate": "the frames of a video are not evenly spaced",
    "no_duration_in_header": "the header of a container that has a place for it gives no duration",
    "cover_art": "an audio file carries a still picture",
    "video_shorter_than_container": "the picture ends before the container does",
    "frame_delay_raised": "frames ask for 10 ms or less, which viewers show for 100 ms",
    "several_pages": "a still image file holds more than one page or picture",
    "cmyk": "the image is stored in printing inks",
    "wide_gamut_profile": "an embedded profile reaches beyond sRGB",
    "sixteen_bit": "the image has more than 8 bits a channel",
    "transparency": "the image may be transparent in places",
    "too_large": "the picture has more pixels than the limit allows; nothing was decoded",
    "no_decoder": "the format is known and nothing here decodes it",
}
"""Every finding code, with what it says."""

ORIENTATIONS = {
    2: "mirror horizontal",
    3: "rotate 180",
    4: "mirror vertical",
    5: "mirror horizontal, rotate 270 cw",
    6: "rotate 90 cw",
    7: "mirror horizontal, rotate 90 cw",
    8: "rotate 270 cw",
}
"""What a viewer does to show the stored picture upright, by EXIF orientation number (1 is upright: None)."""


class Limits(Struct, frozen=True):
    """What reading one file may cost. Sizes in pixels, times in seconds."""

    max_pixels: int = 150_000_000
    """The largest picture (width times height) that is decoded; a larger one is ``too_large``."""
    max_animation_pixels: int = 3_000_000_000
    """The most pixels of all frames of one animation together."""
    measured_bytes: int = 256 * 1024 * 1024
    """Up to this size an MP4 or MOV is measured by its packets when probed; above, a whole header is believed."""
    probe_seconds: float = 60.0
    """How long one ffprobe may run that only reads packets."""
    decode_seconds: float = 900.0
    """How long one ffprobe may run that decodes a file to its end."""


DEFAULT = Limits()


class Draft(Struct):
    """Facts in the making. ``exif_orientation`` is 1 to 8; ``promised`` the seconds that the header promises;
    ``plain`` marks sound whose samples lie in the file as they are, so that nothing is left to decode.
    """

    found: Sniffed
    kind: Kind | None = None
    width: int | None = None
    height: int | None = None
    stored_width: int | None = None
    stored_height: int | None = None
    exif_orientation: int = 1
    duration: float | None = None
    promised: float | None = None
    plain: bool = False
    frames: int | None = None
    animated: bool | None = None
    has_audio: bool | None = None
    decodable: Decodable | None = None
    color_mode: str | None = None
    profile: str | None = None
    extras: dict[str, Any] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)

    def find(self, code: str, message: str) -> None:
        """Add a finding; the first message of a code stays."""
        if code not in FINDINGS:
            raise KeyError(code)
        self.findings.setdefault(code, Finding(code, message))

    def has(self, code: str) -> bool:
        """Return whether a finding with this code was made."""
        return code in self.findings

    def become(self, kind: Kind) -> None:
        """Settle that the tracks make this container ``kind``."""
        self.found = as_kind(self.found, kind)
        self.kind = kind

    def set_size(self, width: int | None, height: int | None, orientation: int = 1) -> None:
        """Set the stored size, and the displayed one as turned by an EXIF orientation number."""
        if not width or not height:
            return
        self.stored_width, self.stored_height = width, height
        self.width, self.height = (height, width) if orientation >= 5 else (width, height)
        self.exif_orientation = orientation

    def pixels(self) -> int:
        """Return how many pixels the stored picture has; 0 when its size is unknown."""
        return (self.stored_width or 0) * (self.stored_height or 0)

    def finish(self, depth: Depth) -> Facts:
        """Return the facts as told at ``depth``."""
        if self.exif_orientation != 1 and self.found.kind == "image":
            self.extras["exif_orientation"] = self.exif_orientation
        return Facts(
            depth=depth,
            kind=self.found.kind if self.kind is None else self.kind,
            format=self.found.format,
            media_type=self.found.media_type,
            width=self.width,
            height=self.height,
            stored_width=self.stored_width,
            stored_height=self.stored_height,
            orientation=ORIENTATIONS.get(self.exif_orientation),
            duration=None if self.duration is None else round(self.duration, 6),
            frames=self.frames,
            animated=self.animated,
            has_audio=self.has_audio,
            decodable=self.decodable,
            color_mode=self.color_mode,
            profile=self.profile,
            extras=self.extras,
            findings=tuple(self.findings.values()),
        )
