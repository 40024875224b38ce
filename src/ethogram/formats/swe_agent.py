"""SWE-agent: ``.traj`` files (0.7 to 1.1), one run each.

A file of the RetryAgent holds several ``attempts`` at one task and repeats the chosen one at the
top. It is one run: the system is the retrying agent, its outcome is the chosen attempt's
submission, and its cost is that of all attempts. The events are those of all attempts in their
order, each beginning with its own system prompt; ``extra`` says how each attempt ended and which
was chosen. The files that the RetryAgent saves of each attempt (``attempt_0/<task>.traj`` beside
``<task>.traj``) are known and yield nothing.

The action is the command as the scaffold ran it, also where the model called a tool: then ``tool``
and ``arguments`` say what was called. A response that the scaffold refused (no command, a blocked
or unparsable one) is an action that was ``refused``; the scaffold's own last step (``Exit due to
…``) is none. The outcome is never in the file.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ethogram.formats.base import Format, Probe, Source
from ethogram.formats.chat import call_action
from ethogram.formats.json_text import canonical, decode
from ethogram.formats.messages import text_of, whole
from ethogram.formats.settings import recorded
from ethogram.formats.swe_agent_shapes import (
    LEFT_OUT,
    Attempt,
    Entry,
    File,
    Info,
    Stats,
    Step,
    config_of,
    system_of,
    task_of,
)
from ethogram.trajectory import Ending, Event, Outcome, Problem, Trajectory, Usage

ENDINGS: Final[dict[str, tuple[Ending, str | None]]] = {
    "submitted": ("completed", None),
    "exit_cost": ("limit", "cost"),
    "exit_context": ("limit", "context"),
    "exit_total_execution_time": ("limit", "time"),
    "exit_command_timeout": ("agent_error", None),  # its commands didn't end, time after time
    "exit_format": ("agent_error", None),
    "early_exit": ("agent_error", None),  # its command killed the shell or could not be stopped
    "exit_forfeit": ("gave_up", None),
    "exit_command": ("gave_up", None),
    "exit_api": ("infra_error", None),
    "exit_error": ("infra_error", None),
    "exit_environment_error": ("infra_error", None),
    "skipped": ("cancelled", None),
}
"""Exit status -> ending and kind of limit. ``submitted (X)`` is a patch that the scaffold collected
after X, and ends as X does."""

_DECODER: Final = msgspec.json.Decoder(File)
_SUFFIX: Final = ".traj"
_PARTS: Final = ("trajectory", "attempts", "history")
_SUBMITTED_AFTER: Final = re.compile(r"submitted \((.*)\)")
_EXIT_WORDS: Final = ("exit due to ", "exiting due to ")
_ATTEMPT_FOLDER: Final = re.compile(r"attempt_(\d+)")


def sniff(probe: Probe) -> bool:
    """Whether the file is a SWE-agent trajectory, whole or broken."""
    if probe.first_byte != b"{" or "messages" in probe.keys:
        return False
    if probe.name.endswith(_SUFFIX) and not probe.keys.isdisjoint(_PARTS):
        return True
    return "trajectory" in probe.keys and {"info", "history"} <= probe.keys


def read(source: Source) -> Iterator[Trajectory | Problem]:
    """Yield the one run of the file."""
    if _read_elsewhere(source):
        return
    file, problems = decode(source.read(), _DECODER, place=source.name)
    yield _trajectory(file, source, problems)


def _read_elsewhere(source: Source) -> bool:
    """Whether this is one attempt of a RetryAgent whose own file is on disk."""
    if source.path is None or not _ATTEMPT_FOLDER.fullmatch(source.path.parent.name):
        return False
    return (source.path.parent.parent / source.path.name).is_file()


def _trajectory(file: File, source: Source, problems: list[Problem]) -> Trajectory:
    attempts: Sequence[Attempt] = file.attempts or [file]
    whole = file if file.info is not None or not file.attempts else attempts[-1]
    folders = source.name.replace("::", "/").split("/")[:-1]
    events: list[Event] = []
    for attempt in attempts:
        events += _events(attempt, turns=sum(e.turn is not None for e in events))
    config, unread = config_of(whole)
    prompt = next((e.text for e in events if e.event == "user" and not e.scripted), None)
    outcome, unknown = _outcome(file.info or Info())
    return Trajectory(
        system=system_of(whole, config, folders),
        task=task_of(whole, config, source.basename.removesuffix(_SUFFIX), prompt),
        outcome=outcome,
        events=tuple(events),
        usage=_usage(file, attempts),
        submission=_submission(file.info or Info()),
        problems=(*problems, *unread, *unknown),
        extra=_extra(file, attempts),
    )


def _outcome(info: Info) -> tuple[Outcome, list[Problem]]:
    if info.exit_status is None:
        return Outcome(), []
    raw = str(info.exit_status)
    match = _SUBMITTED_AFTER.fullmatch(raw)
    ending, limit = ENDINGS.get(match[1] if match else raw, (None, None))
    outcome = Outcome(ending=ending, ending_raw=raw, limit_kind=limit)
    if ending is not None:
        return outcome, []
    return outcome, [
        Problem(
            reason=f"unknown exit_status {raw!r}; known: {', '.join(ENDINGS)}",
            field="info.exit_status",
            severity="warning",
        )
    ]


def _usage(file: File, attempts: Sequence[Attempt]) -> Usage:
    """Totals of the file; of the attempts so far where the RetryAgent has not finished."""
    infos = [file.info] if file.info else [attempt.info for attempt in attempts]
    stats = [info.model_stats or Stats() if info else Stats() for info in infos]
    costs = [_known_cost(one) for one in stats]
    return Usage(
        input_tokens=_total([one.tokens_sent for one in stats]),
        output_tokens=_total([one.tokens_received for one in stats]),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _known_cost(stats: Stats) -> float | None:
    """Cost of a run; SWE-agent writes 0 where it knows no price for the model: not recorded."""
    return None if stats.instance_cost == 0 and stats.tokens_received else stats.instance_cost


def _total(counts: Sequence[float | None]) -> int | None:
    known = [count for count in map(whole, counts) if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _submission(info: Info) -> str | None:
    value = info.submission
    return value if value is None or isinstance(value, str) else canonical(value)


def _extra(file: File, attempts: Sequence[Attempt]) -> dict[str, Any]:
    stats = file.info.model_stats if file.info else None
    extra: dict[str, Any] = {
        "environment": file.environment,
        "api_calls": stats.api_calls if stats else None,
        "demonstration_messages": sum(
            bool(entry.is_demo) for attempt in attempts for entry in attempt.history or []
        )
        or None,
    }
    if file.attempts:
        extra["attempts"] = [
            {
                "exit_status": attempt.info.exit_status if attempt.info else None,
                "steps": len(attempt.trajectory or []),
            }
            for attempt in attempts
        ]
        extra["chosen_attempt"] = file.info.best_attempt_idx if file.info else None
    return recorded(extra)


def _events(attempt: Attempt, *, turns: int) -> Iterator[Event]:
    """Events of one attempt: what the model was told first, then its steps."""
    history = attempt.history or []
    yield from _prompts(history)
    own = [entry for entry in history if entry.role == "assistant" and not entry.is_demo]
    if attempt.trajectory is None:
        yield from _from_history(history, turns)
        return
    position = 0
    for turn, step in enumerate(attempt.trajectory, turns):
        entry = own[position] if position < len(own) else None
        kept = entry is not None and _text(entry.action) == _text(step.action)
        position += kept
        yield _event(step, entry if kept else None, turn, judged=bool(own))


def _prompts(history: Sequence[Entry]) -> Iterator[Event]:
    """System prompt, demonstration and task: the messages before the model's first response."""
    for entry in history:
        if entry.role == "assistant" and not entry.is_demo:
            return
        if entry.role == "system":
            yield Event(event="system", text=text_of(entry.content))
        elif entry.role == "user":
            text, scripted = text_of(entry.content), bool(entry.is_demo)
            yield Event(event="user", actor="user", text=text, scripted=scripted)


