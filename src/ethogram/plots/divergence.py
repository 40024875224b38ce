"""Where the runs of a task part (figure 7 of Mehta 2026)."""

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


def divergence_data(result: Result) -> pl.DataFrame:
    """One row a system and task whose runs part: ``system, task, divergence, stack, label``.

    ``stack`` numbers the tasks of a system that part at the same action (rounded), from 0.
    """
    known = result.to_frame("divergence").filter(pl.col("divergence").is_not_null())
    frame = with_short_names(known, system_names(result))
    labels = [
        f"{row['system']}, {row['task']}: {row['n_runs']} runs part at action "
        f"{show_number(row['divergence'])}" + (f" ({row['there']})" if row.get("there") else "")
        for row in frame.iter_rows(named=True)
    ]
    return frame.select(
        "system",
        "task",
        "divergence",
        stack=pl.int_range(pl.len()).over("system", pl.col("divergence").round()),
        label=pl.Series(labels, dtype=pl.String),
    )


def plot_divergence(result: Result) -> Any:
    """A dot a task, stacked; below them the mean with its interval."""
    frame = divergence_data(result)
    systems = list(system_names(result).values())
    tallest = max([4, *frame["stack"].to_list()])
    y = alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False))
    offset = alt.YOffset("stack:Q", scale=alt.Scale(domain=[tallest + 1, -3]))
    colour = system_colour(systems, legend=None)
    dots = (
        alt.Chart(rows(frame))
        .mark_circle(size=56, opacity=0.75)
        .encode(
            alt.X(
                "divergence:Q",
                title="first action at which not all runs of a task agree",
                scale=alt.Scale(domainMin=0.5),
                axis=alt.Axis(tickMinStep=1),
            ),
            y,
            offset,
            color=colour,
            description="label:N",
            tooltip=["label:N"],
        )
    )
    means = means_of(result, "divergence_mean").with_columns(
        label=pl.format("{}: mean {}", "system", "shown"), stack=-1.6
    )
    base = alt.Chart(rows(means)).encode(y, offset, color=colour)
    line = base.mark_rule(strokeWidth=2).encode(alt.X("low:Q"), alt.X2("high:Q"))
    point = base.mark_point(filled=True, size=110, opacity=1, shape="diamond").encode(
        alt.X("value:Q"), description="label:N", tooltip=["label:N"]
    )
    return themed(
        alt.layer(dots, line, point).properties(
            width=560, height=alt.Step(min(180, max(60, 8 * (tallest + 4))))
        )
    )


def divergence_caption(result: Result) -> str:
    """What dots and diamonds are, n, and how many tasks never part."""
    tasks = result.to_frame("divergence")
    never = tasks.filter(pl.col("divergence").is_null()).height
    left = f" {never} whose runs never part are not drawn." if never else ""
    return (
        f"Each dot is a task of a system ({tasks.height} in all).{left} The diamond is the mean "
        f"over tasks that part: {intervals_in_words(result, 'divergence_mean')}"
    )


PLOT: Final = Plot(
    name="divergence",
    title="Where do the runs of a task part?",
    kind="variance",
    tables=("systems", "divergence"),
    data=divergence_data,
    draw=plot_divergence,
    caption=divergence_caption,
)
