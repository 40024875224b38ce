"""The figures of each system: success, BCM under each condition, and the two axes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.consistency.catalogue import CATALOGUE, VARIANTS
from ethogram.measures.consistency.evidence import MIN_PERMUTATIONS_P, Evidence, z_scores
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import (
    FEW_TASKS,
    STATISTICS,
    Drawing,
    Ground,
    bcm,
    estimate,
    ground,
    mean_over,
    minus,
    n_judged,
    success_of,
    widened,
)
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray
from ethogram.stats.cosine import (
    MIN_RUNS,
    Directions,
    cross_task_of,
    resample_vectors,
    within_task_of,
)
from ethogram.stats.resampling import Statistic, evaluate_once

Rows = list[tuple[Mapping[str, str], Estimate]]

STEADY: Final = 0.2
"""A BCM whose interval lies above this counts as steady, below it as unsteady.

Between the 0.07 to 0.09 (across tasks) and the 0.30 to 0.35 (within a task) that Banerjee and
Raichura 2026 call fragmented and reproducible.
"""


@dataclass(frozen=True)
class Clouds:
    """One system under each condition, on its own tasks.

    Attributes
    ----------
    base : Ground
    raw, offset, features : Directions
        Of all its runs.
    null_raw, nulls : Directions and sequence of Directions
        Of the runs that permutations work on (all, or a subsample).
    """

    base: Ground
    raw: Directions
    offset: Directions
    features: Directions
    null_raw: Directions
    nulls: Sequence[Directions]

    def variants(self) -> dict[str, Directions]:
        """The conditions that have a figure of their own, by the end of its name."""
        return {"_offset": self.offset, "": self.raw, "_features": self.features}

    def minus_null(self, scale: str) -> Statistic | None:
        """Observed minus the mean of the nulls, on the same draws."""
        if not self.nulls:
            return None
        make = STATISTICS[scale]
        return minus(make(self.null_raw), mean_over([make(null) for null in self.nulls]))


def clouds(evidence: Evidence, kept: Sequence[str]) -> Clouds:
    """The clouds of the runs of some systems together."""
    sample, part = evidence.sample, evidence.null_sample
    wanted = [number for number, name in enumerate(sample.systems) if name in kept]
    base = ground(sample, np.isin(sample.system, wanted))
    names = [name for name in part.systems if name in kept]
    inside = ground(part, np.isin(part.system, [part.systems.index(name) for name in names]))
    return Clouds(
        base,
        base.cloud(evidence.observed.values),
        base.cloud(evidence.offset.values),
        base.cloud(z_scores(sample.features)),
        inside.cloud(evidence.null_observed),
        [inside.cloud(null) for null in evidence.nulls],
    )


def system_rows(evidence: Evidence, *, drawing: Drawing) -> Rows:
    """Estimates of each system, in the order of the first table."""
    rows: Rows = []
    for name in evidence.sample.systems:
        found = clouds(evidence, [name])
        rows.append(({"system": name}, _success(evidence.sample, found.base, drawing)))
        for scale in STATISTICS:
            rows += [({"system": name}, each) for each in _variants(found, scale, drawing)]
    return rows


def _success(sample: Sample, base: Ground, drawing: Drawing) -> Estimate:
    return estimate(
        "success_rate",
        success_of(sample, base),
        base.n_tasks,
        drawing=drawing,
        n_runs=int(base.kept.sum()),
        unit="share",
        bounds=(0.0, 1.0),
    )


def _variants(found: Clouds, scale: str, drawing: Drawing) -> Iterator[Estimate]:
    known = found.variants()
    for variant in VARIANTS:
        name = scale + variant
        if variant in known:
            yield bcm(name, scale, known[variant], drawing=drawing)
        elif variant == "_minus_null":
            yield _minus_null(name, scale, found, drawing)
        else:
            yield _null(name, scale, found, drawing)


def _minus_null(name: str, scale: str, found: Clouds, drawing: Drawing) -> Estimate:
    statistic = found.minus_null(scale)
    if statistic is None:
        return _absent(name, "no permutations (--controls quick)")
    n_tasks, n_runs = n_judged(scale, found.null_raw)
    made = estimate(
        name,
        statistic,
        len(found.null_raw.sizes),
        drawing=drawing,
        n_tasks=n_tasks,
        n_runs=n_runs,
        n_excluded=found.base.kept.sum() - found.null_raw.n_vectors,
        bounds=CATALOGUE[name].bounds,
        reason=bcm(name, scale, found.null_raw, drawing=drawing).reason
        or "no attributions once outcomes are shuffled",
    )
    return widened(made, null_values(found, scale))


def null_values(found: Clouds, scale: str) -> FloatArray:
    """BCM in each permutation; those in which it is undefined are left out."""
    values = [evaluate_once(STATISTICS[scale](null), len(null.sizes)) for null in found.nulls]
    return np.array([value for value in values if value is not None])


def _null(name: str, scale: str, found: Clouds, drawing: Drawing) -> Estimate:
    values = null_values(found, scale)
    n_tasks, n_runs = n_judged(scale, found.null_raw)
    if not len(values):
        why = "no permutations (--controls quick)" if not found.nulls else "undefined in all nulls"
        return _absent(name, why)
    spread = f", SD {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return Estimate(
        name=name,
        unit="correlation",
        value=float(values.mean()),
        level=drawing.level,
        n_tasks=n_tasks,
        n_runs=n_runs,
        method=f"mean of {len(values)} permutations{spread}",
    )


def _absent(name: str, reason: str) -> Estimate:
    unit = CATALOGUE[name].unit
    return Estimate(name=name, unit=unit, value=None, n_tasks=0, n_runs=0, reason=reason)


NULL_SCHEMA: Final = {
    "system": pl.String,
    "scale": pl.String,
    "observed": pl.Float64,
    "null_mean": pl.Float64,
    "null_sd": pl.Float64,
    "p_value": pl.Float64,
    "n_permutations": pl.Int64,
    "n_runs": pl.Int64,
}


def null_frame(evidence: Evidence) -> pl.DataFrame:
    """Observed and permuted BCM of each system: ``p = (b + 1) / (B + 1)`` from 99 permutations on.

    One-sided: b permutations are as high as the observed figure.
    """
    rows = []
    for name in evidence.sample.systems:
        found = clouds(evidence, [name])
        for scale, make in STATISTICS.items():
            values = null_values(found, scale)
            observed = evaluate_once(make(found.null_raw), len(found.null_raw.sizes))
            if observed is None or not len(values):
                continue
            p = (1 + float(np.sum(values >= observed))) / (1 + len(values))
            rows.append(
                {
                    "system": name,
                    "scale": scale,
                    "observed": observed,
                    "null_mean": float(values.mean()),
                    "null_sd": float(values.std(ddof=1)) if len(values) > 1 else None,
                    "p_value": p if len(values) >= MIN_PERMUTATIONS_P else None,
                    "n_permutations": len(values),
                    "n_runs": found.null_raw.n_vectors,
                }
            )
    return pl.DataFrame(rows, schema=NULL_SCHEMA)


@dataclass(frozen=True)
class Axes:
    """One system on the two axes, over the tasks with three or more runs.

    Attributes
    ----------
    gap : mapping of str to Estimate
        Within minus across tasks, by variant ("" and "_offset").
    profile : mapping of str to str
        By variant.
    n_tasks : int
    """

    gap: Mapping[str, Estimate]
    profile: Mapping[str, str]
    n_tasks: int


def axes_of(evidence: Evidence, name: str, *, drawing: Drawing) -> Axes:
    """Where a system stands on the two axes; raw, and beyond its success rate."""
    found = clouds(evidence, [name])
    gaps, profiles = {}, {}
    n_tasks = 0
    for variant, cloud in (("", found.raw), ("_offset", found.offset)):
        same = cloud.restrict(cloud.sizes >= MIN_RUNS)
        n_tasks, n_runs = n_judged("within_task", cloud)
        gaps[variant] = estimate(
            f"within_minus_cross{variant}",
            minus(within_task_of(same), cross_task_of(same)),
            len(same.sizes),
            drawing=drawing,
            n_tasks=n_tasks,
            n_runs=n_runs,
            n_excluded=cloud.n_vectors - n_runs,
            bounds=(-2.0, 2.0),
            reason="needs two tasks with three runs that have attributions",
        )
        within, across = (
            bcm(scale, scale, cloud, drawing=drawing) for scale in ("within_task", "cross_task")
        )
        beyond = (
            [None, None]
            if not found.nulls or not variant
            else [
                _minus_null(f"{scale}_minus_null", scale, found, drawing)
                for scale in ("within_task", "cross_task")
            ]
        )
        profiles[variant] = profile_of(within, across, *beyond)
    return Axes(gaps, profiles, n_tasks)


NOT_ENOUGH: Final = "not enough data"
_PROFILES: Final[Mapping[tuple[bool, bool], str]] = {
    (True, True): "steady at both scales",
    (True, False): "locally steady but globally fragmented",
    (False, True): "steady from task to task, not at one task",
    (False, False): "unsteady at both scales",
}


def profile_of(
    within: Estimate,
    across: Estimate,
    within_minus_null: Estimate | None = None,
    across_minus_null: Estimate | None = None,
) -> str:
    """The two axes in words.

    Not enough data where tasks are few, where an interval holds `STEADY`, and where a BCM above it
    can't be told from its null.
    """
    sides = [_side(within, within_minus_null), _side(across, across_minus_null)]
    if within.n_tasks < FEW_TASKS or None in sides:
        return NOT_ENOUGH
    return _PROFILES[bool(sides[0]), bool(sides[1])]


def _side(found: Estimate, minus_null: Estimate | None) -> bool | None:
    if found.low is None or found.high is None or found.low <= STEADY <= found.high:
        return None
    if found.high < STEADY:
        return False
    empty = minus_null is not None and (minus_null.low is None or minus_null.low <= 0)
    return None if empty else True


RUNS_SCHEMA: Final = {
    "system": pl.String,
    "bcm": pl.Float64,
    "printed_low": pl.Float64,
    "printed_high": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "excess": pl.Float64,
    "n_runs": pl.Int64,
}


def over_runs(evidence: Evidence, *, drawing: Drawing) -> pl.DataFrame:
    """Intervals of the global BCM by resampled runs, as published and corrected."""
    tails = [(1 - drawing.level) / 2, (1 + drawing.level) / 2]
    rows = []
    for number, name in enumerate(evidence.sample.systems):
        own = evidence.observed.values[evidence.sample.system == number]
        found = clouds(evidence, [name]).raw
        value = evaluate_once(STATISTICS["global"](found), len(found.sizes))
        if value is None:
            continue
        drawn = resample_vectors(own, rng=drawing.seed)
        printed = np.quantile(drawn.printed, tails)
        corrected = np.nanquantile(drawn.corrected, tails)
        ends = (*printed.tolist(), *corrected.tolist())
        rows.append((name, value, *ends, (1 - value) / found.n_vectors, found.n_vectors))
    return pl.DataFrame(rows, schema=RUNS_SCHEMA, orient="row")


def by_outcome_rows(evidence: Evidence, *, drawing: Drawing) -> Rows:
    """BCM of successful and of failed runs apart."""
    sample = evidence.sample
    rows: Rows = []
    for number, name in enumerate(sample.systems):
        for outcome, among in (("successes", sample.success), ("failures", ~sample.success)):
            base = ground(sample, (sample.system == number) & among)
            if not base.n_tasks:
                continue
            for scale in STATISTICS:
                for variant, found in (("_offset", evidence.offset), ("", evidence.observed)):
                    made = bcm(
                        f"{scale}{variant}_{outcome}",
                        scale,
                        base.cloud(found.values),
                        drawing=drawing,
                    )
                    rows.append(({"system": name, "outcome": outcome}, made))
    return rows
