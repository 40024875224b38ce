"""Intervals over tasks: which method for which figure and how many tasks.

::

    mean_interval(values, *, level=0.95, bounds=(-inf, inf), clusters=None) -> Interval
    ratio_interval(numerators, denominators, *, level=0.95, bounds=(-inf, inf), clusters=None)
    median_interval(values, *, level=0.95) -> Interval
    statistic_interval(statistic, n_tasks, *, rng, level=0.95, bounds=(-inf, inf), clusters=None)

===========================  ===========  ==================================================
figure                       tasks        interval
===========================  ===========  ==================================================
any                          under 6      none: "too few tasks"
mean or ratio, bounded       6 and more   Wilson's score at the effective sample size, t quantile
mean or ratio, unbounded     6 and more   t, longer on the side of the long tail
median                       6 and more   order statistics, exact
any other                    6 to 19      the same t over the jackknife's pseudo-values
any other                    20 and more  bootstrap (BCa, 1,000 resamples)
===========================  ===========  ==================================================

Where tasks come in clusters, clusters are what is counted, modelled and drawn. Only the last row
needs a seed.

The methods were chosen by simulated coverage (``tests/stats/test_coverage.py`` holds them to it).
At a nominal 95 %, with 8 tasks: for normal values the percentile and BCa bootstraps cover 88 %, t
95 %; for exponential values t 89 %, the studentised bootstrap and the t stretched by Hall's
transformation 93 %, the latter without a seed; with heavy tails Hall's own interval loses 2 to 3
points, for it also shortens the other side, which is why that is left as it is. For success rates
near 0 or 1 only the score interval holds: where a task fails with probability 1/20, 8 tasks often
show no failure, so that t and every bootstrap cover 33 %, the score interval 95 %.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, stdtrit

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, RandomSource, as_pair, as_vector
from ethogram.stats.intervals import Interval, no_interval
from ethogram.stats.proportions import wilson_bounds
from ethogram.stats.resampling import (
    Statistic,
    bootstrap_interval,
    evaluate_once,
    jackknife_replicates,
    units,
)

MIN_TASKS: Final = 6
MIN_TASKS_BOOTSTRAP: Final = 20
UNBOUNDED: Final = (-np.inf, np.inf)
TOO_FEW: Final = "too few tasks"
MAX_STRETCH: Final = 2.0
"""Beyond twice the distance of the plain t, an end reaches far and covers hardly more."""


def _over(n_units: int, clusters: npt.ArrayLike | None) -> str:
    return f"over {n_units} {'tasks' if clusters is None else 'clusters'}"


def _skewed_t(pulls: FloatArray, level: float) -> tuple[float, float]:
    """Distances of the ends from the estimate: t over units, longer on the side of the long tail.

    With ``g`` the skewness, ``T + g T^2 / (3 sqrt n) + g^2 T^3 / (27 n) + g / (6 sqrt n)`` is
    closer to a t variable than ``T`` itself (Hall 1992); it rises everywhere, so it is solved for
    the ends.
    """
    n = len(pulls)
    error = pulls.std(ddof=1) / np.sqrt(n)
    centred = pulls - pulls.mean()
    skew = (centred**3).mean() / centred.std() ** 3 / np.sqrt(n)
    quantile = float(stdtrit(n - 1, (1 + level) / 2))
    ends = np.array([quantile, -quantile])
    if abs(skew) > 1e-6:
        ends = 3 / skew * (np.cbrt(1 + skew * (ends - skew / 6)) - 1)
    below, above = error * np.clip(np.abs(ends), quantile, MAX_STRETCH * quantile)
    return float(below), float(above)


def _score_t(
    estimate: float, pulls: FloatArray, level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Wilson's ends at the sample size that a plain share would need for this standard error."""
    n, (lowest, highest) = len(pulls), bounds
    share = (estimate - lowest) / (highest - lowest)
    variance = pulls.var(ddof=1) / n / (highest - lowest) ** 2
    # no spread seen: every unit counts as one trial
    effective = share * (1 - share) / variance if variance > 1e-24 else float(n)
    low, high = wilson_bounds(share, effective, float(stdtrit(n - 1, (1 + level) / 2)))
    return lowest + low * (highest - lowest), lowest + high * (highest - lowest)


