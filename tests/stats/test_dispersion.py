"""Spread of repeats: by hand, against scipy and a sum of squares, and by what must not change."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.dispersion import (
    coefficient_of_variation,
    icc1,
    icc1_of_sums,
    share_unique,
)

COUNTS = st.lists(st.integers(1, 500), min_size=2, max_size=12)
GROUPS = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=2, max_size=8)


def test_cv_of_four_counts_by_hand() -> None:
    # mean 5, squares 9 + 1 + 1 + 9 = 20, sd = sqrt(20 / 3)
    assert coefficient_of_variation([2, 4, 6, 8]) == pytest.approx(np.sqrt(20 / 3) / 5)


@given(COUNTS)
def test_cv_equals_scipys(counts: list[int]) -> None:
    assert coefficient_of_variation(counts) == pytest.approx(stats.variation(counts, ddof=1))


@given(COUNTS, st.floats(1e-6, 1e6))
def test_cv_ignores_the_unit_and_the_order(counts: list[int], unit: float) -> None:
    assert coefficient_of_variation(np.sort(counts) * unit) == pytest.approx(
        coefficient_of_variation(counts), abs=1e-12
    )


def test_cv_survives_amounts_near_the_ends_of_floating_point() -> None:
    assert coefficient_of_variation([1e300, 3e300]) == pytest.approx(np.sqrt(2) / 2)
    assert coefficient_of_variation([1e-300, 3e-300]) == pytest.approx(np.sqrt(2) / 2)


@pytest.mark.parametrize(
    ("counts", "error"),
    [
        pytest.param([], NotEnoughDataError, id="no-run"),
        pytest.param([3], NotEnoughDataError, id="one-run"),
        pytest.param([0, 0], NotEnoughDataError, id="zero-mean"),
        pytest.param([1, -1], UsageError, id="negative"),
        pytest.param([1, np.nan], UsageError, id="nan"),
    ],
)
def test_cv_refuses_what_it_can_not_give(counts: list[float], error: type[Exception]) -> None:
    with pytest.raises(error):
        coefficient_of_variation(counts)


def test_icc_of_three_unequal_groups_by_hand() -> None:
    # groups (1, 3), (5), (7, 9): N = 5, grand mean 5, n0 = (5 - 9/5) / 2 = 1.6
    # SSB = 2*9 + 0 + 2*9 = 36, SSW = 2 + 2 = 4: MSB = 18, MSW = 2
    assert icc1([[1, 3], [5], [7, 9]]) == pytest.approx((18 - 2) / (18 + 0.6 * 2))


@given(GROUPS)
def test_icc_equals_that_of_the_one_way_f_statistic(groups: list[list[int]]) -> None:
    """With F from scipy's analysis of variance, ICC(1) = (F - 1) / (F + n0 - 1)."""
    sizes = np.array([len(group) for group in groups])
    assume(sizes.sum() > len(groups))
    assume(any(len(set(group)) > 1 for group in groups))
    f = stats.f_oneway(*groups).statistic
    n0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)

    assert icc1(groups) == pytest.approx((f - 1) / (f + n0 - 1), abs=1e-9)


@given(GROUPS, st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_icc_ignores_shift_scale_and_order(
    groups: list[list[int]], shift: float, scale: float
) -> None:
    assume(max(map(len, groups)) > 1)
    assume(len({value for group in groups for value in group}) == 2)
    moved = [[shift + scale * value for value in reversed(group)] for group in reversed(groups)]

    assert icc1(moved) == pytest.approx(icc1(groups), abs=1e-6)


@given(GROUPS, st.data())
def test_icc_with_weights_is_that_of_repeated_groups(
    groups: list[list[int]], data: st.DataObject
) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups)))
    repeated = [group for group, n in zip(groups, times, strict=True) for _ in range(n)]
    sums = [sum(group) for group in groups]
    weighted = icc1_of_sums([len(group) for group in groups], sums, sums, weights=[times])

    try:
        expected = icc1(repeated)
    except NotEnoughDataError:
        assert np.isnan(weighted).all()
    else:
        assert weighted.tolist() == pytest.approx([expected], abs=1e-9)


@pytest.mark.parametrize(
    "groups",
    [
        pytest.param([[1, 0]], id="one-task"),
        pytest.param([[1, 0], []], id="one-task-with-runs"),
        pytest.param([[1], [0]], id="no-repeats"),
        pytest.param([[0.1, 0.1], [0.1, 0.1, 0.1]], id="all-equal"),
    ],
)
def test_icc_refuses_what_it_can_not_give(groups: list[list[float]]) -> None:
    with pytest.raises(NotEnoughDataError):
        icc1(groups)


def test_unique_runs_by_hand() -> None:
    assert share_unique(["a", "b", "c", "d"]) == 1
    assert share_unique(["a", "b", "a", "d"]) == 0.5
    assert share_unique(["a", "a", "a", "a"]) == 0


def test_unique_runs_need_two_runs() -> None:
    with pytest.raises(NotEnoughDataError):
        share_unique(["a"])
