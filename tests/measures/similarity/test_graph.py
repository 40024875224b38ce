"""The action graph, and the file that others read it from."""

import io
import locale

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.similarity import naive
from measures.similarity.runs_made import call, calls_of
from measures.similarity.strategies import graphs

from ethogram.measures.similarity.graph import ActionGraph, action_graph, to_graphml


def parsed(text: str) -> nx.DiGraph:
    return nx.parse_graphml(text)


def test_an_edge_of_order_leads_to_the_next_call_unless_a_dependency_leads_there() -> None:
    graph = ActionGraph(("a", "b", "c", "d"), frozenset({(0, 2)}))

    assert graph.sequential == {(0, 1), (2, 3)}
    assert graph.edges == {(0, 1): "s", (2, 3): "s", (0, 2): "d"}


def test_a_dependency_between_neighbours_takes_the_place_of_their_order() -> None:
    assert ActionGraph(("a", "b"), frozenset({(0, 1)})).edges == {(0, 1): "d"}


def test_graphs_without_calls_or_with_one_have_no_edges() -> None:
    assert ActionGraph(()).edges == {}
    assert ActionGraph(("a",)).edges == {}


@given(graphs())
def test_sequential_edges_are_the_naive_ones(graph: ActionGraph) -> None:
    assert graph.sequential == naive.sequential_edges(len(graph.names), graph.dependency)


def test_a_graph_holds_what_its_run_did() -> None:
    graph = action_graph(
        calls_of(
            call("get_loan", {"id": "L-1"}, {"book": "B-22"}),
            call("renew_book", {"book": "B-22"}, "no", is_error=True),
            call("cancel_loan", {"why": "away"}),
        )
    )

    assert graph.names == ("get_loan", "renew_book", "cancel_loan")
    assert graph.edges == {(0, 1): "d", (1, 2): "s"}
    assert graph.effects == ("read", None, "write")
    assert graph.errors == (False, True, False)


def test_networkx_reads_back_nodes_and_edges() -> None:
    graph = ActionGraph(
        ("look", "book", "look"), frozenset({(0, 2)}), ("read", None, "read"), (False, True, False)
    )

    read = parsed(to_graphml([("run 1", graph)]))

    assert read.is_directed()
    assert dict(read.nodes(data=True)) == {
        "g0n0": {"tool": "look", "effect": "read", "error": False},
        "g0n1": {"tool": "book", "error": True},
        "g0n2": {"tool": "look", "effect": "read", "error": False},
    }
    assert sorted(read.edges(data="type")) == [
        ("g0n0", "g0n1", "sequential"),
        ("g0n0", "g0n2", "dependency"),
    ]


@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        ("<b> & \"c\" 'd' ]]>", "<b> & \"c\" 'd' ]]>"),
        ("Fähre 日本 🚲", "Fähre 日本 🚲"),
        ("two\nlines\tand tab", "two\nlines\tand tab"),
        ("  spaces  ", "  spaces  "),
        ("a\0b\x1bc", "a\ufffdb\ufffdc"),
        ("a\rb", "a\ufffdb"),
        ("a\ufffeb\uffffc", "a\ufffdb\ufffdc"),
    ],
)
def test_odd_characters_survive_or_are_replaced(name: str, read_as: str) -> None:
    graph = ActionGraph((name,), frozenset(), ("read",), (False,))

    read = parsed(to_graphml([(name, graph)]))

    assert read.nodes["g0n0"]["tool"] == read_as


@given(graphs(), st.text(max_size=5))
def test_any_graph_is_read_back_with_its_shape(graph: ActionGraph, name: str) -> None:
    read = nx.read_graphml(io.BytesIO(to_graphml([(name, graph)]).encode()))

    assert len(read) == len(graph.names)
    assert {
        (int(source[3:]), int(target[3:]), kind) for source, target, kind in read.edges(data="type")
    } == {
        (source, target, {"s": "sequential", "d": "dependency"}[kind])
        for (source, target), kind in graph.edges.items()
    }


def test_several_graphs_lie_in_one_document_with_nodes_of_their_own() -> None:
    document = to_graphml([("one", ActionGraph(("a",))), ("two", ActionGraph(("b", "c")))])

    read = list(nx.readwrite.graphml.GraphMLReader()(string=document))

    assert [sorted(each) for each in read] == [["g0n0"], ["g1n0", "g1n1"]]


def test_the_declared_encoding_is_the_written_one_on_any_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locale, "getpreferredencoding", lambda *_: "ANSI_X3.4-1968")
    monkeypatch.setattr(locale, "getencoding", lambda: "ANSI_X3.4-1968")

    document = to_graphml([("é", ActionGraph(("é",)))])

    assert document.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<graphml')
