"""The tools on which two systems agree and differ."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import numpy as np
import polars as pl

from ethogram.measures.similarity.nodes import Split, ToolUse

SCHEMA: Final = {
    "first": pl.String,
    "second": pl.String,
    "tool": pl.String,
    "agreement": pl.Float64,
    "first_share": pl.Float64,
    "second_share": pl.Float64,
    "n_tasks": pl.Int64,
}


def tool_agreement(use: ToolUse, found: Split) -> pl.DataFrame:
    """How often two systems decide alike on each tool, over the tasks where it is optional.

    Returns
    -------
    polars.DataFrame
        ``first, second, tool, agreement, first_share, second_share, n_tasks``: share of tasks with
        the same decision, and each system's share of tasks that used it; with repeats, means over
        pairs of runs and over runs. Sorted by pair, then by how much the tool takes from the
        pair's agreement.
    """
    pairs = combinations(range(len(use.sample.systems)), 2)
    rows = [row for first, second in pairs for row in _pair(use, found, first, second)]
    lost = (1 - pl.col("agreement")) * pl.col("n_tasks")
    return pl.DataFrame(rows, schema=SCHEMA).sort(
        "first", "second", -lost, -pl.col("n_tasks"), "tool"
    )


def _pair(use: ToolUse, found: Split, first: int, second: int) -> Iterator[dict[str, Any]]:
    there = (use.sample.n_runs[first] > 0) & (use.sample.n_runs[second] > 0)
    asked = found.optional & there[:, None]
    one, other = (np.where(asked, use.share[system], 0.0) for system in (first, second))
    alike = np.where(asked, one * other + (1 - one) * (1 - other), 0.0).sum(axis=0)
    n_tasks = asked.sum(axis=0)
    for tool in np.flatnonzero(n_tasks):
        yield {
            "first": use.sample.systems[first],
            "second": use.sample.systems[second],
            "tool": use.tools[tool],
            "agreement": alike[tool] / n_tasks[tool],
            "first_share": one[:, tool].sum() / n_tasks[tool],
            "second_share": other[:, tool].sum() / n_tasks[tool],
            "n_tasks": n_tasks[tool],
        }
