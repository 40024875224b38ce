"""Controlled comparison: a student that moves toward its teacher and not toward a control.

As in Yang et al. 2026, Tables 3 and 8: the same similarities before (base) and after (student),
toward the teacher and toward a system that had no part in it. All seven figures of a measure rest
on the tasks where the four similarities are defined, so that they add up, and differences are
paired by task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
import polars as pl
from scipy.special import ndtri

from ethogram.errors import UsageError
from ethogram.measures.similarity.field.means import (
    Asked,
    difference,
    estimates,
    joint_runs,
    label_of_scores,
    minus,
    pair_values,
    side_by_side,
)
from ethogram.measures.similarity.field.references import place_of
from ethogram.measures.similarity.task_scores import Scores
from ethogram.results.estimate import Estimate, Verdict
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval
from ethogram.results.table import Column, Table
from ethogram.stats.arrays import FloatArray

SMALLEST: Final = 0.02
"""A change surely below two points counts as none."""
POWER: Final = 0.8
MAX_TASKS: Final = 10_000
"""More tasks than that are no advice."""
NOISE: Final = 1e-9
LABELS: Final[Mapping[str, str]] = {
    "base_to_teacher": "Base to teacher",
    "student_to_teacher": "Student to teacher",
    "teacher_change": "Change to teacher",
    "base_to_control": "Base to control",
    "student_to_control": "Student to control",
    "control_change": "Change to control",
    "change_beyond_control": "Change beyond control",
}

Figures = Mapping[str, Estimate]


@dataclass(frozen=True)
class Roles:
    """The four systems of a controlled comparison.

    Raises
    ------
    UsageError
        If two of them are one system.
    """

    base: str
    student: str
    teacher: str
    control: str

    def __post_init__(self) -> None:
        if len(set(self.systems)) < 4:
            raise UsageError(
                "base, student, teacher and control must be four systems; "
                f"got {', '.join(self.systems)}"
            )

    @property
    def systems(self) -> tuple[str, str, str, str]:
        """The four names."""
        return self.base, self.student, self.teacher, self.control


def controlled_figures(scores: Scores, roles: Roles, *, level: float = 0.95) -> Figures:
    """The four similarities, the two changes and their difference, by the names of `LABELS`.

    Raises
    ------
    UnknownNameError
        If one of the four is no system.
    """
    base, student, teacher, control = (np.array([place_of(scores, name)]) for name in roles.systems)
    runs = joint_runs(scores, base, student, teacher, control)
    pairs = [(base, teacher), (student, teacher), (base, control), (student, control)]
    four = [pair_values(scores, *pair) for pair in pairs]
    gaps = [np.isnan(np.stack(part)).any(axis=0) for part in zip(*four, strict=True)]
    to_teacher, to_teacher_after, to_control, to_control_after = (
        [np.where(gap, np.nan, part) for part, gap in zip(values, gaps, strict=True)]
        for values in four
    )
    toward, away = minus(to_teacher_after, to_teacher), minus(to_control_after, to_control)
    rows: Mapping[str, tuple[list[FloatArray], int]] = {
        "base_to_teacher": (to_teacher, 0),
        "student_to_teacher": (to_teacher_after, 0),
        "teacher_change": (toward, 1),
        "base_to_control": (to_control, 0),
        "student_to_control": (to_control_after, 0),
        "control_change": (away, 1),
        "change_beyond_control": (minus(toward, away), 2),
    }
    found = {}
    for name, (values, times) in rows.items():
        asked = (
            difference(name, scores, level=level, times=times)
            if times
            else Asked(name, bounds=scores.bounds, level=level)
        )
        (found[name],) = estimates(asked, scores, values, runs)
    return found


def moved(scores: Scores, figures: Figures, roles: Roles) -> Verdict:
    """Whether the student moved toward the teacher and not toward the control, by a measure.

    - **yes**: the interval of the change toward the teacher lies above zero, so does that of how
      much it exceeds the change toward the control, and that toward the control does not;
    - **no**: the student surely moved toward the control as well, or the change toward the teacher,
      or what it is beyond that toward the control, is surely below two points;
    - **not enough data** otherwise, with the tasks that would tell if the changes are what they
      look like (with a power of 80 %).
    """
    names = short_names(scores.systems)
    base, student, teacher, other = (names[system] for system in roles.systems)
    question = (
        f"Did {student} move from {base} toward {teacher} and not toward {other}, "
        f"by {label_of_scores(scores)}?"
    )
    toward, control = figures["teacher_change"], figures["control_change"]
    beyond = figures["change_beyond_control"]
    if beyond.low is None or toward.low is None or control.low is None:
        why = beyond.reason or beyond.method.removeprefix("no interval: ")
        return Verdict(question=question, decision="not enough data", because=why)
    said = (
        f"similarity to {teacher} changed by {_shown(toward)}, to {other} by {_shown(control)}; "
        f"the one exceeds the other by {_shown(beyond)}"
    )
    if control.low > 0:
        because = f"it moved toward {other} as well: {said}"
        return Verdict(question=question, decision="no", because=because)
    if min(toward.low, beyond.low) > 0:
        because = f"{said}; consistent with habits taken over from {teacher}"
        return Verdict(question=question, decision="yes", because=because)
    if min(_high(toward), _high(beyond)) < SMALLEST:
        return Verdict(question=question, decision="no", because=said)
    needed = max_needed([each for each in (toward, beyond) if (each.low or 0.0) <= 0])
    return Verdict(question=question, decision="not enough data", because=said, runs_needed=needed)


def max_needed(undecided: Sequence[Estimate]) -> int | None:
    """Tasks with which the intervals of positive figures would lie above zero, at a power of 80 %.

    None where one of them isn't positive, so that more tasks need not help, and above 10,000. The
    distance of the lower end shrinks with the root of the number of tasks.
    """
    needed = [0]
    for each in undecided:
        if each.value is None or each.low is None or each.value < NOISE:
            return None
        quantile = float(ndtri((1 + each.level) / 2))
        stretch = (quantile + float(ndtri(POWER))) / quantile
        needed.append(ceil(each.n_tasks * (stretch * (each.value - each.low) / each.value) ** 2))
    return max(needed) if 0 < max(needed) <= MAX_TASKS else None


def _high(estimate: Estimate) -> float:
    return 1.0 if estimate.high is None else estimate.high


def _shown(estimate: Estimate) -> str:
    return show_interval(estimate.value, estimate.low, estimate.high, estimate.unit)


def controlled_table(measures: Sequence[Scores], roles: Roles, *, level: float = 0.95) -> Table:
    """The seven figures of each measure.

    Parameters
    ----------
    measures : sequence of TaskScores or Composite
        Of one and the same systems.
    roles : Roles
        Which system is what.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Table
        ``controlled``: estimates with the key ``measure``, named as in `LABELS`.

    Raises
    ------
    UnknownNameError
        If one of the four is no system.
    """
    rows = [
        ({"measure": label_of_scores(scores)}, estimate)
        for scores in measures
        for estimate in controlled_figures(scores, roles, level=level).values()
    ]
    return side_by_side(
        "controlled",
        "Toward the teacher or toward everyone?",
        rows,
        LABELS,
        keys=("measure",),
        about=f"Base: {roles.base}; student: {roles.student}; teacher: {roles.teacher}; control: "
        f"{roles.control}. Over the tasks where all four similarities are defined.",
    )


def moved_table(measures: Sequence[Scores], roles: Roles, *, level: float = 0.95) -> Table:
    """The verdict of each measure, as ``controlled_verdicts``."""
    rows = [
        (scores, moved(scores, controlled_figures(scores, roles, level=level), roles))
        for scores in measures
    ]
    frame = pl.DataFrame(
        [
            {
                "measure": label_of_scores(scores),
                "decision": verdict.decision,
                "because": verdict.because,
                "tasks_needed": verdict.runs_needed,
            }
            for scores, verdict in rows
        ],
        schema=VERDICTS,
    )
    return Table(
        "controlled_verdicts",
        f"Did {roles.student} move toward {roles.teacher} and not toward {roles.control}?",
        frame,
        (
            Column("measure", "Measure"),
            Column("decision", "Answer"),
            Column("because", "Because"),
            Column("tasks_needed", "Tasks that would tell", "count"),
        ),
        "Yes: the change toward the teacher, and what it is beyond that toward the control, are "
        "above zero, and the change toward the control is not.",
    )


VERDICTS: Final = {
    "measure": pl.String,
    "decision": pl.String,
    "because": pl.String,
    "tasks_needed": pl.Int64,
}
