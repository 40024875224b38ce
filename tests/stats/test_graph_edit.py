"""Edit distance of graphs: against networkx, against every matching, by hand, by its laws."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.stats import graph_edit
from ethogram.stats.graph_edit import (
    EditDistance,
    LabelledGraph,
    graph_edit_distance,
    graph_edit_similarity,
)

EMPTY = LabelledGraph((), {})
CHAIN = LabelledGraph(("find", "read", "book"), {(0, 1): "s", (1, 2): "s"})


@st.composite
def graphs(draw: st.DrawFn, most: int = 4) -> LabelledGraph:
    names = tuple(draw(st.lists(st.sampled_from("abc"), max_size=most)))
    ends = [(one, other) for one in range(len(names)) for other in range(len(names))]
    labels = st.sampled_from("sd")
    return LabelledGraph(
        names, draw(st.dictionaries(st.sampled_from(ends), labels)) if ends else {}
    )


def like_an_action_graph(rng: np.random.Generator, most: int) -> LabelledGraph:
    """A chain of calls, some of which are fed by one or several earlier ones instead."""
    n = int(rng.integers(0, most + 1))
    edges = {}
    for target in range(1, n):
        sources = rng.choice(target, size=min(target, int(rng.integers(0, 3))), replace=False)
        edges.update({(int(source), target): "d" for source in sources})
        if not len(sources):
            edges[target - 1, target] = "s"
    return LabelledGraph(tuple(rng.choice(list("abcd"), size=n).tolist()), edges)


def by_every_matching(first: LabelledGraph, second: LabelledGraph) -> int:
    """Cheapest of all ways to give each node of the first graph a partner or none."""
    n, m = len(first.names), len(second.names)

    def cost(partner: tuple[int, ...]) -> int:
        kept = {node: other for node, other in enumerate(partner) if other < m}
        changed = sum(first.names[one] != second.names[other] for one, other in kept.items())
        nodes = n + m - 2 * len(kept) + changed
        moved = {
            (kept[source], kept[target]): label
            for (source, target), label in first.edges.items()
            if source in kept and target in kept
        }
        shared = moved.keys() & second.edges.keys()
        relabelled = sum(moved[edge] != second.edges[edge] for edge in shared)
        return nodes + len(first.edges) + len(second.edges) - 2 * len(shared) + relabelled

    return min(cost(partner[:n]) for partner in permutations(range(m + n), n))


def as_networkx(graph: LabelledGraph) -> "nx.DiGraph[int]":
    made: nx.DiGraph[int] = nx.DiGraph()
    made.add_nodes_from((node, {"name": name}) for node, name in enumerate(graph.names))
    made.add_edges_from((*ends, {"type": label}) for ends, label in graph.edges.items())
    return made


def by_networkx(first: LabelledGraph, second: LabelledGraph) -> float:
    distance = nx.graph_edit_distance(
        as_networkx(first),
        as_networkx(second),
        node_match=lambda one, other: one["name"] == other["name"],
        edge_match=lambda one, other: one["type"] == other["type"],
    )
    assert distance is not None
    return float(distance)


def equal_up_to_order(first: LabelledGraph, second: LabelledGraph) -> bool:
    return bool(
        nx.is_isomorphic(
            as_networkx(first),
            as_networkx(second),
            node_match=lambda one, other: one["name"] == other["name"],
            edge_match=lambda one, other: one["type"] == other["type"],
        )
    )


def reordered(graph: LabelledGraph, order: list[int]) -> LabelledGraph:
    place = {node: number for number, node in enumerate(order)}
    return LabelledGraph(
        tuple(graph.names[node] for node in order),
        {(place[one], place[other]): label for (one, other), label in graph.edges.items()},
    )


@given(graphs(), graphs())
def test_the_distance_is_that_of_the_best_of_all_matchings(
    first: LabelledGraph, second: LabelledGraph
) -> None:
    found = graph_edit_distance(first, second)

    assert found.optimal
    assert found.distance == found.lower_bound == by_every_matching(first, second)


@pytest.mark.parametrize("seed", range(40))
def test_it_equals_networkx_on_graphs_of_up_to_five_calls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = like_an_action_graph(rng, 5), like_an_action_graph(rng, 5)

    assert graph_edit_distance(first, second).distance == by_networkx(first, second)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_it_equals_networkx_on_graphs_of_up_to_seven_calls(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    first, second = like_an_action_graph(rng, 7), like_an_action_graph(rng, 7)

    assert graph_edit_distance(first, second).distance == by_networkx(first, second)


@given(graphs(), graphs())
def test_it_is_zero_for_equal_graphs_alone(first: LabelledGraph, second: LabelledGraph) -> None:
    assert graph_edit_distance(first, first) == EditDistance(0, 0, True, 2 * first.size)
    assert (graph_edit_distance(first, second).distance == 0) == equal_up_to_order(first, second)


@given(graphs(most=6), graphs(most=6), st.sampled_from([0.0, 30.0]))
def test_it_is_symmetric_even_where_the_solver_does_not_run(
    first: LabelledGraph, second: LabelledGraph, time_limit: float
) -> None:
    found = graph_edit_distance(first, second, time_limit=time_limit)

    assert found == graph_edit_distance(second, first, time_limit=time_limit)


@settings(max_examples=50)
@given(graphs(most=6), graphs(most=6), st.data())
def test_order_of_nodes_and_names_of_labels_do_not_matter(
    first: LabelledGraph, second: LabelledGraph, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(first.names))))
    name = dict(zip("abcsd", data.draw(st.permutations("abcsd")), strict=True))
    renamed = [
        LabelledGraph(
            tuple(name[one] for one in graph.names),
            {ends: name[label] for ends, label in graph.edges.items()},
        )
        for graph in (reordered(first, order), second)
    ]

    assert graph_edit_distance(*renamed) == graph_edit_distance(first, second)


@settings(max_examples=50)
@given(graphs(), graphs(), graphs())
def test_a_detour_is_no_shorter(
    first: LabelledGraph, second: LabelledGraph, third: LabelledGraph
) -> None:
    there, on, straight = (
        graph_edit_distance(*pair).distance
        for pair in ((first, second), (second, third), (first, third))
    )

    assert straight <= there + on


@given(graphs(most=7), graphs(most=7))
def test_without_the_solver_the_distance_lies_between_the_bounds(
    first: LabelledGraph, second: LabelledGraph
) -> None:
    exact = graph_edit_distance(first, second).distance
    quick = graph_edit_distance(first, second, time_limit=0)

    assert quick.lower_bound <= exact <= quick.distance
    assert quick.optimal == (quick.gap == 0)
    assert 0 <= quick.similarity <= quick.similarity_bound <= 1


@pytest.mark.parametrize(
    ("other", "distance"),
    [
        pytest.param(EMPTY, 5, id="delete 3 nodes and 2 edges"),
        pytest.param(LabelledGraph(("find", "read"), {(0, 1): "s"}), 2, id="the last call"),
        pytest.param(LabelledGraph(("find", "read", "pay"), CHAIN.edges), 1, id="one name"),
        pytest.param(
            LabelledGraph(CHAIN.names, {(0, 1): "s", (1, 2): "d"}), 1, id="one type of edge"
        ),
        pytest.param(
            LabelledGraph(CHAIN.names, {(0, 1): "s", (2, 1): "s"}), 2, id="one turned round"
        ),
        pytest.param(
            LabelledGraph(CHAIN.names, {(0, 1): "s", (0, 2): "s"}), 2, id="one from another node"
        ),
        pytest.param(
            LabelledGraph(("book", "read", "find"), {(1, 0): "s", (2, 1): "s"}), 0, id="order only"
        ),
        pytest.param(
            LabelledGraph(("read", "book", "find"), CHAIN.edges),
            2,
            id="one from the start to the end",
        ),
    ],
)
def test_by_hand(other: LabelledGraph, distance: int) -> None:
    assert graph_edit_distance(CHAIN, other) == EditDistance(
        distance, distance, True, 5 + other.size
    )


def test_similarity_is_relative_to_all_nodes_and_edges() -> None:
    shorter = LabelledGraph(("find", "read"), {(0, 1): "s"})

    assert graph_edit_similarity(CHAIN, shorter) == pytest.approx(1 - 2 / 8)
    assert graph_edit_similarity(CHAIN, CHAIN) == 1
    assert graph_edit_similarity(CHAIN, EMPTY) == 0
    assert graph_edit_similarity(EMPTY, EMPTY) == 1


def twisted(n: int, step: int) -> LabelledGraph:
    """Equal names, edges all over: the quick bounds can't meet."""
    edges = {(node, node * step % n): "sd"[node % 2] for node in range(n)}
    return LabelledGraph(("a",) * n, edges)


