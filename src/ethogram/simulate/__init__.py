"""Runs whose truth is known: built by hand (`build`) or drawn from stated policies."""

from ethogram.simulate.draw import simulate
from ethogram.simulate.policy import Level, Policy, Spending, planned
from ethogram.simulate.systems import DEFAULT, ERRATIC, HASTY, LEVELS, METHODICAL, SYSTEMS
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
    "Truth",
    "planned",
    "simulate",
    "true_parameters",
]
