"""Tests between systems, on the tasks that both ran."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from typing import Final

import msgspec
import numpy as np
import polars as pl

from ethogram.errors import NotEnoughDataError
from ethogram.results.estimate import Test
from ethogram.stats.arrays import FloatArray
from ethogram.stats.effects import cohens_d_pooled, cohens_dz, odds_ratio
from ethogram.stats.significance import (
    TestResult,
    fisher_exact,
    holm,
    mcnemar_exact,
    paired_t,
    sign_flip_permutation,
    unpaired_t,
    wilcoxon_signed_rank,
)

MAIN: Final = "paired sign-flip permutation"
MAX_FLIPS_TIMES_TASKS: Final = 10**8
UNPAIRED: Final = "unpaired t (as Mehta 2026 printed it)"
POOLED: Final = "Cohen's d, pooled"
FISHER: Final = "Fisher's exact on runs (as if independent)"
DIFFERENT_TASKS: Final = "takes the tasks of the two systems for different tasks"
UNPAIRED_NOTE: Final = (
    f"{DIFFERENT_TASKS}; Mehta 2026 prints this t under the "
    "name of the paired test and reads it with n - 1 degrees of freedom"
)
FISHER_NOTE: Final = "treats runs as independent, as Mehta 2026 does"
MAJORITY_NOTE: Final = "a task counts as solved if more than half of its runs succeed"


@dataclass(frozen=True)
class Pair:
    """Values of two systems on the tasks that both have, task by task."""

    first: FloatArray
    second: FloatArray
    seed: int


Method = Callable[[Pair], TestResult]
Effect = Callable[[FloatArray, FloatArray], float]


@dataclass(frozen=True)
class Procedure:
    """A test on the values of a pair."""

    method: str
    run: Method
    effect_name: str | None = None
    effect: Effect | None = None
    note: str | None = None


def _sign_flips(pair: Pair) -> TestResult:
    """The permutation test, with fewer random flips for very many tasks: p needs no 6th digit."""
    n_flips = int(np.clip(MAX_FLIPS_TIMES_TASKS / max(1, len(pair.first)), 10_000, 100_000))
    return sign_flip_permutation(pair.first - pair.second, rng=pair.seed, n_flips=n_flips)


def _mcnemar(pair: Pair) -> TestResult:
    return mcnemar_exact(pair.first > 0.5, pair.second > 0.5)


_PAIRED: Final = (
    Procedure(MAIN, _sign_flips),
    Procedure("paired t", lambda p: paired_t(p.first, p.second), "Cohen's d_z", cohens_dz),
    Procedure("Wilcoxon signed-rank", lambda p: wilcoxon_signed_rank(p.first - p.second)),
)
_UNPAIRED: Final = Procedure(
    UNPAIRED,
    lambda p: unpaired_t(p.first, p.second),
    POOLED,
    cohens_d_pooled,
    UNPAIRED_NOTE,
)
_UNPAIRED_ELSEWHERE: Final = replace(
    _UNPAIRED, method="unpaired t (as if no task were shared)", note=DIFFERENT_TASKS
)
"""The same where the paper prints no test."""


@dataclass(frozen=True)
class Question:
    """What is compared: a column of the table of tasks, and the tests that answer.

    ``needs`` says what both systems must have at a task to be compared on it.
    """

    name: str
    column: str
    unit: str
    needs: str
    procedures: tuple[Procedure, ...]


QUESTIONS: Final = (
    Question(
        "success_rate",
        "accuracy",
        "points",
        "a run with a known outcome",
        (*_PAIRED, Procedure("McNemar on majorities", _mcnemar, note=MAJORITY_NOTE)),
    ),
    Question(
        "cv_actions",
        "cv_actions",
        "percent_points",
        "two or more runs with actions",
        (*_PAIRED, _UNPAIRED),
    ),
    Question("actions", "actions_mean", "actions", "a run", _PAIRED),
    Question(
        "divergence",
        "divergence",
        "actions",
        "{k} or more runs that part",
        (*_PAIRED, _UNPAIRED_ELSEWHERE),
    ),
)


def paired_tests(
    tasks: pl.DataFrame, systems: Sequence[str], *, seed: int, k: int | None = None
) -> list[Test]:
    """All tests between all pairs of systems, Holm-adjusted within each question and method.

    Parameters
    ----------
    tasks : polars.DataFrame
        A row a system and task, with the columns of `QUESTIONS`, ``n_runs``, ``n_labelled`` and
        ``successes``.
    systems : sequence of str
        In the order in which pairs are formed.
    seed : int
        For permutations too many to count.
    k : int, optional
        Runs of a task that divergence needs.
    """
    tests = [test for pair in combinations(systems, 2) for test in _tests_of(tasks, pair, seed, k)]
    return list(_adjusted(tests))


def _tests_of(
    tasks: pl.DataFrame, pair: tuple[str, str], seed: int, k: int | None
) -> Iterator[Test]:
    first, second = (tasks.filter(pl.col("system") == system) for system in pair)
    both = first.join(second, on="task", suffix="_second")
    for question in QUESTIONS:
        known = both.drop_nulls([question.column, f"{question.column}_second"])
        values = Pair(
            known[question.column].to_numpy(), known[f"{question.column}_second"].to_numpy(), seed
        )
        lacking = _why_nothing(question, tasks, both, k) if known.is_empty() else None
        for procedure in question.procedures:
            test = _test(question, procedure, values, pair, _n_runs(known, question))
            yield test if lacking is None else msgspec.structs.replace(test, reason=lacking)
        if question.name == "success_rate":
            yield _fisher(known, pair, lacking)


def _why_nothing(question: Question, tasks: pl.DataFrame, both: pl.DataFrame, k: int | None) -> str:
    """Why no task can be compared: none is shared, or what the figure needs is missing."""
    if question.name == "divergence" and k is not None and (tasks["n_runs"] < k).all():
        return f"no task has {k} runs"
    if both.is_empty():
        return "no task in common"
    return f"no task where both have {question.needs.format(k=k or 2)}"


def _n_runs(both: pl.DataFrame, question: Question) -> int:
    column = "n_labelled" if question.name == "success_rate" else "n_runs"
    return int(both[column].sum()) + int(both[f"{column}_second"].sum())


def _test(
    question: Question, procedure: Procedure, values: Pair, pair: tuple[str, str], n_runs: int
) -> Test:
    n = len(values.first)
    result = procedure.run(values)
    notes = [note for note in (procedure.note, result.note) if note]
    return Test(
        name=question.name,
        method=procedure.method,
        first=pair[0],
        second=pair[1],
        difference=float(np.mean(values.first) - np.mean(values.second)) if n else None,
        unit=question.unit,
        statistic=result.statistic,
        df=result.df,
        p_value=result.p_value,
        effect=_effect(procedure, values),
        effect_name=procedure.effect_name,
        n_tasks=n,
        n_runs=n_runs,
        main=procedure.method == MAIN,
        reason=result.reason,
        note="; ".join(notes) or None,
    )


def _effect(procedure: Procedure, values: Pair) -> float | None:
    if procedure.effect is None:
        return None
    try:
        return procedure.effect(values.first, values.second)
    except NotEnoughDataError:
        return None


def _fisher(both: pl.DataFrame, pair: tuple[str, str], lacking: str | None) -> Test:
    counts = [
        int(both[column].sum())
        for column in ("successes", "n_labelled", "successes_second", "n_labelled_second")
    ]
    result = fisher_exact(*counts)
    try:
        effect = odds_ratio(*counts)
    except NotEnoughDataError:
        effect = np.nan
    return Test(
        name="success_rate",
        method=FISHER,
        first=pair[0],
        second=pair[1],
        difference=counts[0] / counts[1] - counts[2] / counts[3] if both.height else None,
        unit="points",
        statistic=result.statistic,
        p_value=result.p_value,
        effect=float(effect) if np.isfinite(effect) else None,
        effect_name="odds ratio",
        n_tasks=both.height,
        n_runs=counts[1] + counts[3],
        reason=lacking or result.reason,
        note=FISHER_NOTE,
    )


def _adjusted(tests: Sequence[Test]) -> Iterator[Test]:
    """The tests ordered by question and method, each family adjusted after Holm."""
    order: Mapping[tuple[str, str], int] = {
        family: place
        for place, family in enumerate(dict.fromkeys((t.name, t.method) for t in tests))
    }
    ordered = sorted(tests, key=lambda test: order[test.name, test.method])
    for _, family in groupby(ordered, key=lambda test: (test.name, test.method)):
        members = list(family)
        for test, p in zip(members, holm([t.p_value for t in members]), strict=True):
            yield msgspec.structs.replace(test, p_adjusted=p)
