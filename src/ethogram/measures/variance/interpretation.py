"""Did a failed run aim at the wrong thing, or miss the right one? A judge says.

Every failed run that handed something in is put to the judge twice: with the task first and the
submission last, and the other way round. Nothing here knows who judges: a judge is handed in
(`ethogram.results.judges.Judge`).

References
----------
Mehta (2026), Consistency Amplifies, section 4.4: interpretation error, execution error.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec
import numpy as np

from ethogram.measures.variance.failed_runs import FailedRun
from ethogram.measures.variance.questioning import Questioning
from ethogram.measures.variance.raters import ratings_of
from ethogram.results.answers import FailureReading
from ethogram.results.questions import failure_question
from ethogram.results.ratings import Ratings

INTERPRETATION: Final = "interpretation"
EXECUTION: Final = "execution"
UNCLEAR: Final = "unclear"
LABELS: Final = (INTERPRETATION, EXECUTION, UNCLEAR)
DISAGREE: Final = "orders disagree"
NO_ANSWER: Final = "no answer"
VERDICTS: Final = (*LABELS, DISAGREE, NO_ANSWER)

Answers: TypeAlias = Sequence[FailureReading | None]


class Reading(msgspec.Struct, frozen=True):
    """What a judge said of a failed run, in both orders, each as often as it gives samples."""

    run: FailedRun
    task_first: Answers
    submission_first: Answers

    @property
    def orders(self) -> tuple[Answers, Answers]:
        """The answers in the one order and in the other."""
        return self.task_first, self.submission_first

    @property
    def labels(self) -> tuple[str | None, str | None]:
        """The label that most answers give, in each order; None without an answer."""
        first, second = (most(labels_of(answers)) for answers in self.orders)
        return first, second

    @property
    def verdict(self) -> str:
        """The label on which both orders agree, or why there is none."""
        first, second = self.labels
        if first is None or second is None:
            return NO_ANSWER
        return first if first == second else DISAGREE

    def share(self, label: str) -> float | None:
        """Share of the answers with a label, both orders counting alike; None as `verdict`.

        A run on which the orders disagree counts by halves.
        """
        each = [labels_of(answers) for answers in self.orders]
        if not all(each):
            return None
        return float(np.mean([labels.count(label) / len(labels) for labels in each]))

    @property
    def reason(self) -> str | None:
        """Why, in the words of the first answer that there is."""
        answers = (*self.task_first, *self.submission_first)
        return next((each.reason for each in answers if each is not None), None)


def labels_of(answers: Answers) -> list[str]:
    """The labels of those answers that there are."""
    return [answer.error for answer in answers if answer is not None]


def most(labels: Sequence[str]) -> str | None:
    """The most frequent label; ``unclear`` for a tie, None for none.

    >>> most(["execution", "execution", "unclear"]), most(["execution", "interpretation"]), most([])
    ('execution', 'unclear', None)
    """
    ranked = Counter(labels).most_common()
    if not ranked:
        return None
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return UNCLEAR if tied else ranked[0][0]


def ask_readings(runs: Sequence[FailedRun], questioning: Questioning) -> list[Reading]:
    """Ask for each run why it failed, in both orders.

    Parameters
    ----------
    runs : sequence of FailedRun
        Those that can be judged.
    questioning : Questioning
        The judge.
    """
    questions = [
        failure_question(
            run.submission,
            task=run.prompt,
            reference=run.reference,
            submission_first=submission_first,
        )
        for run in runs
        for submission_first in (False, True)
    ]
    answers = questioning.samples(questions)
    return [
        Reading(run, answers[2 * place], answers[2 * place + 1]) for place, run in enumerate(runs)
    ]


def two_orders(readings: Sequence[Reading]) -> Ratings:
    """Labels of the same run and sample in one order and in the other."""
    return _ratings(
        (reading.run, *pair)
        for reading in readings
        for pair in zip(reading.task_first, reading.submission_first, strict=True)
    )


def asked_twice(readings: Sequence[Reading]) -> Ratings:
    """The first two answers to the same question."""
    return _ratings(
        (reading.run, answers[0], answers[1])
        for reading in readings
        for answers in reading.orders
        if len(answers) > 1
    )


def two_judges(first: Sequence[Reading], second: Sequence[Reading]) -> Ratings:
    """Both judges' labels of the same run, order and sample."""
    return _ratings(
        (one.run, *pair)
        for one, other in zip(first, second, strict=True)
        for answers in zip(one.orders, other.orders, strict=True)
        for pair in zip(*answers, strict=False)
    )


def _ratings(
    rows: Iterable[tuple[FailedRun, FailureReading | None, FailureReading | None]],
) -> Ratings:
    return ratings_of(
        (run.task, (run.run_id,), LABELS.index(one.error), LABELS.index(other.error))
        for run, one, other in rows
        if one is not None and other is not None
    )
