"""Speed against consistency (figure 8 of Mehta 2026)."""

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
from ethogram.plots.theme import LIGHT, system_colour, system_shape, themed
from ethogram.results import Result
from ethogram.results.numbers import show_number


def steps_cv_data(result: Result) -> pl.DataFrame:
    """One row a system and task: ``system, task, actions, cv, label``."""
    known = result.to_frame("tasks").filter(
        pl.col("cv_actions").is_not_null() & pl.col("actions_mean").is_not_null()
    )
    frame = with_short_names(known, system_names(result)).select(
        "system", "task", actions="actions_mean", cv="cv_actions"
    )
    labels = [
        f"{row['system']}, {row['task']}: {show_number(row['actions'], 'actions')} actions, "
        f"CV {show_number(row['cv'], 'percent')}"
        for row in frame.iter_rows(named=True)
    ]
    return frame.with_columns(label=pl.Series(labels, dtype=pl.String))


def _crosses(result: Result) -> pl.DataFrame:
    """Means of systems with both intervals."""
    across = means_of(result, "actions_mean")
    up = means_of(result, "cv_actions_mean")
    return across.join(up, on="system", suffix="_cv", maintain_order="left").with_columns(
        label=pl.format("{}: {} actions, CV {}", "system", "shown", "shown_cv")
    )


def plot_steps_cv(result: Result) -> Any:
    """Small points are tasks; crosses the means of systems with their intervals."""
    systems = list(system_names(result).values())
    colour = system_colour(systems)
    x = alt.X("actions:Q", title="actions per run", scale=alt.Scale(zero=True))
    y = alt.Y("cv:Q", title="CV of actions (%)", scale=alt.Scale(zero=True))
    points = (
        alt.Chart(rows(steps_cv_data(result)))
        .mark_point(filled=True, size=44, opacity=0.4)
        .encode(
            x,
            y,
            color=colour,
            shape=system_shape(systems),
            description="label:N",
            tooltip=["label:N"],
        )
    )
    base = alt.Chart(rows(_crosses(result)))
    ranged = base.mark_rule(strokeWidth=1.5, color=LIGHT["ink"])
    large = base.mark_point(
        filled=True, size=240, opacity=1, stroke=LIGHT["paper"], strokeWidth=1.5
    ).encode(
        alt.X("value:Q"),
        alt.Y("value_cv:Q"),
        color=colour,
        shape=system_shape(systems),
        description="label:N",
        tooltip=["label:N"],
    )
    return themed(
        alt.layer(
            points,
            ranged.encode(alt.X("low:Q"), alt.Y("value_cv:Q"), alt.X2("high:Q"), color=colour),
            ranged.encode(alt.X("value:Q"), alt.Y("low_cv:Q"), alt.Y2("high_cv:Q"), color=colour),
            large,
        ).properties(width=520, height=320)
    )


def steps_cv_caption(result: Result) -> str:
    """What a point is, n and intervals."""
    return (
        "Small points are tasks (mean number of actions of its runs, and their CV), large ones the "
        f"systems' means: {intervals_in_words(result, 'cv_actions_mean')}"
    )


PLOT: Final = Plot(
    name="steps_cv",
    title="Speed against consistency",
    kind="variance",
    tables=("systems", "tasks"),
    data=steps_cv_data,
    draw=plot_steps_cv,
    caption=steps_cv_caption,
)
