"""S_seq and S_dep: cosines of habits, task by task (appendices B.3 and B.4 of Yang et al. 2026)."""

from dataclasses import dataclass, replace

import numpy as np

from ethogram.measures.similarity.catalogue import CATALOGUE
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.stats.arrays import FloatArray


@dataclass(frozen=True)
class Habits:
    """Cosines of one kind of vector.

    Attributes
    ----------
    scores : TaskScores
        The paper's form: two zero vectors are alike (1), a zero and another are not (0).
    non_zero : TaskScores
        Over tasks where both vectors say something.
    both_zero, one_zero : ndarray of shape (n_systems, n_systems, n_tasks)
        Share of pairs of runs that the convention decides; NaN where a system has no run.
    """

    scores: TaskScores
    non_zero: TaskScores
    both_zero: FloatArray
    one_zero: FloatArray


def habits(name: str, vectors: FloatArray, sample: Sample) -> Habits:
    """Cosine similarity of all pairs of systems at each task.

    ``S(A, B) = mean over t of cos(v_A(t), v_B(t))``, 1 where both vectors are zero, 0 where one is.
    With repeats a task's cosine is the mean over pairs of runs. From 0 to 1, as no feature is
    negative.

    Parameters
    ----------
    name : str
        ``s_seq``, ``s_dep`` or ``s_dep_share``.
    vectors : ndarray of shape (n_runs, n_features)
        Not negative; in the order of the sample's runs.
    sample : Sample
        The runs.

    Notes
    -----
    A unit vector with a coordinate of its own for "is zero" makes the convention a scalar product,
    so that the mean over pairs of runs is the product of mean vectors: no loop over pairs.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, appendices B.3 and B.4.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    zero = lengths == 0
    unit = np.hstack([np.divide(vectors, lengths, out=np.zeros_like(vectors), where=~zero), zero])
    sums, n = sample.sums(unit), sample.n_runs[:, :, None].astype(np.float64)
    with np.errstate(invalid="ignore"):
        means = sums / n
    z = means[:, :, -1]
    both_zero = z[:, None] * z[None]
    figure = CATALOGUE[name]
    scores = TaskScores(
        name=name,
        systems=sample.systems,
        tasks=sample.tasks,
        values=_clip(np.einsum("itf,jtf->ijt", means, means)),
        repeats=_clip(_repeats(sums, n[:, :, 0])),
        unlike=_clip(_unlike(means)),
        runs=sample.n_runs,
        label=figure.label,
        about=figure.about,
    )
    return Habits(
        scores,
        _non_zero(scores, sums[:, :, :-1], n[:, :, 0] - sums[:, :, -1]),
        both_zero,
        z[:, None] + z[None] - 2 * both_zero,
    )


def without(found: Habits, reason: str) -> Habits:
    """The same without any score, for a reason."""
    return Habits(
        _without(found.scores, reason),
        _without(found.non_zero, reason),
        np.full_like(found.both_zero, np.nan),
        np.full_like(found.one_zero, np.nan),
    )


def _without(scores: TaskScores, reason: str) -> TaskScores:
    return replace(
        scores,
        values=np.full_like(scores.values, np.nan),
        repeats=np.full_like(scores.repeats, np.nan),
        unlike=np.full_like(scores.repeats, np.nan),
        reason=reason,
    )


def _non_zero(scores: TaskScores, sums: FloatArray, n: FloatArray) -> TaskScores:
    """The same over pairs of runs whose vectors are both non-zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / n[:, :, None]
    return TaskScores(
        name=f"{scores.name}_non_zero",
        systems=scores.systems,
        tasks=scores.tasks,
        values=_clip(np.einsum("itf,jtf->ijt", means, means)),
        repeats=_clip(_repeats(sums, n)),
        unlike=_clip(_unlike(means)),
        runs=scores.runs,
        label=f"{scores.label}, both non-zero",
        about="Over tasks where both vectors are non-zero.",
    )


def _clip(values: FloatArray) -> FloatArray:
    """Take off the noise of the last bits."""
    return np.clip(values, 0.0, 1.0)


def _repeats(sums: FloatArray, n: FloatArray) -> FloatArray:
    """Mean scalar product of distinct unit rows: ``(|sum|^2 - n) / (n (n - 1))``."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 1, ((sums**2).sum(axis=-1) - n) / (n * (n - 1)), np.nan)


def _unlike(means: FloatArray) -> FloatArray:
    """Scalar product of each task's mean with the mean over the other tasks."""
    there = ~np.isnan(means[:, :, 0])
    total = np.where(there[:, :, None], means, 0.0).sum(axis=1, keepdims=True)
    n_others = there.sum(axis=1)[:, None] - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((means * (total - means)).sum(axis=-1) / n_others, dtype=np.float64)
