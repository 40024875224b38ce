"""What repeated runs of a task say at ``k`` runs: pass@k, pass^k, flips, subsets.

::

    pass_at_k(n, c, k) -> FloatArray      at least one of k runs succeeds
    pass_hat_k(n, c, k) -> FloatArray     all of k runs succeed
    flip_rate(n, c, k) -> FloatArray      some of k runs succeed and some fail
    k_subsets(n, k, *, rng, limit=1000) -> IntArray      (n_subsets, k) indices of runs

``n`` runs and ``c`` successes may be arrays over tasks; a task with fewer than ``k`` runs is NaN
(the caller drops and counts it). All three are unbiased for what ``k`` fresh runs of the task would
show, because each is a share of the ``C(n, k)`` subsets of its runs.
"""

from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.arrays import FloatArray, IntArray, RandomSource


def _all_among(chosen: FloatArray, runs: FloatArray, k: int) -> FloatArray:
    """``C(chosen, k) / C(runs, k)`` as a product of ``k`` ratios: no coefficient overflows."""
    share = np.where(runs < k, np.nan, 1.0)
    for drawn in range(k):
        share = share * np.maximum(chosen - drawn, 0) / np.maximum(runs - drawn, 1)
    return share


def _checked(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> tuple[FloatArray, FloatArray]:
    runs, successes = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    if k < 1:
        raise UsageError(f"k must be 1 or more; got {k}")
    if not np.all((successes >= 0) & (successes <= runs)):
        raise UsageError("each task needs 0 <= successes <= runs")
    return runs, successes


def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> FloatArray:
    """Probability that at least one of ``k`` runs succeeds: ``1 - C(n-c, k) / C(n, k)``.

    0 to 1, rises with ``k``; pass@1 is the success rate ``c / n``.

    Parameters
    ----------
    n, c : int or array-like
        Runs with a known outcome and successes among them, per task.
    k : int
        Number of runs drawn without replacement.

    Returns
    -------
    ndarray
        NaN for tasks with fewer than ``k`` runs.

    Raises
    ------
    UsageError
        If ``k < 1`` or not ``0 <= c <= n``.

    References
    ----------
    Chen et al. (2021), equation 1.

    Examples
    --------
    >>> pass_at_k([4, 4, 1], [1, 0, 1], 2).tolist()
    [0.5, 0.0, nan]
    """
    runs, successes = _checked(n, c, k)
    return 1 - _all_among(runs - successes, runs, k)


def pass_hat_k(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> FloatArray:
    """Probability that all of ``k`` runs succeed: ``C(c, k) / C(n, k)``, written pass^k.

    0 to 1, falls with ``k``; pass^1 is the success rate ``c / n``. Parameters, returns and errors
    as `pass_at_k`.

    References
    ----------
    Yao et al. (2024), tau-bench, section 4.

    Examples
    --------
    >>> pass_hat_k([4, 4], [2, 4], 2).round(4).tolist()
    [0.1667, 1.0]
    """
    runs, successes = _checked(n, c, k)
    return _all_among(successes, runs, k)


def flip_rate(n: npt.ArrayLike, c: npt.ArrayLike, k: int) -> FloatArray:
    """Probability that ``k`` runs don't agree: ``1 - (C(c, k) + C(n-c, k)) / C(n, k)``.

    0 to 1, rises with ``k`` from 0 at ``k = 1``; equals pass@k - pass^k. Parameters, returns and
    errors as `pass_at_k`.

    Examples
    --------
    >>> flip_rate([4, 4], [2, 4], 2).round(4).tolist()
    [0.6667, 0.0]
    """
    return pass_at_k(n, c, k) - pass_hat_k(n, c, k)


def k_subsets(n: int, k: int, *, rng: RandomSource, limit: int = 1000) -> IntArray:
    """Subsets of ``k`` of ``n`` runs: all of them, or a sample where there are more than ``limit``.

    Returns
    -------
    ndarray of shape (min(C(n, k), limit), k)
        Rising indices in each row. All subsets come in lexicographic order; sampled ones are
        independent draws, so that a mean over them is unbiased.

    Raises
    ------
    NotEnoughDataError
        If ``k > n``.
    UsageError
        If ``k < 1``.

    Examples
    --------
    >>> k_subsets(3, 2, rng=0).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    if k < 1:
        raise UsageError(f"k must be 1 or more; got {k}")
    if k > n:
        raise NotEnoughDataError(f"{k} runs can't be drawn from {n}")
    if comb(n, k) <= limit:
        return np.array(list(combinations(range(n), k)), dtype=np.int64)
    keys = np.random.default_rng(rng).random((limit, n))
    return np.sort(np.argpartition(keys, k - 1, axis=1)[:, :k], axis=1).astype(np.int64)
