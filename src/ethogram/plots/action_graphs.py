"""Action graphs of the runs of a task beside each other (figure 4 of Yang et al. 2026)."""

from typing import Any, Final

import altair as alt
import numpy as np
import polars as pl

from ethogram.plots.plot import Plot, rows
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.names import elide, short_names

MAX_RUNS: Final = 6
MAX_CALLS: Final = 40
ROW: Final = 26
COLUMN: Final = 250
_LABEL_CHARS: Final = 30
_ARC_POINTS: Final = 33
_ARC_REACH: Final = 0.36
"""Widest arc, in columns."""
_LEFT: Final = -0.1
"""Place of the nodes within their column."""
_GAP: Final = 0.06
_EFFECTS: Final = ("read", "write", "none")
_COLOURS: Final = ("understand", "edit", "axis")
_SHAPES: Final = ("circle", "square", "diamond")


def action_graphs_data(result: Result) -> pl.DataFrame:
    """One row a call: ``run, column, position, tool, shown, effect, is_error, role, label``.

    The first run of each system, at most six; at most 40 calls of each.
    """
    nodes = result.to_frame("nodes")
    firsts = nodes.group_by("system", maintain_order=True).agg(pl.col("run_id").first())
    firsts = firsts.head(MAX_RUNS).with_row_index("column")
    names = short_names(firsts["system"].to_list(), 24)
    drawn = nodes.join(firsts, on=["system", "run_id"], maintain_order="left").filter(
        pl.col("position") <= MAX_CALLS
    )
    outcome = (
        pl.when(pl.col("success").is_null())
        .then(pl.lit(""))
        .when(pl.col("success"))
        .then(pl.lit(", succeeded"))
        .otherwise(pl.lit(", failed"))
    )
    shown = [elide(tool, _LABEL_CHARS) for tool in drawn["tool"]]
    failed = pl.when(pl.col("is_error")).then(pl.lit(", failed")).otherwise(pl.lit(""))
    effect = pl.col("effect").fill_null("none")
    return drawn.select(
        "run_id",
        pl.col("column").cast(pl.Int64),
        "position",
        "tool",
        "is_error",
        "role",
        run=pl.col("system").replace(names) + outcome,
        shown=pl.Series(shown, dtype=pl.String),
        effect=effect,
        optional=pl.col("role") == "optional",
        label=pl.format("{}: {} ({}, {}{})", "position", "tool", effect, "role", failed),
    )


def plot_action_graphs(result: Result) -> Any:
    """Calls from top to bottom, one column a run; arcs are dependencies, dashes mere order."""
    nodes = action_graphs_data(result)
    n_columns = int(nodes["column"].max() or 0) + 1  # type: ignore[arg-type]
    n_rows = int(nodes["position"].max() or 1)  # type: ignore[arg-type]
    axes = (
        alt.X("x:Q", scale=alt.Scale(domain=[-0.5, n_columns - 0.5], nice=False), axis=None),
        alt.Y("y:Q", scale=alt.Scale(domain=[n_rows + 0.6, -0.2], nice=False), axis=None),
    )
    placed = nodes.with_columns(x=pl.col("column") + _LEFT, y=pl.col("position"))
    layers = (
        _edge_layer(line_points(result, nodes), axes),
        _node_layer(placed, axes),
        _name_layer(placed, axes),
        _head_layer(nodes, axes),
    )
    return themed(
        alt.layer(*layers).properties(width=COLUMN * n_columns, height=ROW * (n_rows + 1))
    )


def _edge_layer(points: pl.DataFrame, axes: tuple[alt.X, alt.Y]) -> Any:
    kinds = ["dependency", "sequential"]
    colours = [LIGHT["system1"], LIGHT["axis"]]
    dashes = [[1, 0], [3, 3]]
    return (
        alt.Chart(rows(points))
        .mark_line(strokeWidth=1.5)
        .encode(
            *axes,
            alt.Detail("edge:N"),
            alt.Order("order:Q"),
            alt.Color("type:N", scale=alt.Scale(domain=kinds, range=colours), legend=None),
            alt.StrokeDash("type:N", scale=alt.Scale(domain=kinds, range=dashes), legend=None),
        )
    )


