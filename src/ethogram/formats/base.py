"""What a format is: how its files are recognised and how they become trajectories.

A format is one file in this folder: ``sniff`` says whether a file is of this format, by its
content, ``read`` yields one `Trajectory` (or `Problem`) a record, lazily and in the file's order. A
file may name its own format (a version tag): ``declares`` recognises that tag from the first and
last bytes alone, and a declaration outranks every ``sniff``. When two formats claim a file and none
is declared, nobody guesses: the file becomes a problem that names both.
"""

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
import zstandard

from ethogram.errors import MalformedTrajectoryError
from ethogram.trajectory import Problem, Trajectory

_START: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,65536}+(\S)")
HEAD_BYTES: Final = 64 * 1024
TAIL_BYTES: Final = 4 * 1024

_OPENERS: Final[Mapping[str, Callable[[Path], BinaryIO]]] = {
    ".gz": lambda path: gzip.open(path, "rb"),  # type: ignore[dict-item, return-value]  # noqa: SIM115
    ".xz": lambda path: lzma.open(path, "rb"),  # type: ignore[dict-item, return-value]  # noqa: SIM115
    ".bz2": lambda path: bz2.open(path, "rb"),  # type: ignore[dict-item, return-value]  # noqa: SIM115
    ".zst": lambda path: zstandard.open(path, "rb"),
}
COMPRESSIONS: Final = tuple(_OPENERS)
UNPACKING_ERRORS: Final = (EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
"""What reading a broken compressed file raises, besides `OSError`."""


@dataclass(frozen=True)
class Source:
    """One file to be read: on disk (perhaps compressed) or a member of an archive.

    Parameters
    ----------
    name : str
        As it is printed and stored: a path, or ``archive::member``.
    path : Path, optional
        The file on disk; None for a member of an archive.
    content : bytes, optional
        The decompressed bytes where they are at hand.
    member : bool
        Whether the file is a member of an archive.
    """

    name: str
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)

    @property
    def basename(self) -> str:
        """Last component of the name, without a compression suffix."""
        last = self.name.replace("::", "/").rsplit("/", 1)[-1]
        for suffix in COMPRESSIONS:
            last = last.removesuffix(suffix)
        return last

    def open(self) -> BinaryIO:
        """Open the decompressed bytes."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if self.path is None:
            raise ValueError(f"{self.name}: neither a path nor content")
        opener = _OPENERS.get(self.path.suffix.lower())
        return opener(self.path) if opener else self.path.open("rb")

    def read(self) -> bytes:
        """All decompressed bytes."""
        if self.content is not None:
            return self.content
        with self.open() as stream:
            return stream.read()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Non-empty lines with their 1-based numbers, one at a time."""
        with self.open() as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line

    def sibling(self, relative: str) -> "Source | None":
        """Return the file at ``relative`` in this file's folder, if it is there and on disk."""
        if self.path is None:
            return None
        folder = self.path.parent.resolve()
        path = (folder / relative).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            return None
        return Source(str(self.path.parent / relative), path)


@dataclass(frozen=True)
class Probe:
    """What a format may look at to recognise a file: its name and its content."""

    source: Source

    @cached_property
    def head(self) -> bytes:
        """First 64 KiB, without a byte order mark."""
        if self.source.content is not None:
            head = self.source.content[:HEAD_BYTES]
        else:
            with self.source.open() as stream:
                head = stream.read(HEAD_BYTES)
        return head.removeprefix(b"\xef\xbb\xbf")

    @cached_property
    def tail(self) -> bytes:
        """Last 4 KiB; the head of a file that is not in memory."""
        if self.source.content is None:
            return self.head[-TAIL_BYTES:]
        return self.source.content[-TAIL_BYTES:]

    @property
    def name(self) -> str:
        """Last component of the file's name."""
        return self.source.basename

    @cached_property
    def first_byte(self) -> bytes:
        """First byte that is not white space: ``{`` for an object, ``[`` for a list."""
        content = self.source.content
        match = _START.match(self.head if content is None else content)
        return match[1] if match else b""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Top-level keys of the JSON object, or of the first object of a JSON list or JSONL file.

        Of a broken file (truncated, malformed) the keys of the part that can be read, so that a
        format still recognises its own broken files.
        """
        return frozenset(_top_level_keys(self))


_RAW: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _top_level_keys(probe: Probe) -> list[str]:
    if probe.first_byte not in {b"{", b"["}:
        return []  # a program has dicts, too
    for text in _first_objects(probe):
        try:
            return list(_RAW.decode(text))
        except (msgspec.DecodeError, RecursionError):
            continue
    return _visible_keys(probe.head)


def _first_objects(probe: Probe) -> Iterator[bytes]:
    """Candidates for the first whole JSON object: the first line, the whole file."""
    if probe.first_byte != b"{":
        return
    yield probe.head.lstrip().partition(b"\n")[0]
    if probe.source.content is not None:
        yield probe.source.content.removeprefix(b"\xef\xbb\xbf")


def _visible_keys(head: bytes) -> list[str]:
    """Keys at the first object's own level in a text that may end anywhere.

    Strings are skipped as a whole, so braces inside them don't count.
    """
    keys: list[str] = []
    depth, position, base = 0, 0, 2 if head.lstrip()[:1] == b"[" else 1
    while position < len(head):
        byte = head[position]
        if byte == 0x22:  # a string: a key if a colon follows at the first level
            end = _string_end(head, position)
            if depth == base and head[end:].lstrip()[:1] == b":":
                keys.append(head[position + 1 : end - 1].decode("utf-8", "replace"))
            position = end
            continue
        depth += (byte in b"{[") - (byte in b"}]")
        if depth < base and keys:
            break  # the first object is whole
        position += 1
    return keys


def _string_end(text: bytes, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] != 0x22:
        position += 2 if text[position] == 0x5C else 1
    return min(position + 1, len(text))


Read = Callable[[Source], Iterator[Trajectory | Problem]]


@dataclass(frozen=True)
class Format:
    """A trajectory format: how to recognise it and how to read it.

    Parameters
    ----------
    name : str
        Short name, as in ``--format``.
    sniff : callable
        ``sniff(probe) -> bool``: is this file, whole or broken, of this format?
    read : callable
        ``read(source)`` yields a Trajectory or a Problem a record, lazily.
    about : str
        One sentence for ``ethogram formats``.
    docs_url : str
        Where the format is described.
    declares : callable, optional
        ``declares(probe) -> bool``: does the file itself name this format? Outranks sniffing.
    typed_events : bool
        Promise that every value in an event is of its field's type and every text is Unicode, as
        where both come from a typed decoder: the ingest then doesn't check it again.
    with_rule : callable, optional
        ``with_rule(name)`` is the format with another rule for what is a success, where its files
        record a score and leave the rule open.
    left_out : str
        What of the settings the reader leaves out when it decides whether two runs are of one
        system.
    """

    name: str
    sniff: Callable[[Probe], bool]
    read: Read
    about: str
    docs_url: str = ""
    declares: Callable[[Probe], bool] | None = None
    left_out: str = ""
    typed_events: bool = False
    with_rule: "Callable[[str], Format] | None" = None


def malformed(source: Source, error: Exception, *, place: str = "") -> MalformedTrajectoryError:
    """Make the error for a file that claims a format and can't be read."""
    where = f"{source.name}{place}"
    return MalformedTrajectoryError(f"{where}: {error}")
