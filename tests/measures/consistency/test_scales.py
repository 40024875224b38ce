"""Means over permutations by one matrix product, and intervals that hold what shuffling does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.measures.consistency.scales import (
    STATISTICS,
    mean_of_clouds,
    mean_over,
    widened,
)
from ethogram.results import Estimate
from ethogram.stats.cosine import Directions, directions

N_TASKS = 5


def _clouds(seed: int, n: int, *, some_zero: bool) -> list[Directions]:
    rng = np.random.default_rng(seed)
    task = np.arange(4 * N_TASKS) % N_TASKS
    clouds = []
    for _ in range(n):
        vectors = rng.normal(size=(len(task), 3))
        if some_zero:
            vectors[rng.integers(len(task))] = 0
        clouds.append(directions(vectors, task, N_TASKS))
    return clouds


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_the_mean_over_clouds_is_the_cosine_of_all_side_by_side(
    seed: int, n: int, some_zero: bool
) -> None:
    clouds = _clouds(seed, n, some_zero=some_zero)
    counts = np.random.default_rng(seed).integers(0, 3, size=(4, N_TASKS)).astype(float)
    for scale, make in STATISTICS.items():
        with np.errstate(invalid="ignore"):
            expected = mean_over([make(each) for each in clouds])(counts)

        found = mean_of_clouds(scale, clouds)(counts)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def _difference(low: float | None, high: float | None) -> Estimate:
    return Estimate(
        name="x", unit="correlation", value=0.1, low=low, high=high, n_tasks=9, n_runs=9
    )


def test_an_interval_is_widened_in_squares_by_the_t_interval_of_one_more_draw() -> None:
    """Nulls 0 and 2: SD sqrt 2; t of one degree of freedom 12.706; sqrt(1 + 1/2)."""
    made = widened(_difference(-0.9, 1.1), np.array([0.0, 2.0]))
    reach = 12.7062047 * np.sqrt(2) * np.sqrt(1.5)

    assert made.low == pytest.approx(0.1 - np.hypot(1.0, reach))
    assert made.high == pytest.approx(0.1 + np.hypot(1.0, reach))


def test_one_permutation_has_no_spread_and_no_interval_stays_none() -> None:
    assert widened(_difference(-0.9, 1.1), np.array([0.5])).low is None
    assert widened(_difference(None, None), np.array([0.5, 0.7])).low is None
