"""Runs whose truth is known: built by hand (`build`) or drawn from stated policies."""

from ethogram.simulate.draw import simulate
from ethogram.simulate.policy import Level, Policy, Spending, planned
from ethogram.simulate.systems import DEFAULT, ERRATIC, HASTY, LEVELS, METHODICAL, SYSTEMS
from ethogram.simulate.tool_agents import ToolHabits, ToolSystem, draw_system, student_of
from ethogram.simulate.tool_runs import simulate_tools
from ethogram.simulate.truth import Truth, true_parameters

__all__ = [
    "DEFAULT",
    "ERRATIC",
    "HASTY",
    "LEVELS",
    "METHODICAL",
    "SYSTEMS",
    "Level",
    "Policy",
    "Spending",
    "ToolHabits",
    "ToolSystem",
    "Truth",
    "draw_system",
    "planned",
    "simulate",
    "simulate_tools",
    "student_of",
    "true_parameters",
]
