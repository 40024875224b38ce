"""How much repeats differ in what they take: actions, tokens, cost, time; and in what they do."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.variance.figures import Figures
from ethogram.results.estimate import Estimate
from ethogram.stats.prefixes import Sequences, unique_share

AMOUNTS: Final[Mapping[str, str]] = {
    "actions": "n_actions",
    "tokens": "tokens",
    "cost": "cost_usd",
    "duration": "duration_s",
}
"""Name of an amount -> its column."""


def cv(column: str) -> pl.Expr:
    """Sample standard deviation over mean, in percent, of the recorded values of a group.

    Null with fewer than two values, and where the mean is not positive: a spread relative to
    nothing says nothing (all runs of a task without an action).
    """
    values = pl.col(column)
    usable = (values.count() > 1) & (values.mean() > 0)
    return pl.when(usable).then(100 * values.std(ddof=1) / values.mean())


def amounts_by_task(runs: pl.DataFrame) -> pl.DataFrame:
    """Per group and amount: ``*_n`` (runs that record it), ``*_mean``, ``*_sd``, ``cv_*``."""
    return runs.group_by("group", maintain_order=True).agg(
        expression.alias(label)
        for name, column in AMOUNTS.items()
        for label, expression in (
            (f"{name}_n", pl.col(column).count()),
            (f"{name}_mean", pl.col(column).mean()),
            (f"{name}_sd", pl.col(column).std(ddof=1)),
            (f"cv_{name}", cv(column)),
        )
    )


def unique_by_task(sequences: Sequences, k: int | None) -> pl.Series:
    """Share of runs that no other among k of their task equals; null with fewer than k."""
    if k is None:
        return pl.Series("unique_share", [None] * sequences.n_groups, dtype=pl.Float64)
    return pl.Series("unique_share", unique_share(sequences, k)).fill_nan(None)


def recorded_amounts(tasks: pl.DataFrame) -> list[str]:
    """Amounts that at least one run of any system records; actions always count."""
    return [name for name in AMOUNTS if name == "actions" or (tasks[f"{name}_n"] > 0).any()]


def amount_estimates(tasks: pl.DataFrame, names: Iterable[str], figures: Figures) -> list[Estimate]:
    """Mean and CV of the named amounts of one system, from its rows of the table of tasks."""
    return [
        estimate
        for name in names
        for estimate in _estimates_of(name, tasks.filter(pl.col(f"{name}_n") > 0), figures)
    ]


def _estimates_of(name: str, tasks: pl.DataFrame, figures: Figures) -> list[Estimate]:
    n = tasks[f"{name}_n"].to_numpy()
    spread = tasks.filter(pl.col(f"cv_{name}").is_not_null())
    values, n_spread = spread[f"cv_{name}"].to_numpy(), int(spread[f"{name}_n"].sum())
    absent = f"no run records {'its' if name != 'actions' else 'any'} {name}"
    reason = absent if tasks.is_empty() else _no_spread(tasks[f"{name}_n"])
    return [
        figures.ratio(f"{name}_mean", n * tasks[f"{name}_mean"].to_numpy(), n, reason=absent),
        figures.mean(f"cv_{name}_mean", values, n_spread, reason=reason),
        figures.median(f"cv_{name}_median", values, n_spread, reason=reason),
    ]


def _no_spread(n_runs: pl.Series) -> str:
    if (n_runs > 1).any():
        return "in no task with two or more runs is the mean above zero"
    return "no task has two or more runs"


def unique_estimate(tasks: pl.DataFrame, k: int | None, figures: Figures) -> Estimate:
    """Share of unique sequences of one system, at k runs."""
    usable = tasks.filter(pl.col("unique_share").is_not_null())
    reason = "no task has two or more runs" if k is None else f"no task has {k} or more runs"
    return figures.mean(
        "unique_sequences",
        usable["unique_share"].to_numpy(),
        int(np.sum(usable["n_runs"].to_numpy())),
        reason=reason,
    )
