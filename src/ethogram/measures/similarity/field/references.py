"""Each system against one or several references (Yang et al. 2026, Tables 1 and 10)."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from ethogram.errors import UnknownNameError
from ethogram.measures.similarity.field.means import (
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

SIMILARITY: Final = "_to_reference"
DIFFERENCE: Final = "_reference_difference"

Row = tuple[Mapping[str, str], Estimate]


def references_table(
    measures: Sequence[Scores], references: Sequence[str], *, level: float = 0.95
) -> Table:
    """Similarity of every other system to each reference.

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
        ``references``: estimates with the keys ``first`` (the system) and ``second`` (the
        reference), named as the measures with ``_to_reference``.

    Raises
    ------
    UnknownNameError
        If a reference is no system.
    """
    rows = [
        row
        for scores in measures
        for name in dict.fromkeys(references)
        for row in _similarities(scores, place_of(scores, name), level)
    ]
    return side_by_side(
        "references",
        f"Similarity to {', '.join(dict.fromkeys(references))}",
        rows,
        {_name(scores): label_of_scores(scores) for scores in measures},
        keys=("first", "second"),
        about="The second system is the reference.",
    )


def reference_differences_table(
    measures: Sequence[Scores], references: Sequence[str], *, level: float = 0.95
) -> Table:
    """How much nearer systems are to one reference than to another.

    Parameters
    ----------
    measures, references, level
        As `references_table`.

    Returns
    -------
    Table
        ``reference_differences``, for each two references: estimates with the keys ``first`` (the
        system), ``second`` and ``minus`` (the references), named as the measures with
        ``_reference_difference``. Paired: over the tasks where both similarities are defined;
        positive where the system is nearer to ``second``.

    Raises
    ------
    UnknownNameError
        If a reference is no system.
    """
    rows = [
        row
        for scores in measures
        for one, other in combinations(dict.fromkeys(references), 2)
        for row in _differences(scores, place_of(scores, one), place_of(scores, other), level)
    ]
    return side_by_side(
        "reference_differences",
        "Nearer to which reference?",
        rows,
        {_name(scores, DIFFERENCE): label_of_scores(scores) for scores in measures},
        keys=("first", "second", "minus"),
        about="Similarity to the second system minus that to the last one, paired by task: over "
        "the tasks where both are defined. Above zero: nearer to the second.",
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
