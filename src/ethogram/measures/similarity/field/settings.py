"""Similarity by outcome: where both succeed, both fail, or neither (Yang et al. 2026, Table 4)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.measures.similarity.field.means import (
    Asked,
    estimates,
    joint_runs,
    label_of_scores,
    pair_places,
    pair_values,
    side_by_side,
)
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.estimate import Estimate
from ethogram.results.table import Table
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

SETTINGS: Final = ("both correct", "both wrong", "mixed")
SUFFIX: Final = "_by_outcome"


def settings_of(wins: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    """Tasks of each setting for pairs of systems.

    Parameters
    ----------
    wins : ndarray of shape (n_systems, n_tasks)
        Share of successful runs; NaN without a known outcome.
    first, second : ndarray of int, shape (n_pairs,)
        The systems of each pair.

    Returns
    -------
    ndarray of bool, shape (3, n_pairs, n_tasks)
        In the order of `SETTINGS`. Both correct: every run of both succeeds; both wrong: none;
        mixed: whatever else is known of both.
    """
    one, other = wins[first], wins[second]
    known = ~(np.isnan(one) | np.isnan(other))
    correct, wrong = (one == 1) & (other == 1), (one == 0) & (other == 0)
    return np.stack([correct, wrong, known & ~correct & ~wrong])


def settings_table(measures: Sequence[Scores], wins: FloatArray, *, level: float = 0.95) -> Table:
    """Mean similarity of every pair over the tasks of each setting.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems and tasks. Outcomes choose tasks only: what is optional at a
        task stays what it is.
    wins : ndarray of shape (n_systems, n_tasks)
        Share of successful runs; NaN without a known outcome.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``settings``: estimates with the keys ``setting``, ``first`` and ``second``, named as the
        measures with ``_by_outcome``.

    Raises
    ------
    UsageError
        If ``wins`` has another shape or isn't between 0 and 1.
    """
    rows: list[tuple[Mapping[str, str], Estimate]] = []
    for scores in measures:
        _check(wins, scores)
        first, second = pair_places(len(scores.systems))
        runs = joint_runs(scores, first, second)
        values = pair_values(scores, first, second)
        for setting, chosen in zip(SETTINGS, settings_of(wins, first, second), strict=True):
            asked = Asked(
                scores.name + SUFFIX,
                bounds=scores.bounds,
                level=level,
                no_task=f"no shared task where outcomes are {setting}",
            )
            within = [np.where(chosen, part, np.nan) for part in values]
            found = estimates(asked, scores, within, np.where(chosen, runs, 0))
            rows += [
                (
                    {
                        "setting": setting,
                        "first": scores.systems[one],
                        "second": scores.systems[other],
                    },
                    estimate,
                )
                for one, other, estimate in zip(first, second, found, strict=True)
            ]
    return side_by_side(
        "settings",
        "Similarity by outcome",
        rows,
        {scores.name + SUFFIX: label_of_scores(scores) for scores in measures},
        keys=("setting", "first", "second"),
        about="Both correct: every run of both succeeds; both wrong: none does; mixed: all other "
        "tasks with known outcomes. Outcomes choose tasks only.",
    )


def _check(wins: FloatArray, scores: Scores) -> None:
    shape = (len(scores.systems), len(scores.tasks))
    known = wins[~np.isnan(wins)]
    if wins.shape != shape or ((known < 0) | (known > 1)).any():
        raise UsageError(
            f"wins must be shares from 0 to 1 of shape {shape}; got shape {wins.shape}"
        )
