"""`read`: from what the user names to a cohort on disk or in a temporary folder."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.cohort import temporary_folder
from ethogram.errors import InputError, UnknownNameError
from ethogram.formats import FORMATS, Format
from ethogram.ingest.discover import Found, Root, list_files, resolve_roots, total_bytes, walk
from ethogram.ingest.label import EventLabeler, default_labeler
from ethogram.ingest.layout import Layout
from ethogram.ingest.outcomes import Joined, OutcomeSpec, apply_outcomes, join, parse_spec
from ethogram.ingest.systems import Aliases, load_aliases
from ethogram.ingest.worker import Job, Options, read_batch
from ethogram.ingest.writer import CohortWriter
from ethogram.stats.parallel import parallel_map

BATCH_BYTES: Final = 24 * 2**20
MIN_BATCH_BYTES: Final = 2**20
CHECKPOINT_SECONDS: Final = 30.0


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
    roots = resolve_roots(reading.paths)
    total = _checked_total(roots)
    options, mapped = _options(reading)
    specs = [*_specs(reading), *(replace_root(spec, root) for root in roots for spec in mapped)]
    keep = None if reading.out else temporary_folder()
    folder = Path(reading.out) if reading.out else Path(keep.name if keep else "")
    writer = CohortWriter(
        folder,
        fresh=reading.fresh,
        labels_digest=options.labeler.digest if options.labeler else None,
        aliases=options.aliases,
        texts=reading.texts,
    )
    try:
        _fill(writer, reading, roots, options, total)
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


def _checked_total(roots: Sequence[Root]) -> int:
    for root in roots:
        if root.path.is_dir() and not list_files(root):
            raise InputError(f"{root.name}: the folder holds no file")
    return total_bytes(roots)


def _options(reading: Reading) -> tuple[Options, list[OutcomeSpec]]:
    formats, mapped = _formats(reading)
    return (
        Options(
            formats=formats,
            system=reading.system,
            model=reading.model,
            benchmark=reading.benchmark,
            aliases=load_aliases(reading.aliases) if reading.aliases else Aliases(),
            layout=Layout(reading.layout) if reading.layout else None,
            texts=reading.texts,
            labeler=reading.labeler or default_labeler(),
        ),
        mapped,
    )


def _formats(reading: Reading) -> tuple[tuple[Format, ...], list[OutcomeSpec]]:
    """The formats to try, and the outcomes that a mapping names."""
    if reading.mapping is not None:
        from ethogram.formats.mapping import load_mapping  # noqa: PLC0415  only mappings need it

        mapping = load_mapping(reading.mapping)
        specs = [
            OutcomeSpec(path=template.path, values=template.values, fields=template.fields)
            for template in mapping.outcomes
        ]
        return (mapping.format(),), specs
    if reading.format is None:
        return tuple(FORMATS), []
    if reading.format not in FORMATS:
        raise UnknownNameError("format", reading.format, FORMATS.names())
    chosen = FORMATS.get(reading.format)
    return (replace(chosen, declares=lambda _: False, sniff=chosen.sniff),), []


def _specs(reading: Reading) -> list[OutcomeSpec]:
    return [
        spec if isinstance(spec, OutcomeSpec) else parse_spec(spec, reading.outcome_columns)
        for spec in reading.outcomes
    ]


def replace_root(spec: OutcomeSpec, root: Root) -> OutcomeSpec:
    """A mapping's outcomes lie below the folder that is read."""
    folder = root.path if root.path.is_dir() else root.path.parent
    return msgspec.structs.replace(spec, root=str(folder))


def _fill(
    writer: CohortWriter, reading: Reading, roots: Sequence[Root], options: Options, total: int
) -> None:
    """Read every file that isn't known yet, a batch at a time."""
    jobs = _jobs(writer, roots, options, _batch_bytes(total, reading.workers))
    done, n_files, saved_at = 0, 0, time.monotonic()
    for batch in parallel_map(
        read_batch, jobs, executor=reading.executor, ahead=2 * max(1, reading.workers)
    ):
        writer.add(batch)
        done += batch.n_bytes
        n_files += len(batch.files) + len(batch.ignored)
        if reading.progress is not None:
            reading.progress(Progress(done, total, n_files, writer.n_new))
        if time.monotonic() - saved_at > CHECKPOINT_SECONDS:
            writer.commit(complete=False)
            saved_at = time.monotonic()


def _batch_bytes(total: int, workers: int) -> int:
    """Several batches a worker, so that none waits long for the last one."""
    return max(MIN_BATCH_BYTES, min(BATCH_BYTES, total // (4 * max(1, workers))))


def _jobs(
    writer: CohortWriter, roots: Sequence[Root], options: Options, limit: int
) -> Iterator[Job]:
    batch: list[Found] = []
    size, number = 0, 0
    for found in _new_files(writer, roots):
        batch.append(found)
        size += found.size
        if size >= limit:
            yield _job(writer, number, batch, options)
            batch, size, number = [], 0, number + 1
    if batch:
        yield _job(writer, number, batch, options)


def _job(writer: CohortWriter, number: int, batch: Sequence[Found], options: Options) -> Job:
    known = {f.source.name: record.digest for f in batch if (record := writer.known(f.source.name))}
    return Job(number, tuple(batch), writer.folder, writer.prefix, options, known)


def _new_files(writer: CohortWriter, roots: Sequence[Root]) -> Iterator[Found]:
    """Files that were not read before, or whose size or time has changed since."""
    for root in roots:
        for path in list_files(root):
            try:
                for found in walk(root, path):
                    record = writer.known(found.source.name)
                    if record is None or (record.size, record.modified_ns) != (
                        found.size,
                        found.modified_ns,
                    ):
                        yield found
            except (InputError, OSError) as err:
                writer.add_problem(str(path), str(err))


def _join_outcomes(writer: CohortWriter, specs: Sequence[OutcomeSpec]) -> Joined:
    tables = writer.tables()
    systems = tables["systems"].select("system_id", "system", "model")
    runs = tables["runs"].join(systems, on="system_id", how="left", maintain_order="left")
    joined = join(runs.with_columns(pl.col("trial").cast(pl.String)), specs)
    writer.commit(complete=True, runs=apply_outcomes(tables["runs"], joined))
    return joined
