"""The three simulated systems and the tasks they meet: parameters, frozen.

Nothing here is fitted to real data; the systems differ in ways that measures must be able to tell.
"""

from collections.abc import Mapping
from typing import Final

from ethogram.actions.kinds import Kind
from ethogram.simulate.policy import Level, Policy, Spending, planned

LEVELS: Final = (
    Level(name="easy", share=0.4),
    Level(name="middling", share=0.35),
    Level(name="hard", share=0.25),
)

_KINDS, _PLAN = planned("xxxuuuuuuveveuevvo", repeat=0.3, skip=0.12)

_ALL_KINDS: Final[tuple[Kind, ...]] = ("explore", "understand", "edit", "verify", "other")

METHODICAL: Final = Policy(
    name="methodical",
    about="Follows one plan: looks around, reads, reproduces, mends in steps and checks each.",
    kinds=_KINDS,
    start=(1.0, *[0.0] * (len(_KINDS) - 1)),
    transition=_PLAN,
    success=(0.97, 0.75, 0.0),
    dwell=(1.0, 1.2, 1.5),
    same_patch=0.9,
    failing=0.1,
    heads={
        "explore": {"find": 0.7, "ls": 0.2, "grep": 0.1},
        "understand": {"cat": 0.5, "sed": 0.4, "git": 0.1},
        "edit": {"sed": 0.5, "python": 0.5},
        "verify": {"python": 0.7, "pytest": 0.3},
        "other": {"rm": 0.6, "git": 0.4},
    },
    prefix="cd /testbed && ",
    spending=Spending(
        prompt_tokens=3_000,
        tokens_an_action=900,
        output_tokens=(80, 320),
        seconds=6.0,
        input_price=1e-6,
        output_price=5e-6,
    ),
)

HASTY: Final = Policy(
    name="hasty",
    about="Lists the files, reads a little, edits at once and submits as soon as something passes.",
    kinds=_ALL_KINDS,
    start=(1.0, 0.0, 0.0, 0.0, 0.0),
    transition=(
        (0.10, 0.85, 0.05, 0.00, 0.00),
        (0.05, 0.35, 0.55, 0.05, 0.00),
        (0.00, 0.05, 0.15, 0.60, 0.05),
        (0.00, 0.15, 0.20, 0.10, 0.05),
        (0.05, 0.05, 0.00, 0.30, 0.00),
    ),
    success=(0.70, 0.25, 0.0),
    dwell=(1.0, 1.0, 1.3),
    empty=0.05,
    same_patch=0.3,
    failing=0.2,
    heads={
        "explore": {"ls": 0.9, "grep": 0.1},
        "understand": {"cat": 0.8, "head": 0.2},
        "edit": {"cat": 0.2, "sed": 0.8},
        "verify": {"python": 1.0},
        "other": {"pip": 0.5, "mkdir": 0.5},
    },
    spending=Spending(
        prompt_tokens=2_000,
        tokens_an_action=700,
        output_tokens=(150, 650),
        seconds=4.0,
        input_price=1e-6,
        output_price=8e-6,
    ),
)

ERRATIC: Final = Policy(
    name="erratic",
    about="Starts anywhere, changes its mind, and at times repeats itself until it is stopped.",
    kinds=_ALL_KINDS,
    start=(0.85, 0.06, 0.02, 0.03, 0.04),
    transition=(
        (0.30, 0.35, 0.15, 0.10, 0.10),
        (0.25, 0.30, 0.25, 0.10, 0.10),
        (0.15, 0.10, 0.20, 0.45, 0.05),
        (0.15, 0.15, 0.20, 0.20, 0.05),
        (0.30, 0.20, 0.20, 0.15, 0.05),
    ),
    success=(0.40, 0.15, 0.05),
    dwell=(1.0, 1.2, 1.5),
    loop=0.2,
    empty=0.25,
    same_patch=0.0,
    failing=0.35,
    heads={
        "explore": {"ls": 0.5, "find": 0.2, "grep": 0.3},
        "understand": {"cat": 0.4, "head": 0.3, "sed": 0.2, "git": 0.1},
        "edit": {"sed": 0.4, "cat": 0.3, "python": 0.3},
        "verify": {"python": 0.6, "pytest": 0.4},
        "other": {"pip": 0.4, "mkdir": 0.3, "git": 0.2, "rm": 0.1},
    },
    spending=Spending(
        prompt_tokens=2_500,
        tokens_an_action=800,
        output_tokens=(50, 250),
        seconds=9.0,
        input_price=3e-7,
        output_price=1e-6,
    ),
)

SYSTEMS: Final[Mapping[str, Policy]] = {
    policy.name: policy for policy in (METHODICAL, HASTY, ERRATIC)
}
DEFAULT: Final = tuple(SYSTEMS.values())
