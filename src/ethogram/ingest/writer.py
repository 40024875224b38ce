"""The cohort under construction: gathers what workers read, drops what is known, commits."""

import secrets
from collections import defaultdict
from collections.abc import Container
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.naming import SystemRow, rows_of, systems_frame
from ethogram.cohort.schema import PROBLEMS, empty
from ethogram.cohort.storage import (
    FileRead,
    Index,
    check_target,
    generation,
    is_cohort,
    read_index,
    remove_leftovers,
    state,
    write_frame,
    write_index,
)  # fmt: skip
from ethogram.errors import CohortError
from ethogram.ingest.rows import duplicate
from ethogram.ingest.systems import Aliases, apply_system_aliases
from ethogram.ingest.worker import BatchRead
from ethogram.trajectory import Problem

_TASK_KEY: Final = ["benchmark", "task_id", "digest"]


class CohortWriter:
    """Adds batches to a cohort's folder and commits them in one step.

    A file that was changed gives up its runs, and with them their problems, for what it holds now.

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
        # Unlike any other read's: a killed one may have workers that still write their last part.
        self.prefix = f"{self._generation:04d}-{secrets.token_hex(4)}"
        self._state = state(folder)
        self._index = Index(labels_digest=labels_digest, texts=texts)
        self._old = {table: empty(table) for table in ("runs", "tasks", "problems")}
        self._old_parts: list[str] = []
        self._frames: dict[str, list[pl.DataFrame]] = {"runs": [], "tasks": [], "problems": []}
        self._systems: dict[str, SystemRow] = {}
        self._parts: dict[str, list[str]] = {"steps": [], "texts": []}
        self._files: dict[str, FileRead] = {}
        self._runs: dict[str, str] = {}
        self._visited: set[str] = set()
        self._gone: set[str] = set()
        self._dropped: set[str] = set()
        self._noted: set[Problem] = set()
        if is_cohort(folder) and not fresh:
            self._take_over(read_index(folder))
            remove_leftovers(folder, self._index)

    def _take_over(self, old: Index) -> None:
        """Start from what the cohort holds."""
        cohort = Cohort.open(self.folder)
        new = self._index
        if cohort.runs.height and old.labels_digest != new.labels_digest:
            raise CohortError(
                f"{self.folder}: its labels were made by other tables ({old.labels_digest}) than "
                f"the ones in use ({new.labels_digest}): run `ethogram relabel "
                f"{self.folder}` first, or read everything again with --fresh"
            )
        self._index = msgspec.structs.replace(
            new, texts=old.texts and new.texts, redaction=old.redaction, tables=old.tables
        )
        self._old = {"runs": cohort.runs, "tasks": cohort.tasks, "problems": cohort.problems}
        self._old_parts = list(old.tables.get("steps", ()))
        self._systems = {row.system_id: row for row in rows_of(cohort.systems, old.bases)}
        self._parts = {"steps": [], "texts": list(old.tables.get("texts", ()))}
        self._files = {record.source: record for record in old.files}
        self._runs = dict(zip(cohort.runs["run_id"], cohort.runs["source"], strict=True))

    @cached_property
    def _old_runs_of(self) -> dict[str, list[str]]:
        """Runs that the cohort held before, by the file that they came from."""
        runs_of: dict[str, list[str]] = defaultdict(list)
        for run_id, source in self._old["runs"].select("run_id", "source").iter_rows():
            runs_of[file_of(source, self._files)].append(run_id)
        return runs_of

    def known(self, source: str) -> FileRead | None:
        """The record of a file that was read before."""
        return self._files.get(source)

    def add(self, batch: BatchRead) -> None:
        """Take in a batch: new runs are kept, known ones are named and dropped."""
        self._visited.update(batch.visited)
        self._forget_changed(batch)
        runs = batch.runs
        known = [run_id in self._runs for run_id in runs["run_id"]]
        problems = [batch.problems]
        if any(known):
            again = runs.filter(pl.Series(known))
            problems.append(self._duplicates(again))
            runs = runs.join(again, on="run_id", how="anti", maintain_order="left")
            for name in batch.parts["steps"]:
                _rewrite(self.folder, name, name, again["run_id"])
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

    def add_problem(self, problem: Problem) -> None:
        """Note what went wrong outside the workers, such as a broken archive, once."""
        if problem in self._noted:
            return
        self._noted.add(problem)
        row = msgspec.structs.asdict(problem)
        self._frames["problems"].append(pl.DataFrame([row], schema=dict(PROBLEMS)))

    def visit(self, source: str) -> None:
        """Forget what was wrong with a file or an archive before: it is looked at again."""
        self._visited.add(source)

    def _duplicates(self, again: pl.DataFrame) -> pl.DataFrame:
        """Name runs that were given twice; one from the same place was just read before."""
        rows = [
            msgspec.structs.asdict(duplicate(source, self._runs[run_id]))
            for run_id, source in again.select("run_id", "source").iter_rows()
            if source != self._runs[run_id]
        ]
        return pl.DataFrame(rows, schema=dict(PROBLEMS))

    def _forget_changed(self, batch: BatchRead) -> None:
        """Runs of a file that was read anew give way to what it holds now.

        LIMIT: a run that only lay in two files, and is gone from the one that it was read from, is
        found in the other by the next read with --fresh.
        """
        for source in batch.visited:
            if source not in self._files:
                continue
            gone = [i for i in self._old_runs_of.get(source, ()) if i not in self._gone]
            self._gone.update(gone)
            for run_id in gone:
                self._runs.pop(run_id, None)
            del self._files[source]

    def tables(self) -> dict[str, pl.DataFrame]:
        """The whole tables as they stand."""
        kept = self._old["runs"].filter(~pl.col("run_id").is_in(list(self._gone)))
        runs = pl.concat([kept, *self._frames["runs"]]).sort("run_id")
        rows, moved = apply_system_aliases(list(self._systems.values()), self._aliases)
        if moved:
            runs = runs.with_columns(pl.col("system_id").replace(moved))
        used = set(runs["system_id"])
        self._bases = {row.system_id: row.base for row in rows if row.system_id in used}
        tasks = pl.concat([self._old["tasks"], *self._frames["tasks"]])
        tasks = tasks.unique(_TASK_KEY, keep="first", maintain_order=True)
        return {
            "runs": runs,
            "systems": systems_frame(row for row in rows if row.system_id in used),
            "tasks": tasks.join(
                runs,
                left_on=_TASK_KEY,
                right_on=["benchmark", "task_id", "task_digest"],
                how="semi",
                nulls_equal=True,
                maintain_order="left",
            ),
            "problems": self._problems(),
        }

    def _problems(self) -> pl.DataFrame:
        old = self._old["problems"]
        sources = old["source"].unique().drop_nulls()
        stale = [s for s in sources if s in self._visited or file_of(s, self._visited) != s]
        old = old.filter(~pl.col("source").is_in(stale).fill_null(value=False))
        return pl.concat([old, *self._frames["problems"]])

    def commit(self, *, complete: bool, runs: pl.DataFrame | None = None) -> None:
        """Write the tables and make them the cohort's state in one step.

        Parameters
        ----------
        complete : bool
            Whether everything that was asked for has been read.
        runs : polars.DataFrame, optional
            The runs table with outcomes joined; as gathered without it.

        Raises
        ------
        CohortError
            If another process has changed the cohort since it was opened.
        """
        if state(self.folder) != self._state:
            raise CohortError(
                f"{self.folder}: another process has written to it meanwhile; what this one read "
                "since its last checkpoint is not kept: read again"
            )
        tables = self.tables()
        if runs is not None:
            tables["runs"] = runs
        names = {
            table: (write_frame(self.folder, f"{table}-{self._generation}.parquet", frame),)
            for table, frame in tables.items()
        }
        self._index = msgspec.structs.replace(
            self._index,
            complete=complete,
            tables={
                **names,
                "steps": (*self._steps_kept(), *self._parts["steps"]),
                "texts": tuple(self._parts["texts"]),
            },
            files=tuple(self._files.values()),
            bases=self._bases,
        )
        self._generation += 1
        write_index(self.folder, self._index)
        self._state = state(self.folder)

    def _steps_kept(self) -> list[str]:
        """Parts from before this read, without the steps of runs that are gone.

        They are written anew under other names, so that a write that is killed leaves them whole.
        """
        if self._gone > self._dropped:
            ids = pl.Series("run_id", sorted(self._gone - self._dropped), dtype=pl.String)
            start = f"steps/{self.prefix}-kept-{self._generation}"
            self._old_parts = [
                _rewrite(self.folder, name, f"{start}-{i}.parquet", ids)
                for i, name in enumerate(self._old_parts)
            ]
            self._dropped = set(self._gone)
        return self._old_parts

    def finish(self) -> Cohort:
        """Remove what older states left and open the cohort."""
        remove_leftovers(self.folder, self._index)
        return Cohort.open(self.folder)


def file_of(source: str, files: Container[str]) -> str:
    """The file that a ``source`` lies in: the longest of the files that it begins with.

    >>> file_of("a#b.json#line 3", {"a", "a#b.json"})
    'a#b.json'
    """
    start = source
    while start not in files:
        start, mark, _ = start.rpartition("#")
        if not mark:
            return source
    return start


def _rewrite(folder: Path, name: str, target: str, run_ids: pl.Series) -> str:
    """Write a part of the steps without those of some runs; the part itself if it holds none."""
    steps = pl.read_parquet(folder / name)
    kept = steps.filter(~pl.col("run_id").is_in(run_ids.implode()))
    if kept.height == steps.height:
        return name
    temporary = write_frame(folder, f"steps/{Path(target).stem}-new.parquet", kept)
    (folder / temporary).replace(folder / target)
    return target
