"""A dry run: nobody is asked, and what asking would cost is counted."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from ethogram.judging.budget import Usage
from ethogram.judging.cache import Cache, digest_of
from ethogram.judging.judge import LlmJudge
from ethogram.judging.parse import UnfitAnswerError, parse
from ethogram.judging.rounds import Asked
from ethogram.judging.tally import Plan
from ethogram.results.answers import (
    BlockScores,
    Derivation,
    FailureReading,
    Goal,
    GoalGroups,
    GroupOfItem,
    ReplyScore,
    StageOfItem,
    Stages,
)  # fmt: skip
from ethogram.results.judges import Answer, Question

T = TypeVar("T", bound=msgspec.Struct)

_STAND_IN: Final = "stand-in"


def _stages(question: Question[Any]) -> Stages:
    """Stages in turn: as many runs share as many stages as can be, which costs most."""
    items, names = question.parts["items"] or (), question.choices
    labelled = (StageOfItem(place + 1, names[place % len(names)]) for place in range(len(items)))
    return Stages(tuple(labelled))


def _goal(question: Question[Any]) -> Goal:
    """A goal as long as a sentence, another one for another submission: later questions hold it."""
    return Goal(2 * digest_of(str(question.parts["submission"])))


def _groups(question: Question[Any]) -> GoalGroups:
    items = question.parts["items"] or ()
    return GoalGroups(tuple(GroupOfItem(place + 1, place + 1) for place in range(len(items))))


STAND_INS: Final[dict[type[msgspec.Struct], Callable[[Question[Any]], msgspec.Struct]]] = {
    Stages: _stages,
    BlockScores: lambda _: BlockScores(_STAND_IN, 3, 3, 3, 3),
    ReplyScore: lambda _: ReplyScore(_STAND_IN, 3),
    Derivation: lambda _: Derivation(_STAND_IN, derived=True),
    FailureReading: lambda _: FailureReading(_STAND_IN, _STAND_IN, "unclear"),
    Goal: _goal,
    GoalGroups: _groups,
}


class Rehearsal:
    """Stands in for a judge, with answers that mean nothing; implements the same protocol.

    Answers that the cache has are given as they are. The others are stand-ins, so that a measure
    whose later questions hang on earlier answers comes to ask those too; what it computes from
    them is to be thrown away.

    Parameters
    ----------
    judge : LlmJudge
        Who would be asked.
    """

    def __init__(self, judge: LlmJudge) -> None:
        self._judge = judge
        self._new: dict[str, Usage] = {}
        self._kept: set[str] = set()

    @property
    def name(self) -> str:
        """Name of who would be asked."""
        return self._judge.name

    @property
    def samples(self) -> int:
        """Answers to the same question."""
        return self._judge.samples

    @property
    def plan(self) -> Plan:
        """What asking would take, over all that was put so far."""
        return self._judge.plan(self._new.values(), len(self._kept))

    def ask(self, questions: Sequence[Question[T]]) -> list[Answer[T] | None]:
        """Count the questions; answer from the cache or with stand-ins."""
        asked = [self._judge.put(question) for question in questions]
        with Cache(self._judge.settings.cache).session(make=False) as session:
            found = session.find(each.address for each in asked)
        self._kept |= found.keys()
        self._new |= {each.address: each.expected for each in asked if each.address not in found}
        return [
            self._answer(each, found[each.address].answer if each.address in found else None)
            for each in asked
        ]

    def _answer(self, asked: Asked, text: str | None) -> Answer[Any] | None:
        if text is None:
            value = STAND_INS[asked.question.answer](asked.question)
        else:
            try:
                value = parse(text, asked.question)
            except UnfitAnswerError:
                return None
        return Answer(value=value, judge=self.name, prompt_version=asked.version)
