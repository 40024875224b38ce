"""When the runs of a task part, what they did there, and how alike they stay afterwards."""

import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from math import comb
from typing import Final

import numpy as np
import polars as pl
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from ethogram.cohort.views import first_splits
from ethogram.measures.variance.figures import Figures
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.parallel import parallel_map, spawn_seeds
from ethogram.stats.prefixes import Sequences, divergence
from ethogram.stats.repeats import k_subsets
from ethogram.stats.sequences import coherence_after_divergence

ENDED: Final = "(ended)"
MAX_SUBSETS: Final = 1_000
MAX_PAIRS: Final = 1_000_000
"""Pairs of runs that are compared at a time, to bound the memory."""
NO_REPEATS: Final = "no task has two or more runs"
ALL_EQUAL: Final = "the runs of every task are equal"

_COLUMNS: Final = dict.fromkeys(
    ("divergence", "diverged_by_1", "diverged_by_5", "never"), pl.Float64()
)

_FIRST_CHARACTER: Final = 0xE000  # after the surrogates, which are no characters

Job = tuple[Sequence[str], np.random.SeedSequence]


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
    values = np.full(found.n_groups, np.nan)
    if k is not None:
        codes = _as_text(found)
        order = np.argsort(found.groups, kind="stable")
        first = np.cumsum(found.group_sizes) - found.group_sizes
        whole = np.flatnonzero(found.group_sizes == k)
        members = order[first[whole, None] + np.arange(k)]
        values[whole] = _coherence_of_all(codes, members, first_splits(found)[whole])
        larger = np.flatnonzero(found.group_sizes > k)
        seeds = spawn_seeds(seed, found.n_groups)
        jobs = (
            ([codes[run] for run in order[first[g] : first[g] + found.group_sizes[g]]], seeds[g])
            for g in larger
        )
        answers = parallel_map(partial(_coherence_of_subsets, k=k), jobs, executor=executor)
        values[larger] = [np.nan if answer is None else answer for answer in answers]
    return pl.Series("coherence", values).fill_nan(None)


def _as_text(found: Sequences) -> list[str]:
    """Each sequence as a string, one character a symbol; the private planes have room for all.

    LIMIT: more than a million distinct symbols (the alphabet of texts, very large cohorts) share
    characters.
    """
    room = sys.maxunicode - _FIRST_CHARACTER
    characters = (found.codes % room + _FIRST_CHARACTER).astype("<u4").tobytes().decode("utf-32-le")
    ends = np.cumsum(found.lengths)
    return [characters[start:end] for start, end in zip(ends - found.lengths, ends, strict=True)]


def _coherence_of_all(codes: Sequence[str], members: IntArray, steps: IntArray) -> FloatArray:
    """Coherence of groups of exactly k runs, all pairs of all groups in one go."""
    values = np.full(len(members), np.nan)
    n_pairs = max(1, comb(members.shape[1], 2))
    one, other = np.triu_indices(members.shape[1], 1)
    parted = np.flatnonzero(steps > 0)
    for start in range(0, len(parted), max(1, MAX_PAIRS // n_pairs)):
        chosen = parted[start : start + max(1, MAX_PAIRS // n_pairs)]
        rests = [
            [codes[run][step - 1 :] for run in runs]
            for runs, step in zip(members[chosen].tolist(), steps[chosen].tolist(), strict=True)
        ]
        alike = cpdist(
            [rest[i] for rest in rests for i in one],
            [rest[i] for rest in rests for i in other],
            scorer=Levenshtein.normalized_similarity,
            dtype=np.float64,
        )
        values[chosen] = alike.reshape(len(chosen), n_pairs).mean(axis=1)
    return values


def _coherence_of_subsets(job: Job, *, k: int) -> float | None:
    """Coherence of a group of more than k runs."""
    codes, seed = job
    return coherence_after_divergence(
        codes, subsets=k_subsets(len(codes), k, rng=seed, limit=MAX_SUBSETS)
    )


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
