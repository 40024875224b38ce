"""What each system's habits are: the rates that similarity compares, with intervals over tasks."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ethogram.measures.similarity.graph import ActionGraph
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.vectors import WRITE, dependency_vector, sequence_vector
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray
from ethogram.stats.task_intervals import mean_interval

FIGURES: Final[Mapping[str, tuple[str, str, str]]] = {
    "calls": ("Calls a run", "calls", ""),
    "post_write_verification": ("Writes followed by a read", "share", "no run writes anything"),
    "pre_write_confirmation": ("Writes preceded by a read", "share", "no run writes anything"),
    "error_retry": ("Failed calls retried at once", "share", "no call failed"),
    "output_reuse": ("Calls given earlier results", "share", "no run has two calls"),
    "longest_chain": ("Longest chain of results", "calls", "no run has a call"),
    "output_fan_out": ("Results used twice or more", "share", "no result was passed on"),
}
"""Label, unit and why there may be none of each figure, in the order of the table."""

Rows = list[tuple[Mapping[str, str], Estimate]]


def profile_rows(graphs: Sequence[ActionGraph], sample: Sample, *, level: float) -> Rows:
    """Mean of each rate over the tasks of a system, over runs that it is defined for.

    Unlike in the cosines a rate over zero plays no part: a run that writes nothing says nothing of
    what follows a write.
    """
    rates = np.array([_rates(graph) for graph in graphs], dtype=np.float64).reshape(-1, 7)
    known = ~np.isnan(rates)
    sums = sample.sums(np.where(known, rates, 0.0))
    counts = sample.sums(known.astype(np.float64))
    with np.errstate(invalid="ignore"):
        by_task = sums / counts
    return [
        (
            {"system": system},
            _estimate(name, by_task[place, :, column], int(counts[place, :, column].sum()), level),
        )
        for column, name in enumerate(FIGURES)
        for place, system in enumerate(sample.systems)
    ]


def _rates(graph: ActionGraph) -> tuple[float, ...]:
    """Rates of a run, NaN where it has nothing that they are rates of."""
    n = len(graph.names)
    verify, confirm, retry = sequence_vector(graph)
    reuse, chain, fan_out = dependency_vector(graph)
    writes, failed = WRITE in graph.effects, any(graph.errors)
    return (
        float(n),
        verify if writes else np.nan,
        confirm if writes else np.nan,
        retry if failed else np.nan,
        reuse if n > 1 else np.nan,
        chain if n else np.nan,
        fan_out if graph.dependency else np.nan,
    )


def _estimate(name: str, by_task: FloatArray, n_runs: int, level: float) -> Estimate:
    _, unit, missing = FIGURES[name]
    values = by_task[~np.isnan(by_task)]
    if not len(values):
        return Estimate(
            name=name, unit=unit, value=None, n_tasks=0, n_runs=0, level=level, reason=missing
        )
    bounds = (0.0, 1.0) if unit == "share" else (0.0, np.inf)
    interval = mean_interval(values, level=level, bounds=bounds)
    return Estimate(
        name=name,
        unit=unit,
        value=float(values.mean()),
        low=interval.low,
        high=interval.high,
        level=level,
        n_tasks=len(values),
        n_runs=n_runs,
        method=interval.reason or interval.method,
    )
