"""Estimates of one system, with units and bounds from the catalogue and intervals over tasks."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.results.estimate import Estimate
from ethogram.stats.intervals import Interval
from ethogram.stats.resampling import Statistic
from ethogram.stats.task_intervals import (
    mean_interval,
    median_interval,
    ratio_interval,
    statistic_interval,
)

Values: TypeAlias = npt.ArrayLike


@dataclass(frozen=True)
class Figures:
    """Makes the estimates of one system.

    Parameters
    ----------
    n_runs : int
        The system's runs that are counted at all; those that a figure does not use are excluded.
    level : float
        Nominal coverage of the intervals.
    seed : int
        For the intervals that are drawn.
    tasks_known : bool
        Whether all runs record their task; without that there is no interval, since nobody knows
        which runs repeat each other.
    """

    n_runs: int
    level: float
    seed: int
    tasks_known: bool = True

    def mean(self, name: str, values: Values, n_runs: int, *, reason: str) -> Estimate:
        """Mean over tasks of one value a task; without any value, the reason."""
        bounds = CATALOGUE[name].bounds
        if not np.size(values):
            return self.missing(name, reason)
        interval = mean_interval(values, level=self.level, bounds=bounds)
        return self.estimate(name, interval, np.size(values), n_runs)

    def median(self, name: str, values: Values, n_runs: int, *, reason: str) -> Estimate:
        """Median over tasks of one value a task."""
        if not np.size(values):
            return self.missing(name, reason)
        interval = median_interval(values, level=self.level)
        return self.estimate(name, interval, np.size(values), n_runs)

    def ratio(
        self, name: str, above: Values, below: Values, *, reason: str, n_runs: int | None = None
    ) -> Estimate:
        """Sum over sum of each task, such as successes over runs.

        ``below`` counts runs, unless ``n_runs`` says how many stand behind it.
        """
        total = np.asarray(below, dtype=np.float64)
        if not total.sum() > 0:
            return self.missing(name, reason)
        bounds = CATALOGUE[name].bounds
        interval = ratio_interval(above, total, level=self.level, bounds=bounds)
        behind = int(total.sum()) if n_runs is None else n_runs
        return self.estimate(name, interval, int(np.sum(total > 0)), behind)

    def statistic(
        self, name: str, statistic: Statistic, n_tasks: int, n_runs: int, *, reason: str
    ) -> Estimate:
        """Any other statistic over tasks."""
        bounds = CATALOGUE[name].bounds
        interval = statistic_interval(
            statistic, n_tasks, rng=self.seed, level=self.level, bounds=bounds
        )
        if interval.estimate is None:
            return self.missing(name, reason)
        return self.estimate(name, interval, n_tasks, n_runs)

    def estimate(self, name: str, interval: Interval, n_tasks: int, n_runs: int) -> Estimate:
        """An estimate from an interval that has a value."""
        low, high, method = interval.low, interval.high, interval.method
        if interval.reason is not None:
            method = f"no interval: {interval.reason}"
        elif not self.tasks_known:
            low, high, method = None, None, "no interval: some runs don't record their task"
        return Estimate(
            name=name,
            unit=CATALOGUE[name].unit,
            value=interval.estimate,
            low=low,
            high=high,
            level=self.level,
            n_tasks=n_tasks,
            n_runs=n_runs,
            n_excluded=self.n_runs - n_runs,
            method=method,
        )

    def missing(self, name: str, reason: str) -> Estimate:
        """A figure that these runs can't give."""
        return Estimate(
            name=name,
            unit=CATALOGUE[name].unit,
            value=None,
            level=self.level,
            n_tasks=0,
            n_runs=0,
            n_excluded=self.n_runs,
            reason=reason,
        )
