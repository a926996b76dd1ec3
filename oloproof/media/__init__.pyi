from .animations import animation_frames as animation_frames
from .contents import (
    CONTENTS_VERSION as CONTENTS_VERSION,
    is_transparent as is_transparent,
    shades_of_image as shades_of_image,
    shades_of_video as shades_of_video,
)
from .digesting import DigestMemo as DigestMemo
from .facts import facts_of as facts_of
from .frames import Frame as Frame, Frames as Frames, extract_frames as extract_frames
from .preparing import Prepared as Prepared, prepare_image as prepare_image
from .reading import MediaReader as MediaReader
from .recording import media_file as media_file, read_media as read_media, using_reader as using_reader
from .sniffing import sniff as sniff
from .sound import (
    SOUND_VERSION as SOUND_VERSION,
    SoundPiece as SoundPiece,
    loudness as loudness,
    native_audio as native_audio,
    pieces_for_transcription as pieces_for_transcription,
)
