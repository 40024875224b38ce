"""The one place that resamples tasks.

::

    bootstrap_replicates(statistic, n_tasks, *, rng, n_resamples=1000, clusters=None) -> FloatArray
    jackknife_replicates(statistic, n_tasks, *, clusters=None) -> FloatArray
    bootstrap_interval(statistic, n_tasks, *, rng, level=0.95, n_resamples=1000, clusters=None)
        -> Interval
    mean_of(values) -> Statistic
    ratio_of(numerators, denominators) -> Statistic

A `Statistic` takes how often each task was drawn, ``counts`` of shape (n_resamples, n_tasks), and
returns one number a row. Whatever is built of weighted sums over tasks is then a matrix product
over all resamples at once; a difference of two systems is one statistic on the same counts, hence
paired. Undefined values (NaN, infinity) are dropped and counted.

Tasks are drawn, never runs: runs of one task are not independent. With ``clusters`` (a label for
each task, for example its repository) whole clusters are drawn with all their tasks.

Which interval suits which figure is decided in `ethogram.stats.task_intervals`.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray, RandomSource, as_pair, as_vector
from ethogram.stats.intervals import Interval, no_interval

Statistic: TypeAlias = Callable[[FloatArray], FloatArray]

BLOCK_CELLS: Final = 1 << 21
"""Counts held at once: 16 MB, whatever the number of tasks."""
MAX_UNITS_BCA: Final = 2000
"""Above, the acceleration (of order ``1 / sqrt(n)``) no longer repays a jackknife of order n^2."""


def mean_of(values: npt.ArrayLike) -> Statistic:
    """The mean over the drawn tasks of one value a task."""
    per_task = as_vector(values, name="values")
    return lambda counts: counts @ per_task / counts.sum(axis=-1)


def ratio_of(numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Statistic:
    """The sum of ``numerators`` over the sum of ``denominators`` of the drawn tasks."""
    above, below = as_pair(numerators, denominators, names=("numerators", "denominators"))
    return lambda counts: counts @ above / (counts @ below)


def units(n_tasks: int, clusters: npt.ArrayLike | None) -> tuple[int, IntArray]:
    """Number of units that are drawn, and the unit of each task.

    Raises
    ------
    UsageError
        If there is not one cluster label for each task.
    """
    if clusters is None:
        return n_tasks, np.arange(n_tasks, dtype=np.int64)
    names, unit_of_task = np.unique(np.asarray(clusters), return_inverse=True)
    if len(unit_of_task) != n_tasks:
        raise UsageError(
            f"clusters needs a label for each of {n_tasks} tasks; got {len(unit_of_task)}"
        )
    return len(names), unit_of_task.astype(np.int64)


def _row_blocks(n_rows: int, n_columns: int) -> Iterator[range]:
    step = max(1, BLOCK_CELLS // max(1, n_columns))
    return (range(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def _evaluate(statistic: Statistic, counts: FloatArray) -> FloatArray:
    """Values of the statistic with everything undefined as NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(counts), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def evaluate_once(statistic: Statistic, n_tasks: int) -> float | None:
    """The statistic on the tasks as they are; None where it is undefined."""
    value = float(_evaluate(statistic, np.ones((1, n_tasks)))[0])
    return None if np.isnan(value) else value


def bootstrap_replicates(
    statistic: Statistic,
    n_tasks: int,
    *,
    rng: RandomSource,
    n_resamples: int = 1000,
    clusters: npt.ArrayLike | None = None,
) -> FloatArray:
    """The statistic on ``n_resamples`` draws of as many tasks (or clusters), with replacement.

    Returns
    -------
    ndarray of shape (n_resamples,)
        NaN where the statistic is undefined. The same seed gives the same draws, so two statistics
        evaluated with one seed are paired.
    """
    n_units, unit_of_task = units(n_tasks, clusters)
    generator = np.random.default_rng(rng)
    replicates = np.empty(n_resamples)
    for rows in _row_blocks(n_resamples, max(n_tasks, n_units)):
        drawn = generator.integers(n_units, size=(len(rows), n_units))
        drawn += np.arange(len(rows))[:, None] * n_units
        counts = np.bincount(drawn.ravel(), minlength=len(rows) * n_units)
        by_unit = counts.reshape(len(rows), n_units).astype(np.float64)
        replicates[rows.start : rows.stop] = _evaluate(statistic, by_unit[:, unit_of_task])
    return replicates


