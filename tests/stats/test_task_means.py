"""Means of means: by hand, against plain means, and the size of their standard error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray
from ethogram.stats.task_intervals import mean_interval
from ethogram.stats.task_means import combined, intervals_of, mean_of_means, pseudo_values

NAN = float("nan")
SCORES = arrays(np.float64, (2, 3, 8), elements=st.sampled_from([NAN, 0.0, 0.25, 0.5, 1.0]))


def test_a_mean_of_means_by_hand() -> None:
    # means 1/2 over two tasks and 2/3 over three; the third task only speaks through the second
    found = mean_of_means([np.array([[0.0, 1.0, NAN]]), np.array([[0.5, 0.5, 1.0]])])

    assert found.values[0] == pytest.approx(7 / 12)
    assert found.fewest.tolist() == [2]
    assert found.n_tasks.tolist() == [3]
    first = np.array([-0.5, 0.5, 0]) / 2 * np.sqrt(2)
    second = np.array([-1 / 6, -1 / 6, 1 / 3]) / 3 * np.sqrt(3 / 2)
    assert found.pulls[0] == pytest.approx((first + second) / 2)


def test_a_single_part_is_the_plain_mean_with_its_interval() -> None:
    scores = np.array([0.1, 0.2, NAN, 0.9, 0.4, 0.4, 0.8, 0.6])
    found = mean_of_means([scores[None, :]])
    known = scores[~np.isnan(scores)]

    assert pseudo_values(found)[0] == pytest.approx(scores, nan_ok=True)
    (interval,) = intervals_of(found, bounds=(0, 1))
    expected = mean_interval(known, bounds=(0, 1))
    assert (interval.estimate, interval.low, interval.high) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )
    assert (found.pulls**2).sum() == pytest.approx(known.var(ddof=1) / len(known))


@given(SCORES)
def test_pulls_cancel_and_pseudo_values_have_the_rows_mean(scores: FloatArray) -> None:
    found = mean_of_means(list(scores))
    values = pseudo_values(found)

    for row in range(3):
        assert found.pulls[row].sum() == pytest.approx(0, abs=1e-12)
        lost = np.isnan(scores[:, row]).all(axis=1).any()
        assert np.isnan(found.values[row]) == lost
        if not lost:
            own = np.mean([np.nanmean(part[row]) for part in scores])
            assert found.values[row] == pytest.approx(own)
            assert np.nanmean(values[row]) == pytest.approx(own)


@given(SCORES, st.permutations(range(8)))
def test_the_order_of_tasks_changes_nothing(scores: FloatArray, order: list[int]) -> None:
    one, other = (
        intervals_of(mean_of_means(list(each)), bounds=(0, 1))
        for each in (scores, scores[:, :, order])
    )

    for first, second in zip(one, other, strict=True):
        assert (first.estimate, first.low, first.high, first.reason) == pytest.approx(
            (second.estimate, second.low, second.high, second.reason), abs=1e-9
        )


def test_a_difference_of_rows_is_paired_by_task() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 9))
    rows = mean_of_means([np.stack([first, second])])
    found = combined(rows, np.array([[1.0, -1.0]]))
    alone = mean_of_means([(first - second)[None, :]])

    assert found.values == pytest.approx(alone.values)
    assert found.pulls == pytest.approx(alone.pulls)
    assert found.fewest.tolist() == [9]


def test_a_sum_needs_every_row_that_has_a_weight() -> None:
    rows = mean_of_means([np.array([[0.5, 1.0], [NAN, NAN], [0.0, NAN]])])
    found = combined(rows, np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))

    assert found.values == pytest.approx([NAN, 0.75, NAN], nan_ok=True)
    assert found.fewest.tolist() == [0, 1, 0]
    assert found.n_tasks.tolist() == [0, 2, 0]
    assert combined(rows, np.array([[0.0, 0.0, 1.0]])).used.tolist() == [[True, False]]


def test_the_part_with_the_fewest_tasks_decides_whether_there_is_an_interval() -> None:
    full, short = np.linspace(0, 1, 30)[None, :], np.full((1, 30), NAN)
    short[0, :5] = [0.2, 0.4, 0.1, 0.9, 0.5]
    (interval,) = intervals_of(mean_of_means([full, short]), bounds=(0, 1))

    assert interval.estimate == pytest.approx((0.5 + 0.42) / 2)
    assert interval.reason == "too few tasks"


def test_a_row_that_is_defined_nowhere_has_no_value() -> None:
    (interval,) = intervals_of(mean_of_means([np.full((1, 4), NAN)]))

    assert (interval.estimate, interval.reason) == (None, "undefined at every task")
    assert intervals_of(mean_of_means([np.zeros((0, 4))])) == []
    assert intervals_of(mean_of_means([np.zeros((2, 0))]))[1].estimate is None


def test_the_noise_of_last_bits_stays_within_the_bounds() -> None:
    noisy = np.full((1, 10), 1 + 1e-15)
    (interval,) = intervals_of(mean_of_means([noisy]), bounds=(0, 1))

    assert (interval.estimate, interval.high) == (1, 1)


def test_parts_of_other_shapes_are_refused() -> None:
    with pytest.raises(UsageError, match="one shape"):
        mean_of_means([np.zeros((1, 2)), np.zeros((1, 3))])
    with pytest.raises(UsageError, match="one shape"):
        mean_of_means([])


@pytest.mark.slow
@pytest.mark.parametrize(("n_tasks", "n_short"), [(8, 8), (30, 8), (44, 22)])
def test_intervals_of_a_mean_of_three_means_hold_the_truth(n_tasks: int, n_short: int) -> None:
    """Three parts that go together by task, one of them defined at fewer tasks."""
    rng, held, studies = np.random.default_rng(1), 0, 2000
    for _ in range(studies):
        level = rng.normal(size=n_tasks)
        shift = level + rng.normal(size=(3, n_tasks))
        parts = 1 / (1 + np.exp(-1 - shift))
        parts[1] = rng.random(n_tasks) < parts[1]  # decided by convention: 0 or 1
        parts[0, n_short:] = NAN
        (interval,) = intervals_of(mean_of_means([part[None, :] for part in parts]), bounds=(0, 1))
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= TRUTH <= interval.high
    assert held / studies >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies)


TRUTH = 0.67506  # mean of 1 / (1 + exp(-1 - z)), z normal with variance 2, by quadrature
