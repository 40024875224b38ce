"""Chats whose actions stand in the text: ``Thought: … Action: {"name": …, "arguments": …}``.

tau-bench's ReAct and Act agents write so. The thought stays hidden from the user, ``respond`` is
what the user sees, and the answer to any other action comes back as a user message that begins with
``API output:``. Such a chat is rewritten as one with tool calls, so that everything after this is
the same for both.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from ethogram.formats.messages import Message, ToolCall

MARK: Final = "Action:"
RESPOND: Final = "respond"
_THOUGHT: Final = "Thought:"
_OUTPUT: Final = "API output: "


class _Written(msgspec.Struct, gc=False):
    name: str
    arguments: dict[str, msgspec.Raw] = {}


_DECODER: Final = msgspec.json.Decoder(_Written)


def is_action_text(messages: Sequence[Message]) -> bool:
    """Whether the agent of this chat writes its actions as text."""
    own = [message for message in messages if message.role == "assistant"]
    return not any(message.tool_calls for message in own) and any(
        isinstance(message.content, str) and _written(message.content) for message in own
    )


def with_calls(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages with the actions in their texts as tool calls.

    A text without a readable action is what the user saw, as it is for tau-bench itself.
    """
    for message in messages:
        if not isinstance(message.content, str):
            yield message
        elif message.role == "assistant":
            yield _acting(message, message.content)
        elif message.role == "user" and message.content.startswith(_OUTPUT):
            yield Message(role="tool", content=message.content.removeprefix(_OUTPUT))
        else:
            yield message


def _written(content: str) -> _Written | None:
    try:
        return _DECODER.decode(content.rpartition(MARK)[2].strip())
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _acting(message: Message, content: str) -> Message:
    written = _written(content)
    if written is None:
        return message
    thought = content.rpartition(MARK)[0].strip().removeprefix(_THOUGHT).strip() or None
    replace = msgspec.structs.replace
    if written.name == RESPOND:
        said = msgspec.json.decode(written.arguments.get("content", b'""'))
        return replace(message, content=said, reasoning=thought)
    arguments = msgspec.json.encode(written.arguments).decode()
    call = ToolCall(name=written.name, arguments=arguments)
    return replace(message, content=None, reasoning=thought, tool_calls=[call])
