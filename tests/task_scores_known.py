"""Similarity scores of pairs of systems at tasks: drawn, or made by hand."""

import numpy as np
import numpy.typing as npt

from ethogram.measures.similarity.task_scores import Composite, TaskScores
from ethogram.stats.arrays import FloatArray


def symmetric(pairs: npt.ArrayLike, n_systems: int) -> FloatArray:
    """Scores of pairs (rows, in order) as a symmetric array of shape (n, n, n_tasks)."""
    rows = np.asarray(pairs, dtype=np.float64)
    values = np.full((n_systems, n_systems, rows.shape[1]), np.nan)
    first, second = np.triu_indices(n_systems, 1)
    values[first, second] = values[second, first] = rows
    return values


def scores_of(
    pairs: npt.ArrayLike,
    systems: str = "abc",
    name: str = "s_node",
    *,
    repeats: FloatArray | None = None,
    unlike: FloatArray | None = None,
    n_runs: int = 1,
    reason: str | None = None,
) -> TaskScores:
    """Scores with one row a pair; each letter of ``systems`` is a system, tasks are t0, t1, ..."""
    values = symmetric(pairs, len(systems))
    shape = (len(systems), values.shape[2])
    return TaskScores(
        name,
        tuple(systems),
        tuple(f"t{task}" for task in range(shape[1])),
        values,
        np.full(shape, np.nan) if repeats is None else repeats,
        unlike,
        np.full(shape, n_runs, dtype=np.int64),
        reason=reason,
    )


def drawn(
    rng: np.random.Generator,
    n_systems: int = 4,
    n_tasks: int = 12,
    name: str = "s_node",
    *,
    missing: float = 0.2,
    steps: int = 4,
) -> TaskScores:
    """Scores on a grid, some of them missing; repeats above, unlike tasks below on average."""
    n_pairs = n_systems * (n_systems - 1) // 2
    pairs = rng.integers(0, steps + 1, size=(n_pairs, n_tasks)) / steps
    pairs[rng.random(pairs.shape) < missing] = np.nan
    systems = "abcdefghijklmnopqrstuvwxyz"[:n_systems]
    repeats, unlike = rng.uniform(0.7, 1, (n_systems, n_tasks)), rng.uniform(0, 0.3, n_systems)
    return scores_of(pairs, systems, name, repeats=repeats, unlike=unlike, n_runs=2)


def drawn_composite(rng: np.random.Generator, n_systems: int = 4, n_tasks: int = 12) -> Composite:
    """A mean of three means, the first defined at fewer tasks."""
    missing = {"s_node": 0.5, "s_seq": 0.1, "s_dep": 0.1}
    return Composite(
        "ags",
        tuple(
            drawn(rng, n_systems, n_tasks, name, missing=share) for name, share in missing.items()
        ),
        label="AGS",
    )


def reordered(scores: TaskScores, systems: list[int], tasks: list[int]) -> TaskScores:
    """The same scores with systems and tasks in another order."""
    return TaskScores(
        scores.name,
        tuple(scores.systems[index] for index in systems),
        tuple(scores.tasks[index] for index in tasks),
        scores.values[np.ix_(systems, systems, tasks)],
        scores.repeats[np.ix_(systems, tasks)],
        None if scores.unlike is None else scores.unlike[systems],
        None if scores.runs is None else scores.runs[np.ix_(systems, tasks)],
    )
