"""How often runs succeed, and how much of that is left to chance.

A run without a known outcome is in none of these figures and is counted as excluded; it is never a
failure.
"""

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.variance.figures import Figures
from ethogram.measures.variance.repeats import INFRA_SHARE
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray
from ethogram.stats.dispersion import icc1_of_sums
from ethogram.stats.proportions import wilson_interval
from ethogram.stats.repeats import flip_rate, pass_at_k, pass_hat_k

NO_OUTCOME: Final = "no run has a known outcome"
ONE_RUN: Final = "no task has two or more runs with an outcome"
SOLVED: Final = ("always", "sometimes", "never")


def outcomes_by_task(runs: pl.DataFrame) -> pl.DataFrame:
    """Per group: ``n_labelled, successes, accuracy, solved, submitted, n_submittable``.

    ``solved`` is always, sometimes or never, and null with fewer than two known outcomes.
    """
    known, won = pl.col("success").count(), pl.col("success").sum()
    return (
        runs.group_by("group", maintain_order=True)
        .agg(
            n_labelled=known,
            successes=won,
            n_submittable=pl.col("submitted").count(),
            n_submitted=pl.col("submitted").sum(),
        )
        .with_columns(
            accuracy=pl.when(pl.col("n_labelled") > 0).then(
                pl.col("successes") / pl.col("n_labelled")
            ),
            solved=pl.when(pl.col("n_labelled") > 1).then(
                pl.when(pl.col("successes") == 0)
                .then(pl.lit("never"))
                .when(pl.col("successes") == pl.col("n_labelled"))
                .then(pl.lit("always"))
                .otherwise(pl.lit("sometimes"))
            ),
        )
    )


def outcome_estimates(
    tasks: pl.DataFrame, left_out: pl.DataFrame, k: int | None, figures: Figures
) -> list[Estimate]:
    """Outcome figures of one system, from its rows of the table of tasks.

    Parameters
    ----------
    tasks : polars.DataFrame
        With the columns of `outcomes_by_task`.
    left_out : polars.DataFrame
        The system's runs that an infrastructure error ended.
    k : int or None
        Number of runs at which outcomes are compared.
    figures : Figures
        Makes the estimates.
    """
    labelled = tasks.filter(pl.col("n_labelled") > 0)
    n, c = (labelled[name].to_numpy().astype(np.float64) for name in ("n_labelled", "successes"))
    return [
        figures.ratio("accuracy", c, n, reason=NO_OUTCOME),
        _wilson(c, n, figures),
        *_with_infra(labelled, left_out, figures),
        _flips(n, c, k, figures),
        _icc(n, c, figures),
        *_solved_shares(tasks.filter(pl.col("solved").is_not_null()), figures),
        figures.ratio(
            "nonempty_submissions",
            tasks["n_submitted"].to_numpy(),
            tasks["n_submittable"].to_numpy(),
            reason="no run records a submission",
        ),
    ]


def _wilson(successes: FloatArray, n: FloatArray, figures: Figures) -> Estimate:
    if not len(n):
        return figures.missing("accuracy_wilson", NO_OUTCOME)
    interval = wilson_interval(int(successes.sum()), int(n.sum()), level=figures.level)
    return figures.estimate("accuracy_wilson", interval, len(n), int(n.sum()))


def _with_infra(labelled: pl.DataFrame, left_out: pl.DataFrame, figures: Figures) -> list[Estimate]:
    """The accuracy if the runs that an infrastructure error ended had failed, where they matter.

    Without any known outcome there is none: errors alone would make it zero.
    """
    n_infra = left_out.height
    if n_infra <= INFRA_SHARE * (figures.n_runs + n_infra):
        return []
    with_infra = replace(figures, n_runs=figures.n_runs + n_infra)
    if labelled.is_empty():
        return [with_infra.missing("accuracy_infra_as_failures", NO_OUTCOME)]
    both = labelled.join(left_out.group_by("task").len("n_infra"), on="task", how="full").select(
        pl.col("successes").fill_null(0), total=pl.sum_horizontal("n_labelled", "n_infra")
    )
    return [
        with_infra.ratio(
            "accuracy_infra_as_failures",
            both["successes"].to_numpy(),
            both["total"].to_numpy(),
            reason=NO_OUTCOME,
        )
    ]


def _flips(n: FloatArray, c: FloatArray, k: int | None, figures: Figures) -> Estimate:
    if k is None:
        return figures.missing("flip_rate", ONE_RUN)
    rates = flip_rate(n, c, k)
    usable = ~np.isnan(rates)
    reason = f"no task has {k} or more runs with an outcome"
    return figures.mean("flip_rate", rates[usable], int(n[usable].sum()), reason=reason)


def _icc(n: FloatArray, c: FloatArray, figures: Figures) -> Estimate:
    return figures.statistic(
        "icc1",
        lambda counts: icc1_of_sums(n, c, c, weights=counts),
        len(n),
        int(n.sum()),
        reason="it needs two tasks, one with repeats, and outcomes that are not all equal",
    )


def _solved_shares(tasks: pl.DataFrame, figures: Figures) -> list[Estimate]:
    n_runs = int(tasks["n_labelled"].sum())
    is_never = (tasks["solved"] == "never").to_numpy()
    failed = (tasks["n_labelled"] - tasks["successes"]).to_numpy().astype(np.float64)
    return [
        *(
            figures.mean(
                f"tasks_{solved}",
                (tasks["solved"] == solved).cast(pl.Float64).to_numpy(),
                n_runs,
                reason=ONE_RUN,
            )
            for solved in SOLVED
        ),
        figures.mean("ceiling", 1.0 - is_never, n_runs, reason=ONE_RUN),
        figures.ratio(
            "failed_runs_on_never_solved",
            failed * is_never,
            failed,
            reason="no run failed" if n_runs else ONE_RUN,
        ),
    ]


def pass_estimates(
    tasks: pl.DataFrame, k: int | None, figures: Figures
) -> list[tuple[int, Estimate]]:
    """pass@k and pass^k of one system for one to ten runs and for the common number of runs."""
    n, c = (tasks[name].to_numpy().astype(np.float64) for name in ("n_labelled", "successes"))
    rows = []
    for runs in sorted({*range(1, min(k or 1, 10) + 1), k or 1}):
        usable = n >= runs
        total = int(n[usable].sum())
        reason = f"no task has {runs} or more runs with an outcome"
        at, hat = (share(n[usable], c[usable], runs) for share in (pass_at_k, pass_hat_k))
        rows.append((runs, figures.mean("pass_at_k", at, total, reason=reason)))
        rows.append((runs, figures.mean("pass_hat_k", hat, total, reason=reason)))
    return rows


def amplification(tasks: pl.DataFrame) -> pl.DataFrame:
    """Tasks always, sometimes and never solved by each system, with their runs and accuracy."""
    repeated = tasks.filter(pl.col("solved").is_not_null())
    every = repeated.select(pl.col("system").unique(maintain_order=True)).join(
        pl.DataFrame({"solved": SOLVED}), how="cross"
    )
    counts = repeated.group_by("system", "solved").agg(
        n_tasks=pl.len(), n_runs=pl.col("n_labelled").sum(), successes=pl.col("successes").sum()
    )
    return every.join(
        counts, on=["system", "solved"], how="left", maintain_order="left"
    ).with_columns(
        pl.col("n_tasks", "n_runs", "successes").fill_null(0),
        accuracy=pl.when(pl.col("n_runs") > 0).then(pl.col("successes") / pl.col("n_runs")),
        task_share=pl.col("n_tasks").fill_null(0) / pl.col("n_tasks").sum().over("system"),
    )
