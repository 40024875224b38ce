"""Dependencies between calls, verified by a judge."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ethogram.results.answers import Derivation
from ethogram.results.excerpts import cut_around
from ethogram.results.judges import DependencyQuestion, Judge, Part, Question, ask_samples

RESULT_CHARACTERS: Final = 8_000
"""Of a result, around the value."""
TOLD_CHARACTERS: Final = 3_000
"""Of each thing that was told, around the value where it stands there."""


class JudgedDependencies:
    """Asks a judge whether values were taken from results; implements `DependencyJudge`.

    Parameters
    ----------
    judge : Judge
        Who answers. With several samples the majority decides, and a tie is no answer.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def derived(self, questions: Sequence[DependencyQuestion]) -> list[bool | None]:
        """Answer each question: True if the value comes from the result; None: no answer."""
        answers = ask_samples(self._judge, [dependency_question(each) for each in questions])
        return [_majority([each.derived for each in some if each]) for some in answers]


def dependency_question(candidate: DependencyQuestion) -> Question[Derivation]:
    """A candidate in the words of the judge: long texts are cut around the value."""
    value = candidate.value
    parts: dict[str, Part] = {
        "value": value,
        "tools": f"first: {candidate.source_tool}\nsecond: {candidate.target_tool}",
        "result": cut_around(candidate.result, value, RESULT_CHARACTERS),
        "told": tuple(cut_around(text, value, TOLD_CHARACTERS) for text in candidate.told),
    }
    return Question(prompt="dependency", answer=Derivation, parts=parts)


def _majority(votes: Sequence[bool]) -> bool | None:
    """What most say; None for a tie and for no votes.

    >>> _majority([True, True, False]), _majority([True, False]), _majority([])
    (True, None, None)
    """
    counts = Counter(votes)
    return None if counts[True] == counts[False] else counts[True] > counts[False]
