"""One run of somebody's own log: from a record and a layout to a trajectory."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ethogram.formats.digest import digest, repository
from ethogram.formats.mapping_fields import Complaints, Scope, Where, as_text, find, read, resolve
from ethogram.formats.mapping_layout import RUN_FIELDS, Layout
from ethogram.formats.mapping_steps import events
from ethogram.trajectory import Event, Outcome, Problem, System, Task, Trajectory, Usage

_SYSTEM: Final = (
    "scaffold",
    "scaffold_version",
    "model",
    "model_snapshot",
    "family",
    "user_model",
    "mode",
    "temperature",
    "step_limit",
    "cost_limit",
)
_USAGE: Final = (
    "started_at",
    "duration_s",
    "input_tokens",
    "cache_read_tokens",
    "output_tokens",
    "reasoning_tokens",
    "other_tokens",
    "cost_usd",
)


def run(
    layout: Layout, scope: Scope, *, source: str, record: str | None, problems: Sequence[Problem]
) -> Trajectory | Problem:
    """Make a trajectory of one record.

    Parameters
    ----------
    layout : Layout
        What the mapping says.
    scope : Scope
        The record and what encloses it.
    source : str
        Name of the file: what a success in it comes from.
    record : str or None
        The record's place in the file.
    problems : sequence of Problem
        What is known to be odd about the record.

    Returns
    -------
    Trajectory or Problem
        A problem if there is no list of steps, or if there are steps and none of them was read as
        an action: then the mapping looks in the wrong place.
    """
    steps = layout.steps
    found = resolve(steps.where, scope)
    if not isinstance(found, list):
        reason = f"no list of steps at {steps.where.written!r}"
        return Problem(reason=reason, record=record, field="steps.list")
    complaints = Complaints()
    made = events(steps, found, scope, complaints)
    if found and not _is_read(made, chat=steps.shape == "chat"):
        reason = f"{len(found)} steps at {steps.where.written!r}, and none of them is an action"
        return Problem(reason=reason, record=record, field="steps")
    values = {
        name: read(where, RUN_FIELDS[name], scope, f"run.{name}", complaints)
        for name, where in layout.run.items()
    }
    extra = _named(layout.extra, scope)
    return Trajectory(
        system=_system(layout, values, scope),
        task=_task(values),
        outcome=_outcome(layout, values, scope, source),
        events=tuple(made),
        usage=_usage(values),
        native_id=values.get("native_id"),
        trial=values.get("trial"),
        submission=values.get("submission"),
        recorded_actions=values.get("recorded_actions"),
        record=record,
        problems=(*problems, *complaints.problems()),
        extra=extra,
    )


def _is_read(made: Sequence[Event], *, chat: bool) -> bool:
    """Whether there is an action; an agent that only spoke made none, and its replies show it."""
    kinds = {event.event for event in made}
    return "action" in kinds or (chat and "reply" in kinds)


def _named(wheres: Mapping[str, Where], scope: Scope) -> dict[str, Any]:
    found = {name: find(where, scope) for name, where in wheres.items()}
    return {name: value for name, value in found.items() if value is not None}


def _system(layout: Layout, values: Mapping[str, Any], scope: Scope) -> System:
    return System(
        name=values.get("system"),
        settings=_named(layout.settings, scope),
        **{name: values.get(name) for name in _SYSTEM},
    )


def _task(values: Mapping[str, Any]) -> Task:
    task_id = values.get("task_id")
    prompt = (values.get("prompt") or "").strip() or None
    reference = values.get("reference")
    said = prompt if reference is None else {"prompt": prompt, "reference": reference}
    return Task(
        task_id=task_id,
        benchmark=values.get("benchmark"),
        digest=digest(said) if said else None,
        prompt=prompt,
        reference=reference,
        cluster=values.get("cluster") or repository(task_id),
    )


def _outcome(layout: Layout, values: Mapping[str, Any], scope: Scope, source: str) -> Outcome:
    success, ending = values.get("success"), layout.run.get("ending")
    raw = None if ending is None else find(ending, scope)
    return Outcome(
        success=success,
        score=values.get("score"),
        source=source if success is not None else None,
        rule=layout.run["success"].rule if success is not None else None,
        ending=values.get("ending"),
        ending_raw=None if raw is None else as_text(raw),
        limit_kind=values.get("limit_kind"),
    )


def _usage(values: Mapping[str, Any]) -> Usage:
    fields = {name: values.get(name) for name in _USAGE}
    start, end = values.get("started_at"), values.get("ended_at")
    if fields["duration_s"] is None and start is not None and end is not None:
        fields["duration_s"] = end - start
    return Usage(**fields)
