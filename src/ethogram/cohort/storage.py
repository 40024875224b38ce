"""A cohort on disk: Parquet files and a ``cohort.json`` that lists them.

A write adds new files first and then replaces ``cohort.json`` by one rename, so a reader sees the
state before or the state after and a killed write leaves the state before. Files that
``cohort.json`` doesn't list are leftovers and are removed by the next write.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort.schema import SCHEMA_VERSION, TABLES
from ethogram.errors import CohortError
from ethogram.registry import package_version
from ethogram.user_files import reason_of

INDEX: Final = "cohort.json"
PARTED: Final = ("steps", "texts")
WHOLE: Final = ("runs", "systems", "tasks", "problems")
_OURS: Final = re.compile(
    rf"(?:{'|'.join(WHOLE)})-\d+\.parquet|(?:{'|'.join(PARTED)})/\d+-[\w-]+\.parquet"
    rf"|\.{re.escape(INDEX)}\.\d+"
)
"""Names that a write gives: what doesn't match is never removed."""


class FileRead(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was read: enough to skip it the next time."""

    source: str
    size: int
    modified_ns: int
    digest: str
    format: str
    n_runs: int = 0
    options: str | None = None
    """Digest of the options under which it was read; with others it gives other runs."""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What ``cohort.json`` holds."""

    schema_version: int = SCHEMA_VERSION
    package_version: str = msgspec.field(default_factory=package_version)
    labels_digest: str | None = None
    redaction: str | None = None
    """Digest of the redaction patterns applied to the texts; None: texts are as recorded."""
    complete: bool = True
    """False while a read is under way or after it was interrupted."""
    texts: bool = True
    """Whether the texts are kept."""
    tables: Mapping[str, tuple[str, ...]] = {}
    """Table to its Parquet files, relative to the folder."""
    files: tuple[FileRead, ...] = ()
    bases: Mapping[str, str] = {}
    """``system_id`` to the system's name without the settings that differ."""


class _Version(msgspec.Struct, frozen=True):
    """What every schema version of the index has."""

    schema_version: int


def read_index(folder: Path) -> Index:
    """Read ``cohort.json``.

    Raises
    ------
    CohortError
        If there is none, it is broken, or another schema version wrote it.
    """
    path = folder / INDEX
    if not path.is_file():
        raise CohortError(
            f"{folder}: not a cohort (no {INDEX} in it); `ethogram read PATH -o COHORT` makes one"
        )
    index = _decoded(path)
    names = {name for files in index.tables.values() for name in files}
    outside = sorted(names - _inside(folder.resolve(), names))
    if outside:
        raise CohortError(f"{path}: lists {outside[0]!r}, which is not a file of this folder")
    return index


def _decoded(path: Path) -> Index:
    try:
        text = path.read_bytes()
        version = msgspec.json.decode(text, type=_Version).schema_version
        if version != SCHEMA_VERSION:
            raise CohortError(
                f"{path}: schema version {version}; this ethogram reads {SCHEMA_VERSION}: "
                "read the trajectories again with --fresh"
            )
        return msgspec.json.decode(text, type=Index)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as err:
        raise CohortError(f"{path}: {reason_of(err)}") from err


def _inside(top: Path, names: set[str]) -> set[str]:
    """Those of some names that are files below a folder, of which the path is resolved.

    Links are followed once a folder, not once a file: a cohort may have thousands of parts.
    """
    folder_of = {name: os.path.dirname(name) for name in names}  # noqa: PTH120  pathlib's is slow
    below = {folder for folder in set(folder_of.values()) if _leads_below(top, folder)}
    return {name for name in names if folder_of[name] in below and _is_file(top, name)}


def _leads_below(top: Path, name: str) -> bool:
    try:
        return (top / name).resolve().is_relative_to(top)
    except (OSError, ValueError, RuntimeError):  # too long, a null character, a circle of links
        return False


def _is_file(top: Path, name: str) -> bool:
    path = os.path.join(top, name)  # noqa: PTH118  pathlib's is slow
    is_link = os.path.islink(path)  # noqa: PTH114
    return os.path.isfile(path) and (not is_link or _leads_below(top, name))  # noqa: PTH113


def is_cohort(path: Path) -> bool:
    """Whether a folder holds a cohort; one that can't be looked into holds none."""
    return os.path.isfile(path / INDEX)  # noqa: PTH113  pathlib's raises where it may not look


def check_target(folder: Path) -> None:
    """Refuse to write a cohort where something else lies.

    Raises
    ------
    CohortError
        If the path is a file, or a folder that holds anything but a cohort or what is left of a
        write that was killed before its first commit.
    """
    if folder.exists() and not folder.is_dir():
        raise CohortError(f"{folder}: is a file; a cohort is a folder")
    if folder.is_dir() and not is_cohort(folder):
        others = sorted(p.name for p in folder.iterdir() if not _is_leftover(folder, p))
        if others:
            raise CohortError(
                f"{folder}: is not a cohort and not empty ({others[0]!r} lies in it); "
                "nothing was written"
            )


def _is_leftover(folder: Path, path: Path) -> bool:
    if path.is_dir():
        return path.name in PARTED and all(_is_ours(folder, inner) for inner in path.iterdir())
    return _is_ours(folder, path)


def _is_ours(folder: Path, path: Path) -> bool:
    return _OURS.fullmatch(path.relative_to(folder).as_posix()) is not None


def state(folder: Path) -> tuple[int, int] | None:
    """What changes whenever a state is committed; None where none is."""
    try:
        status = (folder / INDEX).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def write_index(folder: Path, index: Index) -> None:
    """Make a new state the cohort's state, in one step."""
    write_text(folder / INDEX, msgspec.json.format(msgspec.json.encode(index)).decode())


def remove_leftovers(folder: Path, index: Index) -> None:
    """Remove tables that no state of the cohort lists; no worker may be writing.

    Whatever isn't named like a file of a cohort is the user's and stays.
    """
    listed = {name for files in index.tables.values() for name in files}
    for pattern in ("*", *(f"{table}/*" for table in PARTED)):
        for path in folder.glob(pattern):
            if _is_ours(folder, path) and path.relative_to(folder).as_posix() not in listed:
                path.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file under a temporary name and rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def write_frame(folder: Path, name: str, frame: pl.DataFrame, *, statistics: bool = True) -> str:
    """Write one Parquet file (zstd) of a cohort and return its name.

    ``statistics`` are the smallest and largest value of each column, by which a scan skips rows. In
    a table of texts they skip nothing, since addresses are spread evenly, and cost a comparison of
    all the texts: a seventh of its writing.
    """
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(path, compression="zstd", compression_level=1, statistics=statistics)
    return name


def scan(folder: Path, table: str, names: Sequence[str]) -> pl.LazyFrame:
    """Lazy scan of a table's files; an empty frame where there are none."""
    if not names:
        return pl.LazyFrame(schema=TABLES[table])
    return pl.scan_parquet([folder / name for name in names])


def generation(folder: Path) -> int:
    """Number for the next generation of whole-table files, above all that lie in the folder."""
    numbers = (
        int(number)
        for path in folder.glob("runs-*.parquet")
        if (number := path.stem.rpartition("-")[2]).isdecimal()
    )
    return 1 + max(numbers, default=0)
