"""Does a score tell runs of one system from runs of two? Shown beside the score on its own cohort.

The AUC is the probability that a pair of runs of one system scores higher than a pair of runs of
two systems; 0.5 is chance. It is taken task by task, then averaged.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.style.compare import LABELS, Style
from ethogram.results.estimate import Estimate
from ethogram.results.table import Table, estimates_table
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.auc import auc
from ethogram.stats.intervals import Interval
from ethogram.stats.task_intervals import mean_interval

SAME_TASK: Final = "same task"
OTHER_TASKS: Final = "different tasks"
NOT_VALIDATED: Final = (
    "not validated here: no system has two runs of a task that another system ran, too"
)
NO_OTHER_TASK: Final = "no system has runs of two tasks of a benchmark beside another system's"
WINDOW: Final = 10
"""Tasks that each task is compared with: the next ones of its benchmark in order of names."""


def style_checks(cohort: Cohort, sample: Sample, style: Style, *, level: float = 0.95) -> Table:
    """AUC of the style scores on a cohort, from repeats and across tasks.

    Parameters
    ----------
    cohort : Cohort
        Tells which tasks are of one benchmark.
    sample : Sample
        The runs.
    style : Style
        Their style.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``style_checks``: estimates with the keys ``comparison`` and ``measure``. ``same task``:
        pairs of runs of one task, hence from repeats; ``different tasks``: each run with the runs
        of up to ten other tasks of its benchmark that its own system ran, too. The second needs no
        repeats, and is easier or harder than the first as the tasks will have it.
    """
    keys = {SAME_TASK: _same_task(sample), OTHER_TASKS: _other_tasks(cohort, sample)}
    rows = []
    for comparison, pairs in keys.items():
        for name, vectors in style.vectors.items():
            found = _auc(vectors, pairs, sample)
            missing = NOT_VALIDATED if comparison == SAME_TASK else NO_OTHER_TASK
            reason = next(each.reason for each in style.scores if each.name == name) or missing
            rows.append(
                (
                    {"comparison": comparison, "measure": LABELS[name]},
                    _estimate(found, vectors, pairs, reason=reason, level=level),
                )
            )
    table = estimates_table(
        "style_checks",
        "Does style tell systems apart here?",
        rows,
        keys=("comparison", "measure"),
        about="Probability that two runs of one system are more alike than runs of two systems: "
        "0.5 is chance. Mean over tasks. Across different tasks each run stands in several pairs, "
        "so that interval is approximate.",
    )
    return replace(table, frame=table.frame.with_columns(label=pl.lit("AUC")), across="measure")


class _Pairs:
    """Pairs of runs by task; ``one``: of one system."""

    def __init__(self, first: IntArray, second: IntArray, sample: Sample) -> None:
        self.first, self.second = first, second
        self.task = sample.task[first]
        self.one: BoolArray = sample.system[first] == sample.system[second]


def _same_task(sample: Sample) -> _Pairs:
    pairs = []
    for runs in sample.by_task:
        first, second = np.triu_indices(len(runs), 1)
        pairs.append((runs[first], runs[second]))
    return _joined(pairs, sample)


def _other_tasks(cohort: Cohort, sample: Sample) -> _Pairs:
    pairs = []
    for task, others in _neighbours(cohort, sample):
        for other in others:
            there = sample.by_task[other]
            also = np.isin(sample.system[sample.by_task[task]], sample.system[there])
            here = sample.by_task[task][also]
            pairs.append((np.repeat(here, len(there)), np.tile(there, len(here))))
    return _joined(pairs, sample)


def _joined(pairs: list[tuple[IntArray, IntArray]], sample: Sample) -> _Pairs:
    none = np.zeros(0, dtype=np.int64)
    first = np.concatenate([none, *(one for one, _ in pairs)])
    return _Pairs(first, np.concatenate([none, *(other for _, other in pairs)]), sample)


def _neighbours(cohort: Cohort, sample: Sample) -> Iterator[tuple[int, list[int]]]:
    """Each task with the next ones of its benchmark, round the corner."""
    known = cohort.joined.select("run_id", "benchmark")
    rows = sample.runs.join(known, on="run_id", how="left", maintain_order="left")
    of_task = rows.group_by("task").agg(pl.col("benchmark").first()).sort("task")
    for _, group in of_task.with_row_index("place").group_by("benchmark", maintain_order=True):
        places = group["place"].to_list()
        most = min(WINDOW, len(places) - 1)
        for number, place in enumerate(places):
            yield place, [places[(number + step) % len(places)] for step in range(1, most + 1)]


def _auc(vectors: FloatArray, pairs: _Pairs, sample: Sample) -> FloatArray:
    """AUC of each task, shape (n_tasks,); NaN where a task lacks pairs of either sort."""
    made = np.full(len(sample.tasks), np.nan)
    if not vectors.shape[1]:
        return made
    order = np.argsort(pairs.task, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(pairs.task[order])) + 1):
        if not len(places):
            continue
        scores = _products(vectors, pairs.first[places], pairs.second[places])
        known = ~np.isnan(scores)
        found = auc(scores[known].round(12), pairs.one[places][known])
        made[pairs.task[places[0]]] = np.nan if found is None else found
    return made


def _products(vectors: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Scalar products of pairs, by one matrix of the runs that occur."""
    here, row = np.unique(first, return_inverse=True)
    there, column = np.unique(second, return_inverse=True)
    found: FloatArray = (vectors[here] @ vectors[there].T)[row, column]
    return found


def _estimate(
    found: FloatArray, vectors: FloatArray, pairs: _Pairs, *, reason: str, level: float
) -> Estimate:
    known = np.flatnonzero(~np.isnan(found))
    defined = np.asarray(~np.isnan(vectors).any(axis=1), dtype=np.bool_)
    used = np.isin(pairs.task, known) & defined[pairs.first] & defined[pairs.second]
    n_runs = len(np.unique(np.concatenate([pairs.first[used], pairs.second[used]])))
    interval = _interval(found[known], level)
    why = interval.method if interval.reason is None else f"no interval: {interval.reason}"
    return Estimate(
        name="auc",
        unit="",
        value=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=level,
        n_tasks=len(known),
        n_runs=n_runs,
        n_excluded=len(vectors) - n_runs,
        method=why if len(known) else "",
        reason=None if len(known) else reason,
    )


def _interval(values: FloatArray, level: float) -> Interval:
    if not len(values):
        return Interval(estimate=None, low=None, high=None, level=level, method="", reason="none")
    return mean_interval(values, level=level, bounds=(0.0, 1.0))
