"""Stability of orders against scipy and at its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.rank_stability import kendall_taus, same_order

NAN = float("nan")
VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8)


@given(VALUES)
def test_tau_equals_scipys(pairs: list[tuple[int, int]]) -> None:
    full, again = np.array(pairs, dtype=np.float64).T
    constant = len(set(full)) == 1 or len(set(again)) == 1
    (found,) = kendall_taus(full, again[None, :])

    assert np.isnan(found) == constant
    if not constant:
        assert found == pytest.approx(stats.kendalltau(full, again).statistic)
    ranks = stats.rankdata(full), stats.rankdata(again)
    assert same_order(full, again[None, :])[0] == np.array_equal(*ranks)


def test_objects_that_are_not_in_a_set_do_not_count() -> None:
    full = np.array([1.0, 2.0, 3.0, 4.0])
    again = np.array([[1.0, NAN, 0.5, 4.0], [NAN, NAN, 3.0, 4.0], [NAN, NAN, NAN, 1.0]])

    assert kendall_taus(full, again) == pytest.approx(np.array([1 / 3, 1, NAN]), nan_ok=True)
    assert same_order(full, again).tolist() == [False, True, True]


def test_no_sets_give_no_values() -> None:
    assert kendall_taus(np.zeros(3), np.zeros((0, 3))).tolist() == []
    assert same_order(np.zeros(3), np.zeros((0, 3))).tolist() == []


def test_the_noise_of_last_bits_is_a_tie() -> None:
    assert same_order(np.array([0.3, 0.1 + 0.2]), np.array([[0.5, 0.5]])).tolist() == [True]


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="as many objects"):
        kendall_taus(np.zeros(3), np.zeros((2, 4)))
    with pytest.raises(UsageError, match="as many objects"):
        same_order(np.zeros(3), np.zeros(3))
