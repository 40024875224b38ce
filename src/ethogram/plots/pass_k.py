"""What more tries give, and what relying on every try costs: pass@k and pass^k."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import system_colour, system_shape, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval

LABELS: Final = {"pass_at_k": "pass@k", "pass_hat_k": "pass^k"}


def pass_k_data(result: Result) -> pl.DataFrame:
    """One row a system, figure and k: ``system, figure, k, value, low, high, n_tasks, label``."""
    known = result.to_frame("pass_k").filter(pl.col("value").is_not_null())
    frame = with_short_names(known, system_names(result)).with_columns(
        pl.col("k").cast(pl.Int64), figure=pl.col("name").replace(LABELS)
    )
    labels = [
        f"{row['system']}, {row['figure'].replace('k', str(row['k']))}: "
        f"{show_interval(row['value'], row['low'], row['high'], row['unit'])}, "
        f"{row['n_tasks']} tasks"
        for row in frame.iter_rows(named=True)
    ]
    columns = ("system", "figure", "k", "value", "low", "high", "n_tasks")
    return frame.select(columns).with_columns(label=pl.Series(labels, dtype=pl.String))


def plot_pass_k(result: Result) -> Any:
    """Two curves a system that part at k = 1: at least one success of k runs, and k of k."""
    frame = pass_k_data(result)
    systems = list(system_names(result).values())
    ks = sorted(set(frame["k"].to_list()))
    x = alt.X(
        "k:Q",
        title="k runs of a task",
        axis=alt.Axis(values=ks, format="d", grid=False),
        scale=alt.Scale(domain=[min(ks, default=1) - 0.2, max(ks, default=1) + 0.2], nice=False),
    )
    y = alt.Y(
        "value:Q",
        title="share of tasks",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    base = alt.Chart(rows(frame)).encode(x, y, color=system_colour(systems))
    dash = alt.StrokeDash(
        "figure:N",
        title=None,
        scale=alt.Scale(domain=list(LABELS.values()), range=[[1, 0], [5, 4]]),
    )
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=dash, detail="figure:N")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=system_shape(systems), description="label:N", tooltip=["label:N"]
    )
    return themed(alt.layer(lines, points).properties(width=460, height=280))


def pass_k_caption(result: Result) -> str:
    """What the curves are, and n."""
    sizes = counted(pass_k_data(result)["n_tasks"].to_list(), "task")
    return (
        "Full lines: probability that at least one of k runs of a task succeeds (pass@k). Broken "
        f"lines: that all k do (pass^k). Means over {sizes}; the intervals over tasks stand in the "
        "table."
    )


PLOT: Final = Plot(
    name="pass_k",
    title="What more tries give, and what relying on each costs",
    kind="variance",
    tables=("systems", "pass_k"),
    data=pass_k_data,
    draw=plot_pass_k,
    caption=pass_k_caption,
)
