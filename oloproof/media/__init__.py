"""media/v1: recording files by reference, verified reading, and the truth about their bytes.

The only room that opens a recorded file, opens Pillow or starts ffmpeg and ffprobe. What looks into files is loaded
when the first file is looked into: a run that is answered from the cache never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.lazy import lazy_names

if TYPE_CHECKING:
    from oloproof.media.digesting import DigestMemo
    from oloproof.media.facts import facts_of
    from oloproof.media.reading import MediaReader
    from oloproof.media.recording import media_file, read_media, using_reader

__all__ = ["DigestMemo", "MediaReader", "facts_of", "media_file", "read_media", "using_reader"]

_HOMES = {
    "digesting": ("DigestMemo",),
    "facts": ("facts_of",),
    "reading": ("MediaReader",),
    "recording": ("media_file", "read_media", "using_reader"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
