"""A batch of files: bytes -> trajectories -> labelled rows -> parts, in this process or another.

A worker writes steps and texts as Parquet parts straight into the cohort's folder and sends back
only what is small. So nothing large crosses between processes, and memory stays one part deep.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import msgspec
import polars as pl
from blake3 import blake3

from ethogram.cohort.naming import SystemRow
from ethogram.cohort.storage import FileRead, write_frame
from ethogram.errors import EthogramError, InputError
from ethogram.formats.base import COMPRESSIONS, Format, Probe, Source
from ethogram.ingest import streams
from ethogram.ingest.checks import check
from ethogram.ingest.collector import collector_paused
from ethogram.ingest.detect import detect
from ethogram.ingest.discover import Found
from ethogram.ingest.label import EventLabeler
from ethogram.ingest.layout import Layout, apply_captures
from ethogram.ingest.rows import Batch, Place, RowBuilder
from ethogram.ingest.streams import BROKEN, Limited, unpacked
from ethogram.ingest.systems import Aliases
from ethogram.ingest.tidy import tidy
from ethogram.trajectory import Problem, Trajectory
from ethogram.user_files import reason_of

PART_CHARS: Final = 32 * 2**20
"""Characters of text after which a part is written."""
IN_MEMORY_BYTES: Final = 512 * 2**20
"""Larger files are streamed, where their format can."""


@dataclass(frozen=True)
class Options:
    """What decides how a file becomes runs; travels to the workers."""

    formats: tuple[Format, ...]
    system: str | None = None
    model: str | None = None
    benchmark: str | None = None
    aliases: Aliases = field(default_factory=Aliases)
    layout: Layout | None = None
    texts: bool = True
    labeler: EventLabeler | None = None
    digest: str = ""
    """Stands for everything above but the labels: other options, other runs of the same file."""


@dataclass(frozen=True)
class Job:
    """A batch of files for one worker."""

    number: int
    files: tuple[Found, ...]
    folder: Path
    prefix: str
    options: Options
    known: Mapping[str, FileRead] = field(default_factory=dict)
    """Source -> record of a file read before under the same options whose time has changed."""


@dataclass
class BatchRead:
    """What came of a batch: everything but the texts and steps, which lie in parts."""

    runs: pl.DataFrame
    tasks: pl.DataFrame
    problems: pl.DataFrame
    systems: list[SystemRow]
    files: list[FileRead] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=lambda: {"steps": [], "texts": []})
    visited: list[str] = field(default_factory=list)
    """Files that were read, whatever came of it."""
    n_bytes: int = 0
    """Bytes on disk that are done with."""


def read_batch(job: Job) -> BatchRead:
    """Read the files of a job; nothing that is wrong with a file stops the others."""
    with collector_paused():
        return gather_batch(job).finish()


def gather_batch(job: Job) -> "BatchReader":
    """Read the files of a job, short of writing what they gave."""
    reader = BatchReader(job)
    for found in job.files:
        reader.read(found)
    return reader


class BatchReader:
    """One batch under way: `read` its files, then `finish`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._options = job.options
        self._seen: dict[str, str] = {}
        self._builder = self._new_builder()
        self._frames: list[Batch] = []
        self._files: list[FileRead] = []
        self._ignored: list[str] = []
        self._visited: list[str] = []
        self._parts: dict[str, list[str]] = {"steps": [], "texts": []}
        self._n_bytes = 0

    def _new_builder(self) -> RowBuilder:
        return RowBuilder(self._options.labeler, texts=self._options.texts, seen=self._seen)

    def read(self, found: Found) -> None:
        """Read one file and note what it gave."""
        self._n_bytes += found.on_disk
        name = found.source.name
        try:
            source, digest = load(found)
            file_format = _detected(source, self._options.formats)
        except InputError as err:
            self._visited.append(name)
            self._builder.add_problem(Problem(reason=str(err)), source=name)
            return
        if file_format is None:
            self._visited.append(name)
            self._ignored.append(name)
            return
        before = self._job.known.get(name)
        if before is not None and before.digest == digest:
            n_runs = before.n_runs
        else:
            self._visited.append(name)
            n_runs = self._read_records(found, source, digest, file_format)
        self._files.append(
            FileRead(
                source=name,
                size=found.size,
                modified_ns=found.modified_ns,
                digest=digest,
                format=file_format.name,
                n_runs=n_runs,
                options=self._options.digest,
            )
        )

    def _read_records(self, found: Found, source: Source, digest: str, file_format: Format) -> int:
        n_runs = 0
        for position, item in enumerate(_guarded(file_format, source)):
            if isinstance(item, Problem):
                self._builder.add_problem(item, source=source.name)
                continue
            place = Place(
                format=file_format.name,
                source=f"{source.name}#{item.record}" if item.record else source.name,
                digest=digest,
                position=position,
                system=item.system,
            )
            n_runs += self._add(item, found, place, typed_events=file_format.typed_events)
            if self._builder.text_chars > PART_CHARS:
                self._flush()
        return n_runs

    def _add(
        self, trajectory: Trajectory, found: Found, place: Place, *, typed_events: bool
    ) -> bool:
        """Add a run, unless it can't be one; then there is a problem more."""
        try:
            trajectory, place = self._completed(trajectory, found, place)
            trajectory = tidy(trajectory, typed_events=typed_events)
            problems = list(check(trajectory, named=place.given_name is not None))
            for problem in problems:
                self._builder.add_problem(problem, source=place.source)
            if any(problem.severity == "error" for problem in problems):
                return False
            self._builder.add(trajectory, place)
        except EthogramError as err:
            problem = Problem(reason=str(err), record=trajectory.record)
        except Exception as err:  # noqa: BLE001  the wall: one run's failure must not lose the others
            problem = Problem(
                reason=f"{place.source}: {type(err).__name__}: {err} (please report this)",
                record=trajectory.record,
            )
        else:
            return True
        self._builder.add_problem(problem, source=place.source)
        return False

    def _completed(
        self, trajectory: Trajectory, found: Found, place: Place
    ) -> tuple[Trajectory, Place]:
        """Fill in what the path and the user say."""
        options, name = self._options, self._options.system
        if options.layout is not None:
            fields = options.layout.captures(found.relative)
            if fields is None:
                self._builder.add_problem(_off_layout(found, options.layout), source=place.source)
            else:
                trajectory = apply_captures(trajectory, fields, found.relative)
                name = name or fields.get("system")
                place = replace(place, captured=tuple(sorted(fields.items())))
        return _named(trajectory, options), replace(place, given_name=name)

    def _flush(self) -> None:
        batch = self._builder.build()
        self._builder = self._new_builder()
        for table, frame in (("steps", batch.steps), ("texts", batch.texts)):
            if frame.height:
                number = len(self._parts[table])
                name = f"{table}/{self._job.prefix}-{self._job.number:06d}-{number}.parquet"
                statistics = table != "texts"
                self._parts[table].append(
                    write_frame(self._job.folder, name, frame, statistics=statistics)
                )
        empty = pl.DataFrame()
        self._frames.append(replace(batch, steps=empty, texts=empty))

    def finish(self) -> BatchRead:
        """Write what is left and put the small tables together."""
        self._flush()
        systems = {row.system_id: row for frames in self._frames for row in frames.systems}
        return BatchRead(
            runs=pl.concat([frames.runs for frames in self._frames]),
            tasks=pl.concat([frames.tasks for frames in self._frames]),
            problems=pl.concat([frames.problems for frames in self._frames]),
            systems=list(systems.values()),
            files=self._files,
            ignored=self._ignored,
            visited=self._visited,
            parts=self._parts,
            n_bytes=self._n_bytes,
        )


