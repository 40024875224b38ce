"""Do the failed runs of a task aim at the same thing? A judge states goals, then groups them.

Each submission's goal is stated without the other submissions and without the reference in sight.
The goals of one system's failed runs of one task are then grouped in one question, which is asked
twice: with the goals in their order and in the opposite one.

References
----------
Mehta (2026), Consistency Amplifies, section 4.4: consistent wrong interpretation.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import Final, TypeAlias

import msgspec
import numpy as np

from ethogram.measures.variance.failed_runs import FailedRun
from ethogram.measures.variance.questioning import Questioning
from ethogram.measures.variance.raters import ratings_of
from ethogram.results.answers import GoalGroups
from ethogram.results.excerpts import cut_middle
from ethogram.results.questions import goal_question, same_goals_question
from ethogram.results.ratings import Ratings

GOAL_CHARACTERS: Final = 500

Groups: TypeAlias = tuple[int, ...]
"""Group of each goal, numbered from 0 as they first appear."""


class TaskGoals(msgspec.Struct, frozen=True):
    """The goals of one system's failed runs of one task.

    Attributes
    ----------
    runs : tuple of FailedRun
        Those that handed something in.
    goals : tuple of str or None
        What each sets out to do; None without an answer.
    given, reversed : tuple of Groups or None
        How the judge grouped the goals that it stated, a sample each, in either order of them;
        None without an answer. Empty where fewer than two goals are stated.
    """

    runs: tuple[FailedRun, ...]
    goals: tuple[str | None, ...]
    given: tuple[Groups | None, ...] = ()
    reversed: tuple[Groups | None, ...] = ()

    @property
    def stated(self) -> list[int]:
        """Places of the runs whose goal is stated."""
        return [place for place, goal in enumerate(self.goals) if goal is not None]

    @property
    def answers(self) -> list[Groups]:
        """Every grouping that the judge gave."""
        return [groups for groups in (*self.given, *self.reversed) if groups is not None]

    @property
    def groups(self) -> Groups | None:
        """The first grouping, in the order of the stated goals."""
        return next(iter(self.answers), None)

    @property
    def one_group(self) -> float | None:
        """Share of the groupings, both orders counting alike, that put all runs into one group.

        None where there are fewer than two runs, a grouping is missing in one of the orders, or
        all stated goals are one but the goal of a run is missing.
        """
        each = [[groups for groups in order if groups] for order in (self.given, self.reversed)]
        if len(self.runs) < 2 or not all(each):
            return None
        shares = [[float(len(set(groups)) == 1) for groups in order] for order in each]
        share = float(np.mean([np.mean(order) for order in shares]))
        return share if len(self.stated) == len(self.runs) or share == 0 else None

    @property
    def consistent_wrong(self) -> bool | None:
        """Whether all failed runs aim at one thing; None if unknown or the groupings disagree."""
        share = self.one_group
        return None if share is None or 0 < share < 1 else share == 1

    @property
    def equal_submissions(self) -> bool | None:
        """Whether all change the same lines; None for fewer than two runs."""
        if len(self.runs) < 2:
            return None
        return len({run.changes for run in self.runs}) == 1


def ask_goals(runs: Sequence[FailedRun], questioning: Questioning) -> list[TaskGoals]:
    """Let a judge state the goal of each run, then group the goals of each system and task.

    Parameters
    ----------
    runs : sequence of FailedRun
        Those that can be judged, the runs of one system and task one after the other.
    questioning : Questioning
        The judge. A goal is stated once, however many samples it gives of groupings.
    """
    stated = questioning.once([goal_question(run.submission, task=run.prompt) for run in runs])
    goals = [None if answer is None else answer.goal for answer in stated]
    places = groupby(range(len(runs)), key=lambda place: runs[place].group)
    made = [
        TaskGoals(tuple(runs[place] for place in chosen), tuple(goals[place] for place in chosen))
        for chosen in (list(some) for _, some in places)
    ]
    return _grouped(made, questioning)


def _grouped(tasks: Sequence[TaskGoals], questioning: Questioning) -> list[TaskGoals]:
    asked = [place for place, task in enumerate(tasks) if len(task.stated) > 1]
    questions = [
        same_goals_question(goals, task=tasks[place].runs[0].prompt)
        for place in asked
        for goals in _orders(tasks[place])
    ]
    answers = iter(questioning.samples(questions))
    done = list(tasks)
    for place in asked:
        given, turned = next(answers), next(answers)
        done[place] = msgspec.structs.replace(
            tasks[place],
            given=tuple(None if each is None else tuple(each.in_order()) for each in given),
            reversed=tuple(None if each is None else _turned(each) for each in turned),
        )
    return done


def _orders(task: TaskGoals) -> tuple[list[str], list[str]]:
    goals = [cut_middle(goal, GOAL_CHARACTERS) for goal in task.goals if goal is not None]
    return goals, goals[::-1]


def _turned(answer: GoalGroups) -> Groups:
    """A grouping of the goals in the opposite order, as one of the goals in theirs."""
    groups = answer.in_order()[::-1]
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    return tuple(places[group] for group in groups)


def two_orders_of_goals(tasks: Sequence[TaskGoals]) -> Ratings:
    """Whether two runs aim at the same thing, by the grouping in one order and in the other.

    An item is a pair of runs and a sample; the share of equal ratings is the Rand index.
    """
    return ratings_of(row for task in tasks for row in _pairs(task))


def _pairs(task: TaskGoals) -> Iterator[tuple[str, tuple[str, ...], int, int]]:
    run_ids = [task.runs[place].run_id for place in task.stated]
    for one, other in zip(task.given, task.reversed, strict=True):
        if one is None or other is None:
            continue
        for first, second in combinations(range(len(run_ids)), 2):
            pair = (run_ids[first], run_ids[second])
            yield task.runs[0].task, pair, one[first] == one[second], other[first] == other[second]
