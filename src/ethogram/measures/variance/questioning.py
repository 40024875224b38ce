"""Asking a judge, with a count of what it was asked and left unanswered."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from ethogram.results.judges import Judge, Question

T = TypeVar("T", bound=msgspec.Struct)


@dataclass
class Questioning:
    """A judge, and what came of the questions put to it.

    Parameters
    ----------
    judge : Judge
        Who answers.
    """

    judge: Judge
    asked: Counter[str] = field(default_factory=Counter)
    """Questions by prompt; each sample is one."""
    missing: Counter[str] = field(default_factory=Counter)
    """Those without an answer."""
    versions: dict[str, int] = field(default_factory=dict)
    """Version of each prompt, where the judge has prompts."""

    def once(self, questions: Sequence[Question[T]]) -> list[T | None]:
        """One answer to each question."""
        answers = self.judge.ask(questions)
        for question, answer in zip(questions, answers, strict=True):
            self.asked[question.prompt] += 1
            if answer is None:
                self.missing[question.prompt] += 1
            elif answer.prompt_version is not None:
                self.versions[question.prompt] = answer.prompt_version
        return [None if answer is None else answer.value for answer in answers]

    def samples(self, questions: Sequence[Question[T]]) -> list[list[T | None]]:
        """To each question as many answers as the judge is to give, all asked in one go."""
        n = self.judge.samples
        answers = self.once(
            [
                msgspec.structs.replace(question, sample=sample)
                for question in questions
                for sample in range(n)
            ]
        )
        return [answers[place : place + n] for place in range(0, len(answers), n)]
