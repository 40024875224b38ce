"""From the steps of somebody's own run to events, for both shapes that a mapping knows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from ethogram.formats.chat import call_action, read_messages
from ethogram.formats.mapping_fields import Complaints, Scope, as_text, read
from ethogram.formats.mapping_layout import STEP_FIELDS, Steps
from ethogram.formats.messages import Message
from ethogram.trajectory import ArgumentsState, Event

_CHAT_KEYS: Final = (
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "reasoning",
    "reasoning_content",
)


def events(steps: Steps, found: Sequence[Any], run: Scope, complaints: Complaints) -> list[Event]:
    """Events of a run, in the order of its steps."""
    if steps.shape == "chat":
        return _chat(steps, found, run, complaints)
    reading = StepReading(steps, complaints)
    for number, step in enumerate(found):
        reading.step(run.entry(step, number))
    return reading.events


class Call(NamedTuple):
    """What a call does, as text, and its arguments."""

    action: str
    arguments: str | None
    state: ArgumentsState


def call(tool: str | None, arguments: Any, commands: Mapping[str, str]) -> Call:
    """Return the text of a call: the command of a shell, else ``tool(arguments)``."""
    action, text, state = call_action(tool, arguments)
    if tool is not None and tool in commands and state == "object":
        command = msgspec.json.decode(text or "").get(commands[tool])
        action = command if isinstance(command, str) else action
    return Call(action, text, state)


class StepReading:
    """Steps of which each is an action with what came back, or an event of another kind."""

    def __init__(self, steps: Steps, complaints: Complaints) -> None:
        self.events: list[Event] = []
        self._steps = steps
        self._complaints = complaints
        self._turns: dict[Any, int] = {}

    def step(self, scope: Scope) -> None:
        """Read one step."""
        found = {
            name: read(where, STEP_FIELDS[name], scope, f"steps.{name}", self._complaints)
            for name, where in self._steps.fields.items()
        }
        event = found.pop("event", None) or self._kind(found)
        if event == "observation":
            self._observe(found)
        elif event != "skip" and event is not None:
            self._append(event, found, scope)

    def _kind(self, found: Mapping[str, Any]) -> str | None:
        if "event" in self._steps.fields:
            return None
        if found.get("action") is not None or found.get("tool") is not None:
            return "action"
        return "reply" if found.get("text") else None

    def _observe(self, found: Mapping[str, Any]) -> None:
        """Give an answer that stands in a step of its own to the action that it is about."""
        wanted = found.get("call_id")
        for position in range(len(self.events) - 1, -1, -1):
            event = self.events[position]
            if event.event != "action" or (wanted is not None and event.call_id != wanted):
                continue
            answer = {
                name: found[name]
                for name in ("observation", "exit_code", "is_error")
                if found.get(name) is not None
            }
            if answer.get("is_error") is not None:
                answer["error_origin"] = "recorded"
            self.events[position] = replace(event, **answer)
            return
        self._complaints.add("steps.observation", "an answer to no action was left out")

    def _append(self, event: Any, found: dict[str, Any], scope: Scope) -> None:
        turn = found.pop("turn", None)
        if event == "action":
            found.update(self._action(found))
            refused = self._steps.refused
            if read(refused, "truth", scope, "steps.refused", self._complaints):
                found["is_error"] = found["refused"] = True
        else:
            for name in ("arguments", "action", "tool", "observation"):
                found.pop(name, None)
        found["actor"] = found.get("actor") or ("user" if event == "user" else "agent")
        if found.get("is_error") is not None:
            found["error_origin"] = "recorded"
        if event in {"action", "reply"} and found["actor"] != "user":
            found["turn"] = self._turn(turn)
        self.events.append(Event(event=event, **found))

    def _action(self, found: Mapping[str, Any]) -> dict[str, Any]:
        made = call(found.get("tool"), found.get("arguments"), self._steps.commands)
        action = found.get("action")
        return {
            "action": made.action if action is None else action,
            "arguments": made.arguments,
            "arguments_state": made.state,
        }

    def _turn(self, written: Any) -> int:
        """Number the responses: by what the step says, else every step is one."""
        key = len(self.events) if written is None else as_text(written)
        return self._turns.setdefault(key, len(self._turns))


def _chat(steps: Steps, found: Sequence[Any], run: Scope, complaints: Complaints) -> list[Event]:
    """Events of a list of chat messages."""
    messages: list[Message] = []
    refused: set[int] = set()
    for number, step in enumerate(found):
        scope = run.entry(step, number)
        message = _message(steps, scope, complaints)
        if message is None:
            continue
        messages.append(message)
        if message.role == "assistant" and read(
            steps.refused, "truth", scope, "steps.refused", complaints
        ):
            refused.add(sum(each.role == "assistant" for each in messages) - 1)
    conversation = read_messages(messages)
    for problem in conversation.problems:
        complaints.add("steps.list", problem.reason, problem.count)
    return [
        _refused(event) if event.turn in refused else _as_command(event, steps.commands)
        for event in conversation.events
    ]


def _message(steps: Steps, scope: Scope, complaints: Complaints) -> Message | None:
    """Return a message with what the mapping says of it; None if it is no chat message."""
    fields = {
        name: read(where, STEP_FIELDS[name], scope, f"steps.{name}", complaints)
        for name, where in steps.fields.items()
    }
    more = {
        "timestamp": fields.get("timestamp"),
        "cost": fields.get("cost_usd"),
        "error": fields.get("is_error"),
        "usage": {
            "prompt_tokens": fields.get("input_tokens"),
            "completion_tokens": fields.get("output_tokens"),
        },
    }
    written = scope.value if isinstance(scope.value, dict) else {}
    try:
        return msgspec.convert({**_plain(written), **more}, Message)
    except msgspec.ValidationError as err:
        complaints.add("steps.list", f"what is no chat message was left out: {err}")
        return None


def _plain(written: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what every dump of chat messages has; the rest is the mapping's to name."""
    return {key: written[key] for key in _CHAT_KEYS if written.get(key) is not None}


def _refused(event: Event) -> Event:
    """Make an action of whatever the scaffold refused."""
    action = event.text if event.event == "reply" else event.action
    text = None if event.event == "reply" else event.text
    return replace(
        event,
        event="action",
        action=action,
        text=text,
        refused=True,
        is_error=True,
        error_origin="recorded",
    )


def _as_command(event: Event, commands: Mapping[str, str]) -> Event:
    if event.tool not in commands:
        return event
    return replace(event, action=call(event.tool, event.arguments, commands).action)
