"""The drawing of action graphs shows each call once and each edge from its source to its target."""

from collections.abc import Sequence

import polars as pl
import pytest

from ethogram.errors import UnknownNameError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.drawn import action_graphs
from ethogram.plots.action_graphs import MAX_CALLS, PLOT, action_graphs_data, line_points
from ethogram.results import Result
from ethogram.simulate.build import run, user
from ethogram.trajectory import Event, Trajectory


def call(turn: int, tool: str, arguments: str, observation: str) -> Event:
    return Event(
        event="action",
        tool=tool,
        action=f"{tool}({arguments})",
        arguments=arguments,
        arguments_state="object",
        observation=observation,
        turn=turn,
    )


def loan(system: str, tools: Sequence[str], *, success: bool = True) -> Trajectory:
    """A reader's loan is looked up and extended; some systems look at the reader first."""
    events: list[Event] = [user("I am reader R77, please extend my loan")]
    for turn, tool in enumerate(tools):
        given = {"get_reader": '{"reader":"R77"}', "extend_loan": '{"loan":"L-501"}'}
        events.append(call(turn, tool, given.get(tool, "{}"), '{"loans":["L-501"]}'))
    return run(events, system=system, task="t", success=success)


@pytest.fixture(scope="module")
def result() -> Result:
    runs = [
        loan("a", ["get_reader", "extend_loan"]),
        loan("b", ["get_reader", "list_rules", "extend_loan"]),
        loan("c", ["list_rules", "extend_loan"], success=False),
    ]
    return action_graphs(from_trajectories(runs, labeler=default_labeler()), task="t")


def test_nodes_say_what_the_pool_makes_of_each_tool(result: Result) -> None:
    roles = dict(result.to_frame("nodes").select("tool", "role").unique().iter_rows())

    assert roles == {
        "get_reader": "mandatory",
        "extend_loan": "mandatory",
        "list_rules": "optional",
    }


def test_edges_name_what_was_passed_on(result: Result) -> None:
    edges = result.to_frame("edges").filter(system="b")

    assert edges.select("source", "target", "type", "values").rows() == [
        (1, 2, "sequential", None),
        (1, 3, "dependency", "L-501"),
    ]


def test_each_call_is_drawn_once_in_its_systems_column(result: Result) -> None:
    frame = action_graphs_data(result)

    assert frame.select("column", "position").rows() == [
        (0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2)
    ]  # fmt: skip
    assert frame["run"].unique(maintain_order=True).to_list() == [
        "a, succeeded",
        "b, succeeded",
        "c, failed",
    ]
    assert PLOT.fits(result)
    assert "dependency" in PLOT.draw(result).to_json()


def test_long_runs_are_cut_with_their_edges() -> None:
    runs = [loan(s, ["get_reader", *["extend_loan"] * 60]) for s in ("a", "b")]
    long = action_graphs(from_trajectories(runs, labeler=default_labeler()), task="t")
    nodes = action_graphs_data(long)

    assert nodes["position"].max() == MAX_CALLS
    assert line_points(long, nodes)["y"].to_numpy().max() == pytest.approx(MAX_CALLS)


def test_secrets_among_passed_values_are_redacted() -> None:
    secret = "sk-" + "proj-" + "Ab3" * 12
    events = [
        call(0, "get_key", "{}", f'{{"key":"{secret}"}}'),
        call(1, "send_mail", f'{{"text":"{secret}"}}', "{}"),
    ]
    runs = [run(events, system=s, task="t") for s in ("a", "b")]
    made = action_graphs(from_trajectories(runs, labeler=default_labeler()), task="t")

    assert secret not in str(made.to_dict())
    assert made.to_frame("edges").filter(pl.col("type") == "dependency").height == 2


def test_an_unknown_task_is_named() -> None:
    runs = [loan(s, ["get_reader"]) for s in ("a", "b")]
    cohort = from_trajectories(runs, labeler=default_labeler())

    with pytest.raises(UnknownNameError, match="no task is called 'nope'"):
        action_graphs(cohort, task="nope")


def test_calls_without_a_label_are_told_of(result: Result) -> None:
    """No table knows what `extend_loan` does."""
    known = [loan(system, ["get_reader", "list_rules"]) for system in ("a", "b")]
    labelled = action_graphs(from_trajectories(known, labeler=default_labeler()), task="t")

    assert "nothing labels as read or write" in PLOT.caption(result)
    assert "nothing labels" not in PLOT.caption(labelled)
