"""How much the order of systems hangs on the predictor, the attribution, the similarity, features.

Banerjee and Raichura 2026 leave all four open (section 7). One thing is changed at a time; the
default is LightGBM, TreeSHAP, cosine, all features.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np
import polars as pl
from scipy.stats import kendalltau

from ethogram.measures.consistency.attribution import attribute
from ethogram.measures.consistency.evidence import Evidence, Say, Shuffled
from ethogram.measures.consistency.features import GROUPS
from ethogram.measures.consistency.predictor import (
    Explained,
    Explainer,
    boosted,
    lightgbm_trees,
)
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import ground
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.cosine import cross_task_of
from ethogram.stats.resampling import evaluate_once

MAX_PAIRED: Final = 1_000
"""Runs a system whose signs are compared pair by pair: that has no closed form."""
DEFAULT_SETTING: Final = ("default", "LightGBM, TreeSHAP, cosine, all features")

_bagged: Final = boosted(
    {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.632, "feature_fraction": 0.5}
)


def random_forest(
    features: FloatArray, success: FloatArray, offset: FloatArray, seed: int
) -> Explainer:
    """LightGBM's random forest: trees side by side instead of one after the other.

    Nothing is learnt from a single run: a bag of it would be empty.
    """
    if len(success) < 2:
        return nothing_learnt(success)
    return _bagged(features, success, offset, seed)


def nothing_learnt(success: FloatArray) -> Explainer:
    """The same log-odds for every run, and no attributions."""
    won, n = float(success.sum()), len(success)
    odds = float(np.log((won + 0.5) / (n - won + 0.5)))

    def explain(held_out: FloatArray) -> Explained:
        base = np.full(len(held_out), odds)
        return Explained(np.zeros_like(held_out), base, base)

    return explain


def logistic(features: FloatArray, success: FloatArray, offset: FloatArray, seed: int) -> Explainer:
    """Logistic regression on z-scores; attribution of a feature: its weight times its z-score.

    Nothing is learnt from one outcome only.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  costs seconds

    del offset, seed
    if len(np.unique(success)) < 2:
        return nothing_learnt(success)
    mean = np.nan_to_num(features).mean(axis=0)
    spread = np.nan_to_num(features).std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)

    def scaled(values: FloatArray) -> FloatArray:
        z = (values - mean) / spread
        return np.where(np.isnan(z), 0.0, z)

    fitted = LogisticRegression(max_iter=1000).fit(scaled(features), success)

    def explain(held_out: FloatArray) -> Explained:
        parts = scaled(held_out) * fitted.coef_[0]
        base = np.full(len(parts), float(fitted.intercept_[0]))
        return Explained(parts, base, base + parts.sum(axis=1))

    return explain


def occlusion(
    features: FloatArray, success: FloatArray, offset: FloatArray, seed: int
) -> Explainer:
    """The default trees; attribution of a feature: what its training median in its place changes.

    These parts need not add up: the base is what they leave of the prediction.
    """
    fitted = lightgbm_trees(features, success, offset, seed)
    medians = np.nanmedian(np.where(np.isnan(features).all(axis=0), 0.0, features), axis=0)

    def explain(held_out: FloatArray) -> Explained:
        raw = fitted(held_out).raw
        parts = np.empty_like(held_out)
        for place, median in enumerate(medians):
            hidden = held_out.copy()
            hidden[:, place] = median
            parts[:, place] = raw - fitted(hidden).raw
        return Explained(parts, raw - parts.sum(axis=1), raw)

    return explain


def across_tasks(sample: Sample, vectors: FloatArray) -> list[float | None]:
    """BCM across tasks of each system."""
    values = []
    for number in range(len(sample.systems)):
        base = ground(sample, sample.system == number)
        values.append(evaluate_once(cross_task_of(base.cloud(vectors)), base.n_tasks))
    return values


def centred(sample: Sample, vectors: FloatArray) -> FloatArray:
    """Vectors minus the mean over systems of their mean vectors: each system counts the same."""
    numbers = range(len(sample.systems))
    means = np.array([vectors[sample.system == n].mean(axis=0) for n in numbers])
    moved: FloatArray = vectors - means.mean(axis=0)
    return moved


