"""The distribution of a sum whose terms have random signs: the null of the paired tests.

::

    sign_sum_distribution(magnitudes) -> SignSumDistribution | None
    flipped_sums(magnitudes, n_flips, *, rng) -> FloatArray

Terms of equal magnitude ``a``, ``m`` of them, add up to ``a (2 B - m)`` with ``B`` binomial, and
sums that coincide are merged. Twenty terms that have nothing in common make 2^20 sums at most;
terms on a grid (ranks, success rates over equal repeats) make few sums however many they are. So
the null is exact in nearly every case that occurs, and random flips are left for the rest.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import gammaln

from ethogram.stats.arrays import FloatArray, IntArray

MAX_SUMS: Final = 1 << 21
GRAIN: Final = 1e-11
"""Sums closer than this share of the sum of all magnitudes are one sum."""
BLOCK_CELLS: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class SignSumDistribution:
    """The values that the sum can take, rising, and their probabilities."""

    sums: FloatArray
    probabilities: FloatArray

    def beyond(self, distance: float) -> float:
        """Probability that the sum lies at least ``distance`` from zero."""
        return min(1.0, float(self.probabilities[np.abs(self.sums) >= distance].sum()))


def _grouped(magnitudes: FloatArray, grain: float) -> tuple[FloatArray, IntArray]:
    """Distinct magnitudes, up to noise in the last bits, and how many terms have each."""
    _, first, sizes = np.unique(np.round(magnitudes / grain), return_index=True, return_counts=True)
    return magnitudes[first], sizes.astype(np.int64)


def _binomial(n: int) -> FloatArray:
    """Probabilities of 0 to ``n`` heads in ``n`` fair throws."""
    heads = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(heads + 1) - gammaln(n - heads + 1) - n * np.log(2)
    probabilities: FloatArray = np.exp(logs)
    return probabilities


def sign_sum_distribution(magnitudes: FloatArray) -> SignSumDistribution | None:
    """Exact distribution of ``sum(s_i a_i)`` over all signs ``s_i``.

    Parameters
    ----------
    magnitudes : ndarray of shape (n,)
        Positive; without any the sum is zero.

    Returns
    -------
    SignSumDistribution or None
        None when more than 2^21 sums would have to be held at once, which takes more than 20 terms.

    Examples
    --------
    >>> distribution = sign_sum_distribution(np.array([1.0, 1.0, 2.0]))
    >>> distribution.sums.tolist(), distribution.probabilities.tolist()
    ([-4.0, -2.0, 0.0, 2.0, 4.0], [0.125, 0.25, 0.25, 0.25, 0.125])
    """
    sums, probabilities = np.zeros(1), np.ones(1)
    grain = GRAIN * float(magnitudes.sum()) or 1.0
    for magnitude, size in zip(*_grouped(magnitudes, grain), strict=True):
        if len(sums) * (int(size) + 1) > MAX_SUMS:
            return None
        steps = magnitude * np.arange(-size, size + 1, 2)
        every = np.add.outer(sums, steps).ravel()
        weights = np.multiply.outer(probabilities, _binomial(int(size))).ravel()
        _, first, place = np.unique(np.round(every / grain), return_index=True, return_inverse=True)
        sums = every[first]
        probabilities = np.bincount(place, weights=weights).astype(np.float64)
    return SignSumDistribution(sums, probabilities)


def flipped_sums(magnitudes: FloatArray, n_flips: int, *, rng: np.random.Generator) -> FloatArray:
    """``n_flips`` draws of ``sum(s_i a_i)`` with independent fair signs."""
    sums = np.zeros(n_flips)
    rows = max(1, BLOCK_CELLS // max(1, len(magnitudes)))
    for start in range(0, n_flips, rows):
        size = min(rows, n_flips - start)
        signs = rng.integers(2, size=(size, len(magnitudes)), dtype=np.int8)
        sums[start : start + size] = (2.0 * signs - 1.0) @ magnitudes
    return sums
