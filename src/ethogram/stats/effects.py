"""How large a difference is.

::

    cohens_d_pooled(first, second) -> float
    cohens_dz(first, second) -> float
    hedges_factor(df) -> float
    odds_ratio(successes_1, runs_1, successes_2, runs_2) -> float
"""

from math import exp, inf, lgamma, sqrt

import numpy as np
import numpy.typing as npt

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.arrays import as_pair, as_vector


def cohens_d_pooled(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Difference of two means in units of the pooled standard deviation.

    ``d = (m1 - m2) / sqrt(((n1 - 1) s1^2 + (n2 - 1) s2^2) / (n1 + n2 - 2))``; positive when the
    first is larger.

    Raises
    ------
    NotEnoughDataError
        With fewer than two values on a side, or when neither side spreads.

    References
    ----------
    Cohen (1988), section 2.2.

    Examples
    --------
    >>> cohens_d_pooled([2, 4], [1, 3])
    0.7071067811865475
    """
    one, other = as_vector(first, name="first"), as_vector(second, name="second")
    if min(len(one), len(other)) < 2:
        raise NotEnoughDataError("Cohen's d needs two or more values on each side")
    squares = ((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()
    if np.ptp(one) == 0 == np.ptp(other):
        raise NotEnoughDataError("Cohen's d is undefined: neither side spreads")
    return float((one.mean() - other.mean()) / sqrt(squares / (len(one) + len(other) - 2)))


def cohens_dz(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Mean of the paired differences in units of their standard deviation.

    ``d_z = mean(x - y) / sd(x - y)``, the paired t statistic over ``sqrt(n)``.

    Raises
    ------
    NotEnoughDataError
        With fewer than two pairs, or when all differences are equal.
    UsageError
        If the lengths differ.

    References
    ----------
    Cohen (1988), section 2.3.5.

    Examples
    --------
    >>> cohens_dz([1, 2, 3], [0, 0, 0])
    2.0
    """
    one, other = as_pair(first, second)
    differences = one - other
    if len(differences) < 2:
        raise NotEnoughDataError("d_z needs two or more pairs")
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        raise NotEnoughDataError("d_z is undefined: all differences are equal")
    return float(differences.mean() / differences.std(ddof=1))


def hedges_factor(df: float) -> float:
    """What a standardised difference is multiplied by to remove its small-sample bias.

    ``J = Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2))``, below 1, nearing 1 with the degrees of
    freedom (``n1 + n2 - 2`` for the pooled d, ``n - 1`` for d_z).

    Raises
    ------
    UsageError
        Unless ``df > 1``.

    References
    ----------
    Hedges (1981), equation 6e.

    Examples
    --------
    >>> round(hedges_factor(18), 4)
    0.9576
    """
    if not df > 1:
        raise UsageError(f"df must be above 1; got {df}")
    return exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)


def odds_ratio(successes_1: int, runs_1: int, successes_2: int, runs_2: int) -> float:
    """Sample odds ratio of success, the first against the second.

    ``(c1 / (n1 - c1)) / (c2 / (n2 - c2))``: above 1 when the first succeeds more. 0 when the first
    never succeeds or the second always does, infinite in the opposite cases.

    Raises
    ------
    NotEnoughDataError
        If both odds are zero or both infinite, or a side has no run: then it is undefined.
    UsageError
        If not ``0 <= successes <= runs``.

    Examples
    --------
    >>> round(odds_ratio(16, 50, 29, 50), 4)
    0.3408
    """
    for successes, runs in ((successes_1, runs_1), (successes_2, runs_2)):
        if not 0 <= successes <= runs:
            raise UsageError(f"need 0 <= successes <= runs; got {successes} of {runs}")
    above = successes_1 * (runs_2 - successes_2)
    below = (runs_1 - successes_1) * successes_2
    if above == below == 0:
        raise NotEnoughDataError("the odds ratio is undefined: both odds are zero or infinite")
    return above / below if below else inf
