"""Mantel's test: whether two matrices of similarities between the same objects go together.

::

    mantel(first, second, *, orders=None) -> TestResult
    mantel_ranks(first, second, *, orders=None) -> TestResult
    pair_orders(n_objects, *, rng=0, n_permutations=10_000) -> PairOrders

The pairs of a matrix are not independent (each object is in many of them), so the p value of an
ordinary correlation over pairs is too small. Here the objects of one matrix are permuted, rows and
columns together.
"""

from dataclasses import dataclass
from itertools import chain, permutations
from math import factorial
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray, RandomSource, midranks
from ethogram.stats.significance import TestResult, no_result

MAX_OBJECTS_EXACT: Final = 7
"""7! = 5,040 orders are enumerated; beyond, they are drawn."""
MIN_OBJECTS: Final = 4
N_PERMUTATIONS: Final = 10_000
TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class PairOrders:
    """Orders of objects, as the places to which they take the pairs of a matrix.

    Parameters
    ----------
    places : ndarray of int, shape (n_orders, n_pairs)
        Pairs are counted row by row of the upper triangle.
    exact : bool
        Whether these are all orders.
    """

    places: IntArray
    exact: bool


def pair_orders(
    n_objects: int, *, rng: RandomSource = 0, n_permutations: int = N_PERMUTATIONS
) -> PairOrders:
    """All orders of up to seven objects, random ones of more; one draw may serve many tests.

    >>> pair_orders(3).places[:3].tolist(), pair_orders(8, n_permutations=99).exact
    ([[0, 1, 2], [1, 0, 2], [0, 2, 1]], False)
    """
    exact = n_objects <= MAX_OBJECTS_EXACT
    orders = _all_orders(n_objects) if exact else _drawn(n_objects, n_permutations, rng)
    rows, columns = np.triu_indices(n_objects, 1)
    place = np.zeros((n_objects, n_objects), dtype=np.int64)
    place[rows, columns] = place[columns, rows] = np.arange(len(rows))
    return PairOrders(place[orders[:, rows], orders[:, columns]], exact)


def mantel(
    first: FloatArray, second: FloatArray, *, orders: PairOrders | None = None
) -> TestResult:
    """Mantel's test with Pearson's correlation over pairs of objects.

    Parameters
    ----------
    first, second : ndarray of shape (n_objects, n_objects)
        Symmetric; the diagonals are not read.
    orders : PairOrders, optional
        Of as many objects; without them those of ``pair_orders(n_objects)``.

    Returns
    -------
    TestResult
        ``statistic`` is r, ``n`` the number of objects; two-sided: the share of orders whose r lies
        at least as far from zero, ``(b + 1) / (n + 1)`` where orders are drawn. No p value with
        fewer than four objects, or when one matrix is constant. Four objects have 24 orders, so
        that p can't be below 1/24.

    Raises
    ------
    UsageError
        If the matrices aren't square, symmetric and of one size, or a pair isn't finite.

    References
    ----------
    Mantel (1967); Legendre and Legendre (2012), section 10.5.

    Examples
    --------
    >>> places = np.array([0.0, 1.0, 3.0, 7.0, 12.0])
    >>> distances = np.abs(places[:, None] - places)
    >>> found = mantel(distances, distances**2)
    >>> round(found.statistic, 3), round(found.p_value, 4)
    (0.973, 0.0083)
    """
    one, other = _pairs(first, "first"), _pairs(second, "second")
    return _test("Mantel", one, other, len(first), orders)


def mantel_ranks(
    first: FloatArray, second: FloatArray, *, orders: PairOrders | None = None
) -> TestResult:
    """Mantel's test with Spearman's correlation over pairs of objects; else as `mantel`."""
    one, other = midranks(_pairs(first, "first")), midranks(_pairs(second, "second"))
    return _test("Mantel, ranks", one, other, len(first), orders)


def _pairs(matrix: FloatArray, name: str) -> FloatArray:
    """The upper triangle, row by row."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"{name} must be a square matrix; got shape {matrix.shape}")
    upper = np.triu_indices(len(matrix), 1)
    pairs: FloatArray = np.asarray(matrix[upper], dtype=np.float64)
    if not np.isfinite(pairs).all():
        raise UsageError(f"{name} must be finite; leave objects with missing pairs out")
    if not np.allclose(pairs, matrix.T[upper]):
        raise UsageError(f"{name} must be symmetric")
    return pairs


def _test(
    method: str, one: FloatArray, other: FloatArray, n: int, orders: PairOrders | None
) -> TestResult:
    if len(one) != len(other):
        raise UsageError(
            f"first and second must be of the same objects; got {len(one)} and {len(other)} pairs"
        )
    if n < MIN_OBJECTS:
        return no_result("fewer than four objects", method=method, n=n)
    if min(np.ptp(one), np.ptp(other)) <= TOLERANCE:
        return no_result("one of the two matrices is constant", method=method, n=n)
    one, other = _unit(one), _unit(other)
    r = float(np.clip(one @ other, -1, 1))
    orders = orders or pair_orders(n)
    every = other[orders.places] @ one
    n_orders, reached = len(every), int(np.sum(np.abs(every) >= abs(r) - TOLERANCE))
    how = "exact" if orders.exact else f"{n_orders:,} random orders"
    return TestResult(
        statistic=r,
        p_value=reached / n_orders if orders.exact else (reached + 1) / (n_orders + 1),
        n=n,
        method=f"{method}, {how}",
    )


def _unit(pairs: FloatArray) -> FloatArray:
    centred = pairs - pairs.mean()
    unit: FloatArray = centred / np.linalg.norm(centred)
    return unit


def _all_orders(n: int) -> IntArray:
    flat = chain.from_iterable(permutations(range(n)))
    return np.fromiter(flat, dtype=np.int64, count=n * factorial(n)).reshape(-1, n)


def _drawn(n: int, n_permutations: int, rng: RandomSource) -> IntArray:
    orders = np.tile(np.arange(n, dtype=np.int64), (n_permutations, 1))
    return np.random.default_rng(rng).permuted(orders, axis=1)
