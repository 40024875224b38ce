"""Success against BCM across tasks (figure 1 of Banerjee and Raichura 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, means_of, rows, system_names
from ethogram.plots.theme import LIGHT, system_colour, system_shape, themed
from ethogram.results import Result


def bcm_success_data(result: Result) -> pl.DataFrame:
    """One row a system: success and BCM across tasks with success offset, each with its interval.

    ``system, success, success_low, success_high, value, low, high, raw, label``. BCM is less its
    null where outcomes were shuffled.
    """
    figure, words = headline(result)
    success, first, raw = (
        means_of(result, name) for name in ("success_rate", figure, "cross_task")
    )
    return (
        first.join(success, on="system", suffix="_s", maintain_order="left")
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
                "{}: success {}, BCM {} {}, {} raw",
                "system",
                "shown_s",
                "shown",
                pl.lit(words),
                pl.col("shown_r").fill_null("none"),
            ),
        )
    )


def headline(result: Result) -> tuple[str, str]:
    """The figure to read first, and in words: beyond its null where outcomes were shuffled."""
    if means_of(result, "cross_task_offset_minus_null").height:
        return "cross_task_offset_minus_null", "with success offset minus its null"
    return "cross_task_offset", "with success offset"


def plot_bcm_success(result: Result) -> Any:
    """Filled points for the figure to read first; hollow ones raw, tied to them by a thin line."""
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
    figure, words = headline(result)
    return (
        f"Filled: BCM across tasks {words}; hollow: raw, which largely says how far success lies "
        f"from the average. {_sizes(result, figure)}"
    )


def _sizes(result: Result, figure: str) -> str:
    frame = means_of(result, figure)
    sizes = (
        f"{counted(frame['n_tasks'].to_list(), 'task')} and "
        f"{counted(frame['n_runs'].to_list(), 'run')} a system"
    )
    if frame["low"].is_null().all():
        return f"{sizes}; no interval: too few tasks or permutations."
    return f"{sizes}; the lines are intervals over tasks, as the table of systems has them."


PLOT: Final = Plot(
    name="bcm_success",
    title="Success against consistency from task to task",
    kind="consistency",
    tables=("systems",),
    data=bcm_success_data,
    draw=plot_bcm_success,
    caption=bcm_success_caption,
)
