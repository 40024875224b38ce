"""How often each thing occurs, and how far two such distributions lie apart.

::

    ngram_counts(sequences, *, n=2) -> Counter[tuple[symbol, ...]]
    jensen_shannon_divergence(first_counts, second_counts) -> float
    jensen_shannon_matrix(counts) -> FloatArray               all pairs of rows

(The step at which runs part is `ethogram.stats.sequences.divergence_step`: another thing.)
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import inf, log2
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray

Symbol = TypeVar("Symbol", bound=Hashable)


def ngram_counts(
    sequences: Iterable[Sequence[Symbol]], *, n: int = 2
) -> Counter[tuple[Symbol, ...]]:
    """How often each ``n`` symbols in a row occur, over all sequences.

    Sequences have no marks for their start and end, and no n-gram spans two of them: one of fewer
    than ``n`` symbols has none.

    Raises
    ------
    UsageError
        If ``n`` is less than 1.

    Examples
    --------
    >>> dict(ngram_counts(["aba", "ab", "b"]))
    {('a', 'b'): 2, ('b', 'a'): 1}
    """
    if n < 1:
        raise UsageError(f"n must be 1 or more; got {n}")
    return Counter(
        gram
        for sequence in sequences
        for gram in zip(*(sequence[start:] for start in range(n)), strict=False)
    )


def jensen_shannon_divergence(
    first_counts: Mapping[Symbol, float], second_counts: Mapping[Symbol, float]
) -> float:
    """Mean Kullback-Leibler divergence, in bits, of two distributions from their mean.

    Parameters
    ----------
    first_counts, second_counts : mapping of symbol to number
        How often each occurs; only proportions matter. What is not named doesn't occur.

    Returns
    -------
    float
        From 0 (equal proportions) to 1 (nothing in common); symmetric. Two empty distributions are
        equal, 0; an empty one has nothing in common with another, 1.

    Raises
    ------
    UsageError
        If a count is negative or not finite.

    References
    ----------
    Lin (1991), IEEE Transactions on Information Theory 37(1), 145-151, with equal weights.

    Examples
    --------
    >>> jensen_shannon_divergence({"a": 1}, {"b": 3}), jensen_shannon_divergence({"a": 1}, {"a": 9})
    (1.0, 0.0)
    >>> round(jensen_shannon_divergence({"a": 1, "b": 1}, {"a": 1}), 4)
    0.3113
    """
    # plain sums: for the few symbols of one run an array costs a hundred times as much
    one, other = _shares(first_counts), _shares(second_counts)
    if not one or not other:
        return float(bool(one) != bool(other))
    bits = sum(share for symbol, share in one.items() if symbol not in other)
    bits += sum(share for symbol, share in other.items() if symbol not in one)
    for symbol in (each for each in one if each in other):  # a set's order is not the same twice
        middle = (one[symbol] + other[symbol]) / 2
        bits += sum(share * log2(share / middle) for share in (one[symbol], other[symbol]))
    return min(1.0, max(0.0, bits / 2))


def _shares(counts: Mapping[Symbol, float]) -> dict[Symbol, float]:
    """Proportions of what occurs at all; empty where nothing does."""
    if not all(0 <= count < inf for count in counts.values()):
        raise UsageError("counts must be 0 or more and finite")
    total = sum(counts.values())
    return {symbol: count / total for symbol, count in counts.items() if count > 0}


def jensen_shannon_matrix(counts: npt.ArrayLike) -> FloatArray:
    """Jensen-Shannon divergence, in bits, of all pairs of rows.

    Parameters
    ----------
    counts : array_like of shape (n, symbols)
        How often each symbol occurs in each row; only proportions matter.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, 0 on the diagonal; limit cases as `jensen_shannon_divergence`.

    Raises
    ------
    UsageError
        If a count is negative or not finite, or the array has another shape.

    Examples
    --------
    >>> jensen_shannon_matrix([[1, 0], [0, 5], [0, 0]]).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    rows = np.asarray(counts, dtype=np.float64)
    if rows.ndim != 2:
        raise UsageError(f"counts must be two-dimensional; got shape {rows.shape}")
    if not (np.isfinite(rows).all() and (rows >= 0).all()):
        raise UsageError("counts must be 0 or more and finite")
    totals = rows.sum(axis=1, keepdims=True)
    shares = np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0)
    empty = totals[:, 0] == 0
    found: FloatArray = (empty[:, None] != empty).astype(np.float64)
    for place in np.flatnonzero(~empty):
        others = np.flatnonzero(~empty[:place])
        found[place, others] = found[others, place] = _from_each(shares[place], shares[others])
    return found


def _from_each(one: FloatArray, others: FloatArray) -> FloatArray:
    """Divergence of one distribution from each row; both sum to 1."""
    middle = (one + others) / 2
    bits = _bits(np.broadcast_to(one, middle.shape), middle) + _bits(others, middle)
    found: FloatArray = np.clip(bits / 2, 0, 1)
    return found


def _bits(shares: FloatArray, of: FloatArray) -> FloatArray:
    """Kullback-Leibler divergence of each row; ``of`` is positive wherever ``shares`` is."""
    ratio = np.divide(shares, of, out=np.ones_like(of), where=shares > 0)
    total: FloatArray = (shares * np.log2(ratio)).sum(axis=1)
    return total
