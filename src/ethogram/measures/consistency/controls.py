"""Further controls, one function each: other predictors, and shared tasks alone."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.consistency.attribution import attribute
from ethogram.measures.consistency.evidence import Evidence, Say
from ethogram.measures.consistency.folds import FOLDS
from ethogram.measures.consistency.predictor import lightgbm_trees
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import STATISTICS, Drawing, bcm, ground
from ethogram.measures.consistency.systems import Rows
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import BoolArray, FloatArray

CONTROLS: Final = ("none", "quick", "all")


def per_system(sample: Sample, *, folds: str, seed: int, executor: Executor | None) -> FloatArray:
    """Attributions of each system by predictors that saw its own runs only.

    Zero, that is without a direction, where a system has one outcome or one task only.
    """
    values = np.zeros_like(sample.features)
    for number in range(len(sample.systems)):
        kept = sample.system == number
        own = sample.restrict(kept)
        if own.success.all() or not own.success.any() or len(np.unique(own.group)) < 2:
            continue
        numbers = FOLDS[folds](own, seed=seed)
        values[kept] = attribute(own, numbers, seed=seed, executor=executor).values
    return values


def unseen_system(sample: Sample, *, seed: int, executor: Executor | None) -> FloatArray:
    """Attributions of each system by a predictor that saw the other systems' runs only.

    Zero with one system; also where the others have one outcome only, as nothing is learnt then.
    """
    if len(sample.systems) < 2:
        return np.zeros_like(sample.features)
    return attribute(
        sample, sample.system, seed=seed, predictor=lightgbm_trees, executor=executor
    ).values


def on_shared_tasks(sample: Sample) -> BoolArray:
    """Runs of tasks that every system has runs of."""
    n_systems = pl.col("system").n_unique().over("task")
    shared = sample.runs.select((n_systems == len(sample.systems)).alias("shared"))["shared"]
    return shared.to_numpy().astype(np.bool_)


def sources(sample: Sample) -> dict[str, list[str]]:
    """Formats and benchmarks in which systems differ: ``{"format": [...], ...}``."""
    found: dict[str, list[str]] = {}
    for column in ("format", "benchmark"):
        by_system = sample.runs.group_by("system").agg(pl.col(column).unique().sort())
        if by_system[column].n_unique() > 1:
            names = sample.runs[column].fill_null("(not recorded)").unique().sort()
            found[column] = names.to_list()
    return found


def control_rows(
    evidence: Evidence,
    *,
    controls: str,
    folds: str,
    drawing: Drawing,
    executor: Executor | None = None,
    say: Say,
) -> Rows:
    """BCM of each system under the further controls.

    Shared tasks alone wherever systems come from different sources; with ``controls="all"`` also
    each system's own predictor and one that never saw it.
    """
    sample, seed = evidence.sample, drawing.seed
    rows: Rows = []
    shared = on_shared_tasks(sample)
    if sources(sample) and shared.any():
        for variant, found in (("_offset", evidence.offset), ("", evidence.observed)):
            rows += _rows(
                sample, found.values, f"_shared_tasks{variant}", drawing=drawing, among=shared
            )
    if controls == "all":
        fits: Mapping[str, Callable[[], FloatArray]] = {
            "_per_system": lambda: per_system(sample, folds=folds, seed=seed, executor=executor),
            "_unseen_system": lambda: unseen_system(sample, seed=seed, executor=executor),
        }
        for variant, fit in fits.items():
            say(f"control{variant.replace('_', ' ')}")
            rows += _rows(sample, fit(), variant, drawing=drawing)
    return rows


def _rows(
    sample: Sample,
    vectors: FloatArray,
    variant: str,
    *,
    drawing: Drawing,
    among: BoolArray | None = None,
) -> Iterator[tuple[Mapping[str, str], Estimate]]:
    for number, name in enumerate(sample.systems):
        kept = sample.system == number
        base = ground(sample, kept if among is None else kept & among)
        for scale in STATISTICS:
            found = bcm(scale + variant, scale, base.cloud(vectors), drawing=drawing)
            yield {"system": name}, found
