"""All pairs of systems as a heat map beside its dendrogram: whom each behaves like."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows
from ethogram.plots.theme import HEAT_LEVELS, LIGHT, themed
from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval, show_number

MAX_SYSTEMS: Final = 30
MEASURES: Final = ("ags", "s_dep", "s_seq")
"""What is drawn: the first of these that has a value for some pair."""
_CELL: Final = 46
_TREE: Final = 90
_NUMBERS_UP_TO: Final = 14


def _measure(result: Result) -> str:
    """The first measure with a value for some pair; the first of all where there is none."""
    known = result.to_frame("similarity").filter(pl.col("value").is_not_null())["name"]
    return next((name for name in MEASURES if name in set(known)), MEASURES[0])


def _order(result: Result) -> list[str]:
    """Systems in the order of the dendrogram's leaves, else by name."""
    pairs = result.to_frame("similarity")
    systems = sorted({*pairs["first"], *pairs["second"]})
    if "order" not in result.tables:
        return systems
    frame = result.to_frame("order").filter(pl.col("name") == _measure(result))
    return frame.sort("place")["system"].to_list() or systems


def similarity_matrix_data(result: Result) -> pl.DataFrame:
    """One row a cell: ``row, column, value, shown, level, label``; each pair twice.

    ``level``: 0 (least) to 6 (most), over the range of the values.
    """
    name = _measure(result)
    frame = result.to_frame("similarity").filter(
        pl.col("name") == name, pl.col("value").is_not_null()
    )
    names = short_names(_order(result), 32)
    mirrored = frame.rename({"first": "second", "second": "first"}).select(frame.columns)
    both = pl.concat([frame, mirrored]).filter(
        pl.col("first").is_in(list(names)) & pl.col("second").is_in(list(names))
    )
    low, high = both["value"].min(), both["value"].max()
    span = pl.when(pl.lit(high) == pl.lit(low)).then(1.0).otherwise(pl.lit(high) - pl.lit(low))
    texts = [show_number(100 * value, "count") for value in both["value"]]
    told = [
        show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in both.iter_rows(named=True)
    ]
    return both.select(
        row=pl.col("first").replace(names),
        column=pl.col("second").replace(names),
        value="value",
        shown=pl.Series(texts, dtype=pl.String),
        level=((pl.col("value") - low) / span * (HEAT_LEVELS - 1)).round().cast(pl.Int64),
        label=pl.format(
            "{} and {}: {} ({} tasks)",
            pl.col("first").replace(names),
            pl.col("second").replace(names),
            pl.Series(told, dtype=pl.String),
            "n_tasks",
        ),
    )


def plot_similarity_matrix(result: Result) -> Any:
    """Systems by systems, darker the more alike; the tree joins what is most alike first."""
    frame = similarity_matrix_data(result)
    order = list(short_names(_order(result), 32).values())
    n = len(order)
    step = _CELL if n <= _NUMBERS_UP_TO else 24
    heat = _heat(frame, order, with_numbers=n <= _NUMBERS_UP_TO)
    cells = heat.properties(width=alt.Step(step), height=alt.Step(step))
    tree = _branches(result)
    if tree.is_empty():
        return themed(cells)
    drawn = (
        alt.Chart(rows(tree))
        .mark_line(color=LIGHT["muted"], strokeWidth=1.4)
        .encode(
            alt.X(
                "height:Q",
                title="1 - similarity",
                scale=alt.Scale(nice=False, domainMin=0),
                axis=alt.Axis(tickCount=3, format=".0%", grid=False, orient="bottom"),
            ),
            alt.Y(
                "place:Q",
                scale=alt.Scale(domain=[-0.5, n - 0.5], nice=False, reverse=True),
                axis=None,
            ),
            alt.Detail("branch:N"),
            alt.Order("order:Q"),
        )
        .properties(width=_TREE, height=step * n)
    )
    return themed(alt.hconcat(cells, drawn, spacing=8))


def _heat(frame: pl.DataFrame, order: list[str], *, with_numbers: bool) -> Any:
    levels = list(range(HEAT_LEVELS))
    base = alt.Chart(rows(frame)).encode(
        alt.X(
            "column:N",
            title=None,
            sort=order,
            scale=alt.Scale(domain=order),
            axis=alt.Axis(orient="top", labelAngle=-40, ticks=False, domain=False),
        ),
        alt.Y(
            "row:N",
            title=None,
            sort=order,
            scale=alt.Scale(domain=order),
            axis=alt.Axis(ticks=False, domain=False),
        ),
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
    if not with_numbers:
        return cells
    numbers = base.mark_text(fontSize=11, aria=False).encode(
        text="shown:N",
        color=alt.condition(
            f"datum.level >= {HEAT_LEVELS // 2 + 1}",
            alt.value(LIGHT["on_heat_high"]),
            alt.value(LIGHT["on_heat_low"]),
        ),
    )
    return alt.layer(cells, numbers)


def _branches(result: Result) -> pl.DataFrame:
    """Corner points of the dendrogram: ``branch, order, place, height``."""
    schema = {"branch": pl.Int64, "order": pl.Int64, "place": pl.Float64, "height": pl.Float64}
    if "merges" not in result.tables:
        return pl.DataFrame(schema=schema)
    merges = result.to_frame("merges").filter(pl.col("name") == _measure(result))
    n = merges.height + 1
    centres: dict[int, tuple[float, float]] = {leaf: (float(leaf), 0.0) for leaf in range(n)}
    points = []
    for row in merges.iter_rows(named=True):
        (left, low), (right, high), top = centres[row["left"]], centres[row["right"]], row["height"]
        corners = [(left, low), (left, top), (right, top), (right, high)]
        points += [
            {"branch": row["step"], "order": order, "place": place, "height": height}
            for order, (place, height) in enumerate(corners)
        ]
        centres[n + row["step"]] = ((left + right) / 2, top)
    return pl.DataFrame(points, schema=schema)


def similarity_matrix_caption(result: Result) -> str:
    """What is drawn, and how to read it."""
    name = _measure(result)
    frame = result.to_frame("similarity").filter(name=name)
    tasks = frame["n_tasks"].to_list()
    label = frame["label"][0]
    return (
        f"{label} of each pair in %, mean over {min(tasks)} to {max(tasks)} tasks; darker: more "
        "alike within this figure. Systems are ordered so that what is alike stands together. "
        "Alike is consistent with a common origin and proves none."
    )


PLOT: Final = Plot(
    name="similarity_matrix",
    title="Who behaves like whom",
    kind="similarity",
    tables=("similarity",),
    data=similarity_matrix_data,
    draw=plot_similarity_matrix,
    caption=similarity_matrix_caption,
)
