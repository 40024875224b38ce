"""Does S_node depend on who is in the pool (Yang et al. 2026, Table 9).

Which tools are optional is decided by the successful systems of the pool, so S_node of a pair can
change when others leave. Pools without two systems other than the reference are tried; a system
that left is not judged by that pool.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from ethogram.errors import UsageError
from ethogram.results.numbers import show_number
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray, IntArray, RandomSource
from ethogram.stats.rank_stability import kendall_taus, same_order

N_POOLS: Final = 100
SCHEMA: Final = {
    "system": pl.String,
    "full": pl.Float64,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "cv": pl.Float64,
    "lowest": pl.Float64,
    "highest": pl.Float64,
    "n_pools": pl.Int64,
}


def pools_without_two(
    n_others: int, *, rng: RandomSource = 0, n: int = N_POOLS
) -> list[tuple[int, int]]:
    """Which two of the systems other than the reference to leave out, pool by pool.

    Parameters
    ----------
    n_others : int
        Systems other than the reference.
    rng : int, SeedSequence or Generator
        For the choice where there are more than ``n``.
    n : int
        Pools wanted.

    Returns
    -------
    list of (int, int)
        All pairs, in order, if they are at most ``n``, else ``n`` different ones, in order.

    Examples
    --------
    >>> pools_without_two(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    every = list(combinations(range(n_others), 2))
    if len(every) <= n:
        return every
    chosen = np.random.default_rng(rng).choice(len(every), size=n, replace=False)
    return [every[place] for place in sorted(chosen.tolist())]


@dataclass(frozen=True)
class PoolStability:
    """How far similarities to a reference and their order hold in other pools.

    Parameters
    ----------
    full : ndarray of shape (n_targets,)
        With the full pool; NaN where there is none.
    mean, sd, cv : ndarray of shape (n_targets,)
        Over pools; ``sd`` and ``cv = sd / mean`` are NaN with fewer than two pools, ``cv`` also
        where the mean is 0.
    lowest, highest : ndarray of shape (n_targets,)
        Over pools.
    n_pools : ndarray of int, shape (n_targets,)
        Pools that give a value.
    tau : float or None
        Mean over pools of Kendall's tau-b with the order of the full pool, over the targets that
        have a value in both; None where no pool has two that differ.
    same_order : float or None
        Share of pools in which that order is the very same; None without a pool of two targets.
    """

    full: FloatArray
    mean: FloatArray
    sd: FloatArray
    cv: FloatArray
    lowest: FloatArray
    highest: FloatArray
    n_pools: IntArray
    tau: float | None
    same_order: float | None


def pool_stability(full: FloatArray, pools: FloatArray) -> PoolStability:
    """Mean, spread and order of similarities over pools.

    Parameters
    ----------
    full : ndarray of shape (n_targets,)
        Similarity of each target to the reference with the full pool.
    pools : ndarray of shape (n_pools, n_targets)
        The same with each other pool; NaN where the target isn't in it or has no value.

    Raises
    ------
    UsageError
        If shapes don't fit.

    Examples
    --------
    >>> found = pool_stability(np.array([0.8, 0.6]), np.array([[0.7, 0.6], [0.9, 0.6]]))
    >>> found.mean.tolist(), found.cv.round(3).tolist(), found.tau, found.same_order
    ([0.8, 0.6], [0.177, 0.0], 1.0, 1.0)
    """
    if pools.ndim != 2 or full.shape != pools.shape[1:]:
        raise UsageError(
            f"pools must hold a value for each target; got {pools.shape} and {full.shape}"
        )
    known = ~np.isnan(pools)
    n: IntArray = known.sum(axis=0, dtype=np.int64)
    some = np.maximum(n, 1)
    mean = np.where(n > 0, np.where(known, pools, 0.0).sum(axis=0) / some, np.nan)
    squares = np.where(known, (pools - mean) ** 2, 0.0).sum(axis=0)
    sd = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    positive = mean > 0
    cv = np.where(positive, sd / np.where(positive, mean, 1.0), np.nan)
    least = np.where(known, pools, np.inf).min(axis=0, initial=np.inf)
    most = np.where(known, pools, -np.inf).max(axis=0, initial=-np.inf)
    tau, same = _order(full, pools)
    return PoolStability(
        full,
        mean,
        sd,
        cv,
        np.where(n > 0, least, np.nan),
        np.where(n > 0, most, np.nan),
        n,
        tau,
        same,
    )


def _order(full: FloatArray, pools: FloatArray) -> tuple[float | None, float | None]:
    targets = ~np.isnan(full)
    values = pools[:, targets]
    values = values[(~np.isnan(values)).sum(axis=1) > 1]
    if not len(values):
        return None, None
    taus = kendall_taus(full[targets], values)
    taus = taus[~np.isnan(taus)]
    return (
        float(taus.mean()) if len(taus) else None,
        float(same_order(full[targets], values).mean()),
    )


def pool_table(targets: Sequence[str], found: PoolStability, *, reference: str) -> Table:
    """S_node of each target to a reference over pools.

    Parameters
    ----------
    targets : sequence of str
        Names, in the order of the arrays of ``found``.
    found : PoolStability
        What `pool_stability` gave.
    reference : str
        Name of the reference.

    Returns
    -------
    Table
        ``pool``, with the stability of the order in its text.
    """
    arrays = ("full", "mean", "sd", "cv", "lowest", "highest")
    columns = {
        name: [None if np.isnan(value) else float(value) for value in getattr(found, name)]
        for name in arrays
    }
    frame = pl.DataFrame(
        {"system": list(targets), **columns, "n_pools": found.n_pools.tolist()}, schema=SCHEMA
    )
    order = (
        f" The order of systems: Kendall's tau with that of the full pool "
        f"{show_number(found.tau, 'correlation')} on average; the very same in "
        f"{show_number(found.same_order, 'share')} of the pools."
        if found.same_order is not None
        else ""
    )
    return Table(
        "pool",
        f"S_node to {reference} in other pools",
        frame,
        (
            Column("system", "System"),
            Column("full", "Full pool", "share"),
            Column("mean", "Mean", "share"),
            Column("sd", "SD", "share"),
            Column("cv", "CV", "share"),
            Column("lowest", "least", "share"),
            Column("highest", "most", "share"),
            Column("n_pools", "Pools", "count"),
        ),
        "Pools without two systems other than the reference; none judges a system that it left "
        f"out. The spread is over pools, not over tasks.{order}",
    )
