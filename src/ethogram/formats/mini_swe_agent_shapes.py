"""What of a mini-SWE-agent file is decoded, and the tables that say what it means.

The structs list the needed fields only: whatever else a file holds is skipped unread, which is most
of it (raw outputs, encrypted reasoning, log probabilities).
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ethogram.trajectory import Ending

VERSION_PREFIX: Final = "mini-swe-agent-"

ENDINGS: Final[Mapping[str, Ending]] = {
    "Submitted": "completed",
    "LimitsExceeded": "limit",
    "TimeExceeded": "limit",
    # A run that outgrew the model's context made itself that long: behaviour, not infrastructure.
    "ContextWindowExceeded": "limit",
    "ContextWindowExceededError": "limit",
    "RepeatedFormatError": "agent_error",
    "KeyboardInterrupt": "cancelled",
    "UserInterruption": "cancelled",
    **dict.fromkeys(
        (
            # the model's server and the way to it
            "APIConnectionError",
            "APIError",
            "APITimeoutError",
            "AuthenticationError",
            "BadGatewayError",
            "ConnectError",
            "ConnectTimeout",
            "ConnectionError",
            "ConnectionResetError",
            "HTTPError",
            "InternalServerError",
            "MidStreamFallbackError",
            "NotFoundError",
            "OpenRouterAPIError",
            "OpenRouterAuthenticationError",
            "OpenRouterRateLimitError",
            "PermissionDeniedError",
            "RateLimitError",
            "ReadTimeout",
            "RemoteProtocolError",
            "RetryError",
            "SSLError",
            "ServiceUnavailable",
            "ServiceUnavailableError",
            "Timeout",
            # the container
            "CalledProcessError",
            "DockerException",
            "TimeoutExpired",
        ),
        "infra_error",
    ),
}
"""Exit status as written -> how the run ended; any other is kept as ``ending_raw`` only."""

LIMIT_KINDS: Final[Mapping[str, str]] = {
    "TimeExceeded": "time",
    "ContextWindowExceeded": "context",
    "ContextWindowExceededError": "context",
}

LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "agent": {
        "system_template": "part of prompt_digest",
        "instance_template": "part of prompt_digest",
        "step_limit": "System.step_limit",
        "cost_limit": "System.cost_limit",
        "output_path": "a path of the machine",
    },
    "model": {
        "model_name": "System.model",
        "model_kwargs": "a section of its own",
        "outputs": "the script of a deterministic model",
        "cost_tracking": "how costs are counted",
        "litellm_model_registry": "a path of the machine",
        "litellm_model_name_override": "how costs are counted",
    },
    "model_kwargs": {
        "temperature": "System.temperature",
        "api_key": "a secret, as is whatever else is named like one",
        "api_base": "an address of the machine",
        "base_url": "an address of the machine",
        "api_version": "an address of the machine",
        "extra_headers": "may hold secrets",
        "timeout": "how long to wait for the model's server",
        "num_retries": "how often to ask the model's server again",
    },
    "environment": {
        "image": "depends on the task",
        "cwd": "a path of the machine",
        "container_name": "depends on the run",
        "container_timeout": "when a container is thrown away",
        "executable": "how containers are started",
        "run_args": "how containers are started",
        "pull_timeout": "how long to wait for an image",
        "startup_timeout": "how long to wait for a container",
        "forward_env": "names of the machine's variables",
    },
}
"""Section of the configuration -> key -> why it doesn't decide whether systems are the same."""


class Part(msgspec.Struct, gc=False):
    """A part of a message whose content is a list."""

    text: str | None = None


class Function(msgspec.Struct, gc=False):
    """The called function of a chat message's tool call."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class ToolCall(msgspec.Struct, gc=False):
    """A tool call of a chat message."""

    function: Function
    id: str | None = None


class Item(msgspec.Struct, gc=False):
    """An output item of a Responses object."""

    type: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    call_id: str | None = None
    id: str | None = None
    content: str | list[Part] | None = None
    summary: list[Part] | None = None


class TokenDetails(msgspec.Struct, gc=False):
    """Parts of the token counts."""

    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class Tokens(msgspec.Struct, gc=False):
    """Token counts of one response, of the chat or of the Responses interface."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None
    input_tokens_details: TokenDetails | None = None
    output_tokens_details: TokenDetails | None = None


class RawMessage(msgspec.Struct, gc=False):
    """The message within the raw response."""

    reasoning: str | None = None
    reasoning_content: str | None = None


class Choice(msgspec.Struct, gc=False):
    """A choice of the raw response."""

    message: RawMessage | None = None


class Response(msgspec.Struct, gc=False):
    """The raw response of the model's server."""

    created: float | None = None
    choices: list[Choice] | None = None
    usage: Tokens | None = None


class Command(msgspec.Struct, gc=False):
    """A command that the scaffold found in a reply."""

    command: str
    tool_call_id: str | None = None


class Extra(msgspec.Struct, gc=False):
    """What the scaffold adds to a message."""

    actions: list[Command] | None = None
    action: str | None = None
    response: Response | None = None
    cost: float | None = None
    timestamp: float | str | None = None
    returncode: int | None = None
    exception_info: str | None = None
    interrupt_type: str | None = None
    model_response: str | None = None


class Message(msgspec.Struct, gc=False):
    """A chat message, a whole Responses object or an item for the Responses interface."""

    role: str | None = None
    object: str | None = None
    type: str | None = None
    content: str | list[Part] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    call_id: str | None = None
    output: str | list[Item] | None = None
    reasoning_content: str | None = None
    usage: Tokens | None = None
    timestamp: float | str | None = None
    created_at: float | None = None
    extra: Extra | None = None


class ModelStats(msgspec.Struct, gc=False):
    """Totals of a run."""

    instance_cost: float | None = None
    api_calls: int | None = None


class Config(msgspec.Struct, gc=False):
    """The scaffold's configuration."""

    agent: dict[str, Any] | None = None
    model: dict[str, Any] | None = None
    environment: dict[str, Any] | None = None
    agent_type: str | None = None
    model_type: str | None = None
    environment_type: str | None = None


class Info(msgspec.Struct, gc=False):
    """What a file says about the run as a whole."""

    exit_status: str | None = None
    submission: str | None = None
    model_stats: ModelStats | None = None
    mini_version: str | None = None
    exception_str: str | None = None
    config: Config | None = None


class File(msgspec.Struct, gc=False):
    """A ``.traj.json`` file."""

    messages: list[Message]
    info: Info | None = None
    trajectory_format: str | None = None
    instance_id: str | int | None = None


def text_of(content: str | list[Part] | None) -> str:
    """Text of a content that may be a list of parts (pictures have none)."""
    if isinstance(content, list):
        return "\n".join(part.text for part in content if part.text)
    return content or ""
