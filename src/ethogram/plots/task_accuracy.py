"""Accuracy of each system at each task (figure 4 of Mehta 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import HEAT_LEVELS, LIGHT, themed
from ethogram.results import Result

MAX_TASKS: Final = 60
_WIDTH: Final = 560
_LEAST, _MOST, _FLAT = 40, 156, 120  # pixels of a column; labels are flat from the third on


def task_accuracy_data(result: Result) -> pl.DataFrame:
    """One row a system and task: ``system, task, accuracy, shown, level, label``.

    Easiest tasks first (mean over systems, then by name). ``level`` is 0 for never, 6 for always,
    between them in proportion. Of more than 60 tasks the ones that systems disagree about most are
    kept.
    """
    known = result.to_frame("tasks").filter(pl.col("accuracy").is_not_null())
    order = known.group_by("task").agg(
        mean=pl.col("accuracy").mean(), spread=pl.col("accuracy").max() - pl.col("accuracy").min()
    )
    kept = order.sort("spread", "task", descending=[True, False]).head(MAX_TASKS)
    frame = known.join(kept, on="task").sort("mean", "task", descending=[True, False])
    return with_short_names(frame, system_names(result)).select(
        "system",
        "task",
        "accuracy",
        shown=pl.format("{}/{}", "successes", "n_labelled"),
        level=_level(pl.col("accuracy")),
        label=pl.format("{}, {}: {} of {} succeeded", "system", "task", "successes", "n_labelled"),
    )


def _level(share: pl.Expr) -> pl.Expr:
    """The ends are for exactly never and exactly always."""
    between = 1 + (share * (HEAT_LEVELS - 2)).floor().clip(0, HEAT_LEVELS - 3)
    return (
        pl.when(share <= 0)
        .then(0)
        .when(share >= 1)
        .then(HEAT_LEVELS - 1)
        .otherwise(between)
        .cast(pl.Int64)
    )


def plot_task_accuracy(result: Result) -> Any:
    """A grid: tasks down, systems across, successes of runs in each cell."""
    frame = task_accuracy_data(result)
    systems = [name for name in system_names(result).values() if name in set(frame["system"])]
    levels = list(range(HEAT_LEVELS))
    column = max(_LEAST, min(_MOST, _WIDTH // max(1, len(systems))))
    base = alt.Chart(rows(frame)).encode(
        alt.X(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(
                orient="top",
                labelAngle=0 if column >= _FLAT else -35,
                labelLimit=column - 6 if column >= _FLAT else 200,
                ticks=False,
                domain=False,
            ),
        ),
        alt.Y("task:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    cells = base.mark_rect(stroke=LIGHT["paper"], strokeWidth=2, cornerRadius=2).encode(
        fill=alt.Fill(
            "level:N",
            scale=alt.Scale(domain=levels, range=[LIGHT[f"heat{level}"] for level in levels]),
            legend=None,
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    numbers = base.mark_text(fontSize=10, aria=False).encode(
        text="shown:N",
        color=alt.condition(
            f"datum.level >= {HEAT_LEVELS // 2 + 1}",
            alt.value(LIGHT["on_heat_high"]),
            alt.value(LIGHT["on_heat_low"]),
        ),
    )
    return themed(alt.layer(cells, numbers).properties(width=alt.Step(column), height=alt.Step(20)))


def task_accuracy_caption(result: Result) -> str:
    """What a cell is, n, and which tasks are left out."""
    known = result.to_frame("tasks").filter(pl.col("accuracy").is_not_null())
    n_tasks = known["task"].n_unique()
    left = (
        f" Shown are the {MAX_TASKS} tasks that systems disagree about most."
        if n_tasks > MAX_TASKS
        else ""
    )
    return (
        f"Runs that succeeded, of those whose outcome is known "
        f"({counted(known['n_labelled'].to_list(), 'run')} a cell, {n_tasks:,} tasks); "
        f"easiest tasks first.{left}"
    )


PLOT: Final = Plot(
    name="task_accuracy",
    title="Which tasks does each system solve?",
    kind="variance",
    tables=("systems", "tasks"),
    data=task_accuracy_data,
    draw=plot_task_accuracy,
    caption=task_accuracy_caption,
)
