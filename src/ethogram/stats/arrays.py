"""Array types and the one check that every kernel does on its input."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

RandomSource: TypeAlias = int | np.random.SeedSequence | np.random.Generator
"""What `numpy.random.default_rng` takes: a seed gives the same numbers each time, a generator goes
on where it stands."""


def as_vector(values: npt.ArrayLike, *, name: str) -> FloatArray:
    """One-dimensional float64 array of finite numbers.

    Raises
    ------
    UsageError
        If the array has another shape or holds NaN or infinity: what is missing must be left out
        and counted by the caller, who alone knows what it means.
    """
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise UsageError(f"{name} must be one-dimensional; got shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise UsageError(f"{name} must be finite; leave missing values out and count them")
    return vector


def as_pair(
    first: npt.ArrayLike, second: npt.ArrayLike, *, names: tuple[str, str] = ("first", "second")
) -> tuple[FloatArray, FloatArray]:
    """Two finite vectors of equal length, element by element a pair.

    Raises
    ------
    UsageError
        If the lengths differ, or as `as_vector`.
    """
    one, other = as_vector(first, name=names[0]), as_vector(second, name=names[1])
    if len(one) != len(other):
        raise UsageError(
            f"{names[0]} and {names[1]} must be pairs; got {len(one)} and {len(other)} values"
        )
    return one, other


def midranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; equal values share the mean of theirs.

    Examples
    --------
    >>> midranks(np.array([10.0, 30.0, 20.0, 30.0])).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    return ranks
