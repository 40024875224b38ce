"""`variance`: the measures of steadiness over repeated runs, put together."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.views import own_actions, sequences
from ethogram.measures.variance import tables
from ethogram.measures.variance.catalogue import MEHTA
from ethogram.measures.variance.counts import (
    amount_estimates,
    amounts_by_task,
    recorded_amounts,
    unique_by_task,
    unique_estimate,
)
from ethogram.measures.variance.figures import Figures
from ethogram.measures.variance.outcomes import (
    outcome_estimates,
    outcomes_by_task,
    pass_estimates,
)
from ethogram.measures.variance.pairs import paired_tests
from ethogram.measures.variance.relation import correlations, side_by_side
from ethogram.measures.variance.remarks import remarks
from ethogram.measures.variance.repeats import Study, common_k, study_of
from ethogram.measures.variance.wording import Findings, summary
from ethogram.results.estimate import Estimate
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result

MEASURE_VERSION: Final = 1


@dataclass(frozen=True)
class Analysis:
    """A study with one row a system and task, and the estimates of each system."""

    study: Study
    tasks: pl.DataFrame
    k_runs: int | None
    k_outcome: int | None
    estimates: Mapping[str, Sequence[Estimate]]
    pass_rows: Sequence[tuple[Mapping[str, str], Estimate]]


def variance(  # noqa: PLR0913  the options of one command
    cohort: Cohort,
    *,
    k: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    alphabet: str | None = None,  # noqa: ARG001
    by: str | None = None,
    same_id_is_same_task: bool = False,
    executor: Executor | None = None,  # noqa: ARG001
) -> Result:
    """How steady each system is over repeated runs of a task, and what that means for success.

    Parameters
    ----------
    cohort : Cohort
        Any runs; figures about repeats need tasks with two or more runs of one system, figures
        about success need outcomes, and what is missing is said in ``notes``.
    k : int, optional
        Number of runs at which unique sequences, divergence, flips, pass@k and pass^k are computed,
        averaged over all subsets of k runs. Default: the smallest number of runs among the tasks
        with two or more, one for all systems. Tasks with fewer are left out and counted.
    level : float
        Nominal coverage of the intervals, which are over tasks.
    seed : int
        For the figures that are drawn at random; equal seeds give equal results.
    alphabet : str, optional
        What an action counts as when sequences are compared: kind, head, tool or action.
    by : str, optional
        A column of runs, tasks or systems, or a key of the systems' settings: the figures of each
        system are also computed at each of its levels.
    same_id_is_same_task : bool
        Compare tasks of equal id although their recorded prompts or checks differ.
    executor : concurrent.futures.Executor, optional
        Where the pairwise comparisons of runs are computed; the numbers don't depend on it.

    Returns
    -------
    Result
        Kind ``variance``. Tables: ``systems`` (estimates), ``tasks`` (a row a system and task),
        ``pass_k``, ``amplification``, ``comparison``, ``correlations``, ``tests``, ``step_counts``
        and, with ``by``, ``levels`` and ``ranges``.

    Raises
    ------
    UsageError
        If ``k`` is less than two, ``level`` is not between 0 and 1, or ``by`` names nothing.
    UnknownNameError
        If the alphabet is not known.

    Notes
    -----
    Runs that an infrastructure error ended are left out and counted. A missing outcome is no
    failure, a missing cost not zero. Systems are compared on the tasks that both ran.

    References
    ----------
    Mehta (2026), Consistency Amplifies: How Behavioral Variance Shapes Agent Accuracy.
    """
    study = study_of(
        cohort, level=level, seed=seed, same_id_is_same_task=same_id_is_same_task, by=by
    )
    actions = _actions(cohort, study)
    analysis = analyse(study, actions, k=k)
    made = tables.main_tables(analysis)
    tests = paired_tests(analysis.tasks, study.systems, seed=seed)
    every = [
        *made,
        *tables.relation_tables(
            side_by_side(analysis.tasks, study.systems),
            correlations(analysis.tasks, study.systems, level=level),
            tests,
        ),
        *([] if by is None else tables.level_tables(_levels(analysis, actions, k), by)),
    ]
    return Result(
        kind="variance",
        tables={table.name: table for table in every},
        notes=remarks(study, analysis.tasks, analysis.k_runs, analysis.k_outcome),
        summary=summary(
            Findings(
                study.systems,
                {(s, e.name): e for s, each in analysis.estimates.items() for e in each},
                tests,
                analysis.k_outcome,
            )
        ),
        provenance=Provenance(
            measure="variance",
            measure_version=MEASURE_VERSION,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
            seed=seed,
            parameters={
                "k": k,
                "k_runs": analysis.k_runs,
                "k_outcome": analysis.k_outcome,
                "level": level,
                "by": by,
                "same_id_is_same_task": same_id_is_same_task,
            },
            reference=MEHTA,
        ),
    )


def _actions(cohort: Cohort, study: Study) -> pl.DataFrame:
    """The actions of the counted runs; texts as 64-bit hashes, since only equality matters."""
    return (
        own_actions(cohort)
        .join(study.runs.lazy().select("run_id"), on="run_id", how="semi")
        .select("run_id", "action_index", symbol=pl.col("action").fill_null("").hash())
        .collect()
    )


def analyse(study: Study, actions: pl.DataFrame, *, k: int | None) -> Analysis:
    """Compute a study's rows a task and its estimates a system."""
    found = sequences(actions, study.runs)
    outcomes = outcomes_by_task(study.runs)
    k_runs = common_k(study.groups["n_runs"], k)
    k_outcome = common_k(outcomes["n_labelled"], k)
    tasks = (
        study.groups.with_columns(unique_by_task(found, k_runs))
        .join(amounts_by_task(study.runs), on="group", maintain_order="left")
        .join(outcomes, on="group", maintain_order="left")
    )
    amounts = recorded_amounts(tasks)
    estimates: dict[str, list[Estimate]] = {}
    pass_rows: list[tuple[Mapping[str, str], Estimate]] = []
    for system in study.systems:
        own = tasks.filter(pl.col("system") == system)
        infra = study.left_out.filter(
            (pl.col("system") == system) & (pl.col("why") == "infrastructure error")
        )
        figures = Figures(
            int(own["n_runs"].sum()), study.level, study.seed, bool(own["task_known"].all())
        )
        estimates[system] = [
            *amount_estimates(own, amounts, figures),
            unique_estimate(own, k_runs, figures),
            *outcome_estimates(own, infra, k_outcome, figures),
        ]
        pass_rows += [
            ({"system": system, "k": str(runs)}, estimate)
            for runs, estimate in pass_estimates(own, k_outcome, figures)
        ]
    return Analysis(study, tasks, k_runs, k_outcome, estimates, pass_rows)


def _levels(analysis: Analysis, actions: pl.DataFrame, k: int | None) -> list[tuple[str, Analysis]]:
    study = analysis.study
    return [
        (level, analyse(study.restrict(pl.col("level") == level), actions, k=k))
        for level in study.runs["level"].unique().sort().to_list()
    ]
