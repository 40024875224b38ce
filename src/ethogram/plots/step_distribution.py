"""How many actions runs take, by system and outcome."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, system_colour, themed
from ethogram.results import Result


def step_distribution_data(result: Result) -> pl.DataFrame:
    """One row a system: ``system, n_runs, low, lower, median, upper, high, label``.

    Smallest and largest number of actions of its runs, quartiles and median.
    """
    counts = result.to_frame("step_counts").filter(pl.col("n_actions").is_not_null())
    value = pl.col("n_actions")
    frame = counts.group_by("system", maintain_order=True).agg(
        n_runs=pl.len(),
        low=value.min(),
        lower=value.quantile(0.25, "linear"),
        median=value.median(),
        upper=value.quantile(0.75, "linear"),
        high=value.max(),
    )
    return with_short_names(frame, system_names(result)).with_columns(
        label=pl.format(
            "{}: median {}, quartiles {} and {}, from {} to {} actions ({} runs)",
            *("system", "median", "lower", "upper", "low", "high", "n_runs"),
        )
    )


def plot_step_distribution(result: Result) -> Any:
    """A tick a run, a box for the middle half of the runs, a line for the median."""
    systems = list(system_names(result).values())
    ticks = with_short_names(
        result.to_frame("step_counts").filter(pl.col("n_actions").is_not_null()),
        system_names(result),
    ).select("system", "n_actions")
    y = alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False))
    colour = system_colour(systems, legend=None)
    runs = (
        alt.Chart(rows(ticks))
        .mark_tick(size=14, opacity=0.5, thickness=1.5, yOffset=10, aria=False)
        .encode(
            alt.X("n_actions:Q", title="actions of a run", scale=alt.Scale(zero=True)),
            y,
            color=colour,
        )
    )
    base = alt.Chart(rows(step_distribution_data(result))).encode(y)
    spread = base.mark_bar(size=12, opacity=0.8, yOffset=-7, cornerRadius=2).encode(
        alt.X("lower:Q"),
        alt.X2("upper:Q"),
        color=colour,
        description="label:N",
        tooltip=["label:N"],
    )
    middle = base.mark_tick(
        size=12, thickness=2.5, color=LIGHT["paper"], yOffset=-7, aria=False
    ).encode(alt.X("median:Q"))
    return themed(alt.layer(runs, spread, middle).properties(width=560, height=alt.Step(48)))


def step_distribution_caption(result: Result) -> str:
    """What box, line and ticks are."""
    sizes = counted(step_distribution_data(result)["n_runs"].to_list(), "run")
    return (
        f"Each tick is a run ({sizes} a system). The bar spans the middle half of the runs, the "
        "line in it is the median; no interval is shown."
    )


PLOT: Final = Plot(
    name="step_distribution",
    title="How long are the runs?",
    kind="variance",
    tables=("systems", "step_counts"),
    data=step_distribution_data,
    draw=plot_step_distribution,
    caption=step_distribution_caption,
)
