"""How good the predictor is, what it looks at, and whether attributions tell systems apart."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.consistency.attribution import Attribution
from ethogram.measures.consistency.catalogue import CATALOGUE
from ethogram.measures.consistency.evidence import Evidence
from ethogram.measures.consistency.predictor import load_lightgbm
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import Drawing, estimate
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.auc import auc, auc_of, auc_within_of, balanced_accuracy_of, calibration

IDENTITY_TREES: Final = 30


def predictor_rows(evidence: Evidence, *, drawing: Drawing) -> Iterator[Estimate]:
    """AUC pooled (with an interval over tasks), over folds, and within systems."""
    sample, observed = evidence.sample, evidence.observed
    n_runs = len(sample.success)
    yield estimate(
        "auc",
        auc_of(observed.raw, sample.success, sample.task),
        sample.n_tasks,
        drawing=drawing,
        n_runs=n_runs,
        unit=CATALOGUE["auc"].unit,
        bounds=(0.0, 1.0),
    )
    folds = [value for value in fold_aucs(sample, observed) if value is not None]
    n_folds = len(np.unique(observed.folds))
    yield Estimate(
        name="auc_folds",
        unit=CATALOGUE["auc_folds"].unit,
        value=float(np.mean(folds)) if folds else None,
        level=drawing.level,
        n_tasks=sample.n_tasks,
        n_runs=n_runs,
        method=f"{len(folds)} of {n_folds} folds; {n_folds - len(folds)} of one class left out",
        reason=None if folds else "every fold has one class only",
    )
    yield estimate(
        "auc_within_systems",
        auc_within_of(evidence.offset.raw, sample.success, sample.task, sample.system),
        sample.n_tasks,
        drawing=drawing,
        n_runs=n_runs,
        unit=CATALOGUE["auc_within_systems"].unit,
        bounds=(0.0, 1.0),
        reason="no system has both outcomes",
    )


def fold_aucs(sample: Sample, found: Attribution) -> list[float | None]:
    """AUC of each fold; None where it has one class only."""
    return [
        auc(found.raw[found.folds == fold], sample.success[found.folds == fold])
        for fold in np.unique(found.folds)
    ]


def folds_frame(evidence: Evidence) -> pl.DataFrame:
    """One row a fold: its runs, tasks, success and AUC."""
    sample, folds = evidence.sample, evidence.observed.folds
    return pl.DataFrame(
        [
            {
                "fold": int(fold) + 1,
                "n_runs": int((folds == fold).sum()),
                "n_tasks": len(np.unique(sample.task[folds == fold])),
                "success_rate": float(sample.success[folds == fold].mean()),
                "auc": value,
            }
            for fold, value in zip(
                np.unique(folds), fold_aucs(sample, evidence.observed), strict=True
            )
        ],
        schema_overrides={"auc": pl.Float64},
    )


def calibration_frame(evidence: Evidence) -> pl.DataFrame:
    """Predicted and observed success in ten bins of equally many runs."""
    bins = calibration(evidence.observed.probability, evidence.sample.success)
    return pl.DataFrame([each._asdict() for each in bins])


def importances_frame(evidence: Evidence) -> pl.DataFrame:
    """Mean absolute attribution of each feature, most important first, and per system.

    ``share`` is of the sum over features; ``offset`` is the same with the success offset.
    """
    raw, offset = (
        np.abs(found.values).mean(axis=0) for found in (evidence.observed, evidence.offset)
    )
    frame = pl.DataFrame(
        {
            "feature": evidence.sample.names,
            "importance": raw,
            "share": raw / max(float(raw.sum()), 1e-300),
            "importance_offset": offset,
        }
    )
    return frame.sort("importance", "feature", descending=[True, False])


def identity_rows(evidence: Evidence, *, drawing: Drawing, seed: int) -> Iterator[Estimate]:
    """How well attributions tell whose run it is (see `told_apart`)."""
    for name, found in (("identity", evidence.observed), ("identity_offset", evidence.offset)):
        sample = evidence.sample
        if len(sample.systems) < 2:
            reason = "one system"
            yield Estimate(name=name, unit="share", value=None, n_tasks=0, n_runs=0, reason=reason)
            continue
        guess = told_apart(found.values, sample.system, found.folds, seed=seed)
        right = guess == sample.system
        yield estimate(
            name,
            balanced_accuracy_of(right, sample.system, sample.task, sample.n_tasks),
            sample.n_tasks,
            drawing=drawing,
            n_runs=len(right),
            unit="share",
            bounds=(0.0, 1.0),
        )


def told_apart(vectors: FloatArray, system: IntArray, folds: IntArray, *, seed: int) -> IntArray:
    """Guess the system of each run from its vector, by trees that saw the other folds.

    Every system counts the same in the fit, however many runs it has.
    """
    lightgbm = load_lightgbm()
    n_systems = int(system.max()) + 1
    guess = np.zeros(len(system), dtype=np.int64)
    for fold in np.unique(folds):
        test, train = folds == fold, folds != fold
        sizes = np.bincount(system[train], minlength=n_systems)
        data = lightgbm.Dataset(
            vectors[train],
            system[train],
            weight=(1 / np.maximum(sizes, 1))[system[train]] * train.sum() / n_systems,
            params={"verbosity": -1, "num_threads": 1},
        )
        parameters = {
            "objective": "multiclass",
            "num_class": n_systems,
            "num_threads": 1,
            "deterministic": True,
            "seed": seed,
            "verbosity": -1,
        }
        booster = lightgbm.train(parameters, data, num_boost_round=IDENTITY_TREES)
        scores = np.asarray(booster.predict(vectors[test], num_threads=1))
        guess[test] = scores.argmax(axis=1)
    return guess


def importance_rows(evidence: Evidence) -> pl.DataFrame:
    """Mean attribution (with its sign) of each feature in each system."""
    sample = evidence.sample
    rows = [
        {"system": name, "feature": feature, "mean": float(mean), "mean_offset": float(beyond)}
        for number, name in enumerate(sample.systems)
        for feature, mean, beyond in zip(
            sample.names,
            evidence.observed.values[sample.system == number].mean(axis=0),
            evidence.offset.values[sample.system == number].mean(axis=0),
            strict=True,
        )
    ]
    return pl.DataFrame(rows)
