"""The cohort under construction: gathers what workers read, drops what is known, commits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.naming import SystemRow, rows_of, systems_frame
from ethogram.cohort.schema import PROBLEMS, RUNS, TASKS, empty
from ethogram.cohort.storage import (
    FileRead,
    Index,
    check_target,
    generation,
    is_cohort,
    read_index,
    remove_leftovers,
    write_frame,
    write_index,
)  # fmt: skip
from ethogram.errors import CohortError
from ethogram.ingest.rows import duplicate
from ethogram.ingest.systems import Aliases, apply_system_aliases
from ethogram.ingest.worker import BatchRead

_TASK_KEY: Final = ["benchmark", "task_id", "digest"]


class CohortWriter:
    """Adds batches to a cohort's folder and commits them in one step.

    Parameters
    ----------
    folder : Path
        A cohort, an empty folder or a path that doesn't exist yet.
    fresh : bool
        Forget what the cohort holds.
    labels_digest : str or None
        Digest of the tables that label what is added; a cohort labelled by others is refused.
    aliases : Aliases
        The user's names for systems.
    texts : bool
        Whether texts are kept.
    """

    def __init__(
        self, folder: Path, *, fresh: bool, labels_digest: str | None, aliases: Aliases, texts: bool
    ) -> None:
        check_target(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.ignored: list[str] = []
        self.n_new = 0
        self._aliases = aliases
        self._generation = generation(folder)
        self._index = Index(labels_digest=labels_digest, texts=texts)
        self._frames: dict[str, list[pl.DataFrame]] = {"runs": [], "tasks": [], "problems": []}
        self._systems: dict[str, SystemRow] = {}
        self._parts: dict[str, list[str]] = {"steps": [], "texts": []}
        self._files: dict[str, FileRead] = {}
        self._runs: dict[str, str] = {}
        self._replaced: set[str] = set()
        if is_cohort(folder) and not fresh:
            self._take_over(read_index(folder))
            remove_leftovers(folder, self._index)

    def _take_over(self, old: Index) -> None:
        """Start from what the cohort holds."""
        cohort = Cohort.open(self.folder)
        if cohort.runs.height and old.labels_digest != self._index.labels_digest:
            raise CohortError(
                f"{self.folder}: its labels were made by other tables ({old.labels_digest}) than "
                f"the ones in use ({self._index.labels_digest}): run `ethogram relabel "
                f"{self.folder}` first, or read everything again with --fresh"
            )
        self._index = old
        self._frames = {
            "runs": [cohort.runs],
            "tasks": [cohort.tasks],
            "problems": [cohort.problems],
        }
        self._systems = {row.system_id: row for row in rows_of(cohort.systems, old.bases)}
        self._parts = {table: list(old.tables.get(table, ())) for table in self._parts}
        self._files = {record.source: record for record in old.files}
        self._runs = dict(zip(cohort.runs["run_id"], cohort.runs["source"], strict=True))

    @property
    def prefix(self) -> str:
        """Start of the names of the parts that this read writes."""
        return f"{self._generation:04d}"

    def known(self, source: str) -> FileRead | None:
        """The record of a file that was read before."""
        return self._files.get(source)

    def add(self, batch: BatchRead) -> None:
        """Take in a batch: new runs are kept, known ones are named and dropped."""
        self._forget_changed(batch.files)
        runs = batch.runs
        again = [i for i in runs["run_id"] if i in self._runs]
        problems = [batch.problems]
        if again:
            problems.append(self._duplicates(runs, again))
            runs = runs.filter(~pl.col("run_id").is_in(again))
            _drop_runs(self.folder, batch.parts["steps"], again)
        self._runs.update(zip(runs["run_id"], runs["source"], strict=True))
        self.n_new += runs.height
        self._frames["runs"].append(runs)
        self._frames["tasks"].append(batch.tasks)
        self._frames["problems"] += problems
        self._systems.update({row.system_id: row for row in batch.systems})
        for table, names in batch.parts.items():
            self._parts[table] += names
        self._files.update({record.source: record for record in batch.files})
        self.ignored += batch.ignored

    def add_problem(self, source: str, reason: str) -> None:
        """Note what went wrong outside the workers, such as a broken archive."""
        row = {"source": source, "reason": reason, "severity": "error", "count": 1}
        self._frames["problems"].append(pl.DataFrame([row], schema=dict(PROBLEMS)))

    def _duplicates(self, runs: pl.DataFrame, again: Sequence[str]) -> pl.DataFrame:
        """Name runs that were given twice; one from the same place was just read before."""
        rows = [
            msgspec.structs.asdict(duplicate(source, self._runs[run_id]))
            for run_id, source in runs.select("run_id", "source").iter_rows()
            if run_id in set(again) and source != self._runs[run_id]
        ]
        return pl.DataFrame(rows, schema=dict(PROBLEMS))

    def _forget_changed(self, files: Sequence[FileRead]) -> None:
        """Runs of a file whose content has changed give way to what it holds now."""
        for record in files:
            before = self._files.get(record.source)
            if before is None or before.digest == record.digest:
                continue
            gone = [
                i for i, source in self._runs.items() if source.partition("#")[0] == record.source
            ]
            self._replaced.update(gone)
            for run_id in gone:
                del self._runs[run_id]

    def tables(self) -> dict[str, pl.DataFrame]:
        """The whole tables as they stand."""
        runs = pl.concat([empty("runs"), *self._frames["runs"]]).sort("run_id", "source")
        runs = runs.filter(pl.col("run_id").is_in(list(self._runs))).unique(
            "run_id", keep="last", maintain_order=True
        )
        rows, moved = apply_system_aliases(list(self._systems.values()), self._aliases)
        if moved:
            runs = runs.with_columns(pl.col("system_id").replace(moved))
        used = set(runs["system_id"])
        self._bases = {row.system_id: row.base for row in rows if row.system_id in used}
        tasks = pl.concat([empty("tasks"), *self._frames["tasks"]])
        problems = pl.concat([empty("problems"), *self._frames["problems"]])
        return {
            "runs": runs.select(list(RUNS)),
            "systems": systems_frame(row for row in rows if row.system_id in used),
            "tasks": tasks.unique(_TASK_KEY, keep="first", maintain_order=True).select(list(TASKS)),
            "problems": problems.unique(maintain_order=True),
        }

    def commit(self, *, complete: bool, runs: pl.DataFrame | None = None) -> None:
        """Write the tables and make them the cohort's state in one step.

        Parameters
        ----------
        complete : bool
            Whether everything that was asked for has been read.
        runs : polars.DataFrame, optional
            The runs table with outcomes joined; as gathered without it.
        """
        tables = self.tables()
        if runs is not None:
            tables["runs"] = runs
            self._frames["runs"] = [runs]
        if self._replaced:
            _drop_runs(self.folder, self._parts["steps"], sorted(self._replaced - set(self._runs)))
            self._replaced.clear()
        names = {
            table: (write_frame(self.folder, f"{table}-{self._generation}.parquet", frame),)
            for table, frame in tables.items()
        }
        self._generation += 1
        self._index = msgspec.structs.replace(
            self._index,
            complete=complete,
            tables={**names, **{table: tuple(parts) for table, parts in self._parts.items()}},
            files=tuple(self._files.values()),
            bases=self._bases,
        )
        write_index(self.folder, self._index)

    def finish(self) -> Cohort:
        """Remove what older states left and open the cohort."""
        remove_leftovers(self.folder, self._index)
        return Cohort.open(self.folder)


def _drop_runs(folder: Path, parts: Sequence[str], run_ids: Sequence[str]) -> None:
    """Rewrite the parts that hold steps of the given runs without them."""
    if not run_ids:
        return
    for name in parts:
        steps = pl.read_parquet(folder / name)
        kept = steps.filter(~pl.col("run_id").is_in(run_ids))
        if kept.height < steps.height:
            temporary = write_frame(folder, f"{name}.tmp", kept)
            (folder / temporary).replace(folder / name)
