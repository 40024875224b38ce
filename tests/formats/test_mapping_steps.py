"""Steps and chat messages of somebody's own logs become events."""

from typing import Any

import pytest
from mapping_files import mapping, one, read

from ethogram.trajectory import Event, Trajectory

CHAT = '[steps]\nlist = "m"\nshape = "chat"\n'


def events(steps: str, *written: Any) -> tuple[Event, ...]:
    return one("", {"steps": list(written)}, f'[steps]\nlist = "steps"\n{steps}').events


def chat(*messages: dict[str, Any], more: str = "") -> tuple[Event, ...]:
    return one("", {"m": list(messages)}, CHAT + more).events


def called(name: str, arguments: Any, call_id: str = "c") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_every_field_of_a_step_has_its_place() -> None:
    steps = """
    action = "a"
    tool = "b"
    arguments = "c"
    observation = "d"
    text = "e"
    thought = "f"
    exit_code = "g"
    is_error = "h"
    timestamp = "i"
    duration_s = "j"
    input_tokens = "k"
    output_tokens = "l"
    cost_usd = "m"
    call_id = "n"
    """
    step = {
        "a": "ls",
        "b": "bash",
        "c": {"z": 1, "y": 2},
        "d": "ok",
        "e": "said",
        "f": "hidden",
        "g": 1,
        "h": False,
        "i": 100,
        "j": 0.5,
        "k": 10,
        "l": 2,
        "m": 0.25,
        "n": "id",
    }

    assert events(steps, step) == (
        Event(
            event="action",
            turn=0,
            action="ls",
            tool="bash",
            arguments='{"y":2,"z":1}',
            arguments_state="object",
            observation="ok",
            text="said",
            thought="hidden",
            exit_code=1,
            is_error=False,
            error_origin="recorded",
            timestamp=100.0,
            duration_s=0.5,
            input_tokens=10,
            output_tokens=2,
            cost_usd=0.25,
            call_id="id",
        ),
    )


@pytest.mark.parametrize(
    ("arguments", "action", "state"),
    [
        pytest.param({"b": 1, "a": 2}, 'f({"a":2,"b":1})', "object", id="object"),
        pytest.param('{"b": 1, "a": 2}', 'f({"a":2,"b":1})', "object", id="object as text"),
        pytest.param("[1, 2]", "f([1, 2])", "text", id="list as text"),
        pytest.param([1, 2], "f([1,2])", "text", id="list"),
        pytest.param("{'a': 2}", "f({'a': 2})", "invalid", id="no JSON"),
        pytest.param(None, "f()", "absent", id="none"),
    ],
)
def test_a_call_is_written_in_a_canonical_form(arguments: Any, action: str, state: str) -> None:
    (event,) = events('tool = "t"\narguments = "a"', {"t": "f", "a": arguments})

    assert (event.action, event.arguments_state) == (action, state)


def test_the_command_of_a_shell_is_the_action() -> None:
    steps = 'tool = "t"\narguments = "a"\ncommands = { bash = "cmd" }'

    made = events(steps, *({"t": tool, "a": {"cmd": "ls"}} for tool in ("bash", "other")))

    assert [event.action for event in made] == ["ls", 'other({"cmd":"ls"})']


def test_a_refused_step_is_an_action_and_an_error() -> None:
    steps = 'action = "do"\nrefused = { field = "do", starts_with = "[ERROR]" }'

    made = events(steps, {"do": "ls"}, {"do": "[ERROR] two commands"})

    assert [(e.action, e.refused, e.is_error) for e in made] == [
        ("ls", False, None),
        ("[ERROR] two commands", True, True),
    ]


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ('equals = "Error: no"', [False, True, None]),
        ('starts_with = "Error"', [False, True, None]),
        ('contains = "no"', [True, True, None]),
    ],
)
def test_an_error_can_be_told_by_a_comparison(check: str, expected: list[bool | None]) -> None:
    steps = f'action = "do"\nobservation = "o"\nis_error = {{ field = "o", {check} }}'

    made = events(steps, *({"do": "ls", "o": seen} for seen in ("no Error", "Error: no", None)))

    assert [event.is_error for event in made] == expected


def test_a_step_that_only_speaks_is_a_reply_and_an_empty_one_is_left_out() -> None:
    made = events('action = "do"\ntext = "say"', {"do": "ls"}, {"say": "Done."}, {"x": 1})

    assert [(event.event, event.turn) for event in made] == [("action", 0), ("reply", 1)]


def test_steps_that_only_speak_show_that_the_mapping_looks_in_the_wrong_place() -> None:
    steps = '[steps]\nlist = "s"\naction = "did"\ntext = "say"'

    (found,) = read(mapping("", steps), {"s": [{"do": "ls", "say": "I look."}]})

    assert not isinstance(found, Trajectory)
    assert found.severity == "error"


def test_plain_texts_can_be_steps() -> None:
    assert [event.action for event in events('action = "."', "ls", "id")] == ["ls", "id"]


def test_steps_of_one_turn_are_one_response() -> None:
    steps = 'action = "do"\nturn = "r"'

    made = events(steps, *({"do": "ls", "r": turn} for turn in ("x", "x", "y", None)))

    assert [event.turn for event in made] == [0, 0, 1, 2]