def _score_interval(
    estimate: float, pulls: FloatArray, *, level: float, bounds: tuple[float, float], over: str
) -> Interval:
    if np.ptp(pulls) <= 1e-12 * abs(estimate):
        pulls = np.zeros(len(pulls))
    low, high = _score_t(estimate, pulls, level, bounds)
    method = f"{over}: Wilson score with effective sample size and t quantile"
    return Interval(estimate=estimate, low=float(low), high=float(high), level=level, method=method)


def _t_interval(
    estimate: float, pulls: FloatArray, *, level: float, bounds: tuple[float, float], over: str
) -> Interval:
    if np.ptp(pulls) <= 1e-12 * abs(estimate):
        return no_interval(f"no spread {over}", estimate=estimate, level=level)
    below, above = _skewed_t(pulls, level)
    low, high = np.clip([estimate - below, estimate + above], *bounds)
    method = f"{over}: t, longer towards the long tail"
    return Interval(estimate=estimate, low=float(low), high=float(high), level=level, method=method)


def mean_interval(
    values: npt.ArrayLike,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = UNBOUNDED,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Interval of a mean over tasks of one value a task (also of a paired difference).

    Parameters
    ----------
    values : array-like of shape (n_tasks,)
        One value a task.
    level : float
        Nominal coverage.
    bounds : tuple of float
        Range of the values: ``(0, 1)`` for shares and similarities, ``(-1, 1)`` for differences of
        shares, ``(0, inf)`` for amounts. With two finite ends the score interval is taken.
    clusters : array-like of shape (n_tasks,), optional
        Label of the set that each task belongs to; clusters then count as tasks do.

    Returns
    -------
    Interval
        Within ``bounds``. No ends with fewer than six tasks ("too few tasks"). When all values are
        equal, bounded values get the score interval in which every task counts as one trial (eight
        tasks of eight solved: 0.59 to 1), unbounded ones none ("no spread over 8 tasks"): a width
        of zero would claim certainty.

    Raises
    ------
    UsageError
        If a value is not finite, or the mean lies outside ``bounds``.

    Notes
    -----
    Bounded: with standard error ``s`` of the mean ``m`` (scaled to 0..1), ``n* = m (1 - m) / s^2``
    is the effective sample size; the ends are Wilson's with ``n*`` trials and the t quantile of ``n
    - 1`` degrees of freedom. Far from both bounds, that is the t interval.

    Unbounded: the t interval; the end towards the long tail is moved out to where Hall's
    transformation of the t statistic, which removes the first-order effect of skewness, has it, but
    to no more than twice its distance.

    References
    ----------
    Hall (1992), On the removal of skewness by transformation; Korn and Graubard (1998), Confidence
    intervals for proportions with small expected number of positive counts; Franco et al. (2019),
    Comparative study of confidence intervals for proportions in complex sample surveys.

    Examples
    --------
    >>> interval = mean_interval([1, 2, 3, 4, 5, 6])
    >>> interval.estimate, round(interval.low, 3), round(interval.high, 3)
    (3.5, 1.537, 5.463)
    >>> mean_interval([1, 2, 3]).reason
    'too few tasks'
    """
    per_task = as_vector(values, name="values")
    return ratio_interval(
        per_task, np.ones(len(per_task)), level=level, bounds=bounds, clusters=clusters
    )


def ratio_interval(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = UNBOUNDED,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Interval of a ratio of sums over tasks, such as accuracy = successes / runs.

    Each task's pull is linearised (delta method): ``(y_t - R x_t) / mean(x)``; the rest is as in
    `mean_interval`, which is the case of equal denominators.

    Parameters
    ----------
    numerators, denominators : array-like of shape (n_tasks,)
        For an accuracy the successes and the runs of each task, with ``bounds=(0, 1)``. Tasks whose
        denominator is zero say nothing and are left out.
    level, bounds, clusters
        As `mean_interval`.

    Returns
    -------
    Interval
        As `mean_interval`; without an estimate when no denominator is positive.

    Raises
    ------
    UsageError
        If the arrays differ in length or hold values that are not finite.

    Examples
    --------
    >>> interval = ratio_interval([5, 3, 0, 0, 5, 5, 0, 5, 1, 5], [5] * 10, bounds=(0, 1))
    >>> round(interval.estimate, 2), round(interval.low, 2), round(interval.high, 2)
    (0.58, 0.27, 0.84)
    """
    above, below = as_pair(numerators, denominators, names=("numerators", "denominators"))
    n_units, unit_of_task = units(len(above), clusters)
    if not below.sum() > 0:
        return no_interval(TOO_FEW, estimate=None, level=level)
    by_unit = np.bincount(unit_of_task, weights=below, minlength=n_units)
    ratio = float(above.sum() / below.sum())
    pulls = np.bincount(unit_of_task, weights=above - ratio * below, minlength=n_units)
    pulls = pulls[by_unit > 0] / by_unit[by_unit > 0].mean()
    if not bounds[0] <= ratio <= bounds[1]:
        raise UsageError(f"the estimate {ratio:g} lies outside the bounds {bounds}")
    if len(pulls) < MIN_TASKS:
        return no_interval(TOO_FEW, estimate=ratio, level=level)
    interval = _score_interval if np.isfinite(bounds).all() else _t_interval
    return interval(ratio, pulls, level=level, bounds=bounds, over=_over(len(pulls), clusters))


def median_interval(values: npt.ArrayLike, *, level: float = 0.95) -> Interval:
    """Interval of a median over tasks from order statistics.

    The ends are the ``j``-th smallest and largest values, with ``j`` as large as ``2 P(Binomial(n,
    1/2) < j) <= 1 - level`` allows: it covers at least at the nominal level, whatever the
    distribution (six values: their range, 96.9 %). With ties the ends may coincide; then the width
    of zero is right.

    Examples
    --------
    >>> interval = median_interval([3, 1, 2, 6, 5, 4])
    >>> interval.estimate, interval.low, interval.high
    (3.5, 1.0, 6.0)
    """
    ordered = np.sort(as_vector(values, name="values"))
    n = len(ordered)
    median = float(np.median(ordered)) if n else None
    ranks = np.arange(1, n // 2 + 1)
    allowed = ranks[2 * bdtr(ranks - 1, n, 0.5) <= 1 - level] if n >= MIN_TASKS else ranks[:0]
    if not len(allowed):
        return no_interval(TOO_FEW, estimate=median, level=level)
    rank = int(allowed[-1])
    return Interval(
        estimate=median,
        low=float(ordered[rank - 1]),
        high=float(ordered[n - rank]),
        level=level,
        method=f"over {n} tasks: order statistics",
    )


def statistic_interval(
    statistic: Statistic,
    n_tasks: int,
    *,
    rng: RandomSource,
    level: float = 0.95,
    bounds: tuple[float, float] = UNBOUNDED,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Interval of any smooth statistic over tasks, by the number of tasks.

    Under 6 tasks none; 6 to 19 as the unbounded `mean_interval` over the jackknife's pseudo-values;
    from 20 on `bootstrap_interval`. ``bounds`` are those of the statistic, to which the interval is
    cut; other parameters as there.

    Returns
    -------
    Interval
        Below 20 tasks without ends also when the statistic is undefined without one of the tasks.

    Examples
    --------
    >>> from ethogram.stats.resampling import mean_of
    >>> statistic_interval(mean_of([1, 2, 3, 4, 5, 6]), 6, rng=0).method
    'over 6 tasks, jackknife: t, longer towards the long tail'
    """
    n_units, _ = units(n_tasks, clusters)
    if n_units >= MIN_TASKS_BOOTSTRAP:
        return bootstrap_interval(statistic, n_tasks, rng=rng, level=level, clusters=clusters)
    estimate = evaluate_once(statistic, n_tasks) if n_tasks else None
    if estimate is None:
        return no_interval("undefined on these tasks", estimate=None, level=level)
    if n_units < MIN_TASKS:
        return no_interval(TOO_FEW, estimate=estimate, level=level)
    left_out = jackknife_replicates(statistic, n_tasks, clusters=clusters)
    if np.isnan(left_out).any():
        reason = "undefined without one of the tasks"
        return no_interval(reason, estimate=estimate, level=level)
    pulls = (n_units - 1) * (left_out.mean() - left_out)
    over = f"{_over(n_units, clusters)}, jackknife"
    return _t_interval(estimate, pulls, level=level, bounds=bounds, over=over)
