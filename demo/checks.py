"""A check of the demo's own: every file that was made shows or says something."""

import array
import io
import math
import wave

from PIL import Image, ImageStat

from oloproof import Verdict, evaluator, read_media


@evaluator
def not_blank(media, *, contrast, level):
    """Fail a picture of one colour and a sound too quiet to hear; clips are looked at by their poster.

    ``read_media`` returns the bytes of a recorded file after comparing them with its recorded SHA-256.
    """
    measured = {}
    for item in media:
        if item.role == "output" and item.kind == "image":
            measured[item.name] = (contrast_of(read_media(item)), contrast)
        elif item.role == "output" and item.kind == "audio":
            measured[item.name] = (loudness_of(read_media(item)), level)
    blank = [name for name, (found, wanted) in measured.items() if found < wanted]
    told = ", ".join(f"{name} {found:.0f} (at least {wanted})" for name, (found, wanted) in measured.items())
    return Verdict.failed(f"{' and '.join(blank)} blank: {told}") if blank else Verdict.passed(told)


def contrast_of(picture):
    """Return the spread of the brightness, 0 (one colour) to 127."""
    with Image.open(io.BytesIO(picture)) as opened:
        return ImageStat.Stat(opened.convert("L")).stddev[0]


def loudness_of(sound):
    """Return the mean level of a 16-bit WAV in dB below the loudest possible: 0 is loudest, -60 hardly audible."""
    with wave.open(io.BytesIO(sound)) as opened:
        samples = array.array("h", opened.readframes(opened.getnframes()))
    mean_square = sum(sample * sample for sample in samples) / max(1, len(samples))
    return 10 * math.log10(max(mean_square, 1) / 32_768**2)
