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
    STATISTICS,
    Drawing,
    Ground,
    bcm,
    estimate,
    ground,
    mean_of_clouds,
    minus,
    n_judged,
    success_of,
    widened,
)
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray
from ethogram.stats.cosine import (
    Directions,
    resample_vectors,
)
from ethogram.stats.resampling import Statistic, evaluate_once

Rows = list[tuple[Mapping[str, str], Estimate]]


@dataclass(frozen=True)
class ShuffledClouds:
    """The clouds of one kind of attributions, as observed and in each permutation."""

    observed: Directions
    nulls: Sequence[Directions]

    def minus_null(self, scale: str) -> Statistic:
        """Observed minus the mean of the nulls, on the same draws."""
        return minus(STATISTICS[scale](self.observed), mean_of_clouds(scale, self.nulls))

    def each(self, scale: str) -> FloatArray:
        """BCM in each permutation; NaN where it is undefined."""
        values = [evaluate_once(STATISTICS[scale](null), len(null.sizes)) for null in self.nulls]
        return np.array(values, dtype=np.float64)

    def values(self, scale: str) -> FloatArray:
        """BCM in each permutation; those in which it is undefined are left out."""
        values = self.each(scale)
        return values[~np.isnan(values)]


@dataclass(frozen=True)
class Clouds:
    """One system under each condition, on its own tasks.

    Attributes
    ----------
    base : Ground
    raw, offset, features : Directions
        Of all its runs.
    shuffled : mapping of str to ShuffledClouds
        Of the runs that permutations work on (all, or a subsample), raw ("") and "_offset".
    """

    base: Ground
    raw: Directions
    offset: Directions
    features: Directions
    shuffled: Mapping[str, ShuffledClouds]

    def variants(self) -> dict[str, Directions]:
        """The conditions that have a figure of their own, by the end of its name."""
        return {"_offset": self.offset, "": self.raw, "_features": self.features}


def shuffled_clouds(evidence: Evidence, inside: Ground) -> dict[str, ShuffledClouds]:
    """The clouds of some of the runs that permutations work on."""
    return {
        variant: ShuffledClouds(
            inside.cloud(found.observed), [inside.cloud(null) for null in found.nulls]
        )
        for variant, found in evidence.shuffled.items()
    }


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
        shuffled_clouds(evidence, inside),
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
            continue
        shuffled = found.shuffled.get("_offset" if variant.startswith("_offset") else "")
        if shuffled is None:
            yield _absent(name, "no permutations (--controls quick)")
        elif variant.endswith("_minus_null"):
            yield minus_null(
                name, scale, shuffled, n_all=int(found.base.kept.sum()), drawing=drawing
            )
        else:
            yield _null(name, scale, shuffled, drawing)


def minus_null(
    name: str, scale: str, found: ShuffledClouds, *, n_all: int, drawing: Drawing
) -> Estimate:
    """Observed minus the mean of the nulls; ``n_all`` runs there are, in them or not."""
    n_tasks, n_runs = n_judged(scale, found.observed)
    made = estimate(
        name,
        found.minus_null(scale),
        len(found.observed.sizes),
        drawing=drawing,
        n_tasks=n_tasks,
        n_runs=n_runs,
        n_excluded=n_all - found.observed.n_vectors,
        bounds=CATALOGUE[name].bounds,
        reason=bcm(name, scale, found.observed, drawing=drawing).reason
        or "no attributions once outcomes are shuffled",
    )
    return widened(made, found.values(scale))


def _null(name: str, scale: str, found: ShuffledClouds, drawing: Drawing) -> Estimate:
    values = found.values(scale)
    if not len(values):
        return _absent(name, "undefined in all nulls")
    n_tasks, n_runs = n_judged(scale, found.observed)
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
    "attributions": pl.String,
    "observed": pl.Float64,
    "null_mean": pl.Float64,
    "null_sd": pl.Float64,
    "p_value": pl.Float64,
    "n_permutations": pl.Int64,
    "n_runs": pl.Int64,
}


def null_frame(evidence: Evidence) -> pl.DataFrame:
    """Observed and permuted BCM of each system: ``p = (b + 1) / (B + 1)`` from 99 permutations on.

    One-sided: b permutations are as high as the observed figure. With success offset first.
    """
    rows = [
        {"system": name, "scale": scale, "attributions": words, **row}
        for name in evidence.sample.systems
        for scale in STATISTICS
        for variant, words in (("_offset", "success offset"), ("", "raw"))
        if variant in evidence.shuffled
        and (row := _against_null(clouds(evidence, [name]).shuffled[variant], scale))
    ]
    return pl.DataFrame(rows, schema=NULL_SCHEMA)


def _against_null(found: ShuffledClouds, scale: str) -> dict[str, float | int | None] | None:
    values = found.values(scale)
    observed = evaluate_once(STATISTICS[scale](found.observed), len(found.observed.sizes))
    if observed is None or not len(values):
        return None
    p = (1 + float(np.sum(values >= observed))) / (1 + len(values))
    return {
        "observed": observed,
        "null_mean": float(values.mean()),
        "null_sd": float(values.std(ddof=1)) if len(values) > 1 else None,
        "p_value": p if len(values) >= MIN_PERMUTATIONS_P else None,
        "n_permutations": len(values),
        "n_runs": found.observed.n_vectors,
    }


RUNS_SCHEMA: Final = {
    "system": pl.String,
    "bcm": pl.Float64,
    "printed_low": pl.Float64,
    "printed_high": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "excess": pl.Float64,
    "beyond": pl.Float64,
    "n_runs": pl.Int64,
}


def over_runs(evidence: Evidence, *, drawing: Drawing) -> pl.DataFrame:
    """Intervals of the global BCM by resampled runs, as published and corrected."""
    tails = [(1 - drawing.level) / 2, (1 + drawing.level) / 2]
    rows = []
    for number, name in enumerate(evidence.sample.systems):
        own = evidence.observed.values[evidence.sample.system == number]
        found = clouds(evidence, [name])
        value = evaluate_once(STATISTICS["global"](found.raw), len(found.raw.sizes))
        if value is None:
            continue
        drawn = resample_vectors(own, rng=drawing.seed)
        printed = np.quantile(drawn.printed, tails)
        corrected = np.nanquantile(drawn.corrected, tails)
        ends = (*printed.tolist(), *corrected.tolist())
        excess = (1 - value) / found.raw.n_vectors
        rows.append((name, value, *ends, excess, _beyond(found), found.raw.n_vectors))
    return pl.DataFrame(rows, schema=RUNS_SCHEMA, orient="row")


def _beyond(found: Clouds) -> float | None:
    """BCM of all pairs with success offset, minus its null where there is one."""
    if (shuffled := found.shuffled.get("_offset")) is not None:
        return evaluate_once(shuffled.minus_null("global"), len(shuffled.observed.sizes))
    return evaluate_once(STATISTICS["global"](found.offset), len(found.offset.sizes))


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
