"""How far two raters agree.

::

    cohen_kappa(first, second, *, weights="quadratic") -> float
    share_within(first, second, *, distance=0) -> float      0: exact agreement, 1: within one
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ethogram.errors import NotEnoughDataError
from ethogram.stats.arrays import FloatArray, as_pair

Weights = Literal["equal", "linear", "quadratic"]

DISAGREEMENT: Final[Mapping[Weights, Callable[[FloatArray], FloatArray]]] = {
    "equal": lambda gap: (gap != 0).astype(np.float64),
    "linear": np.abs,
    "quadratic": np.square,
}


def cohen_kappa(
    first: npt.ArrayLike, second: npt.ArrayLike, *, weights: Weights = "quadratic"
) -> float:
    """Agreement of two raters beyond chance.

    ``1 - observed / expected`` disagreement, expected being that of ratings paired at random. 1
    when they always agree, 0 when no more than chance, negative when less.

    Parameters
    ----------
    first, second : array-like of shape (n_items,)
        Ratings of the same items as numbers; for names use any numbers and ``weights="equal"``.
    weights : {"equal", "linear", "quadratic"}
        How disagreement grows with the distance between two ratings.

    Raises
    ------
    NotEnoughDataError
        Without items, or when both raters give all items the same rating (0 / 0).
    UsageError
        If the lengths differ.

    References
    ----------
    Cohen (1960, 1968).

    Examples
    --------
    >>> cohen_kappa([1, 2, 3], [1, 2, 3]), cohen_kappa([1, 1, 2, 2], [1, 2, 1, 2])
    (1.0, 0.0)
    """
    one, other = as_pair(first, second)
    disagreement = DISAGREEMENT[weights]
    levels_one, counts_one = np.unique(one, return_counts=True)
    levels_other, counts_other = np.unique(other, return_counts=True)
    gaps = disagreement(levels_one[:, None] - levels_other[None, :])
    expected = float(counts_one @ gaps @ counts_other) / max(1, len(one)) ** 2
    if expected == 0:
        raise NotEnoughDataError("kappa is undefined: no items, or all with the same rating")
    return 1 - float(disagreement(one - other).mean()) / expected


def share_within(first: npt.ArrayLike, second: npt.ArrayLike, *, distance: float = 0) -> float:
    """Share of items whose two ratings lie at most ``distance`` apart.

    Raises
    ------
    NotEnoughDataError
        Without items.
    UsageError
        If the lengths differ.

    Examples
    --------
    >>> share_within([1, 2, 3, 5], [1, 3, 5, 5], distance=1)
    0.75
    """
    one, other = as_pair(first, second)
    if len(one) == 0:
        raise NotEnoughDataError("no items to agree on")
    return float(np.mean(np.abs(one - other) <= distance))
