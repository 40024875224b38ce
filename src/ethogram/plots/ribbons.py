"""Ribbons: what the runs of a task did, one row a run, one cell an action.

The plot this package is named for. Cells are coloured and lettered by kind (or, where an action
counts as a tool or a command, by the most frequent of these); runs of a task are aligned at their
first action; the line marks the first action at which not all runs of a system agree; the sign
behind a ribbon says how the run ended.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows
from ethogram.plots.theme import KINDS, LIGHT, N_SYSTEM_COLOURS, themed
from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.traces import KIND

OUTCOMES: Final = {True: "success", False: "failure", None: "not recorded"}
SIGNS: Final = {
    "success": "M-1,0L-0.3,0.7L1,-0.8",
    "failure": "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7",
    "not recorded": "M-0.6,0L0.6,0",
}
SIGN_COLOURS: Final = {
    "success": LIGHT["success"],
    "failure": LIGHT["failure"],
    "not recorded": LIGHT["muted"],
}
_GROUP_GAP: Final = 2.0  # rows between groups, with room for the heading
_HEADING: Final = 1.2
_ROW_FILL: Final = 0.86
_FULL_CELL: Final = 15
_LEAST_CELL: Final = 4
_WIDTH: Final = 900
_LETTER_FROM: Final = 9  # a cell narrower than this (in pixels) has no room for its letter


class Symbol(NamedTuple):
    """How a symbol of the alphabet looks."""

    symbol: str
    letter: str
    colour: str
    """Token of its colour."""
    on_colour: str
    """Token of the letter upon it."""
    about: str


REST: Final = Symbol("any other", "·", "other", "on_other", "")


def ribbon_symbols(result: Result) -> list[Symbol]:
    """The symbols that stand out, with colour and letter; the rest share the look of `other`.

    Kinds have fixed looks. In any other alphabet the seven most frequent symbols (ties by name)
    take the colours of systems and the first free letter of their names.
    """
    if result.provenance.parameters.get("alphabet") == "kind":
        return [
            Symbol(look.kind, look.letter, look.kind, f"on_{look.kind}", look.about)
            for look in KINDS
        ]
    counts = (
        result.to_frame("actions")
        .group_by("symbol")
        .len()
        .sort("len", "symbol", descending=[True, False])
        .head(N_SYSTEM_COLOURS)
    )
    taken: set[str] = set()
    found = []
    for place, name in enumerate(counts["symbol"].to_list(), start=1):
        letter = _free_letter(name, taken)
        taken.add(letter)
        found.append(Symbol(name, letter, f"system{place}", "paper", ""))
    return found


def _free_letter(name: str, taken: set[str]) -> str:
    letters = [letter for letter in name.upper() if letter.isascii() and letter.isalnum()]
    return next((x for x in [*letters, *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"] if x not in taken), "?")


def ribbons_data(result: Result) -> pl.DataFrame:
    """One row an action: where it stands, how it looks, what it says.

    Columns ``task, system, run_id, row, position, symbol, letter, colour, on_colour,
    shown_symbol`` (of a rare symbol: any other), ``is_error, text``, in drawing order. Positions
    are counted from 1.
    """
    looks = ribbon_symbols(result)
    names = [look.symbol for look in looks]
    runs = result.to_frame("runs").select("task", "system", "run_id", "row")
    actions = result.to_frame("actions")
    columns = {
        field: pl.col("symbol").replace_strict(
            names,
            [getattr(look, field) for look in looks],
            default=getattr(REST, field),
            return_dtype=pl.String,
        )
        for field in ("symbol", "letter", "colour", "on_colour")
    }
    columns["shown_symbol"] = columns.pop("symbol")
    return (
        runs.with_row_index("order")
        .join(actions, on="run_id", how="inner")
        .sort("order", "position")
        .with_columns(**columns)
        .select(
            *("task", "system", "run_id", "row", "position", "symbol"),
            *columns,
            pl.col("is_error").fill_null(value=False),
            pl.col("text").fill_null(""),
        )
    )


def plot_ribbons(result: Result, *, task: str | None = None) -> Any:
    """Ribbons as an Altair chart.

    Parameters
    ----------
    result : Result
        Of kind ``traces``.
    task : str, optional
        Show this task only; by default all that the result holds, below each other.
    """
    runs = result.to_frame("runs")
    placed = _placed(runs if task is None else runs.filter(pl.col("task") == task))
    longest = max([8, *placed["n_actions"].to_list()])
    height = max([1.0, *(placed["y"] + 1).to_list()])
    cell = max(_LEAST_CELL, min(_FULL_CELL, _WIDTH / longest))
    x = alt.X(
        title="action",
        scale=alt.Scale(domain=[0, longest + 2], nice=False),
        axis=alt.Axis(
            values=[place - 0.5 for place in _ticks(longest)],
            labelExpr="datum.value + 0.5",
            grid=False,
            domain=False,
        ),
    )
    y = alt.Y(axis=None, scale=alt.Scale(domain=[height, -_HEADING], nice=False))
    cells = _drawn_cells(ribbons_data(result), placed)
    keys = {
        f"{look.letter} {look.symbol}": LIGHT[look.colour]
        for look in (*ribbon_symbols(result), REST)
        if look.symbol in set(cells["shown_symbol"])
    }
    layers = [
        *_cells(cells, keys, x, y, letters=cell >= _LETTER_FROM),
        *_run_marks(placed, x, y),
        *_group_marks(_groups(placed), x, y),
    ]
    return themed(
        alt.layer(*layers).properties(
            title="" if task is None else task,
            width=round(cell * (longest + 2)),
            height=round(_FULL_CELL * (height + _HEADING)),
        )
    )


def _placed(runs: pl.DataFrame) -> pl.DataFrame:
    """Runs with ``y``, the top of their row: groups below each other with room for a heading."""
    systems = short_names(runs["system"].to_list(), 60)
    tasks = short_names(runs["task"].to_list(), 60)
    return runs.with_columns(
        y=pl.int_range(pl.len())
        + _GROUP_GAP * pl.struct("task", "system").rle_id().cast(pl.Float64),
        shown_system=pl.col("system").replace(systems),
        shown_task=pl.col("task").replace(tasks),
        outcome=pl.col("success").map_elements(
            OUTCOMES.__getitem__, return_dtype=pl.String, skip_nulls=False
        ),
    )


def _drawn_cells(actions: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    return actions.join(placed.select("run_id", "y"), on="run_id").with_columns(
        left=pl.col("position") - 0.96,
        right=pl.col("position") - 0.04,
        bottom=pl.col("y") + _ROW_FILL,
        middle=pl.col("y") + _ROW_FILL / 2,
        centre=pl.col("position") - 0.5,
        key=pl.format("{} {}", "letter", "shown_symbol"),
        ink=pl.col("on_colour").replace_strict(LIGHT, return_dtype=pl.String),
        label=pl.format("{}. {}: {}", "position", "symbol", "text"),
    )


def _cells(
    frame: pl.DataFrame, keys: Mapping[str, str], x: alt.X, y: alt.Y, *, letters: bool
) -> list[alt.Chart]:
    """Cells, their letters, and a bar under each action that went wrong."""
    base = alt.Chart(rows(frame))
    cells = base.mark_rect(cornerRadius=1).encode(
        _at(x, "left"),
        _at(y, "y"),
        alt.X2("right:Q"),
        alt.Y2("bottom:Q"),
        fill=alt.Fill("key:N", title=None, scale=_scale(keys)),
        description="label:N",
        tooltip=[alt.Tooltip("label:N", title=" ")],
    )
    errors = (
        alt.Chart(rows(frame.filter("is_error")))
        .mark_rule(color=LIGHT["failure"], strokeWidth=2)
        .encode(_at(x, "left"), _at(y, "bottom"), alt.X2("right:Q"))
    )
    if not letters:
        return [cells, errors]
    text = base.mark_text(fontSize=9, aria=False).encode(
        _at(x, "centre"), _at(y, "middle"), text="letter:N", color=alt.Color("ink:N", scale=None)
    )
    return [cells, text, errors]


def _run_marks(placed: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Number of each run before its ribbon, the sign of its outcome behind it."""
    frame = placed.with_columns(
        middle=pl.col("y") + _ROW_FILL / 2,
        number=pl.coalesce(pl.col("trial"), pl.col("row") + 1).cast(pl.String),
        start=0.0,
        end=pl.col("n_actions") + 0.75,
        label=pl.format("{}, ended: {}", "outcome", pl.col("ending").fill_null("not recorded")),
    )
    base = alt.Chart(rows(frame))
    numbers = base.mark_text(
        align="right", dx=-6, fontSize=10, color=LIGHT["muted"], aria=False
    ).encode(_at(x, "start"), _at(y, "middle"), text="number:N")
    signs = base.mark_point(size=46, strokeWidth=2, opacity=1).encode(
        _at(x, "end"),
        _at(y, "middle"),
        shape=alt.Shape("outcome:N", legend=None, scale=_scale(SIGNS)),
        stroke=alt.Stroke("outcome:N", legend=None, scale=_scale(SIGN_COLOURS)),
        description="label:N",
        tooltip=[alt.Tooltip("label:N", title=" ")],
    )
    return [numbers, signs]


