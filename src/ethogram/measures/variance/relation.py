"""Speed, accuracy and consistency side by side, and whether they go together."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.measures.variance.tables import estimates
from ethogram.results.estimate import Estimate
from ethogram.results.table import Column, Table
from ethogram.stats.correlation import pearson, spearman
from ethogram.stats.significance import TestResult

BETWEEN: Final = "between systems"

_SIDES: Final[Mapping[str, tuple[str, str, str]]] = {
    "actions": ("actions", "Actions per run", "How fast: actions that a run takes."),
    "accuracy": ("share", "Accuracy", "Share of runs that succeed."),
    "cv": ("percent", "CV of actions", "How steady: lower is steadier."),
    "cost": ("usd", "Cost per run", "Dollars, where recorded."),
    "duration": ("seconds", "Duration per run", "Seconds, where recorded."),
}


def side_by_side(tasks: pl.DataFrame, systems: Sequence[str]) -> Table:
    """What each system takes, reaches and how steadily, with ratios to the first system.

    A system is held against the first on the tasks that both ran; with none in common its figures
    are null.
    """
    base_name = systems[0] if systems else "the first system"
    first = tasks.filter(pl.col("system") == base_name)
    rows = []
    for system in systems:
        own = tasks.filter(pl.col("system") == system).join(first, on="task", how="semi")
        base = first.join(own, on="task", how="semi")
        here, there = _sides(own), _sides(base)
        ratios = {f"{name}_ratio": _ratio(here[name], there[name]) for name in _SIDES}
        rows.append({"system": system, "n_tasks": own.height, **here, **ratios})
    columns = [
        Column("system", "System"),
        Column("n_tasks", "Tasks", "count", f"Tasks that it shares with {base_name}."),
        *(
            column
            for name, (unit, label, about) in _SIDES.items()
            for column in (
                Column(name, label, unit, about),
                Column(f"{name}_ratio", f"{label}, ratio", "ratio", f"Over that of {base_name}."),
            )
        ),
    ]
    schema = {column.name: pl.Float64 if column.unit else pl.String for column in columns}
    frame = pl.DataFrame(rows, schema={**schema, "n_tasks": pl.Int64})
    return Table(
        "comparison",
        "Speed, accuracy, consistency",
        frame,
        columns,
        f"Each on the tasks that it shares with {base_name}; ratios are over its figure.",
    )


def _sides(tasks: pl.DataFrame) -> dict[str, float | None]:
    def per_run(mean: str, n: str) -> float | None:
        known = tasks.filter(pl.col(n) > 0)
        weights = known[n].to_numpy()
        return float(np.average(known[mean].to_numpy(), weights=weights)) if len(weights) else None

    cvs = tasks["cv_actions"].drop_nulls()
    return {
        "actions": per_run("actions_mean", "actions_n"),
        "accuracy": per_run("accuracy", "n_labelled"),
        "cv": float(np.mean(cvs.to_numpy())) if len(cvs) else None,
        "cost": per_run("cost_mean", "cost_n"),
        "duration": per_run("duration_mean", "duration_n"),
    }


def _ratio(value: float | None, base: float | None) -> float | None:
    return value / base if value is not None and base else None


def correlations(tasks: pl.DataFrame, systems: Sequence[str], *, level: float) -> Table:
    """Pearson's r of CV and accuracy over each system's tasks, Spearman's rho over the systems."""
    usable = tasks.filter(pl.col("cv_actions").is_not_null() & pl.col("accuracy").is_not_null())
    rows: list[tuple[dict[str, str], Estimate]] = []
    p_values: list[float | None] = []
    for system in systems:
        own = usable.filter(pl.col("system") == system)
        test = pearson(own["cv_actions"].to_numpy(), own["accuracy"].to_numpy(), level=level)
        n_runs = int(own["n_runs"].sum())
        rows.append(({"scope": system}, _estimate("cv_accuracy_pearson", test, level, n_runs)))
        p_values.append(test.p_value)
    shared = usable.filter(pl.len().over("task") == len(systems))
    means = shared.group_by("system").agg(pl.col("cv_actions", "accuracy").mean())
    test = spearman(means["cv_actions"].to_numpy(), means["accuracy"].to_numpy())
    n_runs = int(shared["n_runs"].sum())
    rows.append(({"scope": BETWEEN}, _estimate("cv_accuracy_spearman", test, level, n_runs)))
    p_values.append(test.p_value)
    table = estimates(
        "correlations",
        "Are steadier systems, or steadier tasks, the more accurate ones?",
        rows,
        ["scope"],
        "Within a system over its tasks; between systems over systems (n is their number).",
    )
    return Table(
        table.name,
        table.title,
        table.frame.with_columns(p_value=pl.Series(p_values, dtype=pl.Float64)),
        about=table.about,
    )


def _estimate(name: str, test: TestResult, level: float, n_runs: int) -> Estimate:
    interval = test.interval
    bounded = interval is not None and interval.reason is None
    return Estimate(
        name=name,
        unit=CATALOGUE[name].unit,
        value=test.statistic,
        low=interval.low if interval is not None and bounded else None,
        high=interval.high if interval is not None and bounded else None,
        level=level,
        n_tasks=test.n,
        n_runs=n_runs,
        method=test.method,
        reason=test.reason,
    )
