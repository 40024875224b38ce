"""Intervals of a share against scipy and against the tests that they invert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.intervals import Interval
from ethogram.stats.proportions import clopper_pearson_interval, wilson_interval

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@given(COUNTS, LEVELS)
def test_they_equal_scipys(counts: tuple[int, int], level: float) -> None:
    test = stats.binomtest(*counts)
    for function, expected in (
        (wilson_interval, test.proportion_ci(level, method="wilson")),
        (clopper_pearson_interval, test.proportion_ci(level, method="exact")),
    ):
        found = function(*counts, level=level)

        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(COUNTS)
def test_failures_mirror_successes(counts: tuple[int, int]) -> None:
    successes, trials = counts
    for function in (wilson_interval, clopper_pearson_interval):
        one, other = function(successes, trials), function(trials - successes, trials)

        assert one.low is not None
        assert other.high is not None
        assert one.low == pytest.approx(1 - other.high, abs=1e-9)


def test_none_and_all_reach_the_end_of_the_scale() -> None:
    for function in (wilson_interval, clopper_pearson_interval):
        assert function(0, 9).low == 0.0
        assert function(9, 9).high == 1.0


def test_without_trials_there_is_a_reason() -> None:
    for function in (wilson_interval, clopper_pearson_interval):
        found = function(0, 0)

        assert (found.estimate, found.low, found.high, found.reason) == (
            None,
            None,
            None,
            "no trials",
        )


@pytest.mark.parametrize(("successes", "trials", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1)])
def test_impossible_input_is_refused(successes: int, trials: int, level: float) -> None:
    for function in (wilson_interval, clopper_pearson_interval):
        with pytest.raises(UsageError):
            function(successes, trials, level=level)


def test_an_interval_has_both_ends_or_a_reason() -> None:
    with pytest.raises(ValueError, match="both ends or a reason"):
        Interval(estimate=1, low=None, high=None, level=0.95, method="x")
    with pytest.raises(ValueError, match="both ends or a reason"):
        Interval(estimate=1, low=0, high=2, level=0.95, method="x", reason="y")
    with pytest.raises(ValueError, match="both ends or a reason"):
        Interval(estimate=1, low=0, high=None, level=0.95, method="x")
