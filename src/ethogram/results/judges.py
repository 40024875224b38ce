"""What a measure may ask a judge; who judges (a model, a person, a table) implements it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec


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
