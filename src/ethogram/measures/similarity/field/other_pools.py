"""S_node to a reference when others decide which tools are optional."""

import numpy as np

from ethogram.measures.similarity.field.means import mean_matrix
from ethogram.measures.similarity.field.pool import pool_stability, pool_table, pools_without_two
from ethogram.measures.similarity.nodes import ToolUse, s_node
from ethogram.results.table import Table
from ethogram.stats.arrays import BoolArray, FloatArray


def pool_sensitivity(use: ToolUse, pool: BoolArray, reference: str, *, seed: int) -> Table:
    """How far S_node to a reference holds in pools without two other systems.

    Parameters
    ----------
    use : ToolUse
        Who used what.
    pool : ndarray of bool, shape (n_systems,)
        The full pool; two of its members other than the reference leave at a time.
    reference : str
        Name of the reference.
    seed : int
        Of the choice of pools where there are more than a hundred.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, Table 9.
    """
    place = use.sample.systems.index(reference)
    targets = [system for system in range(len(pool)) if system != place]
    members = [system for system in targets if pool[system]]
    full = mean_matrix(s_node(use, pool))[place, targets]
    rows = [
        _to(use, pool, place, [members[one], members[other]])[targets]
        for one, other in pools_without_two(len(members), rng=seed)
    ]
    stability = pool_stability(full, np.array(rows).reshape(-1, len(targets)))
    names = [use.sample.systems[target] for target in targets]
    return pool_table(names, stability, reference=reference)


def _to(use: ToolUse, pool: BoolArray, reference: int, left_out: list[int]) -> FloatArray:
    """S_node of every system to the reference without two of the pool; NaN for these two."""
    smaller = pool.copy()
    smaller[left_out] = False
    found: FloatArray = mean_matrix(s_node(use, smaller))[reference].copy()
    found[left_out] = np.nan
    return found
