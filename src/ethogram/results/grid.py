"""Tables of a result as grids of shown cells: what text, notebooks and pages have in common.

Estimates become one row a measure and one column a system; tests one compact row each; any other
table keeps its columns. Numbers are rounded by `ethogram.results.numbers` only. Each cell keeps the
unrounded value for sorting and a note (how many tasks and runs, which method) for whoever asks.
"""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.results.names import label_of
from ethogram.results.numbers import MISSING, show_interval, show_number
from ethogram.results.table import ESTIMATE_SCHEMA, TEST_SCHEMA, Column, Table

COLUMN_KEY: Final = "system"
LABEL: Final = "label"
_NOT_EXTRA: Final = frozenset({*ESTIMATE_SCHEMA, LABEL})
SYSTEM_COLUMNS: Final = (COLUMN_KEY, "first", "second")
MAIN_MARK: Final = "●"
_MARKS: Final = "abcdefghijklmnopqrstuvwxyz"


class Cell(msgspec.Struct, frozen=True):
    """What stands in one place of a grid."""

    text: str
    order: float | str | None = None
    """What to sort by; None sorts last."""
    note: str = ""
    mark: str = ""
    """Letter of the footnote that says why there is no value."""


class Heading(msgspec.Struct, frozen=True):
    """Head of a column."""

    text: str
    numeric: bool = False
    about: str = ""


class Grid(msgspec.Struct, frozen=True):
    """A table as it is shown."""

    title: str
    about: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    """Letter and sentence; sentences without a letter concern the whole table."""
    n_labels: int = 1
    """How many leading columns name the row."""


def grid_of(table: Table, short: Mapping[str, str] = MappingProxyType({})) -> Grid:
    """The grid of a table.

    Parameters
    ----------
    table : Table
        A table of a result.
    short : mapping of str to str
        Short names of systems; the full name stays in the notes.
    """
    if table.is_estimates:
        return _estimates_grid(table, short)
    if set(TEST_SCHEMA) <= set(table.frame.columns):
        return _tests_grid(table, short)
    return _plain_grid(table, short)


def systems_in(tables: Iterable[Table]) -> list[str]:
    """Names of the systems in tables, in order of appearance."""
    columns = (
        table.frame[name].cast(pl.String)
        for table in tables
        for name in SYSTEM_COLUMNS
        if name in table.frame.columns
    )
    return list(dict.fromkeys(name for column in columns for name in column.drop_nulls()))


class _Footnotes:
    """Sentences that stand under a grid, each with one letter however often it is called."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, sentence: str) -> str:
        if sentence not in self._marks:
            number = len(self._marks)
            turn, place = divmod(number, len(_MARKS))
            self._marks[sentence] = _MARKS[place] * (turn + 1)
        return self._marks[sentence]

    def all(self, *general: str) -> tuple[tuple[str, str], ...]:
        marked = ((mark, sentence) for sentence, mark in self._marks.items())
        return (*marked, *(("", sentence) for sentence in general if sentence))


def _estimates_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """Measures by systems. Keys stand before the estimate's columns, extra figures behind them."""
    frame = table.frame
    first = frame.columns.index("name")
    keys = frame.columns[:first]
    across = COLUMN_KEY if COLUMN_KEY in keys else None
    down = [key for key in keys if key != across]
    extra = [] if across else [n for n in frame.columns[first:] if n not in _NOT_EXTRA]
    systems = frame[across].unique(maintain_order=True).to_list() if across else [""]
    footnotes = _Footnotes()
    labels: dict[tuple[Any, ...], tuple[Cell, ...]] = {}
    cells: dict[tuple[Any, ...], dict[Any, Cell]] = {}
    extras: dict[tuple[Any, ...], tuple[Cell, ...]] = {}
    for row in frame.iter_rows(named=True):
        place = (row["name"], *(row[key] for key in down))
        label = row.get(LABEL) or label_of(row["name"])
        labels[place] = (_text_cell(label), *(_key_cell(key, row[key], short) for key in down))
        cells.setdefault(place, {})[row[across] if across else ""] = _estimate_cell(row, footnotes)
        extras[place] = tuple(shown(row[name], _unit_of(name)) for name in extra)
    headings = (
        Heading("Measure"),
        *(Heading(label_of(key)) for key in down),
        *(_system_heading(system, short) for system in systems),
        *(Heading(label_of(name), numeric=True) for name in extra),
    )
    rows = tuple(
        (
            *labels[place],
            *(by_system.get(system, Cell(MISSING)) for system in systems),
            *extras[place],
        )
        for place, by_system in cells.items()
    )
    return Grid(
        table.title,
        table.about,
        headings,
        rows,
        footnotes.all(*_sizes(frame)),
        n_labels=1 + len(down),
    )


def _key_cell(key: str, value: object, short: Mapping[str, str]) -> Cell:
    """A key of an estimate; numbers in text (k, levels) sort as numbers."""
    text = MISSING if value is None else str(value)
    if key in SYSTEM_COLUMNS:
        return Cell(short.get(text, text), text)
    return Cell(text, float(text) if text.isdecimal() else text)


def _unit_of(name: str) -> str:
    return "p" if name.startswith("p_") else ""


def _system_heading(system: str, short: Mapping[str, str]) -> Heading:
    text = short.get(system, system)
    return Heading(text or "Value", numeric=True, about=system if text != system else "")


