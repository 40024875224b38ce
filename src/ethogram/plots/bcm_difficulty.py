"""BCM by difficulty of tasks (figure 4 of Banerjee and Raichura 2026)."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval

_LEVELS: Final = (
    ("easy", "always solved", "heat1"),
    ("medium", "sometimes solved", "heat3"),
    ("hard", "never solved", "heat5"),
)
"""Terciles and what stands in their places where ties leave one empty."""


def _figure(result: Result) -> str:
    """The figure to read first: beyond its null where outcomes were shuffled."""
    left = "cross_task_offset_minus_null"
    names = result.to_frame("difficulty")["name"]
    return left if names.str.starts_with(left).any() else "cross_task_offset"


def bcm_difficulty_data(result: Result) -> pl.DataFrame:
    """One row a system and bin of tasks: ``system, difficulty, level, value, low, high, label``.

    ``level`` is the bin as the legend names it, whether it is a tercile or not.
    """
    frame = result.to_frame("difficulty").filter(
        pl.col("name").str.starts_with(_figure(result)), pl.col("value").is_not_null()
    )
    texts = [
        show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in frame.iter_rows(named=True)
    ]
    shown = with_short_names(frame, system_names(result)).with_columns(
        shown=pl.Series(texts, dtype=pl.String)
    )
    return shown.select(
        "system",
        "difficulty",
        "value",
        "low",
        "high",
        level=pl.col("difficulty").replace(_legend(frame["difficulty"].to_list())),
        label=pl.format(
            "{}, {}: {} ({} tasks, {} runs)", "system", "difficulty", "shown", "n_tasks", "n_runs"
        ),
    )


def _legend(present: Sequence[str]) -> dict[str, str]:
    """Name in the legend of each bin that is there, easy to hard; bins in one place share one."""
    return {
        name: " or ".join(there)
        for *names, _ in _LEVELS
        if (there := [name for name in names if name in present])
        for name in there
    }


def _words(result: Result) -> str:
    left = _figure(result).endswith("_minus_null")
    return "success offset minus its null" if left else "success offset"


def plot_bcm_difficulty(result: Result) -> Any:
    """Bars by system, from easy to hard."""
    frame = bcm_difficulty_data(result)
    names = list(dict.fromkeys(_legend(frame["difficulty"].to_list()).values()))
    colours = [LIGHT[token] for *bins, token in _LEVELS if set(bins) & set(frame["difficulty"])]
    systems = [name for name in system_names(result).values() if name in set(frame["system"])]
    base = alt.Chart(rows(frame)).encode(
        alt.X(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(labelAngle=0 if len(systems) < 5 else -30, ticks=False),
        ),
        alt.XOffset("level:N", sort=names),
    )
    bars = base.mark_bar(stroke=LIGHT["heat6"], strokeWidth=0.6).encode(
        alt.Y("value:Q", title=f"BCM across tasks, {_words(result)}"),
        color=alt.Color(
            "level:N",
            title=None,
            scale=alt.Scale(domain=names, range=colours),
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    ranges = base.mark_rule(strokeWidth=1.3, color=LIGHT["ink"]).encode(
        alt.Y("low:Q"), alt.Y2("high:Q")
    )
    width = max(360, min(760, 110 * len(systems)))
    return themed(alt.layer(bars, ranges).properties(width=width, height=240))


def bcm_difficulty_caption(result: Result) -> str:
    """What the bins are."""
    frame = result.to_frame("difficulty").filter(pl.col("name").str.starts_with(_figure(result)))
    tasks = counted(frame["n_tasks"].to_list(), "task")
    return (
        f"{result.table('difficulty').about} {tasks} a bar. Lines are intervals over tasks; where "
        "there is none, tasks are too few for one."
    )


PLOT: Final = Plot(
    name="bcm_difficulty",
    title="Consistency by difficulty of tasks",
    kind="consistency",
    tables=("systems", "difficulty"),
    data=bcm_difficulty_data,
    draw=plot_bcm_difficulty,
    caption=bcm_difficulty_caption,
)
