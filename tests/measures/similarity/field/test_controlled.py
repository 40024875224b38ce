"""Base, student, teacher, control: the figures add up, and the verdict is what it says."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_scores_known import drawn_composite, scores_of

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.field.controlled import (
    Roles,
    controlled_figures,
    controlled_table,
    max_needed,
    moved,
    moved_table,
)
from ethogram.measures.similarity.task_scores import Composite, Scores, TaskScores
from ethogram.results.estimate import Estimate, Verdict
from ethogram.stats.arrays import FloatArray
from ethogram.stats.task_intervals import mean_interval

Row: TypeAlias = Sequence[float] | FloatArray
NAN = float("nan")
ROLES = Roles("a", "b", "c", "d")


def four(
    base_teacher: Row,
    student_teacher: Row,
    base_control: Row,
    student_control: Row,
    *,
    name: str = "s_node",
) -> TaskScores:
    """Scores of the four pairs that count; the two others are never read."""
    unread = np.full(len(base_teacher), NAN)
    pairs = [unread, base_teacher, base_control, student_teacher, student_control, unread]
    return scores_of(np.array(pairs), "abcd", name)


def verdict(*pairs: Row) -> Verdict:
    scores = four(*pairs)
    return moved(scores, controlled_figures(scores, ROLES), ROLES)


def test_the_figures_by_hand_over_common_tasks() -> None:
    scores = four([0.5, 0, NAN], [1, 0.5, 1], [0.5, 1, 0], [0, 1, 0])
    found = controlled_figures(scores, ROLES)

    assert {name: estimate.value for name, estimate in found.items()} == pytest.approx(
        {
            "base_to_teacher": 0.25,
            "student_to_teacher": 0.75,
            "teacher_change": 0.5,
            "base_to_control": 0.75,
            "student_to_control": 0.5,
            "control_change": -0.25,
            "change_beyond_control": 0.75,
        }
    )
    assert {estimate.n_tasks for estimate in found.values()} == {2}
    assert found["teacher_change"].n_runs == 8


@settings(max_examples=30)
@given(st.integers(0, 200))
def test_the_figures_of_a_composite_add_up(seed: int) -> None:
    ags = drawn_composite(np.random.default_rng(seed), n_tasks=20)
    figures = controlled_figures(ags, ROLES)
    found = {name: each.value for name, each in figures.items() if each.value is not None}
    if "base_to_teacher" not in found:
        assert not found
        return
    toward = found["student_to_teacher"] - found["base_to_teacher"]
    away = found["student_to_control"] - found["base_to_control"]

    assert found["teacher_change"] == pytest.approx(toward)
    assert found["control_change"] == pytest.approx(away)
    assert found["change_beyond_control"] == pytest.approx(toward - away)


def test_differences_have_the_interval_of_their_tasks() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.random((4, 20))
    found = controlled_figures(four(*pairs), ROLES)["change_beyond_control"]
    expected = mean_interval(pairs[1] - pairs[0] - pairs[3] + pairs[2], bounds=(-2, 2))

    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )


def test_a_student_that_moves_toward_the_teacher_alone() -> None:
    rng = np.random.default_rng(2)
    level = rng.uniform(0.3, 0.6, 40)
    found = verdict(
        level, level + rng.choice([0.25, 0.35], 40), level, level + rng.choice([-0.1, 0.1], 40)
    )

    assert found.decision == "yes"
    assert "consistent with habits taken over from c" in found.because
    assert "changed by +29.8 pp [+28.1, +31.4]" in found.because
    assert found.question == "Did b move from a toward c and not toward d, by s node?"


def test_a_student_that_moves_toward_both_as_ged_says_in_table_3() -> None:
    rng = np.random.default_rng(3)
    level = rng.uniform(0.2, 0.4, 40)
    found = verdict(level, level + 0.23, level - 0.03, level + 0.17 + rng.uniform(0, 0.06, 40))

    assert found.decision == "no"
    assert found.because.startswith("it moved toward d as well")


def test_a_move_toward_the_teacher_needs_to_exceed_that_toward_the_control() -> None:
    rng = np.random.default_rng(10)
    level = rng.uniform(0.3, 0.5, 30)
    steps = np.resize([-0.3, 0.5], 30)
    scores = four(level, level + rng.uniform(0, 0.3, 30), level, level + steps)
    figures = controlled_figures(scores, ROLES)

    low = {name: each.low for name, each in figures.items() if each.low is not None}
    assert low["teacher_change"] > 0
    assert low["control_change"] <= 0
    assert low["change_beyond_control"] <= 0
    assert moved(scores, figures, ROLES).decision == "not enough data"


def test_a_student_that_does_not_move() -> None:
    rng = np.random.default_rng(4)
    level = rng.uniform(0.3, 0.6, 200)
    found = verdict(level, level + rng.uniform(-0.05, 0.05, 200), level, level - 0.001)

    assert found.decision == "no"


def test_a_change_that_more_tasks_would_settle() -> None:
    rng = np.random.default_rng(5)
    pairs = rng.uniform(0, 1, (4, 20))
    pairs[1] = np.clip(pairs[0] + rng.normal(0.1, 0.5, 20), 0, 1)
    found = verdict(*pairs)

    assert found.decision == "not enough data"
    assert found.runs_needed is None or found.runs_needed > 20


def test_few_tasks_or_none_are_not_enough() -> None:
    few = verdict(*np.random.default_rng(6).random((4, 5)))
    none = verdict(*np.full((4, 5), NAN))

    assert (few.decision, few.because) == ("not enough data", "too few tasks")
    assert (none.decision, none.because) == ("not enough data", "not defined at any shared task")


def estimate(value: float, low: float, n_tasks: int = 20) -> Estimate:
    return Estimate(
        name="x", unit="points", value=value, low=low, high=1.0, n_tasks=n_tasks, n_runs=0
    )


def test_tasks_needed_shrink_the_lower_distance_to_the_value() -> None:
    # at 1.96 + 0.84 standard errors: (2.80 / 1.96)^2 = 2.04 times the tasks
    assert max_needed([estimate(0.1, 0.0)]) == 41
    assert max_needed([estimate(0.1, -0.1), estimate(0.1, 0.0)]) == 164
    assert max_needed([estimate(0.1, -0.1), estimate(-0.1, -0.2)]) is None
    assert max_needed([estimate(1e-15, -0.1)]) is max_needed([estimate(0.001, -0.1)]) is None
    assert max_needed([]) is None


def test_the_tables_have_a_row_a_measure() -> None:
    rng = np.random.default_rng(7)
    node, seq = four(*rng.random((4, 10))), four(*rng.random((4, 10)), name="s_seq")
    measures: list[Scores] = [node, seq, Composite("ags", (node, seq), "AGS")]
    table, verdicts = controlled_table(measures, ROLES), moved_table(measures, ROLES)

    assert table.frame.height == 21
    assert table.frame["label"].unique().len() == 7
    assert verdicts.frame["measure"].to_list() == ["s node", "s seq", "AGS"]
    means = table.frame.filter(pl.col("name") == "base_to_teacher")["value"]
    assert means[2] == pytest.approx((means[0] + means[1]) / 2)


def test_the_four_must_be_different_systems_of_the_cohort() -> None:
    with pytest.raises(UsageError, match="must be four systems; got a, b, a, d"):
        Roles("a", "b", "a", "d")
    with pytest.raises(UnknownNameError, match="'z'"):
        controlled_table([four(*np.ones((4, 3)))], Roles("a", "b", "c", "z"))


@pytest.mark.slow
@pytest.mark.parametrize("n_tasks", [8, 30])
def test_a_student_that_only_gets_noisier_is_rarely_said_to_have_moved(n_tasks: int) -> None:
    """No change on average, tasks that go together; yes by chance at most 5 times in 100."""
    rng, studies = np.random.default_rng(9), 600
    said = 0
    for _ in range(studies):
        level = rng.random(n_tasks)
        pairs = np.round(0.5 * level + 0.5 * rng.random((4, n_tasks)), 1)
        said += verdict(*pairs).decision == "yes"

    assert said / studies <= 0.05
