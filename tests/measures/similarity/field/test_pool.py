"""Pools without two, and what stays the same in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.measures.similarity.field.pool import pool_stability, pool_table, pools_without_two

NAN = float("nan")


@given(st.integers(0, 25), st.integers(1, 120))
def test_pools_are_different_pairs_and_all_of_them_where_they_are_few(
    n_others: int, n: int
) -> None:
    found = pools_without_two(n_others, n=n)

    assert len(found) == len(set(found)) == min(n, n_others * (n_others - 1) // 2)
    assert all(0 <= one < other < n_others for one, other in found)
    assert found == sorted(found) == pools_without_two(n_others, n=n)


def test_another_seed_chooses_other_pools() -> None:
    assert pools_without_two(17, rng=1) != pools_without_two(17, rng=2)
    assert len(pools_without_two(17)) == 100


def test_the_figures_of_table_9_by_hand() -> None:
    full = np.array([0.8, 0.7, 0.6])
    pools = np.array([[0.82, 0.7, NAN], [0.78, NAN, 0.5], [NAN, 0.5, 0.6]])
    found = pool_stability(full, pools)

    assert found.mean == pytest.approx([0.8, 0.6, 0.55])
    assert found.sd == pytest.approx(np.array([0.04, 0.2, 0.1]) / np.sqrt(2))
    assert found.cv == pytest.approx(found.sd / found.mean)
    assert found.n_pools.tolist() == [2, 2, 2]
    assert (found.lowest[0], found.highest[0]) == (0.78, 0.82)
    # the third pool has the second and third the other way round
    assert found.tau == pytest.approx(1 / 3)
    assert found.same_order == pytest.approx(2 / 3)


def test_pools_that_change_nothing() -> None:
    full = np.array([0.8, 0.7])
    found = pool_stability(full, np.array([full, full, full]))

    assert found.sd == pytest.approx([0, 0])
    assert (found.tau, found.same_order) == (1, 1)


def test_limits() -> None:
    none = pool_stability(np.array([0.5, NAN]), np.zeros((0, 2)))
    one = pool_stability(np.array([0.5, 0.0]), np.array([[0.5, 0.0]]))
    lone = pool_stability(np.array([0.5, NAN]), np.array([[0.5, 0.4]]))

    assert np.isnan(none.mean).all()
    assert (none.tau, none.same_order) == (None, None)
    assert np.isnan(one.sd).all()
    assert np.isnan(one.cv).all()
    assert (lone.tau, lone.same_order) == (None, None)
    with pytest.raises(UsageError, match="a value for each target"):
        pool_stability(np.zeros(2), np.zeros((3, 3)))


def test_the_table_tells_how_far_the_order_holds() -> None:
    full = np.array([0.8, 0.7, NAN])
    pools = np.array([[0.8, 0.7, NAN], [0.6, 0.7, NAN]])
    table = pool_table(["x", "y", "z"], pool_stability(full, pools), reference="r")

    assert table.frame["full"].to_list() == [0.8, 0.7, None]
    assert table.frame["n_pools"].to_list() == [2, 2, 0]
    assert "+0.00 on average; the very same in 50.0 % of the pools" in table.about
    empty = pool_table(["x"], pool_stability(full[:1], np.zeros((0, 1))), reference="r")
    assert "order" not in empty.about
