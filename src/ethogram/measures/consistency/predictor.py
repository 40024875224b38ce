"""What predicts success from features, and how much each feature adds to a prediction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from ethogram.errors import MissingDependencyError
from ethogram.stats.arrays import FloatArray

N_TREES: Final = 100


@dataclass(frozen=True)
class Explained:
    """Log-odds of success, taken apart (Banerjee and Raichura 2026, equation 2).

    Attributes
    ----------
    values : ndarray of shape (n_runs, n_features)
        What each feature adds.
    base : ndarray of shape (n_runs,)
        What is predicted without any.
    raw : ndarray of shape (n_runs,)
        The predicted log-odds; ``base + values.sum(axis=1)`` up to rounding.
    """

    values: FloatArray
    base: FloatArray
    raw: FloatArray


Explainer = Callable[[FloatArray], Explained]
Predictor = Callable[[FloatArray, FloatArray, FloatArray, int], Explainer]
"""``(features, success, offset, seed) -> explainer``; the explainer leaves the offset out."""


def load_lightgbm() -> Any:
    """Import LightGBM.

    Raises
    ------
    MissingDependencyError
        If the package or the OpenMP runtime that it is linked to is missing.
    """
    try:
        return import_module("lightgbm")
    except ModuleNotFoundError as err:
        raise MissingDependencyError(
            "consistency needs LightGBM, which is not installed: pip install lightgbm"
        ) from err
    except OSError as err:
        raise MissingDependencyError(
            "consistency needs LightGBM, which needs the OpenMP runtime, which is missing "
            f"({err}): install libgomp1 (Debian, Ubuntu), libgomp (Fedora, Alpine) or libomp "
            "(Homebrew)"
        ) from err


def boosted(parameters: Mapping[str, Any]) -> Predictor:
    """Trees of LightGBM with other parameters than its defaults; 100 of them."""

    def fit(features: FloatArray, success: FloatArray, offset: FloatArray, seed: int) -> Explainer:
        lightgbm = load_lightgbm()
        given = offset if offset.any() else None
        data = lightgbm.Dataset(
            features, success, init_score=given, params={"verbosity": -1, "num_threads": 1}
        )
        booster = lightgbm.train(
            {
                "objective": "binary",
                # one thread: for fits this small OpenMP's threads wait for each other
                "num_threads": 1,
                "deterministic": True,
                "seed": seed,
                "verbosity": -1,
                **parameters,
            },
            data,
            num_boost_round=N_TREES,
        )

        def explain(held_out: FloatArray) -> Explained:
            parts = np.asarray(booster.predict(held_out, pred_contrib=True, num_threads=1))
            raw = np.asarray(booster.predict(held_out, raw_score=True, num_threads=1))
            return Explained(np.ascontiguousarray(parts[:, :-1]), parts[:, -1], raw)

        return explain

    return fit


lightgbm_trees: Final = boosted({})
"""LightGBM's defaults, 100 trees; exact TreeSHAP by its ``pred_contrib``."""
