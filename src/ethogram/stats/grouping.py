"""Are objects of one group more alike than objects of two? A permutation test over labels.

::

    within_and_cross(groups) -> (BoolArray, BoolArray)
    grouping_test(similarities, groups, *, rng=0, n_permutations=10_000) -> TestResult
    n_labellings(sizes) -> int
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import factorial, prod
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray, RandomSource
from ethogram.stats.significance import TestResult, no_result

MAX_EXACT: Final = 10_000
N_PERMUTATIONS: Final = 10_000
ENOUGH: Final = 20
"""Labellings below which p can't be 0.05 or less."""
TOLERANCE: Final = 1e-9
ONE_GROUP: Final = "all objects are in one group"
NO_PAIR: Final = "no group has two objects"
NOT_KNOWN: Final = "no similarity is known on one of the two sides"
METHOD: Final = "permutation of labels, one-sided"


def n_labellings(sizes: Sequence[int]) -> int:
    """In how many ways objects fall into groups of these sizes, whatever the groups are called.

    >>> n_labellings([2, 2]), n_labellings([2, 2, 1]), n_labellings([3, 2])
    (3, 15, 10)
    """
    named = factorial(sum(sizes)) // prod(map(factorial, sizes))
    return named // prod(map(factorial, Counter(sizes).values()))


def within_and_cross(groups: Sequence[int]) -> tuple[BoolArray, BoolArray]:
    """For each pair of objects (upper triangle, row by row) whether it lies in one group, or not.

    >>> within_and_cross([0, 0, 1])[0].tolist()
    [True, False, False]
    """
    labels = np.asarray(groups)
    rows, columns = np.triu_indices(len(labels), 1)
    within: BoolArray = labels[rows] == labels[columns]
    return within, ~within


def grouping_test(
    similarities: FloatArray,
    groups: Sequence[int],
    *,
    rng: RandomSource = 0,
    n_permutations: int = N_PERMUTATIONS,
) -> TestResult:
    """Mean similarity within groups minus that across, against labels dealt anew.

    Parameters
    ----------
    similarities : ndarray of shape (n_objects, n_objects)
        Symmetric; the diagonal is not read. A NaN pair plays no part, whatever its labels.
    groups : sequence of int
        Group of each object; one may be alone in its group.
    rng : int, SeedSequence or Generator
        Used where there are more than 10,000 labellings.
    n_permutations : int
        Random labellings then; p is ``(b + 1) / (n_permutations + 1)``.

    Returns
    -------
    TestResult
        ``statistic`` is the contrast, each pair counting once; the p value is the share of
        labellings with groups of the same sizes whose contrast is at least as large (one-sided).
        No p value when all objects are one group, no group has two, or no pair is known within or
        across. With fewer than 20 labellings p can't be 0.05 or less, and a note says so.
        Labellings without a known pair on one of the sides are left out.

    Raises
    ------
    UsageError
        If there isn't one label for each object.

    Examples
    --------
    >>> alike = np.array([[1, 0.9, 0.1, 0.1], [0.9, 1, 0.1, 0.1], [0.1, 0.1, 1, 0.7],
    ...                   [0.1, 0.1, 0.7, 1]])
    >>> found = grouping_test(alike, [0, 0, 1, 1])
    >>> round(found.statistic, 3), round(found.p_value, 3), found.note
    (0.7, 0.333, 'only 3 labellings: p can not be below 0.333')
    """
    n = len(similarities)
    if similarities.shape != (n, n) or len(groups) != n:
        raise UsageError(
            f"similarities must be square with a group for each object; "
            f"got shape {similarities.shape} and {len(groups)} groups"
        )
    pairs = similarities[np.triu_indices(n, 1)]
    known = ~np.isnan(pairs)
    reason = _unusable(groups, known)
    if reason is not None:
        return no_result(reason, method=METHOD, n=n)
    total = n_labellings(list(Counter(groups).values()))
    exact = total <= MAX_EXACT
    labels = _all(groups) if exact else _drawn(groups, n_permutations, rng)
    contrasts = _contrasts(np.where(known, pairs, 0.0), known, labels)
    observed = float(_contrasts(np.where(known, pairs, 0.0), known, np.array([groups]))[0])
    contrasts = contrasts[~np.isnan(contrasts)]
    reached = int(np.sum(contrasts >= observed - TOLERANCE))
    least = 1 / len(contrasts)
    return TestResult(
        statistic=observed,
        p_value=reached * least if exact else (reached + 1) / (len(contrasts) + 1),
        n=n,
        method=f"{METHOD}, " + (f"all {total:,}" if exact else f"{n_permutations:,} random"),
        note=f"only {len(contrasts)} labellings: p can not be below {least:.3f}"
        if len(contrasts) < ENOUGH
        else None,
    )


def _unusable(groups: Sequence[int], known: BoolArray) -> str | None:
    if len(set(groups)) < 2:
        return ONE_GROUP
    within, cross = within_and_cross(groups)
    if not within.any():
        return NO_PAIR
    if not (known & within).any() or not (known & cross).any():
        return NOT_KNOWN
    return None


def _contrasts(pairs: FloatArray, known: BoolArray, labels: IntArray) -> FloatArray:
    """Within minus cross for each labelling, shape (n_labellings,); NaN without a known pair."""
    rows, columns = np.triu_indices(labels.shape[1], 1)
    within = (labels[:, rows] == labels[:, columns]).astype(np.float64)
    n_within = within @ known
    n_cross = known.sum() - n_within
    inside = within @ pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        contrasts: FloatArray = inside / n_within - (pairs.sum() - inside) / n_cross
    return np.where((n_within > 0) & (n_cross > 0), contrasts, np.nan)


def _all(groups: Sequence[int]) -> IntArray:
    """Every way to form groups of these sizes, once each."""
    sizes = sorted(Counter(groups).values(), reverse=True)
    labels = [-1] * len(groups)
    return np.array([list(each) for each in _fill(labels, sizes, 0)], dtype=np.int64)


def _fill(labels: list[int], sizes: list[int], place: int) -> Iterator[list[int]]:
    """Labellings in which groups of one size are told apart by their first object."""
    free = [index for index, label in enumerate(labels) if label < 0]
    if not free:
        yield labels
        return
    for chosen in _next_sets(free, sizes):
        for index in chosen:
            labels[index] = place
        rest = sizes.copy()
        rest.remove(len(chosen))
        yield from _fill(labels, rest, place + 1)
        for index in chosen:
            labels[index] = -1


def _next_sets(free: list[int], sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Groups that hold the first free object, of each size that is left."""
    for size in sorted(set(sizes)):
        for others in combinations(free[1:], size - 1):
            yield (free[0], *others)


def _drawn(groups: Sequence[int], n_permutations: int, rng: RandomSource) -> IntArray:
    labels = np.tile(np.asarray(groups, dtype=np.int64), (n_permutations, 1))
    return np.random.default_rng(rng).permuted(labels, axis=1)
