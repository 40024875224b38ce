"""The two axes in words."""

import pytest

from ethogram.measures.consistency.systems import NOT_ENOUGH, profile_of
from ethogram.results import Estimate


def _bcm(low: float, high: float, n_tasks: int = 20) -> Estimate:
    return Estimate(
        name="bcm",
        unit="correlation",
        value=(low + high) / 2,
        low=low,
        high=high,
        n_tasks=n_tasks,
        n_runs=60,
    )


HIGH, LOW, UNSURE = _bcm(0.5, 0.7), _bcm(0.0, 0.1), _bcm(0.1, 0.4)


@pytest.mark.parametrize(
    ("within", "across", "profile"),
    [
        (HIGH, HIGH, "steady at both scales"),
        (HIGH, LOW, "locally steady but globally fragmented"),
        (LOW, LOW, "unsteady at both scales"),
        (LOW, HIGH, "steady from task to task, not at one task"),
        (HIGH, UNSURE, NOT_ENOUGH),
        (_bcm(0.5, 0.7, n_tasks=9), HIGH, NOT_ENOUGH),
    ],
)
def test_profiles(within: Estimate, across: Estimate, profile: str) -> None:
    assert profile_of(within, across) == profile


def test_the_figures_of_the_paper_get_the_papers_words() -> None:
    """Claude 3.7 Sonnet and the Llamas (tables 2 and 3)."""
    assert profile_of(_bcm(0.457, 0.666), _bcm(0.745, 0.783)) == "steady at both scales"
    fragmented = "locally steady but globally fragmented"
    assert profile_of(_bcm(0.25, 0.405), _bcm(0.056, 0.090)) == fragmented


def test_nothing_is_steady_that_can_not_be_told_from_its_null() -> None:
    nothing, something = _bcm(-0.1, 0.1), _bcm(0.1, 0.3)

    assert profile_of(HIGH, HIGH, something, something) == "steady at both scales"
    assert profile_of(HIGH, HIGH, something, nothing) == NOT_ENOUGH
    assert profile_of(LOW, LOW, nothing, nothing) == "unsteady at both scales"
