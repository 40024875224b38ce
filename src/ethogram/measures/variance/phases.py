"""What a system spends its actions on, and how much that differs between repeats."""

from collections.abc import Iterator
from typing import Final

import polars as pl

from ethogram.cohort.schema import KINDS
from ethogram.measures.variance.counts import cv
from ethogram.measures.variance.figures import Figures
from ethogram.results.estimate import Estimate

UNLABELLED: Final = "no action has a kind"
MAX_HEADS: Final = 50
"""Commands listed for a system, the most frequent ones."""
NO_HEAD: Final = "(none)"
NO_ACTION: Final = "(no action)"
"""How runs begin that never give a command."""


def kinds_by_run(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Per run: ``group``, ``labelled`` (its actions with a kind), one count a kind, ``first_edit``.

    ``first_edit`` is the 0-based place of the first edit, null without one.
    """
    counts = (
        actions.filter(pl.col("kind").is_not_null())
        .group_by("run_id")
        .agg(
            pl.len().alias("labelled"),
            *((pl.col("kind") == kind).sum().alias(kind) for kind in KINDS),
            pl.col("action_index").filter(pl.col("kind") == "edit").min().alias("first_edit"),
        )
    )
    return (
        runs.select("run_id", "group", "n_actions")
        .join(counts, on="run_id", how="left", maintain_order="left")
        .with_columns(pl.col("labelled", *KINDS).fill_null(0))
    )


def phases_by_task(by_run: pl.DataFrame) -> pl.DataFrame:
    """Per group: sums that the shares are made of, and the CV of each kind's count."""
    acting = pl.col("labelled") > 0
    return by_run.group_by("group", maintain_order=True).agg(
        pl.col("labelled").sum(),
        acting.sum().alias("acting_runs"),
        *(pl.col(kind).sum().alias(f"{kind}_actions") for kind in KINDS),
        *(
            (pl.col(kind) / pl.col("labelled")).filter(acting).sum().alias(f"{kind}_shares")
            for kind in KINDS
        ),
        *(cv(kind).alias(f"cv_{kind}") for kind in KINDS),
        (pl.col("first_edit") / pl.col("n_actions")).sum().alias("pre_edit_sum"),
        pl.col("first_edit").count().alias("editing_runs"),
    )


def phase_estimates(tasks: pl.DataFrame, figures: Figures) -> Iterator[tuple[str, Estimate]]:
    """Kind and estimate: pooled share, mean share over runs, and CV within the kind."""
    for kind in KINDS:
        yield (
            kind,
            figures.ratio(
                "phase_share",
                tasks[f"{kind}_actions"].to_numpy(),
                tasks["labelled"].to_numpy(),
                reason=UNLABELLED,
                n_runs=int(tasks["acting_runs"].sum()),
            ),
        )
        yield (
            kind,
            figures.ratio(
                "phase_share_by_run",
                tasks[f"{kind}_shares"].to_numpy(),
                tasks["acting_runs"].to_numpy(),
                reason=UNLABELLED,
            ),
        )
        spread = tasks.filter(pl.col(f"cv_{kind}").is_not_null())
        yield (
            kind,
            figures.mean(
                "phase_cv",
                spread[f"cv_{kind}"].to_numpy(),
                int(spread["n_runs"].sum()),
                reason="no task with two or more runs has such an action",
            ),
        )


def pre_edit_estimate(tasks: pl.DataFrame, figures: Figures) -> Estimate:
    """Share of a run's actions that come before its first edit, over the runs with an edit."""
    return figures.ratio(
        "pre_edit_share",
        tasks["pre_edit_sum"].to_numpy(),
        tasks["editing_runs"].to_numpy(),
        reason="no run edits anything",
    )


def heads(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Each system's commands: ``system, head, n_actions, share, n_runs, run_share``."""
    of_system = runs.group_by("system").agg(
        all_runs=pl.len(), all_actions=pl.col("n_actions").sum()
    )
    counted = (
        _with_heads(actions, runs)
        .group_by("system", "head")
        .agg(n_actions=pl.len(), n_runs=pl.col("run_id").n_unique())
        .sort(["system", "n_actions", "head"], descending=[False, True, False])
    )
    place = pl.int_range(pl.len()).over("system")
    return (
        counted.filter(place < MAX_HEADS)
        .join(of_system, on="system", maintain_order="left")
        .select(
            "system",
            "head",
            "n_actions",
            share=pl.col("n_actions") / pl.col("all_actions"),
            n_runs="n_runs",
            run_share=pl.col("n_runs") / pl.col("all_runs"),
        )
    )


def first_actions(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """How runs begin, and how those runs end.

    Columns ``system, head, n_runs, share, n_labelled, successes, accuracy``. What has no command (a
    reply that the scaffold refused) is no beginning: the first command counts, and runs without one
    are in the row `NO_ACTION`, so that the shares are of all runs.
    """
    commands = actions.filter(pl.col("head").is_not_null())
    firsts = commands.filter(pl.col("action_index") == pl.col("action_index").min().over("run_id"))
    return (
        runs.select("run_id", "system", "success")
        .join(firsts.select("run_id", pl.col("head").cast(pl.String)), on="run_id", how="left")
        .with_columns(pl.col("head").fill_null(NO_ACTION))
        .group_by("system", "head")
        .agg(
            n_runs=pl.len(),
            n_labelled=pl.col("success").count(),
            successes=pl.col("success").sum(),
        )
        .sort(["system", "n_runs", "head"], descending=[False, True, False])
        .with_columns(
            share=pl.col("n_runs") / pl.col("n_runs").sum().over("system"),
            accuracy=pl.when(pl.col("n_labelled") > 0).then(
                pl.col("successes") / pl.col("n_labelled")
            ),
        )
        .filter((pl.int_range(pl.len()).over("system") < MAX_HEADS) | (pl.col("head") == NO_ACTION))
    )


def _with_heads(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    return actions.select("run_id", pl.col("head").cast(pl.String).fill_null(NO_HEAD)).join(
        runs.select("run_id", "system", "success"), on="run_id"
    )
