"""Consistency by how hard tasks are (Banerjee and Raichura 2026, section 5.5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from msgspec.structs import replace

from ethogram.measures.consistency.evidence import Evidence
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import (
    Drawing,
    bcm,
    estimate,
    ground,
    success_of,
)
from ethogram.measures.consistency.systems import ShuffledClouds, minus_null, shuffled_clouds
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

TERCILES: Final = ("easy", "medium", "hard")
SOLVED: Final = ("always solved", "sometimes solved", "never solved")
POOLINGS: Final = ("others", "all")


@dataclass(frozen=True)
class Difficulty:
    """Bins of the tasks of one system.

    Attributes
    ----------
    bins : ndarray of shape (n_runs,)
        Bin of the task of each run; -1 where it is not known or the run is another system's.
    names : tuple of str
        Easy to hard.
    rates : ndarray of shape (n_runs,)
        Resolution rate that the bin is made from; NaN where there is none.
    """

    bins: IntArray
    names: tuple[str, ...]
    rates: FloatArray

    @property
    def tied(self) -> bool:
        """Whether ties left a tercile empty."""
        return self.names == SOLVED


def rates_of(sample: Sample, number: int, *, pooling: str) -> FloatArray:
    """Share of successes of each run's task, over the other systems' runs or over all.

    A system's own runs would make its hard tasks those that it failed at.
    """
    among: BoolArray = np.ones(len(sample.success), dtype=np.bool_)
    if pooling == "others":
        among = sample.system != number
    n = np.bincount(sample.task[among], minlength=sample.n_tasks)
    weights = sample.success[among].astype(np.float64)
    won = np.bincount(sample.task[among], weights=weights, minlength=sample.n_tasks)
    rates = np.where(n > 0, won / np.maximum(n, 1), np.nan)[sample.task]
    return np.where(sample.system == number, rates, np.nan)


def difficulty(sample: Sample, number: int, *, pooling: str = "others") -> Difficulty:
    """Terciles of the resolution rate over a system's tasks; where ties empty one: by solved."""
    rates = rates_of(sample, number, pooling=pooling)
    known = ~np.isnan(rates)
    bins = np.full(len(rates), -1, dtype=np.int64)
    if not known.any():
        return Difficulty(bins, TERCILES, rates)
    _, firsts = np.unique(sample.task[known], return_index=True)
    by_task = rates[known][firsts]
    low, high = np.quantile(by_task, [1 / 3, 2 / 3])
    terciles = np.where(rates >= high, 0, np.where(rates >= low, 1, 2))
    # a tercile whose border is a tie takes the tasks that belong to its neighbour
    if len(np.unique(terciles[known])) == 3 and low < high:
        bins[known] = terciles[known]
        return Difficulty(bins, TERCILES, rates)
    solved = np.where(rates >= 1, 0, np.where(rates > 0, 1, 2))
    bins[known] = solved[known]
    return Difficulty(bins, SOLVED, rates)


def difficulty_rows(
    evidence: Evidence, *, pooling: str, drawing: Drawing
) -> tuple[list[tuple[Mapping[str, str], Estimate]], list[str]]:
    """Success and BCM across tasks of each system and bin, and the systems whose terciles tie."""
    sample = evidence.sample
    rows: list[tuple[Mapping[str, str], Estimate]] = []
    tied: list[str] = []
    for number, name in enumerate(sample.systems):
        found = difficulty(sample, number, pooling=pooling)
        if found.tied:
            tied.append(name)
        for place, label in enumerate(found.names):
            kept = found.bins == place
            if kept.any():
                keys = {"system": name, "difficulty": label}
                rows += [(keys, each) for each in _of_bin(evidence, kept, label, drawing)]
    return rows, tied


def _of_bin(
    evidence: Evidence, kept: BoolArray, label: str, drawing: Drawing
) -> Iterator[Estimate]:
    base = ground(evidence.sample, kept)
    end = label.replace(" ", "_")
    shuffled = _shuffled_of_bin(evidence, kept)
    yield estimate(
        f"success_rate_{end}",
        success_of(evidence.sample, base),
        base.n_tasks,
        drawing=drawing,
        n_runs=int(kept.sum()),
        unit="share",
        bounds=(0.0, 1.0),
    )
    for variant, found in (("_offset", evidence.offset), ("", evidence.observed)):
        name, cloud = f"cross_task{variant}_{end}", base.cloud(found.values)
        if variant in shuffled:
            left = minus_null(
                f"cross_task{variant}_minus_null",
                "cross_task",
                shuffled[variant],
                n_all=int(kept.sum()),
                drawing=drawing,
            )
            yield replace(left, name=f"{left.name}_{end}")
        yield bcm(name, "cross_task", cloud, drawing=drawing)


def _shuffled_of_bin(evidence: Evidence, kept: BoolArray) -> Mapping[str, ShuffledClouds]:
    """Of the runs that permutations work on, those of the bin."""
    own = evidence.sample.runs["run_id"].filter(pl.Series(kept))
    inside = evidence.null_sample.runs["run_id"].is_in(own.implode()).to_numpy()
    return shuffled_clouds(evidence, ground(evidence.null_sample, inside)) if inside.any() else {}
