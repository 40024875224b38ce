"""BCM across tasks when predictor, attribution, similarity or features change, as a heat map."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import HEAT_LEVELS, LIGHT, themed
from ethogram.results import Result
from ethogram.results.numbers import show_number


def bcm_sensitivity_data(result: Result) -> pl.DataFrame:
    """One row a setting and system: ``setting, system, value, rank, shown, level, label``.

    ``rank`` within the setting, 1 the highest; ``level`` from 0 (lowest rank) to 6.
    """
    frame = result.to_frame("sensitivity").filter(pl.col("value").is_not_null())
    taus = result.to_frame("orderings").select("setting", "tau")
    ranked = with_short_names(frame, system_names(result)).with_columns(
        rank=pl.col("value").rank("min", descending=True).over("setting"),
        n=pl.len().over("setting"),
    )
    texts = [show_number(value, "correlation") for value in ranked["value"]]
    level = (pl.col("n") - pl.col("rank")) / pl.max_horizontal(pl.col("n").cast(pl.Int64) - 1, 1)
    return (
        ranked.join(taus, on="setting", how="left", maintain_order="left")
        .with_columns(
            shown=pl.Series(texts, dtype=pl.String),
            level=(level * (HEAT_LEVELS - 1)).round().cast(pl.Int64),
        )
        .select(
            "setting",
            "system",
            "value",
            "rank",
            "tau",
            "shown",
            "level",
            label=pl.format("{}, {}: {}, rank {} of {}", "setting", "system", "shown", "rank", "n"),
        )
    )


def plot_bcm_sensitivity(result: Result) -> Any:
    """Settings down, systems across; darker: higher rank."""
    frame = bcm_sensitivity_data(result)
    systems = [name for name in system_names(result).values() if name in set(frame["system"])]
    levels = list(range(HEAT_LEVELS))
    base = alt.Chart(rows(frame)).encode(
        alt.X(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(orient="top", labelAngle=-35, ticks=False, domain=False),
        ),
        alt.Y("setting:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    cells = base.mark_rect(stroke=LIGHT["paper"], strokeWidth=2, cornerRadius=2).encode(
        fill=alt.Fill(
            "level:N",
            scale=alt.Scale(domain=levels, range=[LIGHT[f"heat{level}"] for level in levels]),
            legend=None,
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    numbers = base.mark_text(fontSize=10, aria=False).encode(
        text="shown:N",
        color=alt.condition(
            f"datum.level >= {HEAT_LEVELS // 2 + 1}",
            alt.value(LIGHT["on_heat_high"]),
            alt.value(LIGHT["on_heat_low"]),
        ),
    )
    return themed(alt.layer(cells, numbers).properties(width=alt.Step(70), height=alt.Step(22)))


def bcm_sensitivity_caption(result: Result) -> str:
    """How far the order holds."""
    taus = result.to_frame("orderings").filter(pl.col("aspect") != "default")["tau"].drop_nulls()
    ends = sorted(taus.to_list())
    span = " to ".join(
        show_number(value, "correlation") for value in ends[:: max(1, len(ends) - 1)]
    )
    held = f" Kendall's tau with the default's order: {span}." if ends else ""
    frame = bcm_sensitivity_data(result)
    n_systems, n_settings = frame["system"].n_unique(), frame["setting"].n_unique()
    return (
        f"{counted([n_systems], 'system')} under {n_settings} settings; darker: higher rank within "
        "a setting. Raw but for the rows with success offset, so that "
        f"the figures are not to be read, only whether their order holds.{held}"
    )


PLOT: Final = Plot(
    name="bcm_sensitivity",
    title="Does the order of systems hold?",
    kind="consistency",
    tables=("systems", "sensitivity", "orderings"),
    data=bcm_sensitivity_data,
    draw=plot_bcm_sensitivity,
    caption=bcm_sensitivity_caption,
)
