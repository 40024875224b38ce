"""Consistency level by level: each level is what its runs alone would give."""

from dataclasses import replace

import polars as pl
import pytest
from msgspec import structs

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import consistency
from ethogram.simulate import simulate
from ethogram.trajectory import System


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    """Tasks in three clusters; those of the third always succeed."""
    made = from_trajectories(simulate(n_tasks=36, n_runs=3), labeler=default_labeler())
    cluster = (
        pl.int_range(pl.len())
        .floordiv(pl.len() // 3 + 1)
        .replace_strict({0: "one", 1: "two", 2: "won"}, return_dtype=pl.String)
    )
    tasks = made.tasks.sort("task_id").with_columns(cluster=cluster)
    won = tasks.filter(cluster="won")["task_id"].implode()
    runs = made.runs.with_columns(success=pl.col("success") | pl.col("task_id").is_in(won))
    return replace(made, tasks=tasks, runs=runs)


def test_a_level_gives_what_its_runs_alone_give(cohort: Cohort) -> None:
    found = consistency(cohort, by="cluster", controls="none")
    alone = consistency(cohort.filter(pl.col("cluster") == "one"), controls="none")

    for name in ("success_rate", "cross_task_offset", "within_task"):
        at_level = found.estimate(name, at_level="one", system="hasty")
        assert at_level.value == pytest.approx(
            alone.estimate(name, system="hasty").value, rel=1e-12
        )


def test_ranges_stand_beside_gaps_and_are_put_in_words(cohort: Cohort) -> None:
    found = consistency(cohort, by="cluster", controls="none")
    rows = found.to_frame("levels").filter(name="cross_task_offset", system="hasty")
    ranges = found.to_frame("ranges").filter(name="cross_task_offset", system="hasty")

    assert ranges["range"][0] == pytest.approx(abs(rows["value"][0] - rows["value"][1]))
    assert ranges["smallest_gap"][0] > 0
    assert any("over the levels of cluster" in sentence for sentence in found.summary)


def test_a_level_that_can_not_be_measured_says_why(cohort: Cohort) -> None:
    found = consistency(cohort, by="cluster", controls="none")

    assert set(found.to_frame("levels")["at_level"]) == {"one", "two"}
    assert any("No figures for cluster = won" in note for note in found.notes)


def test_systems_that_differ_in_the_setting_are_one_system_at_its_levels() -> None:
    runs = [
        structs.replace(
            run,
            system=System(scaffold="s", model="m", temperature=temperature),
            native_id=f"{temperature}/{run.native_id}",
        )
        for temperature in (0.0, 1.0)
        for run in simulate(n_tasks=20, n_runs=3, seed=int(temperature))
        if run.system.name == "hasty"
    ]
    cohort = from_trajectories(runs, labeler=default_labeler())
    found = consistency(cohort, by="temperature", controls="none")

    assert found.to_frame()["system"].n_unique() == 2
    assert found.to_frame("levels")["system"].n_unique() == 1
    assert found.to_frame("ranges")["n_levels"].unique().to_list() == [2]


def test_a_field_that_nobody_records_is_refused(cohort: Cohort) -> None:
    with pytest.raises(UsageError, match="no run has a value of 'colour'"):
        consistency(cohort, by="colour", controls="none")
