"""Do measures order systems alike: against one reference, over whole matrices, on half the tasks.

Correlations against one reference are those of Yang et al. 2026, Table 15. Over all pairs of
systems ordinary p values would be too small, since each system is in many pairs: Mantel's test
permutes systems instead.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.similarity.field.means import label_of_scores, mean_matrix, pair_places
from ethogram.measures.similarity.field.means import pair_values as values_of_pairs
from ethogram.measures.similarity.field.references import place_of
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray, RandomSource
from ethogram.stats.correlation import pearson, spearman
from ethogram.stats.mantel import PairOrders, mantel, mantel_ranks, pair_orders
from ethogram.stats.significance import TestResult
from ethogram.stats.task_means import mean_of_means

_CORRELATION: Final = {"measure": pl.String, "other": pl.String, "n_systems": pl.Int64}
_REASON: Final = {"method": pl.String, "reason": pl.String}
CORRELATIONS: Final = {
    **_CORRELATION,
    "pearson": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_pearson": pl.Float64,
    "spearman": pl.Float64,
    "p_spearman": pl.Float64,
    **_REASON,
}
MANTEL: Final = {
    **_CORRELATION,
    "pearson": pl.Float64,
    "p_pearson": pl.Float64,
    "spearman": pl.Float64,
    "p_spearman": pl.Float64,
    "left_out": pl.String,
    **_REASON,
}
HALVES: Final = {
    "name": pl.String,
    "measure": pl.String,
    "n_systems": pl.Int64,
    "n_pairs": pl.Int64,
    "spearman": pl.Float64,
    "p_value": pl.Float64,
    "left_out": pl.String,
    **_REASON,
}
_SPEARMAN: Final = (
    Column("spearman", "Spearman", "correlation"),
    Column("p_spearman", "p", "p"),
)


def correlations_table(measures: Sequence[Scores], reference: str, *, level: float = 0.95) -> Table:
    """Correlation of every two measures over the other systems' similarities to one reference.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    reference : str
        Name of a system.
    level : float
        Nominal coverage of the interval of Pearson's correlation.

    Returns
    -------
    Table
        ``correlations``: a row for each two measures, over the systems where both are defined;
        systems count as independent.

    Raises
    ------
    UnknownNameError
        If the reference is no system.
    """
    rows = []
    for one, other in combinations(measures, 2):
        first, second = _to(one, reference), _to(other, reference)
        both = ~(np.isnan(first) | np.isnan(second))
        line = pearson(first[both], second[both], level=level)
        interval = line.interval
        rows.append(
            {
                **_two(one, other, int(both.sum())),
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                **_coefficients(one, other, line, spearman(first[both], second[both])),
            }
        )
    return Table(
        "correlations",
        f"Measures against {reference}",
        pl.DataFrame(rows, schema=CORRELATIONS),
        (
            Column("measure", "Measure"),
            Column("other", "Other measure"),
            Column("n_systems", "Systems", "count"),
            Column("pearson", "Pearson", "correlation"),
            Column("low", "from", "correlation"),
            Column("high", "to", "correlation"),
            Column("p_pearson", "p", "p"),
            *_SPEARMAN,
            Column("reason", "Missing because"),
        ),
        f"Over the other systems' similarities to {reference}. AGS goes with its own parts by "
        "construction.",
    )


def _to(scores: Scores, reference: str) -> FloatArray:
    """Similarity of the other systems to the reference."""
    place = place_of(scores, reference)
    return np.delete(mean_matrix(scores)[place], place)


def _two(one: Scores, other: Scores, n_systems: int) -> dict[str, object]:
    return {
        "measure": label_of_scores(one),
        "other": label_of_scores(other),
        "n_systems": n_systems,
    }


def _coefficients(
    one: Scores, other: Scores, line: TestResult, ranks: TestResult
) -> dict[str, object]:
    missing = line.reason or ranks.reason
    return {
        "pearson": line.statistic,
        "p_pearson": line.p_value,
        "spearman": ranks.statistic,
        "p_spearman": ranks.p_value,
        "method": f"{line.method}; {ranks.method}",
        "reason": missing and (one.reason or other.reason or missing),
    }


def complete(matrices: Sequence[FloatArray]) -> list[int]:
    """Objects between which every pair is known in all matrices.

    The object with the most unknown pairs is dropped (of equals the last) until none is left.

    >>> nan = float("nan")
    >>> complete([np.array([[nan, 1, nan], [1, nan, 1], [nan, 1, nan]])])
    [0, 1]
    """
    unknown = np.any([np.isnan(matrix) for matrix in matrices], axis=0)
    np.fill_diagonal(unknown, val=False)
    left = list(range(len(unknown)))
    while unknown[np.ix_(left, left)].any():
        counts = unknown[np.ix_(left, left)].sum(axis=0)
        left.pop(len(counts) - 1 - int(np.argmax(counts[::-1])))
    return left


class _Orders:
    """One draw of orders for each number of systems."""

    def __init__(self, rng: RandomSource) -> None:
        self._rng = rng
        self._drawn: dict[int, PairOrders] = {}

    def of(self, n_objects: int) -> PairOrders:
        if n_objects not in self._drawn:
            self._drawn[n_objects] = pair_orders(n_objects, rng=self._rng)
        return self._drawn[n_objects]


def mantel_table(measures: Sequence[Scores], *, rng: RandomSource = 0) -> Table:
    """Correlation of every two measures over all pairs of systems, with Mantel's test.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    rng : int, SeedSequence or Generator
        For the permutations of more than seven systems.

    Returns
    -------
    Table
        ``mantel``: a row for each two measures, over the systems between which both are known for
        every pair; the others are named as left out.
    """
    orders = _Orders(rng)
    rows = []
    for one, other in combinations(measures, 2):
        matrices = mean_matrix(one), mean_matrix(other)
        left = complete(matrices)
        first, second = (_of(each, left) for each in matrices)
        drawn = orders.of(len(left))
        line = mantel(first, second, orders=drawn)
        ranks = mantel_ranks(first, second, orders=drawn)
        rows.append(
            {
                **_two(one, other, len(left)),
                "left_out": _names(one.systems, left),
                **_coefficients(one, other, line, ranks),
            }
        )
    return Table(
        "mantel",
        "Measures over all pairs of systems",
        pl.DataFrame(rows, schema=MANTEL),
        (
            Column("measure", "Measure"),
            Column("other", "Other measure"),
            Column("n_systems", "Systems", "count"),
            Column("pearson", "Pearson", "correlation"),
            Column("p_pearson", "p", "p", "Mantel: systems of one matrix permuted."),
            *_SPEARMAN,
            Column("left_out", "Left out", "", "Systems with a pair that isn't known."),
            Column("reason", "Missing because"),
        ),
        "Mantel's test permutes systems, not pairs: each system is in many pairs. AGS goes with "
        "its own parts by construction.",
    )


def _of(matrix: FloatArray, left: list[int]) -> FloatArray:
    chosen: FloatArray = matrix[np.ix_(left, left)]
    return chosen


def _names(systems: Sequence[str], left: list[int]) -> str:
    return ", ".join(name for place, name in enumerate(systems) if place not in left)


def halves_table(measures: Sequence[Scores], *, rng: RandomSource = 0) -> Table:
    """Do odd and even tasks order pairs of systems alike.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems; tasks are split in their order: first, third, ... against
        second, fourth, ...
    rng : int, SeedSequence or Generator
        For the permutations of more than seven systems.

    Returns
    -------
    Table
        ``halves``: Spearman's correlation over pairs with Mantel's p value, a row a measure.
    """
    orders = _Orders(rng)
    rows = []
    for scores in measures:
        odd, even = (_half(scores, start) for start in (0, 1))
        left = complete([odd, even])
        found = mantel_ranks(_of(odd, left), _of(even, left), orders=orders.of(len(left)))
        rows.append(
            {
                "name": scores.name,
                "measure": label_of_scores(scores),
                "n_systems": len(left),
                "n_pairs": len(left) * (len(left) - 1) // 2,
                "spearman": found.statistic,
                "p_value": found.p_value,
                "left_out": _names(scores.systems, left),
                "method": found.method,
                "reason": None if found.reason is None else scores.reason or found.reason,
            }
        )
    return Table(
        "halves",
        "Odd tasks against even tasks",
        pl.DataFrame(rows, schema=HALVES),
        (
            Column("measure", "Measure"),
            Column("spearman", "Spearman", "correlation", "Of the pairs' similarities."),
            Column("p_value", "p", "p", "Mantel: systems permuted."),
            Column("n_pairs", "Pairs", "count"),
            Column("n_systems", "Systems", "count"),
            Column("left_out", "Left out", "", "Systems with a pair that isn't known in a half."),
            Column("reason", "Missing because"),
        ),
        "How far the order of pairs would hold on other tasks of the kind; each half has half of "
        "the tasks, so the whole holds better than this.",
    )


def _half(scores: Scores, start: int) -> FloatArray:
    n = len(scores.systems)
    first, second = pair_places(n)
    matrix = np.full((n, n), np.nan)
    halves = [values[:, start::2] for values in values_of_pairs(scores, first, second)]
    matrix[first, second] = matrix[second, first] = mean_of_means(halves).values
    return matrix