def _estimate_cell(row: Mapping[str, Any], footnotes: _Footnotes) -> Cell:
    note = f"{row['n_tasks']} tasks, {row['n_runs']} runs"
    if row["n_excluded"]:
        note += f", {row['n_excluded']} left out"
    if row["method"]:
        note += f"; {row['method']}"
    if row["value"] is None:
        return Cell(MISSING, None, note, footnotes.mark(str(row["reason"])))
    text = show_interval(row["value"], row["low"], row["high"], row["unit"])
    return Cell(text, row["value"], note)


def _sizes(frame: pl.DataFrame) -> Iterable[str]:
    """How many tasks and runs stand behind the figures, and what the brackets mean."""
    known = frame.filter(pl.col("value").is_not_null())
    if known.is_empty():
        return
    parts = [_span(known[name], noun) for name, noun in (("n_tasks", "tasks"), ("n_runs", "runs"))]
    yield f"Behind each figure: {', '.join(parts)}."
    ranged = known.filter(pl.col("low").is_not_null())
    if ranged.height:
        levels = sorted({f"{100 * level:g} %" for level in ranged["level"]})
        methods = [method for method in ranged["method"].unique(maintain_order=True) if method]
        yield f"In brackets: {', '.join(levels)} intervals ({'; '.join(methods) or 'over tasks'})."


def _span(counts: pl.Series, noun: str) -> str:
    low, high = min(counts.to_list()), max(counts.to_list())
    return f"{low} {noun}" if low == high else f"{low} to {high} {noun}"


_TEST_HEADINGS: Final = (
    Heading("Measure"),
    Heading("Systems"),
    Heading("Test"),
    Heading("Difference", numeric=True, about="first minus second"),
    Heading("Statistic", numeric=True),
    Heading("p", numeric=True),
    Heading("p (Holm)", numeric=True, about="adjusted over comparisons of the same name and test"),
    Heading("Effect", numeric=True),
)
_TEST_LABELS: Final = 3


def _tests_grid(table: Table, short: Mapping[str, str]) -> Grid:
    footnotes = _Footnotes()
    rows = tuple(_test_row(row, short, footnotes) for row in table.frame.iter_rows(named=True))
    legend = f"{MAIN_MARK} the test to read first." if table.frame["main"].any() else ""
    filled = [
        place
        for place in range(len(_TEST_HEADINGS))
        if place < _TEST_LABELS
        or any(row[place].text != MISSING or row[place].mark for row in rows)
    ]
    return Grid(
        table.title,
        table.about,
        tuple(_TEST_HEADINGS[place] for place in filled),
        tuple(tuple(row[place] for place in filled) for row in rows),
        footnotes.all(legend),
        n_labels=_TEST_LABELS,
    )


def _test_row(
    row: Mapping[str, Any], short: Mapping[str, str], footnotes: _Footnotes
) -> tuple[Cell, ...]:
    pair = (row["first"], row["second"])
    size = f"{row['n_tasks']} tasks, {row['n_runs']} runs"
    statistic = show_number(row["statistic"])
    if row["df"] is not None:
        statistic += f" (df {row['df']:g})"
    effect = show_number(row["effect"])
    if row["effect"] is not None and row["effect_name"]:
        effect = f"{row['effect_name']} {effect}"
    method = f"{row['method']} {MAIN_MARK}" if row["main"] else row["method"]
    return (
        _text_cell(label_of(row["name"])),
        Cell(" vs ".join(short.get(name, name) for name in pair), pair[0], " vs ".join(pair)),
        Cell(
            method,
            row["method"],
            row["note"] or "",
            footnotes.mark(row["note"]) if row["note"] else "",
        ),
        Cell(show_number(row["difference"], row["unit"]), row["difference"], size),
        Cell(statistic, row["statistic"], size),
        Cell(
            show_number(row["p_value"], "p"),
            row["p_value"],
            size,
            footnotes.mark(row["reason"]) if row["reason"] else "",
        ),
        Cell(show_number(row["p_adjusted"], "p"), row["p_adjusted"]),
        Cell(effect, row["effect"]),
    )


def _plain_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """Any table. Where rows have a unit of their own, columns without one take it."""
    columns = table.columns or [Column(name, label_of(name)) for name in table.frame.columns]
    dtypes = [table.frame.schema[column.name] for column in columns]
    numeric = [dtype.is_numeric() for dtype in dtypes]
    own_unit = "unit" in table.frame.columns
    rows = tuple(
        tuple(
            _text_cell(short.get(row[column.name], row[column.name]))
            if column.name in SYSTEM_COLUMNS
            else shown(row[column.name], column.unit or (row["unit"] if own_unit else ""))
            for column in columns
        )
        for row in table.frame.iter_rows(named=True)
    )
    return Grid(
        table.title,
        table.about,
        tuple(
            Heading(column.label, numeric=is_number, about=column.about)
            for column, is_number in zip(columns, numeric, strict=True)
        ),
        rows,
        n_labels=max(1, next((i for i, number in enumerate(numeric) if number), len(numeric))),
    )


def shown(value: Any, unit: str = "") -> Cell:
    """A cell for any value of a frame.

    >>> shown(0.5, "share").text, shown(True).text, shown([3, 4], "count").text, shown(None).text
    ('50.0 %', 'yes', '3, 4', '–')
    """
    match value:
        case None:
            return Cell(MISSING)
        case bool():
            return Cell("yes" if value else "no", float(value))
        case int() | float():
            text = f"{value:,}" if isinstance(value, int) and not unit else show_number(value, unit)
            return Cell(text, None if math.isnan(value) else float(value))
        case list():
            return Cell(", ".join(shown(part, unit).text for part in value), float(len(value)))
        case _:
            return _text_cell(value)


def _text_cell(value: object) -> Cell:
    text = MISSING if value is None else str(value)
    return Cell(text, text)
