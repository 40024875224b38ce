"""What the first actions of a run tell of its end."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval

_PREDICTORS: Final = (
    ("features", "system1", [1, 0]),
    ("progress", "system2", [6, 3]),
    ("length", "muted", [2, 2]),
)


def monitor_curves_data(result: Result) -> pl.DataFrame:
    """One row a number of actions and predictor: ``m, predictor, auc, low, high, label``."""
    frame = result.to_frame("monitor").filter(pl.col("auc").is_not_null())
    texts = [
        f"after {row['m']} actions, from {row['predictor']}: AUC "
        f"{show_interval(row['auc'], row['low'], row['high'])} ({row['n_runs']:,} runs)"
        for row in frame.iter_rows(named=True)
    ]
    return frame.select("m", "predictor", "auc", "low", "high").with_columns(
        label=pl.Series(texts, dtype=pl.String)
    )


def plot_monitor_curves(result: Result) -> Any:
    """A line a predictor with its band."""
    names = [name for name, _, _ in _PREDICTORS]
    colours = [LIGHT[token] for _, token, _ in _PREDICTORS]
    scale = alt.Scale(domain=names, range=colours)
    legend = alt.Legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    colour = alt.Color("predictor:N", scale=scale, title=None, legend=legend)
    base = alt.Chart(rows(monitor_curves_data(result))).encode(alt.X("m:Q", title="actions so far"))
    y = alt.Y("auc:Q", title="AUC of success", scale=alt.Scale(zero=False))
    band = base.mark_area(opacity=0.15).encode(alt.Y("low:Q"), alt.Y2("high:Q"), color=colour)
    line = base.mark_line(strokeWidth=2).encode(
        y,
        color=colour,
        strokeDash=alt.StrokeDash(
            "predictor:N",
            title=None,
            legend=legend,
            scale=alt.Scale(domain=names, range=[dash for _, _, dash in _PREDICTORS]),
        ),
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        y,
        color=colour,
        description="label:N",
        tooltip=["label:N"],
    )
    return themed(alt.layer(band, line, points).properties(width=520, height=260))


def monitor_curves_caption(result: Result) -> str:
    """Of which runs, and against what."""
    counts = result.to_frame("monitor")["n_runs"].to_list()
    return (
        f"Of the runs that are still going after so many actions ({counted(counts, 'run')}). "
        "Length: the same for all of them; progress: edited, verified, errors so far. Bands are "
        "intervals over tasks."
    )


PLOT: Final = Plot(
    name="monitor_curves",
    title="What the first actions tell",
    kind="consistency",
    tables=("systems", "monitor"),
    data=monitor_curves_data,
    draw=plot_monitor_curves,
    caption=monitor_curves_caption,
)
