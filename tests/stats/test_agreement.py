"""Agreement of raters: published examples, definitions, limits."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.agreement import Weights, cohen_kappa, share_within

RATINGS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=12)


def test_unweighted_kappa_by_hand() -> None:
    """50 items: both yes 20, both no 15, 5 and 10 apart: agreement 0.7, by chance 0.5."""
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15

    assert cohen_kappa(first, second, weights="equal") == pytest.approx(0.4)


@given(RATINGS, st.sampled_from(["equal", "linear", "quadratic"]))
def test_kappa_compares_with_ratings_paired_at_random(
    ratings: list[tuple[int, int]], weights: Weights
) -> None:
    first, second = zip(*ratings, strict=True)
    assume(len({*first, *second}) > 1)
    power = {"equal": 0, "linear": 1, "quadratic": 2}[weights]
    apart, at_random = (
        [abs(one - other) ** power for one, other in pairs if one != other]
        for pairs in (ratings, product(first, second))
    )
    observed, expected = sum(apart) / len(ratings), sum(at_random) / len(ratings) ** 2

    assert cohen_kappa(first, second, weights=weights) == pytest.approx(1 - observed / expected)


@given(RATINGS)
def test_agreement_is_symmetric(ratings: list[tuple[int, int]]) -> None:
    first, second = zip(*ratings, strict=True)
    assume(len({*first, *second}) > 1)

    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa(second, first))
    assert share_within(first, second, distance=1) == share_within(second, first, distance=1)


def test_exact_and_within_one_agreement() -> None:
    assert share_within([1, 2, 3, 5], [1, 3, 5, 5]) == 0.5
    assert share_within([1, 2, 3, 5], [1, 3, 5, 5], distance=1) == 0.75


def test_what_is_undefined_is_refused() -> None:
    with pytest.raises(NotEnoughDataError):
        cohen_kappa([], [])
    with pytest.raises(NotEnoughDataError):
        cohen_kappa([3, 3], [3, 3])
    with pytest.raises(NotEnoughDataError):
        share_within([], [])
    with pytest.raises(UsageError):
        cohen_kappa([1], [1, 2])
