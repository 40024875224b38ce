"""Judges whose answers are known, in place of a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from zlib import crc32

import msgspec
import numpy as np

from ethogram.results.answers import BlockScores, ReplyScore, StageOfItem, Stages
from ethogram.results.judges import Answer, Question

T = TypeVar("T", bound=msgspec.Struct)

Scores = tuple[int, int, int, int]
"""Style, structure, alignment, overall."""


def by_mark(item: str, choices: Sequence[str]) -> str:
    """The stage whose name an item holds; the first where it holds none."""
    return next((stage for stage in choices if f"<{stage}>" in item), choices[0])


@dataclass
class ScriptedJudge:
    """Answers by functions; None is no answer."""

    scores: Callable[[Question[Any]], Scores | None] = lambda _: (3, 3, 3, 3)
    stage: Callable[[str, Sequence[str]], str | None] = by_mark
    name: str = "scripted"
    samples: int = 1
    asked: list[Question[Any]] = field(default_factory=list)

    def ask(self, questions: Sequence[Question[T]]) -> list[Answer[T] | None]:
        self.asked += questions
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question[Any]) -> Answer[Any] | None:
        value: msgspec.Struct | None
        if question.answer is Stages:
            value = self._stages(question)
        else:
            found = self.scores(question)
            if found is None:
                return None
            one = ReplyScore("", found[3])
            value = one if question.answer is ReplyScore else BlockScores("", *found)
        return None if value is None else Answer(value=value, judge=self.name)

    def _stages(self, question: Question[Any]) -> Stages | None:
        items = question.parts["items"]
        assert isinstance(items, tuple)
        found = [self.stage(item, question.choices) for item in items]
        if None in found:
            return None
        return Stages(tuple(StageOfItem(n, str(each)) for n, each in enumerate(found, start=1)))


def noisy(question: Question[Any], *, at: float = 0.25, a_character: float = 0.001) -> Scores:
    """3, give or take more the longer the blocks are; another draw for each sample and order."""
    first, second = str(question.parts["first"]), str(question.parts["second"])
    seed = crc32(f"{question.sample}|{first}|{second}".encode())
    spread = at + a_character * (len(first) + len(second)) / 2
    drawn = 3 + spread * np.random.default_rng(seed).standard_normal(4)
    one, two, three, four = np.clip(drawn.round(), 1, 5).astype(int).tolist()
    return one, two, three, four
