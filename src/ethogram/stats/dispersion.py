"""How much repeats of a task spread.

::

    coefficient_of_variation(counts) -> float
    icc1(groups) -> float
    icc1_of_sums(sizes, sums, squares, *, weights=None) -> FloatArray      for resampling
    share_unique(sequences) -> float
"""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.arrays import FloatArray, as_vector


def coefficient_of_variation(counts: npt.ArrayLike) -> float:
    """Sample standard deviation over the mean, as a fraction.

    ``CV = s / m`` with ``s`` the sample standard deviation (``ddof=1``). Zero when all values are
    equal; at most ``sqrt(n)`` for ``n`` values. Higher means less steady. Independent of the unit.

    Parameters
    ----------
    counts : array-like of shape (n_runs,)
        Non-negative amounts (actions, tokens, dollars, seconds) of the repeats of one task.

    Raises
    ------
    NotEnoughDataError
        With fewer than two values, or when all of them are zero.
    UsageError
        If a value is negative: a spread relative to a mean near zero says nothing.

    Notes
    -----
    With few repeats the sample CV is biased low (Mehta 2026 uses it uncorrected with five runs, and
    so do we); it can't be compared between different numbers of runs without saying so.

    References
    ----------
    Mehta (2026), section 3.

    Examples
    --------
    >>> coefficient_of_variation([10, 10, 10])
    0.0
    >>> coefficient_of_variation([8, 10, 12])
    0.2
    """
    values = as_vector(counts, name="counts")
    if len(values) < 2:
        raise NotEnoughDataError(
            f"a coefficient of variation needs two or more runs; got {len(values)}"
        )
    if values.min() < 0:
        raise UsageError(f"counts must not be negative; got {values.min():g}")
    if values.max() == 0:
        raise NotEnoughDataError("a coefficient of variation needs a positive mean; all are zero")
    scaled = values / values.max()  # neither overflow nor underflow, whatever the unit
    return float(scaled.std(ddof=1) / scaled.mean())


def icc1(groups: Sequence[npt.ArrayLike]) -> float:
    """Intraclass correlation ICC(1): the share of variance that lies between tasks.

    One-way random effects, single score, from the analysis of variance:
    ``(MSB - MSW) / (MSB + (n0 - 1) MSW)`` with ``n0 = (N - sum n_i^2 / N) / (g - 1)`` for ``g``
    groups of ``n_i`` values, ``N`` in all. 1 when repeats of a task agree perfectly, 0 when knowing
    the task says nothing, negative (down to ``-1 / (n0 - 1)``) when repeats differ more than chance
    would have it.

    Parameters
    ----------
    groups : sequence of array-like
        The values (0/1 outcomes or real numbers) of each task's runs; groups may differ in size,
        and a group of one counts towards MSB only.

    Raises
    ------
    NotEnoughDataError
        With fewer than two groups, when no group has two values, or when all values are equal.

    References
    ----------
    Shrout and Fleiss (1979), case 1; Donner and Koval (1980) for unequal groups.

    Examples
    --------
    >>> icc1([[1, 1], [0, 0]])
    1.0
    >>> icc1([[1, 0], [0, 1]])
    -1.0
    """
    values = [as_vector(group, name="each group") for group in groups]
    values = [group for group in values if len(group)]
    if len(values) < 2 or max(len(group) for group in values) < 2:
        raise NotEnoughDataError(
            "ICC(1) needs two or more tasks, one of them with two or more runs; "
            f"got {[len(group) for group in values]} runs"
        )
    pooled = np.concatenate(values)
    if pooled.min() == pooled.max():
        raise NotEnoughDataError("ICC(1) is undefined: all values are equal")
    centre = pooled.mean()
    sizes = np.array([len(group) for group in values], dtype=np.float64)
    sums = np.array([(group - centre).sum() for group in values])
    squares = np.array([((group - centre) ** 2).sum() for group in values])
    return float(icc1_of_sums(sizes, sums, squares))


def icc1_of_sums(
    sizes: npt.ArrayLike,
    sums: npt.ArrayLike,
    squares: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
) -> FloatArray:
    """ICC(1) from each task's number of values, their sum and the sum of their squares.

    Parameters
    ----------
    sizes, sums, squares : array-like of shape (n_tasks,)
        Sufficient statistics of each task; for 0/1 outcomes ``squares`` equals ``sums``.
    weights : array-like of shape (..., n_tasks), optional
        How often each task counts (rows of a resample); once by default.

    Returns
    -------
    ndarray of shape ``weights.shape[:-1]``
        NaN where it is undefined: fewer than two tasks, no repeats, or all values equal.

    Examples
    --------
    >>> icc1_of_sums([2, 2], [2, 0], [2, 0], weights=[[1, 1], [2, 0]]).tolist()
    [1.0, nan]
    """
    n, total, square = (as_vector(part, name="sums") for part in (sizes, sums, squares))
    w = np.ones(len(n)) if weights is None else np.asarray(weights, dtype=np.float64)
    groups, values, grand, raw = w.sum(axis=-1), w @ n, w @ total, w @ square
    inner = w @ (total**2 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = inner - grand**2 / values
        within = raw - inner
        mean_between = between / (groups - 1)
        mean_within = within / (values - groups)
        typical = (values - w @ n**2 / values) / (groups - 1)
        icc = (mean_between - mean_within) / (mean_between + (typical - 1) * mean_within)
        # rounding noise of equal values must not pass for a correlation
        defined = (groups > 1) & (values > groups) & (between + within > 1e-12 * raw)
    return np.where(defined, icc, np.nan)


def share_unique(sequences: Sequence[Hashable]) -> float:
    """Share of runs that no other run of the task repeats exactly.

    0 to 1; 1 when all runs differ. It falls with the number of runs: tasks with unequal repeats
    compare at one ``k`` (`ethogram.stats.prefixes.unique_share`).

    Parameters
    ----------
    sequences : sequence of hashable
        One item a run, for example the tuple of its action texts; equal items are equal behaviour.

    Raises
    ------
    NotEnoughDataError
        With fewer than two runs.

    References
    ----------
    Mehta (2026), table 2.

    Examples
    --------
    >>> share_unique(["a", "a", "b", "c"])
    0.5
    """
    if len(sequences) < 2:
        raise NotEnoughDataError(f"unique runs need two or more of a task; got {len(sequences)}")
    return sum(size == 1 for size in Counter(sequences).values()) / len(sequences)
