"""Trajectories as mini-SWE-agent files (version 1.1), so that simulated runs go through the reader.

The format holds what a run did, its task, its settings and how it ended. It has no place for the
system's name, the trial, the benchmark and the outcome: the first two go into the path
(``{system}/{task_id}/run{trial}.traj.json``), successes into a table beside the files.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from ethogram.errors import UsageError
from ethogram.formats.mini_swe_agent_events import FORMAT_ERROR
from ethogram.formats.mini_swe_agent_shapes import ENDINGS, VERSION_PREFIX
from ethogram.trajectory import Ending, Event, Trajectory

VERSION: Final = "1.1"
LAYOUT: Final = "{system}/{task_id}/run{trial}.traj.json"
OUTCOMES: Final = "outcomes.csv"

STATUSES: Final[Mapping[Ending, str]] = {
    "completed": "Submitted",
    "limit": "LimitsExceeded",
    "agent_error": "RepeatedFormatError",
    "infra_error": "InternalServerError",
    "cancelled": "KeyboardInterrupt",
}
"""How a run ended -> the exit status that the reader understands so."""

_UNSAFE: Final = re.compile(r"[^\w.@+=-]+")


def write(trajectories: Iterable[Trajectory], folder: str | Path) -> list[Path]:
    """Write one file a run, and ``outcomes.csv`` (source, success) if any success is known.

    Reading a file gives the run again, but for its name, trial, benchmark and success; of what the
    reader works out from the events (token totals, duration, digests, counts) it gives its own.

    Parameters
    ----------
    trajectories : iterable of Trajectory
        Each with a task id; system and trial tell the files apart.
    folder : str or Path
        Made if it doesn't exist.

    Returns
    -------
    list of Path
        The runs' files, in the order of the runs.

    Raises
    ------
    UsageError
        If two runs would be written to one file, or a run ended as the format has no word for.
    """
    root = Path(folder)
    paths: dict[Path, Trajectory] = {}
    for trajectory in trajectories:
        path = root / _relative(trajectory)
        if path in paths:
            raise UsageError(f"two runs would be written to {path}: give them different trials")
        content = msgspec.json.format(msgspec.json.encode(_file(trajectory)), indent=1)
        _write(path, content)
        paths[path] = trajectory
    if any(each.outcome.success is not None for each in paths.values()):
        _write_outcomes(root, paths)
    return list(paths)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def _relative(trajectory: Trajectory) -> Path:
    system, trial = trajectory.system, trajectory.trial
    name = system.name or system.model or "system"
    parts = (name, trajectory.task.task_id or "task", "run" if trial is None else f"run{trial}")
    system_part, task, run = (_UNSAFE.sub("_", part).strip(".") or "_" for part in parts)
    return Path(system_part, task, f"{run}.traj.json")


def _write_outcomes(root: Path, paths: Mapping[Path, Trajectory]) -> None:
    with (root / OUTCOMES).open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(("source", "success"))
        for path, trajectory in paths.items():
            success = trajectory.outcome.success
            shown = "" if success is None else str(success).lower()
            rows.writerow((path.relative_to(root).as_posix(), shown))


def _file(trajectory: Trajectory) -> dict[str, Any]:
    outcome, usage = trajectory.outcome, trajectory.usage
    status = outcome.ending_raw or _status(outcome.ending)
    if status not in {None, *STATUSES.values()} and ENDINGS.get(status or "") != outcome.ending:
        raise UsageError(f"exit status {status!r} doesn't mean {outcome.ending!r} in this format")
    messages = list(_messages(trajectory))
    if status is not None:
        submission = trajectory.submission or ""
        extra = {"exit_status": status, "submission": submission}
        messages.append({"role": "exit", "content": submission, "extra": extra})
    turns = {event.turn for event in trajectory.events if event.turn is not None}
    info = {
        "model_stats": {"instance_cost": usage.cost_usd, "api_calls": len(turns)},
        "config": _config(trajectory),
        "mini_version": trajectory.system.scaffold_version,
        "exit_status": status,
        "submission": trajectory.submission,
    }
    return {
        "info": info,
        "messages": messages,
        "trajectory_format": VERSION_PREFIX + VERSION,
        "instance_id": trajectory.task.task_id,
    }


def _status(ending: Ending | None) -> str | None:
    if ending is not None and ending not in STATUSES:
        raise UsageError(f"the format has no word for a run that ended as {ending!r}")
    return None if ending is None else STATUSES[ending]


def _config(trajectory: Trajectory) -> dict[str, Any]:
    """Put settings in the sections they were read from; others count as the model's."""
    system = trajectory.system
    settings = dict(system.settings)
    sections = {name: dict(settings.pop(name, {})) for name in ("agent", "model", "environment")}
    types = {f"{name}_type": section.pop("class", None) for name, section in sections.items()}
    limits = {"step_limit": system.step_limit, "cost_limit": system.cost_limit}
    arguments = {**settings.pop("model_kwargs", {}), **settings}
    if system.temperature is not None:
        arguments["temperature"] = system.temperature
    return {
        "agent": {**sections["agent"], **limits},
        "model": {**sections["model"], "model_name": system.model, "model_kwargs": arguments},
        "environment": sections["environment"],
        **types,
    }


