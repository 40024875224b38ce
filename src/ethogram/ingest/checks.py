"""What must not go unsaid about a run that was read: four silent errors made impossible."""

from collections.abc import Iterator

from ethogram.trajectory import Problem, Trajectory


def check(trajectory: Trajectory, *, named: bool = False) -> Iterator[Problem]:
    """Problems that show only in the whole run.

    A run without an action although its file records some; a run that names neither its system nor
    its model, and so would be one system's with any other such run; a run that ended by an
    infrastructure error, which says nothing about behaviour. (A fourth, a truncated file taken as
    whole, is the readers' duty: they raise.)

    Parameters
    ----------
    trajectory : Trajectory
        The run, with what the path and the user say filled in.
    named : bool
        Whether the user names its system.
    """
    n_actions = sum(
        event.event == "action" and event.actor != "user" for event in trajectory.events
    )
    recorded = trajectory.recorded_actions or 0
    if n_actions == 0 and recorded:
        yield Problem(
            reason=f"no action was read although the file records {recorded} calls: the run's "
            "actions are in a shape that the reader doesn't know",
            record=trajectory.record,
            severity="error",
        )
    elif n_actions == 0:
        yield Problem(reason="the run has no action", record=trajectory.record, severity="note")
    if trajectory.task.task_id is None:
        yield Problem(
            reason="names no task: give it with --layout '.../{task_id}/...' or a mapping",
            record=trajectory.record,
            field="task_id",
            severity="warning",
        )
    if not named and trajectory.system.name is None and trajectory.system.model is None:
        yield Problem(
            reason="names no model: all such runs count as one system's; tell them apart with "
            "--model, --system or --layout '{system}/...'",
            record=trajectory.record,
            field="model",
            severity="warning",
        )
    if trajectory.outcome.ending == "infra_error":
        raw = trajectory.outcome.ending_raw or "no name recorded"
        yield Problem(
            reason=f"ended by an infrastructure error ({raw}): left out of behaviour and outcomes",
            record=trajectory.record,
            severity="note",
        )