def _node_layer(placed: pl.DataFrame, axes: tuple[alt.X, alt.Y]) -> Any:
    effects = list(_EFFECTS)
    colours = [LIGHT[token] for token in _COLOURS]
    return (
        alt.Chart(rows(placed))
        .mark_point(size=150, filled=True, opacity=1, strokeWidth=2)
        .encode(
            *axes,
            fill=alt.Fill(
                "effect:N",
                title=None,
                scale=alt.Scale(domain=effects, range=colours),
                legend=alt.Legend(orient="top", symbolStrokeWidth=0),
            ),
            shape=alt.Shape(
                "effect:N", title=None, scale=alt.Scale(domain=effects, range=list(_SHAPES))
            ),
            stroke=alt.condition(
                "datum.is_error", alt.value(LIGHT["failure"]), alt.value(LIGHT["paper"])
            ),
            description="label:N",
            tooltip=["label:N"],
        )
    )


def _name_layer(placed: pl.DataFrame, axes: tuple[alt.X, alt.Y]) -> Any:
    beside = placed.with_columns(x=pl.col("x") + _GAP)
    colour = alt.condition("datum.optional", alt.value(LIGHT["system2"]), alt.value(LIGHT["ink"]))
    mark = alt.Chart(rows(beside)).mark_text(align="left", fontSize=11, aria=False)
    return mark.encode(*axes, text="shown:N", color=colour)


def _head_layer(nodes: pl.DataFrame, axes: tuple[alt.X, alt.Y]) -> Any:
    heads = nodes.select("column", "run").unique(maintain_order=True)
    placed = heads.with_columns(x=pl.col("column") + _LEFT - 0.04, y=pl.lit(0.1))
    mark = alt.Chart(rows(placed)).mark_text(
        align="left", fontSize=12, fontWeight="bold", color=LIGHT["ink"]
    )
    return mark.encode(*axes, text="run:N")


def line_points(result: Result, nodes: pl.DataFrame) -> pl.DataFrame:
    """Points of the lines of edges: ``edge, type, order, x, y``, x in columns, y in calls."""
    columns = dict(nodes.select("run_id", "column").unique().iter_rows())
    last = dict(nodes.group_by("run_id").agg(pl.col("position").max()).iter_rows())
    points: list[dict[str, Any]] = []
    shown = result.to_frame("edges").filter(pl.col("run_id").is_in(list(columns)))
    for number, edge in enumerate(shown.iter_rows(named=True)):
        if max(edge["source"], edge["target"]) > last[edge["run_id"]]:
            continue
        xs, ys = _line(edge["type"], edge["source"], edge["target"], longest=max(last.values()))
        points += [
            {
                "edge": number,
                "type": edge["type"],
                "order": order,
                "x": columns[edge["run_id"]] + _LEFT + x,
                "y": y,
            }
            for order, (x, y) in enumerate(zip(xs.tolist(), ys.tolist(), strict=True))
        ]
    schema = {
        "edge": pl.Int64,
        "type": pl.String,
        "order": pl.Int64,
        "x": pl.Float64,
        "y": pl.Float64,
    }
    return pl.DataFrame(points, schema=schema)


def _line(kind: str, source: int, target: int, *, longest: int) -> tuple[Any, Any]:
    """A straight line down, or an arc to the left that reaches the further the more it spans."""
    if kind == "sequential":
        return np.zeros(2), np.array([source + 0.27, target - 0.27])
    angle = np.linspace(0.0, np.pi, _ARC_POINTS)
    reach = 0.06 + (_ARC_REACH - 0.06) * min(1.0, (target - source) / max(6, longest))
    middle, half = (source + target) / 2, (target - source) / 2
    return -0.02 - reach * np.sin(angle), middle - half * np.cos(angle)


def action_graphs_caption(result: Result) -> str:
    """What lines and colours mean."""
    nodes = result.to_frame("nodes")
    left_out = nodes["system"].n_unique() - MAX_RUNS
    more = f" {left_out} more systems are not shown." if left_out > 0 else ""
    if nodes["effect"].is_null().any():
        more = f"{more} Calls that nothing labels as read or write are drawn as none."
    return (
        f"Task {nodes['task'][0]}: calls from top to bottom, the first run of each system. Arcs on "
        "the left: the lower call was given something that the upper one had returned. Dashes: "
        "mere order. Names in colour are optional tools (some, but not all, successful systems "
        f"used them); a red rim marks a call that failed.{more}"
    )


PLOT: Final = Plot(
    name="action_graphs",
    title="What was passed on",
    kind="action_graphs",
    tables=("nodes", "edges"),
    data=action_graphs_data,
    draw=plot_action_graphs,
    caption=action_graphs_caption,
)
