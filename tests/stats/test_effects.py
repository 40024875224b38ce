"""Effect sizes: by hand, through the t statistics they belong to, and at their limits."""

from math import inf, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.effects import cohens_d_pooled, cohens_dz, hedges_factor, odds_ratio

SAMPLE = st.lists(st.integers(-20, 20), min_size=2, max_size=10)


@given(SAMPLE, SAMPLE)
def test_pooled_d_belongs_to_the_unpaired_t(first: list[int], second: list[int]) -> None:
    assume(min(len(set(first)), len(set(second))) > 1)  # scipy warns about a constant side
    t = stats.ttest_ind(first, second).statistic

    assert cohens_d_pooled(first, second) == pytest.approx(
        t * sqrt(1 / len(first) + 1 / len(second)), abs=1e-12
    )


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=2, max_size=10))
def test_dz_belongs_to_the_paired_t(pairs: list[tuple[int, int]]) -> None:
    assume(len({one - other for one, other in pairs}) > 1)
    first, second = zip(*pairs, strict=True)
    t = stats.ttest_rel(first, second).statistic

    assert cohens_dz(first, second) == pytest.approx(t / sqrt(len(pairs)), abs=1e-12)
    assert cohens_dz(second, first) == pytest.approx(-t / sqrt(len(pairs)), abs=1e-12)


def test_by_hand_on_four_values() -> None:
    # means 3 and 1, variances 2 and 2; differences 1 and 3: mean 2, sd sqrt(2)
    assert cohens_d_pooled([2, 4], [0, 2]) == pytest.approx(2 / sqrt(2))
    assert cohens_dz([2, 4], [1, 1]) == pytest.approx(2 / sqrt(2))


@pytest.mark.parametrize("df", [2, 9, 18, 200])
def test_hedges_factor_is_the_ratio_of_gamma_functions(df: int) -> None:
    expected = special.gamma(df / 2) / (sqrt(df / 2) * special.gamma((df - 1) / 2))

    assert hedges_factor(df) == pytest.approx(expected)
    assert hedges_factor(df) == pytest.approx(1 - 3 / (4 * df - 1), abs=0.01)  # Hedges' shortcut


def test_what_has_no_spread_has_no_effect_size() -> None:
    with pytest.raises(NotEnoughDataError):
        cohens_d_pooled([1, 1], [2, 2])
    with pytest.raises(NotEnoughDataError):
        cohens_d_pooled([1], [2, 3])
    with pytest.raises(NotEnoughDataError):
        cohens_dz([0.6, 0.4], [0.4, 0.2])
    with pytest.raises(NotEnoughDataError):
        cohens_dz([1], [2])
    with pytest.raises(UsageError):
        hedges_factor(1)


def test_odds_ratios_as_printed_by_mehta_2026() -> None:
    assert round(odds_ratio(16, 50, 29, 50), 4) == 0.3408
    assert round(odds_ratio(16, 50, 2, 50), 3) == 11.294
    assert round(odds_ratio(29, 50, 2, 50), 3) == 33.143


def test_odds_ratios_at_the_ends() -> None:
    assert odds_ratio(0, 5, 2, 5) == 0
    assert odds_ratio(2, 5, 5, 5) == 0
    assert odds_ratio(5, 5, 2, 5) == inf
    assert odds_ratio(2, 5, 0, 5) == inf
    for undefined in ((0, 5, 0, 5), (5, 5, 5, 5), (0, 0, 2, 5)):
        with pytest.raises(NotEnoughDataError):
            odds_ratio(*undefined)
    with pytest.raises(UsageError):
        odds_ratio(6, 5, 1, 5)
