"""The two axes: how alike runs are at one task, and from task to task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.measures.consistency.evidence import Evidence
from ethogram.measures.consistency.scales import (
    FEW_TASKS,
    Drawing,
    bcm,
    estimate,
    mean_over,
    minus,
    n_judged,
    widened,
)
from ethogram.measures.consistency.systems import ShuffledClouds, clouds, minus_null
from ethogram.results.estimate import Estimate
from ethogram.stats.cosine import MIN_RUNS, Directions, cross_task_of, within_task_of
from ethogram.stats.resampling import Statistic, evaluate_once

STEADY: Final = 0.2
"""A BCM whose interval lies above this counts as steady, below it as unsteady.

Between the 0.07 to 0.09 (across tasks) and the 0.30 to 0.35 (within a task) that Banerjee and
Raichura 2026 call fragmented and reproducible.
"""


@dataclass(frozen=True)
class Axes:
    """One system on the two axes, over the tasks with three or more runs.

    Attributes
    ----------
    gap : mapping of str to Estimate
        Within minus across tasks: raw (""), "_offset", and each with "_minus_null" behind it.
    profile : mapping of str to str
        By variant.
    n_tasks : int
    """

    gap: Mapping[str, Estimate]
    profile: Mapping[str, str]
    n_tasks: int


def axes_of(evidence: Evidence, name: str, *, drawing: Drawing, judged: bool = True) -> Axes:
    """Where a system stands on the two axes; raw, and beyond its success rate.

    With ``judged=False`` there is no profile: the predictor is no better than chance, or nothing
    tells what BCM is where outcomes mean nothing.
    """
    found = clouds(evidence, [name])
    gaps: dict[str, Estimate] = {}
    profiles = {}
    for variant, cloud in (("", found.raw), ("_offset", found.offset)):
        n_all = int(found.base.kept.sum())
        gaps[variant] = _gap(variant, _statistic(cloud), cloud, n_all=n_all, drawing=drawing)
        within, across = (
            bcm(scale, scale, cloud, drawing=drawing) for scale in ("within_task", "cross_task")
        )
        beyond = []
        if (shuffled := found.shuffled.get(variant)) is not None:
            gaps[f"{variant}_minus_null"] = _gap_minus_null(
                variant, shuffled, n_all=n_all, drawing=drawing
            )
            beyond = [
                minus_null(
                    f"{scale}{variant}_minus_null", scale, shuffled, n_all=n_all, drawing=drawing
                )
                for scale in ("within_task", "cross_task")
            ]
        profiles[variant] = profile_of(within, across, *beyond) if judged else NOT_ENOUGH
    return Axes(gaps, profiles, n_judged("within_task", found.offset)[0])


def _statistic(cloud: Directions) -> Statistic:
    same = cloud.restrict(cloud.sizes >= MIN_RUNS)
    return minus(within_task_of(same), cross_task_of(same))


def _gap(
    variant: str, statistic: Statistic, cloud: Directions, *, n_all: int, drawing: Drawing
) -> Estimate:
    n_tasks, n_runs = n_judged("within_task", cloud)
    return estimate(
        f"within_minus_cross{variant}",
        statistic,
        n_tasks,
        drawing=drawing,
        n_runs=n_runs,
        n_excluded=n_all - n_runs,
        bounds=(-2.0, 2.0),
        reason="needs two tasks with three runs that have attributions",
    )


def _gap_minus_null(
    variant: str, found: ShuffledClouds, *, n_all: int, drawing: Drawing
) -> Estimate:
    """Runs of one task behave alike, which makes attributions alike even by a chance predictor."""
    enough = found.observed.sizes >= MIN_RUNS
    nulls = [_statistic(null.restrict(enough)) for null in found.nulls]
    left = minus(_statistic(found.observed), mean_over(nulls))
    made = _gap(f"{variant}_minus_null", left, found.observed, n_all=n_all, drawing=drawing)
    drawn = np.array([evaluate_once(null, made.n_tasks) for null in nulls], dtype=np.float64)
    return widened(made, drawn[~np.isnan(drawn)])


NOT_ENOUGH: Final = "not enough data"
_PROFILES: Final[Mapping[tuple[bool, bool], str]] = {
    (True, True): "steady at both scales",
    (True, False): "locally steady but globally fragmented",
    (False, True): "steady from task to task, not at one task",
    (False, False): "unsteady at both scales",
}


def profile_of(
    within: Estimate,
    across: Estimate,
    within_minus_null: Estimate | None = None,
    across_minus_null: Estimate | None = None,
) -> str:
    """The two axes in words.

    Not enough data where tasks are few, where an interval holds `STEADY`, and where a BCM above it
    can't be told from its null.
    """
    sides = [_side(within, within_minus_null), _side(across, across_minus_null)]
    if within.n_tasks < FEW_TASKS or None in sides:
        return NOT_ENOUGH
    return _PROFILES[bool(sides[0]), bool(sides[1])]


def _side(found: Estimate, minus_null: Estimate | None) -> bool | None:
    if found.low is None or found.high is None or found.low <= STEADY <= found.high:
        return None
    if found.high < STEADY:
        return False
    empty = minus_null is not None and (minus_null.low is None or minus_null.low <= 0)
    return None if empty else True
