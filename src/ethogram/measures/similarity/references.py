"""Each system against one or several references (Yang et al. 2026, Tables 1 and 10)."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from ethogram.errors import UnknownNameError
from ethogram.measures.similarity.means import (
    Asked,
    difference,
    estimates,
    joint_runs,
    label_of_scores,
    minus,
    pair_values,
    side_by_side,
)
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.estimate import Estimate
from ethogram.results.table import Table
from ethogram.stats.arrays import IntArray

KEYS: Final = ("first", "second", "minus")
SIMILARITY: Final = "_to_reference"
DIFFERENCE: Final = "_reference_difference"

Row = tuple[Mapping[str, str], Estimate]


def references_table(
    measures: Sequence[Scores], references: Sequence[str], *, level: float = 0.95
) -> Table:
    """Similarity to each reference, and for each two references the difference.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    references : sequence of str
        Names of systems.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``references``: estimates with the keys ``first`` (the system), ``second`` (the reference)
        and ``minus`` (another reference in rows of differences, else null). Names: that of the
        measure with ``_to_reference`` or ``_reference_difference``; differences are paired, over
        the tasks where both similarities are defined, and positive where the system is nearer to
        ``second``.

    Raises
    ------
    UnknownNameError
        If a reference is no system.
    """
    rows: list[Row] = []
    labels: dict[str, str] = {}
    for scores in measures:
        places = [place_of(scores, name) for name in dict.fromkeys(references)]
        for place in places:
            rows += _similarities(scores, place, level)
        for one, other in combinations(places, 2):
            rows += _differences(scores, one, other, level)
        label = label_of_scores(scores)
        labels[_name(scores)] = label
        labels[_name(scores, DIFFERENCE)] = f"{label}, difference"
    return side_by_side(
        "references",
        "Similarity to references",
        rows,
        labels,
        keys=KEYS,
        about="A difference is paired by task: over the tasks where both similarities are defined. "
        "Above zero the system is nearer to the second system than to the one after minus.",
    )


def place_of(scores: Scores, system: str) -> int:
    """Place of a system.

    Raises
    ------
    UnknownNameError
        If there is no such system.
    """
    if system not in scores.systems:
        raise UnknownNameError("system", system, list(scores.systems))
    return scores.systems.index(system)


def _name(scores: Scores, what: str = SIMILARITY) -> str:
    return f"{scores.name}{what}"


def _others(scores: Scores, *references: int) -> IntArray:
    return np.setdiff1d(np.arange(len(scores.systems)), references).astype(np.int64)


def _similarities(scores: Scores, reference: int, level: float) -> list[Row]:
    others = _others(scores, reference)
    to = np.full(len(others), reference)
    asked = Asked(_name(scores), bounds=scores.bounds, level=level)
    found = estimates(
        asked, scores, pair_values(scores, others, to), joint_runs(scores, others, to)
    )
    names = scores.systems
    return [
        ({"first": names[system], "second": names[reference]}, estimate)
        for system, estimate in zip(others, found, strict=True)
    ]


def _differences(scores: Scores, one: int, other: int, level: float) -> list[Row]:
    systems = _others(scores, one, other)
    to_one, to_other = np.full(len(systems), one), np.full(len(systems), other)
    found = estimates(
        difference(_name(scores, DIFFERENCE), scores, level=level),
        scores,
        minus(pair_values(scores, systems, to_one), pair_values(scores, systems, to_other)),
        joint_runs(scores, systems, to_one, to_other),
    )
    names = scores.systems
    return [
        ({"first": names[system], "second": names[one], "minus": names[other]}, estimate)
        for system, estimate in zip(systems, found, strict=True)
    ]
