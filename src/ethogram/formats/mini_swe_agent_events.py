"""From the messages of a mini-SWE-agent file to events."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from ethogram.formats.json_text import canonical
from ethogram.formats.mini_swe_agent_shapes import (
    Extra,
    Item,
    Message,
    Part,
    TokenDetails,
    Tokens,
    text_of,
)
from ethogram.formats.times import to_seconds
from ethogram.trajectory import ArgumentsState, Event, Problem

SHELL: Final = "bash"
FORMAT_ERROR: Final = "FormatError"

_NO_EXTRA: Final = Extra()
_NO_TOKENS: Final = Tokens()
_NO_DETAILS: Final = TokenDetails()
_EXIT_CODE: Final = re.compile(
    r"\s*(?:<exception>.*?</exception>\s*)?<returncode>(-?\d+)</returncode>", re.DOTALL
)


# Structs, not NamedTuples: several are made for every response, at a fraction of the cost.
class Style(msgspec.Struct, frozen=True, gc=False):
    """What the configuration says about the messages."""

    fence: re.Pattern[str]
    """Where a command stands in a reply's text."""
    one_command_a_text: bool
    """Whether a text without exactly one command was refused (version 1)."""
    timed_out: str | None
    """How the answer to a command that took too long begins."""
    timed: bool
    """Whether time stamps are those of the steps (those of a deterministic model's aren't)."""
    zero_costs: bool
    """Whether a cost of 0 was counted, not put in the place of one that couldn't be counted."""


class TokenCounts(msgspec.Struct, frozen=True, gc=False):
    """Token counts of one response; None where not recorded."""

    input: int | None
    cached: int | None
    output: int | None
    reasoning: int | None


NO_COUNTS: Final = TokenCounts(None, None, None, None)


class Action(msgspec.Struct, frozen=True, gc=False):
    """What a reply wants done, before it is known what came back."""

    text: str | None
    tool: str | None = None
    call_id: str | None = None
    arguments: str | None = None
    state: ArgumentsState = "absent"
    refused: bool = False


class Response(msgspec.Struct, frozen=True, gc=False):
    """What belongs to a response as a whole, not to one of its actions."""

    text: str | None
    thought: str | None
    counts: TokenCounts
    cost: float | None


_NO_RESPONSE: Final = Response(None, None, NO_COUNTS, None)