def _group_marks(groups: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Heading of each group and the line before the first action at which its runs differ."""
    headings = (
        alt.Chart(rows(groups))
        .mark_text(align="left", fontSize=12, color=LIGHT["ink"], aria=False)
        .encode(_at(x, "start"), _at(y, "heading_y"), text="heading:N")
    )
    split = rows(groups.filter(pl.col("divergence").is_not_null()))
    line = (
        alt.Chart(split)
        .mark_rule(color=LIGHT["ink"], strokeWidth=1.5, aria=False)
        .encode(_at(x, "divergence_x"), _at(y, "top"), alt.Y2("bottom:Q"))
    )
    flag = (
        alt.Chart(split)
        .mark_point(shape="triangle-down", filled=True, size=40, opacity=1, color=LIGHT["ink"])
        .encode(_at(x, "divergence_x"), _at(y, "top"), description="flag:N")
    )
    return [headings, line, flag]


def _groups(placed: pl.DataFrame) -> pl.DataFrame:
    several = placed["task"].n_unique() > 1
    name = pl.format("{} · {}", "shown_task", "shown_system") if several else pl.col("shown_system")
    return (
        placed.group_by("task", "system", maintain_order=True)
        .agg(
            name=name.first(),
            top=pl.col("y").min() - 0.25,
            bottom=pl.col("y").max() + _ROW_FILL + 0.1,
            divergence=pl.col("divergence").first(),
            known=pl.col("success").count(),
            solved=pl.col("success").sum(),
        )
        .with_columns(
            start=0.0,
            heading_y=pl.col("top") - 0.75,
            divergence_x=pl.col("divergence") - 1.0,
            flag=pl.format("the runs first differ at action {}", "divergence"),
            heading=pl.when(pl.col("known") > 0)
            .then(pl.format("{} — {} of {} succeeded", "name", "solved", "known"))
            .otherwise(pl.col("name")),
        )
    )


def _at(channel: Any, field: str) -> Any:
    """The position channel for a column; title, scale and axis are the same in all layers."""
    made = channel.copy()
    made.shorthand = f"{field}:Q"
    return made


def _scale(looks: Mapping[str, str]) -> alt.Scale:
    return alt.Scale(domain=list(looks), range=list(looks.values()))


def _ticks(longest: int) -> Sequence[int]:
    step = next(step for step in (5, 10, 25, 50, 100, 10**9) if longest / step <= 14)
    return [1, *range(step, longest + 1, step)]


def ribbons_caption(result: Result) -> str:
    """What the figure shows and how many runs."""
    runs = result.to_frame("runs")
    alphabet = result.provenance.parameters.get("alphabet", "kind")
    return (
        f"{counted([runs.height], 'run')} at {counted([runs['task'].n_unique()], 'task')}. Each "
        f"row is a run, each cell an action, coloured and lettered by {alphabet}. Runs of a task "
        "begin together; the line stands before the first action at which not all runs of a system "
        "do the same, so left of it they agree. The sign behind a row says whether the run "
        "succeeded, a red bar under a cell that the action failed. These are the runs themselves, "
        "without intervals."
    )


PLOT: Final = Plot(
    name="ribbons",
    title="What the runs did",
    kind=KIND,
    tables=("groups", "runs", "actions"),
    data=ribbons_data,
    draw=plot_ribbons,
    caption=ribbons_caption,
)
