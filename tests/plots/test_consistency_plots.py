"""What plots of consistency draw follows from its tables."""

import polars as pl
import pytest

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import consistency
from ethogram.plots import PLOTS
from ethogram.plots.archetype_map import MAX_POINTS, archetype_map_data
from ethogram.plots.bcm_controls import bcm_controls_data
from ethogram.plots.bcm_difficulty import bcm_difficulty_data
from ethogram.plots.bcm_scales import bcm_scales_data, hatch_data, plot_bcm_scales
from ethogram.plots.bcm_sensitivity import bcm_sensitivity_data
from ethogram.plots.bcm_success import bcm_success_data
from ethogram.plots.monitor_curves import monitor_curves_data
from ethogram.results import Result
from ethogram.simulate import simulate


@pytest.fixture(scope="module")
def result() -> Result:
    cohort = from_trajectories(simulate(n_tasks=40, n_runs=3), labeler=default_labeler())
    return consistency(cohort, sensitivity=True, monitor=True)


def test_success_is_drawn_against_bcm_with_raw_beside(result: Result) -> None:
    for row in bcm_success_data(result).iter_rows(named=True):
        for column, name in (
            ("success", "success_rate"),
            ("value", "cross_task_offset_minus_null"),
            ("raw", "cross_task"),
        ):
            assert row[column] == result.estimate(name, system=row["system"]).value


def test_every_condition_of_every_system_has_a_mark(result: Result) -> None:
    frame = bcm_controls_data(result)

    assert frame.group_by("system").len()["len"].to_list() == [5, 5, 5]


def test_bars_over_few_tasks_are_hatched_from_end_to_end() -> None:
    """Repeats of eight tasks, one run of all others."""
    runs = list(simulate(n_tasks=40, n_runs=3))
    repeated = sorted({str(run.task.task_id) for run in runs})[:8]
    kept = [run for run in runs if run.trial == 0 or run.task.task_id in repeated]
    few = from_trajectories(kept, labeler=default_labeler())
    found = consistency(few, controls="none")
    frame = bcm_scales_data(found)
    strokes = hatch_data(frame, low=-0.2, high=0.8, width=26)

    assert frame.filter("few")["pairs"].to_list() == ["within a task"] * 3
    assert set(strokes["pairs"]) <= {"within a task"}
    for row in frame.filter("few").iter_rows(named=True):
        own = strokes.filter(system=row["system"])["y"].to_list()
        assert own == [y for y in own if min(0, row["value"]) < y < max(0, row["value"])]
    assert "L1,-0.5" in plot_bcm_scales(found).to_json()
    assert "Hatched" in PLOTS.get("bcm_scales").caption(found)


def test_a_hatch_has_as_many_strokes_as_a_bar_has_room_for() -> None:
    """260 pixels an axis of 1: a bar of 0.5 is 130 pixels high, a stroke rises 10, one every 7."""
    bar = {"system": "a", "pairs": "within a task", "value": 0.5, "few": True}
    frame = pl.DataFrame([bar, {**bar, "system": "b", "value": -0.5}, {**bar, "few": False}])
    strokes = hatch_data(frame, low=-0.5, high=0.5, width=20)

    assert strokes.group_by("system", maintain_order=True).len().rows() == [("a", 18), ("b", 18)]
    assert strokes["y"].min() == pytest.approx(-0.5 + 5 / 260)


def test_bins_in_one_place_share_a_colour_and_a_name(result: Result) -> None:
    frame = bcm_difficulty_data(result)

    assert frame["level"].n_unique() <= 3
    for row in frame.iter_rows(named=True):
        assert row["difficulty"] in row["level"].split(" or ")


def test_without_permutations_the_offset_takes_the_place_of_what_is_beyond_the_null() -> None:
    cohort = from_trajectories(simulate(n_tasks=24, n_runs=3), labeler=default_labeler())
    found = consistency(cohort, controls="none")

    for row in bcm_success_data(found).iter_rows(named=True):
        assert row["value"] == found.estimate("cross_task_offset", system=row["system"]).value
    assert bcm_difficulty_data(found).height
    assert bcm_scales_data(found)["null"].is_null().all()


def test_map_and_bins_lose_no_run(result: Result) -> None:
    assert archetype_map_data(result).height == min(MAX_POINTS, result.to_frame("map").height)
    easy_to_hard = bcm_difficulty_data(result)
    assert set(easy_to_hard["system"]) == {"methodical", "hasty", "erratic"}


def test_ranks_are_within_a_setting(result: Result) -> None:
    for _, group in bcm_sensitivity_data(result).group_by("setting"):
        ordered = group.sort("value", descending=True)
        assert ordered["rank"].to_list() == sorted(ordered["rank"])
        assert ordered["level"].to_list() == sorted(ordered["level"], reverse=True)


def test_curves_have_a_point_for_each_number_of_actions(result: Result) -> None:
    frame = monitor_curves_data(result)

    assert set(frame["predictor"]) == {"features", "progress", "length"}
    assert frame.height == 3 * frame["m"].n_unique()


def test_each_plot_says_what_it_shows(result: Result) -> None:
    shown = [plot for plot in PLOTS if plot.kind == "consistency" and plot.fits(result)]

    assert len(shown) == 7
    assert all(len(plot.caption(result)) > 40 for plot in shown)
