"""Correlations against scipy, against all orders, and at their limits."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.correlation import pearson, spearman

PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=15)


def spread(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    first, second = (list(side) for side in zip(*pairs, strict=True))
    assume(len(set(first)) > 1)
    assume(len(set(second)) > 1)
    return first, second


@given(PAIRS)
def test_pearson_and_its_interval_equal_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = spread(pairs)
    expected = stats.pearsonr(first, second)
    assume(abs(expected.statistic) < 1 - 1e-9)
    found, ends = pearson(first, second), expected.confidence_interval()

    assert found.interval is not None
    assert (found.statistic, found.p_value, found.interval.low, found.interval.high) == (
        pytest.approx((expected.statistic, expected.pvalue, ends.low, ends.high), abs=1e-9)
    )


@given(PAIRS)
def test_spearmans_rho_equals_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = spread(pairs[:7])

    assert spearman(first, second).statistic == pytest.approx(
        stats.spearmanr(first, second).statistic, abs=1e-12
    )


def test_spearman_beyond_nine_pairs_has_scipys_p_value() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=12), rng.normal(size=12)

    assert spearman(first, second).p_value == pytest.approx(stats.spearmanr(first, second).pvalue)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=5))
def test_spearmans_p_value_counts_all_orders_ties_included(pairs: list[tuple[int, int]]) -> None:
    first, second = spread(pairs)
    one, other = stats.rankdata(first), stats.rankdata(second)
    products = np.array([one @ order for order in permutations(other)])
    from_chance = np.abs(products - one.sum() * other.mean())
    observed = abs(one @ other - one.sum() * other.mean())

    assert spearman(first, second).p_value == pytest.approx(np.mean(from_chance >= observed - 1e-9))


def test_three_systems_in_perfect_order_have_a_p_of_a_third() -> None:
    found = spearman([15.2, 32.2, 47.0], [0.58, 0.32, 0.04])

    assert (found.statistic, found.p_value) == pytest.approx((-1, 1 / 3))


@given(PAIRS)
def test_the_order_and_the_side_do_not_matter(pairs: list[tuple[int, int]]) -> None:
    first, second = spread(pairs[:6])
    for test in (pearson, spearman):
        one, other = test(first, second), test(second[::-1], first[::-1])

        assert one.statistic == pytest.approx(other.statistic, abs=1e-12)
        assert one.p_value == pytest.approx(other.p_value, abs=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        pytest.param([1, 2], [2, 1], "fewer than three pairs", id="two-pairs"),
        pytest.param([], [], "fewer than three pairs", id="none"),
        pytest.param([1, 1, 1], [1, 2, 3], "one of the two is constant", id="constant"),
    ],
)
def test_what_can_not_be_correlated_has_a_reason(
    first: list[int], second: list[int], reason: str
) -> None:
    for test in (pearson, spearman):
        found = test(first, second)

        assert (found.statistic, found.p_value, found.reason) == (None, None, reason)


def test_points_on_a_line_have_no_interval() -> None:
    found = pearson([0.1, 0.2, 0.3, 0.4], [3, 6, 9, 12])

    assert (found.statistic, found.p_value) == (1.0, 0.0)
    assert found.interval is not None
    assert found.interval.reason == "all points on one line"


def test_three_pairs_have_no_interval() -> None:
    interval = pearson([1, 2, 3], [1, 3, 2]).interval

    assert interval is not None
    assert interval.reason == "fewer than four pairs"


def test_pairs_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError):
        spearman([1, 2, 3], [1, 2])
