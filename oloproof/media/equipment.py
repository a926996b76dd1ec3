"""What this machine has for looking into files: Pillow, imagehash, ffmpeg and ffprobe, each with its version."""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from msgspec import Struct

from oloproof.media.extras import INSTALL
from oloproof.media.ffmpeg import run_tool


class Equipment(Struct, frozen=True):
    """One thing that may be installed: its version or None, what it is for, and how to get it."""

    name: str
    version: str | None
    needed_for: str
    cure: str


def equipment() -> list[Equipment]:
    """Return everything that files may need, installed or not."""
    system = "apt-get install ffmpeg, or brew install ffmpeg"
    return [
        Equipment("pillow", package_version("pillow"), "decoding images, thumbnails, image_matches_reference", INSTALL),
        Equipment("imagehash", package_version("imagehash"), "image_matches_reference", INSTALL),
        Equipment("simplejpeg", package_version("simplejpeg"), "decoding JPEG images to their end", INSTALL),
        Equipment("pi-heif", package_version("pi-heif"), "decoding HEIC images", INSTALL),
        Equipment("ffprobe", tool_version("ffprobe"), "facts of video and of compressed audio", system),
        Equipment("ffmpeg", tool_version("ffmpeg"), "decoding video and compressed audio to the end", system),
    ]


def package_version(name: str) -> str | None:
    """Return the version of an installed package without importing it, None where it is not installed."""
    module = {"pillow": "PIL", "pi-heif": "pi_heif"}.get(name, name)
    if find_spec(module) is None:
        return None
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def tool_version(name: str) -> str | None:
    """Return the version of ``ffmpeg`` or ``ffprobe`` as it tells it, None where it is not installed."""
    if shutil.which(name) is None:
        return None
    lines: list[str] = []
    run_tool([name, "-version"], timeout=20, on_line=lines.append)
    words = lines[0].split() if lines else []
    return words[2] if len(words) > 2 else "unknown"
