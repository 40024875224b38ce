"""The judge of dependencies: what it is shown, and how it decides."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from ethogram.judging.check import QUESTION
from ethogram.judging.dependencies import (
    RESULT_CHARACTERS,
    TOLD_CHARACTERS,
    JudgedDependencies,
    dependency_question,
)  # fmt: skip
from ethogram.judging.prompt import render
from ethogram.results.answers import Derivation
from ethogram.results.judges import Answer, DependencyJudge, DependencyQuestion, Judge, Question


class Votes:
    """A judge that answers as it is told, question by question and sample by sample."""

    name = "votes"

    def __init__(self, votes: dict[str, Sequence[bool | None]]) -> None:
        self._votes = votes
        self.samples = max(map(len, votes.values()))

    def ask(self, questions: Sequence[Question[Any]]) -> list[Answer[Any] | None]:
        given = [self._votes[str(each.parts["value"])][each.sample] for each in questions]
        return [
            None if vote is None else Answer(value=Derivation("", vote), judge=self.name)
            for vote in given
        ]


def candidates(values: Sequence[str]) -> list[DependencyQuestion]:
    return [msgspec.structs.replace(QUESTION, value=value) for value in values]


@pytest.mark.parametrize(
    ("votes", "derived"),
    [
        ([True], True),
        ([False], False),
        ([None], None),
        ([True, False, True], True),
        ([False, False, True], False),
        ([True, False, None], None),
        ([None, None, True], True),
    ],
)
def test_the_majority_decides(votes: list[bool | None], derived: bool | None) -> None:
    judge: Judge = Votes({"x": votes})
    judged: DependencyJudge = JudgedDependencies(judge)

    assert judged.derived(candidates(["x"])) == [derived]


def test_answers_stand_in_the_order_of_the_questions() -> None:
    judged = JudgedDependencies(Votes({"x": [True, True], "y": [False, False], "z": [None, True]}))

    assert judged.derived(candidates(["x", "y", "z", "x"])) == [True, False, True, True]
    assert judged.derived([]) == []


def test_long_texts_are_shown_around_the_value() -> None:
    filler = "lorem " * 10_000
    long = msgspec.structs.replace(
        QUESTION, result=f"{filler}R-70415{filler}", told=(f"{filler}R-70415", filler)
    )
    parts = dependency_question(long).parts
    result, told = str(parts["result"]), parts["told"]
    assert isinstance(told, tuple)
    text = render(dependency_question(long)).text

    assert "R-70415" in result
    assert len(result) < RESULT_CHARACTERS + 100
    assert "R-70415" in told[0]
    assert all(len(each) < TOLD_CHARACTERS + 100 for each in told)
    assert text.count("characters left out") == 2 + 1 + 1
    assert "get_reservations" in text
