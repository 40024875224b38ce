"""The tasks at which a pair of systems is most and least alike."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from ethogram.errors import UsageError
from ethogram.measures.similarity.field.means import label_of_scores
from ethogram.measures.similarity.field.references import place_of
from ethogram.measures.similarity.task_scores import Scores, parts_of
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray

N_TASKS: Final = 3
MOST, LEAST = "most alike", "least alike"
SCHEMA: Final = {
    "name": pl.String,
    "measure": pl.String,
    "first": pl.String,
    "second": pl.String,
    "end": pl.String,
    "rank": pl.Int64,
    "task": pl.String,
    "score": pl.Float64,
    "n_as": pl.Int64,
}


def extremes_table(
    measures: Sequence[Scores],
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    n_tasks: int = N_TASKS,
) -> Table:
    """The tasks with the highest and the lowest score of each pair by each measure.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems and tasks. A composite has a score at the tasks where all its
        parts are defined: their mean.
    pairs : sequence of (str, str), optional
        Names of systems; without them all pairs.
    n_tasks : int
        Tasks at each end, at least 1. With fewer than twice as many, each task stands at one end
        only.

    Returns
    -------
    Table
        ``extremes``; of tasks with the same score the first in order are named, and ``n_as`` counts
        how many have that score.

    Raises
    ------
    UsageError
        If ``n_tasks`` is not positive.
    UnknownNameError
        If a pair names an unknown system.
    """
    if n_tasks < 1:
        raise UsageError(f"n_tasks must be 1 or more; got {n_tasks}")
    rows = [
        row
        for scores in measures
        for pair in (combinations(scores.systems, 2) if pairs is None else pairs)
        for row in _pair(scores, *pair, n_tasks)
    ]
    return Table(
        "extremes",
        "Where pairs are most and least alike",
        pl.DataFrame(rows, schema=SCHEMA),
        (
            Column("measure", "Measure"),
            Column("first", "First"),
            Column("second", "Second"),
            Column("end", "End"),
            Column("task", "Task"),
            Column("score", "Similarity", "share"),
            Column("n_as", "Tasks with this score", "count"),
        ),
        "Of tasks with the same score the first are named.",
    )


def _pair(scores: Scores, first: str, second: str, n_tasks: int) -> list[dict[str, object]]:
    one, other = place_of(scores, first), place_of(scores, second)
    values: FloatArray = np.mean([part.values[one, other] for part in parts_of(scores)], axis=0)
    known = np.flatnonzero(~np.isnan(values))
    falling = known[np.argsort(-values[known], kind="stable")]
    rising = known[np.argsort(values[known], kind="stable")]
    n_most = min(n_tasks, (len(known) + 1) // 2)
    most = falling[:n_most]
    least = [task for task in rising if task not in set(most.tolist())][:n_tasks]
    return [
        {
            "name": scores.name,
            "measure": label_of_scores(scores),
            "first": first,
            "second": second,
            "end": end,
            "rank": rank,
            "task": scores.tasks[task],
            "score": float(values[task]),
            "n_as": int(np.sum(np.abs(values[known] - values[task]) < 1e-12)),
        }
        for end, tasks in ((MOST, most), (LEAST, least))
        for rank, task in enumerate(tasks, 1)
    ]
