"""Correlations: whether two quantities rise together.

::

    pearson(first, second, *, level=0.95) -> TestResult      with an interval of r
    spearman(first, second) -> TestResult                    exact up to nine pairs
"""

from itertools import chain, permutations
from math import atanh, factorial, sqrt, tanh
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ethogram.stats.arrays import FloatArray, as_pair, midranks
from ethogram.stats.intervals import Interval, no_interval
from ethogram.stats.significance import TestResult, no_result, two_sided_t

MAX_PAIRS_EXACT: Final = 9
"""9! = 362,880 orders are counted in a tenth of a second; 10! would take a second."""


def _unusable(one: FloatArray, other: FloatArray) -> str | None:
    if len(one) < 3:
        return "fewer than three pairs"
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return "one of the two is constant"
    return None


def _unit(values: FloatArray) -> FloatArray:
    """Centred and scaled to length one: the correlation is then a dot product."""
    centred = values - values.mean()
    scaled = centred / np.abs(centred).max()
    unit: FloatArray = scaled / np.linalg.norm(scaled)
    return unit


def _t_test(r: float, n: int) -> float:
    return two_sided_t(r * sqrt((n - 2) / (1 - r * r)), n - 2) if abs(r) < 1 else 0.0


def pearson(first: npt.ArrayLike, second: npt.ArrayLike, *, level: float = 0.95) -> TestResult:
    """Pearson's correlation with its t test and Fisher's interval.

    ``t = r sqrt((n - 2) / (1 - r^2))`` with ``n - 2`` df; the interval is ``tanh(atanh(r) ± z /
    sqrt(n - 3))``.

    Returns
    -------
    TestResult
        ``statistic`` is r, ``interval`` its interval (none with three pairs, or when the points lie
        on a line, where the formula gives a width of zero). No p value with fewer than three pairs
        or when one side is constant.

    Raises
    ------
    UsageError
        If the lengths differ.

    Examples
    --------
    >>> result = pearson([1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (0.8, 0.2)
    """
    one, other = as_pair(first, second)
    n, reason = len(one), _unusable(one, other)
    if reason is not None:
        return no_result(reason, method="Pearson", n=n)
    r = float(np.clip(_unit(one) @ _unit(other), -1, 1))
    r = r if abs(r) < 1 - 1e-14 else float(np.sign(r))
    return TestResult(
        statistic=r,
        p_value=_t_test(r, n),
        df=n - 2,
        n=n,
        method="Pearson",
        interval=_fisher_interval(r, n, level),
    )


def _fisher_interval(r: float, n: int, level: float) -> Interval:
    method = "Fisher z"
    if n < 4:
        return no_interval("fewer than four pairs", estimate=r, level=level, method=method)
    if abs(r) == 1:
        return no_interval("all points on one line", estimate=r, level=level, method=method)
    half = float(ndtri((1 + level) / 2)) / sqrt(n - 3)
    low, high = tanh(atanh(r) - half), tanh(atanh(r) + half)
    return Interval(estimate=r, low=low, high=high, level=level, method=method)


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> TestResult:
    """Spearman's rank correlation; ties share their mean rank.

    Up to nine pairs the p value is the share of all orders of the one side, ties included, that
    give a correlation at least as far from zero (three systems in perfect order: p = 1/3). Beyond,
    the t approximation with ``n - 2`` df.

    Returns
    -------
    TestResult
        ``statistic`` is rho. No p value with fewer than three pairs or when one side is constant.

    Raises
    ------
    UsageError
        If the lengths differ.

    Examples
    --------
    >>> result = spearman([15.2, 32.2, 47.0], [0.58, 0.32, 0.04])
    >>> result.statistic, round(result.p_value, 4)
    (-1.0, 0.3333)
    """
    one, other = as_pair(first, second)
    n, reason = len(one), _unusable(one, other)
    if reason is not None:
        return no_result(reason, method="Spearman", n=n)
    ranks_one, ranks_other = _unit(midranks(one)), _unit(midranks(other))
    rho = float(ranks_one @ ranks_other)
    rho = rho if abs(rho) < 1 - 1e-14 else float(np.sign(rho))
    if n > MAX_PAIRS_EXACT:
        return TestResult(
            statistic=rho, p_value=_t_test(rho, n), df=n - 2, n=n, method="Spearman, t"
        )
    orders = np.fromiter(
        chain.from_iterable(permutations(range(n))), dtype=np.int8, count=n * factorial(n)
    ).reshape(-1, n)
    every = ranks_other[orders] @ ranks_one
    p = float(np.mean(np.abs(every) >= abs(rho) - 1e-12))
    return TestResult(statistic=rho, p_value=p, n=n, method="Spearman, exact")
