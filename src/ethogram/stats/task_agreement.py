"""How far two raters agree, as statistics over tasks: for intervals that resample tasks.

::

    kappa_of(first, second, task, n_tasks, *, weights="quadratic") -> Statistic
    pearson_of(first, second, task, n_tasks) -> Statistic
    share_within_by_task(first, second, task, n_tasks, *, distance=0) -> (hits, items)

Several rated items of one task are not independent, so that tasks are what is drawn. On the tasks
as they are, the values are those of `ethogram.stats.agreement` and `ethogram.stats.correlation`.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError
from ethogram.stats.agreement import DISAGREEMENT, Weights
from ethogram.stats.arrays import FloatArray, IntArray, as_pair
from ethogram.stats.resampling import Statistic

_NO_SPREAD: Final = 1e-12


def kappa_of(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    task: IntArray,
    n_tasks: int,
    *,
    weights: Weights = "quadratic",
) -> Statistic:
    """Weighted kappa of the items of the drawn tasks; undefined where all have one rating.

    Parameters
    ----------
    first, second : array-like of shape (n_items,)
        Ratings of the same items.
    task : ndarray of int, shape (n_items,)
        Number of each item's task, from 0.
    n_tasks : int
        Number of tasks.
    weights : {"equal", "linear", "quadratic"}
        As in `ethogram.stats.agreement.cohen_kappa`.

    Examples
    --------
    >>> statistic = kappa_of([1, 2, 3, 1], [1, 2, 3, 3], np.array([0, 0, 0, 1]), 2)
    >>> statistic(np.array([[1.0, 1.0], [1.0, 0.0]])).round(4).tolist()
    [0.3846, 1.0]
    """
    one, other = _checked(first, second, task)
    disagreement = DISAGREEMENT[weights]
    levels = np.unique(np.concatenate([one, other]))
    gaps = disagreement(levels[:, None] - levels[None, :])
    n = np.bincount(task, minlength=n_tasks).astype(np.float64)
    apart = np.bincount(task, weights=disagreement(one - other), minlength=n_tasks)
    by_task = [_by_level(ratings, levels, task, n_tasks) for ratings in (one, other)]

    def statistic(counts: FloatArray) -> FloatArray:
        total = counts @ n
        shares = [counts @ found / total[:, None] for found in by_task]
        expected = ((shares[0] @ gaps) * shares[1]).sum(axis=1)
        known = expected > _NO_SPREAD
        return np.where(known, 1 - counts @ apart / total / np.where(known, expected, 1.0), np.nan)

    return statistic


def _by_level(ratings: FloatArray, levels: FloatArray, task: IntArray, n_tasks: int) -> FloatArray:
    """How many items of each task have each rating, shape (n_tasks, n_levels)."""
    cell = task * len(levels) + np.searchsorted(levels, ratings)
    size = n_tasks * len(levels)
    counts = np.bincount(cell, minlength=size).astype(np.float64)
    return counts.reshape(n_tasks, len(levels))


def pearson_of(
    first: npt.ArrayLike, second: npt.ArrayLike, task: IntArray, n_tasks: int
) -> Statistic:
    """Pearson's correlation of the items of the drawn tasks; undefined where one side is constant.

    Parameters as `kappa_of`.

    Examples
    --------
    >>> statistic = pearson_of([1, 2, 3, 4], [1, 3, 2, 4], np.array([0, 0, 1, 1]), 2)
    >>> statistic(np.ones((1, 2))).round(4).tolist()
    [0.8]
    """
    one, other = _checked(first, second, task)
    one, other = (
        one - one.mean() if len(one) else one,
        other - other.mean() if len(other) else other,
    )
    columns = (np.ones(len(one)), one, other, one**2, other**2, one * other)
    sums = np.stack([np.bincount(task, weights=each, minlength=n_tasks) for each in columns])

    def statistic(counts: FloatArray) -> FloatArray:
        n, x, y, xx, yy, xy = sums @ counts.T
        spread = (xx - x * x / n) * (yy - y * y / n)
        known = spread > _NO_SPREAD
        r = (xy - x * y / n) / np.sqrt(np.where(known, spread, 1.0))
        return np.where(known, np.clip(r, -1.0, 1.0), np.nan)

    return statistic


def share_within_by_task(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    task: IntArray,
    n_tasks: int,
    *,
    distance: float = 0,
) -> tuple[FloatArray, FloatArray]:
    """Items of each task whose ratings lie at most ``distance`` apart, and items of each task.

    >>> hits, items = share_within_by_task([1, 2, 3], [1, 3, 3], np.array([0, 0, 1]), 2)
    >>> hits.tolist(), items.tolist()
    ([1.0, 1.0], [2.0, 1.0])
    """
    one, other = _checked(first, second, task)
    near = (np.abs(one - other) <= distance).astype(np.float64)
    hits = np.bincount(task, weights=near, minlength=n_tasks).astype(np.float64)
    return hits, np.bincount(task, minlength=n_tasks).astype(np.float64)


def _checked(
    first: npt.ArrayLike, second: npt.ArrayLike, task: IntArray
) -> tuple[FloatArray, FloatArray]:
    one, other = as_pair(first, second)
    if len(task) != len(one):
        raise UsageError(f"task needs a number for each of {len(one)} items; got {len(task)}")
    return one, other
