"""Do 95 % intervals hold the truth 95 times in 100? Measured on simulated studies.

Each case draws studies of 8, 15 or 30 tasks with five runs a task from a population whose truth is
known, makes the interval, and counts how often it holds the truth. The floor is the nominal level
less three standard errors of the count, except where a case states a lower one: populations so
skewed that few tasks can't show it. The mean width is held against that of an interval with the
true standard error, so that no method passes by being wide.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.dispersion import icc1_of_sums
from ethogram.stats.intervals import Interval
from ethogram.stats.resampling import Statistic
from ethogram.stats.significance import sign_flip_permutation
from ethogram.stats.task_intervals import (
    mean_interval,
    median_interval,
    ratio_interval,
    statistic_interval,
)

pytestmark = pytest.mark.slow

STUDIES: Final = 2000
RUNS: Final = 5
NOISE: Final = 3 * np.sqrt(0.95 * 0.05 / STUDIES)
TASKS: Final = pytest.mark.parametrize("n_tasks", [8, 15, 30])

Generator = np.random.Generator
Population = Callable[[Generator, int], FloatArray]


def held(intervals: list[Interval], truth: float) -> float:
    """Share of the intervals that hold the truth; one without ends holds nothing."""
    return float(
        np.mean(
            [
                interval.low is not None
                and interval.high is not None
                and interval.low - 1e-12 <= truth <= interval.high + 1e-12
                for interval in intervals
            ]
        )
    )


def mean_width(intervals: list[Interval]) -> float:
    return float(
        np.mean([i.high - i.low for i in intervals if i.low is not None and i.high is not None])
    )


def rates(alpha: float, beta: float) -> Population:
    """Success rates of tasks whose difficulty is Beta(alpha, beta)."""
    return lambda rng, n: rng.binomial(RUNS, rng.beta(alpha, beta, n)).astype(np.float64)


def all_or_none(share: float) -> Population:
    """Tasks that succeed in every run or in none."""
    return lambda rng, n: RUNS * (rng.random(n) < share).astype(np.float64)


def one_rate(share: float) -> Population:
    """Tasks of one difficulty: runs are independent."""
    return lambda rng, n: rng.binomial(RUNS, share, n).astype(np.float64)


SUCCESSES: Final = [
    pytest.param(rates(0.5, 0.5), 0.5, 0.95, id="mostly-always-or-never"),
    pytest.param(rates(2, 2), 0.5, 0.95, id="mixed"),
    pytest.param(rates(0.3, 1.5), 1 / 6, 0.93, id="mostly-never"),
    pytest.param(rates(2, 0.2), 10 / 11, 0.93, id="mostly-always"),
    pytest.param(all_or_none(0.5), 0.5, 0.95, id="half-of-the-tasks"),
    pytest.param(all_or_none(0.2), 0.2, 0.95, id="a-fifth-of-the-tasks"),
    pytest.param(all_or_none(0.95), 0.95, 0.94, id="nearly-all-tasks"),
    pytest.param(one_rate(0.5), 0.5, 0.95, id="independent-even"),
    pytest.param(one_rate(0.9), 0.9, 0.95, id="independent-high"),
    pytest.param(one_rate(0.98), 0.98, 0.95, id="independent-near-one"),
]


@TASKS
@pytest.mark.parametrize(("population", "truth", "level"), SUCCESSES)
def test_an_accuracys_interval_holds_the_truth(
    population: Population,
    truth: float,
    level: float,
    n_tasks: int,
) -> None:
    rng = np.random.default_rng(n_tasks)
    studies = [population(rng, n_tasks) for _ in range(STUDIES)]
    found = [ratio_interval(study, np.full(n_tasks, RUNS), bounds=(0, 1)) for study in studies]
    error = np.std([study.mean() / RUNS for study in studies])

    assert held(found, truth) >= level - NOISE
    # in a scale of 0 to 1 the ends give way near the borders, so the yardstick has a floor
    assert mean_width(found) <= 1.35 * 2 * 1.96 * max(error, 0.8 / n_tasks)


@TASKS
def test_unequal_repeats_keep_the_level(n_tasks: int) -> None:
    rng = np.random.default_rng(n_tasks)
    found = []
    for _ in range(STUDIES):
        runs = rng.integers(1, 9, n_tasks)
        found.append(
            ratio_interval(rng.binomial(runs, rng.beta(1, 2, n_tasks)), runs, bounds=(0, 1))
        )

    assert held(found, 1 / 3) >= 0.95 - NOISE


def cv_of_counts(rng: Generator, n: int) -> FloatArray:
    counts = 1 + rng.poisson(rng.gamma(3, rng.gamma(4, 2, (n, 1)), (n, RUNS)))
    cvs: FloatArray = counts.std(axis=1, ddof=1) / counts.mean(axis=1)
    return cvs


AMOUNTS: Final = [
    pytest.param(lambda rng, n: rng.normal(5, 1, n), 5, 0.95, id="normal"),
    pytest.param(lambda rng, n: 9 + rng.standard_t(3, n), 9, 0.95, id="heavy-tails"),
    pytest.param(cv_of_counts, None, 0.95, id="cv-of-five-counts"),
    pytest.param(lambda rng, n: rng.lognormal(0, 0.5, n), np.exp(1 / 8), 0.94, id="skewed"),
    pytest.param(lambda rng, n: rng.exponential(1, n), 1, 0.93, id="exponential"),
    pytest.param(lambda rng, n: 1.0 * rng.geometric(0.5, n), 2, 0.93, id="divergence-steps"),
    pytest.param(lambda rng, n: rng.lognormal(0, 1, n), np.exp(1 / 2), 0.89, id="very-skewed"),
]


@TASKS
@pytest.mark.parametrize(("population", "truth", "level"), AMOUNTS)
def test_the_interval_of_a_mean_amount_holds_the_truth(
    population: Population,
    truth: float | None,
    level: float,
    n_tasks: int,
) -> None:
    rng = np.random.default_rng(n_tasks)
    truth = float(population(rng, 1_000_000).mean()) if truth is None else truth
    studies = [population(rng, n_tasks) for _ in range(STUDIES)]
    found = [mean_interval(study, bounds=(0, np.inf)) for study in studies]
    error = np.std([study.mean() for study in studies])

    assert held(found, truth) >= level - NOISE
    assert mean_width(found) <= 1.6 * 2 * 1.96 * error


@TASKS
def test_a_medians_interval_holds_the_truth(n_tasks: int) -> None:
    rng = np.random.default_rng(n_tasks)
    found = [median_interval(rng.exponential(1, n_tasks)) for _ in range(STUDIES)]

    assert 0.95 - NOISE <= held(found, np.log(2)) <= 0.995


@TASKS
def test_clusters_keep_the_level_where_tasks_of_a_cluster_are_alike(n_tasks: int) -> None:
    """Clusters of one to five tasks; taking tasks as independent covers far less."""
    rng = np.random.default_rng(n_tasks)
    by_cluster, by_task = [], []
    for _ in range(STUDIES):
        clusters = np.repeat(np.arange(n_tasks), rng.integers(1, 6, n_tasks))
        values = rng.normal(size=n_tasks)[clusters] + rng.normal(size=len(clusters)) / 2
        by_cluster.append(mean_interval(values, clusters=clusters))
        by_task.append(mean_interval(values))

    assert held(by_cluster, 0) >= 0.93 - NOISE
    assert held(by_task, 0) < 0.85


def icc_of(successes: IntArray) -> Statistic:
    sizes = np.full(len(successes), RUNS)
    return lambda counts: icc1_of_sums(sizes, successes, successes, weights=counts)


@TASKS
def test_the_interval_of_an_icc_holds_the_truth(n_tasks: int) -> None:
    """Difficulties Beta(1, 1), so ICC(1) = 1 / 3; from 20 tasks on by bootstrap."""
    rng = np.random.default_rng(n_tasks)
    studies = [rng.binomial(RUNS, rng.random(n_tasks)) for _ in range(STUDIES // 4)]
    found = [statistic_interval(icc_of(study), n_tasks, rng=0, bounds=(-1, 1)) for study in studies]

    assert held(found, 1 / 3) >= 0.93 - 2 * NOISE


@TASKS
@pytest.mark.parametrize("name", ["rates", "amounts"])
def test_sign_flips_reject_no_more_than_their_level(name: str, n_tasks: int) -> None:
    rng = np.random.default_rng(n_tasks)
    rejected = []
    for _ in range(STUDIES):
        share = rng.beta(0.5, 0.5, n_tasks)
        drawn = {
            "rates": (rng.binomial(RUNS, share) - rng.binomial(RUNS, share)) / RUNS,
            "amounts": rng.exponential(1, n_tasks) - rng.exponential(1, n_tasks),
        }[name]
        p = sign_flip_permutation(drawn).p_value
        rejected.append(p is not None and p <= 0.05)

    assert np.mean(rejected) <= 0.05 + NOISE
