"""How far an order of objects holds when it is computed again.

::

    kendall_taus(full, again) -> FloatArray
    same_order(full, again) -> BoolArray
"""

from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import BoolArray, FloatArray

TOLERANCE: Final = 1e-12
"""Values closer than this are tied."""


def kendall_taus(full: FloatArray, again: FloatArray) -> FloatArray:
    """Kendall's tau-b of each new set of values with the full one.

    Parameters
    ----------
    full : ndarray of shape (n_objects,)
        Finite.
    again : ndarray of shape (n_sets, n_objects)
        NaN: the object isn't in that set.

    Returns
    -------
    ndarray of shape (n_sets,)
        From -1 to 1; NaN with fewer than two objects, or where all are tied on one side.

    Raises
    ------
    UsageError
        If shapes don't fit.

    Examples
    --------
    >>> kendall_taus(np.array([1.0, 2.0, 3.0]), np.array([[1.0, 3.0, 2.0]])).round(4).tolist()
    [0.3333]
    """
    one, others, _ = _signs(full, again)
    tied = np.sqrt((one**2).sum(axis=1) * (others**2).sum(axis=1))
    products = (one * others).sum(axis=1)
    return np.where(tied > 0, products / np.where(tied > 0, tied, 1.0), np.nan)


def same_order(full: FloatArray, again: FloatArray) -> BoolArray:
    """Whether each new set has its objects in the very order of the full one, ties included.

    Parameters
    ----------
    full, again
        As `kendall_taus`.

    Returns
    -------
    ndarray of bool, shape (n_sets,)
        True also with fewer than two objects, whose order can't change.

    Examples
    --------
    >>> same_order(np.array([1.0, 2.0]), np.array([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2]])).tolist()
    [True, False, False]
    """
    one, others, both = _signs(full, again)
    same: BoolArray = ((one == others) | ~both).all(axis=1)
    return same


def _signs(full: FloatArray, again: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Signs of the differences of all pairs of objects, 0 where a set has not both."""
    if again.ndim != 2 or full.shape != again.shape[1:]:
        raise UsageError(
            f"again must hold sets of as many objects as full; got {again.shape} and {full.shape}"
        )
    first, second = np.triu_indices(len(full), 1)
    differences = again[:, first] - again[:, second]
    both: BoolArray = ~np.isnan(differences)
    one = np.where(both, _sign(full[first] - full[second]), 0.0)
    return one, np.where(both, _sign(differences), 0.0), both


def _sign(differences: FloatArray) -> FloatArray:
    return np.where(np.abs(differences) > TOLERANCE, np.sign(differences), 0.0)
