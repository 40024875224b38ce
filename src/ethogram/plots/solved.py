"""Tasks that a system solves always, sometimes and never: what steadiness amplifies."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_number

ORDER: Final = ("always", "sometimes", "never")
_FILLS: Final = {"always": "heat6", "sometimes": "heat3", "never": "heat1"}


def solved_data(result: Result) -> pl.DataFrame:
    """One row a system and class of tasks: ``system, solved, n_tasks, start, end, label``.

    ``start`` and ``end`` are where the class's part of the bar begins and ends (0 to 1).
    """
    frame = result.to_frame("amplification").filter(
        pl.col("solved").is_in(ORDER) & pl.col("task_share").is_not_null()
    )
    rank = pl.col("solved").replace_strict({name: i for i, name in enumerate(ORDER)})
    frame = with_short_names(frame, system_names(result)).with_columns(rank=rank)
    placed = frame.sort("rank", maintain_order=True).with_columns(
        end=pl.col("task_share").cum_sum().over("system")
    )
    labels = [
        f"{row['system']}: {row['n_tasks']} tasks {row['solved']} solved "
        f"({show_number(row['task_share'], 'share')})"
        for row in placed.iter_rows(named=True)
    ]
    return placed.select(
        *("system", "solved", "n_tasks", "end"),
        start=pl.col("end") - pl.col("task_share"),
        label=pl.Series(labels, dtype=pl.String),
    )


def plot_solved(result: Result) -> Any:
    """One bar a system, cut into always, sometimes and never."""
    frame = solved_data(result).with_columns(middle=(pl.col("start") + pl.col("end")) / 2)
    systems = list(system_names(result).values())
    y = alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False))
    bars = (
        alt.Chart(rows(frame))
        .mark_bar(size=24, stroke=LIGHT["paper"], strokeWidth=1.5)
        .encode(
            alt.X(
                "start:Q",
                title="share of tasks",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            alt.X2("end:Q"),
            y,
            fill=alt.Fill(
                "solved:N",
                title="solved",
                scale=alt.Scale(domain=list(ORDER), range=[LIGHT[_FILLS[name]] for name in ORDER]),
            ),
            description="label:N",
            tooltip=["label:N"],
        )
    )
    numbers = (
        alt.Chart(rows(frame.filter(pl.col("n_tasks") > 0)))
        .mark_text(fontSize=11, aria=False)
        .encode(
            alt.X("middle:Q"),
            y,
            text="n_tasks:Q",
            color=alt.condition(
                "datum.solved === 'always'",
                alt.value(LIGHT["on_heat_high"]),
                alt.value(LIGHT["on_heat_low"]),
            ),
        )
    )
    return themed(alt.layer(bars, numbers).properties(width=560, height=alt.Step(38)))


def solved_caption(result: Result) -> str:
    """What the parts are, and n."""
    totals = solved_data(result).group_by("system").agg(pl.col("n_tasks").sum())
    sizes = counted(totals["n_tasks"].to_list(), "task")
    return (
        f"Tasks that all, some or none of a system's runs solve ({sizes} a system with two or more "
        "known outcomes). These are counts of tasks; their intervals stand in the table."
    )


PLOT: Final = Plot(
    name="solved",
    title="Solved always, sometimes, never",
    kind="variance",
    tables=("systems", "amplification"),
    data=solved_data,
    draw=plot_solved,
    caption=solved_caption,
)
