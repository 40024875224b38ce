"""Tables of a result as grids of shown cells: what text, notebooks and pages have in common.

Estimates become one row a measure and one column a system, or one column a measure; tests one
compact row each; any other table keeps its columns. Numbers are rounded by
`ethogram.results.numbers` only. Each cell keeps the unrounded value for sorting and a note (how
many tasks and runs, which method) for whoever asks.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import polars as pl

from ethogram.results.cells import (
    Cell,
    Footnotes,
    Grid,
    Heading,
    shown,
    system_cell,
    text_cell,
)
from ethogram.results.grid_tests import compact_tests_grid, tests_grid
from ethogram.results.names import label_of
from ethogram.results.numbers import MISSING, SHARE, WHOLE, show_count, show_interval
from ethogram.results.table import ACROSS, ESTIMATE_SCHEMA, TEST_SCHEMA, Column, Table

NAME: Final = "name"
LABEL: Final = "label"
_SIZE: Final = re.compile(r"\Aover [\d,]+ (task|cluster)s?: ")
_NOT_EXTRA: Final = frozenset({*ESTIMATE_SCHEMA, LABEL})
SYSTEM_COLUMNS: Final = (ACROSS, "first", "second", "minus", "nearest", "runner_up")


def grid_of(
    table: Table, short: Mapping[str, str] = MappingProxyType({}), *, compact: bool = False
) -> Grid:
    """The grid of a table.

    Parameters
    ----------
    table : Table
        A table of a result.
    short : mapping of str to str
        Short names of systems; the full name stays in the notes.
    compact : bool
        One row a comparison instead of one a test: the main test's figures, p values of the others.
    """
    if table.is_estimates:
        return _estimates_grid(table, short)
    if set(TEST_SCHEMA) <= set(table.frame.columns):
        return (compact_tests_grid if compact else tests_grid)(table, short)
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


def _estimates_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """Figures by systems, or keys by figures where the table says so.

    Keys stand before the estimate's columns, extra figures behind them. Side by side, shares are
    whole percents under a head with the sign: four of them with intervals then fit a page.
    """
    frame = table.frame
    keys = frame.columns[: frame.columns.index(NAME)]
    across = table.across if table.across in {*keys, NAME} else None
    down = [key for key in (NAME, *keys) if key != across]
    extra = [] if across else [n for n in frame.columns[len(keys) :] if n not in _NOT_EXTRA]
    footnotes = Footnotes()
    labels: dict[tuple[Any, ...], tuple[Cell, ...]] = {}
    columns: dict[Any, Heading] = {}
    cells: dict[tuple[Any, ...], dict[Any, Cell]] = {}
    extras: dict[tuple[Any, ...], tuple[Cell, ...]] = {}
    for row in frame.iter_rows(named=True):
        place, column = tuple(row[key] for key in down), row[across] if across else ""
        labels[place] = tuple(_row_label(key, row, short) for key in down)
        columns[column] = _column_heading(across, row, short)
        cells.setdefault(place, {})[column] = _estimate_cell(row, footnotes, whole=across == NAME)
        extras[place] = tuple(shown(row[name], _unit_of(name)) for name in extra)
    headings = (
        *(Heading("Measure" if key == NAME else label_of(key)) for key in down),
        *columns.values(),
        *(Heading(label_of(name), numeric=True) for name in extra),
    )
    rows = tuple(
        (*labels[place], *(found.get(column, Cell(MISSING)) for column in columns), *extras[place])
        for place, found in cells.items()
    )
    return Grid(
        table.title,
        table.about,
        headings,
        rows,
        footnotes.all(*_sizes(frame)),
        n_labels=len(down),
    )


def _measure_label(row: Mapping[str, Any]) -> str:
    return row.get(LABEL) or label_of(row[NAME])


def _row_label(key: str, row: Mapping[str, Any], short: Mapping[str, str]) -> Cell:
    return text_cell(_measure_label(row)) if key == NAME else _key_cell(key, row[key], short)


def _column_heading(
    across: str | None, row: Mapping[str, Any], short: Mapping[str, str]
) -> Heading:
    if across == NAME:
        sign = ", %" if row["unit"] == SHARE else ""
        return Heading(f"{_measure_label(row)}{sign}", numeric=True)
    return _system_heading(row[across] if across else "", short)


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


def _estimate_cell(row: Mapping[str, Any], footnotes: Footnotes, *, whole: bool = False) -> Cell:
    note = f"{row['n_tasks']} tasks, {row['n_runs']} runs"
    if row["n_excluded"]:
        note += f", {row['n_excluded']} left out"
    if row["method"]:
        note += f"; {row['method']}"
    if row["value"] is None:
        return Cell(MISSING, None, note, footnotes.mark(str(row["reason"])))
    unit = WHOLE if whole and row["unit"] == SHARE else row["unit"]
    return Cell(show_interval(row["value"], row["low"], row["high"], unit), row["value"], note)


def _sizes(frame: pl.DataFrame) -> Iterable[str]:
    """How many tasks and runs stand behind the figures, and what the brackets mean."""
    known = frame.filter(pl.col("value").is_not_null())
    if known.is_empty():
        return
    parts = [
        _span(known[name], noun)
        for name, noun in (("n_tasks", "task"), ("n_runs", "run"))
        if max(known[name].to_list())  # none: a figure that is not over tasks
    ]
    if parts:
        yield f"Behind each figure: {', '.join(parts)}."
    ranged = known.filter(pl.col("low").is_not_null())
    if ranged.height:
        levels = sorted({f"{100 * level:g} %" for level in ranged["level"]})
        methods = _without_sizes(ranged["method"].unique(maintain_order=True).to_list())
        yield f"In brackets: {', '.join(levels)} intervals ({'; '.join(methods) or 'over tasks'})."


def _without_sizes(methods: Iterable[str]) -> list[str]:
    """Methods of intervals, each once: ``over 9 tasks: t`` and ``over 8 tasks: t`` are one.

    Where there is a single one it keeps its number.
    """
    named = [method for method in methods if method]
    if len(named) < 2:
        return named
    return list(dict.fromkeys(_SIZE.sub(r"over \1s: ", method) for method in named))


def _span(counts: pl.Series, noun: str) -> str:
    low, high = min(counts.to_list()), max(counts.to_list())
    return show_count(low, noun) if low == high else f"{low:,} to {show_count(high, noun)}"


def _plain_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """Any table. Where rows have a unit of their own, columns without one take it."""
    columns = table.columns or [Column(name, label_of(name)) for name in table.frame.columns]
    dtypes = [table.frame.schema[column.name] for column in columns]
    numeric = [dtype.is_numeric() for dtype in dtypes]
    own_unit = "unit" in table.frame.columns
    rows = tuple(
        tuple(
            system_cell(row[column.name], short)
            if column.name in SYSTEM_COLUMNS
            else shown(row[column.name], column.unit or (row["unit"] if own_unit else ""))
            for column in columns
        )
        for row in table.frame.iter_rows(named=True)
    )
    grid = Grid(
        table.title,
        table.about,
        tuple(
            Heading(column.label, numeric=is_number, about=column.about)
            for column, is_number in zip(columns, numeric, strict=True)
        ),
        rows,
        n_labels=max(1, next((i for i, number in enumerate(numeric) if number), len(numeric))),
    )
    return _transposed(grid) if _reads_better_across(table, columns) else grid


def _reads_better_across(table: Table, columns: Sequence[Column]) -> bool:
    """Whether systems should stand side by side: one row each, and fewer of them than figures."""
    return (
        bool(columns)
        and columns[0].name == ACROSS
        and 1 < table.frame.height < len(columns) - 1
        and bool(table.frame[ACROSS].is_unique().all())
    )


def _transposed(grid: Grid) -> Grid:
    return Grid(
        grid.title,
        grid.about,
        (
            Heading(""),
            *(Heading(row[0].text, numeric=True, about=row[0].note) for row in grid.rows),
        ),
        tuple(
            (Cell(heading.text, heading.text, heading.about), *(row[place] for row in grid.rows))
            for place, heading in enumerate(grid.headings)
            if place
        ),
        grid.footnotes,
    )
