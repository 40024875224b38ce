"""Floor and ceiling of similarity, from a system's own runs, and where pairs lie between them.

A similarity of 0.8 says little alone: two runs of one system at one task are not fully alike
either, and runs of different tasks are alike to some degree. So the **ceiling** of a system is the
score between its own runs of a task, its **floor** the score between its runs of different tasks,
and a pair is placed on the way from the mean of its two floors to the mean of its two ceilings.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ethogram.measures.similarity.field.means import (
    Asked,
    estimates_of,
    joint_runs,
    label_of_scores,
    pair_places,
    pair_values,
    runs_of,
    side_by_side,
    why_missing,
)
from ethogram.measures.similarity.task_scores import Scores, TaskScores, parts_of
from ethogram.results.estimate import Estimate
from ethogram.results.table import Table
from ethogram.stats.arrays import IntArray
from ethogram.stats.task_intervals import UNBOUNDED
from ethogram.stats.task_means import TaskMeans, mean_of_means

ONE_RUN: Final = "one run a task"
NO_FLOOR: Final = "no runs of different tasks to compare"
NOT_ABOVE: Final = "the ceiling is not clearly above the floor"
NO_TASKS: Final = "no interval: not known task by task"
SUFFIX: Final = "_placed"
CLEARLY: Final = 2.0
"""Standard errors by which a ceiling must exceed the floor for a place between them."""

Row = tuple[Mapping[str, str], Estimate]


def ceilings(scores: Scores) -> TaskMeans:
    """Similarity of distinct runs of a task, a row a system."""
    return mean_of_means([part.repeats for part in parts_of(scores)])


def floors(scores: Scores) -> TaskMeans:
    """Similarity of runs of different tasks, a row a system.

    Where a part has one figure a system, it is taken as known: it has no pull.
    """
    parts = [_floor(part) for part in parts_of(scores)]
    return TaskMeans(
        np.mean([part.values for part in parts], axis=0),
        np.mean([part.pulls for part in parts], axis=0),
        np.any([part.used for part in parts], axis=0),
        np.min([part.fewest for part in parts], axis=0),
    )


def _floor(part: TaskScores) -> TaskMeans:
    n_systems, n_tasks = len(part.systems), len(part.tasks)
    unlike = np.full(n_systems, np.nan) if part.unlike is None else part.unlike
    if unlike.ndim == 2:
        return mean_of_means([unlike])
    nothing = np.zeros((n_systems, n_tasks))
    return TaskMeans(unlike, nothing, nothing > 0, np.zeros(n_systems, dtype=np.int64))


def range_table(measures: Sequence[Scores], *, level: float = 0.95) -> Table:
    """Floor and ceiling of each system by each measure.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``range``: estimates ``floor`` and ``ceiling`` with the keys ``measure`` and ``system``; a
        floor that is known by system only has no interval.
    """
    rows: list[Row] = []
    for scores in measures:
        runs = runs_of(scores)
        for name, means, missing in (
            ("floor", floors(scores), NO_FLOOR),
            ("ceiling", ceilings(scores), ONE_RUN),
        ):
            asked = Asked(name, bounds=scores.bounds, level=level)
            for system, estimate in zip(
                scores.systems, _known(asked, scores, means, runs, missing), strict=True
            ):
                rows.append(({"measure": label_of_scores(scores), "system": system}, estimate))
    return side_by_side(
        "range",
        "Floor and ceiling",
        rows,
        {"floor": "Floor", "ceiling": "Ceiling"},
        keys=("measure", "system"),
        about="Floor: runs of one system at different tasks; ceiling: its runs of the same task.",
    )


def _known(
    asked: Asked, scores: Scores, means: TaskMeans, runs: IntArray, missing: str
) -> list[Estimate]:
    """Estimates, also of rows that have a value but no tasks."""
    reasons = [scores.reason or missing] * len(means.values)
    found = estimates_of(asked, means, runs, reasons)
    return [
        estimate
        if np.isnan(value) or used
        else Estimate(
            name=asked.name,
            unit=asked.unit,
            value=float(value),
            level=asked.level,
            n_tasks=int((counts > 0).sum()),
            n_runs=int(counts.sum()),
            method=NO_TASKS,
        )
        for estimate, value, used, counts in zip(
            found, means.values, means.n_tasks > 0, runs, strict=True
        )
    ]


def placed_table(measures: Sequence[Scores], *, level: float = 0.95) -> Table:
    """Where each pair lies between floor (0) and ceiling (1) of its two systems.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    level : float
        Nominal coverage of the intervals, which are over tasks, by the delta method.

    Returns
    -------
    Table
        ``placed``: estimates with the keys ``first`` and ``second``, named as the measures with
        ``_placed``; above 1 where systems are more alike than their own repeats. Null where a floor
        or ceiling is missing, or the ceiling is within two standard errors of the floor.
    """
    rows: list[Row] = []
    for scores in measures:
        first, second = pair_places(len(scores.systems))
        runs = joint_runs(scores, first, second)
        means, reasons = _placed(scores, first, second, runs)
        asked = Asked(scores.name + SUFFIX, "share", UNBOUNDED, level)
        found = estimates_of(asked, means, runs, reasons)
        rows += [
            ({"first": scores.systems[one], "second": scores.systems[other]}, estimate)
            for one, other, estimate in zip(first, second, found, strict=True)
        ]
    return side_by_side(
        "placed",
        "Between floor and ceiling",
        rows,
        {scores.name + SUFFIX: label_of_scores(scores) for scores in measures},
        keys=("first", "second"),
        about="Share of the way from runs of different tasks (0 %) to repeats of one system "
        "(100 %), means of both systems.",
    )


def _placed(
    scores: Scores, first: IntArray, second: IntArray, runs: IntArray
) -> tuple[TaskMeans, list[str]]:
    values = pair_values(scores, first, second)
    pairs = mean_of_means(values)
    low, high = _both(floors(scores), first, second), _both(ceilings(scores), first, second)
    span = high.values - low.values
    error = np.sqrt(((high.pulls - low.pulls) ** 2).sum(axis=1))
    clear = span > CLEARLY * error
    span = np.where(clear, span, np.nan)
    place = (pairs.values - low.values) / span
    pulls = (pairs.pulls - (1 - place)[:, None] * low.pulls - place[:, None] * high.pulls) / span[
        :, None
    ]
    missing = np.isnan(place)
    known = ~missing[:, None]
    means = TaskMeans(
        values=place,
        pulls=np.where(known, pulls, 0.0),
        used=(pairs.used | high.used | low.used) & known,
        fewest=np.minimum(pairs.fewest, high.fewest),
    )
    defined = ~np.isnan(np.stack(values))
    reasons = [
        why_missing(scores, defined[:, row], runs[row])
        if np.isnan(pairs.values[row])
        else _why(high.values[row], low.values[row])
        for row in range(len(first))
    ]
    return means, reasons


def _both(means: TaskMeans, first: IntArray, second: IntArray) -> TaskMeans:
    """Mean of the two systems of each pair."""
    return TaskMeans(
        (means.values[first] + means.values[second]) / 2,
        (means.pulls[first] + means.pulls[second]) / 2,
        means.used[first] | means.used[second],
        np.minimum(means.fewest[first], means.fewest[second]),
    )


def _why(high: float, low: float) -> str:
    if np.isnan(high):
        return ONE_RUN
    return NO_FLOOR if np.isnan(low) else NOT_ABOVE
