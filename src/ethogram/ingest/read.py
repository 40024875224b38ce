"""`read`: from what the user names to a cohort on disk or in a temporary folder."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.cohort import TemporaryFolder
from ethogram.cohort.ids import digest_of
from ethogram.cohort.storage import FileRead
from ethogram.errors import InputError, UnknownNameError, UsageError
from ethogram.formats import FORMATS, Format
from ethogram.ingest.archives import is_archive
from ethogram.ingest.collector import collector_paused, heap_set_aside
from ethogram.ingest.discover import (
    Found,
    Listing,
    Root,
    list_files,
    printable,
    resolve_roots,
    walk,
)
from ethogram.ingest.label import EventLabeler, default_labeler
from ethogram.ingest.layout import Layout
from ethogram.ingest.outcome_files import OutcomeSpec, check_found, parse_spec
from ethogram.ingest.outcomes import Joined, apply_outcomes, join
from ethogram.ingest.systems import Aliases, load_aliases
from ethogram.ingest.worker import (
    BatchRead,
    BatchReader,
    Job,
    Options,
    gather_batch,
    read_batch,
)
from ethogram.ingest.writer import CohortWriter
from ethogram.stats.parallel import parallel_map
from ethogram.trajectory import Problem
from ethogram.user_files import reason_of

BATCH_BYTES: Final = 15 * 2**20
"""A process holds up to three batches at a time, so what they may hold is how far memory grows with
the files. Every batch costs the writing of some 60 columns, about as much as reading half a MB."""
MIN_BATCH_BYTES: Final = 2 * 2**20
BATCH_FILES: Final = 2_000
CHECKPOINT_SECONDS: Final = 30.0
_SHOWN: Final = 3


class Progress(msgspec.Struct, frozen=True):
    """How far a read has come."""

    done_bytes: int
    total_bytes: int
    n_files: int
    n_runs: int


@dataclass(frozen=True)
class Reading:
    """What to read and how; the options of `ethogram.read` and ``ethogram read`` in one value."""

    paths: Sequence[str | Path]
    out: str | Path | None = None
    fresh: bool = False
    format: str | None = None
    mapping: str | Path | None = None
    system: str | None = None
    model: str | None = None
    benchmark: str | None = None
    success_rule: str | None = None
    aliases: str | Path | None = None
    layout: str | None = None
    outcomes: Sequence[str | OutcomeSpec] = ()
    outcome_columns: dict[str, str] = field(default_factory=dict)
    texts: bool = True
    labeler: EventLabeler | None = None
    executor: Executor | None = None
    workers: int = 1
    """How many workers the executor has: decides the size of batches, never the result."""
    progress: Callable[[Progress], None] | None = None


@dataclass(frozen=True)
class Report:
    """What a read gave: the cohort and everything that must be said about it."""

    cohort: Cohort
    n_new: int
    ignored: tuple[str, ...]
    outcomes: Joined | None
    roots: tuple[str, ...]


def run_reading(reading: Reading) -> Report:
    """Read files into a cohort.

    Parameters
    ----------
    reading : Reading
        What to read and how.

    Raises
    ------
    UsageError
        For an option that can't be taken.
    InputError
        For a path that doesn't exist or a folder without a file; what is wrong with single files
        becomes rows of ``problems``.
    OutcomeError
        If outcomes can't be joined without guessing; the runs that were read are kept.
    """
    with heap_set_aside(), collector_paused():
        return _report(reading)


def _report(reading: Reading) -> Report:
    out = Path(reading.out) if reading.out is not None else None
    roots = resolve_roots(reading.paths)
    listings = [list_files(root, leave_out=out) for root in roots]
    _check_not_empty(listings)
    options, mapped = _options(reading)
    specs = [*_specs(reading), *_below_roots(mapped, roots)]
    check_found(specs)
    keep = None if out else TemporaryFolder()
    writer = CohortWriter(
        keep.path if keep else Path(reading.out or ""),
        fresh=reading.fresh,
        labels_digest=options.labeler.digest if options.labeler else None,
        aliases=options.aliases,
        texts=reading.texts,
    )
    try:
        _fill(writer, reading, listings, options)
    except BaseException:
        writer.commit(complete=False)  # what was read is kept; the next read goes on from here
        raise
    writer.commit(complete=True)
    joined = _join_outcomes(writer, specs) if specs else None
    return Report(
        cohort=replace(writer.finish(), keep=keep),
        n_new=writer.n_new,
        ignored=_without_reports(writer.ignored, joined),
        outcomes=joined,
        roots=tuple(root.name for root in roots),
    )


def _without_reports(ignored: Sequence[str], joined: Joined | None) -> tuple[str, ...]:
    """Files that no format claimed and that gave no outcome either."""
    if joined is None:
        return tuple(ignored)
    reports = {Path(name).resolve() for name in joined.reports}
    return tuple(name for name in ignored if Path(name).resolve() not in reports)


def _check_not_empty(listings: Sequence[Listing]) -> None:
    for listing in listings:
        if not listing.files:
            seen = "; ".join(problem.reason for problem in listing.problems[:_SHOWN])
            raise InputError(
                f"{listing.root.name}: the folder holds no file to read" + (seen and f" ({seen})")
            )


def _options(reading: Reading) -> tuple[Options, list[OutcomeSpec]]:
    formats, mapped = _formats(reading)
    aliases = load_aliases(reading.aliases) if reading.aliases else Aliases()
    said = [
        reading.format,
        reading.system,
        reading.model,
        reading.benchmark,
        reading.layout,
        reading.success_rule,
    ]
    mapping = Path(reading.mapping).read_bytes() if reading.mapping is not None else b""
    names = [aliases.models, aliases.benchmarks]
    return (
        Options(
            formats=formats,
            system=reading.system,
            model=reading.model,
            benchmark=reading.benchmark,
            aliases=aliases,
            layout=Layout(reading.layout) if reading.layout else None,
            texts=reading.texts,
            labeler=reading.labeler or default_labeler(),
            digest=digest_of([said, names, reading.texts, sha256(mapping).hexdigest()]),
        ),
        mapped,
    )


def _formats(reading: Reading) -> tuple[tuple[Format, ...], list[OutcomeSpec]]:
    """The formats to try, and the outcomes that a mapping names."""
    if reading.mapping is not None:
        from ethogram.formats.mapping import load_mapping  # noqa: PLC0415  only mappings need it

        if reading.success_rule is not None:
            raise UsageError("--success-rule: a mapping says itself what is a success")
        mapping = load_mapping(reading.mapping)
        specs = [
            OutcomeSpec(path=template.path, values=template.values, fields=template.fields)
            for template in mapping.outcomes
        ]
        return (mapping.format(),), specs
    if reading.format is None:
        return _with_rule(tuple(FORMATS), reading.success_rule), []
    if reading.format not in FORMATS:
        raise UnknownNameError("format", reading.format, FORMATS.names())
    return _with_rule((FORMATS.get(reading.format),), reading.success_rule), []


def _with_rule(formats: tuple[Format, ...], rule: str | None) -> tuple[Format, ...]:
    """The formats, with the user's rule for what is a success where one leaves it open."""
    if rule is None:
        return formats
    if not any(found.with_rule for found in formats):
        raise UsageError(f"--success-rule {rule!r}: this format records successes, not scores")
    return tuple(found.with_rule(rule) if found.with_rule else found for found in formats)


