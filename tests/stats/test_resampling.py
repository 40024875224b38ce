"""Resampling of tasks against scipy's bootstrap and loops, and what it must not depend on."""

import numpy as np
import pytest
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats import resampling
from ethogram.stats.arrays import FloatArray
from ethogram.stats.resampling import (
    bootstrap_interval,
    bootstrap_replicates,
    jackknife_replicates,
    mean_of,
    ratio_of,
)


def skewed(n: int) -> FloatArray:
    return np.random.default_rng(5).exponential(size=n)


def test_counts_of_each_resample_add_up_to_the_tasks() -> None:
    seen: list[FloatArray] = []

    def keep(counts: FloatArray) -> FloatArray:
        seen.append(counts)
        return counts[:, 0]

    bootstrap_replicates(keep, 7, rng=0, n_resamples=50)
    drawn = np.concatenate(seen)

    assert drawn.shape == (50, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.std() > 0


def test_clusters_are_drawn_whole_with_all_their_tasks() -> None:
    seen: list[FloatArray] = []

    def keep(counts: FloatArray) -> FloatArray:
        seen.append(counts)
        return counts[:, 0]

    bootstrap_replicates(keep, 5, rng=0, n_resamples=40, clusters=["x", "y", "x", "z", "y"])
    drawn = np.concatenate(seen)

    assert np.array_equal(drawn[:, 0], drawn[:, 2])
    assert np.array_equal(drawn[:, 1], drawn[:, 4])
    assert (drawn[:, [0, 1, 3]].sum(axis=1) == 3).all()


def test_bca_agrees_with_scipys_within_the_error_of_the_draws() -> None:
    """On values so skewed that the percentile interval lies elsewhere (0.82 to 2.05)."""
    values = np.random.default_rng(5).lognormal(0, 1.2, 30)
    ours = bootstrap_interval(mean_of(values), 30, rng=1, n_resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval

    assert ours.estimate == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_a_ratio_is_resampled_with_both_its_sums() -> None:
    above, below = skewed(30), np.arange(1.0, 31.0)
    found = bootstrap_replicates(ratio_of(above, below), 30, rng=3, n_resamples=200)
    drawn = np.random.default_rng(3).integers(30, size=(200, 30))

    assert found == pytest.approx(above[drawn].sum(axis=1) / below[drawn].sum(axis=1))


def test_jackknife_leaves_one_task_or_cluster_out() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])

    assert jackknife_replicates(mean_of(values), 4) == pytest.approx([5, 14 / 3, 4, 7 / 3])
    assert jackknife_replicates(mean_of(values), 4, clusters=[0, 0, 1, 1]) == pytest.approx(
        [6.5, 1.5]
    )


def test_one_seed_gives_the_same_numbers_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statistic = mean_of(skewed(25))
    whole = bootstrap_replicates(statistic, 25, rng=11)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 100)

    assert np.array_equal(whole, bootstrap_replicates(statistic, 25, rng=11))
    assert np.array_equal(
        whole, bootstrap_replicates(statistic, 25, rng=np.random.SeedSequence(11))
    )
    assert not np.array_equal(whole, bootstrap_replicates(statistic, 25, rng=12))


def test_undefined_resamples_are_dropped_and_counted() -> None:
    """Two of 24 tasks have a denominator: in (22/24)^24 = 12 % of the resamples none is drawn."""
    below = np.array([1.0, 2.0] + [0.0] * 22)
    found = bootstrap_interval(ratio_of(np.full(24, 1.0), below), 24, rng=0, n_resamples=2000)

    assert found.low is not None
    assert 0.10 * 2000 < found.n_dropped < 0.15 * 2000


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        pytest.param([0.0] * 24, "undefined on these tasks", id="always-undefined"),
        pytest.param([1.0] + [0.0] * 23, "the same value in all resamples", id="one-value"),
    ],
)
def test_a_statistic_without_spread_has_a_reason(values: list[float], reason: str) -> None:
    found = bootstrap_interval(ratio_of(values, values), 24, rng=0)

    assert (found.low, found.reason) == (None, reason)


def test_mostly_undefined_resamples_give_no_interval() -> None:
    def rarely(counts: FloatArray) -> FloatArray:
        return np.where(counts[:, 0] == 1, counts[:, 1], np.nan)

    found = bootstrap_interval(rarely, 24, rng=0)

    assert found.reason == "undefined in more than half of the resamples"
    assert found.n_dropped > 500


def test_many_tasks_get_the_percentile_interval() -> None:
    values = skewed(resampling.MAX_UNITS_BCA + 1)
    found = bootstrap_interval(mean_of(values), len(values), rng=0)

    assert "percentile" in found.method
    assert found.low is not None
    assert found.high is not None
    expected = 2 * 1.96 * values.std() / np.sqrt(len(values))
    assert found.high - found.low == pytest.approx(expected, rel=0.1)


def test_a_label_for_each_task_is_needed() -> None:
    with pytest.raises(UsageError, match="a label for each of 3 tasks; got 2"):
        bootstrap_replicates(mean_of([1, 2, 3]), 3, rng=0, clusters=["a", "b"])
