"""BCM of systems at the three sets of pairs, and differences of it, with intervals over tasks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec.structs import replace
from scipy.special import stdtrit

from ethogram.measures.consistency.sample import Sample
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.cosine import (
    MIN_RUNS,
    Directions,
    all_pairs_of,
    cross_task_of,
    directions,
    within_task_of,
)
from ethogram.stats.resampling import Statistic, ratio_of
from ethogram.stats.task_intervals import statistic_interval

FEW_TASKS: Final = 10
"""Under so many tasks with three runs a BCM within tasks is shown and never judged."""


def _of_present(
    make: Callable[[Directions], Statistic],
) -> Callable[[Directions], Statistic]:
    """The same statistic without the tasks that a system has no runs of: they add nothing.

    The tasks of two systems are drawn together, and one of them may have few of them.
    """

    def made(found: Directions) -> Statistic:
        present = found.sizes > 0
        if present.all():
            return make(found)
        own = make(found.restrict(present))
        return lambda counts: own(counts[:, present])

    return made


STATISTICS: Final[Mapping[str, Callable[[Directions], Statistic]]] = {
    "cross_task": _of_present(cross_task_of),
    "within_task": _of_present(within_task_of),
    "global": _of_present(all_pairs_of),
}

_REASONS: Final[Mapping[str, str]] = {
    "cross_task": "no two tasks with a run that has attributions",
    "within_task": f"no task with {MIN_RUNS} runs that have attributions",
    "global": "fewer than two runs have attributions",
}


@dataclass(frozen=True)
class Drawing:
    """How intervals are made."""

    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class Ground:
    """The runs of some systems and the tasks that are drawn for them.

    Attributes
    ----------
    kept : ndarray of shape (n_runs,)
        Which runs of the sample.
    task : ndarray of shape (n kept,)
        Number of the task of each, from 0 without gaps.
    n_tasks : int
        Number of tasks.
    """

    kept: BoolArray
    task: IntArray
    n_tasks: int

    def cloud(self, vectors: FloatArray, among: BoolArray | None = None) -> Directions:
        """Sums of the vectors of these runs, or of those of them that are also ``among``."""
        if among is None:
            return directions(vectors[self.kept], self.task, self.n_tasks)
        inside = among[self.kept]
        return directions(vectors[self.kept][inside], self.task[inside], self.n_tasks)


def ground(sample: Sample, kept: BoolArray) -> Ground:
    """The ground of some runs."""
    tasks, numbers = np.unique(sample.task[kept], return_inverse=True)
    return Ground(kept, numbers.astype(np.int64), len(tasks))


def minus(one: Statistic, other: Statistic) -> Statistic:
    """The difference of two statistics on the same draws."""
    return lambda counts: one(counts) - other(counts)


def mean_over(statistics: Sequence[Statistic]) -> Statistic:
    """The mean of several statistics on the same draws."""
    return lambda counts: np.mean([statistic(counts) for statistic in statistics], axis=0)


def mean_of_clouds(scale: str, clouds: Sequence[Directions]) -> Statistic:
    """The mean of one statistic over several clouds of the same runs.

    Where all clouds have as many vectors at each task, the mean of their cosines is the cosine of
    the vectors laid side by side and divided by the root of their number: one matrix product for
    all permutations.
    """
    make, first = STATISTICS[scale], clouds[0].sizes
    if any(not np.array_equal(each.sizes, first) for each in clouds):
        return mean_over([make(each) for each in clouds])
    beside = np.hstack([each.sums for each in clouds]) / np.sqrt(len(clouds))
    return make(Directions(beside, first))


def success_of(sample: Sample, base: Ground, among: BoolArray | None = None) -> Statistic:
    """Share of runs that succeed."""
    inside = np.ones(len(base.task), dtype=np.bool_) if among is None else among[base.kept]
    task, won = base.task[inside], sample.success[base.kept][inside].astype(np.float64)
    return ratio_of(
        np.bincount(task, weights=won, minlength=base.n_tasks),
        np.bincount(task, minlength=base.n_tasks),
    )


def n_judged(scale: str, found: Directions) -> tuple[int, int]:
    """Tasks and runs that stand behind a figure."""
    sizes = found.sizes[found.sizes >= (MIN_RUNS if scale == "within_task" else 1)]
    return len(sizes), int(sizes.sum())


def estimate(  # noqa: PLR0913  the fields of an estimate
    name: str,
    statistic: Statistic,
    n_drawn: int,
    *,
    drawing: Drawing,
    n_tasks: int | None = None,
    n_runs: int = 0,
    n_excluded: int = 0,
    unit: str = "correlation",
    bounds: tuple[float, float] = (-1.0, 1.0),
    reason: str = "undefined on these tasks",
) -> Estimate:
    """An estimate with its interval over tasks, conditional on the fitted predictor."""
    interval = statistic_interval(
        statistic, n_drawn, rng=drawing.seed, level=drawing.level, bounds=bounds
    )
    value = interval.estimate
    return Estimate(
        name=name,
        unit=unit,
        value=value,
        low=interval.low,
        high=interval.high,
        level=drawing.level,
        n_tasks=n_drawn if n_tasks is None else n_tasks,
        n_runs=n_runs,
        n_excluded=n_excluded,
        method=interval.reason or interval.method,
        reason=reason if value is None else None,
    )


def widened(found: Estimate, nulls: FloatArray) -> Estimate:
    """A difference from a null whose interval also holds what shuffling alone does.

    With outcomes that mean nothing the observed figure is one more draw of the null, so each end is
    moved out by the t interval of such a draw: ``t sd sqrt(1 + 1/B)`` added in squares. Without an
    interval over tasks, or with fewer than two permutations, there is none.
    """
    if found.value is None or found.low is None or found.high is None:
        return found
    n = len(nulls)
    if n < 2:
        return replace(found, low=None, high=None, method="fewer than two permutations")
    reach = float(stdtrit(n - 1, (1 + found.level) / 2) * nulls.std(ddof=1) * np.sqrt(1 + 1 / n))
    return replace(
        found,
        low=found.value - float(np.hypot(found.value - found.low, reach)),
        high=found.value + float(np.hypot(found.high - found.value, reach)),
        method=f"{found.method}, widened by the spread of {n} permutations",
    )


def bcm(name: str, scale: str, found: Directions, *, drawing: Drawing) -> Estimate:
    """BCM of one set of pairs of one system."""
    n_tasks, n_runs = n_judged(scale, found)
    return estimate(
        name,
        STATISTICS[scale](found),
        len(found.sizes),
        drawing=drawing,
        n_tasks=n_tasks,
        n_runs=n_runs,
        n_excluded=found.n_dropped,
        reason=_REASONS[scale],
    )