def _specs(reading: Reading) -> list[OutcomeSpec]:
    return [
        spec if isinstance(spec, OutcomeSpec) else parse_spec(spec, reading.outcome_columns)
        for spec in reading.outcomes
    ]


def _below_roots(mapped: Sequence[OutcomeSpec], roots: Sequence[Root]) -> list[OutcomeSpec]:
    """A mapping's outcomes lie below the folders that are read, or there are none."""
    specs: list[OutcomeSpec] = []
    for root in roots:
        folder = root.path if root.path.is_dir() else root.path.parent
        for spec in mapped:
            below = msgspec.structs.replace(spec, root=str(folder), required=False)
            if below not in specs:
                specs.append(below)
    return specs


def _fill(
    writer: CohortWriter, reading: Reading, listings: Sequence[Listing], options: Options
) -> None:
    """Read every file that isn't known yet, a batch at a time."""
    total = sum(listing.n_bytes for listing in listings)
    search = _Search(writer, options, total, max(1, reading.workers))
    done, n_files, saved_at = 0, 0, time.monotonic()
    for batch in _batches(search.jobs(listings), reading):
        writer.add(batch)
        done += batch.n_bytes
        n_files += len(batch.files) + len(batch.ignored)
        if time.monotonic() - saved_at > CHECKPOINT_SECONDS:
            writer.commit(complete=False)
            gc.collect()  # the only search there is while files are read
            saved_at = time.monotonic()
        if reading.progress is not None:
            reading.progress(Progress(done + search.skipped, total, n_files, writer.n_new))


