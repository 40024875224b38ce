"""AGS and its parts of every pair, with intervals."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval

MAX_PAIRS: Final = 30
_WIDTH: Final = 112


def similarity_pairs_data(result: Result) -> pl.DataFrame:
    """One row a pair and measure: ``pair, measure, value, low, high, n_tasks, label``.

    The thirty most alike pairs, in the order of the table.
    """
    frame = result.to_frame("similarity")
    names = short_names(sorted({*frame["first"], *frame["second"]}), 24)
    pairs = frame.select("first", "second").unique(maintain_order=True).head(MAX_PAIRS)
    shown = frame.join(pairs, on=["first", "second"], maintain_order="left").filter(
        pl.col("value").is_not_null()
    )
    told = [
        show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in shown.iter_rows(named=True)
    ]
    pair = pl.format("{} – {}", pl.col("first").replace(names), pl.col("second").replace(names))
    return shown.select(
        "value",
        "low",
        "high",
        "n_tasks",
        pair=pair,
        measure="label",
        label=pl.format(
            "{}, {}: {} ({} tasks)", pair, "label", pl.Series(told, dtype=pl.String), "n_tasks"
        ),
    )


def plot_similarity_pairs(result: Result) -> Any:
    """A column a measure, a row a pair."""
    frame = similarity_pairs_data(result)
    order = frame["pair"].unique(maintain_order=True).to_list()
    measures = frame["measure"].unique(maintain_order=True).to_list()
    panels = []
    for place, measure in enumerate(measures):
        base = alt.Chart(rows(frame.filter(measure=measure)), title=measure).encode(
            alt.Y(
                "pair:N",
                title=None,
                sort=order,
                scale=alt.Scale(domain=order),
                axis=alt.Axis(ticks=False, domain=False, labels=place == 0, grid=True),
            )
        )
        scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".0%", tickCount=3)
        ranges = base.mark_rule(strokeWidth=1.6, color=LIGHT["axis"]).encode(
            alt.X("low:Q", title=None, scale=scale, axis=axis), alt.X2("high:Q")
        )
        points = base.mark_point(
            filled=True, size=60, opacity=1, color=LIGHT["system1" if place == 0 else "muted"]
        ).encode(
            alt.X("value:Q", title=None, scale=scale, axis=axis),
            description="label:N",
            tooltip=["label:N"],
        )
        panels.append(alt.layer(ranges, points).properties(width=_WIDTH, height=alt.Step(20)))
    return themed(alt.hconcat(*panels, spacing=10))


def similarity_pairs_caption(result: Result) -> str:
    """What points and lines are."""
    frame = result.to_frame("similarity")
    n_pairs = frame.select("first", "second").n_unique()
    most = f"The {MAX_PAIRS} most alike of {n_pairs:,} pairs. " if n_pairs > MAX_PAIRS else ""
    return (
        f"{most}Points are means over the tasks that both ran, lines {100 * frame['level'][0]:g} % "
        "intervals over tasks. AGS is the mean of the three beside it."
    )


PLOT: Final = Plot(
    name="similarity_pairs",
    title="How alike, and how sure",
    kind="similarity",
    tables=("similarity",),
    data=similarity_pairs_data,
    draw=plot_similarity_pairs,
    caption=similarity_pairs_caption,
)
