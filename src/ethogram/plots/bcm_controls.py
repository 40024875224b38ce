"""BCM across tasks of each system, observed and under its controls."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, means_of, rows, system_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result

_CONDITIONS: Final = (
    ("cross_task", "raw", "system4", "circle"),
    ("cross_task_null", "raw, outcomes shuffled", "muted", "circle"),
    ("cross_task_offset", "success offset", "system7", "square"),
    ("cross_task_offset_null", "success offset, shuffled", "axis", "square"),
    ("cross_task_offset_minus_null", "success offset minus shuffled", "system1", "diamond"),
)


def bcm_controls_data(result: Result) -> pl.DataFrame:
    """One row a system and condition: ``system, condition, value, low, high, label``."""
    parts = [
        means_of(result, name).with_columns(condition=pl.lit(condition))
        for name, condition, *_ in _CONDITIONS
    ]
    return pl.concat(parts).select(
        "system",
        "condition",
        "value",
        "low",
        "high",
        label=pl.format("{}, {}: {}", "system", "condition", "shown"),
    )


def plot_bcm_controls(result: Result) -> Any:
    """A row a system, a mark a condition."""
    systems = list(system_names(result).values())
    names = [condition for _, condition, *_ in _CONDITIONS]
    colour = alt.Color(
        "condition:N",
        title=None,
        scale=alt.Scale(domain=names, range=[LIGHT[token] for _, _, token, _ in _CONDITIONS]),
    )
    base = alt.Chart(rows(bcm_controls_data(result))).encode(
        alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False)),
        alt.YOffset("condition:N", sort=names),
    )
    ranges = base.mark_rule(strokeWidth=1.6).encode(
        alt.X("low:Q", title="BCM across tasks"), alt.X2("high:Q"), color=colour
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        alt.X("value:Q"),
        color=colour,
        shape=alt.Shape(
            "condition:N",
            title=None,
            scale=alt.Scale(domain=names, range=[shape for *_, shape in _CONDITIONS]),
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    zero = (
        alt.Chart(rows(pl.DataFrame({"zero": [0]})))
        .mark_rule(color=LIGHT["axis"])
        .encode(alt.X("zero:Q"))
    )
    return themed(alt.layer(zero, ranges, points).properties(width=520, height=alt.Step(14)))


def bcm_controls_caption(result: Result) -> str:
    """How to read it."""
    counts = result.to_frame("null")["n_permutations"].to_list() if "null" in result.tables else []
    return (
        f"Where outcomes shuffled within systems ({counted(counts, 'permutation')}) give as much "
        "as a figure, it says nothing of how alike the runs of a system are. What is left with "
        "success offset is the figure to read: diamonds whose line stays clear of 0."
    )


PLOT: Final = Plot(
    name="bcm_controls",
    title="What is left of consistency under its controls",
    kind="consistency",
    tables=("systems",),
    data=bcm_controls_data,
    draw=plot_bcm_controls,
    caption=bcm_controls_caption,
)