def _batches(jobs: Iterator[Job], reading: Reading) -> Iterator[BatchRead]:
    """What becomes of each job: in the user's executor, otherwise here.

    Here, a second thread compresses and writes one batch, which needs little of Python's lock,
    while the next is read.
    """
    if reading.executor is not None:
        ahead = 2 * max(1, reading.workers)
        yield from parallel_map(read_batch, jobs, executor=reading.executor, ahead=ahead)
        return
    with ThreadPoolExecutor(1) as thread:
        gathered = map(gather_batch, jobs)
        yield from parallel_map(BatchReader.finish, gathered, executor=thread, ahead=2)


def _batch_bytes(left: int, workers: int) -> int:
    """Bytes of the next batch: fewer towards the end, so that no worker waits long for another."""
    return max(MIN_BATCH_BYTES, min(BATCH_BYTES, left // (workers + 1)))


class _Search:
    """Finds the files that were not read before, and puts them into batches."""

    def __init__(self, writer: CohortWriter, options: Options, total: int, workers: int) -> None:
        self._writer = writer
        self._options = options
        self._left = total
        """Bytes on disk that no batch holds yet."""
        self._workers = workers
        self._seen: set[str] = set()
        self.skipped = 0
        """Bytes on disk of files that were read before."""

    def jobs(self, listings: Sequence[Listing]) -> Iterator[Job]:
        """Batches of new files, in the order of the files."""
        batch: list[Found] = []
        size, number, limit = 0, 0, _batch_bytes(self._left, self._workers)
        for found in self._new_files(listings):
            batch.append(found)
            size += found.size
            self._left -= found.on_disk
            if size >= limit or len(batch) >= BATCH_FILES:
                yield self._job(number, batch)
                batch, size, number = [], 0, number + 1
                limit = _batch_bytes(self._left, self._workers)
        if batch:
            yield self._job(number, batch)

    def _job(self, number: int, batch: Sequence[Found]) -> Job:
        known = {found.source.name: self._known(found.source.name) for found in batch}
        return Job(
            number,
            tuple(batch),
            self._writer.folder,
            self._writer.prefix,
            self._options,
            {name: record for name, record in known.items() if record is not None},
        )

    def _known(self, name: str) -> FileRead | None:
        """The record of a file that was read under the same options."""
        record = self._writer.known(name)
        same = record is not None and record.options == self._options.digest
        return record if same else None

    def _new_files(self, listings: Sequence[Listing]) -> Iterator[Found]:
        for listing in listings:
            for problem in listing.problems:
                self._say(problem)
            for path in listing.files:
                yield from self._new_below(listing.root, path)

    def _new_below(self, root: Root, path: Path) -> Iterator[Found]:
        """The file, or the members of the archive, if new or of another size or time."""
        name = printable(path)
        if is_archive(path):
            self._writer.visit(name)
        try:
            for item in walk(root, path):
                if isinstance(item, Problem):
                    self._say(item)
                elif self._is_new(item):
                    yield item
        except OSError as err:
            self._say(Problem(reason=f"{name}: {reason_of(err)}", source=name))

    def _is_new(self, found: Found) -> bool:
        name = found.source.name
        again, record = name in self._seen, self._known(name)
        self._seen.add(name)
        same = record is not None and (record.size, record.modified_ns) == (
            found.size,
            found.modified_ns,
        )
        if again or same:
            self._left -= found.on_disk
            self.skipped += found.on_disk
            return False
        return True

    def _say(self, problem: Problem) -> None:
        self._writer.visit(problem.source or "")
        self._writer.add_problem(problem)


def _join_outcomes(writer: CohortWriter, specs: Sequence[OutcomeSpec]) -> Joined:
    tables = writer.tables()
    systems = tables["systems"].select("system_id", "system", "model")
    runs = tables["runs"].join(systems, on="system_id", how="left", maintain_order="left")
    joined = join(runs.with_columns(pl.col("trial").cast(pl.String)), specs)
    for problem in joined.problems:
        writer.add_problem(problem)
    writer.commit(complete=True, runs=apply_outcomes(tables["runs"], joined))
    return joined
