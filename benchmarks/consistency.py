"""Consistency beside the pipeline over a matrix of pairs, and a million attributions.

Usage: ``python benchmarks/consistency.py [--quick]``. Prints, in one run:

1. the protocol of Banerjee and Raichura 2026 on 9,191 drawn runs of six systems of their sizes
   (five folds, attributions, BCM of all pairs and within tasks, 1,000 resamples each) as written
   here, and as one writes it down first: shap, scikit-learn's cosine matrix, a mean over its upper
   triangle in each resample. The latter is timed for 20 resamples, and that part of it times 50;
2. the three BCMs with 1,000 resamples of tasks from 1,000,000 x 12 attributions, with the peak of
   memory beyond the input.

Attributions of both pipelines are compared, so that they are known to do the same work.
"""

import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import polars as pl
import shap
from sklearn.metrics.pairwise import cosine_similarity

from ethogram.measures.consistency.attribution import attribute
from ethogram.measures.consistency.folds import by_run
from ethogram.measures.consistency.predictor import load_lightgbm
from ethogram.measures.consistency.sample import Sample
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.cosine import (
    all_pairs_of,
    cross_task_of,
    directions,
    resample_vectors,
    within_task_of,
)
from ethogram.stats.resampling import bootstrap_replicates

SIZES: Final = (946, 2938, 116, 1191, 2000, 2000)
N_FEATURES: Final = 12
N_RESAMPLES: Final = 1000
TIMED: Final = 20
RUNS_A_TASK: Final = 5


def drawn(seed: int = 0) -> Sample:
    """Runs of six systems whose success hangs on three of twelve features."""
    rng = np.random.default_rng(seed)
    n = sum(SIZES)
    system = np.repeat(np.arange(len(SIZES)), SIZES)
    features = rng.gamma(2.0, size=(n, N_FEATURES)) + rng.normal(size=(6, N_FEATURES))[system] / 2
    logit = features[:, 0] - features[:, 1] + 0.5 * features[:, 2] - 1.5
    task = np.concatenate([np.arange(size) // RUNS_A_TASK for size in SIZES])
    runs = pl.DataFrame(
        {
            "run_id": [f"{number:05d}" for number in range(n)],
            "system": [f"system {number}" for number in system],
            "task": [f"task {number:04d}" for number in task],
            "group": [f"task {number:04d}" for number in task],
            "success": rng.random(n) < 1 / (1 + np.exp(-logit)),
        }
    )
    names = tuple(f"feature {number}" for number in range(N_FEATURES))
    return Sample(runs, features, names, pl.DataFrame())


def ours(sample: Sample, folds: IntArray) -> FloatArray:
    """Attributions and both bootstraps, as the package does them."""
    with ThreadPoolExecutor(2) as pool:
        values = attribute(sample, folds, executor=pool).values
    for number in range(len(SIZES)):
        own = sample.system == number
        found = directions(values[own], sample.task[own], sample.n_tasks)
        found = found.restrict(found.sizes > 0)
        resample_vectors(values[own], rng=0, n_resamples=N_RESAMPLES)
        bootstrap_replicates(within_task_of(found), len(found.sizes), rng=0)
    return values


def shap_values(sample: Sample, folds: IntArray) -> FloatArray:
    """Attributions by shap."""
    lightgbm = load_lightgbm()
    values = np.zeros_like(sample.features)
    for fold in np.unique(folds):
        test = folds == fold
        data = lightgbm.Dataset(sample.features[~test], sample.success[~test].astype(float))
        parameters = {"objective": "binary", "num_threads": 1, "verbosity": -1, "seed": 0}
        booster = lightgbm.train(parameters, data, num_boost_round=100)
        found = np.asarray(shap.TreeExplainer(booster).shap_values(sample.features[test]))
        values[test] = found[..., 1] if found.ndim == 3 else found
    return values


def pair_matrix_bcm(vectors: FloatArray) -> float:
    """Mean of the strict upper triangle of the cosine matrix."""
    matrix = cosine_similarity(vectors)
    return float(matrix[np.triu_indices(len(vectors), k=1)].mean())


def by_pairs(sample: Sample, values: FloatArray, n_resamples: int) -> None:
    """Both bootstraps over matrices of pairs."""
    rng = np.random.default_rng(0)
    for number in range(len(SIZES)):
        own = sample.system == number
        vectors, task = values[own], sample.task[own]
        parts = [vectors[task == t] for t in np.unique(task)]
        parts = [part for part in parts if len(part) >= 3]
        for _ in range(n_resamples):
            pair_matrix_bcm(vectors[rng.integers(len(vectors), size=len(vectors))])
            chosen = rng.integers(len(parts), size=len(parts))
            np.mean([pair_matrix_bcm(parts[place]) for place in chosen])


def timed(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def beside_the_pair_matrix() -> None:
    """Part 1."""
    sample = drawn()
    folds = by_run(sample, seed=0)
    ours(sample.restrict(sample.system == 2), np.arange(SIZES[2]) % 5)  # imports are no part of it
    kept: list[FloatArray] = []
    own = timed(lambda: kept.append(ours(sample, folds)))
    explained = timed(lambda: kept.append(shap_values(sample, folds)))
    resampled = timed(lambda: by_pairs(sample, kept[1], TIMED)) * N_RESAMPLES / TIMED
    gap = float(np.abs(kept[0] - kept[1]).max())
    print(f"{sum(SIZES):,} x {N_FEATURES}, {len(SIZES)} systems, {N_RESAMPLES:,} resamples")
    print(f"here:        {own:8.1f} s")
    print(
        f"pair matrix: {explained + resampled:8.1f} s (shap {explained:.1f} s; bootstrap "
        f"{resampled:.1f} s, extrapolated from {TIMED} resamples)"
    )
    print(f"ratio: {(explained + resampled) / own:.0f}; attributions differ by {gap:.1g} at most\n")


def peak_mb() -> float:
    """Largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def a_million(n: int = 1_000_000) -> None:
    """Part 2."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(n, N_FEATURES)) + 0.3
    task = np.arange(n) // RUNS_A_TASK
    before = peak_mb()
    start = time.perf_counter()
    found = directions(vectors, task, int(task[-1]) + 1)
    for name, make in (
        ("across tasks", cross_task_of),
        ("within a task", within_task_of),
        ("all pairs", all_pairs_of),
    ):
        drawn_values = bootstrap_replicates(make(found), len(found.sizes), rng=0)
        low, high = np.quantile(drawn_values, [0.025, 0.975])
        print(f"{name}: [{low:.4f}, {high:.4f}]")
    print(
        f"{n:,} x {N_FEATURES} attributions, {N_RESAMPLES:,} resamples: "
        f"{time.perf_counter() - start:.1f} s, {peak_mb() - before:.0f} MB beyond the input"
    )


def main() -> None:
    """Both parts; with ``--quick`` the second one on a tenth."""
    a_million(100_000 if "--quick" in sys.argv else 1_000_000)
    print()
    beside_the_pair_matrix()


if __name__ == "__main__":
    main()
