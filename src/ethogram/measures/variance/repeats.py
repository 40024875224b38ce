"""Which runs count, and which of them are repeats of each other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.levels import with_levels
from ethogram.errors import UsageError

INFRA_SHARE: Final = 0.02
"""Above this share of a system's runs the figure with these errors as failures stands beside."""

INFRA: Final = "infrastructure error"

_LEFT_OUT: Final[Mapping[str, pl.Expr]] = {
    INFRA: pl.col("ending").cast(pl.String) == "infra_error",
    "part of another run": pl.col("parent_run_id").is_in(pl.col("run_id").implode()),
}
"""Why a run is no evidence of how the system behaves, in the order of precedence."""


@dataclass(frozen=True)
class Study:
    """The runs that variance is computed from.

    Attributes
    ----------
    runs : polars.DataFrame
        Counted runs: the columns of `RUN_COLUMNS` and ``group`` (number of their system and task),
        in the order of systems, tasks and trials.
    left_out : polars.DataFrame
        ``system, task, success, why`` of the others.
    systems : tuple of str
        In the order of their names.
    level, seed
        Of the intervals.
    """

    runs: pl.DataFrame
    left_out: pl.DataFrame
    systems: tuple[str, ...]
    level: float
    seed: int

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row a system and task, in order: ``group, system, task, ...``, ``n_runs``."""
        return self.runs.group_by("group", maintain_order=True).agg(
            pl.col("system", "task", "benchmark", "task_id", "task_known").first(),
            n_runs=pl.len(),
        )

    def restrict(self, condition: pl.Expr) -> "Study":
        """The study of some of the runs (and of those left out)."""
        return replace(
            self,
            runs=_numbered(self.runs.filter(condition).drop("group")),
            left_out=self.left_out.filter(condition),
        )


def study_of(
    cohort: Cohort,
    *,
    level: float,
    seed: int,
    same_id_is_same_task: bool = False,
    by: str | None = None,
) -> Study:
    """Sort the runs of a cohort into those that count and those that are left out.

    Runs that an infrastructure error ended say nothing about the system, and a sub-agent's record
    is part of its parent's. A run without a task id is a task of its own: never a repeat, never
    compared. With ``by`` the runs get a column ``level`` and systems that differ in nothing else
    are one (see `ethogram.cohort.levels`).

    Raises
    ------
    UsageError
        If ``level`` is not between 0 and 1, or ``by`` names nothing.
    """
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1; got {level}")
    runs = cohort.joined.with_columns(
        task=_task(same_id_is_same_task),
        task_known=pl.col("task_id").is_not_null(),
        tokens=pl.col("input_tokens") + pl.col("output_tokens"),
        submitted=pl.col("submission_ref") != "",
        ending=pl.col("ending").cast(pl.String),
        why=pl.coalesce(pl.when(test).then(pl.lit(why)) for why, test in _LEFT_OUT.items()),
    )
    if by is not None:
        runs = with_levels(runs, by)
    chosen = [*RUN_COLUMNS, *(["level"] if by is not None else [])]
    counted = runs.filter(pl.col("why").is_null()).select(chosen)
    left_out = runs.filter(pl.col("why").is_not_null()).select([*chosen, "why"])
    systems = tuple(runs["system"].unique().sort().to_list())
    return Study(_numbered(counted), left_out, systems, level, seed)


RUN_COLUMNS: Final = (
    "system",
    "task",
    "benchmark",
    "task_id",
    "task_known",
    "run_id",
    "trial",
    "success",
    "ending",
    "n_actions",
    "tokens",
    "cost_usd",
    "duration_s",
    "submitted",
    "submission_ref",
)


def _task(same_id_is_same_task: bool) -> pl.Expr:
    """Key of the task; a run that doesn't record its task is one of its own."""
    by_id = pl.concat_str(pl.col("benchmark") + "::", pl.col("task_id"), ignore_nulls=True)
    known = by_id if same_id_is_same_task else pl.col("task")
    unknown = pl.concat_str(pl.lit("(run "), "run_id", pl.lit(")"))
    return pl.when(pl.col("task_id").is_null()).then(unknown).otherwise(known)


def _numbered(runs: pl.DataFrame) -> pl.DataFrame:
    ordered = runs.sort("system", "task", "trial", "run_id", nulls_last=True)
    return ordered.with_columns(group=pl.struct("system", "task").rle_id().cast(pl.Int64))


def common_k(n_runs: pl.Series, k: int | None) -> int | None:
    """The number of runs at which tasks are compared: one for all, so that repeats count alike.

    Parameters
    ----------
    n_runs : polars.Series
        Usable runs of each system and task.
    k : int, optional
        The user's choice; default the smallest number of runs where there are two or more.

    Returns
    -------
    int or None
        None if nothing has two runs.

    Raises
    ------
    UsageError
        If ``k`` is less than two.
    """
    if k is not None:
        if k < 2:
            raise UsageError(f"k must be 2 or more; got {k}")
        return k
    repeated = n_runs.filter(n_runs > 1)
    smallest = repeated.min()
    return int(smallest) if isinstance(smallest, int) else None
