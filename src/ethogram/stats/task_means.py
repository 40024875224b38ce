"""Means over tasks of many rows at once, with what each task adds: means of means, differences.

::

    mean_of_means(parts) -> TaskMeans          each part over the tasks where it is defined
    combined(means, weights) -> TaskMeans      sums of rows of one and the same tasks
    intervals_of(means, *, level=0.95, bounds=(-inf, inf)) -> list[Interval]
    pseudo_values(means) -> FloatArray

A score may be missing at a task, and not at the same tasks in every part of a mean of means. So
each task's *pull* is kept beside the value: its contribution, centred, which is linear in the
scores. Whatever is a weighted sum of such values has the weighted sum of their pulls, paired by
task as it should be, and the squares of the pulls add up to the squared standard error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.intervals import Interval, no_interval
from ethogram.stats.task_intervals import MIN_TASKS, TOO_FEW, UNBOUNDED, mean_interval

UNDEFINED: Final = "undefined at every task"


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """Values that rest on tasks, one a row.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        NaN where a part is defined at no task.
    pulls : ndarray of shape (n_rows, n_tasks)
        What each task adds to the value, centred: the sum over tasks is 0, that of the squares the
        squared standard error. 0 where a task plays no part.
    used : ndarray of bool, shape (n_rows, n_tasks)
        Tasks that play a part.
    fewest : ndarray of int, shape (n_rows,)
        Tasks of the part that has the fewest.
    """

    values: FloatArray
    pulls: FloatArray
    used: BoolArray
    fewest: IntArray

    @property
    def n_tasks(self) -> IntArray:
        """Tasks that play a part in each row."""
        counts: IntArray = self.used.sum(axis=-1, dtype=np.int64)
        return counts


def mean_of_means(parts: Sequence[FloatArray]) -> TaskMeans:
    """Mean over parts of their means over tasks, each over the tasks where it is defined.

    Parameters
    ----------
    parts : sequence of ndarray of shape (n_rows, n_tasks)
        One value a row and task; NaN: not defined there.

    Returns
    -------
    TaskMeans
        With ``m_k`` the mean of part ``k`` over its ``n_k`` tasks, the value is the mean of the
        ``m_k`` and the pull of task ``t`` the mean over parts of ``(s_kt - m_k) / n_k * sqrt(n_k /
        (n_k - 1))``. A row is NaN if one of its parts is defined nowhere.

    Raises
    ------
    UsageError
        If there is no part, or shapes differ.

    Examples
    --------
    >>> nan = float("nan")
    >>> parts = [np.array([[0.0, 1.0, nan]]), np.array([[1.0, 1.0, 0.5]])]
    >>> mean_of_means(parts).values.round(4).tolist(), mean_of_means(parts).fewest.tolist()
    ([0.6667], [2])
    """
    shapes = {part.shape for part in parts}
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise UsageError(f"parts must have one shape (n_rows, n_tasks); got {sorted(shapes)}")
    scores = np.stack(list(parts))
    defined = ~np.isnan(scores)
    n = defined.sum(axis=-1)
    means = np.where(defined, scores, 0.0).sum(axis=-1) / np.maximum(n, 1)
    stretch = np.sqrt(n / np.maximum(n - 1, 1)) / np.maximum(n, 1)
    pulls = np.where(defined, scores - means[..., None], 0.0) * stretch[..., None]
    complete = (n > 0).all(axis=0)
    return TaskMeans(
        values=np.where(complete, means.mean(axis=0), np.nan),
        pulls=np.where(complete[:, None], pulls.mean(axis=0), 0.0),
        used=defined.any(axis=0) & complete[:, None],
        fewest=n.min(axis=0).astype(np.int64),
    )


def combined(means: TaskMeans, weights: FloatArray) -> TaskMeans:
    """Weighted sums of rows that share their tasks.

    Parameters
    ----------
    means : TaskMeans
        The rows.
    weights : ndarray of shape (n_sums, n_rows)
        A row of weight 0 plays no part; one that is NaN with any other weight makes the sum NaN.

    Examples
    --------
    >>> rows = mean_of_means([np.array([[0.0, 1.0], [1.0, 1.0]])])
    >>> combined(rows, np.array([[1.0, -1.0]])).values.tolist()
    [-0.5]
    """
    plays = weights != 0
    missing = np.isnan(means.values)
    complete = ~(plays & missing).any(axis=1) & plays.any(axis=1)
    sums = weights @ np.where(missing, 0.0, means.values)
    most = np.iinfo(np.int64).max
    fewest = np.where(plays, means.fewest, most).min(axis=1, initial=most)
    used = (plays.astype(np.float64) @ means.used.astype(np.float64)) > 0
    return TaskMeans(
        values=np.where(complete, sums, np.nan),
        pulls=np.where(complete[:, None], weights @ means.pulls, 0.0),
        used=used & complete[:, None],
        fewest=np.where(complete, fewest, 0).astype(np.int64),
    )


def pseudo_values(means: TaskMeans) -> FloatArray:
    """One value a task whose mean is the row's value and whose standard error is the row's.

    For a plain mean that is the scores themselves. NaN where a task plays no part.

    Examples
    --------
    >>> pseudo_values(mean_of_means([np.array([[0.2, 0.6, float("nan")]])])).round(9).tolist()
    [[0.2, 0.6, nan]]
    """
    n = means.n_tasks
    scale = np.sqrt(n * np.maximum(n - 1, 0))
    values = means.values[:, None] + means.pulls * scale[:, None]
    return np.where(means.used, values, np.nan)


def intervals_of(
    means: TaskMeans, *, level: float = 0.95, bounds: tuple[float, float] = UNBOUNDED
) -> list[Interval]:
    """Interval over tasks of each row: `mean_interval` over its `pseudo_values`.

    Parameters
    ----------
    means : TaskMeans
        The rows.
    level : float
        Nominal coverage.
    bounds : tuple of float
        Range of the values; rows that leave it by the noise of their last bits are put back.

    Returns
    -------
    list of Interval
        Without an estimate where the row is NaN; "too few tasks" where a part has fewer than six.
    """
    values = pseudo_values(means)
    return [
        _interval(values[row], int(means.fewest[row]), level=level, bounds=bounds)
        for row in range(len(values))
    ]


def _interval(
    per_task: FloatArray, fewest: int, *, level: float, bounds: tuple[float, float]
) -> Interval:
    known = per_task[~np.isnan(per_task)]
    if not len(known):
        return no_interval(UNDEFINED, estimate=None, level=level)
    mean = float(known.mean())
    inside = float(np.clip(mean, *bounds))
    if fewest < MIN_TASKS:
        return no_interval(TOO_FEW, estimate=inside, level=level)
    if mean != inside:  # at a bound, up to the noise of last bits
        known = np.full(len(known), inside)
    return mean_interval(known, level=level, bounds=bounds)
