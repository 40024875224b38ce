"""Number of actions of every run, task by task (figure 2 of Mehta 2026)."""

import math
from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows, system_names, with_short_names
from ethogram.plots.theme import HEAT_LEVELS, LIGHT, themed
from ethogram.results import Result

MAX_TASKS: Final = 40
_CELL: Final = 26
_WIDTH: Final = 860
_NAME: Final = 26
_HEADER: Final = 160  # a name of that many letters


def step_counts_data(result: Result) -> pl.DataFrame:
    """One row a run: ``system, task, run, n_actions, success, level, label``.

    ``run`` numbers the runs of a system at a task from 1; ``level`` (0 to 6) is the place of the
    number of actions between the smallest and the largest on a logarithmic scale. Of more than 40
    tasks those with the most runs are kept, then by name.
    """
    counts = result.to_frame("step_counts").filter(pl.col("n_actions").is_not_null())
    kept = (
        counts.group_by("task")
        .len()
        .sort("len", "task", descending=[True, False])
        .head(MAX_TASKS)["task"]
    )
    frame = counts.filter(pl.col("task").is_in(kept.to_list())).sort(
        "task", "system", "trial", "run_id", nulls_last=True
    )
    low, high = _bounds(frame)
    return with_short_names(frame, system_names(result, _NAME)).select(
        "system",
        "task",
        "n_actions",
        "success",
        run=pl.int_range(1, pl.len() + 1).over("system", "task"),
        level=((pl.col("n_actions").clip(1).log() - low) / (high - low) * HEAT_LEVELS)
        .floor()
        .clip(0, HEAT_LEVELS - 1)
        .cast(pl.Int64),
        label=pl.format(
            "{}, {}, run {}: {} actions",
            "system",
            "task",
            pl.int_range(1, pl.len() + 1).over("system", "task"),
            "n_actions",
        ),
    )


def _bounds(frame: pl.DataFrame) -> tuple[float, float]:
    counts = [max(1, count) for count in frame["n_actions"].to_list()] or [1]
    low, high = math.log(min(counts)), math.log(max(counts))
    return low, high if high > low else low + 1.0


def plot_step_counts(result: Result) -> Any:
    """A heat map a system: tasks down, runs across, the number in each cell."""
    frame = step_counts_data(result)
    systems = [
        name for name in system_names(result, _NAME).values() if name in set(frame["system"])
    ]
    n_runs = max([1, *frame["run"].to_list()])
    levels = list(range(HEAT_LEVELS))
    x = alt.X("run:O", title="run", axis=alt.Axis(labelAngle=0, ticks=False, domain=False))
    y = alt.Y("task:N", title=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart().encode(x, y)
    cells = base.mark_rect(stroke=LIGHT["paper"], strokeWidth=1.5, cornerRadius=2).encode(
        fill=alt.Fill(
            "level:N",
            scale=alt.Scale(domain=levels, range=[LIGHT[f"heat{level}"] for level in levels]),
            legend=None,
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    numbers = base.mark_text(fontSize=10, aria=False).encode(
        text="n_actions:Q",
        color=alt.condition(
            f"datum.level >= {HEAT_LEVELS // 2 + 1}",
            alt.value(LIGHT["on_heat_high"]),
            alt.value(LIGHT["on_heat_low"]),
        ),
    )
    return themed(
        alt.layer(cells, numbers, data=rows(frame))
        .properties(width=_CELL * n_runs, height=alt.Step(20))
        .facet(
            facet=alt.Facet("system:N", title=None, sort=systems),
            columns=max(1, (_WIDTH - 120) // (max(_CELL * n_runs, _HEADER) + 16)),
            spacing=16,
        )
    )


def step_counts_caption(result: Result) -> str:
    """What a cell is, and which tasks are left out."""
    counts = result.to_frame("step_counts")
    n_tasks = counts["task"].n_unique()
    left = f" Shown are the {MAX_TASKS} tasks with the most runs." if n_tasks > MAX_TASKS else ""
    return (
        f"Actions of each of {counts.height:,} runs at {n_tasks:,} tasks; rows are tasks, columns "
        "are repeats. Darker means more, on a logarithmic scale shared by all systems. Rows of one "
        f"shade are steady.{left}"
    )


PLOT: Final = Plot(
    name="step_counts",
    title="Actions of every run",
    kind="variance",
    tables=("systems", "step_counts"),
    data=step_counts_data,
    draw=plot_step_counts,
    caption=step_counts_caption,
)
