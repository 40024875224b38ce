"""BCM by difficulty of tasks (figure 4 of Banerjee and Raichura 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval

_LEVELS: Final = (
    ("easy", "heat1"),
    ("always solved", "heat1"),
    ("medium", "heat3"),
    ("sometimes solved", "heat3"),
    ("hard", "heat5"),
    ("never solved", "heat5"),
)


def bcm_difficulty_data(result: Result) -> pl.DataFrame:
    """One row a system and bin of tasks: ``system, difficulty, value, low, high, label``."""
    frame = result.to_frame("difficulty").filter(
        pl.col("name").str.starts_with("cross_task_offset"), pl.col("value").is_not_null()
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
        label=pl.format(
            "{}, {}: {} ({} tasks, {} runs)", "system", "difficulty", "shown", "n_tasks", "n_runs"
        ),
    )


def plot_bcm_difficulty(result: Result) -> Any:
    """Bars by system, from easy to hard."""
    frame = bcm_difficulty_data(result)
    present = set(frame["difficulty"])
    levels = [(name, token) for name, token in _LEVELS if name in present]
    names = [name for name, _ in levels]
    systems = [name for name in system_names(result).values() if name in set(frame["system"])]
    base = alt.Chart(rows(frame)).encode(
        alt.X(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(labelAngle=0 if len(systems) < 5 else -30, ticks=False),
        ),
        alt.XOffset("difficulty:N", sort=names),
    )
    bars = base.mark_bar(stroke=LIGHT["heat6"], strokeWidth=0.6).encode(
        alt.Y("value:Q", title="BCM across tasks, success offset"),
        color=alt.Color(
            "difficulty:N",
            title=None,
            scale=alt.Scale(domain=names, range=[LIGHT[token] for _, token in levels]),
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
    return f"{result.table('difficulty').about} Lines are intervals over tasks."


PLOT: Final = Plot(
    name="bcm_difficulty",
    title="Consistency by difficulty of tasks",
    kind="consistency",
    tables=("systems", "difficulty"),
    data=bcm_difficulty_data,
    draw=plot_bcm_difficulty,
    caption=bcm_difficulty_caption,
)
