"""A batch of files: bytes -> trajectories -> labelled rows -> parts, in this process or another.

A worker writes steps and texts as Parquet parts straight into the cohort's folder and sends back
only what is small. So nothing large crosses between processes, and memory stays one part deep.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import polars as pl

from ethogram.cohort.naming import SystemRow
from ethogram.cohort.storage import FileRead, write_frame
from ethogram.errors import AmbiguousFormatError, EthogramError, InputError
from ethogram.formats.base import COMPRESSIONS, Format, Probe, Source
from ethogram.ingest.archives import MAX_MEMBER_BYTES
from ethogram.ingest.checks import check
from ethogram.ingest.detect import detect
from ethogram.ingest.discover import Found
from ethogram.ingest.label import EventLabeler
from ethogram.ingest.layout import Layout, apply_captures
from ethogram.ingest.rows import Batch, Place, RowBuilder
from ethogram.ingest.systems import Aliases
from ethogram.trajectory import Problem, Trajectory

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


@dataclass(frozen=True)
class Job:
    """A batch of files for one worker."""

    number: int
    files: tuple[Found, ...]
    folder: Path
    prefix: str
    options: Options
    known_digests: Mapping[str, str] = field(default_factory=dict)
    """Source -> digest of files read before whose time or size has changed."""


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
    n_bytes: int = 0


def read_batch(job: Job) -> BatchRead:
    """Read the files of a job; nothing that is wrong with a file stops the others."""
    reader = _BatchReader(job)
    for found in job.files:
        reader.read(found)
    return reader.finish()


class _BatchReader:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._options = job.options
        self._builder = self._new_builder()
        self._frames: list[Batch] = []
        self._files: list[FileRead] = []
        self._ignored: list[str] = []
        self._parts: dict[str, list[str]] = {"steps": [], "texts": []}
        self._n_bytes = 0

    def _new_builder(self) -> RowBuilder:
        return RowBuilder(self._options.labeler, texts=self._options.texts)

    def read(self, found: Found) -> None:
        """Read one file and note what it gave."""
        self._n_bytes += found.size
        try:
            source, digest = load(found)
            file_format = detect(Probe(source), self._options.formats)
        except (AmbiguousFormatError, InputError) as err:
            self._builder.add_problem(Problem(reason=str(err)), source=found.source.name)
            return
        if file_format is None:
            self._ignored.append(found.source.name)
            return
        n_runs = 0
        if self._job.known_digests.get(found.source.name) != digest:
            n_runs = self._read_records(found, source, digest, file_format)
        self._files.append(
            FileRead(
                source=found.source.name,
                size=found.size,
                modified_ns=found.modified_ns,
                digest=digest,
                format=file_format.name,
                n_runs=n_runs,
            )
        )

    def _read_records(self, found: Found, source: Source, digest: str, file_format: Format) -> int:
        n_runs = 0
        for position, item in enumerate(_guarded(file_format, source)):
            if isinstance(item, Problem):
                self._builder.add_problem(item, source=source.name)
                continue
            try:
                self._add(item, found, Place(
                    format=file_format.name,
                    source=f"{source.name}#{item.record}" if item.record else source.name,
                    digest=digest,
                    position=position,
                    model_as_written=item.system.model,
                ))  # fmt: skip
            except EthogramError as err:
                problem = Problem(reason=str(err), record=item.record)
                self._builder.add_problem(problem, source=source.name)
            n_runs += 1
            if self._builder.text_chars > PART_CHARS:
                self._flush()
        return n_runs

    def _add(self, trajectory: Trajectory, found: Found, place: Place) -> None:
        options, name = self._options, self._options.system
        if options.layout is not None:
            fields = options.layout.captures(found.relative)
            if fields is None:
                self._builder.add_problem(_off_layout(found, options.layout), source=place.source)
            else:
                trajectory = apply_captures(trajectory, fields, found.relative)
                name = name or fields.get("system")
        trajectory = _named(trajectory, options)
        for problem in check(trajectory):
            self._builder.add_problem(problem, source=place.source)
        self._builder.add(trajectory, replace(place, given_name=name))

    def _flush(self) -> None:
        batch = self._builder.build()
        self._builder = self._new_builder()
        for table, frame in (("steps", batch.steps), ("texts", batch.texts)):
            if frame.height:
                number = len(self._parts[table])
                name = f"{table}/{self._job.prefix}-{self._job.number:06d}-{number}.parquet"
                self._parts[table].append(write_frame(self._job.folder, name, frame))
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
    try:
        if source.content is None and found.size > IN_MEMORY_BYTES:
            with source.open() as stream:
                return source, _stream_digest(stream)
        content = source.content if source.content is not None else _read_limited(source)
    except (OSError, EOFError, ValueError, RuntimeError) as err:
        raise InputError(f"{source.name}: can't be read: {err}") from err
    return replace(source, content=content), hashlib.sha256(content).hexdigest()


def _stream_digest(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()


def _read_limited(source: Source) -> bytes:
    compressed = source.path is not None and source.path.suffix.lower() in COMPRESSIONS
    with source.open() as stream:
        content = stream.read(MAX_MEMBER_BYTES + 1) if compressed else stream.read()
    if compressed and len(content) > MAX_MEMBER_BYTES:
        raise InputError(f"{source.name}: unpacks to over {MAX_MEMBER_BYTES:,} bytes")
    return content


def _guarded(file_format: Format, source: Source) -> Iterator[Trajectory | Problem]:
    """Records of a file; whatever the reader raises becomes one more Problem."""
    try:
        yield from file_format.read(source)
    except InputError as err:
        yield Problem(reason=str(err))
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
