"""The two axes in words, and when a p value says something."""

import numpy as np
import pytest
from strategies_known import strategies

from ethogram.measures.consistency.attribution import Attribution
from ethogram.measures.consistency.axes import NOT_ENOUGH, profile_of
from ethogram.measures.consistency.evidence import Evidence, Shuffled
from ethogram.measures.consistency.systems import null_frame
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


def test_p_counts_permutations_as_high_as_the_figure_from_99_on() -> None:
    """Fake permutations: the attributions themselves, and opposite ones."""
    sample = strategies(n_tasks=10, n_runs=3)
    rng = np.random.default_rng(0)
    values = rng.normal(size=sample.features.shape) + 1
    found = Attribution(values, values.sum(axis=1), sample.task % 5)
    scattered = [rng.normal(size=values.shape) for _ in range(97)]
    enough, few = (
        Evidence(
            sample, found, found, sample, dict.fromkeys(("", "_offset"), Shuffled(values, nulls))
        )
        for nulls in ([values, values, *scattered], [values, *scattered[:50]])
    )

    assert null_frame(enough).filter(scale="global")["p_value"].to_list() == [3 / 100] * 6
    assert null_frame(few)["p_value"].is_null().all()
