"""From the steps of somebody's own run to events, for both shapes that a mapping knows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from ethogram.formats.json_text import canonical
from ethogram.formats.mapping_fields import Complaints, Scope, as_text, read
from ethogram.formats.mapping_layout import STEP_FIELDS, Steps
from ethogram.trajectory import ArgumentsState, Event

MISSING_TOOL: Final = "a call without a tool's name"


def events(steps: Steps, found: Sequence[Any], run: Scope, complaints: Complaints) -> list[Event]:
    """Events of a run, in the order of its steps."""
    reading = (ChatReading if steps.shape == "chat" else StepReading)(steps, complaints)
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
    value, text, state = _decoded(arguments)
    field = commands.get(tool or "")
    command = value.get(field) if field is not None and isinstance(value, dict) else None
    if isinstance(command, str):
        return Call(command, text, state)
    inner = canonical(value) if state == "object" else text or ""
    return Call(f"{tool}({inner})", text, state)


def _decoded(arguments: Any) -> tuple[Any, str | None, ArgumentsState]:
    """Value of the arguments, their text and what they are."""
    if arguments is None:
        return None, None, "absent"
    if not isinstance(arguments, str):
        state: ArgumentsState = "object" if isinstance(arguments, dict) else "text"
        return arguments, canonical(arguments), state
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        # Text that was meant as JSON is broken; any other text is how this log writes arguments.
        return arguments, arguments, "invalid" if arguments.lstrip()[:1] in "{[" else "text"
    return value, arguments, "object" if isinstance(value, dict) else "text"


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


class ChatReading:
    """Chat messages: calls in ``tool_calls``, answers in messages of the role ``tool``."""

    def __init__(self, steps: Steps, complaints: Complaints) -> None:
        self.events: list[Event] = []
        self._steps = steps
        self._complaints = complaints
        self._turns = 0

    def step(self, scope: Scope) -> None:
        """Read one message."""
        message = scope.value
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            self._reply(message, scope)
        elif role in {"tool", "function"}:
            self._answer(message, scope)
        elif role in {"user", "system", "developer"}:
            event = Event(
                event="user" if role == "user" else "system",
                actor="user" if role == "user" else "agent",
                text=_content(message),
                timestamp=self._field("timestamp", scope),
            )
            self.events.append(event)
        else:
            self._complaints.add("steps.role", f"a message of role {role!r} was left out")

    def _field(self, name: str, scope: Scope) -> Any:
        where = self._steps.fields.get(name)
        return read(where, STEP_FIELDS[name], scope, f"steps.{name}", self._complaints)

    def _reply(self, message: Mapping[str, Any], scope: Scope) -> None:
        shared: dict[str, Any] = {"turn": self._turns, "timestamp": self._field("timestamp", scope)}
        first: dict[str, Any] = {
            "text": _content(message) or None,
            "thought": message.get("reasoning_content") or message.get("reasoning") or None,
            **{n: self._field(n, scope) for n in ("input_tokens", "output_tokens", "cost_usd")},
        }
        refused = read(self._steps.refused, "truth", scope, "steps.refused", self._complaints)
        failed: dict[str, Any] = {}
        if refused:
            failed = {"is_error": True, "error_origin": "recorded", "refused": True}
        calls = message.get("tool_calls") or []
        for written in calls:
            self.events.append(self._call(written, {**shared, **first, **failed}))
            first = {}
        if not calls and refused:
            text = first.pop("text")
            self.events.append(Event(event="action", action=text, **shared, **first, **failed))
        elif not calls:
            self.events.append(Event(event="reply", **shared, **first))
        self._turns += 1

    def _call(self, written: Any, fields: dict[str, Any]) -> Event:
        outer = written if isinstance(written, dict) else {}
        inner = outer.get("function") or outer
        tool = inner.get("name") if isinstance(inner, dict) else None
        if not isinstance(tool, str):
            self._complaints.add("steps.tool_calls", MISSING_TOOL)
            action = Call(as_text(written), None, "absent")
        else:
            action = call(tool, inner.get("arguments"), self._steps.commands)
        return Event(
            event="action",
            tool=tool if isinstance(tool, str) else None,
            call_id=outer.get("id"),
            action=action.action,
            arguments=action.arguments,
            arguments_state=action.state,
            **fields,
        )

    def _answer(self, message: Mapping[str, Any], scope: Scope) -> None:
        wanted = message.get("tool_call_id")
        waiting = [
            position
            for position, event in enumerate(self.events)
            if event.event == "action" and event.observation is None
        ]
        matching = [p for p in waiting if wanted is not None and self.events[p].call_id == wanted]
        chosen = (matching or ([] if wanted is not None else waiting))[:1]
        if not chosen:
            self._complaints.add("steps.tool", "an answer to no call was left out")
            return
        event = self.events[chosen[0]]
        failed = self._field("is_error", scope)
        self.events[chosen[0]] = replace(
            event,
            observation=_content(message),
            exit_code=self._field("exit_code", scope),
            is_error=event.is_error if failed is None else failed,
            error_origin=event.error_origin if failed is None else "recorded",
        )


def _content(message: Mapping[str, Any]) -> str:
    """Text of a message whose content may be a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    return "" if content is None else as_text(content)