class Reading:
    """One pass over the messages of a run.

    Parameters
    ----------
    messages : sequence of Message
        Without the last one that only repeats how the run ended.
    style : Style
        What the configuration says about them.
    """

    def __init__(self, messages: Sequence[Message], style: Style) -> None:
        self.events: list[Event] = []
        self.tokens: list[TokenCounts | None] = []
        """One entry a model response; None where the file keeps no more than its refusal."""
        self.moments: list[float] = []
        self._unknown: Counter[str] = Counter()
        self._messages = messages
        self._style = style
        self._next = 0
        while self._next < len(messages):
            message = messages[self._next]
            self._next += 1
            self._read(message, message.extra or _NO_EXTRA)

    def problems(self) -> Iterator[Problem]:
        """What had to be left out."""
        for role, count in self._unknown.items():
            yield Problem(
                reason=f"messages of the unknown kind {role!r} were left out",
                field="messages",
                severity="warning",
                count=count,
            )

    def _read(self, message: Message, extra: Extra) -> None:
        role = message.role
        if role == "assistant" or message.object == "response":
            self._reply(message, extra)
        elif extra.interrupt_type == FORMAT_ERROR:
            self._refusal(message, extra)
        elif role == "user" and extra.actions:
            self._act(_commands(extra), message, extra, actor="user", response=_NO_RESPONSE)
        elif role == "user":
            self._say("user", "user", message, extra)
        elif role in {"system", "developer"}:
            self._say("system", "agent", message, extra)
        elif role != "exit":
            self._unknown[role or message.type or message.object or ""] += 1

    def _say(
        self, event: Literal["user", "system"], actor: str, message: Message, extra: Extra
    ) -> None:
        moment = self._moment(message, extra)
        self.events.append(
            Event(event=event, actor=actor, text=text_of(message.content), timestamp=moment)
        )

    def _refusal(self, message: Message, extra: Extra) -> None:
        """Keep a refused reply of which the file has the scaffold's answer only."""
        self.events.append(
            Event(
                event="action",
                turn=len(self.tokens),
                action=extra.model_response,
                refused=True,
                is_error=True,
                error_origin="recorded",
                observation=text_of(message.content),
                timestamp=self._moment(message, extra),
            )
        )
        self.tokens.append(None)

    def _reply(self, message: Message, extra: Extra) -> None:
        text, thought, actions = _contents(message, extra, self._style)
        if not actions and self._is_refused_next():
            actions, text = [Action(text, refused=True)], None
        tokens = message.usage or (extra.response.usage if extra.response else None) or _NO_TOKENS
        response = Response(text, thought, _counts(tokens), self._cost(extra, tokens))
        if actions:
            self._act(actions, message, extra, actor="agent", response=response)
        else:
            self.events.append(
                Event(
                    event="reply",
                    turn=len(self.tokens),
                    timestamp=self._moment(message, extra),
                    text=text,
                    thought=thought,
                    input_tokens=response.counts.input,
                    output_tokens=response.counts.output,
                    cost_usd=response.cost,
                )
            )
        self.tokens.append(response.counts)

    def _is_refused_next(self) -> bool:
        following = self._messages[self._next : self._next + 1]
        return any(m.extra and m.extra.interrupt_type == FORMAT_ERROR for m in following)

    def _act(
        self,
        actions: Sequence[Action],
        message: Message,
        extra: Extra,
        *,
        actor: str,
        response: Response,
    ) -> None:
        """Append actions with their answers; the first carries what belongs to the response."""
        turn = len(self.tokens) if actor == "agent" else None
        moment = self._moment(message, extra)
        for action, answer in zip(actions, self._answers(actions), strict=True):
            answer_extra = (answer and answer.extra) or _NO_EXTRA
            observation = _observation(answer)
            failed = self._failed(action, observation, answer_extra)
            # Every field by name: handing on a dict of them costs as much as all the rest.
            self.events.append(
                Event(
                    event="action",
                    actor=actor,
                    turn=turn,
                    call_id=action.call_id,
                    tool=action.tool,
                    action=action.text,
                    arguments=action.arguments,
                    arguments_state=action.state,
                    refused=action.refused,
                    is_error=True if failed else None,
                    error_origin="recorded" if failed else None,
                    exit_code=_exit_code(answer_extra, observation),
                    text=response.text,
                    thought=response.thought,
                    observation=observation,
                    timestamp=moment,
                    input_tokens=response.counts.input,
                    output_tokens=response.counts.output,
                    cost_usd=response.cost,
                )
            )
            response = _NO_RESPONSE
            if answer is not None:
                self._moment(answer, answer_extra)

    def _answers(self, actions: Sequence[Action]) -> list[Message | None]:
        """Take the messages that answer these actions: by the call's id, the others in order."""
        if len(actions) == 1:
            return [self._answer(actions[0])]
        taken: list[Message] = []
        while len(taken) < len(actions) and (message := self._answer(actions[0])) is not None:
            taken.append(message)
        by_id = {message.tool_call_id or message.call_id: message for message in taken}
        others = iter([m for m in taken if not (m.tool_call_id or m.call_id)])
        return [by_id.get(a.call_id) if a.call_id else next(others, None) for a in actions]

    def _answer(self, action: Action) -> Message | None:
        """Take the next message if it answers an action."""
        if self._next >= len(self._messages):
            return None
        message = self._messages[self._next]
        if not _answers(message, action, plain=self._style.one_command_a_text):
            return None
        self._next += 1
        return message

    def _failed(self, action: Action, observation: str | None, extra: Extra) -> bool:
        timed_out = self._style.timed_out
        return (
            action.refused
            or bool(extra.exception_info)
            or bool(timed_out and observation and observation.startswith(timed_out))
        )

    def _cost(self, extra: Extra, tokens: Tokens) -> float | None:
        cost = tokens.cost if extra.cost is None else extra.cost
        return cost if cost or self._style.zero_costs else None

    def _moment(self, message: Message, extra: Extra) -> float | None:
        if not self._style.timed:
            return None
        written = extra.timestamp or message.timestamp or message.created_at
        if written is None and extra.response is not None:
            written = extra.response.created
        moment = to_seconds(written) if isinstance(written, str) else written
        if moment is not None:
            self.moments.append(moment)
        return moment


def _answers(message: Message, action: Action, *, plain: bool) -> bool:
    """Whether a message is what came back for an action.

    A call has an answer of its own kind. A bare command has a user message as its answer: any in
    version 1 (``plain``), later one with what the scaffold adds to an answer.
    """
    if message.role == "tool" or message.type == "function_call_output":
        return True
    if message.role != "user" or action.tool is not None:
        return False
    if message.extra is None:
        return plain
    allowed = FORMAT_ERROR if action.refused else None
    return not message.extra.actions and message.extra.interrupt_type == allowed


