from .errors import (
    MediaDrift as MediaDrift,
    MediaError as MediaError,
    MediaMissing as MediaMissing,
    OloproofError as OloproofError,
)
from .evaluators import evaluator as evaluator
from .media import media_file as media_file, read_media as read_media
from .records import Case as Case, MediaItem as MediaItem, Verdict as Verdict
from .running.run import run as run
from .systems import current_case as current_case, system as system

__version__: str
