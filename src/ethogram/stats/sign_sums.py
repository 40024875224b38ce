"""The distribution of a sum whose terms have random signs: the null of the paired tests.

::

    sign_sum_distribution(magnitudes) -> SignSumDistribution | None
    flipped_sums(magnitudes, n_flips, *, rng) -> FloatArray

Terms of equal magnitude ``a``, ``m`` of them, add up to ``a (2 B - m)`` with ``B`` binomial, sums
that coincide are merged, and the terms are dealt into two halves whose sums meet only when a tail
is asked for. So 30 terms that have nothing in common take 2^15 sums a half, and terms on a grid
(ranks, success rates over equal repeats) take few however many they are: the null is exact in
nearly every case that occurs, and random flips are left for the rest.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import gammaln

from ethogram.stats.arrays import FloatArray, IntArray

MAX_SUMS: Final = 1 << 15
"""Distinct sums held for each half."""
MAX_PRODUCT: Final = 1 << 21
"""Sums made at once before equal ones are merged."""
GRAIN: Final = 1e-11
"""Sums closer than this share of the sum of all magnitudes are one sum."""
BLOCK_CELLS: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Sums:
    """The values that a sum can take, rising, and their probabilities."""

    values: FloatArray
    probabilities: FloatArray


@dataclass(frozen=True, slots=True)
class SignSumDistribution:
    """The distribution of the sum of two independent halves, symmetric about zero."""

    left: Sums
    right: Sums

    def beyond(self, distance: float) -> float:
        """Probability that the sum lies at least ``distance`` from zero."""
        if distance <= 0:
            return 1.0
        tails = np.append(np.cumsum(self.right.probabilities[::-1])[::-1], 0.0)
        reached = np.searchsorted(self.right.values, distance - self.left.values)
        return min(1.0, float(2 * self.left.probabilities @ tails[reached]))


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


def _sums(magnitudes: FloatArray, sizes: IntArray, grain: float) -> Sums | None:
    """All sums of ``sizes`` terms of each magnitude, or None where they are too many."""
    values, probabilities = np.zeros(1), np.ones(1)
    for magnitude, size in zip(magnitudes, sizes.tolist(), strict=True):
        if len(values) > MAX_SUMS or len(values) * (size + 1) > MAX_PRODUCT:
            return None
        every = np.add.outer(values, magnitude * np.arange(-size, size + 1, 2)).ravel()
        weights = np.multiply.outer(probabilities, _binomial(size)).ravel()
        _, first, place = np.unique(np.round(every / grain), return_index=True, return_inverse=True)
        values = every[first]
        probabilities = np.bincount(place, weights=weights).astype(np.float64)
    return Sums(values, probabilities) if len(values) <= MAX_SUMS else None


def sign_sum_distribution(magnitudes: FloatArray) -> SignSumDistribution | None:
    """Exact distribution of ``sum(s_i a_i)`` over all signs ``s_i``.

    Parameters
    ----------
    magnitudes : ndarray of shape (n,)
        Positive; without any the sum is zero.

    Returns
    -------
    SignSumDistribution or None
        None when a half would hold more than 2^15 sums, which takes more than 30 terms.

    Examples
    --------
    >>> distribution = sign_sum_distribution(np.array([1.0, 1.0, 2.0]))
    >>> distribution.beyond(1), distribution.beyond(3)
    (0.75, 0.25)
    """
    grain = GRAIN * float(magnitudes.sum()) or 1.0
    values, sizes = _grouped(magnitudes, grain)
    left = _sums(values[::2], sizes[::2], grain)
    right = _sums(values[1::2], sizes[1::2], grain)
    return SignSumDistribution(left, right) if left is not None and right is not None else None


def flipped_sums(magnitudes: FloatArray, n_flips: int, *, rng: np.random.Generator) -> FloatArray:
    """``n_flips`` draws of ``sum(s_i a_i)`` with independent fair signs."""
    values, sizes = _grouped(magnitudes, GRAIN * float(magnitudes.sum()) or 1.0)
    alone, shared, among = values[sizes == 1], values[sizes > 1], sizes[sizes > 1]
    sums = np.empty(n_flips)
    rows = max(1, BLOCK_CELLS // max(1, len(values)))
    for start in range(0, n_flips, rows):
        size = min(rows, n_flips - start)
        plus = rng.integers(2, size=(size, len(alone)), dtype=np.int8)
        heads = rng.binomial(among, 0.5, size=(size, len(among)))
        sums[start : start + size] = (2.0 * plus - 1) @ alone + (2.0 * heads - among) @ shared
    return sums