def test_events_of_several_kinds_can_lie_in_one_list() -> None:
    steps = """
    action = "do"
    text = "say"
    observation = "seen"
    exit_code = "code"
    call_id = "id"

    [steps.event]
    field = "is"
    values = { go = "action", ask = "user", prompt = "system", back = "observation" }
    containing = { note = "skip" }
    """
    made = events(
        steps,
        {"is": "prompt", "say": "Be kind."},
        {"is": "ask", "say": "Hello"},
        {"is": "note 1", "do": "nothing"},
        {"is": "go", "do": "ls", "id": 1},
        {"is": "go", "do": "id", "id": 2},
        {"is": "back", "seen": "first", "id": 1, "code": 3},
        {"is": "back", "seen": "second"},
    )

    assert [(e.event, e.actor, e.turn) for e in made] == [
        ("system", "agent", None),
        ("user", "user", None),
        ("action", "agent", 0),
        ("action", "agent", 1),
    ]
    assert [(e.observation, e.exit_code) for e in made[2:]] == [("first", 3), ("second", None)]


def test_an_answer_to_nothing_is_said() -> None:
    steps = '[steps]\nlist = "s"\naction = "do"\nobservation = "o"\nevent = "is"'
    record = {"s": [{"is": "observation", "o": "x"}, {"is": "action", "do": "ls"}]}

    (run,) = read(mapping("", steps), record)

    assert isinstance(run, Trajectory)
    assert [problem.field for problem in run.problems] == ["steps.observation"]
    assert run.actions[0].observation is None


def test_what_does_not_fit_is_counted_by_field() -> None:
    steps = '[steps]\nlist = "s"\naction = "do"\nexit_code = "code"'

    (run,) = read(mapping("", steps), {"s": [{"do": "ls", "code": "zero"}] * 3})

    assert isinstance(run, Trajectory)
    (problem,) = run.problems
    assert (problem.field, problem.count, problem.severity) == ("steps.exit_code", 3, "warning")
    assert "'zero'" in problem.reason
    assert [event.exit_code for event in run.actions] == [None] * 3


def test_a_simulated_users_call_is_not_the_agents() -> None:
    made = events('action = "do"\nactor = "who"', {"do": "ls"}, {"do": "id", "who": "user"})

    assert [(event.actor, event.turn) for event in made] == [("agent", 0), ("user", None)]


def test_chat_messages_are_read() -> None:
    made = chat(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {
            "role": "assistant",
            "content": "Both.",
            "reasoning_content": "Hm.",
            "tool_calls": [called("f", '{"x": 1}', "1"), called("g", "{}", "2")],
        },
        {"role": "tool", "tool_call_id": "2", "content": "G"},
        {"role": "tool", "tool_call_id": "1", "content": "F"},
        {"role": "assistant", "content": "Done."},
    )

    assert [(e.event, e.turn, e.text, e.thought) for e in made] == [
        ("system", None, "Be kind.", None),
        ("user", None, "Hello", None),
        ("action", 0, "Both.", "Hm."),
        ("action", 0, None, None),
        ("reply", 1, "Done.", None),
    ]
    assert [(e.action, e.observation) for e in made[2:4]] == [('f({"x":1})', "F"), ("g({})", "G")]


def test_a_mapping_adds_to_chat_messages_what_it_names() -> None:
    more = """
    timestamp = "at"
    input_tokens = "usage.in"
    cost_usd = "usage.usd"
    is_error = "failed"
    commands = { bash = "command" }
    """
    made = chat(
        {
            "role": "assistant",
            "at": 100,
            "usage": {"in": 10, "usd": 0.5},
            "tool_calls": [called("bash", {"command": "ls"})],
        },
        {"role": "tool", "tool_call_id": "c", "content": "no", "failed": True},
        more=more,
    )

    (event,) = made
    assert (event.action, event.is_error, event.error_origin) == ("ls", True, "recorded")
    assert (event.timestamp, event.input_tokens, event.cost_usd) == (100.0, 10, 0.5)


def test_a_refused_message_of_a_chat_is_an_action() -> None:
    made = chat(
        {"role": "assistant", "content": "fine", "tool_calls": [called("f", {})]},
        {"role": "assistant", "content": "BAD: f("},
        more='refused = { field = "content", starts_with = "BAD" }',
    )

    assert [(e.event, e.action, e.refused, e.text) for e in made] == [
        ("action", "f({})", False, "fine"),
        ("action", "BAD: f(", True, None),
    ]


def test_what_is_no_chat_message_is_left_out_and_said() -> None:
    messages = [7, {"content": "x"}, {"role": "assistant", "tool_calls": [called("f", {})]}]

    (run,) = read(mapping("", CHAT), {"m": messages})

    assert isinstance(run, Trajectory)
    assert [event.action for event in run.events] == ["f({})"]
    assert sum(problem.count for problem in run.problems) == 2


def test_a_chat_without_calls_is_a_run_without_actions() -> None:
    made = chat({"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."})

    assert [event.event for event in made] == ["user", "reply"]


def test_a_chat_of_which_nothing_could_be_read_is_an_error() -> None:
    (found,) = read(mapping("", CHAT), {"m": [{"from": "human", "value": "Hello"}]})

    assert not isinstance(found, Trajectory)
    assert found.severity == "error"
