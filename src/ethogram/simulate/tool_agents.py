"""Simulated systems that call tools: habits, skill and errors, every one a field.

Whatever such a system does beyond what its task asks for follows from its `ToolHabits`; how often
it succeeds does not. A student takes over a teacher's habits by a stated weight, while its skill is
set apart from that.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from ethogram.errors import UsageError
from ethogram.simulate.draw import generator
from ethogram.simulate.tool_shop import ERRANDS

OptionalHabits = Mapping[str, Mapping[str, float]]

OPTIONAL_MEAN: Final = 0.3
ORDER_MEANS: Final[Mapping[str, float]] = {
    "read_before_write": 0.3,
    "read_after_write": 0.3,
    "retry": 0.5,
    "look_up": 0.7,
}
"""Mean probabilities of drawn habits. They follow beta(mean, 1 - mean): most are near never or
always, as what a system does with one tool at one class of tasks is."""


class ToolHabits(msgspec.Struct, frozen=True, kw_only=True):
    """What a system does of its own accord. Every number is a probability.

    Raises
    ------
    UsageError
        If a number lies outside 0 to 1, or a tool is not one of an errand's choices.
    """

    optional: OptionalHabits
    """Of calling each optional tool, by errand; tools that aren't named are never called."""
    read_before_write: float
    """Of looking once more at what a call is about to change, unless the call before did."""
    read_after_write: float
    """Of looking at what a call has changed."""
    retry: float
    """Of trying a failed call again at once; otherwise the system searches for help first."""
    look_up: float
    """Of taking an id from results; otherwise the system asks the user for it at the outset."""

    def __post_init__(self) -> None:
        rates = [getattr(self, name) for name in ORDER_MEANS]
        rates += [rate for tools in self.optional.values() for rate in tools.values()]
        if not all(0 <= rate <= 1 for rate in rates):
            raise UsageError(
                f"habits are probabilities from 0 to 1; got {min(rates)}, {max(rates)}"
            )
        known = {(errand.name, choice.tool) for errand in ERRANDS for choice in errand.choices}
        named = {(errand, tool) for errand, tools in self.optional.items() for tool in tools}
        if named - known:
            errand, tool = min(named - known)
            raise UsageError(f"errand {errand!r} has no optional tool {tool!r}")


class ToolSystem(msgspec.Struct, frozen=True, kw_only=True):
    """A simulated system that calls tools.

    Raises
    ------
    UsageError
        If a number lies outside 0 to 1.
    """

    name: str
    habits: ToolHabits
    skill: float
    """Probability that a run succeeds. One that fails leaves mandatory calls out or ends early, so
    that its graph is smaller."""
    gives_up: float = 0.5
    """Probability that a run that fails ends early, after a share of its calls drawn evenly;
    otherwise it goes on to the end without some of its mandatory calls."""
    leaves_out: float = 0.3
    """Probability of leaving out each mandatory call, one at least, in a run that fails and goes on
    to the end."""
    error_rate: float = 0.08
    """Probability that a call fails when it is first made."""

    def __post_init__(self) -> None:
        rates = (self.skill, self.gives_up, self.leaves_out, self.error_rate)
        if not all(0 <= rate <= 1 for rate in rates):
            raise UsageError(f"system {self.name!r}: rates lie between 0 and 1; got {rates}")


def student_of(
    base: ToolSystem,
    teacher: ToolSystem,
    weight: float,
    *,
    name: str = "student",
    skill: float | None = None,
    order_weight: float | None = None,
) -> ToolSystem:
    """A system that has taken over a share of a teacher's habits.

    Each probability is ``(1 - weight) * base + weight * teacher``.

    Parameters
    ----------
    base, teacher : ToolSystem
        Whose habits are mixed.
    weight : float
        0: the habits of the base; 1: those of the teacher.
    name : str
        Name of the student.
    skill : float, optional
        Success of the student, whatever the weight; that of the base if left out.
    order_weight : float, optional
        Weight of the habits that aren't about optional tools (reads around writes, retries, taking
        ids from results); ``weight`` if left out.

    Raises
    ------
    UsageError
        If a weight lies outside 0 to 1.

    Examples
    --------
    >>> base, teacher = draw_system("base", seed=1), draw_system("teacher", seed=1)
    >>> student_of(base, teacher, 1.0).habits == teacher.habits
    True
    """
    other = weight if order_weight is None else order_weight
    if not (0 <= weight <= 1 and 0 <= other <= 1):
        raise UsageError(f"weights lie between 0 and 1; got {weight} and {other}")
    mine, theirs = base.habits, teacher.habits
    optional = {
        errand.name: {
            choice.tool: _mixed(
                mine.optional.get(errand.name, {}).get(choice.tool, 0.0),
                theirs.optional.get(errand.name, {}).get(choice.tool, 0.0),
                weight,
            )
            for choice in errand.choices
        }
        for errand in ERRANDS
    }
    order = {
        part: _mixed(getattr(mine, part), getattr(theirs, part), other) for part in ORDER_MEANS
    }
    habits = ToolHabits(optional=optional, **order)
    return replace(base, name=name, habits=habits, skill=base.skill if skill is None else skill)


def _mixed(mine: float, theirs: float, weight: float) -> float:
    return (1 - weight) * mine + weight * theirs


def draw_system(name: str, *, seed: int, skill: float = 0.7) -> ToolSystem:
    """Draw a system's habits: those of two systems of different names are independent.

    Parameters
    ----------
    name : str
        The system's name.
    seed : int
        Same seed and name, same habits.
    skill : float
        Probability that a run succeeds.

    Examples
    --------
    >>> draw_system("a", seed=0).habits == draw_system("b", seed=0).habits
    False
    """
    rng = generator(seed, "habits", name)
    optional = {
        errand.name: {choice.tool: _drawn(OPTIONAL_MEAN, rng) for choice in errand.choices}
        for errand in ERRANDS
    }
    order = {part: _drawn(mean, rng) for part, mean in ORDER_MEANS.items()}
    return ToolSystem(name=name, habits=ToolHabits(optional=optional, **order), skill=skill)


def _drawn(mean: float, rng: np.random.Generator) -> float:
    return float(rng.beta(mean, 1 - mean))
