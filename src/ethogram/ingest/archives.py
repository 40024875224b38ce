"""Archives of trajectories, read in place: one pass, with limits, nothing written to disk.

An archive comes from a stranger. Its members never become files, links in it are not followed, and
three limits stop a bomb: the size of one member, the size of all of them, and the ratio of what is
unpacked to what lies on disk. What goes wrong is said and loses nothing else: a bad member none of
the others, a break none of the members before it.
"""

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from ethogram.errors import ArchiveLimitError
from ethogram.formats.base import Source
from ethogram.ingest import streams
from ethogram.ingest.streams import BROKEN, Limited, Readable, check_size, unpacked
from ethogram.trajectory import Problem
from ethogram.user_files import reason_of

TAR_SUFFIXES: Final = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
)  # fmt: skip
ZIP_SUFFIXES: Final = (".zip",)
HIDDEN: Final = (".", "__MACOSX")
_TAR_BYTES: Final = 2**18
_TIME_LIMIT: Final = 2**63


@dataclass(frozen=True)
class Member:
    """A file within an archive."""

    source: Source
    size: int
    modified_ns: int
    on_disk: int
    """Bytes of the archive from the end of the member before to the end of this one."""


def is_archive(path: Path) -> bool:
    """Whether a file is read as an archive, by its suffix."""
    return path.name.lower().endswith((*TAR_SUFFIXES, *ZIP_SUFFIXES))


def read_archive(path: Path, name: str, part: str = "") -> Iterator[Member | Problem]:
    """Members of an archive, in its order, with their bytes, and what is wrong with it.

    Hidden members are left out, as hidden files are in folders.

    Parameters
    ----------
    path : Path
        The archive.
    name : str
        What the archive is called in the members' names: ``name::member``.
    part : str
        Only members at or below this path within the archive.
    """
    members = _zip_members if path.name.lower().endswith(ZIP_SUFFIXES) else _tar_members
    n = 0
    try:
        for item in members(path, name, part.strip("/")):
            n += isinstance(item, Member)
            yield item
    except ArchiveLimitError as err:
        yield Problem(reason=f"{err}; {n} files were read before", source=name)
    except BROKEN as err:
        yield Problem(
            reason=f"{name}: the archive is broken or cut short after {n} readable files: "
            f"{reason_of(err)}",
            source=name,
        )
    else:
        if part and not n:
            yield Problem(
                reason=f"{name}: no file of the archive lies at or below {part!r}", source=name
            )


def _wanted(inner: str, part: str) -> bool:
    below = inner.removeprefix(part)
    if part and inner != part and not below.startswith("/"):
        return False
    return not any(c.startswith(HIDDEN) for c in below.split("/") if c not in {"", ".", ".."})


def _clean(name: str) -> str:
    """A member's name as text: without ``./`` before it, odd bytes as numbers."""
    return name.removeprefix("./").encode("utf-8", "backslashreplace").decode()


def _tar_members(path: Path, name: str, part: str) -> Iterator[Member | Problem]:
    with path.open("rb") as raw:
        on_disk = path.stat().st_size
        stream = Limited(unpacked(raw), name, on_disk, streams.MAX_TOTAL_BYTES)
        tar = tarfile.open(fileobj=stream, mode="r|", bufsize=_TAR_BYTES)  # type: ignore[call-overload]  # noqa: SIM115  reads the stream only
        before = 0
        for info in tar:
            tar.members = []  # streaming keeps every header otherwise
            inner = _clean(info.name)
            if not info.isfile() or not _wanted(inner, part):
                continue
            item = _tar_file(tar, info, f"{name}::{inner}", on_disk)
            if isinstance(item, bytes):
                source = Source(f"{name}::{inner}", None, item)
                yield Member(source, len(item), _nanoseconds(info.mtime), raw.tell() - before)
                before = raw.tell()
            else:
                yield item
        yield from _end_problem(tar, stream, name)


def _end_problem(tar: tarfile.TarFile, stream: Limited, name: str) -> Iterator[Problem]:
    """Say so if what ended the archive is not its end mark, which tarfile takes no notice of."""
    start = tar.offset - (stream.total - len(stream.last))
    header = stream.last[start : start + tarfile.BLOCKSIZE]
    if not header:
        reason = f"{name}: the archive has no end mark: it may be cut short"
        yield Problem(reason=reason, source=name, severity="warning")
    elif header.strip(b"\0"):
        reason = f"{name}: the archive is damaged at byte {tar.offset:,}: what follows is not read"
        yield Problem(reason=reason, source=name)


def _tar_file(
    tar: tarfile.TarFile, info: tarfile.TarInfo, name: str, on_disk: int
) -> bytes | Problem:
    try:
        check_size(name, info.size, on_disk, streams.MAX_MEMBER_BYTES)
    except ArchiveLimitError as err:
        return Problem(reason=str(err), source=name)
    stream = tar.extractfile(info)
    content = stream.read() if stream is not None else b""
    if len(content) < info.size:
        raise EOFError(f"{name} ends after {len(content):,} of {info.size:,} bytes")
    return content


def _nanoseconds(seconds: float) -> int:
    """A member's time; 0 where the archive holds nonsense."""
    try:
        found = int(seconds * 1e9)
    except (ValueError, OverflowError):
        return 0
    return found if abs(found) < _TIME_LIMIT else 0


def _zip_members(path: Path, name: str, part: str) -> Iterator[Member | Problem]:
    import zipfile_zstd  # noqa: F401, PLC0415  teaches zipfile the method of newer archives

    on_disk, total = path.stat().st_size, 0
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            inner = _clean(info.filename)
            if info.is_dir() or stat.S_ISLNK(info.external_attr >> 16) or not _wanted(inner, part):
                continue
            item = _zip_file(archive, info, f"{name}::{inner}")
            if isinstance(item, Problem):
                yield item
                continue
            total += len(item)
            check_size(name, total, on_disk, streams.MAX_TOTAL_BYTES)
            source = Source(f"{name}::{inner}", None, item)
            yield Member(source, len(item), _stamp(info), info.compress_size)


def _zip_file(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes | Problem:
    """Bytes of a member; its header may lie about their number."""
    try:
        check_size(name, info.file_size, info.compress_size, streams.MAX_MEMBER_BYTES)
        with archive.open(info) as stream:
            limit = streams.MAX_MEMBER_BYTES
            readable = cast("Readable", stream)
            return Limited(readable, name, info.compress_size, limit).read()
    except ArchiveLimitError as err:
        return Problem(reason=str(err), source=name)
    except BROKEN as err:
        return Problem(reason=f"{name}: can't be read: {reason_of(err)}", source=name)


def _stamp(info: zipfile.ZipInfo) -> int:
    """A zip member has no precise time; its date and checksum stand in for it."""
    return zlib.crc32("-".join(map(str, info.date_time)).encode(), info.CRC)
