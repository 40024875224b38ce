"""BCM of all pairs beside BCM within a task (figure 2 of Banerjee and Raichura 2026)."""

from math import ceil, floor
from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, means_of, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result

_SCALES: Final = (
    ("cross_task_offset", "across tasks"),
    ("within_task_offset", "within a task"),
    ("global_offset", "all pairs"),
)
_COLOURS: Final = ("system1", "system3", "system7")
_HEIGHT: Final = 260
_BETWEEN_SYSTEMS: Final = 0.25
_STROKE_GAP: Final = 7
"""Pixels from one stroke of a hatch to the next."""
_RISE: Final = 0.5
"""Rise of a stroke over its width."""


def bcm_scales_data(result: Result) -> pl.DataFrame:
    """One row a system and set of pairs: ``system, pairs, value, low, high, null, few, label``.

    ``null``: the same with outcomes shuffled, where they were. ``few``: a BCM within tasks of fewer
    than ten of them, which is not to be judged.
    """
    parts = []
    for name, pairs in _SCALES:
        null = means_of(result, f"{name}_null").select("system", null="value", shown_null="shown")
        found = means_of(result, name).join(null, on="system", how="left", maintain_order="left")
        parts.append(found.with_columns(pairs=pl.lit(pairs)))
    few = with_short_names(result.to_frame("axes"), system_names(result)).filter("few_tasks")
    frame = pl.concat(parts).with_columns(
        few=(pl.col("pairs") == "within a task") & pl.col("system").is_in(few["system"].implode())
    )
    shuffled = pl.format("; with outcomes shuffled {}", "shown_null").fill_null("")
    note = pl.when("few").then(pl.lit("; too few tasks to be judged")).otherwise(pl.lit(""))
    return frame.select(
        "system",
        "pairs",
        "value",
        "low",
        "high",
        "null",
        "few",
        label=pl.format(
            "{}, {}: {} ({} tasks{}{})", "system", "pairs", "shown", "n_tasks", note, shuffled
        ),
    )


def hatch_data(frame: pl.DataFrame, *, low: float, high: float, width: float) -> pl.DataFrame:
    """Where the strokes of hatched bars lie: ``system, pairs, y``, over the height of each bar.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows of `bcm_scales_data`.
    low, high : float
        Ends of the axis.
    width : float
        Of a bar, in pixels.
    """
    unit = (high - low) / _HEIGHT
    margin = width * _RISE / 2 * unit
    strokes: list[dict[str, object]] = []
    for row in frame.filter("few").iter_rows(named=True):
        bottom, top = sorted((0.0, row["value"]))
        y = bottom + margin
        while y <= top - margin:
            strokes.append({"system": row["system"], "pairs": row["pairs"], "y": y})
            y += _STROKE_GAP * unit
    return pl.DataFrame(strokes, schema={"system": pl.String, "pairs": pl.String, "y": pl.Float64})


def _axis_ends(frame: pl.DataFrame) -> tuple[float, float]:
    """Tenths around all bars, intervals and nulls."""
    values = [
        value
        for name in ("value", "low", "high", "null")
        for value in frame[name].drop_nulls().to_list()
    ]
    return floor(10 * min([0.0, *values])) / 10, ceil(10 * max([0.1, *values])) / 10


def plot_bcm_scales(result: Result) -> Any:
    """Bars by system, hatched where there are too few tasks; a short line at each null."""
    frame = bcm_scales_data(result)
    systems = list(system_names(result).values())
    names = [pairs for _, pairs in _SCALES]
    width = max(360, min(760, 110 * len(systems)))
    bar = width / len(systems) * (1 - _BETWEEN_SYSTEMS) / len(names)
    low, high = _axis_ends(frame)
    x = alt.X(
        "system:N",
        title=None,
        sort=systems,
        scale=alt.Scale(paddingInner=_BETWEEN_SYSTEMS, paddingOuter=_BETWEEN_SYSTEMS / 2),
        axis=alt.Axis(labelAngle=0 if len(systems) < 5 else -30, ticks=False),
    )
    offset = alt.XOffset("pairs:N", sort=names, scale=alt.Scale(domain=names, padding=0))
    y_scale = alt.Scale(domain=[low, high])
    colours = alt.Scale(domain=names, range=[LIGHT[token] for token in _COLOURS])
    colour = alt.Color("pairs:N", title=None, scale=colours)
    base = alt.Chart(rows(frame)).encode(x, offset)
    y = alt.Y("value:Q", title="BCM, success offset", scale=y_scale)
    bars = base.mark_bar().encode(
        y,
        color=colour,
        fillOpacity=alt.condition("datum.few", alt.value(0.08), alt.value(1)),
        description="label:N",
        tooltip=["label:N"],
    )
    outlines = (
        base.transform_filter("datum.few")
        .mark_bar(filled=False, strokeWidth=1.2, aria=False)
        .encode(y, color=colour)
    )
    strokes = hatch_data(frame, low=low, high=high, width=bar)
    hatch = (
        alt.Chart(rows(strokes))
        .mark_point(
            shape=f"M-1,{_RISE}L1,{-_RISE}", size=bar**2, strokeWidth=1, opacity=1, filled=False
        )
        .encode(x, offset, alt.Y("y:Q"), color=colour)
    )
    ranges = base.mark_rule(strokeWidth=1.4, color=LIGHT["ink"]).encode(
        alt.Y("low:Q"), alt.Y2("high:Q")
    )
    nulls = (
        base.transform_filter("isValid(datum.null)")
        .mark_tick(color=LIGHT["system2"], thickness=2.5, size=bar * 0.9, opacity=1)
        .encode(alt.Y("null:Q"))
    )
    zero = (
        alt.Chart(rows(pl.DataFrame({"zero": [0]})))
        .mark_rule(color=LIGHT["axis"])
        .encode(alt.Y("zero:Q"))
    )
    hatched = [outlines, hatch] if strokes.height else []
    layers = [bars, *hatched, zero, ranges, nulls]
    return themed(alt.layer(*layers).properties(width=width, height=_HEIGHT))


def bcm_scales_caption(result: Result) -> str:
    """What the bars are."""
    frame = bcm_scales_data(result)
    few = (
        " Hatched: fewer than ten tasks with three runs, not to be judged."
        if frame["few"].any()
        else ""
    )
    n_without = frame["system"].n_unique() - frame.filter(pairs="within a task").height
    absent = f" {n_without} without a middle bar: no task with three runs." if n_without else ""
    tasks = counted(means_of(result, "cross_task_offset")["n_tasks"].to_list(), "task")
    shuffled = frame["null"].is_not_null().any()
    null = (
        " The short orange lines are what is left with outcomes shuffled within systems: only what "
        "stands above them says anything."
        if shuffled
        else ""
    )
    return (
        "Mean cosine of the attributions of two runs beyond their system's success rate; upright "
        f"lines are intervals over tasks ({tasks} a system).{null}{few}{absent}"
    )


PLOT: Final = Plot(
    name="bcm_scales",
    title="At one task and from task to task",
    kind="consistency",
    tables=("systems", "axes"),
    data=bcm_scales_data,
    draw=plot_bcm_scales,
    caption=bcm_scales_caption,
)
