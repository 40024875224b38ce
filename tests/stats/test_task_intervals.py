"""Which interval for how many tasks: limit cases, symmetries, and other ways to the same number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.intervals import Interval
from ethogram.stats.resampling import mean_of
from ethogram.stats.task_intervals import (
    mean_interval,
    median_interval,
    ratio_interval,
    statistic_interval,
)

VALUES = st.lists(st.integers(-50, 50), min_size=6, max_size=15)
COUNTS = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=6,
    max_size=15,
)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def test_symmetric_values_get_the_t_interval() -> None:
    values = [1, 2, 3, 4, 5, 6, 7]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)

    assert ends(mean_interval(values)) == pytest.approx((expected.low, expected.high))


def test_the_end_towards_the_long_tail_is_where_halls_statistic_meets_the_t_quantile() -> None:
    """The transformation by its definition on ten skewed values; the other end is the plain t's."""
    values = np.array([1, 1, 2, 2, 3, 3, 4, 5, 7, 9.0])
    n, skew, error = len(values), stats.skew(values), stats.sem(values)
    low, high = ends(mean_interval(values, level=0.9))
    t = (values.mean() - high) / error
    hall = t + skew * t**2 / (3 * n**0.5) + skew**2 * t**3 / (27 * n) + skew / (6 * n**0.5)

    assert hall == pytest.approx(stats.t.ppf(0.05, n - 1))
    assert low == pytest.approx(values.mean() - stats.t.ppf(0.95, n - 1) * error)
    assert high > values.mean() + 1.1 * stats.t.ppf(0.95, n - 1) * error


def test_no_end_lies_farther_than_twice_the_plain_ts() -> None:
    values = np.array([0, 0, 0, 0, 0, 0, 1, 9.0])
    reach = stats.t.ppf(0.975, 7) * stats.sem(values)

    assert ends(mean_interval(values)) == pytest.approx(
        (values.mean() - reach, values.mean() + 2 * reach)
    )


def test_independent_runs_get_wilsons_interval_with_a_t_quantile() -> None:
    """40 tasks of one run: the effective sample size is n - 1, by the variance of 0/1 values."""
    values = [1] * 30 + [0] * 10
    quantile, trials = stats.t.ppf(0.975, 39), 39
    centre = (0.75 + quantile**2 / (2 * trials)) / (1 + quantile**2 / trials)
    half = (
        quantile
        * np.sqrt(0.75 * 0.25 / trials + quantile**2 / (4 * trials**2))
        / (1 + quantile**2 / trials)
    )

    assert ends(mean_interval(values, bounds=(0, 1))) == pytest.approx(
        (centre - half, centre + half)
    )


def test_far_from_its_bounds_a_mean_gets_the_t_interval() -> None:
    values = np.linspace(0.499, 0.501, 12)

    assert ends(mean_interval(values, bounds=(0, 1))) == pytest.approx(
        ends(mean_interval(values)), abs=1e-7
    )


@given(VALUES)
def test_mirrored_values_have_the_mirrored_interval(values: list[int]) -> None:
    for bounds in ((-np.inf, np.inf), (-60.0, 60.0)):
        one = mean_interval(values, bounds=bounds)
        other = mean_interval([-value for value in values], bounds=bounds)

        assert one.reason == other.reason
        if one.reason is None:
            assert ends(one) == pytest.approx(tuple(-end for end in reversed(ends(other))))


@given(VALUES)
def test_the_order_of_tasks_does_not_matter(values: list[int]) -> None:
    ordered = sorted(values)
    for bounds in ((-np.inf, np.inf), (-60.0, 60.0)):
        one, other = mean_interval(values, bounds=bounds), mean_interval(ordered, bounds=bounds)

        assert one.reason == other.reason
        if one.reason is None:
            assert ends(one) == pytest.approx(ends(other), abs=1e-9)


@given(COUNTS)
def test_an_accuracy_lies_in_its_interval_within_0_and_1(counts: list[tuple[int, int]]) -> None:
    successes, runs = zip(*counts, strict=True)
    found = ratio_interval(successes, runs, bounds=(0, 1))
    low, high = ends(found)

    assert found.estimate == pytest.approx(sum(successes) / sum(runs))
    assert 0 <= low <= sum(successes) / sum(runs) + 1e-12
    assert sum(successes) / sum(runs) - 1e-12 <= high <= 1
    assert high - low > 0


def test_equal_repeats_make_a_ratio_the_mean_of_rates() -> None:
    successes = np.array([5, 3, 0, 0, 5, 5, 0, 5, 1, 5])

    for bounds in ((0, 1), (-np.inf, np.inf)):
        assert ends(ratio_interval(successes, np.full(10, 5), bounds=bounds)) == pytest.approx(
            ends(mean_interval(successes / 5, bounds=bounds))
        )


def test_a_ratio_has_the_standard_error_of_the_delta_method() -> None:
    above, below = np.array([1, 4, 2, 8, 5, 7.0]), np.array([2, 5, 3, 9, 7, 8.0])
    ratio = above.sum() / below.sum()
    error = np.std(above - ratio * below, ddof=1) / below.mean() / np.sqrt(6)
    low, high = ends(ratio_interval(above, below, level=0.95, bounds=(-1e9, 1e9)))

    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 5) * error, rel=1e-6)


def test_tasks_without_runs_say_nothing() -> None:
    counts = ([1, 2, 3, 4, 5, 0], [5, 5, 5, 5, 5, 5])

    assert ratio_interval([*counts[0], 0], [*counts[1], 0], bounds=(0, 1)) == ratio_interval(
        *counts, bounds=(0, 1)
    )


