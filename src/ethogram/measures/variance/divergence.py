"""When the runs of a task part, what they did there, and how alike they stay afterwards."""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort.views import first_splits
from ethogram.measures.variance.figures import Figures
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import IntArray
from ethogram.stats.parallel import parallel_map, spawn_seeds
from ethogram.stats.prefixes import Sequences, divergence
from ethogram.stats.repeats import k_subsets
from ethogram.stats.sequences import coherence_after_divergence

ENDED: Final = "(ended)"
MAX_SUBSETS: Final = 1_000
NO_REPEATS: Final = "no task has two or more runs"
ALL_EQUAL: Final = "the runs of every task are equal"

_COLUMNS: Final = dict.fromkeys(
    ("divergence", "diverged_by_1", "diverged_by_5", "never"), pl.Float64()
)

Job = tuple[Sequence[IntArray], np.random.SeedSequence]


def divergence_by_task(found: Sequences, k: int | None, *, suffix: str = "") -> pl.DataFrame:
    """Per group, over all subsets of k runs: when they part, by when, and whether at all.

    Columns ``divergence, diverged_by_1, diverged_by_5, never``, each with the suffix. Null with
    fewer than k runs; ``divergence`` also where no subset ever parts.
    """
    if k is None:
        frame = pl.DataFrame({name: [None] * found.n_groups for name in _COLUMNS}, schema=_COLUMNS)
    else:
        result = divergence(found, k, n_steps=5)
        frame = pl.DataFrame(
            {
                "divergence": result.mean,
                "diverged_by_1": result.by_step[:, 0],
                "diverged_by_5": result.by_step[:, 4],
                "never": result.never,
            }
        ).fill_nan(None)
    return frame.rename({name: name + suffix for name in frame.columns})


def splits(found: Sequences) -> pl.Series:
    """Step at which the runs of each group, all together, part; null if never or for one run."""
    return pl.Series("first_split", first_splits(found)).replace(0, None)


def done_there(actions: pl.DataFrame, runs: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """What the runs of each group did where they parted, most frequent first.

    Parameters
    ----------
    actions : polars.DataFrame
        ``run_id, action_index, symbol``.
    runs : polars.DataFrame
        ``run_id, group``.
    steps : polars.DataFrame
        ``group, first_split``.

    Returns
    -------
    polars.DataFrame
        ``group, there``, as in ``explore 3, understand 2``.
    """
    parted = runs.select("run_id", "group").join(steps.drop_nulls("first_split"), on="group")
    at_split = parted.with_columns(
        action_index=(pl.col("first_split") - 1).cast(actions.schema["action_index"])
    ).join(actions, on=["run_id", "action_index"], how="left")
    return (
        at_split.group_by("group", pl.col("symbol").fill_null(ENDED))
        .len()
        .sort(["group", "len", "symbol"], descending=[False, True, False])
        .group_by("group", maintain_order=True)
        .agg(there=pl.format("{} {}", "symbol", "len").str.join(", "))
    )


def coherence_by_task(
    found: Sequences, k: int | None, *, seed: int, executor: Executor | None = None
) -> pl.Series:
    """How alike the runs of each group stay from where they part; null where they never do.

    Mean over subsets of k runs (all of them, or 1,000 drawn ones) of the mean pairwise normalised
    edit similarity of the symbols from the divergence step on.
    """
    values: list[float | None] = [None] * found.n_groups
    if k is not None:
        order = np.argsort(found.groups, kind="stable")
        ends = np.cumsum(found.group_sizes)
        usable = [int(g) for g in np.flatnonzero(found.group_sizes >= k)]
        seeds = spawn_seeds(seed, found.n_groups)
        jobs: list[Job] = []
        for group in usable:
            members = order[ends[group] - found.group_sizes[group] : ends[group]]
            jobs.append(([_codes(found, run) for run in members], seeds[group]))
        answers = parallel_map(partial(_coherence, k=k), jobs, executor=executor)
        for group, answer in zip(usable, answers, strict=True):
            values[group] = answer
    return pl.Series("coherence", values, dtype=pl.Float64)


def _codes(found: Sequences, run: int) -> IntArray:
    start = found.starts[run]
    return found.codes[start : start + found.lengths[run]]


def _coherence(job: Job, *, k: int) -> float | None:
    sequences, seed = job
    n = len(sequences)
    subsets = k_subsets(n, k, rng=seed, limit=MAX_SUBSETS) if n > k else None
    return coherence_after_divergence([codes.tolist() for codes in sequences], subsets=subsets)


def divergence_estimates(tasks: pl.DataFrame, k: int | None, figures: Figures) -> list[Estimate]:
    """Divergence and coherence of one system, from its rows of the table of tasks."""
    few = NO_REPEATS if k is None else f"no task has {k} or more runs"
    repeated = tasks.filter(pl.col("never").is_not_null())
    reason = ALL_EQUAL if repeated.height else few
    rows: list[Estimate] = []
    for suffix in ("", "_texts"):
        steps, step_runs = _values(tasks, f"divergence{suffix}")
        rows += [
            figures.mean(f"divergence{suffix}_mean", steps, step_runs, reason=reason),
            figures.median(f"divergence{suffix}_median", steps, step_runs, reason=reason),
            *(
                figures.mean(name, *_values(tasks, name), reason=few)
                for name in (
                    f"diverged_by_1{suffix}",
                    f"diverged_by_5{suffix}",
                    f"never{suffix}",
                )
            ),
        ]
    return [*rows, figures.mean("coherence", *_values(tasks, "coherence"), reason=reason)]


def _values(tasks: pl.DataFrame, column: str) -> tuple[pl.Series, int]:
    known = tasks.filter(pl.col(column).is_not_null())
    return known[column], int(known["n_runs"].sum())
