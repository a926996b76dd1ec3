"""media/v1: recording files by reference, verified reading, and the truth about their bytes.

The only room that opens a recorded file, opens Pillow or starts ffmpeg and ffprobe.
"""

from oloproof.media.digesting import DigestMemo
from oloproof.media.reading import MediaReader
from oloproof.media.recording import media_file, read_media, using_reader

__all__ = ["DigestMemo", "MediaReader", "media_file", "read_media", "using_reader"]
