"""The runs that consistency is computed from, as arrays: features, outcomes, systems, tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import NotEnoughDataError
from ethogram.measures.consistency.features import DEFAULT, Feature, feature_table
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

_LEFT_OUT: Final[Mapping[str, pl.Expr]] = {
    "infrastructure error": pl.col("ending").cast(pl.String) == "infra_error",
    "part of another run": pl.col("parent_run_id").is_in(pl.col("run_id").implode()),
    "no known outcome": pl.col("success").is_null(),
    "no action": ~pl.col("has_actions"),
}
"""Why a run can't be used, in the order of precedence."""


@dataclass(frozen=True)
class Sample:
    """Runs with an outcome and actions.

    Attributes
    ----------
    runs : polars.DataFrame
        ``run_id, system, task, group, success, format, benchmark``, sorted by system, task and run.
        ``task`` tells tasks apart; ``group`` is benchmark and task id alone, so that one id never
        lies on both sides of a fold even if its prompts differ.
    features : ndarray of shape (n_runs, n_features)
        NaN where a feature can't be known.
    names : tuple of str
        Names of the features.
    left_out : polars.DataFrame
        ``system, why, n`` of the other runs.
    """

    runs: pl.DataFrame
    features: FloatArray
    names: tuple[str, ...]
    left_out: pl.DataFrame

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in order."""
        return tuple(self.runs["system"].unique().sort().to_list())

    @cached_property
    def success(self) -> BoolArray:
        """Outcome of each run."""
        return self.runs["success"].to_numpy().astype(np.bool_)

    @cached_property
    def system(self) -> IntArray:
        """Number of each run's system."""
        return _codes(self.runs["system"])

    @cached_property
    def task(self) -> IntArray:
        """Number of each run's task, over all systems."""
        return _codes(self.runs["task"])

    @cached_property
    def group(self) -> IntArray:
        """Number of the set of runs that stays together in a fold."""
        return _codes(self.runs["group"])

    @property
    def n_tasks(self) -> int:
        """Tasks of all systems."""
        return int(self.task.max(initial=-1)) + 1

    def restrict(self, kept: BoolArray) -> "Sample":
        """The sample of some of the runs."""
        return replace(self, runs=self.runs.filter(pl.Series(kept)), features=self.features[kept])

    def without(self, dropped: Sequence[str]) -> "Sample":
        """The sample without some of the features."""
        places = [place for place, name in enumerate(self.names) if name not in dropped]
        names = tuple(self.names[place] for place in places)
        return replace(self, features=self.features[:, places], names=names)


def _codes(column: pl.Series) -> IntArray:
    return column.rank("dense").to_numpy().astype(np.int64) - 1


def sample_of(cohort: Cohort, features: Sequence[str | Feature] = DEFAULT) -> Sample:
    """Runs of a cohort with their features; the rest is counted.

    A run without a task id is a task of its own: it is nobody's repeat.

    Raises
    ------
    NotEnoughDataError
        If fewer than three runs have a known outcome and actions, if all runs succeed or all fail,
        or if there are fewer than two tasks: there is nothing to learn success from, or nowhere to
        test it.
    """
    table = feature_table(cohort, features)
    rows = cohort.joined.with_columns(
        has_actions=pl.col("run_id").is_in(table["run_id"].implode()),
        task=_own_if_unknown(pl.col("task")),
        group=_own_if_unknown(
            pl.concat_str(pl.col("benchmark") + "::", pl.col("task_id"), ignore_nulls=True)
        ),
    ).with_columns(
        why=pl.coalesce(pl.when(test).then(pl.lit(why)) for why, test in _LEFT_OUT.items())
    )
    left_out = rows.filter(pl.col("why").is_not_null()).group_by("system", "why").len("n")
    runs = (
        rows.filter(pl.col("why").is_null())
        .sort("system", "task", "trial", "run_id", nulls_last=True)
        .select("run_id", "system", "task", "group", "success", "format", "benchmark")
    )
    if runs.is_empty():
        raise NotEnoughDataError(
            f"consistency learns what makes runs succeed, but none of the {rows.height:,} runs has "
            "a known outcome and actions (--outcomes can supply outcomes)"
        )
    check_learnable(runs)
    wide = runs.select("run_id").join(table, on="run_id", how="left", maintain_order="left")
    names = tuple(table.columns[1:])
    return Sample(
        runs,
        wide.select(names).to_numpy().astype(np.float64, order="C"),
        names,
        left_out.sort("system", "why"),
    )


def _own_if_unknown(key: pl.Expr) -> pl.Expr:
    unknown = pl.concat_str(pl.lit("(run "), "run_id", pl.lit(")"))
    return pl.when(pl.col("task_id").is_null()).then(unknown).otherwise(key)


def check_learnable(runs: pl.DataFrame) -> None:
    """Raise NotEnoughDataError unless there are two outcomes, two tasks and three runs."""
    if runs["success"].n_unique() < 2:
        which = "succeeded" if runs["success"][0] else "failed"
        raise NotEnoughDataError(
            f"consistency learns what makes runs succeed, but all {runs.height:,} runs with a "
            f"known outcome {which}"
        )
    if runs.height < 3:
        raise NotEnoughDataError(
            "consistency learns from some runs what makes others succeed, but only "
            f"{runs.height} runs have a known outcome and actions: it needs 3 or more"
        )
    if runs["group"].n_unique() < 2:
        raise NotEnoughDataError(
            "consistency predicts the runs of tasks that the predictor has not seen, but all "
            f"{runs.height:,} runs are of one task"
        )
