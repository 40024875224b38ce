"""The questions that measures put to a judge.

The names of the parts are those of the prompts in ``ethogram/judging/prompts``; a test holds the
two together.
"""

from collections.abc import Mapping, Sequence

from ethogram.results.answers import (
    BlockScores,
    FailureReading,
    Goal,
    GoalGroups,
    ReplyScore,
    Stages,
)  # fmt: skip
from ethogram.results.judges import Question


def stages_question(
    items: Sequence[str], stages: Mapping[str, str], *, task: str | None = None
) -> Question[Stages]:
    """In which stage each item of a run was said or done.

    Parameters
    ----------
    items : sequence of str
        Thoughts and replies of a run in order, each with the calls around it.
    stages : mapping of str to str
        Name of a stage to what belongs to it.
    task : str, optional
        What the run was asked to do.
    """
    listed = "\n".join(f"{name}: {about}" for name, about in stages.items())
    parts = {"task": task, "stages": listed, "items": tuple(items)}
    return Question(prompt="stages", answer=Stages, parts=parts, choices=tuple(stages))


def similarity_question(
    first: str, second: str, *, stage: str | None = None
) -> Question[BlockScores]:
    """How alike two blocks are in style, structure and alignment, 1 to 5 each.

    Parameters
    ----------
    first, second : str
        What two runs said in one stage.
    stage : str, optional
        The stage and what belongs to it; without one the blocks are whole runs.
    """
    parts = {"stage": stage, "first": first, "second": second}
    return Question(prompt="similarity", answer=BlockScores, parts=parts)


def replies_question(first: str, second: str) -> Question[ReplyScore]:
    """How alike all replies of two runs are, in one score of 1 to 5 (RSE)."""
    parts = {"first": first, "second": second}
    return Question(prompt="replies", answer=ReplyScore, parts=parts)


def failure_question(
    submission: str,
    *,
    task: str | None,
    reference: str | None = None,
    submission_first: bool = False,
) -> Question[FailureReading]:
    """Whether a failed run misread its task or carried out a right reading badly.

    Parameters
    ----------
    submission : str
        What the run handed in, without its system's name.
    task : str or None
        What it was asked to do.
    reference : str, optional
        A fix that is known to be right.
    submission_first : bool
        Show the submission before the reference and the task, not after them: the same question,
        to see whether the order decides the answer.
    """
    parts = {"task": task, "reference": reference, "submission": submission}
    prompt = "failure_reversed" if submission_first else "failure"
    return Question(prompt=prompt, answer=FailureReading, parts=parts)


def goal_question(submission: str, *, task: str | None) -> Question[Goal]:
    """What a submission sets out to do, in a sentence."""
    parts = {"task": task, "submission": submission}
    return Question(prompt="goal", answer=Goal, parts=parts)


def same_goals_question(goals: Sequence[str], *, task: str | None) -> Question[GoalGroups]:
    """Which of several goals at one task are the same."""
    parts = {"task": task, "items": tuple(goals)}
    return Question(prompt="same_goals", answer=GoalGroups, parts=parts)
