"""Order of systems for the heat map and the dendrogram: average linkage on 1 - similarity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.similarity.field.correlations import complete
from ethogram.measures.similarity.field.means import label_of_scores, mean_matrix
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray

ORDER: Final = {
    "name": pl.String,
    "measure": pl.String,
    "place": pl.Int64,
    "system": pl.String,
    "clustered": pl.Boolean,
}
MERGES: Final = {
    "name": pl.String,
    "measure": pl.String,
    "step": pl.Int64,
    "left": pl.Int64,
    "right": pl.Int64,
    "height": pl.Float64,
    "size": pl.Int64,
}


@dataclass(frozen=True)
class Merge:
    """Two clusters that become one.

    Parameters
    ----------
    left, right : int
        Leaves are numbered by their place in the order from 0; with ``n`` clustered leaves merge
        number ``step`` makes cluster ``n + step``. The left one lies before the right one.
    height : float
        Mean of 1 - similarity between their systems.
    size : int
        Systems in the new cluster.
    """

    left: int
    right: int
    height: float
    size: int


@dataclass(frozen=True)
class Ordering:
    """Leaves from left to right and how they merge.

    Parameters
    ----------
    leaves : tuple of int
        Every system once: those that are clustered, then those that have a pair without similarity.
    n_clustered : int
        Leaves that take part in ``merges``.
    merges : tuple of Merge
        From the lowest to the highest: one less than the clustered leaves.
    """

    leaves: tuple[int, ...]
    n_clustered: int
    merges: tuple[Merge, ...]


def ordering_of(similarities: FloatArray, names: Sequence[str]) -> Ordering:
    """Average linkage of systems, leaves in the order that puts like beside like.

    Parameters
    ----------
    similarities : ndarray of shape (n_systems, n_systems)
        Symmetric, NaN where unknown; the diagonal is not read. Systems are left out until every
        pair of the others is known.
    names : sequence of str
        For what similarities leave open: which way round the order runs, and how ties are broken.

    Returns
    -------
    Ordering
        Of all orders that the tree allows one in which neighbours are most alike in sum.

    References
    ----------
    Bar-Joseph et al. (2001), Fast optimal leaf ordering for hierarchical clustering.
    """
    by_name = sorted(range(len(names)), key=lambda place: names[place])
    sorted_ = similarities[np.ix_(by_name, by_name)]
    chosen = complete([sorted_])
    rest = [place for place in range(len(names)) if place not in chosen]
    if len(chosen) < 2:
        return Ordering(tuple(by_name[place] for place in [*chosen, *rest]), len(chosen), ())
    leaves, merges = _linked(sorted_[np.ix_(chosen, chosen)])
    places = [chosen[leaf] for leaf in leaves] + rest
    return Ordering(tuple(by_name[place] for place in places), len(chosen), merges)


def _linked(similarities: FloatArray) -> tuple[list[int], tuple[Merge, ...]]:
    from scipy.cluster.hierarchy import leaves_list, linkage  # noqa: PLC0415  slow to import

    n = len(similarities)
    distances = 1 - similarities[np.triu_indices(n, 1)]
    tree = linkage(distances, method="average", optimal_ordering=True)
    leaves = [int(leaf) for leaf in leaves_list(tree)]
    if leaves[0] > leaves[-1]:
        leaves.reverse()
    place = {leaf: number for number, leaf in enumerate(leaves)}
    middle = [float(place[leaf]) for leaf in range(n)]  # mean place of the leaves of each cluster
    sizes = [1] * n
    merges = []
    for one, other, height, size in tree.tolist():
        pair = sorted((int(one), int(other)), key=lambda cluster: middle[cluster])
        left, right = (place[each] if each < n else each for each in pair)
        merges.append(Merge(left, right, float(height), int(size)))
        weights = [sizes[each] for each in pair]
        middle.append(float(np.average([middle[each] for each in pair], weights=weights)))
        sizes.append(int(size))
    return leaves, tuple(merges)


def ordering_tables(measures: Sequence[Scores]) -> tuple[Table, Table]:
    """Order of systems and merges of each measure.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.

    Returns
    -------
    Table, Table
        ``order`` (a row a measure and system, from left to right) and ``merges`` (as `Merge`).
    """
    order: list[dict[str, object]] = []
    merges: list[dict[str, object]] = []
    for scores in measures:
        found = ordering_of(mean_matrix(scores), scores.systems)
        key = {"name": scores.name, "measure": label_of_scores(scores)}
        order += [
            {
                **key,
                "place": place,
                "system": scores.systems[leaf],
                "clustered": place < found.n_clustered,
            }
            for place, leaf in enumerate(found.leaves)
        ]
        merges += [
            {
                **key,
                "step": step,
                "left": merge.left,
                "right": merge.right,
                "height": merge.height,
                "size": merge.size,
            }
            for step, merge in enumerate(found.merges)
        ]
    return _order_table(order), _merges_table(merges)


def _order_table(rows: list[dict[str, object]]) -> Table:
    return Table(
        "order",
        "Like beside like",
        pl.DataFrame(rows, schema=ORDER),
        (
            Column("measure", "Measure"),
            Column("place", "Place", "count"),
            Column("system", "System"),
            Column("clustered", "Clustered", "", "No: a pair's similarity isn't known; put last."),
        ),
        "Order of the leaves of the tree in which neighbours are most alike in sum.",
    )


def _merges_table(rows: list[dict[str, object]]) -> Table:
    return Table(
        "merges",
        "How systems merge",
        pl.DataFrame(rows, schema=MERGES),
        (
            Column("measure", "Measure"),
            Column("step", "Step", "count"),
            Column("left", "Left", "count", "Place of a leaf, or number of leaves plus a step."),
            Column("right", "Right", "count"),
            Column("height", "Height", "", "Mean of 1 - similarity between the two."),
            Column("size", "Systems", "count"),
        ),
        "Average linkage on 1 - similarity; of the systems between which all pairs are known.",
    )
