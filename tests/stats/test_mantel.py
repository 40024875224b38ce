"""Mantel's test against numpy, against enumeration, and at its limits."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray
from ethogram.stats.mantel import mantel, mantel_ranks, pair_orders


def matrix(n: int, seed: int) -> FloatArray:
    draws = np.random.default_rng(seed).random((n, n))
    return (draws + draws.T) / 2


def upper(square: FloatArray) -> FloatArray:
    pairs: FloatArray = square[np.triu_indices(len(square), 1)]
    return pairs


@settings(max_examples=30)
@given(st.integers(4, 5), st.integers(0, 99), st.integers(0, 99))
def test_p_values_are_the_share_of_all_orders(n: int, seed: int, other: int) -> None:
    first, second = matrix(n, seed), matrix(n, 100 + other)
    found = mantel(first, second)
    r = np.corrcoef(upper(first), upper(second))[0, 1]
    every = [
        np.corrcoef(upper(first[np.ix_(order, order)]), upper(second))[0, 1]
        for order in permutations(range(n))
    ]

    assert found.statistic == pytest.approx(r)
    assert found.p_value == pytest.approx(np.mean(np.abs(every) >= abs(r) - 1e-9))
    assert (found.n, found.method) == (n, "Mantel, exact")


def test_ranks_give_spearmans_correlation() -> None:
    first, second = matrix(6, 1).round(1), matrix(6, 2).round(1)
    found = mantel_ranks(first, second)

    assert found.statistic == pytest.approx(stats.spearmanr(upper(first), upper(second)).statistic)
    assert mantel_ranks(first**3, np.exp(second)).p_value == found.p_value
    assert mantel(first**3, np.exp(second)).statistic != pytest.approx(found.statistic)


@given(st.permutations(range(6)), st.integers(0, 20))
def test_the_order_of_objects_changes_nothing(order: list[int], seed: int) -> None:
    first, second = matrix(6, seed), matrix(6, seed + 50)
    moved = np.ix_(order, order)
    one, other = mantel(first, second), mantel(first[moved], second[moved])

    assert (one.statistic, one.p_value) == pytest.approx((other.statistic, other.p_value))


def test_many_objects_are_permuted_at_random_with_a_seed() -> None:
    first = matrix(9, 3)
    second = first + matrix(9, 4)
    one, again, other = (
        mantel(first, second, orders=pair_orders(9, rng=seed)) for seed in (1, 1, 2)
    )
    assert one.method == "Mantel, 10,000 random orders"
    assert one.p_value == again.p_value
    assert one.p_value == pytest.approx(other.p_value, abs=0.01)
    assert mantel(first, first, orders=pair_orders(9, n_permutations=99)).p_value == 0.01
    assert mantel(matrix(7, 1), matrix(7, 2)).method == "Mantel, exact"


def test_the_diagonal_is_not_read() -> None:
    first, second = matrix(5, 1), matrix(5, 2)
    marked = first.copy()
    np.fill_diagonal(marked, np.nan)

    assert mantel(marked, second) == mantel(first, second)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_fewer_than_four_objects_give_no_p_value(n: int) -> None:
    found = mantel(matrix(n, 0), matrix(n, 1))

    assert (found.p_value, found.reason) == (None, "fewer than four objects")


def test_a_constant_matrix_gives_no_p_value() -> None:
    found = mantel(np.ones((5, 5)), matrix(5, 1))

    assert found.reason == "one of the two matrices is constant"


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (np.zeros((2, 3)), "square"),
        (np.zeros(4), "square"),
        (np.array([[0, np.nan], [np.nan, 0]]), "finite"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (np.zeros((5, 5)), "same objects"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(first: FloatArray, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        mantel(first, matrix(4, 1))


@pytest.mark.slow
def test_unrelated_matrices_of_objects_are_rarely_found_related() -> None:
    """Objects with levels of their own, where a plain correlation over pairs is too sure."""
    rng, studies = np.random.default_rng(2), 600
    plain = found = 0
    for _ in range(studies):
        levels = rng.normal(size=(2, 9))
        first, second = (each[:, None] + each for each in levels)
        p = mantel(first, second, orders=pair_orders(9, rng=rng, n_permutations=499)).p_value
        assert p is not None
        found += int(p <= 0.05)
        plain += int(stats.pearsonr(upper(first), upper(second)).pvalue <= 0.05)

    assert found / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)
    assert plain / studies > 0.15
