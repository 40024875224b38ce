"""How failed runs fail (figure 6 of Mehta 2026)."""

from collections.abc import Mapping
from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_number

MODES: Final[Mapping[str, str]] = {
    "error": "muted",
    "limit": "system4",
    "loop": "system5",
    "empty_submission": "system7",
    "wrong_result": "failure",
}


def failure_modes_data(result: Result) -> pl.DataFrame:
    """One row a system and mode that occurs: ``system, mode, n_runs, start, end, label``.

    ``start`` and ``end`` count failed runs.
    """
    frame = result.to_frame("failure_modes").filter(pl.col("n_runs") > 0)
    order = {mode: place for place, mode in enumerate(MODES)}
    placed = (
        with_short_names(frame, system_names(result))
        .with_columns(place=pl.col("mode").replace_strict(order, default=len(order)))
        .sort("place", "mode", maintain_order=True)
        .with_columns(end=pl.col("n_runs").cast(pl.Int64).cum_sum().over("system"))
    )
    labels = [
        f"{row['system']}, {row['label'].lower()}: {row['n_runs']} failed runs "
        f"({show_number(row['share'], 'share')})"
        for row in placed.iter_rows(named=True)
    ]
    return placed.select(
        *("system", "mode", "n_runs", "end"),
        start=pl.col("end") - pl.col("n_runs"),
        name=pl.col("label").str.to_lowercase(),
        label=pl.Series(labels, dtype=pl.String),
    )


def plot_failure_modes(result: Result) -> Any:
    """One bar a system: its failed runs, cut by how they failed."""
    frame = failure_modes_data(result)
    present = dict(frame.select("mode", "name").unique(maintain_order=True).iter_rows())
    looks = {present[mode]: LIGHT[token] for mode, token in MODES.items() if mode in present}
    bars = (
        alt.Chart(rows(frame))
        .mark_bar(size=24, stroke=LIGHT["paper"], strokeWidth=1.5)
        .encode(
            alt.X("start:Q", title="failed runs", axis=alt.Axis(tickMinStep=1)),
            alt.X2("end:Q"),
            alt.Y(
                "system:N",
                title=None,
                sort=list(system_names(result).values()),
                axis=alt.Axis(ticks=False, domain=False),
            ),
            fill=alt.Fill(
                "name:N",
                title=None,
                scale=alt.Scale(domain=list(looks), range=list(looks.values())),
            ),
            description="label:N",
            tooltip=["label:N"],
        )
    )
    return themed(bars.properties(width=560, height=alt.Step(38)))


def failure_modes_caption(result: Result) -> str:
    """What the parts are, and n."""
    totals = failure_modes_data(result).group_by("system").agg(pl.col("end").max())
    sizes = counted(totals["end"].to_list(), "failed run")
    return (
        f"Failed runs by the first mode that fits, in the order of the legend ({sizes} a system "
        "that has any). These are counts; no interval is shown."
    )


PLOT: Final = Plot(
    name="failure_modes",
    title="How do failed runs fail?",
    kind="variance",
    tables=("systems", "failure_modes"),
    data=failure_modes_data,
    draw=plot_failure_modes,
    caption=failure_modes_caption,
)
