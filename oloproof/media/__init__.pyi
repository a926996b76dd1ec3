from .digesting import DigestMemo as DigestMemo
from .facts import facts_of as facts_of
from .reading import MediaReader as MediaReader
from .recording import media_file as media_file, read_media as read_media, using_reader as using_reader
