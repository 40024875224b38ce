"""`Cohort`: runs, systems, tasks and problems at hand, steps and texts as lazy scans."""

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl

from ethogram.cohort.ids import digest_of
from ethogram.cohort.naming import rows_of, systems_frame
from ethogram.cohort.schema import TABLES, empty
from ethogram.cohort.storage import (
    WHOLE,
    Index,
    check_target,
    generation,
    read_index,
    remove_leftovers,
    scan,
    write_frame,
    write_index,
)
from ethogram.cohort.where import parse_where
from ethogram.errors import CohortError, UsageError
from ethogram.user_files import reason_of

ROW_GROUP_BYTES: Final = 64 * 2**20
_KEY: Final = ["benchmark", "task_id"]


@dataclass(frozen=True, eq=False)
class Cohort:
    """A set of runs as tables.

    Made by `ethogram.read`, `Cohort.open`, `filter` and `concat`, not by hand.

    Attributes
    ----------
    runs, systems, tasks, problems : polars.DataFrame
        Small tables, at hand.
    steps, texts : polars.LazyFrame
        Events and their texts, scanned when collected.
    labels_digest : str or None
        Digest of the tables that made the labels; None if nothing is labelled.
    folder : Path or None
        Where the cohort lies on disk.
    complete : bool
        False if the read that made it was interrupted.
    """

    runs: pl.DataFrame
    systems: pl.DataFrame
    tasks: pl.DataFrame
    problems: pl.DataFrame
    all_steps: pl.LazyFrame = field(repr=False)
    all_texts: pl.LazyFrame = field(repr=False)
    labels_digest: str | None = None
    folder: Path | None = None
    complete: bool = True
    filtered: bool = False
    bases: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``system_id`` to the system's name without the settings that differ, for naming it anew."""
    keep: Any = field(default=None, repr=False)
    """Whatever must live as long as the cohort (its temporary folder)."""

    @classmethod
    def open(cls, folder: str | Path) -> "Cohort":
        """Open a saved cohort; steps and texts are not read yet.

        Raises
        ------
        CohortError
            If the folder is not a cohort of this schema version.
        """
        folder = Path(folder)
        index = read_index(folder)
        try:
            runs, systems, tasks, problems = (_one(folder, table, index) for table in WHOLE)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as err:
            raise CohortError(f"{folder}: a table can't be read: {reason_of(err)}") from err
        return cls(
            runs=runs,
            systems=systems,
            tasks=tasks,
            problems=problems,
            all_steps=scan(folder, "steps", index.tables.get("steps", ())),
            all_texts=scan(folder, "texts", index.tables.get("texts", ())),
            labels_digest=index.labels_digest,
            folder=folder,
            complete=index.complete,
            bases=index.bases,
        )

    @property
    def steps(self) -> pl.LazyFrame:
        """Events of this cohort's runs."""
        if not self.filtered:
            return self.all_steps
        return self.all_steps.join(self.runs.lazy().select("run_id"), on="run_id", how="semi")

    @property
    def texts(self) -> pl.LazyFrame:
        """Texts by ``ref``, each ref once."""
        return self.all_texts.unique("ref", keep="any")

    @cached_property
    def joined(self) -> pl.DataFrame:
        """Runs with the columns of their system and the cluster of their task, and a ``task`` key.

        ``task`` is one string a task: benchmark, task id and, where one id stands for several tasks
        (their digests differ), the digest.
        """
        runs = self.runs.join(self.systems, on="system_id", how="left", maintain_order="left")
        clusters = self.tasks.group_by(_KEY).agg(pl.col("cluster").drop_nulls().first())
        runs = runs.join(clusters, on=_KEY, how="left", nulls_equal=True, maintain_order="left")
        return runs.with_columns(task=task_key(runs))

    @cached_property
    def digest(self) -> str:
        """Digest of the runs, their outcomes and the label tables: equal cohorts, equal digest."""
        columns = ["run_id", "system_id", "benchmark", "task_id", "success", "score", "n_actions"]
        rows = self.runs.select(*columns, pl.col("ending").cast(pl.String)).sort("run_id")
        hashed = hashlib.sha256(rows.write_csv().encode()).hexdigest()
        return digest_of([hashed, self.labels_digest])

    def filter(self, *where: str | pl.Expr) -> "Cohort":
        """Keep the runs that satisfy every condition.

        Parameters
        ----------
        *where : str or polars.Expr
            Text such as ``system == "x" and success`` (see `ethogram.cohort.where`), or a Polars
            expression over the columns of ``joined``.
        """
        schema = self.joined.schema
        conditions = [parse_where(w, schema) if isinstance(w, str) else w for w in where]
        try:
            kept = self.joined.filter(*conditions).select("run_id")
        except (pl.exceptions.PolarsError, TypeError) as err:
            raise UsageError(f"where: {str(err).partition(chr(10))[0]}") from err
        return self.keep_runs(kept)

    def keep_runs(self, run_ids: pl.DataFrame) -> "Cohort":
        """Keep the runs whose ``run_id`` is in a frame, with their systems and tasks."""
        runs = self.runs.join(run_ids, on="run_id", how="semi", maintain_order="left")
        return replace(
            self,
            runs=runs,
            systems=self.systems.join(runs, on="system_id", how="semi", maintain_order="left"),
            tasks=self.tasks.join(
                runs, on=_KEY, how="semi", nulls_equal=True, maintain_order="left"
            ),
            filtered=True,
        )

    def save(self, folder: str | Path, *, texts: bool = True) -> "Cohort":
        """Write the cohort to a folder and return it opened from there.

        Parameters
        ----------
        folder : path
            Made if missing; a cohort that lies there is replaced, anything else is refused. A write
            that is killed leaves what lay there before.
        texts : bool
            Keep the texts; without them the measures that need none still work.

        Raises
        ------
        CohortError
            If something else lies there.
        """
        folder = Path(folder)
        check_target(folder)
        folder.mkdir(parents=True, exist_ok=True)
        number = generation(folder)
        tables: dict[str, tuple[str, ...]] = {
            name: (write_frame(folder, f"{name}-{number}.parquet", getattr(self, name)),)
            for name in WHOLE
        }
        tables["steps"] = _sink(
            self.steps.sort("run_id", "index"), folder, f"steps/{number}-all.parquet"
        )
        if texts:
            refs = _refs(self.steps, self.runs, self.tasks)
            kept = self.texts.join(refs, on="ref", how="semi")
            tables["texts"] = _sink(kept, folder, f"texts/{number}-all.parquet")
        index = Index(
            labels_digest=self.labels_digest,
            complete=self.complete,
            texts=texts,
            tables=tables,
            bases=self.bases,
        )
        write_index(folder, index)
        remove_leftovers(folder, index)
        return Cohort.open(folder)


