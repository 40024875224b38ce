"""Exact edit distance between labelled directed graphs, with its bound where time runs out.

::

    LabelledGraph(names, edges)
    graph_edit_distance(first, second, *, time_limit=30.0) -> EditDistance
    graph_edit_similarity(first, second, *, time_limit=30.0) -> float

Every insertion, deletion and change of a label costs 1. To delete one graph and insert the other
costs the number of their nodes and edges, the *size* of the pair. A matching of nodes saves part
of it: 2 for each pair of nodes or edges with equal labels, 1 for one with different labels, since
one change then stands for a deletion and an insertion. The distance is the size less the most that
a matching saves. No matching is made worse by one more pair of nodes, so every node of the smaller
graph has a partner in the best one.

Three steps, each exact where it ends the search: equal graphs; an upper bound on what is saved
(nodes with the edges at them, matched as an assignment) that a simple matching reaches; a mixed
integer program.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from rapidfuzz.distance import Levenshtein

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.sequences import encode

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_VARIABLES: Final = 200_000
"""Pairs of nodes and pairs of edges beyond which no program is built (300 nodes against 300): it
would not end in any time that one waits, and takes gigabytes."""

_TOLERANCE: Final = 1e-3

_Condition: TypeAlias = "tuple[csr_array[np.float64], float, float]"


@dataclass(frozen=True, slots=True)
class LabelledGraph:
    """A directed graph with a label at each node and each edge.

    Parameters
    ----------
    names : tuple of str
        Label of each node; nodes are numbered from 0 in this order.
    edges : mapping of (int, int) to str
        Label of the edge from one node to another; at most one edge an ordered pair.

    Raises
    ------
    UsageError
        If an edge ends at a node that there is not.
    """

    names: tuple[str, ...]
    edges: Mapping[tuple[int, int], str]

    def __post_init__(self) -> None:
        ends = set(chain.from_iterable(self.edges))
        if ends and not (min(ends) >= 0 and max(ends) < len(self.names)):
            raise UsageError(
                f"edges must join nodes 0 to {len(self.names) - 1}; "
                f"got ends from {min(ends)} to {max(ends)}"
            )

    @property
    def size(self) -> int:
        """Number of nodes and edges."""
        return len(self.names) + len(self.edges)

    @property
    def key(self) -> tuple[int, tuple[str, ...], tuple[tuple[tuple[int, int], str], ...]]:
        """Hashable and ordered, smaller graphs first; equal for graphs written alike."""
        return len(self.names), tuple(self.names), tuple(sorted(self.edges.items()))


@dataclass(frozen=True, slots=True)
class EditDistance:
    """The least number of edits found between two graphs, and what is proven of it.

    Attributes
    ----------
    distance : float
        Number of edits of the best way found; the distance itself if ``optimal``.
    lower_bound : float
        No way needs fewer edits.
    optimal : bool
        Whether the two are equal.
    size : int
        Nodes and edges of both graphs: what deleting one and inserting the other costs.
    """

    distance: float
    lower_bound: float
    optimal: bool
    size: int

    @property
    def gap(self) -> float:
        """By how many edits the distance may be too high; 0 if it is proven."""
        return self.distance - self.lower_bound

    @property
    def similarity(self) -> float:
        """``1 - distance / size``, from 0 to 1; 1 for two empty graphs."""
        return 1 - self.distance / self.size if self.size else 1.0

    @property
    def similarity_bound(self) -> float:
        """``1 - lower_bound / size``: the similarity is no higher; equal to it if ``optimal``."""
        return 1 - self.lower_bound / self.size if self.size else 1.0


def graph_edit_distance(
    first: LabelledGraph, second: LabelledGraph, *, time_limit: float = 30.0
) -> EditDistance:
    """Least number of edits that turn one graph into the other.

    An edit inserts or deletes a node or an edge, or changes the label of one. An edge can only take
    the place of one in the same direction between the partners of its ends.

    Parameters
    ----------
    first, second : LabelledGraph
        In either order: the result is the same.
    time_limit : float
        Seconds after which the solver stops with what it has; with 0 it doesn't start.

    Returns
    -------
    EditDistance
        0 if and only if the graphs are equal up to the order of their nodes; against an empty graph
        the size of the other. Where the solver stops, or the graphs are too large for it
        (`MAX_VARIABLES`), the best way found and the bound proven so far.

    Raises
    ------
    UsageError
        If ``time_limit`` is negative or not a number.

    References
    ----------
    Lerouge, Abu-Aisheh, Raveaux, Héroux and Adam (2017), Pattern Recognition 72, 254-265,
    formulation F2. What it asks of the edges of one graph is asked of those of both here, which
    tightens its relaxation and changes no solution.

    Examples
    --------
    >>> chain = LabelledGraph(("find", "read", "book"), {(0, 1): "s", (1, 2): "s"})
    >>> other = LabelledGraph(("find", "book"), {(0, 1): "d"})
    >>> graph_edit_distance(chain, other)
    EditDistance(distance=4.0, lower_bound=4.0, optimal=True, size=8)
    """
    if not time_limit >= 0:
        raise UsageError(f"time_limit must be 0 or more seconds; got {time_limit}")
    size = first.size + second.size
    if first.key == second.key:
        return EditDistance(0.0, 0.0, True, size)
    small, large = sorted((first, second), key=lambda graph: graph.key)
    partners, ceiling = _assigned(small, large)
    saved = max(_saved(small, large, partners), _saved(small, large, _aligned(small, large)))
    n_variables = len(small.names) * len(large.names) + len(small.edges) * len(large.edges)
    if saved < ceiling and time_limit > 0 and n_variables <= MAX_VARIABLES:
        found, ceiling = _solved(small, large, ceiling, time_limit)
        if found is not None:
            saved = max(saved, _saved(small, large, found))
    ceiling = max(ceiling, saved)
    return EditDistance(float(size - saved), float(size - ceiling), saved == ceiling, size)


def graph_edit_similarity(
    first: LabelledGraph, second: LabelledGraph, *, time_limit: float = 30.0
) -> float:
    """``1 - distance / (|V1| + |V2| + |E1| + |E2|)``, from 0 to 1; 1 for two empty graphs.

    Where the solver stops, that of the best way found: `graph_edit_distance` tells whether it did.

    Examples
    --------
    >>> one, other = LabelledGraph(("find",), {}), LabelledGraph(("find", "book"), {(0, 1): "s"})
    >>> graph_edit_similarity(one, other)
    0.5
    """
    return graph_edit_distance(first, second, time_limit=time_limit).similarity


def _saved(small: LabelledGraph, large: LabelledGraph, partners: Sequence[int]) -> int:
    """What a matching saves; ``partners`` has the node of the large graph for each small one."""
    saved = sum(
        1 + (name == large.names[partner])
        for name, partner in zip(small.names, partners, strict=True)
    )
    for (source, target), label in small.edges.items():
        other = large.edges.get((partners[source], partners[target]))
        saved += 0 if other is None else 1 + (other == label)
    return saved


def _aligned(small: LabelledGraph, large: LabelledGraph) -> list[int]:
    """Partners by aligning the names in order; what is left over is paired in order."""
    blocks = Levenshtein.opcodes(*encode([small.names, large.names]))
    partner = {
        source: target
        for block in blocks
        for source, target in zip(
            range(block.src_start, block.src_end),
            range(block.dest_start, block.dest_end),
            strict=False,  # an insertion or deletion has one side only
        )
    }
    taken = set(partner.values())
    rest = (node for node in range(len(large.names)) if node not in taken)
    return [partner[node] if node in partner else next(rest) for node in range(len(small.names))]


def _assigned(small: LabelledGraph, large: LabelledGraph) -> tuple[list[int], int]:
    """Partners by an assignment of nodes, and the most that any matching saves.

    A kept edge lies at two nodes: each counts half of what the edges at it could save at most.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  takes half a second

    labels = sorted({*small.edges.values(), *large.edges.values()})
    one, other = _edges_at(small, labels), _edges_at(large, labels)
    saves: FloatArray = _savings(small.names, large.names).astype(np.float64)
    for side in range(2):
        saves += np.minimum.outer(one[side].sum(axis=0), other[side].sum(axis=0)) / 2
        for here, there in zip(one[side], other[side], strict=True):
            saves += np.minimum.outer(here, there) / 2
    places, partners = linear_sum_assignment(saves, maximize=True)
    return partners.tolist(), int(saves[places, partners].sum())  # halves add up exactly