@pytest.mark.parametrize(("n", "steps", "distance"), [(7, (2, 6), 8), (8, (3, 5), 4)])
def test_the_optimum_is_proven_where_the_search_must_branch(
    n: int, steps: tuple[int, int], distance: int
) -> None:
    first, second = (twisted(n, step) for step in steps)

    assert graph_edit_distance(first, second) == EditDistance(distance, distance, True, 4 * n)


def test_quick_bounds_are_symmetric_for_graphs_of_one_size() -> None:
    """Which graph is matched to which would matter, were it not always the same."""
    for seed in (6, 89, 110, 161, 164, 167):
        rng = np.random.default_rng(seed)
        pair = like_an_action_graph(rng, 9), like_an_action_graph(rng, 9)
        there = graph_edit_distance(*pair, time_limit=0)

        assert len(pair[0].names) == len(pair[1].names)
        assert graph_edit_distance(*reversed(pair), time_limit=0) == there


def test_where_the_solver_is_stopped_both_bounds_are_told() -> None:
    stopped = graph_edit_distance(twisted(13, 2), twisted(13, 5), time_limit=1e-9)

    assert not stopped.optimal
    assert 0 <= stopped.lower_bound < stopped.distance <= stopped.size
    assert stopped.gap == stopped.distance - stopped.lower_bound
    assert stopped.similarity < stopped.similarity_bound


