"""The true figures of simulated systems lie inside the intervals that are found for them."""

from collections import Counter
from typing import Final

import pytest
from scipy.stats import binom

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.simulate import DEFAULT, simulate, true_parameters

SEEDS: Final = 200
LEVEL: Final = 0.95
TABLES: Final = {"systems": None, "pass_k": "k", "phases": "kind", "failures": "mode"}
Figure = tuple[str, str, str]
"""System, name and second key."""


def intervals(result: Result) -> dict[Figure, tuple[float, float]]:
    return {
        (row["system"], row["name"], row[key] if key else ""): (row["low"], row["high"])
        for table, key in TABLES.items()
        for row in result.to_frame(table).iter_rows(named=True)
        if row["low"] is not None
    }


def truths() -> dict[Figure, float]:
    return {
        (policy.name, truth.name, next(iter(truth.keys.values()), "")): truth.value
        for policy in DEFAULT
        for truth in true_parameters(policy, k=5, n_runs=5)
    }


def test_true_figures_are_found_under_their_names() -> None:
    """One cohort: every true figure that the measures give at all has a value near it."""
    runs = simulate(DEFAULT, n_tasks=30, n_runs=5, seed=1)
    found = intervals(variance(from_trajectories(runs, labeler=default_labeler())))
    known = {figure: value for figure, value in truths().items() if figure in found}

    inside = [
        low - 1e-9 <= known[f] <= high + 1e-9 for f, (low, high) in found.items() if f in known
    ]
    assert len(inside) > 100
    assert sum(inside) > 0.85 * len(inside)
    for name in ("divergence_mean", "phase_share", "phase_cv", "failure_rate", "cv_actions_mean"):
        assert any(figure[1] == name for figure in known)


@pytest.mark.slow
def test_true_figures_lie_inside_the_intervals_at_the_nominal_rate() -> None:
    """Over 200 seeds no figure's coverage is credibly below 95 %, nor is that of all together."""
    labeler, known = default_labeler(), truths()
    inside: Counter[Figure] = Counter()
    given: Counter[Figure] = Counter()
    for seed in range(SEEDS):
        runs = simulate(DEFAULT, n_tasks=20, n_runs=5, seed=seed)
        found = intervals(variance(from_trajectories(runs, labeler=labeler), seed=seed))
        for figure, (low, high) in found.items():
            if figure in known:
                given[figure] += 1
                inside[figure] += low - 1e-9 <= known[figure] <= high + 1e-9

    # the worst of some 180 figures: one in a thousand each, and a little for the approximations
    too_rare = {
        figure: inside[figure] / n
        for figure, n in given.items()
        if binom.cdf(inside[figure], n, LEVEL - 0.02) < 1e-3
    }
    assert too_rare == {}
    assert sum(inside.values()) / sum(given.values()) > LEVEL - 0.005
