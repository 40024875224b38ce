"""How many tasks a pair's scores rest on, and how many of them a convention decides."""

from itertools import combinations

import numpy as np
import polars as pl

from ethogram.measures.similarity.habits import Habits
from ethogram.measures.similarity.nodes import Split, ToolUse, by_algebra
from ethogram.stats.arrays import BoolArray

SCHEMA = {
    "first": pl.String,
    "second": pl.String,
    "n_tasks": pl.Int64,
    "n_optional": pl.Int64,
    "n_no_optional": pl.Int64,
    "n_by_algebra": pl.Int64,
    "seq_both_zero": pl.Float64,
    "seq_one_zero": pl.Float64,
    "dep_both_zero": pl.Float64,
    "dep_one_zero": pl.Float64,
}


def conventions(
    use: ToolUse, found: Split, pool: BoolArray, seq: Habits, dep: Habits
) -> pl.DataFrame:
    """Count, for each pair of systems, what its scores rest on.

    Returns
    -------
    polars.DataFrame
        ``first, second``; ``n_tasks`` that both ran; ``n_optional`` with optional tools and
        ``n_no_optional`` without, which S_node leaves out; ``n_by_algebra`` that only these two
        systems of the pool solved, where they disagree on every optional tool by definition;
        ``seq_both_zero``, ``seq_one_zero``, ``dep_both_zero``, ``dep_one_zero``: tasks whose cosine
        is 1 or 0 by convention (with repeats, the sum over tasks of the share of pairs of runs).
    """
    systems, n_runs = use.sample.systems, use.sample.n_runs
    has_optional = found.optional.any(axis=1)
    alone = by_algebra(use, pool)
    rows = []
    for first, second in combinations(range(len(systems)), 2):
        there = (n_runs[first] > 0) & (n_runs[second] > 0)
        n_optional = int((there & has_optional).sum())
        rows.append(
            {
                "first": systems[first],
                "second": systems[second],
                "n_tasks": int(there.sum()),
                "n_optional": n_optional,
                "n_no_optional": int(there.sum()) - n_optional,
                "n_by_algebra": int(alone[first, second]),
                "seq_both_zero": float(np.nansum(seq.both_zero[first, second])),
                "seq_one_zero": float(np.nansum(seq.one_zero[first, second])),
                "dep_both_zero": float(np.nansum(dep.both_zero[first, second])),
                "dep_one_zero": float(np.nansum(dep.one_zero[first, second])),
            }
        )
    return pl.DataFrame(rows, schema=SCHEMA)
