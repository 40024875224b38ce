"""Chat messages become events: calls find their answers, texts are kept apart, nothing is lost."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.formats.chat import Conversation, call_action, read_messages
from ethogram.formats.messages import Message, refused_attempt, text_of, unwrap

GREETING = "Welcome."


def conversation(*messages: dict[str, Any], **options: Any) -> Conversation:
    decoded = msgspec.json.decode(msgspec.json.encode(messages), type=list[Message])
    return read_messages(decoded, **options)


def call(name: str, arguments: Any = None, call_id: str | None = None) -> dict[str, Any]:
    return {"id": call_id, "name": name, "arguments": arguments}


def answer(content: str, call_id: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def assistant(*calls: dict[str, Any], content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls) or None, **more}


def observations(read: Conversation) -> dict[str | None, str | None]:
    return {event.tool: event.observation for event in read.events if event.event == "action"}


def test_parallel_calls_share_a_turn_and_the_text_stands_at_the_first() -> None:
    read = conversation(
        assistant(call("f", {"b": 1, "a": 2}, "1"), call("g", {}, "2"), content="Let me look."),
        answer("of g", "2"),
        answer("of f", "1"),
        assistant(content="Done."),
    )

    assert [(e.event, e.tool, e.turn, e.text, e.observation) for e in read.events] == [
        ("action", "f", 0, "Let me look.", "of f"),
        ("action", "g", 0, None, "of g"),
        ("reply", None, 1, "Done.", None),
    ]
    assert read.events[0].action == 'f({"a":2,"b":1})'
    assert read.agent_calls == 2


def test_both_nestings_of_a_call_are_read() -> None:
    nested = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    flat = {"id": "1", "name": "f", "arguments": {"a": 1}, "requestor": "assistant"}

    assert conversation(assistant(nested)).events == conversation(assistant(flat)).events


def test_a_call_in_the_manner_before_tool_calls_is_read() -> None:
    old = {"name": "f", "arguments": '{"a": 1}'}
    message = {"role": "assistant", "content": None, "function_call": old}
    read = conversation(message, {"role": "function", "name": "f", "content": "of f"})

    assert read == conversation(assistant(call("f", {"a": 1})), answer("of f"))
    assert conversation(assistant(content="Hi.", function_call=None)).agent_calls == 0


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param(
            [answer("1", name="f"), answer("2", name="g")], {"f": "1", "g": "2"}, id="order"
        ),
        pytest.param(
            [answer("2", name="g"), answer("1", name="f")], {"f": "1", "g": "2"}, id="names"
        ),
        pytest.param([answer("1"), answer("2")], {"f": "1", "g": "2"}, id="nothing but order"),
        pytest.param([answer("1")], {"f": "1", "g": None}, id="one is missing"),
    ],
)
def test_answers_without_ids_find_their_calls(
    answers: list[dict[str, Any]], expected: dict[str, str | None]
) -> None:
    assert observations(conversation(assistant(call("f"), call("g")), *answers)) == expected


def test_answers_grouped_in_one_message_find_their_calls() -> None:
    calls = assistant(call("f", {}, "1"), call("g", {}, "2"))
    answers = [answer("of g", "2"), answer("of f", "1", error=True)]
    read = conversation(calls, {"role": "tool", "tool_messages": answers})

    assert observations(read) == {"f": "of f", "g": "of g"}
    assert [event.is_error for event in read.events] == [True, None]
    assert read == conversation(calls, *answers)
    assert conversation(calls, {"role": "tool", "tool_messages": []}) == conversation(calls)


def test_an_answer_without_an_id_is_not_for_an_earlier_turn() -> None:
    read = conversation(assistant(call("f")), assistant(call("g")), answer("late"))

    assert observations(read) == {"f": None, "g": "late"}


def test_an_id_used_twice_means_the_call_that_waits() -> None:
    read = conversation(
        assistant(call("f", call_id="1")),
        answer("first", "1"),
        assistant(call("f", call_id="1")),
        answer("second", "1"),
    )

    assert [event.observation for event in read.events] == ["first", "second"]


def test_an_answer_to_no_call_is_counted_and_touches_nothing() -> None:
    read = conversation(
        assistant(call("f", call_id="1")), answer("x", "9"), answer("y", "1"), answer("z", "1")
    )

    assert observations(read) == {"f": "y"}
    assert [(p.severity, p.count) for p in read.problems] == [("warning", 2)]


def test_recorded_errors_are_kept_and_none_is_made_up() -> None:
    read = conversation(
        assistant(call("f", call_id="1"), call("g", call_id="2"), call("h", call_id="3")),
        answer("Error: no such thing", "1"),
        answer("broken", "2", error=True),
        answer("fine", "3", error=False),
    )

    assert [(e.is_error, e.error_origin) for e in read.events] == [
        (None, None),
        (True, "recorded"),
        (False, "recorded"),
    ]


def test_the_simulated_user_acts_as_user_and_takes_no_turn() -> None:
    read = conversation(
        assistant(content="Restart it."),
        {"role": "user", "content": None, "tool_calls": [call("reboot", {}, "1")]},
        answer("rebooted", "1"),
        {"role": "user", "content": "Done."},
        assistant(content="Good."),
    )

    assert [(e.event, e.actor, e.turn) for e in read.events] == [
        ("reply", "agent", 0),
        ("action", "user", None),
        ("user", "user", None),
        ("reply", "agent", 1),
    ]
    assert read.agent_calls == 0


@pytest.mark.parametrize(
    ("before", "scripted"),
    [
        pytest.param([], True, id="first"),
        pytest.param([{"role": "system", "content": "Be kind."}], True, id="after the prompt"),
        pytest.param([{"role": "user", "content": "Hello?"}], False, id="after the user"),
        pytest.param([assistant(content="Hm.")], False, id="second"),
    ],
)
def test_only_the_fixed_first_words_are_scripted(
    before: list[dict[str, Any]], *, scripted: bool
) -> None:
    read = conversation(*before, assistant(content=GREETING), greetings=frozenset({GREETING}))

    assert read.events[-1].scripted is scripted
    assert (read.events[-1].turn is None) is scripted


def test_wrapped_texts_of_the_agent_are_unwrapped_and_counted() -> None:
    wrapped = json.dumps({"message": "Hello"})
    read = conversation(
        assistant(content=wrapped),
        {"role": "user", "content": wrapped},
        assistant(call("f"), content=wrapped),
    )

    assert [event.text for event in read.events] == ["Hello", wrapped, "Hello"]
    assert read.unwrapped == 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"message": "a", "to": "b"}', id="more than a message"),
        pytest.param('{"message": {"a": 1}}', id="no text"),
        pytest.param('{"message": "a"', id="truncated"),
        pytest.param('{"text": "a"}', id="another key"),
        pytest.param("message", id="no JSON"),
        pytest.param('[{"message": "a"}]', id="a list"),
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert unwrap(text) is None


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"reasoning": "hm"}, id="own field"),
        pytest.param({"reasoning_content": "hm"}, id="as DeepSeek names it"),
        pytest.param({"raw_data": {"message": {"reasoning_content": "hm"}}}, id="in the response"),
        pytest.param(
            {"raw_data": {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}},
            id="thinking blocks",
        ),
        pytest.param(
            {"raw_data": {"message": {"thinking_blocks": [{"thinking": "hm"}]}}},
            id="thinking blocks in the message",
        ),
    ],
)
def test_hidden_reasoning_is_kept_apart_from_the_text(message: dict[str, Any]) -> None:
    (event,) = conversation(assistant(content="Hello", **message)).events

    assert (event.text, event.thought) == ("Hello", "hm")


@pytest.mark.parametrize("raw", [None, "text", [], {}, {"message": "text"}, {"message": None}])
def test_no_reasoning_is_none(raw: Any) -> None:
    (event,) = conversation(assistant(content="Hello", raw_data=raw)).events

    assert event.thought is None


def test_a_refused_attempt_is_an_action_of_its_own_turn() -> None:
    error = (
        "Invalid message format. Original message: AssistantMessage\ntimestamp: 2025-01-01T00:00\n"
        "content: hm\ncost: 0.0. Error: You sent both."
    )
    read = conversation(assistant(content="Sorry.", errors=[error, "Bad."]))

    assert [(e.action, e.observation, e.turn, e.refused) for e in read.events[:2]] == [
        ("AssistantMessage\ncontent: hm\ncost: 0.0", "You sent both.", 0, True),
        ("Bad.", None, 1, True),
    ]
    assert {(e.is_error, e.error_origin) for e in read.events[:2]} == {(True, "recorded")}
    assert (read.events[2].event, read.events[2].turn) == ("reply", 2)
    assert read.agent_calls == 0


def test_the_time_of_a_refused_attempt_does_not_tell_it_from_its_repeat() -> None:
    error = "Bad. Original message: M\ntimestamp: {}\ncontent: x. Error: no"

    assert refused_attempt(error.format("12:00")) == refused_attempt(error.format("13:00"))


def test_usage_stands_at_the_first_event_and_sums_to_the_run() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2.0}
    read = conversation(
        assistant(content=GREETING),
        {"role": "user", "content": "Hi", "usage": usage},
        assistant(call("f"), call("g"), usage=usage, cost=0.5, generation_time_seconds=1.5),
        assistant(content="Done.", usage=usage),
        greetings=frozenset({GREETING}),
    )

    assert [event.input_tokens for event in read.events] == [None, 10, 10, None, 10]
    assert (read.input_tokens, read.output_tokens, read.user_tokens) == (20, 4, 12)
    assert (read.events[2].cost_usd, read.events[2].duration_s) == (0.5, 1.5)
    assert read.events[3].cost_usd is None


def test_totals_are_none_as_soon_as_one_response_records_nothing() -> None:
    read = conversation(
        assistant(content="a", usage={"prompt_tokens": 1, "completion_tokens": 1}),
        assistant(content="b"),
    )

    assert (read.input_tokens, read.output_tokens, read.user_tokens) == (None, None, None)


def test_an_empty_message_is_an_empty_reply() -> None:
    assert [(e.event, e.text) for e in conversation(assistant(content="")).events] == [
        ("reply", "")
    ]


def test_no_messages_are_no_events() -> None:
    assert conversation().events == ()


def test_an_unknown_role_is_named_and_left_out() -> None:
    read = conversation({"role": "critic", "content": "Bad."}, assistant(content="Hm."))

    assert [event.text for event in read.events] == ["Hm."]
    assert "'critic'" in read.problems[0].reason


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"a": {"c": 1, "b": 2}}, ('{"a":{"b":2,"c":1}}', "object"), id="object"),
        pytest.param('{"a": 1}', ('{"a":1}', "object"), id="JSON text"),
        pytest.param("{}", ("{}", "object"), id="empty object"),
        pytest.param("[1]", ("[1]", "text"), id="JSON that is no object"),
        pytest.param([1], ("[1]", "text"), id="a list"),
        pytest.param("ls -la", ("ls -la", "invalid"), id="no JSON"),
        pytest.param('{"a": ', ('{"a": ', "invalid"), id="truncated"),
        pytest.param("[" * 5000, ("[" * 5000, "invalid"), id="nested too deeply"),
        pytest.param("", (None, "absent"), id="empty"),
        pytest.param(None, (None, "absent"), id="none"),
    ],
)
def test_arguments_are_canonical_json_or_as_recorded(arguments: Any, expected: Any) -> None:
    assert call_action("f", arguments)[1:] == expected


@settings(deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), st.integers(-9, 9) | st.booleans() | st.none(), max_size=4)
)
def test_the_order_of_arguments_does_not_matter(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))

    assert call_action("f", arguments) == call_action("f", turned)
    assert call_action("f", json.dumps(arguments)) == call_action("f", turned)


@settings(deadline=None)
@given(st.permutations(range(5)))
def test_answers_find_their_calls_in_any_order(order: list[int]) -> None:
    calls = [call(f"f{n}", call_id=f"c{n}") for n in range(5)]
    read = conversation(assistant(*calls), *(answer(f"a{n}", f"c{n}") for n in order))

    assert observations(read) == {f"f{n}": f"a{n}" for n in range(5)}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("Hello", "Hello", id="text"),
        pytest.param(None, None, id="none"),
        pytest.param([{"type": "text", "text": "a"}, "b"], "a\nb", id="parts"),
        pytest.param([{"type": "image_url"}], None, id="no text among the parts"),
        pytest.param({"b": 1, "a": 2}, '{"a":2,"b":1}', id="an object"),
    ],
)
def test_the_text_of_a_content(content: Any, text: str | None) -> None:
    assert text_of(content) == text
