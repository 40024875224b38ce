"""Samples whose strategies are known: how systems choose among ways of working, and what succeeds.

A strategy lifts one feature of a run; success depends on the strategy alone unless said otherwise.
"""

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from ethogram.measures.consistency.sample import Sample
from ethogram.stats.arrays import BoolArray, FloatArray

N_FEATURES = 6
Choice = Callable[[np.random.Generator, int, int], int]
"""``(rng, task, number of strategies) -> strategy of one run``."""

STRATEGIES: Mapping[str, Choice] = {
    "one everywhere": lambda rng, task, n: 0,
    "one per task": lambda rng, task, n: int(np.random.default_rng(task).integers(n)),
    "a new one each run": lambda rng, task, n: int(rng.integers(n)),
}


def sample_from(
    features: FloatArray,
    success: BoolArray,
    systems: list[str],
    tasks: list[str],
    *,
    formats: list[str] | None = None,
) -> Sample:
    """A sample from columns, as `sample_of` orders it."""
    runs = pl.DataFrame(
        {
            "run_id": [f"run{number:05d}" for number in range(len(systems))],
            "system": systems,
            "task": tasks,
            "group": tasks,
            "success": success,
            "format": formats or ["simulated"] * len(systems),
            "benchmark": ["simulated"] * len(systems),
        }
    )
    order = runs.with_row_index("row").sort("system", "task", "run_id")["row"].to_numpy()
    names = tuple(f"feature{number}" for number in range(features.shape[1]))
    left_out = pl.DataFrame(schema={"system": pl.String, "why": pl.String, "n": pl.UInt32})
    return Sample(runs[order], features[order], names, left_out)


def strategies(*, n_tasks: int = 60, n_runs: int = 4, seed: int = 0) -> Sample:
    """Three systems that choose their strategy once, once a task, and once a run."""
    rng = np.random.default_rng(seed)
    rows, success, systems, tasks = [], [], [], []
    for name, choose in STRATEGIES.items():
        for task in range(n_tasks):
            for _ in range(n_runs):
                strategy = choose(rng, task, N_FEATURES)
                row = rng.normal(scale=0.3, size=N_FEATURES)
                row[strategy] += 3
                rows.append(row)
                success.append(rng.random() < (0.8 if strategy % 2 else 0.2))
                systems.append(name)
                tasks.append(f"task{task:03d}")
    return sample_from(np.array(rows), np.array(success), systems, tasks)


def rates_only(
    rates: tuple[float, ...] = (0.5, 0.35, 0.2, 0.05), *, n_tasks: int = 100, seed: int = 0
) -> Sample:
    """Systems of equal scatter, each at its own place, whose runs succeed at their system's rate.

    Nothing that a run does matters for its success; features only tell whose run it is.
    """
    rng = np.random.default_rng(seed)
    rows, success, systems, tasks = [], [], [], []
    for place, rate in enumerate(rates):
        for task in range(n_tasks):
            for _ in range(3):
                row = rng.normal(size=N_FEATURES)
                row[place] += 4
                rows.append(row)
                success.append(rng.random() < rate)
                systems.append(f"rate {rate:.2f}")
                tasks.append(f"task{task:03d}")
    return sample_from(np.array(rows), np.array(success), systems, tasks)
