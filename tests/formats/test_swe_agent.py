"""SWE-agent: every version's steps, endings with suffixes, refused responses, broken files."""

import json
from pathlib import Path
from typing import Any

import pytest
from swe_agent_files import PROMPT, TASK, actions, history, one, source, spoken, step, traj

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Probe
from ethogram.formats.swe_agent import ENDINGS, FORMAT


def test_a_run_is_read_with_all_it_says() -> None:
    run = one(traj())

    assert [(e.event, e.actor, e.scripted, e.turn, e.text) for e in run.events] == [
        ("system", "agent", False, None, "SETTING: a shell."),
        ("user", "user", True, None, "A demonstration."),
        ("user", "user", False, None, PROMPT),
        ("action", "agent", False, 0, "Let me."),
        ("action", "agent", False, 1, "Let me."),
    ]
    assert [(e.tool, e.action, e.observation, e.duration_s) for e in run.actions] == [
        (None, "ls -F", "ok", 0.5),
        (None, "submit", "diff", 0.5),
    ]
    assert {e.is_error for e in run.actions} == {None}
    assert (run.outcome.success, run.outcome.ending, run.submission) == (
        None,
        "completed",
        "diff --git",
    )
    assert (run.usage.cost_usd, run.usage.input_tokens, run.usage.output_tokens) == (0.5, 100, 10)
    assert (run.task.task_id, run.task.cluster) == (TASK, "owner/repo")
    assert run.extra == {"environment": "swe_main", "api_calls": 2, "demonstration_messages": 1}


@pytest.mark.parametrize(
    "state",
    [
        pytest.param('{"open_file": "n/a"}', id="0.7: JSON text"),
        pytest.param({"open_file": "n/a"}, id="1.0: object"),
        pytest.param(None, id="none"),
    ],
)
def test_the_shape_of_the_state_does_not_matter(state: Any) -> None:
    assert one(traj(trajectory=[step("ls -F", state=state)])).events[-1].action == "ls -F"


@pytest.mark.parametrize("field", ["query", "messages"])
def test_the_repeated_prompt_is_never_looked_at(field: str) -> None:
    prompt: Any = [{"role": 5, "content": {"not": ["a", "message"]}}]
    steps = [step("ls -F", **{field: prompt})]

    assert one(traj(trajectory=steps)).events == one(traj(trajectory=[step("ls -F")])).events


def test_a_tool_call_keeps_the_command_that_was_run() -> None:
    function = {"name": "edit", "arguments": '{"search": "a", "replace": "b"}'}
    call = {"id": "c1", "type": "function", "function": function}
    steps, said = [step("edit a b")], history(spoken("edit a b", tool_calls=[call]))
    (event,) = actions(traj(trajectory=steps, history=said))

    assert (event.action, event.tool, event.call_id) == ("edit a b", "edit", "c1")
    assert (event.arguments, event.arguments_state) == ('{"replace":"b","search":"a"}', "object")


def test_hidden_reasoning_is_kept_apart() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}]
    own = one(traj(trajectory=[step("ls -F", reasoning_content="hm")]))
    kept = one(traj(history=history(spoken("ls -F", thinking_blocks=blocks))))

    assert [(e.thought, e.text) for e in (own.events[-1], kept.events[3])] == [
        ("hm", "Let me.")
    ] * 2


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        pytest.param(
            step("", "", response="I give no command.", execution_time=0.0),
            "I give no command.",
            id="no command",
        ),
        pytest.param(step("vim a", "", execution_time=0.0), "vim a", id="blocked command"),
    ],
)
def test_a_refused_response_is_a_refused_action(refused: dict[str, Any], text: str) -> None:
    steps = [step("ls -F"), refused, step("submit")]
    first, second, third = actions(traj(trajectory=steps))

    assert (second.action, second.refused, second.is_error) == (text, True, True)
    assert second.error_origin == "recorded"
    assert [(e.refused, e.is_error, e.turn) for e in (first, third)] == [
        (False, None, 0),
        (False, None, 2),
    ]


def test_a_refused_response_does_not_shift_what_was_called() -> None:
    call = {"id": "c1", "function": {"name": "submit", "arguments": "{}"}}
    blocked = step("vim a", "", execution_time=0.0)
    said = history(spoken("ls -F"), spoken("submit", tool_calls=[call]))
    run = traj(trajectory=[step("ls -F"), blocked, step("submit")], history=said)

    assert [event.tool for event in actions(run)] == [None, None, "submit"]


