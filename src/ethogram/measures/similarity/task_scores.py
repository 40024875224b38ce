"""Scores of all pairs of systems at all tasks: what every table of similarity is made of.

A measure is either one array of scores (`TaskScores`) or a `Composite`, the mean of the task means
of several of them (AGS: of S_node, S_seq and S_dep). `parts_of` makes them one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray

SHARES: Final = (0.0, 1.0)
NOISE: Final = 1e-9
"""Scores may leave their bounds by the noise of their last bits."""


@dataclass(frozen=True)
class TaskScores:
    """Similarity of every pair of systems at every task, by one measure; more is more alike.

    Parameters
    ----------
    name : str
        ``s_node``, ``s_seq``, ``s_dep``, ``ged``, ...
    systems, tasks : tuple of str
        What the axes stand for.
    values : ndarray of shape (n_systems, n_systems, n_tasks)
        Symmetric in the systems; the diagonal is not read. NaN: not defined at that task (a system
        has no run there, there is no optional tool, ...).
    repeats : ndarray of shape (n_systems, n_tasks)
        The same score between distinct runs of one system at one task, mean over pairs of runs; NaN
        with fewer than two runs.
    unlike : ndarray of shape (n_systems,) or (n_systems, n_tasks), optional
        The same score between runs of one system at different tasks; per task: between that task's
        runs and all others. NaN or None where it isn't defined.
    runs : ndarray of shape (n_systems, n_tasks), optional
        Runs behind the scores; where it is missing none are counted.
    label : str
        As people read the name; empty: the name.
    about : str
        One sentence.
    bounds : tuple of float
        Range of the scores.
    reason : str, optional
        Why the measure can't be had here at all (then all values are NaN).

    Raises
    ------
    UsageError
        If shapes don't fit together, values aren't symmetric, or a score is out of bounds.
    """

    name: str
    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    repeats: FloatArray
    unlike: FloatArray | None = None
    runs: IntArray | None = None
    label: str = ""
    about: str = ""
    bounds: tuple[float, float] = SHARES
    reason: str | None = None

    def __post_init__(self) -> None:
        self._check_shapes()
        if not np.allclose(self.values, self.values.transpose(1, 0, 2), equal_nan=True):
            raise UsageError(f"{self.name}: values must be symmetric in the two systems")
        low, high = self.bounds
        for what in (self.values, self.repeats, self.unlike):
            known = what[~np.isnan(what)] if what is not None else np.zeros(0)
            if len(known) and not low - NOISE <= known.min() <= known.max() <= high + NOISE:
                raise UsageError(
                    f"{self.name}: scores must lie between {low:g} and {high:g}; "
                    f"got {known.min():g} to {known.max():g}"
                )

    @property
    def parts(self) -> tuple["TaskScores", ...]:
        """The measure itself: what a composite has several of."""
        return (self,)

    def _check_shapes(self) -> None:
        one = (len(self.systems), len(self.tasks))
        allowed = {
            "values": ((len(self.systems), *one),),
            "repeats": (one,),
            "unlike": (one, one[:1]),
            "runs": (one,),
        }
        for name, shapes in allowed.items():
            array = getattr(self, name)
            if array is not None and array.shape not in shapes:
                raise UsageError(
                    f"{self.name}: {name} must have shape {' or '.join(map(str, shapes))}; "
                    f"got {array.shape}"
                )


@dataclass(frozen=True)
class Composite:
    """The mean of the task means of several measures, each over the tasks where it is defined.

    Parameters
    ----------
    name : str
        ``ags``.
    parts : tuple of TaskScores
        At least one, all of the same systems and tasks.
    label, about : str
        As in `TaskScores`.

    Raises
    ------
    UsageError
        If there is no part or the parts have other systems, tasks or bounds.
    """

    name: str
    parts: tuple[TaskScores, ...]
    label: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        axes = {(part.systems, part.tasks, part.bounds) for part in self.parts}
        if len(axes) != 1:
            raise UsageError(
                f"{self.name}: parts must be measures of the same systems, tasks and bounds; "
                f"got {len(self.parts)} parts with {len(axes)} kinds of axes"
            )

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems of the parts."""
        return self.parts[0].systems

    @property
    def tasks(self) -> tuple[str, ...]:
        """Tasks of the parts."""
        return self.parts[0].tasks

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the parts."""
        return self.parts[0].bounds

    @property
    def reason(self) -> str | None:
        """The first part's reason that is set, with the part's name."""
        found = ((part.name, part.reason) for part in self.parts if part.reason is not None)
        return next((f"{name}: {reason}" for name, reason in found), None)


Scores: TypeAlias = TaskScores | Composite


def parts_of(scores: Scores) -> Sequence[TaskScores]:
    """The parts of a composite; a single measure is its own part."""
    return scores.parts
