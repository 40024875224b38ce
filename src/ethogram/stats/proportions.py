"""Intervals for a share of independent trials.

::

    wilson_interval(successes, trials, *, level=0.95) -> Interval
    clopper_pearson_interval(successes, trials, *, level=0.95) -> Interval

Runs of one task are not independent of each other: the interval of an accuracy over tasks with
repeats is `ethogram.stats.task_intervals.ratio_interval`.
"""

from math import sqrt

from scipy.special import betaincinv, ndtri

from ethogram.errors import UsageError
from ethogram.stats.intervals import Interval, no_interval


def wilson_bounds(share: float, trials: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval: the shares whose normal test at ``quantile`` keeps ``share``.

    ``trials`` need not be whole: an effective sample size will do.
    """
    spread = quantile**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # at 0 and 1 an end is exact in algebra and off by rounding in floating point
    return (
        0.0 if share <= 0 else max(0.0, centre - half),
        1.0 if share >= 1 else min(1.0, centre + half),
    )


def _check(successes: int, trials: int, level: float) -> None:
    if not 0 <= successes <= trials:
        raise UsageError(f"need 0 <= successes <= trials; got {successes} of {trials}")
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1; got {level}")


def wilson_interval(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval for a share of independent trials.

    Closed form, close to the nominal level on average over shares, never outside 0 to 1, and never
    of zero width. Without trials there is no interval ("no trials").

    Raises
    ------
    UsageError
        If not ``0 <= successes <= trials`` or not ``0 < level < 1``.

    References
    ----------
    Wilson (1927); Brown, Cai and DasGupta (2001).

    Examples
    --------
    >>> interval = wilson_interval(5, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2366, 0.7634)
    """
    _check(successes, trials, level)
    if trials == 0:
        return no_interval("no trials", estimate=None, level=level, method="Wilson")
    low, high = wilson_bounds(successes / trials, trials, float(ndtri((1 + level) / 2)))
    return Interval(estimate=successes / trials, low=low, high=high, level=level, method="Wilson")


def clopper_pearson_interval(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval for a share of independent trials.

    Covers at least at the nominal level, and so is wider than Wilson's. Errors and the case without
    trials as `wilson_interval`.

    References
    ----------
    Clopper and Pearson (1934).

    Examples
    --------
    >>> interval = clopper_pearson_interval(0, 10)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.3085)
    """
    _check(successes, trials, level)
    if trials == 0:
        return no_interval("no trials", estimate=None, level=level, method="Clopper-Pearson")
    tail, failures = (1 - level) / 2, trials - successes
    return Interval(
        estimate=successes / trials,
        low=float(betaincinv(successes, failures + 1, tail)) if successes else 0.0,
        high=float(betaincinv(successes + 1, failures, 1 - tail)) if failures else 1.0,
        level=level,
        method="Clopper-Pearson",
    )
