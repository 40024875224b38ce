"""How failed runs fail: one mode a run, the first that fits."""

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from ethogram.measures.variance.figures import Figures
from ethogram.measures.variance.outcomes import NO_OUTCOME
from ethogram.results.estimate import Estimate

LOOP_ACTIONS: Final = 12
LOOP_PERIODS: Final = (1, 2, 3)
NO_FAILURE: Final = "no run failed"

_MODES: Final[Mapping[str, pl.Expr]] = {
    "error": pl.col("ending").is_in(["agent_error", "infra_error", "cancelled"]),
    "limit": pl.col("ending") == "limit",
    "loop": pl.col("loops"),
    "empty_submission": ~pl.col("submitted"),
    "wrong_result": pl.lit(value=True),
}
"""In order of precedence; a benchmark that records no submission never has an empty one."""

MODES: Final = tuple(_MODES)
MODE_LABELS: Final[Mapping[str, str]] = {
    "error": "Ended by an error",
    "limit": "Ran into a limit",
    "loop": "Went round in a loop",
    "empty_submission": "Submitted nothing",
    "wrong_result": "Wrong result",
}


def modes_by_run(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """``system, group, mode`` of the failed runs; a run without a known outcome has not failed."""
    failed = runs.filter(~pl.col("success")).join(
        looping(actions), on="run_id", how="left", maintain_order="left"
    )
    mode = pl.coalesce(pl.when(test).then(pl.lit(name)) for name, test in _MODES.items())
    return failed.select("system", "group", mode=mode)


def failure_modes(modes: pl.DataFrame) -> pl.DataFrame:
    """Failed runs of each system by mode: ``system, mode, label, n_runs, share``.

    Every mode of every system with a failed run has a row.
    """
    counts = modes.group_by("system", "mode").agg(n_runs=pl.len())
    every = modes.select(pl.col("system").unique(maintain_order=True)).join(
        pl.DataFrame({"mode": MODES, "label": list(MODE_LABELS.values())}), how="cross"
    )
    return every.join(
        counts, on=["system", "mode"], how="left", maintain_order="left"
    ).with_columns(
        pl.col("n_runs").fill_null(0),
        share=pl.col("n_runs").fill_null(0) / pl.col("n_runs").sum().over("system"),
    )


def modes_by_task(modes: pl.DataFrame) -> pl.DataFrame:
    """Per group with a failed run: ``failed_*``, the number of failed runs of each mode."""
    return modes.group_by("group").agg(
        (pl.col("mode") == mode).sum().alias(f"failed_{mode}") for mode in MODES
    )


def failure_estimates(tasks: pl.DataFrame, figures: Figures) -> Iterator[tuple[str, Estimate]]:
    """Mode and estimate: share of all runs and of failed runs that fail in this way."""
    n = tasks["n_labelled"].to_numpy()
    failed = (tasks["n_labelled"] - tasks["successes"]).to_numpy()
    for mode in MODES:
        of_mode = tasks[f"failed_{mode}"].fill_null(0).to_numpy()
        yield mode, figures.ratio("failure_rate", of_mode, n, reason=NO_OUTCOME)
        yield mode, figures.ratio("failure_share", of_mode, failed, reason=NO_FAILURE)


def looping(actions: pl.DataFrame) -> pl.DataFrame:
    """Whether a run's last twelve actions repeat a cycle of at most three, to the letter.

    Columns ``run_id, loops``; shorter runs do not loop.
    """
    last = (
        actions.sort("run_id", "action_index")
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("text").tail(LOOP_ACTIONS))
    )
    long = pl.col("text").list.len() == LOOP_ACTIONS
    repeats = pl.any_horizontal(
        pl.col("text").list.slice(0, LOOP_ACTIONS - period)
        == pl.col("text").list.slice(period, LOOP_ACTIONS - period)
        for period in LOOP_PERIODS
    )
    return last.select("run_id", loops=long & repeats)