def sign_agreement(signs: FloatArray, task: IntArray) -> float | None:
    """Mean over pairs of different tasks of the share of features with the same sign.

    Of the features that are non-zero in both; pairs without one are left out.

    >>> sign_agreement(np.array([[1.0, 1, 0], [1, -1, 1]]), np.array([0, 1]))
    0.5
    """
    both = np.abs(signs) @ np.abs(signs).T
    same = (signs @ signs.T + both) / 2
    pairs = (task[:, None] != task[None, :]) & (both > 0)
    return float((same[pairs] / both[pairs]).mean()) if pairs.any() else None


def _agreements(sample: Sample, vectors: FloatArray, seed: int) -> list[float | None]:
    rng = np.random.default_rng(seed)
    values = []
    for number in range(len(sample.systems)):
        own = np.flatnonzero(sample.system == number)
        chosen = rng.permutation(own)[:MAX_PAIRED]
        values.append(sign_agreement(np.sign(vectors[chosen]), sample.task[chosen]))
    return values


def _minus_null(part: Sample, found: Shuffled) -> list[float | None]:
    observed = across_tasks(part, found.observed)
    nulls = [across_tasks(part, null) for null in found.nulls]
    return [
        None if value is None or None in by_system else value - float(np.mean(by_system))
        for value, *by_system in zip(observed, *nulls, strict=True)
    ]


def _settings(
    evidence: Evidence, *, seed: int, executor: Executor | None
) -> Iterator[tuple[tuple[str, str], Callable[[], list[float | None]]]]:
    sample, folds, values = evidence.sample, evidence.observed.folds, evidence.observed.values

    def refit(part: Sample, predictor: Callable[..., Explainer]) -> list[float | None]:
        made = attribute(part, folds, seed=seed, predictor=predictor, executor=executor)
        return across_tasks(sample, made.values)

    yield DEFAULT_SETTING, lambda: across_tasks(sample, values)
    yield ("default", "with success offset"), lambda: across_tasks(sample, evidence.offset.values)
    if (shuffled := evidence.shuffled.get("_offset")) is not None:
        yield (
            ("default", "with success offset, minus its null"),
            lambda: _minus_null(evidence.null_sample, shuffled),
        )
    yield ("predictor", "random forest (LightGBM)"), lambda: refit(sample, random_forest)
    yield ("predictor", "logistic regression"), lambda: refit(sample, logistic)
    yield ("attribution", "occlusion by the median"), lambda: refit(sample, occlusion)
    yield (
        ("similarity", "cosine, centred on all systems"),
        lambda: across_tasks(sample, centred(sample, values)),
    )
    yield ("similarity", "agreement of signs"), lambda: _agreements(sample, values, seed)
    for group, names in GROUPS.items():
        part = sample.without(names)
        if 0 < len(part.names) < len(sample.names):
            yield (
                ("features", f"without {group}"),
                lambda part=part: refit(part, lightgbm_trees),  # type: ignore[misc]
            )


def sensitivity_frames(
    evidence: Evidence, *, seed: int, executor: Executor | None, say: Say
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """BCM across tasks of each system under each setting, and Kendall's tau against the default.

    Raw: with success offset, and minus its null, it stands beside as settings of their own. The tau
    is over systems with a value under both; None of fewer than three.
    """
    systems = evidence.sample.systems
    found: dict[tuple[str, str], list[float | None]] = {}
    for setting, compute in _settings(evidence, seed=seed, executor=executor):
        say(f"sensitivity: {setting[1]}")
        found[setting] = compute()
    rows = [
        {"aspect": aspect, "setting": setting, "system": system, "value": value}
        for (aspect, setting), values in found.items()
        for system, value in zip(systems, values, strict=True)
    ]
    default = dict(zip(systems, found[DEFAULT_SETTING], strict=True))
    taus = [
        {
            "aspect": aspect,
            "setting": setting,
            "tau": _tau(default, dict(zip(systems, values, strict=True))),
            "n_systems": sum(value is not None for value in values),
        }
        for (aspect, setting), values in found.items()
    ]
    return (
        pl.DataFrame(rows, schema_overrides={"value": pl.Float64}),
        pl.DataFrame(taus, schema_overrides={"tau": pl.Float64}),
    )


def _tau(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> float | None:
    pairs = [(a, b) for name, a in one.items() if a is not None and (b := other[name]) is not None]
    if len(pairs) < 3:
        return None
    first, second = np.array(pairs).T
    tau = float(kendalltau(first, second).statistic)
    return None if np.isnan(tau) else tau