def test_a_command_that_ran_but_was_asked_for_again_is_not_refused() -> None:
    steps = [step("edit 1:2", "Your edit was undone."), step("ls -F"), step("submit")]

    assert [e.refused for e in actions(traj(trajectory=steps))] == [False, False, False]


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(
            step(
                "exit_cost",
                "Exited (autosubmitted)",
                response="Exit due to cost limit",
                thought="Exit due to cost limit",
            ),
            id="0.7",
        ),
        pytest.param(
            step(
                "",
                "Exited (autosubmitted)",
                response="Exit due to cost limit",
                thought="Exit due to cost limit",
            ),
            id="1.1",
        ),
    ],
)
def test_the_scaffolds_own_last_step_is_no_action(last: dict[str, Any]) -> None:
    run = one(traj(trajectory=[step("ls -F"), last]))

    assert [event.action for event in run.actions] == ["ls -F"]
    assert run.events[-1].event == "system"
    assert run.events[-1].text == "Exit due to cost limit\nExited (autosubmitted)"


def test_the_response_that_ended_a_run_by_its_format_is_a_refused_action() -> None:
    last = step("exit_format", "Exited", response="no command", thought="Exit due to format error")
    (_, event) = actions(traj(trajectory=[step("ls -F"), last]))

    assert (event.action, event.refused) == ("no command", True)


@pytest.mark.parametrize("raw", list(ENDINGS))
@pytest.mark.parametrize("form", ["{}", "submitted ({})"])
def test_every_known_exit_status_has_its_ending(raw: str, form: str) -> None:
    outcome = one(traj(info={"exit_status": form.format(raw)})).outcome

    assert (outcome.ending, outcome.limit_kind) == ENDINGS[raw]
    assert outcome.ending_raw == form.format(raw)


def test_no_exit_status_is_no_ending_and_an_unknown_one_is_named() -> None:
    none, unknown = (one(traj(info={"exit_status": raw})) for raw in (None, "meteor"))

    assert (none.outcome.ending, none.outcome.ending_raw, none.problems) == (None, None, ())
    assert (unknown.outcome.ending, unknown.outcome.ending_raw) == (None, "meteor")
    assert "'meteor'" in unknown.problems[0].reason


@pytest.mark.parametrize(
    ("recorded", "kept"),
    [(None, None), ("", ""), ("diff", "diff"), ({"b": 1, "a": 2}, '{"a":2,"b":1}')],
)
def test_a_submission_is_kept_as_recorded(recorded: Any, kept: str | None) -> None:
    assert one(traj(info={"submission": recorded})).submission == kept


def test_a_file_with_nothing_but_a_history_is_read_from_it() -> None:
    run = one({"history": history(spoken("ls"), spoken("cat a"))})

    assert [(e.action, e.observation) for e in run.actions] == [("ls", "ok"), ("cat a", "ok")]
    assert run.outcome.ending is None


def test_a_run_without_steps_is_a_run() -> None:
    assert one(traj(trajectory=[])).actions == ()


@pytest.mark.parametrize(("received", "cost"), [(10, None), (0, 0.0), (None, 0.0)])
def test_a_cost_of_nothing_for_tokens_that_cost_is_no_recorded_cost(
    received: int | None, cost: float | None
) -> None:
    stats = {"instance_cost": 0.0, "tokens_sent": 9, "tokens_received": received}

    assert one(traj(info={"model_stats": stats})).usage.cost_usd == cost


def test_a_cost_that_is_no_number_is_missing() -> None:
    value = traj(info={"model_stats": {"instance_cost": float("nan")}})
    run = one(value)

    assert run.usage.cost_usd is None
    assert [problem.severity for problem in run.problems] == ["warning"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps(traj()).encode()[:-30], id="truncated"),
        pytest.param(b'{"trajectory": 5, "history": [], "info": {}}', id="no steps"),
        pytest.param(b'{"trajectory": [' + b"[" * 9000, id="deep"),
        pytest.param(b"\x80\x04\x95", id="binary"),
        pytest.param(b"", id="empty"),
    ],
)
def test_a_broken_file_is_refused_with_its_name(content: bytes) -> None:
    with pytest.raises(MalformedTrajectoryError, match=rf"{TASK}\.traj"):
        list(FORMAT.read(source(content)))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"info": {}, "messages": []}, id="mini-SWE-agent"),
        pytest.param({"info": {}}, id="no steps"),
        pytest.param([], id="a list"),
    ],
)
def test_other_files_are_not_claimed(value: Any) -> None:
    assert not FORMAT.sniff(Probe(source(value)))


@pytest.mark.shared
def test_the_real_files_are_read(shared: Path) -> None:
    paths = sorted((shared / "data" / "formats" / "swe-agent").rglob("*.traj"))
    runs = [one(path.read_bytes(), name=str(path)) for path in paths]

    assert len(runs) == 17
    assert [run.problems for run in runs] == [()] * 17
    assert sum(run.outcome.ending == "completed" for run in runs) == 16
    assert not any(event.refused for run in runs for event in run.events)
    assert sum(len(run.actions) for run in runs) == 179
    marshmallow = {r.task.digest for r in runs if "marshmallow" in (r.task.task_id or "")}
    assert len(marshmallow) == 1
