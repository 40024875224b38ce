"""Area under the ROC curve, over tasks, and how often predicted shares come true.

::

    auc(scores, positive) -> float or None
    auc_within_of(scores, positive, task, stratum) -> Statistic
    auc_of(scores, positive, task) -> Statistic
    balanced_accuracy_of(right, label, task, n_tasks) -> Statistic
    calibration(probability, positive, *, n_bins=10) -> list[Bin]
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.resampling import Statistic, evaluate_once


def auc_of(scores: FloatArray, positive: BoolArray, task: IntArray) -> Statistic:
    """Probability that a positive run scores higher than a negative one; ties count half.

    0.5 is chance. Takes counts of drawn tasks: each run counts as often as its task was drawn.
    Undefined where all drawn runs are of one class.

    Parameters
    ----------
    scores, positive, task : ndarray of shape (n_runs,)
        Score, class and number of the task of each run.
    """
    if not len(scores) == len(positive) == len(task):
        raise UsageError(
            "scores, positive and task must be as long as each other; "
            f"got {len(scores)}, {len(positive)} and {len(task)}"
        )
    order = np.argsort(scores, kind="stable")
    sorted_scores, up, place = scores[order], positive[order].astype(np.float64), task[order]
    starts = np.flatnonzero(np.r_[True, np.diff(sorted_scores) != 0]) if len(order) else order

    def statistic(counts: FloatArray) -> FloatArray:
        if not len(order):
            return np.full(len(counts), np.nan)
        drawn = counts[:, place]
        above = np.add.reduceat(drawn * up, starts, axis=1)
        below = np.add.reduceat(drawn * (1 - up), starts, axis=1)
        won = (above * (np.cumsum(below, axis=1) - below / 2)).sum(axis=1)
        pairs = above.sum(axis=1) * below.sum(axis=1)
        return np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1.0), np.nan)

    return statistic


def auc(scores: npt.ArrayLike, positive: npt.ArrayLike) -> float | None:
    """The same of runs as they are; None where there is one class only.

    >>> auc([0.1, 0.4, 0.4, 0.8], [False, False, True, True])
    0.875
    """
    values = np.asarray(scores, dtype=np.float64)
    number = np.zeros(len(values), dtype=np.int64)
    return evaluate_once(auc_of(values, np.asarray(positive, dtype=np.bool_), number), 1)


def auc_within_of(
    scores: FloatArray, positive: BoolArray, task: IntArray, stratum: IntArray
) -> Statistic:
    """The same of pairs of one stratum only: a mean over strata, each by its number of pairs.

    Scores of different folds come from different models: each learnt from what the others hold out,
    so that pooled scores without any content fall below 0.5.

    Parameters
    ----------
    scores, positive, task : ndarray of shape (n_runs,)
        As `auc_of`.
    stratum : ndarray of shape (n_runs,)
        Fold, or system, of each run.
    """
    parts: list[tuple[float, Statistic]] = []
    for each in np.unique(stratum):
        own = stratum == each
        pairs = float(positive[own].sum()) * float((~positive[own]).sum())
        if pairs:
            parts.append((pairs, auc_of(scores[own], positive[own], task[own])))

    def statistic(counts: FloatArray) -> FloatArray:
        above, below = np.zeros(len(counts)), np.zeros(len(counts))
        for pairs, part in parts:
            values = part(counts)
            known = ~np.isnan(values)
            above += np.where(known, pairs * np.where(known, values, 0.0), 0.0)
            below += np.where(known, pairs, 0.0)
        return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)

    return statistic


def balanced_accuracy_of(
    right: BoolArray, label: IntArray, task: IntArray, n_tasks: int
) -> Statistic:
    """Mean over labels of the share of their runs that is right.

    Parameters
    ----------
    right, label, task : ndarray of shape (n_runs,)
        Whether the guess is right, the true label and the task of each run.
    n_tasks : int
        Number of tasks.
    """
    n_labels = int(label.max(initial=-1)) + 1
    cell = task * n_labels + label
    shape = (n_tasks, n_labels)
    hits = np.bincount(cell, weights=right.astype(np.float64), minlength=n_tasks * n_labels)
    totals = np.bincount(cell, minlength=n_tasks * n_labels).astype(np.float64)
    above, below = hits.reshape(shape), totals.reshape(shape)

    def statistic(counts: FloatArray) -> FloatArray:
        drawn = counts @ below
        shares = np.where(drawn > 0, counts @ above / np.where(drawn > 0, drawn, 1.0), np.nan)
        known = ~np.isnan(shares)
        total = np.where(known, shares, 0.0).sum(axis=1)
        means: FloatArray = total / np.maximum(known.sum(axis=1), 1)
        return means

    return statistic


class Bin(NamedTuple):
    """Runs of similar predictions."""

    n: int
    predicted: float
    observed: float


def calibration(probability: FloatArray, positive: BoolArray, *, n_bins: int = 10) -> list[Bin]:
    """Mean prediction and share of positives in bins of equally many runs, low to high.

    >>> calibration(np.array([0.1, 0.3, 0.8, 0.6]), np.array([0, 0, 1, 1]) == 1, n_bins=2)
    [Bin(n=2, predicted=0.2, observed=0.0), Bin(n=2, predicted=0.7, observed=1.0)]
    """
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, n_bins) if len(part)]
    return [
        Bin(len(part), float(probability[part].mean()), float(positive[part].mean()))
        for part in parts
    ]
