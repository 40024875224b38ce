"""Are systems of one family more alike than systems of two (Yang et al. 2026, Table 2)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.field.means import (
    difference,
    label_of_scores,
    pair_values,
)
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray, RandomSource
from ethogram.stats.grouping import NO_PAIR, NOT_KNOWN, ONE_GROUP, grouping_test
from ethogram.stats.task_means import TaskMeans, combined, intervals_of, mean_of_means

SCHEMA: Final = {
    "name": pl.String,
    "measure": pl.String,
    "within": pl.Float64,
    "cross": pl.Float64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_value": pl.Float64,
    "n_within": pl.Int64,
    "n_cross": pl.Int64,
    "n_systems": pl.Int64,
    "n_tasks": pl.Int64,
    "method": pl.String,
    "note": pl.String,
    "reason": pl.String,
}

REASONS: Final = {
    ONE_GROUP: "fewer than two families",
    NO_PAIR: "no family has two systems",
    NOT_KNOWN: "no pair is known on one of the two sides",
}


def members(
    families: Mapping[str, Sequence[str]], systems: Sequence[str]
) -> tuple[IntArray, list[int]]:
    """Places of the systems that have a family, and the number of each one's family.

    Raises
    ------
    UnknownNameError
        If a family names a system that isn't there.
    UsageError
        If a system is in two families.
    """
    family_of: dict[int, int] = {}
    for number, (family, names) in enumerate(families.items()):
        for name in dict.fromkeys(names):
            if name not in systems:
                raise UnknownNameError(f"system (of family {family!r})", name, list(systems))
            if systems.index(name) in family_of:
                raise UsageError(f"a system has one family; {name!r} is in two")
            family_of[systems.index(name)] = number
    places = sorted(family_of)
    return np.array(places, dtype=np.int64), [family_of[place] for place in places]


def families_table(
    measures: Sequence[Scores],
    families: Mapping[str, Sequence[str]],
    *,
    level: float = 0.95,
    rng: RandomSource = 0,
) -> Table:
    """Mean similarity within families minus that across, with an interval and a permutation test.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    families : mapping of str to sequence of str
        Systems of each family; a system without a family plays no part, one that is alone in its
        family only across.
    level : float
        Nominal coverage of the interval, which is over tasks: for these systems.
    rng : int, SeedSequence or Generator
        For the permutations, where they can't be enumerated; p is about the systems: whether
        families would differ as much if they were dealt at random.

    Returns
    -------
    Table
        ``families``: a row a measure. Each pair of systems that is known counts once.

    Raises
    ------
    UnknownNameError, UsageError
        As `members`.
    """
    rows = [_row(scores, families, level=level, rng=rng) for scores in measures]
    n_left_out = sum(
        len(scores.systems) - len(members(families, scores.systems)[0]) for scores in measures[:1]
    )
    left_out = f" Systems without a family, which play no part: {n_left_out}." if n_left_out else ""
    return Table(
        "families",
        "Within families and across",
        pl.DataFrame(rows, schema=SCHEMA),
        (
            Column("measure", "Measure"),
            Column("within", "Within families", "share"),
            Column("cross", "Across", "share"),
            Column("difference", "Difference", "points"),
            Column("low", "from", "points"),
            Column("high", "to", "points"),
            Column("p_value", "p", "p", "One-sided: families dealt to the systems at random."),
            Column("n_within", "Pairs within", "count"),
            Column("n_cross", "Pairs across", "count"),
            Column("n_tasks", "Tasks", "count"),
            Column("note", "Note"),
            Column("reason", "Missing because"),
        ),
        f"The interval is over tasks, p over the labels of systems.{left_out}",
    )


def _row(
    scores: Scores,
    families: Mapping[str, Sequence[str]],
    *,
    level: float,
    rng: RandomSource,
) -> dict[str, object]:
    places, groups = members(families, scores.systems)
    row: dict[str, object] = dict.fromkeys(SCHEMA)
    row |= {"name": scores.name, "measure": label_of_scores(scores), "n_systems": len(places)}
    first, second = np.triu_indices(len(places), 1)
    means = mean_of_means(pair_values(scores, places[first], places[second]))
    matrix = np.full((len(places), len(places)), np.nan)
    matrix[first, second] = matrix[second, first] = means.values
    test = grouping_test(matrix, groups, rng=rng)
    if test.reason is not None:
        return row | {"reason": scores.reason or REASONS[test.reason]}
    within = np.equal.outer(groups, groups)[first, second]
    known = ~np.isnan(means.values)
    sums = combined(means, _weights(within & known, ~within & known))
    asked = difference(scores.name, scores, level=level)
    (interval,) = intervals_of(_last(sums), level=level, bounds=asked.bounds)
    return row | {
        "within": sums.values[0],
        "cross": sums.values[1],
        "difference": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "p_value": test.p_value,
        "n_within": int((within & known).sum()),
        "n_cross": int((~within & known).sum()),
        "n_tasks": int(sums.n_tasks[2]),
        "method": f"{interval.method}; {test.method}"
        if interval.reason is None
        else f"no interval: {interval.reason}; {test.method}",
        "note": test.note,
    }


def _weights(within: BoolArray, cross: BoolArray) -> FloatArray:
    """Rows: mean within, mean across, their difference."""
    inside, across = within / within.sum(), cross / cross.sum()
    return np.stack([inside, across, inside - across]).astype(np.float64)


def _last(sums: TaskMeans) -> TaskMeans:
    return TaskMeans(sums.values[2:], sums.pulls[2:], sums.used[2:], sums.fewest[2:])
