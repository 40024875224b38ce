"""How far two labels of the same items agree: those of two orders, or of two judges."""

from collections.abc import Iterable

import numpy as np

from ethogram.results.estimate import Estimate
from ethogram.results.ratings import (
    Ratings,
    agreement_estimate,
    kappa_interval,
    share_within,
)


def ratings_of(rows: Iterable[tuple[str, tuple[str, ...], int, int]]) -> Ratings:
    """Ratings from rows of task, runs behind the item, first and second rating."""
    found = list(rows)
    numbers: dict[str, int] = {}
    task = [numbers.setdefault(name, len(numbers)) for name, *_ in found]
    return Ratings(
        np.array([first for _, _, first, _ in found], dtype=np.float64),
        np.array([second for _, _, _, second in found], dtype=np.float64),
        np.array(task, dtype=np.int64),
        len({run for _, runs, _, _ in found for run in runs}),
    )


def agreement(ratings: Ratings, *, level: float = 0.95, seed: int = 0) -> list[Estimate]:
    """Cohen's kappa and the share of equal ratings.

    Every two different labels are equally far apart.

    Parameters
    ----------
    ratings : Ratings
        Two ratings of the same items.
    level : float
        Nominal coverage of the intervals, which are over tasks.
    seed : int
        Of the resamples of kappa.

    Returns
    -------
    list of Estimate
        ``kappa`` (-1 to 1; without a value where all ratings are the same) and ``exact`` (0 to 1).

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales.
    """
    kappa = kappa_interval(ratings, weights="equal", level=level, seed=seed)
    return [
        agreement_estimate("kappa", "correlation", ratings, kappa),
        agreement_estimate("exact", "share", ratings, share_within(ratings, level=level)),
    ]
