"""media/v1: recording files by reference, verified reading, and the truth about their bytes.

The only room that opens a recorded file, opens Pillow or starts ffmpeg and ffprobe. What looks into files is loaded
when the first file is looked into: a run that is answered from the cache never does.
"""

from oloproof.lazy import offered_names

__getattr__, __dir__, __all__ = offered_names(__name__, __file__)
