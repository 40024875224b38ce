"""What a judge makes of a study's failed runs, and the figures that come of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.variance.failed_runs import EMPTY, Failed, failed_runs
from ethogram.measures.variance.figures import Figures
from ethogram.measures.variance.goals import TaskGoals, ask_goals
from ethogram.measures.variance.interpretation import (
    EXECUTION,
    INTERPRETATION,
    NO_ANSWER,
    UNCLEAR,
    Reading,
    ask_readings,
)
from ethogram.measures.variance.questioning import Questioning
from ethogram.measures.variance.repeats import Study
from ethogram.results.estimate import Estimate
from ethogram.results.judges import Judge

SHARES: Final = {
    "interpretation_errors": INTERPRETATION,
    "execution_errors": EXECUTION,
    "unclear_failures": UNCLEAR,
}
NO_FAILURE: Final = "no run failed"
NONE_JUDGED: Final = "no failed run could be judged"
NO_ANSWERS: Final = "the judge answered none of the questions"
NO_OUTCOMES: Final = "no task with a judged failed run has two known outcomes"
UNDECIDED: Final = (
    "submissions or answers are missing, or orders disagree, on every task that could show it"
)
NO_REPEATS: Final = "no task has two failed runs that can be judged"
NO_GROUPS: Final = "the judge grouped the goals of no task"


@dataclass(frozen=True)
class Interpreted:
    """A judge's readings of the failed runs of a study.

    Attributes
    ----------
    study : Study
        All runs that count.
    failed : Failed
        Those that failed, with the reasons why some can't be judged.
    readings : sequence of Reading
        Why each of the others failed.
    goals : sequence of TaskGoals
        What they aimed at, a system and task each.
    first : Questioning
        The judge, with counts of questions and missing answers.
    second : Questioning or None
        A second judge.
    second_readings : sequence of Reading or None
        Its readings of the same runs.
    """

    study: Study
    failed: Failed
    readings: Sequence[Reading]
    goals: Sequence[TaskGoals]
    first: Questioning
    second: Questioning | None = None
    second_readings: Sequence[Reading] | None = None

    @cached_property
    def outcomes(self) -> dict[int, tuple[int, int]]:
        """Runs with a known outcome and successes among them, by group."""
        counted = self.study.runs.group_by("group").agg(
            n=pl.col("success").count(), successes=pl.col("success").sum()
        )
        return {group: (n, successes) for group, n, successes in counted.iter_rows()}

    @cached_property
    def readings_of(self) -> dict[int, list[Reading]]:
        """Readings by group."""
        found: dict[int, list[Reading]] = {}
        for reading in self.readings:
            found.setdefault(reading.run.group, []).append(reading)
        return found

    @cached_property
    def unread(self) -> dict[int, set[str]]:
        """Why failed runs of a group can't be judged."""
        found: dict[int, set[str]] = {}
        for run in self.failed.runs:
            if run.why is not None:
                found.setdefault(run.group, set()).add(run.why)
        return found

    def never_solved(self, task: TaskGoals) -> bool:
        """Whether no run of a system at a task succeeds, of two or more whose outcome is known."""
        n, successes = self.outcomes[task.runs[0].group]
        return n > 1 and successes == 0

    def steady_misreading(self, task: TaskGoals) -> bool | None:
        """Consistent wrong interpretation: all runs fail, aim at one thing, and misread the task.

        A run that handed in nothing aims at nothing, so that its task is none. None without two
        known outcomes, and where a submission, a grouping or a verdict is missing and the others
        don't settle it.
        """
        group = task.runs[0].group
        n, successes = self.outcomes[group]
        if n < 2:
            return None
        verdicts = {reading.verdict for reading in self.readings_of[group]}
        unread = self.unread.get(group, set())
        settled = (
            successes > 0,
            EMPTY in unread,
            task.consistent_wrong is False,
            bool(verdicts - {INTERPRETATION, NO_ANSWER}),
        )
        if any(settled):
            return False
        missing = (bool(unread), task.consistent_wrong is None, NO_ANSWER in verdicts)
        return None if any(missing) else True