def test_graphs_too_large_for_the_solver_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = twisted(7, 2), twisted(7, 3)
    quick = graph_edit_distance(first, second, time_limit=0)
    assert graph_edit_distance(first, second).optimal

    monkeypatch.setattr(graph_edit, "MAX_VARIABLES", 97)

    assert graph_edit_distance(first, second) == quick
    assert not quick.optimal


def test_long_chains_are_solved() -> None:
    """Forty calls that differ in every tenth name, with an edge from the first to each fifth."""
    names = tuple("abcdefg"[place % 7] for place in range(40))
    steps = {(place, place + 1): "s" for place in range(39)}
    fed = {(0, place): "d" for place in range(5, 40, 5)}
    changed = tuple("z" if place % 10 == 9 else name for place, name in enumerate(names))

    found = graph_edit_distance(
        LabelledGraph(names, steps), LabelledGraph(changed, {**steps, **fed})
    )

    assert found == EditDistance(4 + 7, 11, True, 79 + 86)


@pytest.mark.parametrize("edge", [(0, 3), (-1, 0)])
def test_edges_must_end_at_nodes(edge: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="nodes 0 to 2"):
        LabelledGraph(CHAIN.names, {edge: "s"})


@pytest.mark.parametrize("time_limit", [-1.0, float("nan")])
def test_time_can_not_be_negative(time_limit: float) -> None:
    with pytest.raises(UsageError, match="time_limit must be 0 or more"):
        graph_edit_distance(CHAIN, EMPTY, time_limit=time_limit)