def _observation(answer: Message | None) -> str | None:
    if answer is None:
        return None
    return answer.output if isinstance(answer.output, str) else text_of(answer.content)


def _exit_code(extra: Extra, observation: str | None) -> int | None:
    if extra.returncode is not None or not observation:
        return extra.returncode
    match = _EXIT_CODE.match(observation)
    return int(match[1]) if match else None


def _contents(
    message: Message, extra: Extra, style: Style
) -> tuple[str | None, str | None, list[Action]]:
    """Text, hidden reasoning and actions of a reply."""
    thought: str | None
    if isinstance(message.output, list):
        text, thought, actions = _from_items(message.output, extra)
    else:
        text = text_of(message.content)
        thought = _hidden(message, extra)
        actions = [
            _called(call.id, call.function.name, call.function.arguments, extra)
            for call in message.tool_calls or ()
        ]
    if actions:
        return text or None, thought or None, actions
    actions = _commands(extra)
    if actions:
        rest, n_commands = style.fence.subn("", text)
        text = rest.strip() if n_commands else text
    elif extra.actions is None:
        text, actions = _from_text(text, style)
    return text or None, thought or None, actions


def _from_text(text: str, style: Style) -> tuple[str, list[Action]]:
    found = list(style.fence.finditer(text))
    if len(found) == 1:
        start, end = found[0].span()
        return (text[:start] + text[end:]).strip(), [Action(found[0][1].strip())]
    if style.one_command_a_text:
        return "", [Action(text, refused=True)]
    return text, []


def _from_items(items: Sequence[Item], extra: Extra) -> tuple[str, str, list[Action]]:
    texts: list[str] = []
    thoughts: list[str] = []
    actions: list[Action] = []
    for item in items:
        if item.type == "function_call":
            call_id = item.call_id or item.id
            actions.append(_called(call_id, item.name, item.arguments, extra))
        elif item.type == "reasoning":
            thoughts.append(text_of(item.summary or _parts(item.content)))
        elif item.type == "message":
            texts.append(text_of(item.content))
    return "\n".join(filter(None, texts)), "\n".join(filter(None, thoughts)), actions


def _parts(content: str | list[Part] | None) -> list[Part]:
    return content if isinstance(content, list) else [Part(text=content)]


def _hidden(message: Message, extra: Extra) -> str | None:
    if message.reasoning_content or extra.response is None:
        return message.reasoning_content
    for choice in extra.response.choices or ():
        if choice.message is not None:
            return choice.message.reasoning_content or choice.message.reasoning
    return None


def _commands(extra: Extra) -> list[Action]:
    """Return the commands that the scaffold found, where there are no calls to go by."""
    if extra.actions is None and extra.action is not None:
        return [Action(extra.action)]
    return [Action(found.command, call_id=found.tool_call_id) for found in extra.actions or ()]


def _called(
    call_id: str | None, name: str | None, arguments: str | dict[str, Any] | None, extra: Extra
) -> Action:
    """Return the action that a tool call stands for."""
    text = canonical(arguments) if isinstance(arguments, dict) else arguments
    for found in extra.actions or ():
        if call_id is not None and found.tool_call_id == call_id:
            return Action(found.command, name, call_id, text, "object" if text else "absent")
    if text is None:
        return Action(f"{name}()", name, call_id)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return Action(f"{name}({text})", name, call_id, text, "invalid")
    if not isinstance(value, dict):
        return Action(f"{name}({text})", name, call_id, text, "text")
    command = value.get("command") if name == SHELL else None
    if not isinstance(command, str):
        command = f"{name}({canonical(value)})"
    return Action(command, name, call_id, text, "object")


def _counts(tokens: Tokens) -> TokenCounts:
    into = tokens.prompt_tokens_details or tokens.input_tokens_details or _NO_DETAILS
    out = tokens.completion_tokens_details or tokens.output_tokens_details or _NO_DETAILS
    return TokenCounts(
        tokens.prompt_tokens if tokens.prompt_tokens is not None else tokens.input_tokens,
        into.cached_tokens,
        tokens.completion_tokens if tokens.completion_tokens is not None else tokens.output_tokens,
        out.reasoning_tokens,
    )
