"""Archives of trajectories, read in place: one pass, with limits, nothing written to disk.

An archive comes from a stranger. Its members never become files, links in it are not followed, and
three limits stop a bomb: the size of one member, the size of all of them, and the ratio of a
member's size to what the whole archive takes on disk.
"""

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import zstandard

from ethogram.errors import ArchiveLimitError, InputError
from ethogram.formats.base import Source

TAR_SUFFIXES: Final = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
)  # fmt: skip
ZIP_SUFFIXES: Final = (".zip",)

MAX_MEMBER_BYTES: Final = 2 * 2**30
MAX_TOTAL_BYTES: Final = 200 * 2**30
MAX_RATIO: Final = 1_000
RATIO_FREE_BYTES: Final = 256 * 2**20
"""Below this many bytes the ratio is not looked at: small texts compress very well."""

_BROKEN: Final = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, lzma.LZMAError, zlib.error, OSError,
    zstandard.ZstdError, NotImplementedError, RuntimeError,
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """A file within an archive."""

    source: Source
    size: int
    modified_ns: int


def is_archive(path: Path) -> bool:
    """Whether a file is read as an archive, by its suffix."""
    return path.name.lower().endswith((*TAR_SUFFIXES, *ZIP_SUFFIXES))


def read_archive(path: Path, name: str, part: str = "") -> Iterator[Member]:
    """Members of an archive, in its order, with their bytes.

    Parameters
    ----------
    path : Path
        The archive.
    name : str
        What the archive is called in the members' names: ``name::member``.
    part : str
        Only members at or below this path within the archive.

    Raises
    ------
    InputError
        If the archive is broken or cut short; the members before the break have been yielded.
    ArchiveLimitError
        If it exceeds the limits.
    """
    members = _zip_members if path.name.lower().endswith(ZIP_SUFFIXES) else _tar_members
    total, n = 0, 0
    on_disk = max(1, path.stat().st_size)
    try:
        for inner, size, modified_ns, content in members(path, part.strip("/")):
            total += size
            n += 1
            if total > MAX_TOTAL_BYTES or (
                total > RATIO_FREE_BYTES and total / on_disk > MAX_RATIO
            ):
                raise ArchiveLimitError(
                    f"{name}: unpacks to over {total:,} bytes from {on_disk:,}; allowed: "
                    f"{MAX_TOTAL_BYTES:,} bytes and a ratio of {MAX_RATIO}"
                )
            yield Member(Source(f"{name}::{inner}", None, content), size, modified_ns)
    except InputError:
        raise
    except _BROKEN as err:
        raise InputError(
            f"{name}: the archive is broken or cut short after {n} readable files: "
            f"{str(err) or type(err).__name__}"
        ) from err


_Raw = Iterator[tuple[str, int, int, bytes]]


def _wanted(inner: str, part: str) -> bool:
    return not part or inner == part or inner.startswith(f"{part}/")


def _tar_members(path: Path, part: str) -> _Raw:
    if path.name.lower().endswith((".tar.zst", ".tzst")):
        with zstandard.open(path, "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
            yield from _tar_files(tar, path, part)
    else:
        with tarfile.open(path, mode="r|*") as tar:
            yield from _tar_files(tar, path, part)


def _tar_files(tar: tarfile.TarFile, path: Path, part: str) -> _Raw:
    for info in tar:
        tar.members = []  # type: ignore[attr-defined]  # streaming keeps every header otherwise
        inner = info.name.removeprefix("./")
        if not info.isfile() or not _wanted(inner, part):
            continue
        _check_member(path, inner, info.size)
        stream = tar.extractfile(info)
        content = stream.read() if stream is not None else b""
        if len(content) < info.size:
            raise EOFError(f"{inner} ends after {len(content):,} of {info.size:,} bytes")
        yield inner, info.size, int(info.mtime * 1e9), content


def _zip_members(path: Path, part: str) -> _Raw:
    import zipfile_zstd  # noqa: F401, PLC0415  teaches zipfile the method of newer archives

    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            inner = info.filename.removeprefix("./")
            if info.is_dir() or not _wanted(inner, part):
                continue
            _check_member(path, inner, info.file_size)
            with archive.open(info) as stream:
                content = stream.read(MAX_MEMBER_BYTES + 1)  # the header's size may lie
            _check_member(path, inner, len(content))
            stamp = "-".join(map(str, info.date_time))
            yield inner, len(content), hash_stamp(stamp, info.CRC), content


def hash_stamp(stamp: str, crc: int) -> int:
    """A zip member has no precise time; its date and checksum stand in for it."""
    return zlib.crc32(stamp.encode(), crc)


def _check_member(path: Path, inner: str, size: int) -> None:
    if size > MAX_MEMBER_BYTES:
        raise ArchiveLimitError(
            f"{path.name}::{inner}: {size:,} bytes; allowed for one file: {MAX_MEMBER_BYTES:,}"
        )
