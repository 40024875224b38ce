"""How failed runs fail: one mode a run, the first that fits."""

from collections.abc import Mapping
from typing import Final

import polars as pl

LOOP_ACTIONS: Final = 12
LOOP_PERIODS: Final = (1, 2, 3)

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


def failure_modes(actions: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Failed runs of each system by mode: ``system, mode, label, n_runs, share``.

    Every mode of every system with a failed run has a row. A run without a known outcome has not
    failed.
    """
    failed = runs.filter(~pl.col("success")).join(
        looping(actions), on="run_id", how="left", maintain_order="left"
    )
    modes = failed.select(
        "system",
        mode=pl.coalesce(pl.when(test).then(pl.lit(name)) for name, test in _MODES.items()),
    )
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
