"""Cohorts made from trajectories at hand, without files."""

from collections.abc import Iterable

from ethogram.cohort import Cohort
from ethogram.cohort.ids import digest_of
from ethogram.cohort.naming import systems_frame
from ethogram.errors import InputError
from ethogram.ingest.label import EventLabeler
from ethogram.ingest.rows import Batch, Place, RowBuilder
from ethogram.ingest.tidy import tidy
from ethogram.trajectory import Trajectory


def from_trajectories(
    trajectories: Iterable[Trajectory],
    *,
    labeler: EventLabeler | None = None,
    format_name: str = "python",
) -> Cohort:
    """Put trajectories together as a cohort in memory.

    Parameters
    ----------
    trajectories : iterable of Trajectory
        Runs; each without a ``native_id`` is a run of its own, whatever it holds.
    labeler : EventLabeler, optional
        Labels the actions (`ethogram.ingest.default_labeler`); without it they have no labels.
    format_name : str
        What stands in the ``format`` column and decides the rules for errors.

    Raises
    ------
    InputError
        If a field holds a value of another type than its own. Whole numbers that are too large for
        their column are read as missing, and named among the problems.
    """
    builder = RowBuilder(labeler)
    for position, trajectory in enumerate(trajectories):
        builder.add(
            _tidy(trajectory, f"trajectories[{position}]"),
            Place(
                format=format_name,
                source=f"{format_name}#{position}",
                digest=digest_of(format_name),
                position=position,
                system=trajectory.system,
            ),
        )
    return cohort_of(builder.build(), labels_digest=labeler.digest if labeler else None)


def _tidy(trajectory: Trajectory, place: str) -> Trajectory:
    if not isinstance(trajectory, Trajectory):
        raise InputError(f"{place}: must be a Trajectory; got {type(trajectory).__name__}")
    try:
        return tidy(trajectory)
    except (TypeError, ValueError) as err:
        raise InputError(f"{place}: {err}") from err


def cohort_of(batch: Batch, *, labels_digest: str | None) -> Cohort:
    """A batch of rows as a cohort in memory."""
    return Cohort(
        runs=batch.runs.sort("run_id"),
        systems=systems_frame(batch.systems),
        tasks=batch.tasks,
        problems=batch.problems,
        all_steps=batch.steps.lazy(),
        all_texts=batch.texts.lazy(),
        labels_digest=labels_digest,
        bases={row.system_id: row.base for row in batch.systems},
    )
