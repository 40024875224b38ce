"""Mean cosine similarity over pairs of vectors, from sums of unit rows: no matrix of pairs.

::

    directions(vectors, task, n_tasks) -> Directions
    cross_task_of(found) -> Statistic       pairs of different tasks
    within_pairs_of(found) -> Statistic     pairs of one task, each pair the same weight
    within_task_of(found) -> Statistic      mean over tasks with three or more vectors
    all_pairs_of(found) -> Statistic        all pairs of the sample
    resample_vectors(vectors, *, rng) -> RunReplicates      vectors drawn instead of tasks

With unit rows ``u`` the sum of all ``u_i . u_j`` is ``||sum u||^2``, and the ``k`` pairs of a row
with itself are 1 each, so that the mean over distinct pairs is ``(||sum u||^2 - k) / (k (k - 1))``.
With ``S_t`` the sum of task t's rows and ``n_t`` their number, the same identity splits pairs into
those within a task and those across tasks. The statistics take counts of drawn tasks (see
`ethogram.stats.resampling`): a task drawn twice makes no pair with itself, which would be a
perfectly similar one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray, RandomSource
from ethogram.stats.resampling import BLOCK_CELLS, Statistic

NEAR_ZERO: Final = 1e-9
"""Vectors no longer than this have no direction (Banerjee and Raichura 2026, equation 3)."""
MIN_RUNS: Final = 3
"""Vectors a task needs to count in `within_task_of` (the same, equation 6)."""


@dataclass(frozen=True)
class Directions:
    """What the means over pairs are made of: sums of unit rows by task.

    Attributes
    ----------
    sums : ndarray of shape (n_tasks, n_dimensions)
        Sum of the unit rows of each task.
    sizes : ndarray of shape (n_tasks,)
        Number of rows of each task that have a direction.
    n_dropped : int
        Rows without one.
    """

    sums: FloatArray
    sizes: FloatArray
    n_dropped: int = 0

    @property
    def squares(self) -> FloatArray:
        """Squared length of each task's sum."""
        squares: FloatArray = np.einsum("td,td->t", self.sums, self.sums)
        return squares

    @property
    def n_vectors(self) -> int:
        """Rows that have a direction."""
        return int(self.sizes.sum())

    def restrict(self, kept: BoolArray) -> "Directions":
        """The same of some of the tasks."""
        return Directions(self.sums[kept], self.sizes[kept], self.n_dropped)


