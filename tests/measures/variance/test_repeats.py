"""Which runs count, which are repeats, and at how many runs tasks are compared."""

from dataclasses import replace

import polars as pl
import pytest

from ethogram.errors import UsageError
from ethogram.ingest import from_trajectories
from ethogram.measures.variance.repeats import Study, common_k, study_of
from ethogram.simulate.build import repeats, run
from ethogram.trajectory import Trajectory


def study(*trajectories: Trajectory, **options: object) -> Study:
    cohort = from_trajectories(trajectories)
    return study_of(cohort, level=0.95, seed=0, **options)  # type: ignore[arg-type]


def test_a_run_that_an_infrastructure_error_ended_is_left_out_and_counted() -> None:
    found = study(run(trial=0), run(trial=1, ending="infra_error", success=False))

    assert found.runs.height == 1
    assert found.left_out["why"].to_list() == ["infrastructure error"]


def test_runs_are_grouped_by_system_and_task_in_the_order_of_trials() -> None:
    found = study(
        run(["x"], system="b", task="t1", trial=0),
        run(["x", "y"], system="a", task="t2", trial=1),
        run(["x"], system="a", task="t2", trial=0),
    )

    assert found.groups.select("group", "system", "task", "n_runs").rows() == [
        (0, "a", "bench::t2", 2),
        (1, "b", "bench::t1", 1),
    ]
    assert found.runs["trial"].to_list() == [0, 1, 0]


def test_a_run_without_a_task_id_repeats_nothing() -> None:
    found = study(run(task_id=None, trial=0), run(task_id=None, trial=1))

    assert found.groups["n_runs"].to_list() == [1, 1]
    assert not found.runs["task_known"].any()


def test_a_task_whose_recorded_digest_differs_is_another_task() -> None:
    runs = (run(trial=0, digest="one"), run(trial=1, digest="two"))

    assert study(*runs).groups["n_runs"].to_list() == [1, 1]
    assert study(*runs, same_id_is_same_task=True).groups["n_runs"].to_list() == [2]


def test_tokens_are_unknown_where_either_side_is() -> None:
    found = study(run(trial=0, input_tokens=10, output_tokens=5), run(trial=1, input_tokens=10))

    assert found.runs["tokens"].to_list() == [15, None]


def test_an_empty_submission_is_not_a_missing_one() -> None:
    found = study(run(trial=0, submission="diff"), run(trial=1, submission=""), run(trial=2))

    assert found.runs["submitted"].to_list() == [True, False, None]


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_outside_zero_to_one_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="level must lie between 0 and 1"):
        study_of(from_trajectories([run()]), level=level, seed=0)


@pytest.mark.parametrize(
    ("n_runs", "k", "expected"),
    [
        pytest.param([5, 3, 1], None, 3, id="smallest-with-two-or-more"),
        pytest.param([1, 1], None, None, id="no-repeats"),
        pytest.param([], None, None, id="no-runs"),
        pytest.param([5, 3], 4, 4, id="chosen"),
    ],
)
def test_the_common_number_of_runs(n_runs: list[int], k: int | None, expected: int | None) -> None:
    assert common_k(pl.Series(n_runs, dtype=pl.UInt32), k) == expected


def test_one_run_is_no_repeat() -> None:
    with pytest.raises(UsageError, match="k must be 2 or more; got 1"):
        common_k(pl.Series([5]), 1)


def test_levels_of_a_run_column_leave_systems_alone() -> None:
    found = study(
        *repeats([["x"], ["y"]], system="a", benchmark="one"),
        *repeats([["x"], ["y"]], system="a", task="t2", benchmark="two"),
        by="benchmark",
    )

    assert found.systems == ("a",)
    assert found.runs["level"].unique().sort().to_list() == ["one", "two"]


def test_systems_that_differ_in_the_setting_only_are_one_system_with_levels() -> None:
    found = study(
        *(
            run(name=None, scaffold="s", model="m", temperature=t, native_id=f"{t}/{i}", trial=i)
            for t in (0.0, 1.0)
            for i in range(2)
        ),
        by="temperature",
    )

    assert found.systems == ("s/m",)
    assert found.runs["level"].unique().sort().to_list() == ["0.0", "1.0"]


def test_a_key_of_the_settings_can_give_the_levels() -> None:
    found = study(
        run(name=None, model="m", settings={"condition": "x"}, native_id="1"),
        run(name=None, model="m", settings={"condition": "y"}, native_id="2"),
        by="condition",
    )

    assert found.systems == ("m",)
    assert found.runs["level"].sort().to_list() == ["x", "y"]


def test_a_level_that_nobody_records_is_refused() -> None:
    with pytest.raises(UsageError, match="by: no run has a value of 'colour'"):
        study(run(), by="colour")


def test_a_column_of_lists_gives_no_levels() -> None:
    with pytest.raises(UsageError, match="'scores' holds several values a run"):
        study(run(), by="scores")


def test_a_sub_agents_record_is_part_of_its_parents_run() -> None:
    cohort = from_trajectories([run(trial=0), run(trial=1)])
    parent = cohort.runs["run_id"][0]
    child_of_it = pl.when(pl.col("run_id") != parent).then(pl.lit(parent))
    nested = replace(cohort, runs=cohort.runs.with_columns(parent_run_id=child_of_it))

    found = study_of(nested, level=0.95, seed=0)

    assert found.runs["run_id"].to_list() == [parent]
    assert found.left_out["why"].to_list() == ["part of another run"]


def test_a_run_whose_parent_is_not_there_counts() -> None:
    cohort = from_trajectories([run()])
    orphan = replace(cohort, runs=cohort.runs.with_columns(parent_run_id=pl.lit("elsewhere")))

    assert study_of(orphan, level=0.95, seed=0).runs.height == 1


def test_restricting_numbers_the_groups_anew() -> None:
    found = study(run(task="t1"), run(task="t2"), run(task="t3"))

    kept = found.restrict(pl.col("task") != "bench::t1")

    assert kept.groups["group"].to_list() == [0, 1]
