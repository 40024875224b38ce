"""Levels of a field: whose runs they are, and which systems become one."""

import polars as pl
import pytest

from ethogram.cohort.levels import with_levels
from ethogram.errors import UsageError
from ethogram.ingest import from_trajectories
from ethogram.simulate.build import run
from ethogram.trajectory import Trajectory


def _levels(*runs: Trajectory, by: str) -> list[tuple[str, str]]:
    found = with_levels(from_trajectories(runs).joined, by)
    return sorted(found.select("system", "level").unique().rows())


def test_a_column_of_tasks_leaves_systems_as_they_are() -> None:
    runs = [run(name="s", task=task, cluster=cluster) for task, cluster in (("a", "x"), ("b", "y"))]

    assert _levels(*runs, by="cluster") == [("s", "x"), ("s", "y")]


def test_systems_that_differ_in_a_setting_are_one_system_with_its_levels() -> None:
    runs = [run(name=None, scaffold="s", model="m", temperature=t, task=f"{t}") for t in (0.0, 1.0)]

    assert _levels(*runs, by="temperature") == [("s/m", "0.0"), ("s/m", "1.0")]


def test_a_run_without_a_value_has_a_level_that_says_so() -> None:
    runs = [run(name="s", task="a", cluster="x"), run(name="s", task="b")]

    assert _levels(*runs, by="cluster") == [("s", "(not recorded)"), ("s", "x")]


@pytest.mark.parametrize(
    ("by", "says"),
    [("nothing", "no run has a value of 'nothing'"), ("scores", "several values a run")],
)
def test_a_field_without_levels_is_refused(by: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _levels(run(name="s"), by=by)


def test_every_run_keeps_its_row() -> None:
    joined = from_trajectories([run(name="s", task=f"t{n}", cluster="x") for n in range(5)]).joined

    found = with_levels(joined, "cluster")
    assert found.drop("level").equals(joined)
    assert found["level"].dtype == pl.String
