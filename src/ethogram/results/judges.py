"""What a measure may ask a judge; who judges (a model, a person, a table) implements it."""

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

Part = str | tuple[str, ...] | None
"""A text, several numbered texts, or nothing recorded."""

T = TypeVar("T", bound=msgspec.Struct)


class Question(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One thing to judge. `ethogram.results.questions` makes them."""

    prompt: str
    """Name of the prompt that puts it into words."""
    answer: type[T]
    """What an answer looks like."""
    parts: Mapping[str, Part]
    """The texts that are judged, by the name under which the prompt speaks of them."""
    choices: tuple[str, ...] = ()
    """The words among which an answer must choose, where the prompt doesn't fix them."""
    sample: int = 0
    """Which of several answers to the same question, from 0."""


class Answer(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a judge answered, as the question wanted it."""

    value: T
    judge: str
    """Name of who answered."""
    prompt_version: int | None = None
    """Version of the words in which it was asked, for a result's provenance; None: no prompt."""


class Judge(Protocol):
    """Answers questions; measures know nothing else of it."""

    @property
    def name(self) -> str:
        """Who judges, as tables show it."""
        ...

    @property
    def samples(self) -> int:
        """How many answers to the same question are wanted, 1 or more."""
        ...

    def ask(self, questions: Sequence[Question[T]]) -> Sequence[Answer[T] | None]:
        """Answer each question, in order; None where there is no answer."""
        ...


def ask_samples(judge: Judge, questions: Sequence[Question[T]]) -> list[list[T | None]]:
    """Ask each question as many times as the judge is to answer, in one go.

    Parameters
    ----------
    judge : Judge
        Who answers.
    questions : sequence of Question
        What is asked; their sample numbers are set here.

    Returns
    -------
    list of list
        For each question its answers, one a sample; None where there is none.
    """
    asked = [
        msgspec.structs.replace(question, sample=sample)
        for question in questions
        for sample in range(judge.samples)
    ]
    answers = [None if answer is None else answer.value for answer in judge.ask(asked)]
    return [
        answers[place : place + judge.samples] for place in range(0, len(answers), judge.samples)
    ]


class DependencyQuestion(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A value that a call was given and that an earlier call's result held."""

    run_id: str
    source: int
    """Place of the earlier call among the run's calls, from 0."""
    target: int
    source_tool: str
    target_tool: str
    value: str
    """As it is written in the arguments."""
    result: str
    """What the earlier call returned."""
    told: tuple[str, ...]
    """What the user and the system text had said before that result came back."""


class DependencyJudge(Protocol):
    """Says whether values were taken from results, or were known beforehand."""

    def derived(self, questions: Sequence[DependencyQuestion]) -> Sequence[bool | None]:
        """Answer each question: True if the value comes from the result; None: no answer."""
        ...
