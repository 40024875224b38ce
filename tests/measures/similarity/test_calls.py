"""The calls of runs as the graph sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
from measures.similarity.runs_made import (
    call,
    calls_of,
    cohort_of,
    in_turns,
    read_back,
    shell,
    system,
)

from ethogram.ingest import from_trajectories
from ethogram.measures.similarity import calls
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.values import Value
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event


def words(command: str) -> tuple[Value, ...]:
    return calls_of(shell(command)).calls[0].leaves


def test_calls_are_the_agents_actions_with_a_tool() -> None:
    found = calls_of(
        call("get_loan", {"id": "L-1"}, "fine"),
        reply("It is fine."),
        call("check_app", {"id": "x"}, "ok", actor="user"),
        action("no tool at all", refused=True),
        call("calculate", {"expression": "1+1"}, "2"),
    )

    assert found.names == ("get_loan", "calculate")


def test_effect_error_and_result_come_with_the_call() -> None:
    look, cancel, calculate, odd = calls_of(
        call("get_reservation_details", None, "fine"),
        call("cancel_hold", None, "no", is_error=True),
        call("calculate"),
        call("frobnicate", None, ""),
    ).calls

    assert (look.effect, look.guessed, look.is_error, look.result) == ("read", False, False, "fine")
    assert (cancel.effect, cancel.guessed, cancel.is_error) == ("write", True, True)
    assert (calculate.effect, calculate.result) == ("none", None)
    assert (odd.effect, odd.is_error) == (None, False)


def test_what_the_user_and_the_system_text_say_is_told_and_the_agents_words_are_not() -> None:
    found = calls_of(
        system("rules"),
        user("hello"),
        reply("my own words"),
        call("get_loan", None, "fine", text="let me see"),
        user(""),
        user("thanks"),
    )

    assert [(told.index, told.text) for told in found.told] == [
        (0, "rules"),
        (1, "hello"),
        (5, "thanks"),
    ]


def test_parallel_calls_share_their_turn_and_the_next_response_has_another() -> None:
    found = calls_of([call("a"), call("b")], reply("well"), call("c"), [call("d"), call("e")])

    assert [each.turn for each in found.calls] == [0, 0, 1, 2, 2]


def test_calls_are_ordered_by_turn_and_place_in_it() -> None:
    late, early, between = (call(tool, turn=turn) for tool, turn in (("c", 2), ("a", 0), ("b", 2)))

    assert read_back(run([late, early, between])).names == ("a", "c", "b")


def test_without_turns_each_call_is_a_response_of_its_own() -> None:
    found = read_back(run([call("a"), call("b"), user("so"), call("c")]))

    assert [each.turn for each in found.calls] == [0, 1, 2]


def test_a_call_without_a_turn_is_not_parallel_to_any_other() -> None:
    calls = [call("a", turn=0), call("b"), call("c", turn=1), call("d", turn=1), call("e")]

    assert [each.turn for each in read_back(run(calls)).calls] == [0, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "leaves"),
    [
        pytest.param({"id": " L-1 ", "n": [1, 2.5]}, ("L-1", 1, 2.5), id="dict"),
        pytest.param('{"id": "L-1"}', ("L-1",), id="text of a dict"),
        pytest.param('"L-1"', ("L-1",), id="string"),
        pytest.param(["L-1", "L-2"], ("L-1", "L-2"), id="array"),
        pytest.param(None, (), id="null"),
        pytest.param("null", (), id="text of null"),
        pytest.param("", (), id="empty"),
        pytest.param("{}", (), id="no arguments"),
        pytest.param('{"id": "L-1', ('{"id": "L-1',), id="broken JSON"),
        pytest.param({"ключ": "значение ✓"}, ("значение ✓",), id="unicode"),
    ],
)
def test_arguments_in_any_shape_have_leaves(arguments: Any, leaves: tuple[Value, ...]) -> None:
    assert calls_of(call("get_loan", arguments)).calls[0].leaves == leaves


def test_deep_nesting_is_cut_and_not_a_crash() -> None:
    deep = json.dumps({"id": "L-1"})
    for _ in range(600):
        deep = f'{{"in": {deep}, "id": "outer"}}'

    leaves = calls_of(call("get_loan", deep, deep)).calls[0].leaves

    assert set(leaves) == {"outer"}


def test_shell_commands_are_named_by_their_head_and_their_words_are_values() -> None:
    found = calls_of(
        shell("cd /repo && grep -rn 'def area' src | head -5", "src/shape.py:3"),
        call("bash", {"command": "sed -n 1,20p src/shape.py"}, "def area"),
        call("bash", {"command": ["bash", "-lc", "cat src/shape.py"]}, "def area"),
    )

    assert found.names == ("grep", "sed", "cat")
    assert [each.leaves for each in found.calls] == [
        ("/repo", "-rn", "def area", "src", "-5"),
        ("-n", "1,20p", "src/shape.py"),
        ("src/shape.py",),
    ]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("ls", ()),
        ("python make.py > out/made.txt", ("make.py", "out/made.txt")),
        ("wc -l < names.txt", ("-l", "names.txt")),
        ("echo $(cat a.txt)", ("$(cat a.txt)", "a.txt")),
        ("(cd src; ls lib)", ("src", "lib")),
        ("bash -c 'bash -c \"ls src\"'", ("src",)),
        ("bash run.sh fast", ("run.sh", "fast")),
        ("echo 'not closed", ("not closed",)),
        ("cat <<'EOF' > note.txt\nhello there\nEOF", ("note.txt",)),
    ],
)
def test_words_of_a_command_are_its_arguments_and_the_files_it_names(
    command: str, found: tuple[Value, ...]
) -> None:
    assert words(command) == found


def test_shells_inside_shells_are_opened_a_few_levels_deep() -> None:
    command = "ls src"
    for _ in range(8):
        command = "bash -c '" + command.replace("'", "'\\''") + "'"

    (found,) = calls_of(call("bash", {"command": command})).calls

    assert found.leaves[0] == "-c"
    assert str(found.leaves[1]).startswith("bash -c")


@pytest.mark.parametrize(
    "arguments",
    ['{"command": null}', '{"command": 5}', '{"other": "ls"}', "[1]", "{", None, '{"command": ""}'],
)
def test_a_shell_tool_with_odd_arguments_is_still_a_call(arguments: str | None) -> None:
    found = calls_of(call("bash", arguments, "hm"))

    assert len(found.calls) == 1


def test_a_run_without_a_call_has_none() -> None:
    assert calls_of(user("hello"), reply("hi")).calls == ()
    assert read_back(run([])).calls == ()


@pytest.mark.parametrize("chars", [0, 10, calls.CHARS_AT_ONCE])
def test_runs_come_in_the_order_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, chars: int
) -> None:
    monkeypatch.setattr(calls, "CHARS_AT_ONCE", chars)
    runs = [run(in_turns(call(f"t{n}", {}, f"result {n}")), task=f"{n}") for n in range(9)]
    cohort = cohort_of(runs)
    tools = dict(cohort.joined.select("run_id", "task_id").iter_rows())
    asked = sorted(tools, reverse=True)

    found = list(run_calls(cohort, asked))

    assert [(each.run_id, each.names, each.calls[0].result) for each in found] == [
        (run_id, (f"t{tools[run_id]}",), f"result {tools[run_id]}") for run_id in asked
    ]


def test_a_cohort_saved_without_texts_has_calls_without_results(tmp_path: Path) -> None:
    cohort = cohort_of([run(in_turns(user("L-1"), call("get_loan", {"id": "L-1"}, "fine")))])

    saved = cohort.save(tmp_path / "cohort", texts=False)
    found = next(run_calls(saved, saved.runs["run_id"].to_list()))

    assert found.names == ("get_loan",)
    assert (found.calls[0].leaves, found.calls[0].result, found.told) == (("L-1",), None, ())


def test_without_labels_a_call_goes_by_its_tool() -> None:
    cohort = from_trajectories([run(in_turns(call("get_loan", {"id": "L-1"}), shell("ls")))])
    found = next(run_calls(cohort, cohort.runs["run_id"].to_list()))

    assert found.names == ("get_loan",)
    assert found.calls[0].effect is None


def test_an_event_of_an_unknown_actor_is_the_agents() -> None:
    assert calls_of(Event(event="action", actor="helper", tool="a", turn=0)).names == ("a",)
