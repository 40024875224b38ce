"""Success against BCM across tasks (figure 1 of Banerjee and Raichura 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, intervals_in_words, means_of, rows, system_names
from ethogram.plots.theme import LIGHT, system_colour, system_shape, themed
from ethogram.results import Result


def bcm_success_data(result: Result) -> pl.DataFrame:
    """One row a system: success and BCM across tasks with success offset, each with its interval.

    ``system, success, success_low, success_high, value, low, high, raw, label``.
    """
    success, offset, raw = (
        means_of(result, name) for name in ("success_rate", "cross_task_offset", "cross_task")
    )
    return (
        offset.join(success, on="system", suffix="_s", maintain_order="left")
        .join(raw, on="system", suffix="_r", how="left", maintain_order="left")
        .select(
            "system",
            "value",
            "low",
            "high",
            success="value_s",
            success_low="low_s",
            success_high="high_s",
            raw="value_r",
            label=pl.format(
                "{}: success {}, BCM {} with success offset, {} raw",
                "system",
                "shown_s",
                "shown",
                pl.col("shown_r").fill_null("none"),
            ),
        )
    )


def plot_bcm_success(result: Result) -> Any:
    """Filled points with success offset; hollow ones raw, tied to them by a thin line."""
    systems = list(system_names(result).values())
    colour = system_colour(systems)
    base = alt.Chart(rows(bcm_success_data(result)))
    x = alt.X("success:Q", title="success", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True))
    y = alt.Y("value:Q", title="BCM across tasks")
    shape = system_shape(systems)
    tie = base.mark_rule(strokeDash=[2, 3], color=LIGHT["muted"]).encode(
        x, alt.Y("raw:Q"), alt.Y2("value:Q")
    )
    raw = base.mark_point(filled=False, size=70, opacity=0.7).encode(
        x, alt.Y("raw:Q"), color=colour, shape=shape
    )
    across = base.mark_rule(strokeWidth=1.2).encode(
        alt.X("success_low:Q"), y, alt.X2("success_high:Q"), color=colour
    )
    up = base.mark_rule(strokeWidth=1.2).encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), color=colour)
    points = base.mark_point(filled=True, size=150, opacity=1).encode(
        x, y, color=colour, shape=shape, description="label:N", tooltip=["label:N"]
    )
    return themed(alt.layer(tie, raw, across, up, points).properties(width=520, height=320))


def bcm_success_caption(result: Result) -> str:
    """What a point is."""
    return (
        "Filled: BCM across tasks beyond each system's success rate; hollow: raw, which largely "
        "says how far success lies from the average. "
        f"{intervals_in_words(result, 'cross_task_offset')}"
    )


PLOT: Final = Plot(
    name="bcm_success",
    title="Success against consistency from task to task",
    kind="consistency",
    tables=("systems",),
    data=bcm_success_data,
    draw=plot_bcm_success,
    caption=bcm_success_caption,
)
