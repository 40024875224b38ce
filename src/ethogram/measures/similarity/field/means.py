"""Means over tasks of pairs of systems, and the estimates made of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.similarity.task_scores import Scores, TaskScores, parts_of
from ethogram.results.estimate import Estimate
from ethogram.results.names import label_of
from ethogram.results.table import Table, estimates_table
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.task_means import TaskMeans, intervals_of, mean_of_means

NOT_SHARED: Final = "no shared task"
NOT_DEFINED: Final = "not defined at any shared task"

Rows = Iterable[tuple[Mapping[str, str], Estimate]]


@dataclass(frozen=True)
class Asked:
    """What is asked for: which estimate, in which unit, how sure."""

    name: str
    unit: str = "share"
    bounds: tuple[float, float] = (0.0, 1.0)
    level: float = 0.95
    no_task: str = NOT_SHARED
    """Reason where no task counts."""


def label_of_scores(scores: Scores) -> str:
    """The measure's label, else its name as people read it."""
    return scores.label or label_of(scores.name)


def pair_places(n_systems: int) -> tuple[IntArray, IntArray]:
    """First and second system of each pair, in order."""
    first, second = np.triu_indices(n_systems, 1)
    return first.astype(np.int64), second.astype(np.int64)


def pair_values(scores: Scores, first: IntArray, second: IntArray) -> list[FloatArray]:
    """Scores of pairs by task, one array (n_pairs, n_tasks) for each part."""
    return [part.values[first, second] for part in parts_of(scores)]


def pair_means(scores: Scores) -> TaskMeans:
    """Mean over tasks of each pair, in the order of `pair_places`."""
    return mean_of_means(pair_values(scores, *pair_places(len(scores.systems))))


def mean_matrix(scores: Scores) -> FloatArray:
    """Means of all pairs as a symmetric matrix; NaN on the diagonal and where undefined."""
    n = len(scores.systems)
    matrix = np.full((n, n), np.nan)
    first, second = pair_places(n)
    matrix[first, second] = matrix[second, first] = pair_means(scores).values
    return matrix


def runs_of(scores: Scores) -> IntArray:
    """Runs of each system at each task behind the scores; zeros where they aren't told."""
    part: TaskScores = parts_of(scores)[0]
    shape = (len(part.systems), len(part.tasks))
    return np.zeros(shape, dtype=np.int64) if part.runs is None else part.runs


def joint_runs(scores: Scores, *systems: IntArray) -> IntArray:
    """Runs of all of a row's systems at each task that all of them ran.

    Parameters
    ----------
    systems : ndarray of int, shape (n_rows,)
        Places of different systems: the first of each row, the second, ...

    Returns
    -------
    ndarray of int, shape (n_rows, n_tasks)
    """
    counts = np.stack([runs_of(scores)[places] for places in systems])
    return np.where((counts > 0).all(axis=0), counts.sum(axis=0), 0)


def minus(values: Sequence[FloatArray], others: Sequence[FloatArray]) -> list[FloatArray]:
    """Differences by task, part by part; NaN where one of the two is."""
    return [one - other for one, other in zip(values, others, strict=True)]


def difference(name: str, scores: Scores, *, level: float, times: int = 1) -> Asked:
    """What is asked for a difference of similarities, or of ``times`` such differences."""
    width = times * (scores.bounds[1] - scores.bounds[0])
    return Asked(name, "points", (-width, width), level)


def why_missing(
    scores: Scores, defined: BoolArray, runs: IntArray, *, no_task: str = NOT_SHARED
) -> str:
    """Why a mean over tasks has no value.

    Parameters
    ----------
    scores : TaskScores or Composite
        The measure, whose own reason goes before.
    defined : ndarray of bool, shape (n_parts, n_tasks)
        Where each part is defined.
    runs : ndarray of int, shape (n_tasks,)
        Runs at the tasks that count.
    no_task : str
        What to say when there is none.
    """
    if scores.reason is not None:
        return scores.reason
    if not runs.any() and not defined.any():
        return no_task
    if len(scores.parts) == 1:
        return NOT_DEFINED
    missing = [
        part.name for part, known in zip(scores.parts, defined, strict=True) if not known.any()
    ]
    return f"{', '.join(missing)}: {NOT_DEFINED}"


def estimates(
    asked: Asked, scores: Scores, values: Sequence[FloatArray], runs: IntArray
) -> list[Estimate]:
    """Estimates of the means of rows, a mean of means where there are several parts.

    Parameters
    ----------
    asked : Asked
        Name, unit, bounds and level.
    scores : TaskScores or Composite
        Whose values these are.
    values : sequence of ndarray of shape (n_rows, n_tasks)
        One array for each part of ``scores``.
    runs : ndarray of int, shape (n_rows, n_tasks)
        Runs that stand behind each task.
    """
    defined = ~np.isnan(np.stack(list(values)))
    reasons = [
        why_missing(scores, defined[:, row], runs[row], no_task=asked.no_task)
        for row in range(len(runs))
    ]
    return estimates_of(asked, mean_of_means(values), runs, reasons)


def estimates_of(
    asked: Asked, means: TaskMeans, runs: IntArray, reasons: Sequence[str]
) -> list[Estimate]:
    """Estimates of rows that are already means; ``reasons`` speak where a row is NaN."""
    intervals = intervals_of(means, level=asked.level, bounds=asked.bounds)
    found = np.where(means.used, runs, 0).sum(axis=1)
    left_out = runs.sum(axis=1) - found
    return [
        Estimate(
            name=asked.name,
            unit=asked.unit,
            value=interval.estimate,
            low=interval.low,
            high=interval.high,
            level=asked.level,
            n_tasks=int(means.n_tasks[row]),
            n_runs=int(found[row]),
            n_excluded=int(left_out[row]),
            method=_method(interval.reason, interval.method, interval.estimate),
            reason=reasons[row] if interval.estimate is None else None,
        )
        for row, interval in enumerate(intervals)
    ]


def _method(reason: str | None, method: str, value: float | None) -> str:
    if value is None:
        return ""
    return method if reason is None else f"no interval: {reason}"


def side_by_side(
    name: str,
    title: str,
    rows: Rows,
    labels: Mapping[str, str],
    *,
    keys: Sequence[str],
    about: str = "",
) -> Table:
    """Table of estimates with a column for each measure.

    Parameters
    ----------
    name, title, about : str
        As in `Table`.
    rows : iterable of (keys, Estimate)
        The values of the key columns and the estimate.
    labels : mapping of str to str
        Label of each estimate's name.
    keys : sequence of str
        Names of the key columns.
    """
    table = estimates_table(name, title, rows, keys=keys, about=about)
    label = pl.col("name").replace_strict(labels, default=None, return_dtype=pl.String)
    frame = table.frame.with_columns(label=label)
    return Table(name, title, frame, about=about, across="name")
