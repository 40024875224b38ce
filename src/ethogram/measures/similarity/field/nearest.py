"""Is a system nearer to one candidate than to every other one.

For a system A, B is the candidate with the highest similarity. What is tested is, for every other
candidate C, that A is no nearer to B than to C: paired differences over tasks, ``d_t(C) = s_t(A, B)
- s_t(A, C)``. As B is chosen on the same data, every ordered choice of two candidates is tested
along and p values are adjusted over all of them (`ethogram.stats.max_t`). So where a system has no
nearest candidate, or another one than B, the probability of answering yes is at most the level. A
composite is tested by its `pseudo_values`: its own task means, linearised.

The answer is about similarity on these tasks. Being nearest is consistent with a common origin; it
does not show that one was made from the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import ceil, isfinite, log
from typing import Final

import numpy as np
import polars as pl
from scipy.special import ndtri

from ethogram.measures.similarity.field.means import label_of_scores, minus, pair_values
from ethogram.measures.similarity.field.references import place_of
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.estimate import Decision
from ethogram.results.names import short_names
from ethogram.results.numbers import show_number
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray, RandomSource
from ethogram.stats.max_t import MaxT, max_t
from ethogram.stats.task_intervals import MIN_TASKS
from ethogram.stats.task_means import TaskMeans, mean_of_means, pseudo_values

SMALLEST: Final = 0.02
"""A candidate that is surely less than two points farther away is as near."""
LEAST_FOR_NO: Final = 20
"""Tasks that it takes to say that: where most differences are zero, fewer may miss a large one."""
POWER: Final = 0.8
MAX_TASKS: Final = 10_000
"""More tasks than that are no advice."""
UNSURE: Final[Decision] = "not enough data"
NOISE: Final = 1e-9
"""A standard error below it is no spread but the noise of last bits."""


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """The nearest candidate of a system and whether it is nearer than every other one."""

    system: str
    nearest: str | None = None
    similarity: float | None = None
    runner_up: str | None = None
    """The other candidate that is hardest to tell from the nearest."""
    difference: float | None = None
    """Paired: similarity to the nearest minus that to the runner-up."""
    p_value: float | None = None
    """Of the difference, adjusted over all ordered choices of two candidates; the largest of those
    of all other candidates."""
    p_alone: float | None = None
    """The same two-sided and not adjusted: as if only these two had been compared."""
    decision: Decision
    because: str
    tasks_needed: int | None = None
    n_tasks: int = 0
    """Tasks of the difference."""
    n_candidates: int = 0


@dataclass(frozen=True)
class _Field:
    """The best candidate and paired differences of candidates."""

    best: int
    similarity: float
    others: list[int]
    differences: TaskMeans
    """Best minus each of ``others``, then the other pairs of candidates."""


def nearest_of(
    scores: Scores, system: str, *, level: float = 0.95, rng: RandomSource = 0
) -> Nearest:
    """The candidate nearest to a system, and whether it is nearer than every other one.

    Parameters
    ----------
    scores : TaskScores or Composite
        The measure.
    system : str
        Every other system that has scores with it at six tasks or more is a candidate.
    level : float
        One minus the error of answering yes.
    rng : int, SeedSequence or Generator
        For random flips of signs, with thirteen tasks and more.

    Returns
    -------
    Nearest
        **yes**: all adjusted p values are at most ``1 - level``; **no**: on 20 tasks or more some
        other candidate is as near, to within two points (upper end of the simultaneous interval of
        the difference; where ``n`` differences are equal, ``-log(1 - level) / n`` above it); else
        **not enough data**, with the tasks (up to 10,000) that would tell if the smallest
        difference is what it looks like (at a power of 80 %).

    Raises
    ------
    UnknownNameError
        If there is no such system.
    """
    place = place_of(scores, system)
    candidates, values = _candidates(scores, place)
    if scores.reason is not None or len(candidates) < 2:
        because = (
            scores.reason or f"fewer than two candidates have scores with it at {MIN_TASKS} tasks"
        )
        return Nearest(
            system=system, decision=UNSURE, because=because, n_candidates=len(candidates)
        )
    field = _field(scores, place, candidates, values)
    known = Nearest(
        system=system,
        nearest=scores.systems[field.best],
        similarity=field.similarity,
        n_candidates=len(candidates),
        decision=UNSURE,
        because="",
    )
    short = np.flatnonzero(field.differences.fewest[: len(field.others)] < MIN_TASKS)
    if len(short):
        names = short_names(scores.systems)
        other = names[min(scores.systems[field.others[index]] for index in short)]
        nearest = names[scores.systems[field.best]]
        because = f"fewer than {MIN_TASKS} tasks have scores with both {nearest} and {other}"
        return replace(known, because=because)
    return _answered(known, field, scores.systems, level=level, rng=rng)


def _candidates(scores: Scores, place: int) -> tuple[list[int], FloatArray]:
    """Systems that share enough tasks with one, and how similar they are to it."""
    others = np.delete(np.arange(len(scores.systems)), place)
    means = mean_of_means(pair_values(scores, np.full(len(others), place), others))
    enough = means.fewest >= MIN_TASKS
    return [int(other) for other in others[enough]], means.values[enough]


def _field(scores: Scores, place: int, candidates: list[int], values: FloatArray) -> _Field:
    best = candidates[int(np.argmax(values))]
    others = [candidate for candidate in candidates if candidate != best]
    pairs = np.array([(best, other) for other in others] + list(combinations(others, 2)))
    to = np.full(len(pairs), place)
    first, second = (pair_values(scores, to, pairs[:, side]) for side in (0, 1))
    return _Field(best, float(values.max()), others, mean_of_means(minus(first, second)))


def _answered(
    known: Nearest, field: _Field, systems: Sequence[str], *, level: float, rng: RandomSource
) -> Nearest:
    means, n_own = field.differences, len(field.others)
    # the rows of the best one have enough tasks, so they stay in front
    per_task = pseudo_values(means)[means.fewest >= MIN_TASKS]
    errors = np.sqrt((means.pulls[:n_own] ** 2).sum(axis=1))
    tests = max_t(per_task, rng=rng, level=level)
    decision, row = _decision(tests, errors, level)
    answer = replace(
        known,
        runner_up=systems[field.others[row]],
        difference=float(tests.differences[row]),
        p_value=float(tests.p_adjusted[:n_own].max()),
        p_alone=float(tests.p_values[row]),
        n_tasks=int(tests.n_tasks[row]),
        decision=decision,
    )
    if decision == UNSURE:
        critical = tests.critical if isfinite(tests.critical) else _bonferroni(level, len(per_task))
        needed = _needed(answer, float(errors[row]), critical)
        answer = replace(answer, tasks_needed=needed)
    return replace(answer, because=_because(answer, short_names(systems)))


def _decision(tests: MaxT, errors: FloatArray, level: float) -> tuple[Decision, int]:
    """The answer and the row of the other candidate that it hangs on."""
    n_own = len(errors)
    differences, statistics = tests.differences[:n_own], tests.statistics[:n_own]
    hardest = int(np.lexsort((differences, statistics))[0])
    if tests.p_adjusted[:n_own].max() <= 1 - level:
        return "yes", hardest
    upper = differences + np.where(
        errors > NOISE,
        tests.critical * np.maximum(errors, NOISE),
        -log(1 - level) / np.maximum(tests.n_tasks[:n_own], 1),
    )
    upper = np.where(tests.n_tasks[:n_own] >= LEAST_FOR_NO, upper, np.inf)
    if upper.min() < SMALLEST:
        return "no", int(np.argmin(upper))
    return UNSURE, hardest


def _bonferroni(level: float, n_pairs: int) -> float:
    return float(ndtri(1 - (1 - level) / (2 * n_pairs)))


def _needed(answer: Nearest, error: float, critical: float) -> int | None:
    if answer.difference is None or answer.difference < NOISE:
        return None
    factor = (critical + float(ndtri(POWER))) * error / answer.difference
    needed = max(ceil(answer.n_tasks * factor**2), answer.n_tasks + 1)
    return needed if needed <= MAX_TASKS else None


def _because(answer: Nearest, names: Mapping[str, str]) -> str:
    nearest, other = names[answer.nearest or ""], names[answer.runner_up or ""]
    gap = show_number(answer.difference, "points")
    p = show_number(answer.p_value, "p")
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    others = f"every other of {answer.n_candidates} candidates"
    if answer.decision == "yes":
        return (
            f"nearer to {nearest} than to {others}, {other} included ({gap}, "
            f"adjusted {p}): consistent with a common origin, no proof of one"
        )
    if answer.decision == "no":
        return f"as near to {other} as to {nearest}, to within two points ({gap})"
    return f"{nearest} looks nearest, but {other} can't be told from it ({gap}, adjusted {p})"


def nearest_table(
    measures: Sequence[Scores], *, level: float = 0.95, rng: RandomSource = 0
) -> Table:
    """For every system and measure the nearest candidate, and whether it is nearer than all others.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    level, rng
        As `nearest_of`.

    Returns
    -------
    Table
        ``nearest``: a row a measure and system. Each row is a question of its own: p values are
        adjusted within a row, over candidates, not over rows.
    """
    rows = [
        {"name": scores.name, "measure": label_of_scores(scores)}
        | asdict(nearest_of(scores, system, level=level, rng=rng))
        for scores in measures
        for system in scores.systems
    ]
    return Table(
        "nearest",
        "Is a system nearer to one candidate than to every other one?",
        pl.DataFrame(rows, schema=SCHEMA),
        (
            Column("measure", "Measure"),
            Column("system", "System"),
            Column("nearest", "Nearest"),
            Column("similarity", "Similarity", "share"),
            Column("runner_up", "Hardest to tell apart"),
            Column("difference", "Difference", "points", "Paired by task."),
            Column("p_value", "p", "p", "Max-T over all ordered choices of two candidates."),
            Column("p_alone", "p of these two", "p", "As if no other had been compared."),
            Column("decision", "Nearer than all?"),
            Column("because", "Because"),
            Column("tasks_needed", "Tasks that would tell", "count"),
            Column("n_tasks", "Tasks", "count"),
        ),
        "Yes: nearer than every other candidate, although it was chosen on the same tasks (error "
        f"{100 * (1 - level):g} %). That is consistent with a common origin and proves none.",
    )


SCHEMA: Final = {
    "name": pl.String,
    "measure": pl.String,
    "system": pl.String,
    "nearest": pl.String,
    "similarity": pl.Float64,
    "runner_up": pl.String,
    "difference": pl.Float64,
    "p_value": pl.Float64,
    "p_alone": pl.Float64,
    "decision": pl.String,
    "because": pl.String,
    "tasks_needed": pl.Int64,
    "n_tasks": pl.Int64,
    "n_candidates": pl.Int64,
}
