"""The full matrix: every pair of systems by every measure."""

from collections.abc import Sequence
from dataclasses import replace

from ethogram.measures.similarity.field.means import (
    Asked,
    estimates,
    joint_runs,
    label_of_scores,
    pair_places,
    pair_values,
    side_by_side,
)
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.table import Table


def similarity_table(measures: Sequence[Scores], *, level: float = 0.95) -> Table:
    """Mean similarity over tasks of every pair of systems, by every measure.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``similarity``: estimates with the keys ``first`` and ``second``, named as the measures; the
        tasks of an estimate are those where it is defined for the pair.
    """
    rows = []
    for scores in measures:
        first, second = pair_places(len(scores.systems))
        asked = Asked(scores.name, bounds=scores.bounds, level=level)
        runs = joint_runs(scores, first, second)
        found = estimates(asked, scores, pair_values(scores, first, second), runs)
        rows += [
            ({"first": scores.systems[one], "second": scores.systems[other]}, estimate)
            for one, other, estimate in zip(first, second, found, strict=True)
        ]
    table = side_by_side(
        "similarity",
        "How alike systems are",
        rows,
        {scores.name: label_of_scores(scores) for scores in measures},
        keys=("first", "second"),
        about="Mean over the tasks that both ran and where the measure is defined. AGS is the mean "
        "of the means of its parts.",
    )
    return replace(table, main=True)
