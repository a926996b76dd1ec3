from .budget import Budget as Budget, Prices as Prices
from .chat import ChatClient as ChatClient, open_chat as open_chat
from .data_uris import (
    DataUri as DataUri,
    InvalidDataUri as InvalidDataUri,
    data_uri_pieces as data_uri_pieces,
    parse_data_uri as parse_data_uri,
)
from .endpoints import Endpoint as Endpoint
from .messages import (
    NOTHING_COUNTED as NOTHING_COUNTED,
    AudioPart as AudioPart,
    ChatRequest as ChatRequest,
    ImagePart as ImagePart,
    Part as Part,
    Reply as Reply,
    ReplyFormat as ReplyFormat,
    TextPart as TextPart,
    Usage as Usage,
)
from .profiles import MemoryProfiles as MemoryProfiles, Profiles as Profiles
from .transcription import Phrase as Phrase, Transcriber as Transcriber, Transcription as Transcription
