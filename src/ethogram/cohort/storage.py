"""A cohort on disk: Parquet files and a ``cohort.json`` that lists them.

A write adds new files first and then replaces ``cohort.json`` by one rename, so a reader sees the
state before or the state after and a killed write leaves the state before. Files that
``cohort.json`` doesn't list are leftovers and are removed by the next write.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort.schema import SCHEMA_VERSION, TABLES
from ethogram.errors import CohortError
from ethogram.registry import package_version

INDEX: Final = "cohort.json"
PARTED: Final = ("steps", "texts")
WHOLE: Final = ("runs", "systems", "tasks", "problems")


class FileRead(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was read: enough to skip it the next time."""

    source: str
    size: int
    modified_ns: int
    digest: str
    format: str | None
    """None: ignored, no format claimed it."""
    n_runs: int = 0


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
    settings: Mapping[str, Any] = {}
    """Options of the read that decide what a file gives (layout, mapping, names)."""


def read_index(folder: Path) -> Index:
    """Read ``cohort.json``.

    Raises
    ------
    CohortError
        If there is none, it is broken, or another schema version wrote it.
    """
    path = folder / INDEX
    if not path.is_file():
        raise CohortError(f"{folder}: not a cohort (no {INDEX} in it)")
    try:
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except msgspec.DecodeError as err:
        raise CohortError(f"{path}: {err}") from err
    if index.schema_version != SCHEMA_VERSION:
        raise CohortError(
            f"{path}: schema version {index.schema_version}; this ethogram reads {SCHEMA_VERSION}: "
            "read the trajectories again with --fresh"
        )
    for name in sorted({name for files in index.tables.values() for name in files}):
        if not _inside(folder, name):
            raise CohortError(f"{path}: lists {name!r}, which is not a file of this folder")
    return index


def _inside(folder: Path, name: str) -> bool:
    path = (folder / name).resolve()
    return path.is_relative_to(folder.resolve()) and path.is_file()


def is_cohort(path: Path) -> bool:
    """Whether a folder holds a cohort."""
    return (path / INDEX).is_file()


def write_index(folder: Path, index: Index) -> None:
    """Make a new state the cohort's state, in one step."""
    write_text(folder / INDEX, msgspec.json.format(msgspec.json.encode(index)).decode())


def remove_leftovers(folder: Path, index: Index) -> None:
    """Remove tables that no state of the cohort lists; no worker may be writing."""
    listed = {name for files in index.tables.values() for name in files}
    for pattern in ("*.parquet*", *(f"{table}/*.parquet*" for table in PARTED)):
        for path in folder.glob(pattern):
            if path.relative_to(folder).as_posix() not in listed:
                path.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a file under a temporary name and rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def write_frame(folder: Path, name: str, frame: pl.DataFrame) -> str:
    """Write one Parquet file (zstd) of a cohort and return its name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(path, compression="zstd", compression_level=1, statistics=True)
    return name


def scan(folder: Path, table: str, names: Sequence[str]) -> pl.LazyFrame:
    """Lazy scan of a table's files; an empty frame where there are none."""
    if not names:
        return pl.LazyFrame(schema=TABLES[table])
    return pl.scan_parquet([folder / name for name in names])


def generation(folder: Path) -> int:
    """Number for the next generation of whole-table files."""
    if not is_cohort(folder):
        return 1
    names = json.loads((folder / INDEX).read_text(encoding="utf-8"))["tables"].get("runs", [])
    return 1 + max((int(Path(name).stem.rpartition("-")[2]) for name in names), default=0)
