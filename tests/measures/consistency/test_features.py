"""Features by hand, from any order of rows, and of one's own."""

import math

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.errors import UnknownNameError, UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency.features import (
    BANERJEE,
    DEFAULT,
    FEATURES,
    GROUPS,
    Feature,
    feature_table,
)
from ethogram.simulate.build import action, run

STEPS = ("ls", "ls", "cat setup.py", "sed -i s/a/b/ x.py", "python -m pytest -q")


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    made = [
        run([action(text, is_error=number == 0) for number, text in enumerate(STEPS)], task="t1"),
        run([action("ls")], task="t2"),
        run([], task="t3"),
    ]
    return from_trajectories(made, labeler=default_labeler())


def _of(cohort: Cohort, task: str, first: int | None = None) -> dict[str, float]:
    ids = cohort.runs.filter(pl.col("task_id") == task)["run_id"]
    rows = feature_table(cohort, first=first).filter(pl.col("run_id").is_in(ids.implode()))
    return rows.drop("run_id").row(0, named=True)


def test_the_twelve_by_hand(cohort: Cohort) -> None:
    lengths = [len(text) for text in STEPS]

    assert _of(cohort, "t1") == pytest.approx(
        {
            "total_steps": 5,
            "mean_action_length": sum(lengths) / 5,
            "max_action_length": max(lengths),
            "file_search_count": 2 / 5,
            "file_view_count": 1 / 5,
            "file_edit_count": 1 / 5,
            "test_execution_count": 1 / 5,
            "action_entropy": -(0.4 * math.log2(0.4) + 3 * 0.2 * math.log2(0.2)),
            "unique_action_ratio": 4 / 5,
            "consecutive_repetition_max": 2,
            "error_flag_count": 1 / 5,
            "step_velocity": 3 / 5,
        }
    )


def test_one_action_has_no_variety_and_a_run_without_actions_no_row(cohort: Cohort) -> None:
    one = _of(cohort, "t2")

    assert (one["action_entropy"], one["step_velocity"], one["unique_action_ratio"]) == (0, 0, 1)
    assert math.copysign(1, one["action_entropy"]) == 1
    assert feature_table(cohort).height == 2


def test_the_first_actions_are_those_of_a_run_still_going(cohort: Cohort) -> None:
    assert _of(cohort, "t1", first=3)["total_steps"] == 3
    assert _of(cohort, "t1", first=2)["unique_action_ratio"] == 0.5


def test_the_order_of_rows_does_not_matter(cohort: Cohort) -> None:
    shuffled = cohort.steps.collect().sample(fraction=1, shuffle=True, seed=3).lazy()
    mixed = Cohort(
        cohort.runs, cohort.systems, cohort.tasks, cohort.problems, shuffled, cohort.all_texts
    )

    assert feature_table(mixed).equals(feature_table(cohort))


def test_what_is_not_labelled_is_null_and_not_zero() -> None:
    plain = from_trajectories([run(["ls", "cat x"])])
    row = feature_table(plain).row(0, named=True)

    assert {name for name, value in row.items() if value is None} >= {
        "file_search_count",
        "step_velocity",
    }


def test_other_is_a_state_of_its_own_for_velocity() -> None:
    """ls, then something without a category, then ls: two changes."""
    mixed = from_trajectories([run(["ls", "true", "ls"])], labeler=default_labeler())

    assert feature_table(mixed)["step_velocity"].to_list() == [pytest.approx(2 / 3)]


def test_a_feature_of_ones_own(cohort: Cohort) -> None:
    own = Feature("writes", (pl.col("effect") == "write").sum(), "actions that write")

    assert feature_table(cohort, ["total_steps", own]).columns == [
        "run_id",
        "total_steps",
        "writes",
    ]


def test_names_are_registered_grouped_and_checked(cohort: Cohort) -> None:
    assert FEATURES.names()[: len(DEFAULT)] == list(DEFAULT)
    assert all(FEATURES.get(name) is BANERJEE[name] for name in DEFAULT)
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(DEFAULT)
    with pytest.raises(UnknownNameError, match="no feature is called 'speed'"):
        feature_table(cohort, ["speed"])
    with pytest.raises(UsageError, match="each once"):
        feature_table(cohort, ["total_steps", "total_steps"])
