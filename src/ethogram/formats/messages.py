"""The shape of chat messages, and the texts inside one message.

Everything but the role may be missing, and fields that only some dumps have are decoded only if
they are there. See `ethogram.formats.chat` for what a sequence of messages means.
"""

import re
from typing import Annotated, Any, Final

import msgspec

from ethogram.formats.json_text import canonical

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
"""A whole number that fits its column; a record with a larger one is broken."""
_MAX_COUNT: Final = 2**53


class Function(msgspec.Struct, gc=False):
    """The inner part of a call in OpenAI's nesting."""

    name: str | None = None
    arguments: Any = None


class ToolCall(msgspec.Struct, gc=False):
    """One call: nested in OpenAI's manner, or flat."""

    id: str | int | None = None
    name: str | None = None
    arguments: Any = None
    function: Function | None = None


class Tokens(msgspec.Struct, gc=False):
    """Tokens of one model response."""

    prompt_tokens: int | float | None = None
    completion_tokens: int | float | None = None


class RawMessage(msgspec.Struct, gc=False):
    """A provider's message, as far as it holds hidden reasoning."""

    reasoning_content: Any = None
    thinking_blocks: Any = None


class RawData(msgspec.Struct, gc=False):
    """A provider's response, as far as it holds hidden reasoning."""

    thinking_blocks: Any = None
    message: RawMessage | str | list[Any] | None = None


class Message(msgspec.Struct, gc=False):
    """One message of a chat."""

    role: str
    content: Any = None
    tool_calls: list[ToolCall] | str | None = None
    function_call: Function | str | None = None
    """The one call of a message, as OpenAI wrote it before there were ``tool_calls``."""
    tool_call_id: str | int | None = None
    id: str | int | None = None
    name: str | None = None
    error: Any = None
    errors: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    raw_data: RawData | str | list[Any] | None = None
    timestamp: str | int | float | None = None
    generation_time_seconds: float | None = None
    cost: float | None = None
    usage: Tokens | str | list[Any] | None = None
    tool_messages: "list[Message] | None" = None
    """Several tools' answers in one message, as tau2-bench hands them around."""


def whole(value: float | None) -> int | None:
    """A count as a whole number; None for what can't be one.

    >>> whole(12.0), whole(-1), whole(float("inf"))
    (12, None, None)
    """
    return int(value) if value is not None and 0 <= value <= _MAX_COUNT else None


def text_of(content: Any) -> str | None:
    """Text of a message's content: a string, or the text parts of a list of parts.

    >>> text_of([{"type": "text", "text": "Hello"}, {"type": "image_url"}])
    'Hello'
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "\n".join(part for part in parts if isinstance(part, str)) or None
    return canonical(content)


_WRAPPED: Final = re.compile(r'\s*\{\s*"message"\s*:')


def unwrap(text: str) -> str | None:
    """Text inside ``{"message": "…"}``; None if the text is anything else.

    >>> unwrap('{"message": "Hello"}')
    'Hello'
    >>> unwrap('{"message": "Hello", "to": "you"}') is None
    True
    """
    if not _WRAPPED.match(text):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    inner = value.get("message") if isinstance(value, dict) and len(value) == 1 else None
    return inner if isinstance(inner, str) else None


def thought_of(message: Message) -> str | None:
    """Hidden reasoning of a message: its own field, or what the provider's response holds."""
    own = message.reasoning or message.reasoning_content
    if isinstance(own, str) and own:
        return own
    raw = message.raw_data
    if not isinstance(raw, RawData):
        return None
    thought = _thinking(raw.thinking_blocks)
    if thought is None and isinstance(raw.message, RawMessage):
        inner = raw.message.reasoning_content
        thought = inner if isinstance(inner, str) and inner else None
        thought = thought or _thinking(raw.message.thinking_blocks)
    return thought


def _thinking(blocks: Any) -> str | None:
    if not isinstance(blocks, list) or not blocks:
        return None
    texts = [block.get("thinking") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


_ORIGINAL: Final = "Original message: "
_COMPLAINT: Final = ". Error: "
_STAMP: Final = re.compile(r"^timestamp: .*\n", re.MULTILINE)


def refused_attempt(error: str) -> tuple[str, str | None]:
    """Take apart what a scaffold wrote of a message that it refused.

    Parameters
    ----------
    error : str
        ``Invalid message format. Original message: <attempt>. Error: <complaint>``, or any text.

    Returns
    -------
    attempt : str
        What the agent had written, without the line with its time, so that equal attempts are
        equal; the whole text if it has another form.
    complaint : str or None
        What the scaffold answered.

    Examples
    --------
    >>> refused_attempt("Bad. Original message: content: hi. Error: say more")
    ('content: hi', 'say more')
    """
    _, found, rest = error.partition(_ORIGINAL)
    attempt, complained, complaint = rest.rpartition(_COMPLAINT)
    if not found or not complained:
        return error, None
    return _STAMP.sub("", attempt, count=1), complaint
