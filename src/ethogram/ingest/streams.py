"""Decompression of strangers' files: by content, within limits, and never cut short in silence."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final, Protocol, cast

import zstandard

from ethogram.errors import ArchiveLimitError

MAX_MEMBER_BYTES: Final = 2 * 2**30
MAX_TOTAL_BYTES: Final = 200 * 2**30
MAX_RATIO: Final = 1_000
RATIO_FREE_BYTES: Final = 256 * 2**20
"""Below this many bytes the ratio is not looked at: small texts compress very well."""

BROKEN: Final = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, lzma.LZMAError, zlib.error, OSError,
    zstandard.ZstdError, NotImplementedError, RuntimeError, ValueError, ArithmeticError,
    LookupError, struct.error,
)  # fmt: skip
"""What the libraries raise on broken, encrypted or hostile files."""

_PIECE: Final = 1024  # zstd packs up to 32 KiB into one byte: what comes of a piece stays small
_CHUNK: Final = 2**16


class Readable(Protocol):
    """All that is needed of a stream."""

    def read1(self, size: int = -1, /) -> bytes:
        """Give some bytes, at most so many; none at the end."""


class _Zstd:
    """Unpacks Zstandard frame by frame; a frame that is cut short is an error, not an end."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._packed = b""
        self._ready = io.BytesIO()

    def read1(self, size: int = -1, /) -> bytes:
        while not (given := self._ready.read(size)):
            piece = self._next()
            if piece is None:
                return b""
            self._ready = io.BytesIO(piece)
        return given

    def _next(self) -> bytes | None:
        packed = self._packed or self._raw.read(_PIECE)
        if not packed:
            if self._frame is not None:
                raise EOFError("the compressed data end before they are complete")
            return None
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        piece = self._frame.decompress(packed)
        self._packed = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = None
        return piece


_OPENERS: Final[Mapping[bytes, Callable[[BinaryIO], Readable]]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": lambda raw: cast("Readable", bz2.BZ2File(raw)),
    b"\xfd7zXZ\0": lambda raw: cast("Readable", lzma.LZMAFile(raw)),  # noqa: SIM115
    b"\x28\xb5\x2f\xfd": _Zstd,
}


def unpacked(raw: BinaryIO) -> Readable:
    """A stream of what is packed in another; of the stream itself if nothing is.

    What it is packed with shows in its first bytes, whatever the file is called.
    """
    head = raw.read(6)
    raw.seek(-len(head), io.SEEK_CUR)
    for magic, opener in _OPENERS.items():
        if head.startswith(magic):
            return opener(raw)
    return cast("Readable", raw)


class Limited:
    """A stream that refuses to give more than a stranger's file may unpack to.

    Parameters
    ----------
    stream : Readable
        The unpacked bytes.
    name : str
        What is read, for the message.
    on_disk : int
        How many bytes it takes packed.
    limit : int
        How many bytes it may give.
    """

    def __init__(self, stream: Readable, name: str, on_disk: int, limit: int) -> None:
        self._stream = stream
        self._name = name
        self._on_disk = max(1, on_disk)
        self._limit = limit
        self._broken: Exception | None = None
        self.total = 0
        self.last = b""
        """What was given last."""

    def read(self, size: int = -1, /) -> bytes:
        """Give so many bytes, fewer at the end or before a break.

        Raises
        ------
        ArchiveLimitError
            If there are more than the limits allow.
        """
        if self._broken is not None:
            raise self._broken
        parts: list[bytes] = []
        try:
            while size and (part := self._stream.read1(_CHUNK if size < 0 else min(size, _CHUNK))):
                self.total += len(part)
                check_size(self._name, self.total, self._on_disk, self._limit)
                parts.append(part)
                size = size if size < 0 else size - len(part)
        except BROKEN as err:
            if size < 0 or not parts:
                raise
            self._broken = err  # what came before the break is good
        content = b"".join(parts)
        self.last = content or self.last
        return content


def check_size(name: str, size: int, on_disk: int, limit: int) -> None:
    """Refuse what unpacks to too much.

    Raises
    ------
    ArchiveLimitError
        If the size is over the limit, or so much larger than what lies on disk that it can only be
        meant to do harm.
    """
    if size > limit:
        raise ArchiveLimitError(f"{name}: unpacks to over {limit:,} bytes, the limit")
    if size > RATIO_FREE_BYTES and size > MAX_RATIO * on_disk:
        raise ArchiveLimitError(
            f"{name}: unpacks from {on_disk:,} bytes to {size:,} and more; allowed: "
            f"{MAX_RATIO:,} times as much"
        )


def unpack(content: bytes, name: str) -> bytes:
    """Unpack bytes that are at hand.

    Raises
    ------
    ArchiveLimitError
        If they unpack to more than one file may hold.
    """
    stream = unpacked(io.BytesIO(content))
    return Limited(stream, name, len(content), MAX_MEMBER_BYTES).read()
