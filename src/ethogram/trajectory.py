"""What a reader yields: trajectories and problems, as frozen values.

A reader turns one record of somebody's file into one `Trajectory` (or into a `Problem` when the
record can't be read). It says what the file says and nothing else: a field that the file doesn't
record is ``None``, never 0, never "unknown". Labels (kind, effect, head) are not facts of the file;
they are added later, in `ethogram.ingest`, with their origin.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

EventType = Literal["action", "reply", "user", "system"]
Ending = Literal["completed", "gave_up", "limit", "agent_error", "infra_error", "cancelled"]
ArgumentsState = Literal["object", "text", "invalid", "absent", "redacted"]
Origin = Literal["recorded", "table", "rule", "guessed"]
Severity = Literal["error", "warning", "note"]

EVENT_TYPES: Final[tuple[EventType, ...]] = ("action", "reply", "user", "system")
ENDINGS: Final[tuple[Ending, ...]] = (
    "completed",
    "gave_up",
    "limit",
    "agent_error",
    "infra_error",
    "cancelled",
)
ARGUMENTS_STATES: Final[tuple[ArgumentsState, ...]] = (
    "object",
    "text",
    "invalid",
    "absent",
    "redacted",
)
ORIGINS: Final[tuple[Origin, ...]] = ("recorded", "table", "rule", "guessed")
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One thing that happened in a run.

    An action and what came back for it are one event: ``observation`` is the answer to the action.
    A model response that acts and speaks yields its text as ``text`` of its first action (what the
    user or the log saw) and hidden reasoning as ``thought``; a response that only speaks is a
    ``reply``.
    """

    event: EventType
    actor: str = "agent"
    """``agent``, ``user`` (a user simulator) or a sub-agent's name."""
    scripted: bool = False
    """The same text in every run of the benchmark, not the agent's own (a greeting)."""
    turn: int | None = None
    """0-based number of the model response; parallel calls share it."""
    call_id: str | None = None
    tool: str | None = None
    """Name of the tool called; None for a bare command."""
    action: str | None = None
    """The command, or ``tool(arguments)`` in canonical form."""
    arguments: str | None = None
    """The call's arguments as JSON text, or as recorded if they are not JSON."""
    arguments_state: ArgumentsState = "absent"
    refused: bool = False
    """A malformed attempt: the scaffold refused it and nothing was done. ``action`` is its text as
    recorded, the kind is other, and it is an error."""
    is_error: bool | None = None
    error_origin: Origin | None = None
    exit_code: int | None = None
    text: str | None = None
    thought: str | None = None
    observation: str | None = None
    timestamp: float | None = None
    """Seconds since 1970-01-01 UTC."""
    duration_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Outcome(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How a run ended and whether it succeeded; all None where the file doesn't say."""

    success: bool | None = None
    score: float | None = None
    scores: tuple[tuple[str, float | None, str | None], ...] = ()
    """Named scores as ``(name, value, label)``."""
    source: str | None = None
    """Where the success comes from: the run's own file, or the path of a report."""
    rule: str | None = None
    """The rule that made a success of it, e.g. ``reward >= 1``."""
    ending: Ending | None = None
    ending_raw: str | None = None
    limit_kind: str | None = None


class System(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Scaffold + model + settings: what is compared.

    ``settings`` holds what decides sameness and nothing that depends on the task or the machine;
    each reader documents what it leaves out.
    """

    name: str | None = None
    """A name that the user or the file gives; None: made from scaffold, model and settings."""
    scaffold: str | None = None
    scaffold_version: str | None = None
    model: str | None = None
    model_snapshot: str | None = None
    family: str | None = None
    user_model: str | None = None
    mode: str | None = None
    temperature: float | None = None
    step_limit: int | None = None
    cost_limit: float | None = None
    prompt_digest: str | None = None
    tools_digest: str | None = None
    settings: Mapping[str, Any] = {}


class Task(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One problem instance; ``task_id`` is unique within ``benchmark``."""

    task_id: str | None = None
    benchmark: str | None = None
    digest: str | None = None
    """Digest of what the file says of the task (prompt, checks); None if it says nothing."""
    prompt: str | None = None
    reference: str | None = None
    cluster: str | None = None
    """What tasks have in common, e.g. the repository."""


class Usage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Totals of a run, as recorded; never summed over events that record nothing."""

    started_at: float | None = None
    """Seconds since 1970-01-01 UTC."""
    duration_s: float | None = None
    input_tokens: int | None = None
    """Cached tokens included."""
    cache_read_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    other_tokens: int | None = None
    """Tokens of graders and simulators, not the agent's."""
    cost_usd: float | None = None


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one run."""

    system: System
    task: Task
    outcome: Outcome
    events: tuple[Event, ...]
    usage: Usage = Usage()
    native_id: str | None = None
    """The run's own id in its file, if it has one."""
    trial: int | None = None
    parent_native_id: str | None = None
    submission: str | None = None
    """None: none recorded; empty: recorded as empty."""
    recorded_actions: int | None = None
    """How many calls the file itself claims: a check on the reader."""
    format_version: str | None = None
    record: str | None = None
    """Place within the file: a line number, an id, a key; None for a file of one run."""
    problems: tuple["Problem", ...] = ()
    """What was odd about this run but did not lose it."""
    extra: Mapping[str, Any] = {}
    """What the format has and the schema lacks; JSON-able."""

    @property
    def actions(self) -> tuple[Event, ...]:
        """The events in which somebody acts (the agent's and, where there is one, the user's)."""
        return tuple(event for event in self.events if event.event == "action")


class Problem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that could not be read, or that must not go unsaid."""

    reason: str
    """One sentence: what was allowed, what was found."""
    source: str | None = None
    """Path of the file (and archive member); the ingest fills it in."""
    record: str | None = None
    field: str | None = None
    severity: Severity = "error"
    count: int = 1