def _one(folder: Path, table: str, index: Index) -> pl.DataFrame:
    frames = [pl.read_parquet(folder / name) for name in index.tables.get(table, ())]
    return pl.concat(frames).select(list(TABLES[table])) if frames else empty(table)


def _refs(steps: pl.LazyFrame, runs: pl.DataFrame, tasks: pl.DataFrame) -> pl.LazyFrame:
    columns = ["text_ref", "thought_ref", "observation_ref"]
    parts = [steps.select(pl.col(c).alias("ref")) for c in columns]
    parts += [runs.lazy().select(pl.col("submission_ref").alias("ref"))]
    parts += [tasks.lazy().select(pl.col(c).alias("ref")) for c in ("prompt_ref", "reference_ref")]
    return pl.concat(parts).drop_nulls().unique()


def _sink(frame: pl.LazyFrame, folder: Path, name: str) -> tuple[str, ...]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    sample = frame.head(1_000).collect()
    bytes_a_row = max(1.0, sample.estimated_size() / max(1, sample.height))
    rows = max(1_000, int(ROW_GROUP_BYTES / bytes_a_row))
    frame.sink_parquet(path, compression="zstd", compression_level=1, row_group_size=rows)
    return (name,)


def task_key(runs: pl.DataFrame) -> pl.Series:
    """One string a run that names its task, for grouping and pairing.

    Two runs with the same benchmark and task id are of the same task unless both record a digest of
    the task and the digests differ. A missing digest doesn't differ from a single known one; where
    one id stands for several tasks, runs without a digest are a group of their own.
    """
    known = pl.col("task_digest").drop_nulls().n_unique().over(_KEY)
    several = (
        pl.when(known > 1).then("#" + pl.col("task_digest").fill_null("?")).otherwise(pl.lit(""))
    )
    name = (
        pl.when(pl.col("benchmark").is_null())
        .then(pl.lit(""))
        .otherwise(pl.col("benchmark") + "::")
    )
    return runs.select((name + pl.col("task_id") + several).alias("task"))["task"]


def concat(cohorts: Sequence[Cohort]) -> Cohort:
    """Put cohorts together; a run that is in several is kept once.

    Systems are named anew, because a name holds the settings that differ within the cohort.

    Raises
    ------
    UsageError
        If the labels of two cohorts were made by different tables: label them anew first.
    """
    if not cohorts:
        raise UsageError("concat: no cohort given")
    digests = {cohort.labels_digest for cohort in cohorts if cohort.runs.height}
    if len(digests) > 1:
        raise UsageError(
            "concat: the labels of these cohorts were made by different tables "
            f"({', '.join(sorted(map(str, digests)))}): run `ethogram relabel` on them first"
        )
    runs = pl.concat([cohort.runs for cohort in cohorts]).unique(
        "run_id", keep="first", maintain_order=True
    )
    bases = {i: base for cohort in cohorts for i, base in cohort.bases.items()}
    return Cohort(
        runs=runs,
        systems=systems_frame(rows_of(_first("systems", cohorts, "system_id"), bases)),
        tasks=_first("tasks", cohorts, *_KEY, "digest"),
        problems=pl.concat([c.problems for c in cohorts]),
        all_steps=_steps_of_first(cohorts),
        all_texts=pl.concat([c.all_texts for c in cohorts]),
        labels_digest=next(iter(digests), None),
        complete=all(c.complete for c in cohorts),
        filtered=False,
        bases=bases,
        keep=[c.keep for c in cohorts],
    )


def _first(table: str, cohorts: Sequence[Cohort], *key: str) -> pl.DataFrame:
    """Rows of a table from all cohorts; of equal keys the first."""
    rows: pl.DataFrame = pl.concat([getattr(cohort, table) for cohort in cohorts])
    return rows.unique(list(key), keep="first", maintain_order=True)


def _steps_of_first(cohorts: Sequence[Cohort]) -> pl.LazyFrame:
    """Steps of each run from the first cohort that has it."""
    parts: list[pl.LazyFrame] = []
    seen = pl.DataFrame(schema={"run_id": pl.String})
    for cohort in cohorts:
        parts.append(cohort.steps.join(seen.lazy(), on="run_id", how="anti"))
        seen = pl.concat([seen, cohort.runs.select("run_id")])
    return pl.concat(parts)


class TemporaryFolder:
    """Folder for a cohort that nobody asked to save; it goes with the last cohort that holds it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="ethogram-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