def _edges_at(graph: LabelledGraph, labels: Sequence[str]) -> IntArray:
    """Number of edges of each label that leave and that reach a node: (2, labels, nodes)."""
    found = np.zeros((2, len(labels), len(graph.names)), dtype=np.int64)
    for ends, label in graph.edges.items():
        for side, node in enumerate(ends):
            found[side, labels.index(label), node] += 1
    return found


def _savings(first: Sequence[str], second: Sequence[str]) -> IntArray:
    """What each pair of labels saves: 2 if equal, else 1."""
    number = {label: place for place, label in enumerate(dict.fromkeys((*first, *second)))}
    one, other = ([number[label] for label in labels] for labels in (first, second))
    return 1 + np.equal.outer(np.array(one, np.int64), np.array(other, np.int64)).astype(np.int64)


def _solved(
    small: LabelledGraph, large: LabelledGraph, ceiling: int, time_limit: float
) -> tuple[list[int] | None, int]:
    """Best partners that the solver finds in time, if any, and the most that is saved."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415

    n_pairs = len(small.names) * len(large.names)
    saves = np.concatenate(
        [
            _savings(small.names, large.names).ravel(),
            _savings([*small.edges.values()], [*large.edges.values()]).ravel(),
        ]
    )
    # once nodes are matched, edges follow: only the pairs of nodes need be whole numbers
    whole = np.arange(len(saves)) < n_pairs
    found = milp(
        -saves.astype(np.float64),
        constraints=[LinearConstraint(*rows) for rows in _conditions(small, large)],
        bounds=Bounds(0, 1),
        integrality=whole.astype(np.int64),
        # savings are whole numbers: a gap below 1 proves the optimum
        options={"time_limit": time_limit, "mip_rel_gap": (1 - 1e-3) / ceiling},
    )
    if found.status in {0, 1} and found.mip_dual_bound is not None:
        ceiling = int(min(ceiling, np.floor(-found.mip_dual_bound + _TOLERANCE)))
    if found.x is None:
        return None, ceiling
    return found.x[:n_pairs].reshape(len(small.names), -1).argmax(axis=1).tolist(), ceiling


def _conditions(small: LabelledGraph, large: LabelledGraph) -> Iterator[_Condition]:
    """Rows of the program, as sparse matrix, least and most.

    Variables are the pairs of nodes, by the small graph's node, then the pairs of edges likewise.
    """
    p, q, n = len(small.names), len(large.names), len(large.edges)
    pair = np.arange(p * q)
    width = p * q + len(small.edges) * n
    yield _sparse(pair // q, pair, np.ones(p * q), (p, width)), 1.0, 1.0
    yield _sparse(pair % q, pair, np.ones(p * q), (q, width)), -np.inf, 1.0
    one, other = np.divmod(np.arange(len(small.edges) * n), max(n, 1))
    for here, there in zip(_ends(small), _ends(large), strict=True):
        nodes = here[one] * q + there[other]
        # an edge goes to one of those at the partner of its end, whichever graph it is of
        for group in (one * q + there[other], other * p + here[one]):
            yield _at_most_its_nodes(group, nodes, p * q, width), -np.inf, 0.0


def _ends(graph: LabelledGraph) -> IntArray:
    """Sources and targets of the edges: (2, edges)."""
    return np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2).T


def _at_most_its_nodes(
    group: IntArray, nodes: IntArray, first: int, width: int
) -> "csr_array[np.float64]":
    """One row a group of pairs of edges: their sum less the pair of nodes that they all need."""
    groups, example, row = np.unique(group, return_index=True, return_inverse=True)
    rows = np.concatenate([row, np.arange(len(groups))])
    columns = np.concatenate([first + np.arange(len(group)), nodes[example]])
    values = np.concatenate([np.ones(len(group)), -np.ones(len(groups))])
    return _sparse(rows, columns, values, (len(groups), width))


def _sparse(
    rows: IntArray, columns: IntArray, values: FloatArray, shape: tuple[int, int]
) -> "csr_array[np.float64]":
    from scipy.sparse import csr_array  # noqa: PLC0415

    return csr_array((values, (rows, columns)), shape=shape)