def jackknife_replicates(
    statistic: Statistic, n_tasks: int, *, clusters: npt.ArrayLike | None = None
) -> FloatArray:
    """The statistic without each task (or cluster) in turn; NaN where it is undefined."""
    n_units, unit_of_task = units(n_tasks, clusters)
    replicates = np.empty(n_units)
    for rows in _row_blocks(n_units, n_tasks):
        counts = (unit_of_task[None, :] != np.array(rows)[:, None]).astype(np.float64)
        replicates[rows.start : rows.stop] = _evaluate(statistic, counts)
    return replicates


def _bca_tails(
    replicates: FloatArray, estimate: float, jackknife: FloatArray, level: float
) -> FloatArray:
    """Where to cut the replicates: bias-corrected and accelerated (Efron 1987)."""
    n = len(replicates)
    below = (np.sum(replicates < estimate) + np.sum(replicates <= estimate)) / 2
    bias = ndtri(np.clip(below, 0.5, n - 0.5) / n)
    pull = jackknife.mean() - jackknife
    squares = float((pull**2).sum())
    acceleration = float((pull**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    shifted = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    tails: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
    return tails


def bootstrap_interval(
    statistic: Statistic,
    n_tasks: int,
    *,
    rng: RandomSource,
    level: float = 0.95,
    n_resamples: int = 1000,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Bootstrap interval of any statistic over tasks: BCa, above 2,000 tasks percentile.

    Meant for 20 tasks and more: with fewer, every bootstrap of this kind is too narrow (see
    `ethogram.stats.task_intervals.statistic_interval`, which decides).

    Parameters
    ----------
    statistic : callable
        Counts of shape (n_resamples, n_tasks) to values of shape (n_resamples,).
    n_tasks : int
        Number of tasks.
    rng : int, SeedSequence or Generator
        Source of the draws.
    level : float
        Nominal coverage.
    n_resamples : int
        Number of draws.
    clusters : array-like of shape (n_tasks,), optional
        Label of the set that each task is drawn with.

    Returns
    -------
    Interval
        Within the range of the statistic, as its ends are values of it. Without ends when the
        statistic is undefined on the tasks as they are, in more than half of the resamples, or has
        the same value in all of them (a zero width would claim certainty).

    References
    ----------
    Efron (1987), Better bootstrap confidence intervals.
    """
    estimate = evaluate_once(statistic, n_tasks)
    if estimate is None:
        return no_interval("undefined on these tasks", estimate=None, level=level)
    drawn = bootstrap_replicates(
        statistic, n_tasks, rng=rng, n_resamples=n_resamples, clusters=clusters
    )
    replicates = drawn[~np.isnan(drawn)]
    n_dropped = n_resamples - len(replicates)
    if n_dropped > n_resamples / 2:
        reason = "undefined in more than half of the resamples"
        return no_interval(reason, estimate=estimate, level=level, n_dropped=n_dropped)
    if np.ptp(replicates) <= 1e-12 * abs(estimate):
        reason = "the same value in all resamples"
        return no_interval(reason, estimate=estimate, level=level, n_dropped=n_dropped)
    n_units, _ = units(n_tasks, clusters)
    if n_units > MAX_UNITS_BCA:
        name, tails = "percentile", np.array([(1 - level) / 2, (1 + level) / 2])
    else:
        left_out = jackknife_replicates(statistic, n_tasks, clusters=clusters)
        name = "BCa"
        tails = _bca_tails(replicates, estimate, left_out[~np.isnan(left_out)], level)
    low, high = np.quantile(replicates, tails)
    unit = "tasks" if clusters is None else "clusters"
    return Interval(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method=f"over {n_units} {unit}: {name} bootstrap, {n_resamples:,} resamples",
        n_dropped=n_dropped,
    )
