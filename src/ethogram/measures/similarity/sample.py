"""The runs that similarity compares, by system and task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import NotEnoughDataError
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

_LEFT_OUT: Final[Mapping[str, pl.Expr]] = {
    "infrastructure error": pl.col("ending").cast(pl.String) == "infra_error",
    "part of another run": pl.col("parent_run_id").is_in(pl.col("run_id").implode()),
    "no task id": pl.col("task_id").is_null(),
}
"""Why a run can't be used, in the order of precedence. A run without an action stays."""


@dataclass(frozen=True)
class Sample:
    """Runs to be compared.

    Attributes
    ----------
    runs : polars.DataFrame
        ``run_id, system, task, success``, sorted by system, task, trial and run.
    left_out : polars.DataFrame
        ``system, why, n`` of the other runs.
    """

    runs: pl.DataFrame
    left_out: pl.DataFrame

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in order."""
        return tuple(self.runs["system"].unique().sort().to_list())

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, in order."""
        return tuple(self.runs["task"].unique().sort().to_list())

    @cached_property
    def system(self) -> IntArray:
        """Number of each run's system."""
        return _codes(self.runs["system"])

    @cached_property
    def task(self) -> IntArray:
        """Number of each run's task."""
        return _codes(self.runs["task"])

    @cached_property
    def success(self) -> FloatArray:
        """1 for a success, 0 for a failure, NaN where the outcome is not recorded."""
        known = self.runs["success"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return np.asarray(known, dtype=np.float64)

    @cached_property
    def n_runs(self) -> IntArray:
        """Runs of each system at each task: shape (n_systems, n_tasks)."""
        return self.sums(np.ones((self.runs.height, 1)))[:, :, 0].astype(np.int64)

    @cached_property
    def wins(self) -> FloatArray:
        """Share of successes of each system at each task; NaN where no outcome is recorded."""
        known = ~np.isnan(self.success)
        sums = self.sums(np.stack([np.where(known, self.success, 0.0), known], axis=1))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[:, :, 0] / sums[:, :, 1], dtype=np.float64)

    def sums(self, rows: FloatArray) -> FloatArray:
        """Sum of rows, one a run, by system and task: (n_systems, n_tasks, n_columns)."""
        cell = self.system * len(self.tasks) + self.task
        n_cells = len(self.systems) * len(self.tasks)
        made = np.zeros((n_cells, rows.shape[1]))
        for number, column in enumerate(rows.T):
            made[:, number] = np.bincount(cell, weights=column, minlength=n_cells)
        return made.reshape(len(self.systems), len(self.tasks), rows.shape[1])

    @cached_property
    def by_task(self) -> Sequence[IntArray]:
        """Places of the runs of each task."""
        order = np.argsort(self.task, kind="stable")
        sizes = np.bincount(self.task, minlength=len(self.tasks))
        return np.split(order.astype(np.int64), np.cumsum(sizes)[:-1])

    def won(self) -> BoolArray:
        """Which runs are known to have succeeded."""
        return np.asarray(self.success == 1.0, dtype=np.bool_)


def _codes(column: pl.Series) -> IntArray:
    return column.rank("dense").to_numpy().astype(np.int64) - 1


def sample_of(cohort: Cohort) -> Sample:
    """Runs of a cohort that can be compared; the rest is counted.

    Raises
    ------
    NotEnoughDataError
        If there are fewer than two systems, or no task that two systems ran.
    """
    rows = cohort.joined.with_columns(
        why=pl.coalesce(pl.when(test).then(pl.lit(why)) for why, test in _LEFT_OUT.items())
    )
    runs = (
        rows.filter(pl.col("why").is_null())
        .sort("system", "task", "trial", "run_id", nulls_last=True)
        .select("run_id", "system", "task", "success")
    )
    _check(runs, rows.height)
    left_out = rows.filter(pl.col("why").is_not_null()).group_by("system", "why").len("n")
    return Sample(runs, left_out.sort("system", "why"))


def _check(runs: pl.DataFrame, n_all: int) -> None:
    n_systems, n_tasks = runs["system"].n_unique(), runs["task"].n_unique()
    if n_systems == 0:
        raise NotEnoughDataError(
            f"similarity compares runs of the same task, but none of {n_all:,} can be compared: "
            "they have no task id, or the infrastructure broke them"
        )
    if n_systems == 1:
        raise NotEnoughDataError(
            f"similarity compares systems, but the runs that can be compared ({runs.height:,} of "
            f"{n_all:,}) are all of one, {runs['system'][0]}: read another one's beside them"
        )
    shared = runs.group_by("task").agg(pl.col("system").n_unique()).filter(pl.col("system") > 1)
    if shared.is_empty():
        raise NotEnoughDataError(
            f"similarity compares runs of the same task, but none of the {n_tasks:,} tasks was run "
            f"by two of the {n_systems} systems (one task under two names? --aliases can join "
            "benchmarks)"
        )