def load(found: Found) -> tuple[Source, str]:
    """The file with its bytes at hand (unless it is very large), and the digest of its bytes.

    Raises
    ------
    InputError
        If the file can't be read or decompressed, or is larger than a stranger's file may be.
    """
    source = found.source
    packed = source.name.lower().endswith(COMPRESSIONS)
    try:
        if source.content is None and found.size > IN_MEMORY_BYTES:
            with source.open() as stream:
                return source, _stream_digest(stream)
        if source.content is not None:
            raw: BinaryIO = io.BytesIO(source.content)
        else:
            raw = cast("Path", source.path).open("rb")
        with raw:
            content = _unpacked(raw, source.name, found.size) if packed else raw.read()
    except InputError:
        raise
    except BROKEN as err:
        raise InputError(f"{source.name}: can't be read: {reason_of(err)}") from err
    return replace(source, content=content), blake3(content).hexdigest()


def _unpacked(raw: BinaryIO, name: str, size: int) -> bytes:
    return Limited(unpacked(raw), name, size, streams.MAX_MEMBER_BYTES).read()


def _stream_digest(stream: BinaryIO) -> str:
    digest = blake3()
    while chunk := stream.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()


def _detected(source: Source, formats: tuple[Format, ...]) -> Format | None:
    try:
        return detect(Probe(source), formats)
    except InputError:
        raise
    except OSError as err:
        raise InputError(f"{source.name}: can't be read: {reason_of(err)}") from err
    except Exception as err:
        raise InputError(
            f"{source.name}: could not be recognised: {type(err).__name__}: {err} "
            "(please report this)"
        ) from err


def _guarded(file_format: Format, source: Source) -> Iterator[Trajectory | Problem]:
    """Records of a file; whatever the reader raises becomes one more Problem."""
    try:
        yield from file_format.read(source)
    except InputError as err:
        yield Problem(reason=str(err))
    except OSError as err:
        yield Problem(reason=f"{source.name}: can't be read: {reason_of(err)}")
    except Exception as err:  # noqa: BLE001  the wall: one file's failure must not lose the others
        yield Problem(
            reason=f"{source.name}: the {file_format.name} reader failed with "
            f"{type(err).__name__}: {err} (please report this)"
        )


def _named(trajectory: Trajectory, options: Options) -> Trajectory:
    """Model and benchmark as the user wants them called."""
    model = options.model or trajectory.system.model
    benchmark = options.benchmark or trajectory.task.benchmark
    changes: dict[str, Any] = {}
    model = options.aliases.models.get(model, model) if model else model
    if model != trajectory.system.model:
        changes["system"] = msgspec.structs.replace(trajectory.system, model=model)
    benchmark = options.aliases.benchmarks.get(benchmark, benchmark) if benchmark else benchmark
    if benchmark != trajectory.task.benchmark:
        changes["task"] = msgspec.structs.replace(trajectory.task, benchmark=benchmark)
    return msgspec.structs.replace(trajectory, **changes) if changes else trajectory


def _off_layout(found: Found, layout: Layout) -> Problem:
    return Problem(
        reason=f"the path {found.relative!r} doesn't fit the layout {layout.template!r}: "
        "its fields were not filled in",
        severity="warning",
    )
