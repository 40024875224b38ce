"""Tests between two systems: whether a difference is more than chance.

::

    paired_t(first, second) -> TestResult
    unpaired_t(first, second) -> TestResult                  as printed by others, labelled
    sign_flip_permutation(differences, *, rng=0, n_flips=100_000) -> TestResult       the main test
    wilcoxon_signed_rank(differences) -> TestResult
    mcnemar_exact(first, second) -> TestResult
    fisher_exact(successes_1, runs_1, successes_2, runs_2) -> TestResult
    holm(p_values) -> list[float | None]

All are two-sided. A test that the data can't give has no p value and says why; no test raises for
too few data. Correlations are in `ethogram.stats.correlation`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, gammaln, ndtr, stdtr

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.arrays import FloatArray, RandomSource, as_pair, as_vector, midranks
from ethogram.stats.effects import odds_ratio
from ethogram.stats.intervals import Interval
from ethogram.stats.sign_sums import flipped_sums, sign_sum_distribution

MAX_PAIRS_EXACT_RANKS: Final = 50
"""Up to here the signed-rank distribution is enumerated; beyond, it is normal to three digits."""
TOLERANCE: Final = 1e-9
"""Sums that differ by less, relative to the sum of all magnitudes, are ties."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What a test says; ``p_value`` is None if and only if ``reason`` is set.

    Raises
    ------
    ValueError
        If that rule is broken.
    """

    __test__: ClassVar[bool] = False  # pytest: this is no test case

    statistic: float | None
    p_value: float | None
    n: int
    """Pairs, values or runs that the test rests on (ties and zeros that it drops don't count)."""
    method: str
    df: float | None = None
    interval: Interval | None = None
    """Interval of ``statistic``, where the method gives one."""
    reason: str | None = None
    note: str | None = None
    """What a reader of the p value should know."""

    def __post_init__(self) -> None:
        if (self.p_value is None) != (self.reason is not None):
            raise ValueError(
                f"{self.method}: a p value or a reason, exactly one of the two; "
                f"got p_value={self.p_value!r}, reason={self.reason!r}"
            )


def no_result(reason: str, *, method: str, n: int) -> TestResult:
    """A test that these data can't give."""
    return TestResult(statistic=None, p_value=None, n=n, method=method, reason=reason)


def two_sided_t(t: float, df: float) -> float:
    """Probability of a t variable at least as far from zero."""
    return float(2 * stdtr(df, -abs(t)))


def paired_t(first: npt.ArrayLike, second: npt.ArrayLike) -> TestResult:
    """Student's t test on paired values: ``t = mean(d) / (sd(d) / sqrt(n))``, ``n - 1`` df.

    No p value with fewer than two pairs, or when all differences are equal (there is no spread to
    hold the mean against).

    Raises
    ------
    UsageError
        If the lengths differ.

    Examples
    --------
    >>> result = paired_t([1, 2, 3], [0, 0, 0])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (3.4641, 0.0742)
    """
    one, other = as_pair(first, second)
    differences, n = one - other, len(one)
    if n < 2:
        return no_result("fewer than two pairs", method="paired t", n=n)
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        return no_result("all differences are equal", method="paired t", n=n)
    t = float(differences.mean() / (differences.std(ddof=1) / sqrt(n)))
    return TestResult(statistic=t, p_value=two_sided_t(t, n - 1), df=n - 1, n=n, method="paired t")


def unpaired_t(first: npt.ArrayLike, second: npt.ArrayLike) -> TestResult:
    """Student's t test on two independent samples with pooled variance, ``n1 + n2 - 2`` df.

    Wrong for two systems on the same tasks, whose values are paired; it is here to show what a
    paper printed. No p value with fewer than two values on a side, or when neither side spreads.

    Examples
    --------
    >>> result = unpaired_t([1, 2, 3], [4, 5, 6])
    >>> round(result.statistic, 4), result.df
    (-3.6742, 4)
    """
    one, other = as_vector(first, name="first"), as_vector(second, name="second")
    n, df = len(one) + len(other), len(one) + len(other) - 2
    if min(len(one), len(other)) < 2:
        return no_result("fewer than two values on a side", method="unpaired t", n=n)
    if np.ptp(one) == 0 == np.ptp(other):
        return no_result("neither side spreads", method="unpaired t", n=n)
    squares = ((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()
    error = sqrt(squares / df * (1 / len(one) + 1 / len(other)))
    t = float((one.mean() - other.mean()) / error)
    return TestResult(statistic=t, p_value=two_sided_t(t, df), df=df, n=n, method="unpaired t")


def sign_flip_permutation(
    differences: npt.ArrayLike, *, rng: RandomSource = 0, n_flips: int = 100_000
) -> TestResult:
    """Paired permutation test of a mean difference over tasks.

    If the two systems were alike, each task's difference could as well have the other sign. The p
    value is the share of the ``2^n`` sign patterns whose sum lies at least as far from zero as the
    one observed. It makes no assumption on the distribution and takes repeats as they are: one
    difference a task, for example of success rates.

    Parameters
    ----------
    differences : array-like of shape (n_tasks,)
        First minus second, one a task.
    rng : int, SeedSequence or Generator
        Used only when the patterns are too many to count.
    n_flips : int
        Random patterns then; the p value is ``(b + 1) / (n_flips + 1)`` with ``b`` of them as far
        out, which is never zero and never too small (Phipson and Smyth 2010).

    Returns
    -------
    TestResult
        ``statistic`` is the mean difference. All differences zero: p = 1. No task: no p value.

    Notes
    -----
    Exact up to 30 differences that are not zero, and beyond wherever many have the same magnitude
    (success rates over equal repeats): see `ethogram.stats.sign_sums`. With ``n`` differences p
    can't be below ``2^(1-n)``: five tasks can't reach 0.05.

    References
    ----------
    Fisher (1935), section 21.

    Examples
    --------
    >>> sign_flip_permutation([1, 2, 3, -1]).p_value
    0.375
    """
    values = as_vector(differences, name="differences")
    n, magnitudes = len(values), np.abs(values[values != 0])
    if n == 0:
        return no_result("no pairs", method="sign-flip permutation", n=0)
    note = None if len(magnitudes) else "all differences are zero"
    far = abs(float(values.sum())) - TOLERANCE * float(magnitudes.sum())
    distribution = sign_sum_distribution(magnitudes)
    if distribution is None:
        sums = flipped_sums(magnitudes, n_flips, rng=np.random.default_rng(rng))
        p = float((np.sum(np.abs(sums) >= far) + 1) / (n_flips + 1))
        method = f"sign-flip permutation, {n_flips:,} random flips"
    else:
        p = distribution.beyond(far)
        method = "sign-flip permutation, exact"
    return TestResult(statistic=float(values.mean()), p_value=p, n=n, method=method, note=note)


def wilcoxon_signed_rank(differences: npt.ArrayLike) -> TestResult:
    """Wilcoxon's signed-rank test on paired differences.

    Zeros are dropped (Wilcoxon 1945), ties share their mean rank; ``statistic`` is the smaller of
    the rank sums of the positive and of the negative differences.

    Returns
    -------
    TestResult
        ``n`` counts the differences that are not zero. Exact up to 50 of them, ties included;
        beyond, normal with the variance corrected for ties. All zero: p = 1. No difference: no p
        value.

    Examples
    --------
    >>> result = wilcoxon_signed_rank([1, 2, 3, -4, 5])
    >>> result.statistic, result.p_value
    (4.0, 0.4375)
    """
    values = as_vector(differences, name="differences")
    if len(values) == 0:
        return no_result("no pairs", method="Wilcoxon signed-rank", n=0)
    values = values[values != 0]
    # 0.6 - 0.4 and 0.4 - 0.2 are a tie although their last bits differ
    ranks = midranks(_rounded(np.abs(values)))
    plus, total = float(ranks[values > 0].sum()), float(ranks.sum())
    far = abs(2 * plus - total)
    exact = len(values) <= MAX_PAIRS_EXACT_RANKS
    distribution = sign_sum_distribution(ranks) if exact else None
    return TestResult(
        statistic=min(plus, total - plus),
        p_value=(
            float(2 * ndtr(-far / np.sqrt((ranks**2).sum())))
            if distribution is None
            else distribution.beyond(far - 0.25)  # sums of midranks lie 1 apart or more
        ),
        n=len(values),
        method=f"Wilcoxon signed-rank, {'normal' if distribution is None else 'exact'}",
        note=None if len(values) else "all differences are zero",
    )


def _rounded(magnitudes: FloatArray) -> FloatArray:
    """Magnitudes with the noise of their last bits removed."""
    unit = TOLERANCE * float(magnitudes.max(initial=0)) or 1.0
    return np.round(magnitudes / unit)


def mcnemar_exact(first: npt.ArrayLike, second: npt.ArrayLike) -> TestResult:
    """McNemar's exact test on paired yes/no values.

    Of the pairs that disagree, as many should favour the one as the other: two-sided binomial test.

    Parameters
    ----------
    first, second : array-like of bool, shape (n_tasks,)
        For example whether more than half of a task's runs succeed.

    Returns
    -------
    TestResult
        ``statistic`` is the number of pairs in which only the first is true, ``n`` that of all
        pairs. No pair disagrees: p = 1. No pair: no p value.

    Raises
    ------
    UsageError
        If the lengths differ.

    Examples
    --------
    >>> round(mcnemar_exact([True] * 5 + [False], [False] * 5 + [True]).p_value, 5)
    0.21875
    """
    one, other = as_pair(first, second)
    if len(one) == 0:
        return no_result("no pairs", method="McNemar, exact", n=0)
    only_first, only_second = int(np.sum(one > other)), int(np.sum(one < other))
    split = only_first + only_second
    return TestResult(
        statistic=float(only_first),
        p_value=min(1.0, 2 * float(bdtr(min(only_first, only_second), split, 0.5))),
        n=len(one),
        method="McNemar, exact",
        note=f"{split} pairs disagree" if split else "no pair disagrees",
    )


def fisher_exact(successes_1: int, runs_1: int, successes_2: int, runs_2: int) -> TestResult:
    """Fisher's exact test on the runs of two systems, as if runs were independent.

    Given both numbers of runs and the successes in all, the probability of a table that is at most
    as likely as the one observed.

    Returns
    -------
    TestResult
        ``statistic`` is the sample odds ratio, None where it is undefined or infinite. Nobody or
        everybody succeeds: p = 1. A side without runs: no p value.

    Raises
    ------
    UsageError
        If not ``0 <= successes <= runs``.

    Notes
    -----
    Runs of one task are not independent, so p is too small whenever tasks differ in difficulty: it
    is here because Mehta (2026) prints it. `sign_flip_permutation` is the test to read.

    Examples
    --------
    >>> round(fisher_exact(16, 50, 29, 50).p_value, 4)
    0.0154
    """
    method, n = "Fisher's exact, runs as if independent", runs_1 + runs_2
    try:
        ratio = odds_ratio(successes_1, runs_1, successes_2, runs_2)
    except NotEnoughDataError:
        ratio = np.nan
    if min(runs_1, runs_2) == 0:
        return no_result("a side has no runs", method=method, n=n)
    successes = successes_1 + successes_2
    table = np.arange(max(0, successes - runs_2), min(runs_1, successes) + 1)
    cells = np.stack([table, runs_1 - table, successes - table, runs_2 - successes + table])
    logs = -gammaln(cells + 1).sum(axis=0)
    likelihood = np.exp(logs - logs.max())
    observed = likelihood[successes_1 - table[0]]
    p = likelihood[likelihood <= observed * (1 + 1e-7)].sum() / likelihood.sum()
    return TestResult(
        statistic=ratio if isfinite(ratio) else None,
        p_value=float(p),
        n=n,
        method=method,
        note=None if isfinite(ratio) else "the odds ratio is infinite or undefined",
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment of a family of p values.

    The ``i``-th smallest of ``m`` is multiplied by ``m - i + 1``, made non-decreasing and cut at 1.
    Tests without a p value keep None and don't count in ``m``.

    Raises
    ------
    UsageError
        If a p value lies outside 0 to 1.

    References
    ----------
    Holm (1979).

    Examples
    --------
    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = [(p, index) for index, p in enumerate(p_values) if p is not None]
    if not all(0 <= p <= 1 for p, _ in known):
        raise UsageError(f"p values must lie between 0 and 1; got {list(p_values)}")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(sorted(known)):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[index] = largest
    return adjusted
