"""What a plot is: a pure data function, a chart and a caption, over one kind of result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval


@dataclass(frozen=True)
class Plot:
    """A plot of a result.

    Parameters
    ----------
    name : str
        Key in the registry.
    title : str
        As it stands over the figure.
    kind : str
        Kind of result that it shows.
    tables : tuple of str
        Tables of the result that must be there.
    data : callable
        Result to the rows that are drawn; pure.
    draw : callable
        Result to an Altair chart.
    caption : callable
        Result to the sentence under the figure: what is shown, n, what an interval means.
    """

    name: str
    title: str
    kind: str
    tables: tuple[str, ...]
    data: Callable[[Result], pl.DataFrame]
    draw: Callable[[Result], Any]
    caption: Callable[[Result], str]

    def fits(self, result: Result) -> bool:
        """Whether the result has something for this plot to show."""
        return (
            result.kind == self.kind
            and all(name in result.tables for name in self.tables)
            and self.data(result).height > 0
        )


def rows(frame: pl.DataFrame) -> alt.InlineData:
    """The rows as data within a chart: no limit on their number, nothing written to disk."""
    return alt.InlineData(values=frame.to_dicts())


def system_names(result: Result, width: int = 40) -> dict[str, str]:
    """Short name of each system, in the order of the result's main table."""
    return short_names(result.to_frame()["system"].to_list(), width)


def with_short_names(frame: pl.DataFrame, systems: dict[str, str]) -> pl.DataFrame:
    """The frame with short names of systems, and of tasks where it has any, in their places."""
    frame = frame.with_columns(pl.col("system").replace(systems))
    if "task" not in frame.columns:
        return frame
    tasks = short_names(frame["task"].drop_nulls().unique(maintain_order=True).to_list(), 40)
    return frame.with_columns(pl.col("task").replace(tasks))


def means_of(result: Result, name: str) -> pl.DataFrame:
    """An estimate of every system: ``system, value, low, high, n_tasks, n_runs, shown``."""
    frame = result.to_frame("systems").filter(pl.col("name") == name, pl.col("value").is_not_null())
    texts = [
        show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in frame.iter_rows(named=True)
    ]
    return with_short_names(
        frame.select("system", "value", "low", "high", "n_tasks", "n_runs").with_columns(
            shown=pl.Series(texts, dtype=pl.String)
        ),
        system_names(result),
    )


def intervals_in_words(result: Result, name: str) -> str:
    """What the interval of an estimate means, with how many tasks and runs stand behind it."""
    frame = result.to_frame("systems").filter(pl.col("name") == name, pl.col("value").is_not_null())
    if frame.is_empty():
        return ""
    ranged = frame.filter(pl.col("low").is_not_null())
    sizes = (
        f"{counted(frame['n_tasks'].to_list(), 'task')} and "
        f"{counted(frame['n_runs'].to_list(), 'run')} a system"
    )
    if ranged.is_empty():
        return f"{sizes}; too few tasks for an interval."
    methods = ", ".join(ranged["method"].unique(maintain_order=True))
    return f"{sizes}; the lines are {100 * ranged['level'][0]:g} % intervals ({methods})."


def counted(counts: list[int], noun: str) -> str:
    """``5 runs``, or ``3 to 5 runs``."""
    low, high = min(counts, default=0), max(counts, default=0)
    plural = noun if low == high == 1 else f"{noun}s"
    return f"{low:,} {plural}" if low == high else f"{low:,} to {high:,} {plural}"
