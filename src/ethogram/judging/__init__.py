"""Judging: questions to a language model, answers kept, and what they cost.

A measure knows the protocol `ethogram.results.judges.Judge` only; here is what implements it.
"""

from ethogram.judging.budget import Budget, parse_budget
from ethogram.judging.dependencies import JudgedDependencies
from ethogram.judging.judge import LlmJudge
from ethogram.judging.opening import open_judges, rehearsals
from ethogram.judging.rehearsal import Rehearsal
from ethogram.judging.settings import JudgeSettings

__all__ = [
    "Budget",
    "JudgeSettings",
    "JudgedDependencies",
    "LlmJudge",
    "Rehearsal",
    "open_judges",
    "parse_budget",
    "rehearsals",
]
