"""Attributions of every run by a predictor that has not seen it."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.measures.consistency.predictor import Explained, Predictor, lightgbm_trees
from ethogram.measures.consistency.sample import Sample
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.parallel import parallel_map

TOLERANCE: Final = 1e-9

OffsetOf = Callable[[IntArray, BoolArray, IntArray], FloatArray]
"""``(training systems, training outcomes, systems) -> log-odds that are taken as known``."""


@dataclass(frozen=True)
class Attribution:
    """What each feature adds to each run's predicted log-odds of success.

    Attributes
    ----------
    values : ndarray of shape (n_runs, n_features)
    raw : ndarray of shape (n_runs,)
        Predicted log-odds, offset included.
    folds : ndarray of shape (n_runs,)
    """

    values: FloatArray
    raw: FloatArray
    folds: IntArray

    @property
    def probability(self) -> FloatArray:
        """Predicted probability of success."""
        return 1 / (1 + np.exp(-self.raw))


@dataclass(frozen=True)
class _Fit:
    features: FloatArray
    success: BoolArray
    offset: FloatArray
    held_out: FloatArray
    predictor: Predictor
    seed: int

    def explain(self) -> Explained:
        fitted = self.predictor(
            self.features, self.success.astype(np.float64), self.offset, self.seed
        )
        return fitted(self.held_out)


def attribute(  # noqa: PLR0913  what a control changes
    sample: Sample,
    folds: IntArray,
    *,
    seed: int = 0,
    predictor: Predictor = lightgbm_trees,
    labels: BoolArray | None = None,
    offset: OffsetOf | None = None,
    executor: Executor | None = None,
) -> Attribution:
    """Fit on all folds but one, explain that one, in turn.

    Attributions from a predictor that saw the run would partly say what it memorised.

    Parameters
    ----------
    sample : Sample
        The runs.
    folds : ndarray of shape (n_runs,)
        Number of each run's fold.
    seed : int
        Of the fits.
    predictor : callable
        See `ethogram.measures.consistency.predictor`.
    labels : ndarray of shape (n_runs,), optional
        Other outcomes to learn than the true ones (permuted ones).
    offset : callable, optional
        Log-odds that need no explanation; attributions then say what goes beyond them.
    executor : concurrent.futures.Executor, optional
        Threads, one fit each; the numbers don't depend on it.

    Raises
    ------
    ArithmeticError
        If the parts don't add up to the prediction.
    """
    success = sample.success if labels is None else labels
    numbers = np.unique(folds)
    known = np.zeros(len(success))
    jobs: list[_Fit] = []
    for number in numbers:
        test, train = folds == number, folds != number
        trained = np.zeros(int(train.sum()))
        if offset is not None:
            systems = sample.system[train], success[train]
            trained = offset(*systems, sample.system[train])
            known[test] = offset(*systems, sample.system[test])
        jobs.append(
            _Fit(
                sample.features[train],
                success[train],
                trained,
                sample.features[test],
                predictor,
                seed,
            )
        )
    values = np.zeros_like(sample.features)
    raw, base = np.zeros(len(success)), np.zeros(len(success))
    for number, part in zip(
        numbers, parallel_map(_Fit.explain, jobs, executor=executor), strict=True
    ):
        test = folds == number
        values[test], raw[test], base[test] = part.values, part.raw, part.base
    check_additivity(values, base + known, raw + known)
    return Attribution(values, raw + known, folds)


def check_additivity(values: FloatArray, base: FloatArray, raw: FloatArray) -> None:
    """Raise ArithmeticError if the parts don't add up to the prediction."""
    gap = np.abs(values.sum(axis=1) + base - raw)
    worst = float((gap / np.maximum(1.0, np.abs(raw))).max(initial=0.0))
    if not worst < TOLERANCE:
        raise ArithmeticError(
            f"attributions add up to the predicted log-odds but for {worst:.2g}; "
            f"allowed: {TOLERANCE:g}"
        )