def unit_rows(vectors: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Rows scaled to length 1, and which rows have a direction at all (the others become 0).

    Examples
    --------
    >>> rows, known = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> rows.tolist(), known.tolist()
    ([[0.6, 0.8], [0.0, 0.0]], [True, False])
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    known = lengths > NEAR_ZERO
    return vectors / np.where(known, lengths, np.inf)[:, None], known


def directions(vectors: npt.ArrayLike, task: npt.ArrayLike, n_tasks: int) -> Directions:
    """Sums of unit rows by task.

    Parameters
    ----------
    vectors : array-like of shape (n_rows, n_dimensions)
        Finite vectors; those of length `NEAR_ZERO` or less are dropped and counted.
    task : array-like of int of shape (n_rows,)
        Number of each row's task, from 0.
    n_tasks : int
        Number of tasks; those without rows have a sum of zero.

    Raises
    ------
    UsageError
        If the shapes don't fit or a vector is not finite.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    number: IntArray = np.asarray(task, dtype=np.int64)
    if matrix.ndim != 2 or len(matrix) != len(number):
        raise UsageError(
            f"vectors must be rows, one for each task number; got shape {matrix.shape} and "
            f"{len(number)} task numbers"
        )
    if not np.isfinite(matrix).all():
        raise UsageError("vectors must be finite; leave missing ones out and count them")
    rows, known = unit_rows(matrix)
    sums = np.zeros((n_tasks, matrix.shape[1]))
    for place, column in enumerate(rows.T):
        sums[:, place] = np.bincount(number, weights=column, minlength=n_tasks)
    sizes = np.bincount(number[known], minlength=n_tasks).astype(np.float64)
    return Directions(sums, sizes, int((~known).sum()))


def cross_task_of(found: Directions) -> Statistic:
    """Mean cosine over pairs of different tasks; undefined with fewer than two tasks.

    ``(||sum w_t S_t||^2 - sum w_t^2 ||S_t||^2) / ((sum w_t n_t)^2 - sum w_t^2 n_t^2)``
    """
    squares, sizes = found.squares, found.sizes

    def statistic(counts: FloatArray) -> FloatArray:
        drawn = counts @ found.sums
        twice = counts**2
        above = np.einsum("rd,rd->r", drawn, drawn) - twice @ squares
        below = (counts @ sizes) ** 2 - twice @ sizes**2
        # rounding may leave a trace where there is no pair at all
        return np.where(below > 0.5, above / np.where(below > 0.5, below, 1.0), np.nan)

    return statistic


def within_pairs_of(found: Directions) -> Statistic:
    """Mean cosine over pairs of one task; undefined where no task has two vectors.

    ``sum w_t (||S_t||^2 - n_t) / sum w_t n_t (n_t - 1)``
    """
    return _ratio(found.squares - found.sizes, found.sizes * (found.sizes - 1))


def within_task_of(found: Directions, *, min_runs: int = MIN_RUNS) -> Statistic:
    """Mean over tasks of the mean cosine within each, of tasks with ``min_runs`` vectors or more.

    Banerjee and Raichura 2026, equation 6; each task has the same weight, however many runs it has.
    """
    enough = (found.sizes >= max(2, min_runs)).astype(np.float64)
    return _ratio(enough * within_each_task(found), enough)


def within_each_task(found: Directions) -> FloatArray:
    """Mean cosine over the pairs of each task (equation 5); 0 where there is no pair."""
    pairs = found.sizes * (found.sizes - 1)
    return np.where(pairs > 0, (found.squares - found.sizes) / np.maximum(pairs, 1), 0.0)


def all_pairs_of(found: Directions) -> Statistic:
    """Mean cosine over all pairs of the sample (Banerjee and Raichura 2026, equation 5).

    The sample's share of pairs within a task times their mean, plus that of the others. The shares
    stay those of the sample in every resample: they are how the runs were made, not what the system
    does. Undefined with fewer than two vectors.
    """
    pairs = float((found.sizes * (found.sizes - 1)).sum())
    n = found.sizes.sum()
    if n < 2:
        return lambda counts: np.full(len(counts), np.nan)
    share = pairs / float(n * (n - 1))
    within, cross = within_pairs_of(found), cross_task_of(found)
    if share == 0:
        return cross
    if share == 1:
        return within
    return lambda counts: share * within(counts) + (1 - share) * cross(counts)


def _ratio(above: FloatArray, below: FloatArray) -> Statistic:
    def statistic(counts: FloatArray) -> FloatArray:
        total = counts @ below
        return np.where(total > 0, counts @ above / np.where(total > 0, total, 1.0), np.nan)

    return statistic


@dataclass(frozen=True)
class RunReplicates:
    """Mean cosine over all pairs in resamples of vectors.

    Attributes
    ----------
    printed : ndarray of shape (n_resamples,)
        As published: a vector drawn twice counts as a perfectly similar pair, so that the mean lies
        too high by ``(1 - BCM) / k``.
    corrected : ndarray of shape (n_resamples,)
        Without the pairs of a vector with itself.
    """

    printed: FloatArray
    corrected: FloatArray


def resample_vectors(
    vectors: FloatArray, *, rng: RandomSource, n_resamples: int = 1000
) -> RunReplicates:
    """Draw as many vectors as there are, with replacement.

    With ``w_i`` how often vector i was drawn, ``(||sum w u||^2 - k) / (k (k - 1))`` as published
    and ``(||sum w u||^2 - sum w^2) / (k^2 - sum w^2)`` corrected. NaN with fewer than two vectors
    (or where the corrected one has no pair of different vectors).

    Parameters
    ----------
    vectors : ndarray of shape (n_rows, n_dimensions)
        Rows without direction are left out first.
    rng : int, SeedSequence or Generator
        Source of the draws.
    n_resamples : int
        Number of draws.

    Notes
    -----
    Runs of one task are not independent: intervals over tasks are the ones to read.
    """
    rows, known = unit_rows(vectors)
    rows = rows[known]
    k = len(rows)
    nothing = np.full(n_resamples, np.nan)
    if k < 2:
        return RunReplicates(nothing, nothing)
    generator = np.random.default_rng(rng)
    printed, corrected = nothing.copy(), nothing.copy()
    step = max(1, BLOCK_CELLS // k)
    for start in range(0, n_resamples, step):
        n = min(step, n_resamples - start)
        drawn = generator.integers(k, size=(n, k)) + np.arange(n)[:, None] * k
        counts = np.bincount(drawn.ravel(), minlength=n * k).reshape(n, k).astype(np.float64)
        sums = counts @ rows
        squares = np.einsum("rd,rd->r", sums, sums)
        same = np.einsum("rk,rk->r", counts, counts)
        printed[start : start + n] = (squares - k) / (k * (k - 1))
        pairs = k * k - same
        corrected[start : start + n] = np.where(
            pairs > 0, (squares - same) / np.where(pairs > 0, pairs, 1.0), np.nan
        )
    return RunReplicates(printed, corrected)
