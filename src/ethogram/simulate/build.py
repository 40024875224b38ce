"""Trajectories by hand: one short call a run, for tests and examples.

Everything that isn't named gets the plainest value there is, so that a test shows only what it is
about. Whatever a `Trajectory` holds can be set by its field's name.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from ethogram.errors import UsageError
from ethogram.trajectory import Event, Outcome, System, Task, Trajectory, Usage

_HOMES: Final = {
    field: home
    for home, struct in (
        ("outcome", Outcome),
        ("usage", Usage),
        ("task", Task),
        ("system", System),
        ("", Trajectory),
    )
    for field in struct.__struct_fields__
}


def action(command: str | None, **fields: Any) -> Event:
    """An action of the agent: a bare command, or a tool's call with ``tool=``.

    Parameters
    ----------
    command : str or None
        Text of the action.
    **fields
        Any other field of `Event`.

    Examples
    --------
    >>> action("ls", exit_code=0).action
    'ls'
    """
    return Event(event="action", action=command, **fields)


def reply(text: str, **fields: Any) -> Event:
    """A response that only speaks."""
    return Event(event="reply", text=text, **fields)


def user(text: str, **fields: Any) -> Event:
    """What the user, or a user's simulator, says."""
    return Event(event="user", actor="user", text=text, **fields)


def events(steps: Iterable[str | Event]) -> tuple[Event, ...]:
    """Events as they are; each string becomes an action in a turn of its own."""
    return tuple(
        step if isinstance(step, Event) else action(step, turn=number)
        for number, step in enumerate(steps)
    )


def run(
    actions: Iterable[str | Event] = (),
    *,
    task: str = "t1",
    system: str = "a",
    trial: int = 0,
    success: bool | None = True,
    **fields: Any,
) -> Trajectory:
    """One run.

    Its native id is made from system, task and trial: two runs that agree in all three are the
    same run to whoever reads them.

    Parameters
    ----------
    actions : iterable of str or Event
        A string is an action with that text.
    task, system : str
        Id of the task (of benchmark ``bench``) and name of the system.
    trial : int
        Index of the repeat, from 0.
    success : bool or None
        None: not recorded.
    **fields
        Any field of `Outcome`, `Usage`, `Task`, `System` or `Trajectory`, by its name
        (``ending="limit"``, ``cost_usd=0.2``, ``cluster="django"``, ``submission=""``).

    Raises
    ------
    UsageError
        If no struct of a trajectory has a field of that name.

    Examples
    --------
    >>> made = run(["ls", "pytest"], task="t2", success=False, cost_usd=0.5)
    >>> made.task.task_id, made.outcome.success, made.usage.cost_usd, len(made.actions)
    ('t2', False, 0.5, 2)
    """
    homes = _sorted_by_home(fields)
    made = Trajectory(
        system=System(name=system),
        task=Task(task_id=task, benchmark="bench"),
        outcome=Outcome(success=success, ending="completed"),
        usage=Usage(),
        events=events(actions),
        native_id=f"{system}/{task}/{trial}",
        trial=trial,
    )
    own = homes.pop("", {})
    parts = {home: replace(getattr(made, home), **values) for home, values in homes.items()}
    return replace(made, **parts, **own)


def _sorted_by_home(fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    homes: dict[str, dict[str, Any]] = {}
    for field, value in fields.items():
        if field not in _HOMES:
            raise UsageError(f"a trajectory has no field {field!r}; known: {', '.join(_HOMES)}")
        homes.setdefault(_HOMES[field], {})[field] = value
    return homes


def repeats(
    sequences: Sequence[Sequence[str | Event]],
    *,
    successes: Sequence[bool | None] | None = None,
    **fields: Any,
) -> list[Trajectory]:
    """Repeated runs of one task by one system; trials count from 0.

    Parameters
    ----------
    sequences : sequence of sequences of str or Event
        The actions of each run.
    successes : sequence of bool or None, optional
        One for each run; all True if left out.
    **fields
        As in `run`, the same for every run.

    Examples
    --------
    >>> [made.trial for made in repeats([["ls"], ["ls", "pytest"]], task="t1")]
    [0, 1]
    """
    outcomes: Sequence[bool | None] = (
        successes if successes is not None else [True] * len(sequences)
    )
    return [
        run(steps, trial=trial, success=success, **fields)
        for trial, (steps, success) in enumerate(zip(sequences, outcomes, strict=True))
    ]
