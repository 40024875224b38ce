"""Which runs are predicted together: folds over tasks, or the paper's over runs."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from ethogram.measures.consistency.sample import Sample
from ethogram.stats.arrays import IntArray

N_FOLDS: Final = 5


def by_task(sample: Sample, *, seed: int) -> IntArray:
    """Fold of each run: a task's runs stay together, success is spread evenly.

    A predictor that has seen other runs of a task knows how hard it is, which is not behaviour.
    ``min(5, tasks)`` folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold  # noqa: PLC0415  costs seconds

    splitter = StratifiedGroupKFold(
        _n_folds(sample, len(np.unique(sample.group))), shuffle=True, random_state=seed
    )
    return _numbered(sample, splitter.split(sample.features, sample.success, sample.group))


def by_run(sample: Sample, *, seed: int) -> IntArray:
    """Fold of each run, spread by success alone (Banerjee and Raichura 2026)."""
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    splitter = StratifiedKFold(
        _n_folds(sample, len(sample.success)), shuffle=True, random_state=seed
    )
    return _numbered(sample, splitter.split(sample.features, sample.success))


def _n_folds(sample: Sample, n_units: int) -> int:
    """Five, or as many as there are units, or as the larger class has runs: no splitter takes more.

    A class with fewer runs than folds is spread as far as it goes.
    """
    larger = int(np.bincount(sample.success.astype(np.int64)).max())
    return max(2, min(N_FOLDS, n_units, larger))


def _numbered(sample: Sample, split: Iterator[tuple[IntArray, IntArray]]) -> IntArray:
    folds = np.zeros(len(sample.success), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        for number, (_, held_out) in enumerate(split):
            folds[held_out] = number
    return folds


FOLDS: Final[Mapping[str, Callable[..., IntArray]]] = {"tasks": by_task, "stratified": by_run}
"""What ``--folds`` may be."""
