"""The system under evaluation: it makes the copy of a photo, a sound or a clip that a web page shows.

Oloproof calls ``web_copy`` once for each case of ``cases.jsonl``. The function writes its files where
``current_case().path`` says, names what it received and what it made, and returns a few facts as JSON.
"""

import array
import subprocess
import wave
from pathlib import Path

from PIL import Image, ImageOps

from oloproof import current_case, media_file, system

LONGEST_SIDE = 240
CLIP_HEIGHT = 120
RATE = 16_000
PEAK = 0.9 * 32_767
QUIET = 500


@system(name="web-copies", version="v1", records=("media/v1",))
def web_copy(case):
    """Make the copy of one file; ``case`` is the ``input`` of a row in cases.jsonl."""
    source = Path(case["file"])
    facts, made = MAKERS[case["kind"]](source)
    current_case().media([media_file(source, role="input"), *(media_file(path) for path in made)])
    return {"kind": case["kind"], **facts}


def copy_of_image(source):
    """Make a JPEG thumbnail, turned the way its camera was held."""
    thumbnail = current_case().path("thumbnail.jpg")
    with Image.open(source) as photo:
        upright = ImageOps.exif_transpose(photo).convert("RGB")
        upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
        upright.save(thumbnail, quality=85)
    return {"width": upright.width, "height": upright.height}, [thumbnail]


def copy_of_audio(source):
    """Make a mono WAV without the silence at its ends, raised to a common peak."""
    plain, voice = current_case().path("decoded.wav"), current_case().path("voice.wav")
    ffmpeg("-i", source, "-ac", 1, "-ar", RATE, "-c:a", "pcm_s16le", plain)
    samples = trimmed(read_samples(plain))
    gain = PEAK / max(abs(sample) for sample in samples)
    write_samples(voice, array.array("h", (round(sample * gain) for sample in samples)))
    plain.unlink()
    return {"seconds": round(len(samples) / RATE, 1)}, [voice]


def copy_of_video(source):
    """Make a small MP4 and its first frame as the poster that is shown before it plays."""
    clip, poster = current_case().path("clip.mp4"), current_case().path("poster.jpg")
    ffmpeg("-i", source, "-vf", f"scale=-2:{CLIP_HEIGHT}", "-c:v", "libx264", "-crf", 28, "-c:a", "aac", clip)
    ffmpeg("-i", clip, "-frames:v", 1, poster)
    with Image.open(poster) as frame:
        return {"width": frame.width, "height": frame.height}, [clip, poster]


MAKERS = {"image": copy_of_image, "audio": copy_of_audio, "video": copy_of_video}


def ffmpeg(*arguments):
    """Run ffmpeg; what it complains about becomes the error of this one case."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"ffmpeg failed: {done.stderr.strip()}")


def read_samples(path):
    """Return the samples of a mono 16-bit WAV."""
    with wave.open(str(path)) as sound:
        return array.array("h", sound.readframes(sound.getnframes()))


def write_samples(path, samples):
    """Write samples as a mono 16-bit WAV."""
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(samples.tobytes())


def trimmed(samples):
    """Return the samples from the first loud one to the last."""
    loud = [place for place, sample in enumerate(samples) if abs(sample) > QUIET]
    if not loud:
        raise ValueError("the sound is silent from beginning to end")
    return samples[loud[0] : loud[-1] + 1]