def _event(step: Step, entry: Entry | None, turn: int, *, judged: bool) -> Event:
    """One step as an event.

    ``entry`` is the step's message in the history. A response that was refused has none, and
    nothing was run for it.
    """
    action, response, said = _text(step.action), _text(step.response), _text(step.thought)
    observation = text_of(step.observation)
    exits = not action or action in ENDINGS
    if exits and (not response or response.lower().startswith(_EXIT_WORDS)):
        words = [said, observation]
        return Event(event="system", text="\n".join(word for word in words if word) or response)
    unanswered = judged and entry is None and not observation and not step.execution_time
    refused = exits or unanswered
    call = _called(entry) if entry is not None else {}
    return Event(
        event="action",
        turn=turn,
        action=action if action and not exits else response,
        observation=observation,
        text=None if exits else said or None,
        thought=_thought(step, entry),
        refused=refused,
        is_error=True if refused else None,
        error_origin="recorded" if refused else None,
        duration_s=step.execution_time,
        **call,
    )


def _called(entry: Entry) -> dict[str, Any]:
    """What the model called, if it called a tool; SWE-agent takes one call a response."""
    if not entry.tool_calls:
        return {}
    call = entry.tool_calls[0]
    function = call.function or call
    _, arguments, state = call_action(function.name, function.arguments)
    return {
        "call_id": None if call.id is None else str(call.id),
        "tool": function.name,
        "arguments": arguments,
        "arguments_state": state,
    }


def _thought(step: Step, entry: Entry | None) -> str | None:
    if isinstance(step.reasoning_content, str) and step.reasoning_content:
        return step.reasoning_content
    blocks = entry.thinking_blocks if entry is not None else None
    texts = [b.get("thinking") for b in blocks if isinstance(b, dict)] if blocks else []
    return "\n".join(text for text in texts if isinstance(text, str)) or None


def _from_history(history: Sequence[Entry], turn: int) -> Iterator[Event]:
    """Steps of a file that has no trajectory (a demonstration): from its messages."""
    for entry, answer in zip(history, [*history[1:], None], strict=False):
        if entry.role != "assistant":
            continue
        observation = answer.content if answer and answer.role in {"user", "tool"} else None
        step = Step(
            action=entry.action,
            observation=observation,
            response=entry.content,
            thought=entry.thought,
        )
        yield _event(step, entry, turn, judged=False)
        turn += 1


def _text(value: Any) -> str:
    return (text_of(value) or "").strip()


FORMAT: Final = Format(
    name="swe-agent",
    sniff=sniff,
    read=read,
    about="SWE-agent's .traj files, 0.7 to 1.1, with the attempts of the RetryAgent.",
    docs_url="https://swe-agent.com/latest/usage/trajectories/",
    left_out=LEFT_OUT,
)
