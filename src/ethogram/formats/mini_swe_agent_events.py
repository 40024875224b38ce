"""From the messages of a mini-SWE-agent file to events."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from ethogram.formats.mini_swe_agent_response import (
    NO_COUNTS,
    Action,
    Style,
    TokenCounts,
    commands,
    contents,
    token_counts,
)
from ethogram.formats.mini_swe_agent_shapes import (
    Extra,
    Message,
    Tokens,
    text_of,
)
from ethogram.formats.times import to_seconds
from ethogram.trajectory import Event, Problem

FORMAT_ERROR: Final = "FormatError"

_NO_EXTRA: Final = Extra()
_NO_TOKENS: Final = Tokens()
_EXIT_CODE: Final = re.compile(
    r"\s*(?:<exception>.*?</exception>\s*)?<returncode>(-?\d+)</returncode>", re.DOTALL
)


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
            self._act(commands(extra), message, extra, actor="user", response=_NO_RESPONSE)
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
        text, thought, actions = contents(message, extra, self._style)
        if not actions and self._is_refused_next():
            actions, text = [Action(text, refused=True)], None
        tokens = message.usage or (extra.response.usage if extra.response else None) or _NO_TOKENS
        response = Response(text, thought, token_counts(tokens), self._cost(extra, tokens))
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
