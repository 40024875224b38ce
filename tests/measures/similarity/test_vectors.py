"""What a graph says of habits."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from measures.similarity import runs_made
from measures.similarity.runs_made import call, calls_of, read_back
from measures.similarity.strategies import graphs

from ethogram.measures.similarity.calls import RunCalls
from ethogram.measures.similarity.graph import ActionGraph, action_graph
from ethogram.measures.similarity.vectors import (
    Vector,
    chain_as_share,
    dependency_vector,
    sequence_vector,
)
from ethogram.simulate.build import reply, run, user
from ethogram.trajectory import Event


def sequence(*steps: Event | Sequence[Event]) -> Vector:
    return sequence_vector(action_graph(calls_of(*steps)))


def edges(n: int, *pairs: tuple[int, int]) -> Vector:
    return dependency_vector(ActionGraph(("tool",) * n, frozenset(pairs)))


LOOK, BOOK, THINK = call("get_loan"), call("book_room"), call("calculate")
FAILED = call("book_room", None, "no", is_error=True)


@pytest.mark.parametrize(
    ("steps", "vector"),
    [
        pytest.param([], (0, 0, 0), id="no call"),
        pytest.param([LOOK, LOOK], (0, 0, 0), id="no write, no error"),
        pytest.param([BOOK], (0, 0, 0), id="a write alone"),
        pytest.param([LOOK, BOOK], (0, 1, 0), id="a read before"),
        pytest.param([BOOK, LOOK], (1, 0, 0), id="a read after"),
        pytest.param([LOOK, BOOK, BOOK, LOOK], (0.5, 0.5, 0), id="half"),
        pytest.param([BOOK, LOOK, BOOK], (0.5, 0.5, 0), id="a read between counts for both"),
        pytest.param([LOOK, THINK, BOOK, THINK, LOOK], (0, 0, 0), id="generic tools stand between"),
        pytest.param([LOOK, FAILED, LOOK], (1, 1, 0), id="failed writes are writes"),
        pytest.param([FAILED, BOOK], (0, 0, 1), id="a retry"),
        pytest.param([FAILED, FAILED, BOOK], (0, 0, 1), id="two retries"),
        pytest.param([FAILED, FAILED], (0, 0, 0.5), id="given up"),
        pytest.param([FAILED, LOOK, BOOK], (0.5, 0.5, 0), id="later is no retry"),
        pytest.param([[LOOK, BOOK], LOOK], (1, 1, 0), id="parallel calls are neighbours"),
        pytest.param([LOOK, reply("sure?"), user("yes"), BOOK], (0, 1, 0), id="text between"),
    ],
)
def test_verification_confirmation_and_retries_by_hand(
    steps: list[Event | list[Event]], vector: Vector
) -> None:
    assert sequence(*steps) == vector


def test_a_retry_may_have_other_arguments() -> None:
    first = call("find_reader", {"name": "Mia"}, "none", is_error=True)

    assert sequence(first, call("find_reader", {"name": "Mia K."}, "rd_1")) == (0, 0, 1)


def test_an_error_that_nobody_flagged_is_taken_from_the_table_of_failures() -> None:
    trace = "Traceback (most recent call last):\n  File 'x'\nValueError: no"

    assert sequence(call("get_loan", None, trace), call("get_loan")) == (0, 0, 1)


def test_a_retry_of_a_shell_command_is_one_of_the_same_head() -> None:
    failed = runs_made.shell("cat a.txt", "no such file", exit_code=1)

    assert sequence(failed, runs_made.shell("cat b.txt")) == (0, 0, 1)
    assert sequence(failed, runs_made.shell("ls b.txt")) == (0, 0, 0)


@pytest.mark.parametrize(
    ("found", "vector"),
    [
        pytest.param(edges(0), (0, 0, 0), id="no call"),
        pytest.param(edges(1), (0, 0, 0), id="one call"),
        pytest.param(edges(3), (0, 0, 0), id="no edge"),
        pytest.param(edges(2, (0, 1)), (1, 1, 0), id="one edge"),
        pytest.param(edges(4, (0, 1), (1, 2), (2, 3)), (1, 3, 0), id="a chain"),
        pytest.param(edges(5, (0, 1), (0, 2), (0, 3)), (0.75, 1, 1), id="a fan"),
        pytest.param(edges(4, (0, 3), (1, 3), (2, 3)), (1 / 3, 1, 0), id="many into one"),
        pytest.param(edges(4, (0, 1), (0, 3), (1, 3), (2, 3)), (2 / 3, 2, 1 / 3), id="diamond"),
        pytest.param(edges(6, (0, 5), (1, 2), (2, 3), (3, 5)), (0.6, 3, 0), id="longest of two"),
    ],
)
def test_reuse_chain_and_fan_out_by_hand(found: Vector, vector: Vector) -> None:
    assert found == pytest.approx(vector)


def test_the_chain_can_be_a_share_of_what_so_many_calls_allow() -> None:
    assert chain_as_share((0.5, 2.0, 0.25), 5) == (0.5, 0.5, 0.25)
    assert chain_as_share((0.0, 0.0, 0.0), 1) == (0.0, 0.0, 0.0)
    assert chain_as_share((0.0, 0.0, 0.0), 0) == (0.0, 0.0, 0.0)


@given(graphs())
def test_rates_are_between_0_and_1_and_chains_fit_into_the_run(graph: ActionGraph) -> None:
    n = len(graph.names)
    reuse, chain, fan_out = dependency_vector(graph)

    assert all(0 <= rate <= 1 for rate in (*sequence_vector(graph), reuse, fan_out))
    assert 0 <= chain <= max(n - 1, 0)
    assert 0 <= chain_as_share((reuse, chain, fan_out), n)[1] <= 1
    assert (chain > 0) == (reuse > 0) == bool(graph.dependency)


def test_a_graph_of_which_nothing_is_known_but_names_has_no_habits() -> None:
    assert sequence_vector(ActionGraph(("a", "b"))) == (0, 0, 0)
    assert sequence_vector(action_graph(RunCalls("r", (), ()))) == (0, 0, 0)


# --- two short stories by hand ------------------------------------------------------------------


def graph_of(story: Callable[[], list[Event]]) -> ActionGraph:
    return action_graph(read_back(run(story())))


def test_the_careful_cancelling_by_hand() -> None:
    """Calls: 0 find_reader, 1 get_reader, 2 and 3 get_hold (parallel), 4 and 5 cancel, 6 get_hold.

    rd_301 comes from 0; both holds' ids from 1, of which the user spoke only later.
    """
    graph = graph_of(runs_made.careful_cancelling)

    assert graph.dependency == {(0, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)}
    assert graph.sequential == frozenset()
    # two writes: the first after a read, the second before one; the one error is tried again
    assert sequence_vector(graph) == (1 / 2, 1 / 2, 1)
    # 6 of the 6 calls after the first; 0 -> 1 -> 2; of 0 and 1, 1 fans out
    assert dependency_vector(graph) == (1, 2, 1 / 2)


def test_the_brisk_cancelling_by_hand() -> None:
    """Calls: 0 find_reader_by_card, 1 get_reader, 2 cancel, 3 calculate.

    H-772 stands in the result of 1, but the user had said it before.
    """
    graph = graph_of(runs_made.brisk_cancelling)

    assert graph.dependency == {(0, 1)}
    assert graph.sequential == {(1, 2), (2, 3)}
    assert sequence_vector(graph) == (0, 1, 0)
    assert dependency_vector(graph) == pytest.approx((1 / 3, 1, 0))


def test_the_doubly_checked_exchange_by_hand() -> None:
    """Calls: 0 find_by_mail, 1 find_by_name, 2 get_member, 3 get_order, 4 get_stock, 5 exchange.

    The member's id comes from 0, the first to hold it; the way of paying from 2; the old item and
    its price (129 is 129.0) from 3; the new item from 4, not from the ``sk-20`` in it. The order's
    number was told by the user.
    """
    graph = graph_of(runs_made.doubly_checked_exchange)

    assert graph.dependency == {(0, 2), (2, 5), (3, 5), (4, 5)}
    assert graph.sequential == {(0, 1), (2, 3), (3, 4)}
    # one write, after a read and before nothing
    assert sequence_vector(graph) == (0, 1, 0)
    # 2 of 5; 0 -> 2 -> 5; none of 0, 2, 3, 4 fans out
    assert dependency_vector(graph) == pytest.approx((2 / 5, 2, 0))


def test_the_direct_exchange_by_hand() -> None:
    """Calls: 0 find_by_name, 1 get_order and 2 get_stock (parallel), 3 exchange."""
    graph = graph_of(runs_made.direct_exchange)

    assert graph.dependency == {(1, 3), (2, 3)}
    assert graph.sequential == {(0, 1), (1, 2)}
    assert sequence_vector(graph) == (0, 1, 0)
    assert dependency_vector(graph) == pytest.approx((1 / 3, 1, 0))
