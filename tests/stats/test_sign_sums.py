"""The null distribution of a sum with random signs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ethogram.stats.sign_sums import flipped_sums, sign_sum_distribution

MAGNITUDES = st.lists(st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 0.5, 2.0]), max_size=9)


@given(MAGNITUDES)
def test_it_is_the_distribution_over_all_signs(magnitudes: list[float]) -> None:
    found = sign_sum_distribution(np.array(magnitudes))
    assert found is not None
    sums = [
        sum(sign * value for sign, value in zip(signs, magnitudes, strict=True))
        for signs in product((-1, 1), repeat=len(magnitudes))
    ]

    for distance in (0, 0.05, 0.35, 1.05, 2.05):
        assert found.beyond(distance) == pytest.approx(np.mean(np.abs(sums) >= distance - 1e-12))


@given(MAGNITUDES)
def test_each_half_is_symmetric_rising_and_adds_up_to_one(magnitudes: list[float]) -> None:
    found = sign_sum_distribution(np.array(magnitudes))
    assert found is not None

    for half in (found.left, found.right):
        assert half.probabilities.sum() == pytest.approx(1)
        assert half.values == pytest.approx(-half.values[::-1], abs=1e-9)
        assert half.probabilities == pytest.approx(half.probabilities[::-1])
        assert (np.diff(half.values) > 1e-12).all()


def test_equal_terms_are_a_binomial_count() -> None:
    found = sign_sum_distribution(np.full(1000, 0.2))
    assert found is not None

    assert found.beyond(12.0 - 1e-9) == pytest.approx(2 * stats.binom.sf(529, 1000, 0.5))


def test_terms_on_a_grid_stay_exact_however_many_they_are() -> None:
    """300 terms of 1, 2 and 3 tenths against the product of their 300 polynomials."""
    steps = np.tile([1, 2, 3], 100)
    product_of_all = np.ones(1)
    for step in steps:
        term = np.zeros(2 * step + 1)
        term[[0, -1]] = 0.5
        product_of_all = np.convolve(product_of_all, term)
    sums = np.arange(len(product_of_all)) - steps.sum()
    found = sign_sum_distribution(steps / 10)
    assert found is not None

    for distance in (2, 60, 150):
        expected = product_of_all[np.abs(sums) >= distance].sum()
        assert found.beyond(distance / 10 - 1e-6) == pytest.approx(expected, rel=1e-9)


def test_terms_with_nothing_in_common_are_given_up_beyond_thirty() -> None:
    magnitudes = np.random.default_rng(0).random(40)

    assert sign_sum_distribution(magnitudes[:30]) is not None
    assert sign_sum_distribution(magnitudes) is None


def test_random_signs_have_the_variance_of_the_sum() -> None:
    """Equal terms are drawn as one binomial, the others one by one."""
    magnitudes = np.array([1.0] * 30 + [2.0, 3.0, 5.0])
    sums = flipped_sums(magnitudes, 50_000, rng=np.random.default_rng(0))

    assert sums.mean() == pytest.approx(0, abs=5 * np.sqrt(68 / 50_000))
    assert sums.var() == pytest.approx(30 + 4 + 9 + 25, rel=0.04)
