"""WAV, RF64/BW64 and Wave64: our own chunk reader, which trusts the bytes present more than any length.

Form after the Microsoft multimedia specification (RFC 2361 for the format tags), EBU Tech 3306 for RF64, and
Sony's Wave64. Duration comes from the audio bytes that are really there: streamed files carry placeholder
lengths (0, 0x7FFFFFFF, 0xFFFFFFFF, 2 000 000 000 ...), cut files promise more than they hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from oloproof.media.binary import Source, u16, unpack

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
CODECS = {
    1: "pcm", 2: "adpcm_ms", 3: "pcm_float", 6: "pcm_alaw", 7: "pcm_mulaw", 0x11: "adpcm_ima", 0x31: "gsm",
    0x50: "mp2", 0x55: "mp3", 0xFF: "aac", 0x161: "wma", 0x2000: "ac3", 0x45: "adpcm_g726", 0xF1AC: "flac",
}  # fmt: skip
_PLAIN = frozenset(("pcm", "pcm_float", "pcm_alaw", "pcm_mulaw"))
_BLOCKS = frozenset((2, 0x11, 0x31))
"""Format tags whose header tells how many samples one block holds."""
_PLACEHOLDER = 1_800_000_000
_MOST_CHUNKS = 10_000
_FORMS = (b"RIFF", b"RIFX", b"RF64", b"BW64")
_W64_END = bytes.fromhex("f3acd3118cd100c04f8edb8a")


class Wav(Struct):
    """What the chunks say. Lengths in bytes, ``duration`` in seconds from the bytes present.

    ``promised`` is the length of the audio data as written, None without one; ``placeholder`` when that is no
    real length. ``plain`` when every sample has its own bytes, so that nothing can fail to decode.
    """

    codec: str | None = None
    channels: int = 0
    rate: int = 0
    align: int = 0
    bits: int = 0
    block_samples: int = 0
    data_at: int = 0
    present: int = 0
    promised: int | None = None
    placeholder: bool = False
    trailing: int = 0
    fact: int | None = None
    damaged: bool = False

    @property
    def plain(self) -> bool:
        """Whether the samples are stored plainly (PCM, float, A-law, µ-law)."""
        return self.codec in _PLAIN

    @property
    def cut(self) -> bool:
        """Whether the file ends before the audio it promises."""
        return self.promised is not None and not self.placeholder and self.promised > self.present

    @property
    def duration(self) -> float | None:
        """Seconds of audio in the bytes present; None when the header does not suffice."""
        return self._seconds(self.present)

    @property
    def promised_duration(self) -> float | None:
        """Seconds that the written length stands for."""
        return None if self.promised is None else self._seconds(self.promised)

    def _seconds(self, length: int) -> float | None:
        if not self.rate or not self.align or not self.data_at:
            return None
        if self.plain:
            return length // self.align / self.rate
        if not self.block_samples:
            return None
        samples = length // self.align * self.block_samples
        if self.fact is not None and samples - self.block_samples < self.fact < samples:
            samples = self.fact  # the last block is not full
        return samples / self.rate


class _Chunk(Struct, frozen=True):
    name: bytes
    at: int
    length: int


def read_wav(source: Source) -> Wav:
    """Read a RIFF, RIFX, RF64, BW64 or Wave64 file."""
    wav = Wav()
    wide = source.head[:4] == b"riff"
    order = ">" if source.head[:4] == b"RIFX" else "<"
    data_length: int | None = None
    for chunk in _wide_chunks(source) if wide else _chunks(source, 12, order):
        if chunk.name == b"fmt ":
            _format(wav, source.at(chunk.at, min(chunk.length, 64)), order)
        elif chunk.name == b"ds64":
            sizes = unpack("<QQQ", source.at(chunk.at, 24))
            data_length = sizes[1] if sizes else None
        elif chunk.name == b"fact":
            count = unpack(order + ("Q" if wide else "I"), source.at(chunk.at, 8))
            wav.fact = count[0] if count else None
        elif chunk.name == b"data":
            _data(wav, source, chunk, data_length, wide, order)
            break
    wav.damaged = not (wav.rate and wav.align and wav.codec)
    return wav


def _chunks(source: Source, at: int, order: str) -> Iterator[_Chunk]:
    for _ in range(_MOST_CHUNKS):
        fields = unpack(order + "4sI", source.at(at, 8))
        if fields is None:
            return
        yield _Chunk(fields[0], at + 8, fields[1])
        at += 8 + fields[1] + (fields[1] & 1)


def _wide_chunks(source: Source) -> Iterator[_Chunk]:
    """Yield Wave64's chunks: a GUID, a 64-bit length that counts the head too, padding to 8 bytes."""
    at = 40
    for _ in range(_MOST_CHUNKS):
        head = source.at(at, 24)
        length = unpack("<Q", head, 16)
        if len(head) < 24 or length is None or (length[0] < 24 and head[:4] != b"data"):
            return
        yield _Chunk(head[:4] if head[4:16] == _W64_END else b"", at + 24, max(length[0] - 24, 0))
        at += -(-length[0] // 8) * 8


def _format(wav: Wav, data: bytes, order: str) -> None:
    fields = unpack(order + "HHIIHH", data)
    if fields is None or wav.codec:
        return
    tag, wav.channels, wav.rate, _, wav.align, wav.bits = fields
    if tag == EXTENSIBLE:
        tag = u16(data, 24, order) or 0
    elif tag in _BLOCKS and len(data) >= 20:
        wav.block_samples = u16(data, 18, order) or 0
    wav.codec = CODECS.get(tag, f"0x{tag:04x}")
    if wav.plain and not wav.align:
        wav.align = wav.channels * -(-wav.bits // 8)


def _data(wav: Wav, source: Source, chunk: _Chunk, long: int | None, wide: bool, order: str) -> None:
    wav.data_at = chunk.at
    rest = max(source.size - chunk.at, 0)
    promised = long if long is not None and chunk.length in (0, 0xFFFFFFFF) else chunk.length
    wav.promised = promised
    if promised == 0:
        wav.placeholder = rest > 0 and not _only_chunks(source, chunk.at, order)
        wav.present = _without_tail(source, chunk.at, order) if wav.placeholder else 0
    elif promised > rest:
        streamed = promised in (0xFFFFFFFF, 0x7FFFFFFF) or (promised >= _PLACEHOLDER and promised > 2 * rest)
        wav.placeholder = (streamed and not wide) or (wide and promised > 1 << 60)
        wav.present = _without_tail(source, chunk.at, order) if wav.placeholder else rest
    else:
        wav.present = promised
        end = chunk.at + promised
        if not wide and not _only_chunks(source, end + (promised & 1), order):
            wav.trailing = max(source.size - end, 0)


def _only_chunks(source: Source, at: int, order: str) -> bool:
    """Return whether what follows is nothing or a chain of further chunks that ends with the file."""
    while source.size - at >= 8:
        fields = unpack(order + "4sI", source.at(at, 8))
        if fields is None or fields[0] in _FORMS or not all(32 <= byte < 127 for byte in fields[0]):
            return False
        at += 8 + fields[1] + (fields[1] & 1)
    # a missing or an extra padding byte is no harm
    return -1 <= source.size - at <= 1


def _without_tail(source: Source, start: int, order: str) -> int:
    """Return how many bytes of audio follow ``start``, leaving out a chunk of tags that ends with the file."""
    begin = max(start, source.size - 65536)
    tail = source.at(begin, source.size - begin)
    for name in (b"LIST", b"id3 ", b"ID3 ", b"bext", b"iXML"):
        at = tail.rfind(name)
        length = unpack(order + "I", tail, at + 4) if at >= 0 else None
        if length is not None and 0 <= begin + at + 8 + length[0] + (length[0] & 1) - source.size <= 1:
            return begin + at - start
    return max(source.size - start, 0)
