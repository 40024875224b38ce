"""Which calls were given what earlier calls had returned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.similarity import naive
from measures.similarity.runs_made import call, calls_of, cohort_of, shell, system
from measures.similarity.strategies import events

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.ingest.api import read
from ethogram.measures.similarity.calls import RunCalls, run_calls
from ethogram.measures.similarity.dependency import (
    Edges,
    Source,
    candidates,
    dependencies,
    question,
)
from ethogram.measures.similarity.graph import action_graph
from ethogram.measures.similarity.values import UNINFORMATIVE
from ethogram.measures.similarity.vectors import dependency_vector, sequence_vector
from ethogram.results.judges import DependencyJudge, DependencyQuestion
from ethogram.simulate.build import reply, run, user
from ethogram.trajectory import Event

Step: TypeAlias = Event | Sequence[Event]
SOURCES: tuple[Source, ...] = ("first", "latest", "all")

GIVES = call("get_reader", {"name": "Mia"}, {"loan": "L-17"})
TAKES = call("get_loan", {"id": "L-17"})


def edges(*steps: Step, source: Source = "first", judge: DependencyJudge | None = None) -> Edges:
    return dependencies(calls_of(*steps), source=source, judge=judge)


def test_a_value_passed_on_makes_an_edge() -> None:
    assert edges(GIVES, TAKES) == {(0, 1)}


def test_several_values_make_one_edge() -> None:
    gives = call("get_reader", None, {"loans": ["L-17", "L-18"]})
    run = calls_of(gives, call("compare", {"first": "L-17", "second": "L-18"}))

    assert [each.value for each in candidates(run)] == ["L-17", "L-18"]
    assert dependencies(run) == {(0, 1)}


@pytest.mark.parametrize(
    ("result", "argument", "found"),
    [
        pytest.param({"a": "L-17"}, "L-17", True, id="leaf"),
        pytest.param({"a": " L-17 "}, "L-17", True, id="trimmed"),
        pytest.param({"a": "L-17 and L-18"}, "L-17", False, id="JSON leaves are matched whole"),
        pytest.param({"L-17": 1}, "L-17", False, id="keys are no values"),
        pytest.param({"a": "l-17"}, "L-17", False, id="case"),
        pytest.param('"L-17"', "L-17", True, id="a JSON string is a leaf"),
        pytest.param("L-17: open", "L-17", True, id="a token of a text"),
        pytest.param("L-171", "L-17", False, id="part of a token"),
        pytest.param({"a": 120}, 120, True, id="number"),
        pytest.param({"a": 120}, 120.0, True, id="number by value"),
        pytest.param({"a": 120}, "120", False, id="text is no number"),
        pytest.param({"a": "120"}, 120, False, id="a number is no text"),
        pytest.param("120", 120.0, True, id="a JSON number"),
        pytest.param("it is 120 now", 120.0, True, id="a number in a text"),
        pytest.param("it is 120.0 now", 120, True, id="with a fraction of nothing"),
        pytest.param({"a": 1}, True, False, id="true is not 1"),
        pytest.param({"a": True}, True, False, id="truth values"),
        pytest.param({"a": None}, None, False, id="null"),
        pytest.param({"a": 25}, 25.0, False, id="too short as a number"),
        pytest.param({"a": "ab"}, "ab", False, id="too short"),
        pytest.param({"a": "pending"}, "pending", False, id="a listed token"),
        pytest.param({"a": '{"b": "L-17"}'}, "L-17", False, id="nothing inside strings"),
        pytest.param("x a+b(c] y", "a+b(c]", True, id="signs of patterns"),
        pytest.param("", "L-17", False, id="empty result"),
        pytest.param(None, "L-17", False, id="no result"),
        pytest.param("null", "L-17", False, id="null result"),
        pytest.param("straße ✓ ok", "straße ✓", True, id="unicode"),
    ],
)
def test_what_holds_a_value(result: Any, argument: Any, found: bool) -> None:
    steps = call("get_reader", None, result), call("get_loan", {"id": argument})

    assert edges(*steps) == ({(0, 1)} if found else set())


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([system("The desk's own loan is L-17.")], id="system text"),
        pytest.param([user("It's L-17!")], id="user"),
        pytest.param([call("get_loan", {"id": "L-17"}, "no")], id="argument"),
        pytest.param([call("get_loan", {"deep": [{"id": " L-17 "}]}, "no")], id="deep argument"),
        pytest.param([call("look", '"L-17"')], id="bare argument"),
    ],
)
def test_what_was_known_before_the_result_came_back_makes_no_edge(before: list[Event]) -> None:
    taken = len(before) if before[0].event == "action" else 0

    assert (taken, taken + 1) not in edges(*before, GIVES, TAKES)
    assert edges(GIVES, *before[:0], TAKES) == {(0, 1)}


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(user("It's L-171, or L-17x"), id="part of a token"),
        pytest.param(user("it's l-17"), id="other case"),
        pytest.param(reply("I guess L-17"), id="the agent's own text"),
        pytest.param(call("note", {"text": "see L-17"}), id="part of an argument"),
        pytest.param(call("note", {"L-17": "x"}), id="a key"),
        pytest.param(call("look", {"id": "L-17"}, actor="user"), id="the user's own call"),
    ],
)
def test_what_does_not_count_as_known(before: Event) -> None:
    run = calls_of(before, GIVES, TAKES)
    last = len(run.calls) - 1

    assert dependencies(run) == {(last - 1, last)}


def test_what_the_user_says_later_does_not_undo_it() -> None:
    assert edges(GIVES, user("Yes, L-17."), TAKES) == {(0, 1)}


def test_the_sources_own_argument_is_known() -> None:
    assert edges(call("get_loan", {"id": "L-17"}, {"id": "L-17"}), TAKES) == set()


def test_an_argument_of_a_parallel_call_was_written_before_the_result_came_back() -> None:
    assert edges([GIVES, call("get_loan", {"id": "L-17"})], TAKES) == set()


def test_parallel_calls_have_not_seen_each_others_results() -> None:
    assert candidates(calls_of([GIVES, TAKES])) == []
    assert [each.target for each in candidates(calls_of([GIVES, TAKES], TAKES))] == [2]
    assert edges([call("look"), GIVES], TAKES) == {(1, 2)}


def test_identical_calls_repeated_all_depend_on_the_source() -> None:
    assert edges(GIVES, TAKES, TAKES, TAKES) == {(0, 1), (0, 2), (0, 3)}
    assert edges(GIVES, GIVES, TAKES) == {(0, 2)}


def test_the_source_is_the_first_the_latest_or_every_call_that_returned_the_value() -> None:
    again = call("get_branch", {"name": "north"}, "L-17 waits here")
    steps = [GIVES, call("look"), again, TAKES]

    assert edges(*steps) == {(0, 3)}
    assert edges(*steps, source="latest") == {(2, 3)}
    assert edges(*steps, source="all") == {(0, 3), (2, 3)}


def test_each_source_is_judged_by_what_was_known_before_it() -> None:
    again = call("get_branch", {"name": "north"}, "L-17 waits here")
    steps = [GIVES, user("what of L-17?"), again, TAKES]

    assert edges(*steps) == {(0, 2 - 0)}
    assert edges(*steps, source="latest") == set()
    assert edges(*steps, source="all") == {(0, 2)}


def test_words_of_commands_are_passed_on() -> None:
    found = edges(
        user("fix area() in the shapes"),
        shell("grep -rn area .", "src/shape.py:3: def area"),
        shell("cat src/shape.py", "def area"),
        shell("sed -i s/x/y/ src/shape.py", ""),
    )

    assert found == {(0, 1), (0, 2)}


def test_a_file_that_the_agent_wrote_itself_is_not_learnt_from_a_listing() -> None:
    found = edges(
        shell("echo 'print(1)' > probe.py", ""),
        shell("ls", "probe.py\nsetup.py"),
        shell("python probe.py", "1"),
    )

    assert found == set()


class Says:
    """A judge that answers from a table and remembers what it was asked."""

    def __init__(self, **answers: bool) -> None:
        self.answers = answers
        self.asked: list[DependencyQuestion] = []

    def derived(self, questions: Sequence[DependencyQuestion]) -> list[bool | None]:
        self.asked += questions
        return [self.answers.get(each.value) for each in questions]


def test_a_judge_takes_the_place_of_the_rule() -> None:
    steps = [user("L-17?"), call("a", None, {"x": "L-17", "y": "M-20"}), call("b", ["L-17"]),
             call("c", ["M-20"])]  # fmt: skip

    assert edges(*steps) == {(0, 2)}
    assert edges(*steps, judge=Says(**{"L-17": True, "M-20": False})) == {(0, 1)}


def test_where_a_judge_has_no_answer_the_rule_decides() -> None:
    steps = [user("L-17?"), call("a", None, {"x": "L-17", "y": "M-20"}), call("b", ["L-17"]),
             call("c", ["M-20"])]  # fmt: skip

    assert edges(*steps, judge=Says()) == {(0, 2)}


def test_a_judge_that_leaves_questions_out_is_refused() -> None:
    class Mute:
        def derived(self, questions: Sequence[DependencyQuestion]) -> list[bool | None]:
            return []

    with pytest.raises(UsageError, match=r"each of the 1 questions.*got 0 answers"):
        edges(GIVES, TAKES, judge=Mute())


def test_a_judge_sees_the_value_the_result_and_what_was_told_before() -> None:
    run = calls_of(
        system("rules"), user("hello"), call("a", {"n": 1}, {"x": 120.0}), user("later"),
        call("b", {"x": 120}),
    )  # fmt: skip

    (asked,) = (question(run, each) for each in candidates(run))

    assert (asked.source, asked.target, asked.source_tool, asked.target_tool) == (0, 1, "a", "b")
    assert (asked.value, asked.result, asked.told) == ("120", '{"x": 120.0}', ("rules", "hello"))


def test_a_judge_is_not_asked_where_there_is_no_candidate() -> None:
    judge = Says()

    assert edges(GIVES, judge=judge) == set()
    assert judge.asked == []


# --- large and odd runs: each of these ends, in time that grows with the run's length -----------


def test_large_results_are_gone_through_once() -> None:
    megabyte = " ".join(f"id{n}" for n in range(150_000))
    big = [call("list_all", {"page": 1}, megabyte), call("list_all", {"page": 2}, [megabyte] * 2)]
    takes = call("compare", {"ids": [f"id{n}" for n in range(0, 10_000, 2)]})

    assert edges(*big, takes) == {(0, 2)}


def test_a_million_occurrences_of_a_value_are_no_trouble() -> None:
    text = "xL-17x" * 170_000

    assert edges(call("a", None, text), TAKES) == set()
    assert edges(call("a", None, text + " L-17"), TAKES) == {(0, 1)}


@pytest.mark.parametrize("unit", ["a", "-a", "a-"])
def test_long_values_that_repeat_themselves_are_no_trouble(unit: str) -> None:
    long, longer = unit * 50_000, unit * 200_000

    assert edges(call("a", None, f"x{longer}x"), call("b", {"text": long})) == set()
    assert edges(call("a", None, f"x {long} x"), call("b", {"text": long})) == {(0, 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("as_json", "pattern"), [(True, "id{}"), (False, "id{}"), (False, "reservation-{}")]
)
def test_ten_thousand_calls_are_no_trouble(as_json: bool, pattern: str) -> None:
    n = 10_000
    steps = []
    for number in range(n):
        held = [pattern.format(f"{number}q{place}") for place in range(20)]
        given = [pattern.format(f"{number - 1}q{place}") for place in range(3)]
        steps.append(call("step", {"ids": given}, held if as_json else " ".join(held)))
        if number % 5 == 0:
            steps.append(user("and another one, please"))

    assert len(edges(*steps)) == n - 1


def test_values_with_nul_or_without_a_word_are_matched_like_others() -> None:
    assert edges(call("a", None, "x a\0b y"), call("b", ["a\0b"])) == {(0, 1)}
    assert edges(call("a", None, "x --- y"), call("b", ["---"])) == {(0, 1)}
    assert edges(call("a", None, "x y"), call("b", [""])) == set()


def test_deeply_nested_results_and_arguments_are_cut() -> None:
    deep = "[" * 900 + '"L-17"' + "]" * 900

    assert edges(call("a", None, deep), TAKES) == set()
    assert edges(call("a", None, "[" * 3_000 + ' "L-17" '), TAKES) == {(0, 1)}


# --- another implementation ---------------------------------------------------------------------


def same_as_naive(run: naive.Row, found: RunCalls) -> None:
    """Compare candidates, edges and vectors of one run."""
    calls = naive.calls_of(run)
    assert found.names == tuple(each["name"] for each in calls)
    for source in SOURCES:
        expected = {
            (a, b, value, naive.known_before(run, calls, calls[a], value))
            for a, b, value in naive.candidates(run, UNINFORMATIVE, source)
        }
        edges = dependencies(found, source=source)
        triples = candidates(found, source=source)
        assert {(c.source, c.target, c.value, c.known) for c in triples} == expected
        assert edges == naive.dependency_edges(run, UNINFORMATIVE, source)
    graph = action_graph(found)
    assert sequence_vector(graph) == pytest.approx(naive.sequence_vector(run))
    assert dependency_vector(graph) == pytest.approx(naive.dependency_vector(run, UNINFORMATIVE))


@settings(max_examples=60)
@given(st.lists(events(max_steps=8), min_size=1, max_size=4))
def test_any_run_has_the_naive_edges_and_vectors(made: list[list[Event]]) -> None:
    cohort = cohort_of(run(each, task=f"t{place}") for place, each in enumerate(made))
    runs = naive.runs_of(cohort)

    for one, found in zip(runs, run_calls(cohort, [r["run_id"] for r in runs]), strict=True):
        same_as_naive(one, found)


@settings(max_examples=50)
@given(events(max_steps=8))
def test_edges_lead_forward_and_the_variants_agree(made: list[Event]) -> None:
    cohort = cohort_of([run(made)])
    (found,) = run_calls(cohort, cohort.runs["run_id"].to_list())
    first, latest, every = (dependencies(found, source=s) for s in SOURCES)

    assert all(found.calls[source].turn < found.calls[target].turn for source, target in every)
    assert first | latest <= every


@pytest.fixture(scope="module", params=["tau-bench", "tau2-bench"])
def real(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Cohort:
    folder = tmp_path_factory.mktemp(request.param) / "cohort"
    return read(shared / "data" / request.param, out=folder)


@pytest.mark.shared
@pytest.mark.slow
def test_real_runs_have_the_naive_edges_and_vectors(real: Cohort) -> None:
    runs = naive.runs_of(real)
    n_edges = 0

    for one, found in zip(runs, run_calls(real, [r["run_id"] for r in runs]), strict=True):
        graph = action_graph(found)
        expected = naive.dependency_edges(one, UNINFORMATIVE)
        assert graph.dependency == expected
        assert graph.sequential == naive.sequential_edges(len(graph.names), expected)
        assert sequence_vector(graph) == pytest.approx(naive.sequence_vector(one))
        assert {(c.source, c.target) for c in candidates(found)} == {
            triple[:2] for triple in naive.candidates(one, UNINFORMATIVE)
        }
        n_edges += len(expected)

    assert n_edges > 500
