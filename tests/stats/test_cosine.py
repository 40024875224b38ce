"""Closed forms of mean cosines against the double loop, and what resampling does to them."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.cosine import (
    Directions,
    all_pairs_of,
    cross_task_of,
    directions,
    resample_vectors,
    within_pairs_of,
    within_task_of,
)
from ethogram.stats.resampling import Statistic, bootstrap_replicates, evaluate_once

vectors = st.integers(2, 14).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, (n, 4), elements=st.floats(-5, 5).map(lambda x: round(x, 3))),
        arrays(np.int64, n, elements=st.integers(0, 4)),
        arrays(np.int64, 5, elements=st.integers(0, 3)),
    )
)


def _cosines(
    rows: FloatArray, task: IntArray, copies: IntArray, keep: Callable[[int, int], bool]
) -> list[float]:
    """Every pair, one by one; a task drawn twice is there twice and its copies make no pairs."""
    drawn = [
        (row / np.linalg.norm(row), t, copy)
        for row, t in zip(rows, task, strict=True)
        if np.linalg.norm(row) > 1e-9
        for copy in range(copies[t])
    ]
    return [
        float(one @ other)
        for (one, t, c), (other, u, d) in combinations(drawn, 2)
        if keep(t, u) and (t != u or c == d)
    ]


def _at(statistic: Statistic, copies: IntArray) -> float:
    return float(statistic(copies[None, :].astype(np.float64))[0])


@given(vectors)
def test_pairs_across_and_within_tasks_are_those_of_the_double_loop(
    drawn: tuple[FloatArray, IntArray, IntArray],
) -> None:
    rows, task, copies = drawn
    found = directions(rows, task, 5)

    for statistic, keep in (
        (cross_task_of(found), lambda t, u: t != u),
        (within_pairs_of(found), lambda t, u: t == u),
    ):
        cosines = _cosines(rows, task, copies, keep)
        value = _at(statistic, copies)
        assert np.isnan(value) == (not cosines)
        assert not cosines or value == pytest.approx(np.mean(cosines), abs=1e-12)


@given(vectors)
def test_global_and_within_task_are_those_of_the_double_loop(
    drawn: tuple[FloatArray, IntArray, IntArray],
) -> None:
    rows, task, _ = drawn
    found, once = directions(rows, task, 5), np.ones(5, dtype=np.int64)
    every = _cosines(rows, task, once, lambda t, u: True)
    by_task = [
        _cosines(rows[task == n], task[task == n], once, lambda t, u: t == u) for n in range(5)
    ]
    eligible = [np.mean(each) for each in by_task if len(each) >= 3]

    total = evaluate_once(all_pairs_of(found), 5)
    within = evaluate_once(within_task_of(found), 5)

    assert (total is None) == (not every)
    assert total is None or total == pytest.approx(np.mean(every), abs=1e-12)
    assert (within is None) == (not eligible)
    assert within is None or within == pytest.approx(np.mean(eligible), abs=1e-12)


def test_four_vectors_by_hand() -> None:
    found = directions([[1, 0], [0, 2], [3, 0], [0, 0]], [0, 0, 1, 1], 2)

    assert (found.n_dropped, found.n_vectors) == (1, 3)
    assert evaluate_once(within_pairs_of(found), 2) == 0.0
    assert evaluate_once(cross_task_of(found), 2) == pytest.approx(0.5)
    assert evaluate_once(all_pairs_of(found), 2) == pytest.approx(1 / 3)


def test_vectors_that_do_not_fit_their_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="one for each task number"):
        directions([[1.0, 0.0]], [0, 1], 2)
    with pytest.raises(UsageError, match="finite"):
        directions([[np.nan, 0.0]], [0], 1)


def _sample(rng: np.random.Generator, n_tasks: int, per_task: int) -> tuple[FloatArray, IntArray]:
    centres = np.repeat(rng.normal(size=(n_tasks, 3)) + np.eye(3)[0], per_task, axis=0)
    rows = centres + rng.normal(size=centres.shape)
    return rows, np.repeat(np.arange(n_tasks), per_task)


def test_resampled_tasks_centre_on_the_estimate() -> None:
    rows, task = _sample(np.random.default_rng(0), 30, 4)
    found = directions(rows, task, 30)

    for make in (cross_task_of, within_pairs_of, all_pairs_of):
        drawn = bootstrap_replicates(make(found), 30, rng=1, n_resamples=4000)
        error = drawn.std() / np.sqrt(len(drawn))
        assert drawn.mean() == pytest.approx(evaluate_once(make(found), 30), abs=4 * error + 2e-3)


def test_resampling_tasks_with_pairs_of_a_task_with_its_copy_would_lie_too_high() -> None:
    """What the subtraction in the closed form is for."""
    rows, task = _sample(np.random.default_rng(0), 30, 4)
    found = directions(rows, task, 30)

    def careless(counts: FloatArray) -> FloatArray:
        drawn, n = counts @ found.sums, counts @ found.sizes
        squares: FloatArray = (np.einsum("rd,rd->r", drawn, drawn) - n) / (n * (n - 1))
        return squares

    right = bootstrap_replicates(all_pairs_of(found), 30, rng=1, n_resamples=2000).mean()
    wrong = bootstrap_replicates(careless, 30, rng=1, n_resamples=2000).mean()

    assert wrong - right > 0.01


@pytest.mark.parametrize("k", [10, 40])
def test_resampled_runs_lie_too_high_by_one_minus_bcm_over_k_until_corrected(k: int) -> None:
    rows = np.random.default_rng(k).normal(size=(k, 3)) + 0.7 * np.eye(3)[0]
    found = directions(rows, np.arange(k), k)
    bcm = evaluate_once(all_pairs_of(found), k)
    assert bcm is not None

    drawn = resample_vectors(rows, rng=0, n_resamples=20_000)
    error = drawn.printed.std() / np.sqrt(20_000)

    assert drawn.printed.mean() - bcm == pytest.approx((1 - bcm) / k, abs=4 * error)
    assert drawn.corrected.mean() - bcm == pytest.approx(0, abs=4 * error + 0.1 / k**2)


def test_fewer_than_two_vectors_have_no_mean() -> None:
    assert evaluate_once(all_pairs_of(directions([[1.0, 2.0]], [0], 1)), 1) is None
    assert np.isnan(resample_vectors(np.array([[1.0, 2.0]]), rng=0, n_resamples=3).printed).all()
    empty = Directions(np.zeros((0, 2)), np.zeros(0))
    assert evaluate_once(cross_task_of(empty), 0) is None