def interpret(
    cohort: Cohort, study: Study, judge: Judge, *, second: Judge | None = None
) -> Interpreted:
    """Ask a judge why runs failed and what they aimed at.

    Parameters
    ----------
    cohort : Cohort
        With its texts.
    study : Study
        Which runs count.
    judge : Judge
        Who reads the failures, states the goals and groups them. A `Rehearsal` in its place counts
        what this takes.
    second : Judge, optional
        Reads the same failures, for their agreement.
    """
    failed = failed_runs(cohort, study)
    runs = failed.judged
    first = Questioning(judge)
    other = None if second is None else Questioning(second)
    return Interpreted(
        study=study,
        failed=failed,
        readings=ask_readings(runs, first),
        goals=ask_goals(runs, first),
        first=first,
        second=other,
        second_readings=None if other is None else ask_readings(runs, other),
    )


def system_estimates(found: Interpreted, system: str) -> list[Estimate]:
    """Shares of failures by label, and of tasks that are wrong in one way, of one system."""
    n_failed = sum(run.system == system for run in found.failed.runs)
    tasks = [task for task in found.goals if task.runs[0].system == system]
    known = all(found.study.groups.filter(system=system)["task_known"])
    figures = Figures(n_failed, found.study.level, found.study.seed, known)
    return [
        *(_label(name, label, found, tasks, figures) for name, label in SHARES.items()),
        _by_runs("consistent_wrong_interpretation", found.steady_misreading, found, tasks, figures),
        _by_tasks("consistent_wrong_tasks", lambda task: task.one_group, tasks, figures),
        _by_tasks("equal_submissions_tasks", lambda task: task.equal_submissions, tasks, figures),
    ]


def _label(
    name: str, label: str, found: Interpreted, tasks: Sequence[TaskGoals], figures: Figures
) -> Estimate:
    """Share of the judged failed runs with a label; a run counts by the share of its answers."""
    each = [
        [
            share
            for reading in found.readings_of[task.runs[0].group]
            if (share := reading.share(label)) is not None
        ]
        for task in tasks
    ]
    sums = np.array([sum(shares) for shares in each], dtype=np.float64)
    counts = np.array([len(shares) for shares in each], dtype=np.float64)
    reason = NO_ANSWERS if tasks else _why_none(figures)
    return figures.ratio(name, sums, counts, reason=reason)


def _by_runs(
    name: str,
    test: Callable[[TaskGoals], bool | None],
    found: Interpreted,
    tasks: Sequence[TaskGoals],
    figures: Figures,
) -> Estimate:
    """Share of the judged failed runs that are of tasks with a property."""
    known = [(task, answer) for task in tasks if (answer := test(task)) is not None]
    sizes = np.array([len(task.runs) for task, _ in known], dtype=np.float64)
    holds = np.array([answer for _, answer in known], dtype=np.float64)
    repeated = any(found.outcomes[task.runs[0].group][0] > 1 for task in tasks)
    reason = (UNDECIDED if repeated else NO_OUTCOMES) if tasks else _why_none(figures)
    return figures.ratio(name, holds * sizes, sizes, reason=reason)


def _by_tasks(
    name: str,
    share: Callable[[TaskGoals], float | None],
    tasks: Sequence[TaskGoals],
    figures: Figures,
) -> Estimate:
    """Mean over the tasks with two or more judged failed runs."""
    repeated = [task for task in tasks if len(task.runs) > 1]
    known = [(task, value) for task in repeated if (value := share(task)) is not None]
    reason = NO_GROUPS if repeated else (NO_REPEATS if tasks else _why_none(figures))
    return figures.mean(
        name,
        [float(value) for _, value in known],
        sum(len(task.runs) for task, _ in known),
        reason=reason,
    )


def _why_none(figures: Figures) -> str:
    return NONE_JUDGED if figures.n_runs else NO_FAILURE
