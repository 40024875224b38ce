"""What a judge's answers hold, with the ranges that are let in.

Every answer gives its reason before its verdict: a model that writes from left to right weighs
before it decides.
"""

from typing import Annotated, Literal

import msgspec

Score = Annotated[int, msgspec.Meta(ge=1, le=5)]
"""1 nothing alike, 3 alike in part, 5 alike throughout."""
Reason = Annotated[str, msgspec.Meta(max_length=4000)]
Number = Annotated[int, msgspec.Meta(ge=1)]


class StageOfItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stage that an item of a run belongs to."""

    item: Number
    """Number of the item, from 1."""
    stage: str


class Stages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stage of every item of a run, each item once."""

    items: tuple[StageOfItem, ...]

    def in_order(self) -> list[str]:
        """The stages in the order of the items."""
        return [each.stage for each in sorted(self.items, key=lambda each: each.item)]


class BlockScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How alike two blocks of replies are."""

    reason: Reason
    style: Score
    structure: Score
    alignment: Score
    overall: Score


class ReplyScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How alike all replies of two runs are."""

    reason: Reason
    score: Score


class Derivation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a value was taken from a result."""

    reason: Reason
    derived: bool


class FailureReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a run failed: it aimed at the wrong thing, or missed the right one."""

    reason: Reason
    goal: Reason
    """What the submission sets out to do, in a sentence."""
    error: Literal["interpretation", "execution", "unclear"]


class Goal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission sets out to do."""

    goal: Reason


class GroupOfItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The group that a goal belongs to."""

    item: Number
    group: Number


class GoalGroups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which goals are the same: equal numbers of group."""

    items: tuple[GroupOfItem, ...]

    def in_order(self) -> list[int]:
        """The groups in the order of the goals, renumbered from 0 as they first appear."""
        groups = [each.group for each in sorted(self.items, key=lambda each: each.item)]
        places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
        return [places[group] for group in groups]
