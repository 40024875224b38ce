"""Chat messages as events: what tau-bench, tau2-bench and their relatives share.

Assistant messages (and, where the user is simulated and has tools of its own, user messages) have
``tool_calls``; tool messages answer them. A call and its answer become one event. Answers find
their call by id, else by the tool's name, else by their order: some dumps have lost the ids.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ethogram.formats.json_text import canonical
from ethogram.formats.messages import (
    Function,
    Message,
    Tokens,
    ToolCall,
    refused_attempt,
    text_of,
    thought_of,
    unwrap,
    whole,
)
from ethogram.formats.times import to_seconds
from ethogram.trajectory import ArgumentsState, Event, Problem


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """The events of one run, and what its messages record of it as a whole."""

    events: tuple[Event, ...]
    agent_calls: int
    """Calls of the agent that the messages record, without attempts that were refused."""
    unwrapped: int
    """Texts of the agent that stood inside ``{"message": …}``."""
    input_tokens: int | None
    """Of the agent; None unless every response records them."""
    output_tokens: int | None
    user_tokens: int | None
    """Input and output of the simulated user; None unless every response records them."""
    problems: tuple[Problem, ...]


def call_action(name: str | None, arguments: Any) -> tuple[str, str | None, ArgumentsState]:
    """Write a call as ``tool(arguments)`` with canonical arguments.

    Parameters
    ----------
    name : str or None
        Name of the tool; None if the call has none.
    arguments : Any
        An object, or JSON text as OpenAI's models write it.

    Returns
    -------
    action : str
        ``tool(arguments)``.
    arguments : str or None
        JSON text with sorted keys for an object, else the text as recorded.
    state : str
        ``object``; ``text`` for JSON that is no object; ``invalid`` for text that is no JSON;
        ``absent`` for None and the empty text.

    Examples
    --------
    >>> call_action("f", '{"b": 1, "a": 2}')
    ('f({"a":2,"b":1})', '{"a":2,"b":1}', 'object')
    >>> call_action("f", "{'a': 2}")
    ("f({'a': 2})", "{'a': 2}", 'invalid')
    >>> call_action("f", None)
    ('f()', None, 'absent')
    """
    text, state = _argument_text(arguments)
    return f"{name or ''}({text or ''})", text, state


def _argument_text(arguments: Any) -> tuple[str | None, ArgumentsState]:
    if isinstance(arguments, dict):
        return canonical(arguments), "object"
    if arguments is None or arguments == "":
        return None, "absent"
    if not isinstance(arguments, str):
        return canonical(arguments), "text"
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return arguments, "invalid"
    return (canonical(value), "object") if isinstance(value, dict) else (arguments, "text")


def read_messages(
    messages: Sequence[Message],
    *,
    greetings: frozenset[str] = frozenset(),
    first: Sequence[Event] = (),
) -> Conversation:
    """Turn the messages of one run into events.

    An assistant message with neither calls nor text becomes a ``reply`` with an empty text.
    Attempts that the scaffold refused (``errors`` of a message) become actions before the message
    that was accepted in the end.

    Parameters
    ----------
    messages : sequence of Message
        In the order of the file.
    greetings : frozenset of str
        Fixed first words: such a text of the assistant before anybody else has spoken is
        ``scripted`` and no model response.
    first : sequence of Event
        Events that stand before the messages (a system prompt that is recorded elsewhere).
    """
    reader = _Reader(greetings)
    for message in messages:
        reader.add(message)
    user = reader.tokens("user")
    return Conversation(
        events=(*first, *(Event(**row) for row in reader.rows)),
        agent_calls=reader.agent_calls,
        unwrapped=reader.unwrapped,
        input_tokens=_sum(pair[0] for pair in reader.tokens("agent")),
        output_tokens=_sum(pair[1] for pair in reader.tokens("agent")),
        user_tokens=_sum(count for pair in user for count in pair),
        problems=tuple(reader.problems()),
    )


def _sum(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return sum(count for count in known if count) if known and None not in known else None


def _calls_of(message: Message) -> list[ToolCall]:
    if isinstance(message.function_call, Function) and not message.tool_calls:
        return [ToolCall(function=message.function_call)]
    return message.tool_calls if isinstance(message.tool_calls, list) else []


_ACTORS: Final = {"assistant": "agent", "user": "user"}
_SYSTEM_ROLES: Final = frozenset({"system", "developer"})
_TOOL_ROLES: Final = frozenset({"tool", "function"})

Row = dict[str, Any]


class _Reader:
    """The state of reading one run: rows of events, and the calls that wait for an answer."""

    def __init__(self, greetings: frozenset[str]) -> None:
        self.rows: list[Row] = []
        self.agent_calls = 0
        self.unwrapped = 0
        self._greetings = greetings
        self._turn = -1
        self._tokens: dict[str, list[tuple[int | None, int | None]]] = {"agent": [], "user": []}
        self._waiting: list[Row] = []
        self._by_id: dict[str, Row] = {}
        self._orphans = 0
        self._unknown_roles: set[str] = set()

    def add(self, message: Message) -> None:
        if message.role in _TOOL_ROLES:
            grouped = message.tool_messages
            for answer in [message] if grouped is None else grouped:
                self._answer(answer)
        elif message.role in _ACTORS:
            self._speak(message, _ACTORS[message.role])
        elif message.role in _SYSTEM_ROLES:
            self.rows.append({"event": "system", "text": text_of(message.content)})
        else:
            self._unknown_roles.add(message.role)

    def tokens(self, actor: str) -> list[tuple[int | None, int | None]]:
        return self._tokens[actor]

    def problems(self) -> Iterator[Problem]:
        if self._orphans:
            yield Problem(
                reason="tool results that answer no call of the run were left out",
                severity="warning",
                count=self._orphans,
            )
        for role in sorted(self._unknown_roles):
            yield Problem(
                reason=f"messages of role {role!r} were left out; "
                "known roles: assistant, user, system, tool",
                severity="warning",
            )

    def _speak(self, message: Message, actor: str) -> None:
        text, stamp = text_of(message.content), to_seconds(message.timestamp)
        calls = _calls_of(message)
        if actor == "agent" and not calls and self._is_greeting(text):
            self.rows.append({"event": "reply", "scripted": True, "text": text, "timestamp": stamp})
            return
        if message.errors:
            self.rows += self._refused(message, actor)
        shared: Row = {"actor": actor, "turn": self._next_turn(actor), "timestamp": stamp}
        once = self._responded(message, actor)
        if actor == "agent" and text:
            text = self._unwrapped(text)
        if calls:
            self._call(calls, shared, {**once, "text": text or None})
        else:
            event = "reply" if actor == "agent" else "user"
            self.rows.append({"event": event, **shared, **once, "text": text or ""})

    def _is_greeting(self, text: str | None) -> bool:
        return text in self._greetings and all(row["event"] == "system" for row in self.rows)

    def _next_turn(self, actor: str) -> int | None:
        if actor != "agent":
            return None
        self._turn += 1
        return self._turn

    def _responded(self, message: Message, actor: str) -> Row:
        """Count a response; what belongs to it as a whole stands at its first event only."""
        usage = message.usage
        tokens: tuple[int | None, int | None] = (None, None)
        if isinstance(usage, Tokens):
            tokens = (whole(usage.prompt_tokens), whole(usage.completion_tokens))
        self._tokens[actor].append(tokens)
        return {
            "thought": thought_of(message),
            "duration_s": message.generation_time_seconds,
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "cost_usd": message.cost,
        }

    def _unwrapped(self, text: str) -> str:
        inner = unwrap(text)
        if inner is None:
            return text
        self.unwrapped += 1
        return inner

    def _call(self, calls: Sequence[ToolCall], shared: Row, once: Row) -> None:
        self._waiting = []
        for position, call in enumerate(calls):
            function = call.function or call
            action, arguments, state = call_action(function.name, function.arguments)
            row = {
                "event": "action",
                **shared,
                "call_id": None if call.id is None else str(call.id),
                "tool": function.name,
                "action": action,
                "arguments": arguments,
                "arguments_state": state,
                **(once if position == 0 else {}),
            }
            self.rows.append(row)
            self._waiting.append(row)
            if row["call_id"]:
                self._by_id[row["call_id"]] = row
        self.agent_calls += len(calls) if shared["actor"] == "agent" else 0

    def _answer(self, message: Message) -> None:
        row = self._call_of(message)
        if row is None:
            self._orphans += 1
            return
        self._waiting = [other for other in self._waiting if other is not row]
        row["observation"] = text_of(message.content)
        if isinstance(message.error, bool):
            row["is_error"], row["error_origin"] = message.error, "recorded"

    def _call_of(self, message: Message) -> Row | None:
        """Find the call that a tool message answers; None if none is waiting for this answer."""
        given = message.id if message.tool_call_id is None else message.tool_call_id
        key = "" if given is None else str(given)
        if key in self._by_id:
            known = [row for row in self._waiting if row["call_id"] == key] or [self._by_id[key]]
            return known[0] if "observation" not in known[0] else None
        candidates = [row for row in self._waiting if not (key and row["call_id"])]
        named = [row for row in candidates if message.name in {None, row["tool"]}]
        return next(iter(named or candidates), None)

    def _refused(self, message: Message, actor: str) -> Iterator[Row]:
        for error in message.errors if isinstance(message.errors, list) else []:
            attempt, complaint = refused_attempt(
                error if isinstance(error, str) else canonical(error)
            )
            yield {
                "event": "action",
                "actor": actor,
                "turn": self._next_turn(actor),
                "refused": True,
                "action": attempt,
                "observation": complaint,
                "is_error": True,
                "error_origin": "recorded",
            }
