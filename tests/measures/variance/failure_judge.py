"""Runs that fail, and a judge of failures whose answers are known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from ethogram.cohort import Cohort
from ethogram.ingest import from_trajectories
from ethogram.results.answers import FailureReading, Goal, GoalGroups, GroupOfItem
from ethogram.results.judges import Answer, Question
from ethogram.simulate.build import run

T = TypeVar("T", bound=msgspec.Struct)

WORDS = {"I": "interpretation", "E": "execution", "U": "unclear"}
_MARK = re.compile(r"<(\w+) (\w+)>")


def marked(errors: str, goal: str, more: str = "") -> str:
    """A submission that tells the scripted judge what to say.

    ``errors``: a letter (I, E, U; x for no answer) for each order, the task first and then the
    submission first. ``goal``: equal ones are grouped; x for no answer.
    """
    return f"<{errors} {goal}> {more}"


def by_mark(question: Question[Any]) -> msgspec.Struct | None:
    """What a submission's mark says."""
    found = _MARK.search(str(question.parts["submission"]))
    assert found is not None
    errors, goal = found[1], found[2]
    if question.answer is Goal:
        return None if goal == "x" else Goal(goal)
    word = WORDS.get(errors[question.prompt == "failure_reversed"])
    return None if word is None else FailureReading(f"because of {errors}", goal, word)  # type: ignore[arg-type]


def by_equality(question: Question[Any]) -> GoalGroups | None:
    """Equal goals are the same."""
    items = question.parts["items"]
    assert isinstance(items, tuple)
    numbers = {goal: place for place, goal in enumerate(dict.fromkeys(items), start=1)}
    return GoalGroups(tuple(GroupOfItem(n, numbers[goal]) for n, goal in enumerate(items, 1)))


@dataclass
class FailureJudge:
    """Answers by functions; None is no answer."""

    reading: Callable[[Question[Any]], msgspec.Struct | None] = by_mark
    grouping: Callable[[Question[Any]], GoalGroups | None] = by_equality
    name: str = "scripted"
    samples: int = 1
    asked: list[Question[Any]] = field(default_factory=list)

    def ask(self, questions: Sequence[Question[T]]) -> list[Answer[T] | None]:
        self.asked += questions
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question[Any]) -> Answer[Any] | None:
        grouped = question.answer is GoalGroups
        value = self.grouping(question) if grouped else self.reading(question)
        if value is None:
            return None
        return Answer(value=value, judge=self.name, prompt_version=1)

    def of(self, prompt: str) -> list[Question[Any]]:
        """What it was asked by a prompt."""
        return [question for question in self.asked if question.prompt == prompt]


def failing(tasks: dict[str, list[str | None]], system: str = "ours", **fields: Any) -> list[Any]:
    """Runs of one system: a failed one for each submission of each task.

    A submission that begins with "ok" is of a run that succeeds.
    """
    given = {"prompt": "Mend the clock."} | fields
    return [
        run(
            ["ls"],
            system=system,
            task=task,
            trial=trial,
            success=bool(submission and submission.startswith("ok")),
            submission=submission,
            **given,
        )
        for task, submissions in tasks.items()
        for trial, submission in enumerate(submissions)
    ]


def cohort_of(*runs: list[Any]) -> Cohort:
    return from_trajectories([each for some in runs for each in some])
