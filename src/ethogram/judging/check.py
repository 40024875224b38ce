"""One small question, to see whether a judge can be asked."""

from typing import Final

from ethogram.judging.dependencies import dependency_question
from ethogram.results.judges import DependencyQuestion, Judge

QUESTION: Final = DependencyQuestion(
    run_id="",
    source=0,
    target=1,
    source_tool="get_reservations",
    target_tool="cancel_reservation",
    value="R-70415",
    result='{"reservations": [{"id": "R-70415", "to": "Oslo"}]}',
    told=("Please cancel my flight to Oslo.",),
)


def check_judge(judge: Judge) -> str:
    """Ask whether a plainly derived value is derived, and say what came of it.

    Raises
    ------
    JudgeError
        If the judge can't be asked.
    """
    (answer,) = judge.ask([dependency_question(QUESTION)])
    if answer is None:
        return f"{judge.name} gave no answer that fits."
    if answer.value.derived:
        return f"{judge.name} answers in the form that was asked for, and rightly."
    return f"{judge.name} answers in the form that was asked for, but wrongly: no good judge."
