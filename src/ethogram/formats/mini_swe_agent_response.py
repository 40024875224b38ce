"""What one response of a mini-SWE-agent file says: its texts, its actions, its token counts."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ethogram.formats.json_text import canonical
from ethogram.formats.mini_swe_agent_fences import Block, Fence
from ethogram.formats.mini_swe_agent_shapes import (
    Extra,
    Item,
    Message,
    Part,
    TokenDetails,
    Tokens,
    text_of,
)
from ethogram.trajectory import ArgumentsState

SHELL: Final = "bash"

_NO_DETAILS: Final = TokenDetails()


# Structs, not NamedTuples: several are made for every response, at a fraction of the cost.
class Style(msgspec.Struct, frozen=True, gc=False):
    """What the configuration says about the messages."""

    fence: Fence
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


def contents(
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
    actions = commands(extra)
    if actions:
        blocks = style.fence.blocks(text)
        text = _without(blocks, text).strip() if blocks else text
    elif extra.actions is None:
        text, actions = _from_text(text, style)
    return text or None, thought or None, actions


def _from_text(text: str, style: Style) -> tuple[str, list[Action]]:
    blocks = style.fence.blocks(text)
    if len(blocks) == 1:
        return _without(blocks, text).strip(), [Action(blocks[0].command)]
    if style.one_command_a_text:
        return "", [Action(text, refused=True)]
    return text, []


def _without(blocks: Sequence[Block], text: str) -> str:
    for block in reversed(blocks):
        text = text[: block.start] + text[block.end :]
    return text


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


def commands(extra: Extra) -> list[Action]:
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


def token_counts(tokens: Tokens) -> TokenCounts:
    """The counts under the names of either interface."""
    into = tokens.prompt_tokens_details or tokens.input_tokens_details or _NO_DETAILS
    out = tokens.completion_tokens_details or tokens.output_tokens_details or _NO_DETAILS
    return TokenCounts(
        tokens.prompt_tokens if tokens.prompt_tokens is not None else tokens.input_tokens,
        into.cached_tokens,
        tokens.completion_tokens if tokens.completion_tokens is not None else tokens.output_tokens,
        out.reasoning_tokens,
    )