@pytest.mark.parametrize("n", [0, 1, 5])
def test_under_six_tasks_there_is_no_interval(n: int) -> None:
    values = list(range(n))

    assert mean_interval(values).reason == "too few tasks"
    assert mean_interval(values, bounds=(0, 9)).reason == "too few tasks"
    assert ratio_interval(values, values).reason == "too few tasks"
    assert median_interval(values).reason == "too few tasks"


def test_under_six_clusters_there_is_no_interval() -> None:
    clusters = np.arange(30) % 5

    assert mean_interval(np.arange(30), clusters=clusters).reason == "too few tasks"
    found = statistic_interval(mean_of(np.arange(30)), 30, rng=0, clusters=clusters)
    assert found.reason == "too few tasks"


def test_equal_bounded_values_get_the_interval_in_which_a_task_is_one_trial() -> None:
    quantile = stats.t.ppf(0.975, 7)
    low, high = ends(mean_interval([1.0] * 8, bounds=(0, 1)))

    assert low == pytest.approx(1 / (1 + quantile**2 / 8))
    assert high == 1
    assert ends(mean_interval([0.0] * 8, bounds=(0, 1))) == pytest.approx((0, 1 - low))


def test_equal_unbounded_values_get_none() -> None:
    found = mean_interval([0.1] * 8)

    assert found.estimate == pytest.approx(0.1)
    assert found.low is None
    assert found.reason == "no spread over 8 tasks"


def test_clusters_of_equal_tasks_count_once() -> None:
    """Ten clusters of three equal tasks say as much as ten tasks."""
    values = np.array([1, 4, 2, 8, 5, 7, 1, 0, 3, 9.0])

    for bounds in ((-np.inf, np.inf), (0.0, 10.0)):
        assert ends(
            mean_interval(np.repeat(values, 3), clusters=np.repeat(np.arange(10), 3), bounds=bounds)
        ) == pytest.approx(ends(mean_interval(values, bounds=bounds)))


def test_an_estimate_outside_its_bounds_is_refused() -> None:
    with pytest.raises(UsageError, match="outside the bounds"):
        mean_interval([2.0] * 8, bounds=(0, 1))


def test_the_interval_of_an_amount_does_not_reach_below_zero() -> None:
    values = [0.0] * 9 + [1.0]

    assert ends(mean_interval(values))[0] < 0
    assert ends(mean_interval(values, bounds=(0, np.inf)))[0] == 0


@pytest.mark.parametrize(("n", "rank"), [(6, 1), (8, 1), (9, 2), (15, 4), (30, 10), (100, 40)])
def test_a_medians_ends_have_the_ranks_of_the_sign_test(n: int, rank: int) -> None:
    """Ranks as tabulated for the sign test at 5 %, two-sided."""
    found = median_interval(np.random.default_rng(0).permutation(np.arange(1, n + 1)))

    assert found.estimate == (n + 1) / 2
    assert ends(found) == (rank, n + 1 - rank)


def test_few_tasks_get_the_jackknife_which_of_a_mean_is_the_mean_interval() -> None:
    values = np.array([1, 4, 2, 8, 5, 7, 1, 0, 3, 9.0])
    found = statistic_interval(mean_of(values), 10, rng=0)

    assert ends(found) == pytest.approx(ends(mean_interval(values)))
    assert found.method == "over 10 tasks, jackknife: t, longer towards the long tail"


def test_the_interval_of_a_statistic_is_cut_to_its_bounds() -> None:
    values = np.array([0, 0, 0, 0, 0, 0, 1, 9.0])
    low, high = ends(statistic_interval(mean_of(values), 8, rng=0))

    assert ends(statistic_interval(mean_of(values), 8, rng=0, bounds=(0, 3))) == (0, 3)
    assert (low < 0, high > 3) == (True, True)


def test_twenty_tasks_get_the_bootstrap() -> None:
    found = statistic_interval(mean_of(np.arange(20.0)), 20, rng=0)

    assert found.method == "over 20 tasks: BCa bootstrap, 1,000 resamples"


def test_a_statistic_that_hangs_on_one_task_has_no_interval() -> None:
    found = statistic_interval(lambda counts: 1 / (counts[:, 0] > 0), 8, rng=0)

    assert (found.estimate, found.reason) == (1.0, "undefined without one of the tasks")
    equal = statistic_interval(mean_of([3.0] * 8), 8, rng=0)
    assert equal.reason == "no spread over 8 tasks, jackknife"
    undefined = statistic_interval(lambda counts: counts[:, 0] * np.nan, 8, rng=0)
    assert (undefined.estimate, undefined.reason) == (None, "undefined on these tasks")


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(mean_interval(np.arange(8.0), bounds=(0, 7)), id="score"),
        pytest.param(mean_interval(np.arange(8.0), bounds=(0, np.inf)), id="t"),
        pytest.param(median_interval(np.arange(8.0)), id="median"),
        pytest.param(statistic_interval(mean_of(np.arange(8.0)), 8, rng=0), id="jackknife"),
        pytest.param(statistic_interval(mean_of(np.arange(30.0)), 30, rng=0), id="bootstrap"),
    ],
)
def test_intervals_hold_plain_floats(found: Interval) -> None:
    """numpy's would print as ``np.float64(...)`` and not go into JSON."""
    assert {type(found.estimate), type(found.low), type(found.high)} == {float}
