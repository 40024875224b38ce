"""How far two ratings of the same items agree, with intervals over tasks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.intervals import Interval
from ethogram.stats.task_agreement import kappa_of, share_within_by_task
from ethogram.stats.task_intervals import ratio_interval, statistic_interval

NO_ITEM: Final = "nothing was rated twice"
CONSTANT: Final = "undefined: every rating is the same"


@dataclass(frozen=True)
class Ratings:
    """Two ratings of the same items.

    Attributes
    ----------
    first, second : ndarray of shape (n_items,)
        Numbers of the labels.
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


def ratings_of(rows: Iterable[tuple[str, tuple[str, ...], int, int]]) -> Ratings:
    """Ratings from rows of task, runs behind the item, first and second rating."""
    found = list(rows)
    numbers: dict[str, int] = {}
    task = [numbers.setdefault(name, len(numbers)) for name, *_ in found]
    return Ratings(
        np.array([first for _, _, first, _ in found], dtype=np.float64),
        np.array([second for _, _, _, second in found], dtype=np.float64),
        np.array(task, dtype=np.int64),
        len({run for _, runs, _, _ in found for run in runs}),
    )


def agreement(ratings: Ratings, *, level: float = 0.95, seed: int = 0) -> list[Estimate]:
    """Cohen's kappa and the share of equal ratings.

    Every two different labels are equally far apart.

    Parameters
    ----------
    ratings : Ratings
        Two ratings of the same items.
    level : float
        Nominal coverage of the intervals, which are over tasks.
    seed : int
        Of the resamples of kappa.

    Returns
    -------
    list of Estimate
        ``kappa`` (-1 to 1; without a value where all ratings are the same) and ``exact`` (0 to 1).

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.
    """
    hits, items = share_within_by_task(ratings.first, ratings.second, ratings.task, ratings.n_tasks)
    kappa = kappa_of(ratings.first, ratings.second, ratings.task, ratings.n_tasks, weights="equal")
    return [
        _estimate(
            "kappa",
            "correlation",
            ratings,
            statistic_interval(kappa, ratings.n_tasks, rng=seed, level=level, bounds=(-1.0, 1.0)),
        ),
        _estimate(
            "exact",
            "share",
            ratings,
            ratio_interval(hits, items, level=level, bounds=(0.0, 1.0)),
        ),
    ]


def _estimate(name: str, unit: str, ratings: Ratings, interval: Interval) -> Estimate:
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
