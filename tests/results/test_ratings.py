"""Two ratings of the same items: what is counted, and how far they agree."""

import numpy as np
import pytest

from ethogram.results.ratings import (
    CONSTANT,
    NO_ITEM,
    Ratings,
    agreement_estimate,
    kappa_interval,
    share_within,
)
from ethogram.stats.agreement import Weights, cohen_kappa


def ratings(first: list[int], second: list[int], task: list[int]) -> Ratings:
    one, other = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    return Ratings(one, other, np.array(task, dtype=np.int64), n_runs=len(first))


MADE = ratings([1, 2, 3, 5, 4], [1, 3, 3, 2, 4], [0, 0, 1, 2, 2])


def test_items_that_differ_and_tasks_are_counted() -> None:
    assert (MADE.n_tasks, MADE.n_apart) == (3, 2)


@pytest.mark.parametrize(("distance", "expected"), [(0, 0.6), (1, 0.8), (3, 1.0)])
def test_the_share_within_a_distance_counts_items(distance: int, expected: float) -> None:
    assert share_within(MADE, distance, level=0.95).estimate == expected


def test_kappa_is_that_of_all_items() -> None:
    every: tuple[Weights, ...] = ("equal", "linear", "quadratic")
    for weights in every:
        found = kappa_interval(MADE, weights=weights, level=0.95, seed=0).estimate

        assert found == pytest.approx(cohen_kappa(MADE.first, MADE.second, weights=weights))


def test_what_can_not_be_said_has_a_reason() -> None:
    same, none = ratings([2, 2], [2, 2], [0, 1]), ratings([], [], [])
    found = [
        agreement_estimate(
            "kappa", "correlation", each, kappa_interval(each, weights="equal", level=0.9, seed=0)
        )
        for each in (same, none)
    ]

    assert [each.reason for each in found] == [CONSTANT, NO_ITEM]
    assert found[0].level == 0.9
