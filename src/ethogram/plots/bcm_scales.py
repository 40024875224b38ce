"""BCM of all pairs beside BCM within a task (figure 2 of Banerjee and Raichura 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, means_of, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result

_SCALES: Final = (
    ("cross_task_offset", "across tasks"),
    ("within_task_offset", "within a task"),
    ("global_offset", "all pairs"),
)
_COLOURS: Final = ("system1", "system3", "system7")


def bcm_scales_data(result: Result) -> pl.DataFrame:
    """One row a system and set of pairs: ``system, pairs, value, low, high, few, label``.

    ``few``: a BCM within tasks of fewer than ten of them, which is not to be judged.
    """
    parts = [means_of(result, name).with_columns(pairs=pl.lit(pairs)) for name, pairs in _SCALES]
    few = with_short_names(result.to_frame("axes"), system_names(result)).filter("few_tasks")
    frame = pl.concat(parts).with_columns(
        few=(pl.col("pairs") == "within a task") & pl.col("system").is_in(few["system"].implode())
    )
    note = pl.when("few").then(pl.lit("; too few tasks to be judged")).otherwise(pl.lit(""))
    return frame.select(
        "system",
        "pairs",
        "value",
        "low",
        "high",
        "few",
        label=pl.format("{}, {}: {} ({} tasks{})", "system", "pairs", "shown", "n_tasks", note),
    )


def plot_bcm_scales(result: Result) -> Any:
    """Bars by system; broken outlines where there are too few tasks."""
    systems = list(system_names(result).values())
    names = [pairs for _, pairs in _SCALES]
    base = alt.Chart(rows(bcm_scales_data(result))).encode(
        alt.X(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(labelAngle=0 if len(systems) < 5 else -30, ticks=False),
        ),
        alt.XOffset("pairs:N", sort=names),
    )
    colour = alt.Color(
        "pairs:N",
        title=None,
        scale=alt.Scale(domain=names, range=[LIGHT[token] for token in _COLOURS]),
    )
    bars = base.mark_bar(stroke=LIGHT["ink"]).encode(
        alt.Y("value:Q", title="BCM, success offset"),
        color=colour,
        strokeDash=alt.condition("datum.few", alt.value([3, 2]), alt.value([1, 0])),
        strokeWidth=alt.condition("datum.few", alt.value(1.2), alt.value(0)),
        fillOpacity=alt.condition("datum.few", alt.value(0.2), alt.value(1)),
        description="label:N",
        tooltip=["label:N"],
    )
    ranges = base.mark_rule(strokeWidth=1.4, color=LIGHT["ink"]).encode(
        alt.Y("low:Q"), alt.Y2("high:Q")
    )
    width = max(360, min(760, 110 * len(systems)))
    return themed(alt.layer(bars, ranges).properties(width=width, height=260))


def bcm_scales_caption(result: Result) -> str:
    """What the bars are."""
    n_few = result.to_frame("axes").filter("few_tasks").height
    few = (
        f" Pale with a broken outline: fewer than ten tasks with three runs ({n_few} systems), not "
        "to be judged."
        if n_few
        else ""
    )
    return (
        "Mean cosine of the attributions of two runs beyond their system's success rate; lines are "
        f"intervals over tasks.{few}"
    )


PLOT: Final = Plot(
    name="bcm_scales",
    title="At one task and from task to task",
    kind="consistency",
    tables=("systems", "axes"),
    data=bcm_scales_data,
    draw=plot_bcm_scales,
    caption=bcm_scales_caption,
)
