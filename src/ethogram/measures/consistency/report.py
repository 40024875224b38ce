"""Consistency as a report shows it: with the slow parts where they are affordable."""

from concurrent.futures import Executor
from dataclasses import replace
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.consistency.measure import consistency
from ethogram.results.result import Result

SECONDS_A_RUN: Final = 0.04
"""What sensitivity and monitor take for each run of a cohort, on two cores."""
AFFORDABLE: Final = 60.0


def consistency_for_report(
    cohort: Cohort, *, seed: int = 0, executor: Executor | None = None
) -> Result:
    """`consistency` with sensitivity and monitor, if these take about a minute or less.

    The estimate counts runs, not seconds, so that one cohort has one report on every machine.
    Otherwise a note names the command that makes them.
    """
    n_runs = cohort.joined.filter(pl.col("success").is_not_null()).height
    seconds = n_runs * SECONDS_A_RUN
    further = seconds <= AFFORDABLE
    result = consistency(cohort, sensitivity=further, monitor=further, seed=seed, executor=executor)
    if further:
        return result
    note = (
        "Whether the order of systems holds under other choices, and what first actions tell, is "
        f"not in this report: for {n_runs:,} runs that takes about {seconds / 60:.0f} minutes "
        "(ethogram consistency COHORT --sensitivity --monitor)."
    )
    return replace(result, notes=(*result.notes, note))
