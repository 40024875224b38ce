"""What a system's actions are spent on (figure 5 of Mehta 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import KINDS, LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval

_NARROW: Final = 0.035  # parts below this have no room for their letter


def phases_data(result: Result) -> pl.DataFrame:
    """One row a system and kind: ``system, kind, letter, share, start, end, label``.

    ``start`` and ``end`` are where the kind's part of the bar begins and ends (0 to 1).
    """
    looks = {look.kind: (place, look.letter) for place, look in enumerate(KINDS)}
    known = result.to_frame("phases").filter(
        (pl.col("name") == "phase_share")
        & pl.col("value").is_not_null()
        & pl.col("kind").is_in(list(looks))
    )
    labels = [
        f"{row['system']}, {row['kind']}: "
        + show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in with_short_names(known, system_names(result)).iter_rows(named=True)
    ]
    return (
        with_short_names(known, system_names(result))
        .with_columns(
            share=pl.col("value") / pl.col("value").sum().over("system"),
            label=pl.Series(labels, dtype=pl.String),
            place=pl.col("kind").replace_strict({k: v[0] for k, v in looks.items()}),
            letter=pl.col("kind").replace_strict({k: v[1] for k, v in looks.items()}),
        )
        .sort("place", maintain_order=True)
        .with_columns(end=pl.col("share").cum_sum().over("system"))
        .with_columns(start=pl.col("end") - pl.col("share"))
        .select("system", "kind", "letter", "share", "start", "end", "label")
    )


def plot_phases(result: Result) -> Any:
    """One bar a system, cut into the kinds of its actions."""
    frame = phases_data(result).with_columns(
        middle=(pl.col("start") + pl.col("end")) / 2,
        key=pl.format("{} {}", "letter", "kind"),
        ink=pl.format("on_{}", "kind").replace_strict(LIGHT, default=None),
    )
    keys = {f"{look.letter} {look.kind}": LIGHT[look.kind] for look in KINDS}
    y = alt.Y(
        "system:N",
        title=None,
        sort=list(system_names(result).values()),
        axis=alt.Axis(ticks=False, domain=False),
    )
    bars = (
        alt.Chart(rows(frame))
        .mark_bar(size=26, stroke=LIGHT["paper"], strokeWidth=1.5)
        .encode(
            alt.X(
                "start:Q",
                title="share of all actions",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            alt.X2("end:Q"),
            y,
            fill=alt.Fill(
                "key:N",
                title=None,
                scale=alt.Scale(domain=list(keys), range=list(keys.values())),
            ),
            description="label:N",
            tooltip=["label:N"],
        )
    )
    letters = (
        alt.Chart(rows(frame.filter(pl.col("share") >= _NARROW)))
        .mark_text(fontSize=11, aria=False)
        .encode(alt.X("middle:Q"), y, text="letter:N", color=alt.Color("ink:N", scale=None))
    )
    return themed(alt.layer(bars, letters).properties(width=560, height=alt.Step(40)))


def phases_caption(result: Result) -> str:
    """What the parts are, and n."""
    known = result.to_frame("phases").filter(pl.col("name") == "phase_share")
    sizes = counted(known["n_runs"].to_list(), "run")
    return (
        f"Kinds of all actions of a system's runs together ({sizes} a system), so long runs weigh "
        "more. Intervals over tasks stand in the table and in the tips."
    )


PLOT: Final = Plot(
    name="phases",
    title="What are actions spent on?",
    kind="variance",
    tables=("systems", "phases"),
    data=phases_data,
    draw=plot_phases,
    caption=phases_caption,
)
