"""One row a system and task, and the estimates of each system: everything before the tables."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.alphabet import symbol
from ethogram.cohort.views import own_actions, sequences
from ethogram.measures.variance.counts import (
    amount_estimates,
    amounts_by_task,
    recorded_amounts,
    unique_by_task,
    unique_estimate,
)
from ethogram.measures.variance.divergence import (
    coherence_by_task,
    divergence_by_task,
    divergence_estimates,
    done_there,
    splits,
)
from ethogram.measures.variance.failures import (
    failure_estimates,
    modes_by_run,
    modes_by_task,
)
from ethogram.measures.variance.figures import Figures
from ethogram.measures.variance.outcomes import (
    outcome_estimates,
    outcomes_by_task,
    pass_estimates,
)
from ethogram.measures.variance.phases import (
    kinds_by_run,
    phase_estimates,
    phases_by_task,
    pre_edit_estimate,
)
from ethogram.measures.variance.repeats import INFRA, Study, common_k
from ethogram.measures.variance.submissions import similarity_estimate, submission_similarity
from ethogram.results.estimate import Estimate

Rows = Sequence[tuple[Mapping[str, str], Estimate]]


@dataclass(frozen=True)
class Analysis:
    """What is known of a study.

    Attributes
    ----------
    tasks : polars.DataFrame
        One row a system and task.
    modes : polars.DataFrame
        One row a failed run: how it failed.
    k_runs, k_outcome : int or None
        Runs, and runs with an outcome, at which repeats are compared.
    estimates : mapping of str to sequence of Estimate
        By system.
    pass_rows, phase_rows, failure_rows : sequence of (keys, Estimate)
        Estimates that have a second key: the number of runs, the kind of action, the mode.
    """

    study: Study
    actions: pl.DataFrame
    tasks: pl.DataFrame
    modes: pl.DataFrame
    k_runs: int | None
    k_outcome: int | None
    estimates: Mapping[str, Sequence[Estimate]]
    pass_rows: Rows
    phase_rows: Rows
    failure_rows: Rows


def actions_of(cohort: Cohort, runs: pl.DataFrame, alphabet: str) -> pl.DataFrame:
    """``run_id, action_index, kind, head, text, symbol`` of the agent's actions in some runs.

    ``text`` is a 64-bit hash: only equality matters, and texts are long.
    """
    return (
        own_actions(cohort)
        .join(runs.lazy().select("run_id"), on="run_id", how="semi")
        .select(
            "run_id",
            "action_index",
            "kind",
            pl.col("head").cast(pl.Categorical),
            text=pl.col("action").fill_null("").hash(),
            symbol=symbol(alphabet).cast(pl.Categorical),
        )
        .collect()
    )


def analyse(
    study: Study,
    cohort: Cohort,
    actions: pl.DataFrame,
    *,
    k: int | None,
    executor: Executor | None = None,
) -> Analysis:
    """Compute a study's rows a task and its estimates a system."""
    outcomes = outcomes_by_task(study.runs)
    k_runs = common_k(study.groups["n_runs"], k)
    k_outcome = common_k(outcomes["n_labelled"], k)
    tasks = _tasks(study, actions, outcomes, k_runs, executor=executor)
    tasks = _with_submissions(study, cohort, tasks, executor=executor)
    modes = modes_by_run(actions, study.runs)
    tasks = tasks.join(modes_by_task(modes), on="group", how="left", maintain_order="left")
    each = {
        system: (tasks.filter(pl.col("system") == system), _figures(study, tasks, system))
        for system in study.systems
    }
    return Analysis(
        study,
        actions,
        tasks,
        modes,
        k_runs,
        k_outcome,
        {
            system: _estimates(own, figures, _infra(study, system), (k_runs, k_outcome), tasks)
            for system, (own, figures) in each.items()
        },
        [
            ({"system": system, "k": str(runs)}, estimate)
            for system, (own, figures) in each.items()
            for runs, estimate in pass_estimates(own, k_outcome, figures)
        ],
        [
            ({"system": system, "kind": kind}, estimate)
            for system, (own, figures) in each.items()
            for kind, estimate in phase_estimates(own, figures)
        ],
        [
            ({"system": system, "mode": mode}, estimate)
            for system, (own, figures) in each.items()
            for mode, estimate in failure_estimates(own, figures)
        ],
    )


def _tasks(
    study: Study,
    actions: pl.DataFrame,
    outcomes: pl.DataFrame,
    k: int | None,
    *,
    executor: Executor | None,
) -> pl.DataFrame:
    symbols = sequences(actions, study.runs)
    texts = sequences(actions.with_columns(symbol="text"), study.runs)
    tasks = (
        study.groups.with_columns(
            unique_by_task(texts, k),
            *divergence_by_task(symbols, k),
            *divergence_by_task(texts, k, suffix="_texts"),
            splits(symbols),
            coherence_by_task(symbols, k, seed=study.seed, executor=executor),
        )
        .join(amounts_by_task(study.runs), on="group", maintain_order="left")
        .join(outcomes, on="group", maintain_order="left")
        .join(phases_by_task(kinds_by_run(actions, study.runs)), on="group", maintain_order="left")
    )
    there = done_there(actions, study.runs, tasks.select("group", "first_split"))
    return tasks.join(there, on="group", how="left", maintain_order="left")


def _with_submissions(
    study: Study, cohort: Cohort, tasks: pl.DataFrame, *, executor: Executor | None
) -> pl.DataFrame:
    never = tasks.filter(pl.col("solved") == "never").select("group")
    failed = study.runs.filter(~pl.col("success")).join(never, on="group", how="semi")
    alike = submission_similarity(cohort, failed, seed=study.seed, executor=executor)
    return tasks.join(alike, on="group", how="left", maintain_order="left")


def _figures(study: Study, tasks: pl.DataFrame, system: str) -> Figures:
    own = tasks.filter(pl.col("system") == system)
    return Figures(int(own["n_runs"].sum()), study.level, study.seed, bool(own["task_known"].all()))


def _infra(study: Study, system: str) -> pl.DataFrame:
    return study.left_out.filter((pl.col("system") == system) & (pl.col("why") == INFRA))


def _estimates(
    own: pl.DataFrame,
    figures: Figures,
    infra: pl.DataFrame,
    k: tuple[int | None, int | None],
    tasks: pl.DataFrame,
) -> list[Estimate]:
    k_runs, k_outcome = k
    amounts = recorded_amounts(tasks)
    return [
        *amount_estimates(own, amounts[:1], figures),
        unique_estimate(own, k_runs, figures),
        *divergence_estimates(own, k_runs, figures),
        pre_edit_estimate(own, figures),
        *outcome_estimates(own, infra, k_outcome, figures),
        similarity_estimate(own, figures),
        *amount_estimates(own, amounts[1:], figures),
    ]
