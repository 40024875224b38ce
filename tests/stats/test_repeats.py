"""pass@k, pass^k and flips against the definition: the share of the subsets of k runs."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.repeats import flip_rate, k_subsets, pass_at_k, pass_hat_k

TASK = st.integers(1, 7).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(TASK)
def test_they_are_the_shares_of_all_subsets_of_k_runs(task: tuple[int, int, int]) -> None:
    n, c, k = task
    subsets = list(combinations([1] * c + [0] * (n - c), k))
    found = (pass_at_k(n, c, k), pass_hat_k(n, c, k), flip_rate(n, c, k))

    assert [float(value) for value in found] == pytest.approx(
        [
            np.mean([any(subset) for subset in subsets]),
            np.mean([all(subset) for subset in subsets]),
            np.mean([any(subset) and not all(subset) for subset in subsets]),
        ],
        abs=1e-12,
    )


@given(TASK)
def test_at_one_run_they_are_the_success_rate_and_no_flip(task: tuple[int, int, int]) -> None:
    n, c, _ = task

    assert float(pass_at_k(n, c, 1)) == pytest.approx(c / n)
    assert float(pass_hat_k(n, c, 1)) == pytest.approx(c / n)
    assert float(flip_rate(n, c, 1)) == pytest.approx(0, abs=1e-12)


@given(TASK)
def test_they_move_one_way_with_k(task: tuple[int, int, int]) -> None:
    n, c, _ = task
    for function, sign in ((pass_at_k, 1), (pass_hat_k, -1), (flip_rate, 1)):
        values = [float(function(n, c, k)) for k in range(1, n + 1)]

        assert all(sign * step >= -1e-12 for step in np.diff(values)), function


@pytest.mark.parametrize(("n", "c", "k"), [(10**6, 37, 200), (5000, 4990, 900), (2000, 1000, 999)])
def test_large_numbers_of_runs_stay_exact(n: int, c: int, k: int) -> None:
    assert float(pass_hat_k(n, c, k)) == pytest.approx(
        float(Fraction(comb(c, k), comb(n, k))), rel=1e-10
    )
    assert float(pass_at_k(n, c, k)) == pytest.approx(
        1 - float(Fraction(comb(n - c, k), comb(n, k))), rel=1e-10
    )


def test_tasks_with_fewer_runs_than_k_are_nan() -> None:
    for function in (pass_at_k, pass_hat_k, flip_rate):
        assert np.isnan(function([2, 3, 5], [1, 1, 1], 3)).tolist() == [True, False, False]


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    for function in (pass_at_k, pass_hat_k, flip_rate):
        with pytest.raises(UsageError):
            function(n, c, k)


def test_few_subsets_are_all_there() -> None:
    assert k_subsets(5, 3, rng=0).tolist() == [list(s) for s in combinations(range(5), 3)]
    assert k_subsets(5, 3, rng=0, limit=10).tolist() == k_subsets(5, 3, rng=0).tolist()
    assert k_subsets(4, 4, rng=0).tolist() == [[0, 1, 2, 3]]


def test_many_subsets_are_sampled_by_seed_and_evenly() -> None:
    subsets = k_subsets(30, 5, rng=7, limit=4000)

    assert subsets.shape == (4000, 5)
    assert (np.diff(subsets, axis=1) > 0).all()
    assert np.array_equal(subsets, k_subsets(30, 5, rng=7, limit=4000))
    assert not np.array_equal(subsets, k_subsets(30, 5, rng=8, limit=4000))
    # each run is in a sixth of the subsets: 667 +- 4.5 standard deviations of 23.6
    assert np.abs(np.bincount(subsets.ravel(), minlength=30) - 4000 / 6).max() < 106


def test_subsets_larger_than_the_runs_are_refused() -> None:
    with pytest.raises(NotEnoughDataError):
        k_subsets(3, 4, rng=0)
    with pytest.raises(UsageError):
        k_subsets(3, 0, rng=0)
