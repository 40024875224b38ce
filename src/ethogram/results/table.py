"""Tables of a result: a Polars frame whose columns say what they are."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.results.estimate import Estimate, Test

ESTIMATE_SCHEMA: Final[Mapping[str, Any]] = {
    "name": pl.String,
    "unit": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "level": pl.Float64,
    "n_tasks": pl.Int64,
    "n_runs": pl.Int64,
    "n_excluded": pl.Int64,
    "method": pl.String,
    "reason": pl.String,
}
TEST_SCHEMA: Final[Mapping[str, Any]] = {
    "name": pl.String,
    "method": pl.String,
    "first": pl.String,
    "second": pl.String,
    "difference": pl.Float64,
    "unit": pl.String,
    "statistic": pl.Float64,
    "df": pl.Float64,
    "p_value": pl.Float64,
    "p_adjusted": pl.Float64,
    "effect": pl.Float64,
    "effect_name": pl.String,
    "n_tasks": pl.Int64,
    "n_runs": pl.Int64,
    "main": pl.Boolean,
    "reason": pl.String,
    "note": pl.String,
}
ACROSS: Final = "system"
"""The key of estimates whose values stand side by side unless the table says otherwise."""


@dataclass(frozen=True, slots=True)
class Column:
    """What a column of a result's table holds.

    Parameters
    ----------
    name : str
        The column's name in the frame.
    label : str
        As people read it, in tables and on axes.
    unit : str
        Unit of the values ("" for names and codes); decides how they are rounded when shown.
    about : str
        One sentence.
    """

    name: str
    label: str
    unit: str = ""
    about: str = ""


@dataclass(frozen=True)
class Table:
    """A named frame with the description of its columns.

    Parameters
    ----------
    name : str
        Key of the table within the result.
    title : str
        As people read it.
    frame : polars.DataFrame
        The rows, unrounded.
    columns : sequence of Column
        The columns to show, in order; the frame may hold more.
    about : str
        A sentence under the title.
    main : bool
        What the result is about: text shows it beside other tables however long it is.
    across : str
        Of estimates: the key whose values become columns when shown; ``name``: one column a figure.
    aside : bool
        To be looked up: text only names it beside other tables, however short it is.
    """

    name: str
    title: str
    frame: pl.DataFrame
    columns: Sequence[Column] = field(default=())
    about: str = ""
    main: bool = False
    across: str = ACROSS
    aside: bool = False

    def __post_init__(self) -> None:
        missing = [column.name for column in self.columns if column.name not in self.frame.columns]
        if missing:
            raise ValueError(f"table {self.name!r} describes columns that it lacks: {missing}")

    @property
    def is_estimates(self) -> bool:
        """Whether the rows are `Estimate` values (with key columns before them)."""
        return set(ESTIMATE_SCHEMA) <= set(self.frame.columns)


def by_name(tables: Iterable[Table], names: Collection[str]) -> dict[str, Table]:
    """Tables by their names, of which each is one that the measure says it can have.

    Parameters
    ----------
    tables : iterable of Table
        What a measure made.
    names : collection of str
        Every table that a result of the measure may have: a name that is asked for and not among
        them is refused before anything is computed.

    Raises
    ------
    ValueError
        If a table is not among them.
    """
    made = {table.name: table for table in tables}
    unknown = [name for name in made if name not in names]
    if unknown:
        raise ValueError(f"tables that the measure doesn't say it can have: {unknown}")
    return made


def estimates_table(
    name: str,
    title: str,
    rows: Iterable[tuple[Mapping[str, str], Estimate]],
    *,
    keys: Sequence[str] = ("system",),
    about: str = "",
) -> Table:
    """Table of estimates, one a row, with key columns (such as the system) before them.

    Parameters
    ----------
    name, title, about : str
        As in `Table`.
    rows : iterable of (keys, Estimate)
        The values of the key columns and the estimate.
    keys : sequence of str
        Names of the key columns.
    """
    records = [{**key, **msgspec.structs.asdict(estimate)} for key, estimate in rows]
    schema = {**dict.fromkeys(keys, pl.String), **ESTIMATE_SCHEMA}
    return Table(name, title, pl.DataFrame(records, schema=schema), about=about)


def tests_table(name: str, title: str, tests: Iterable[Test], *, about: str = "") -> Table:
    """Table of significance tests, one a row."""
    records = [msgspec.structs.asdict(test) for test in tests]
    return Table(name, title, pl.DataFrame(records, schema=TEST_SCHEMA), about=about)


tests_table.__test__ = False  # type: ignore[attr-defined]  # pytest: no test