def _messages(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    numbered = enumerate(trajectory.events)
    for _, group in groupby(numbered, key=_turn_of):
        events = [event for _, event in group]
        if events[0].event in {"user", "system"}:
            yield _with_moment(
                {"role": events[0].event, "content": events[0].text or ""}, events[0]
            )
        elif events[0].actor == "user":
            yield from _by_hand(events[0])
        elif events[0].refused:
            yield from _refused(events[0])
        else:
            yield from _response(events, trajectory)


def _turn_of(numbered: tuple[int, Event]) -> tuple[str, int]:
    """Key of the response that an event belongs to; its own number if it belongs to none."""
    number, event = numbered
    together = event.event == "action" and event.actor == "agent" and event.turn is not None
    if together and not event.refused:
        return "turn", event.turn or 0
    return "event", number


def _with_moment(message: dict[str, Any], event: Event) -> dict[str, Any]:
    return message if event.timestamp is None else {**message, "timestamp": event.timestamp}


def _by_hand(event: Event) -> Iterator[dict[str, Any]]:
    extra = {"actions": [{"command": event.action}], "timestamp": event.timestamp}
    yield {"role": "user", "content": f"User command: {event.action}", "extra": extra}
    if event.observation is not None:
        yield _answer(event)


def _refused(event: Event) -> Iterator[dict[str, Any]]:
    """Give a refused reply of which the text is known, then the scaffold's refusal."""
    extra: dict[str, Any] = {"interrupt_type": FORMAT_ERROR}
    if event.action is None:
        extra["timestamp"] = event.timestamp
    else:
        yield {"role": "assistant", "content": event.action, **_said(event, actions=[])}
    yield {"role": "user", "content": event.observation or "", "extra": extra}


def _response(events: Sequence[Event], trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    first = events[0]
    actions = [event for event in events if event.event == "action"]
    calls = [_call(event) for event in actions if event.tool is not None]
    commands = [_command(event) for event in actions if _is_command(event)]
    message = {"role": "assistant", "content": first.text or "", **_said(first, actions=commands)}
    yield {**message, "tool_calls": calls} if calls else message
    for event in actions:
        if event.observation is not None:
            yield _answer(event, trajectory)


def _said(event: Event, *, actions: list[dict[str, Any]]) -> dict[str, Any]:
    """What belongs to a response as a whole."""
    usage = {"prompt_tokens": event.input_tokens, "completion_tokens": event.output_tokens}
    extra = {
        "actions": actions,
        "response": {"usage": usage},
        "cost": event.cost_usd,
        "timestamp": event.timestamp,
    }
    return {"reasoning_content": event.thought, "extra": extra}


def _is_command(event: Event) -> bool:
    """Whether the action is a command's text, not the text of a call."""
    return event.tool is None or not (event.action or "").startswith(f"{event.tool}(")


def _command(event: Event) -> dict[str, Any]:
    command = {"command": event.action}
    return command if event.call_id is None else {**command, "tool_call_id": event.call_id}


def _call(event: Event) -> dict[str, Any]:
    arguments = event.arguments
    if arguments is None and _is_command(event):
        arguments = msgspec.json.encode({"command": event.action}).decode()
    function = {"name": event.tool, "arguments": arguments}
    return {"id": event.call_id, "type": "function", "function": function}


def _answer(event: Event, trajectory: Trajectory | None = None) -> dict[str, Any]:
    extra: dict[str, Any] = {"returncode": event.exit_code}
    if event.is_error:
        extra["exception_info"] = "failed"
    if trajectory is not None and event is trajectory.events[-1]:
        extra["timestamp"] = _end(trajectory)
    if event.call_id is None and event.tool is None:
        return {"role": "user", "content": event.observation, "extra": extra}
    answer = {"role": "tool", "tool_call_id": event.call_id}
    return {**answer, "content": event.observation, "extra": extra}


def _end(trajectory: Trajectory) -> float | None:
    start, duration = trajectory.usage.started_at, trajectory.usage.duration_s
    return None if start is None or duration is None else start + duration
