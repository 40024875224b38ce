"""Coefficient of variation of each task's runs, by system (figure 1 of Mehta 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import (
    Plot,
    intervals_in_words,
    means_of,
    rows,
    system_names,
    with_short_names,
)
from ethogram.plots.theme import system_colour, themed
from ethogram.results import Result
from ethogram.results.numbers import show_number


def cv_dots_data(result: Result) -> pl.DataFrame:
    """One row a system and task with two or more runs: ``system, task, n_runs, cv, label``."""
    known = result.to_frame("tasks").filter(pl.col("cv_actions").is_not_null())
    frame = with_short_names(known, system_names(result)).select(
        "system", "task", "n_runs", cv="cv_actions"
    )
    labels = [
        f"{row['system']}, {row['task']}: CV {show_number(row['cv'], 'percent')} "
        f"over {row['n_runs']} runs"
        for row in frame.iter_rows(named=True)
    ]
    return frame.with_columns(label=pl.Series(labels, dtype=pl.String))


def plot_cv_dots(result: Result) -> Any:
    """Dots for tasks; below them the mean over tasks with its interval."""
    systems = list(system_names(result).values())
    x = alt.X("cv:Q", title="CV of actions over repeats of a task (%)", scale=alt.Scale(zero=True))
    y = alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False))
    colour = system_colour(systems, legend=None)
    dots = (
        alt.Chart(rows(cv_dots_data(result)))
        .mark_circle(size=64, opacity=0.55, yOffset=-7)
        .encode(x, y, color=colour, description="label:N", tooltip=["label:N"])
    )
    means = means_of(result, "cv_actions_mean").with_columns(
        label=pl.format("{}: mean {}", "system", "shown")
    )
    base = alt.Chart(rows(means)).encode(y)
    line = base.mark_rule(strokeWidth=2, yOffset=10).encode(
        alt.X("low:Q"), alt.X2("high:Q"), color=colour
    )
    point = base.mark_point(filled=True, size=110, opacity=1, yOffset=10, shape="diamond").encode(
        alt.X("value:Q"), color=colour, description="label:N", tooltip=["label:N"]
    )
    return themed(alt.layer(dots, line, point).properties(width=560, height=alt.Step(52)))


def cv_dots_caption(result: Result) -> str:
    """What a dot and a diamond are."""
    return (
        "Each dot is a task: the sample standard deviation of its runs' numbers of actions over "
        "their mean. The diamond is the mean over tasks: "
        f"{intervals_in_words(result, 'cv_actions_mean')}"
    )


PLOT: Final = Plot(
    name="cv_dots",
    title="Spread of the numbers of actions, task by task",
    kind="variance",
    tables=("systems", "tasks"),
    data=cv_dots_data,
    draw=plot_cv_dots,
    caption=cv_dots_caption,
)
