"""Two ratings of the same items, and how far they agree, with intervals over tasks."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.results.estimate import Estimate
from ethogram.stats.agreement import Weights
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.intervals import Interval
from ethogram.stats.task_agreement import kappa_of, share_within_by_task
from ethogram.stats.task_intervals import ratio_interval, statistic_interval

NO_ITEM: Final = "no item with two ratings"
CONSTANT: Final = "undefined: one of the two gave every item the same rating"


@dataclass(frozen=True)
class Ratings:
    """Two ratings of the same items.

    Attributes
    ----------
    first, second : ndarray of shape (n_items,)
        The ratings; of labels, their numbers.
    task : ndarray of int, shape (n_items,)
        Number of each item's task, from 0.
    n_runs : int
        Runs behind the items.
    """

    first: FloatArray
    second: FloatArray
    task: IntArray
    n_runs: int

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return int(self.task.max(initial=-1)) + 1

    @property
    def n_apart(self) -> int:
        """Items whose two ratings differ."""
        return int(np.sum(self.first != self.second))


def kappa_interval(ratings: Ratings, *, weights: Weights, level: float, seed: int) -> Interval:
    """Cohen's kappa; without a value where it is undefined."""
    statistic = kappa_of(
        ratings.first, ratings.second, ratings.task, ratings.n_tasks, weights=weights
    )
    return statistic_interval(statistic, ratings.n_tasks, rng=seed, level=level, bounds=(-1.0, 1.0))


def share_within(ratings: Ratings, distance: float = 0.0, *, level: float) -> Interval:
    """Share of items whose two ratings are at most so far apart."""
    hits, items = share_within_by_task(
        ratings.first, ratings.second, ratings.task, ratings.n_tasks, distance=distance
    )
    return ratio_interval(hits, items, level=level, bounds=(0.0, 1.0))


def agreement_estimate(name: str, unit: str, ratings: Ratings, interval: Interval) -> Estimate:
    """A figure of agreement, or why there is none."""
    there = interval.estimate is not None
    method = interval.method if interval.reason is None else f"no interval: {interval.reason}"
    return Estimate(
        name=name,
        unit=unit,
        value=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        n_tasks=ratings.n_tasks,
        n_runs=ratings.n_runs,
        method=method if there else "",
        reason=None if there else (CONSTANT if len(ratings.task) else NO_ITEM),
    )
