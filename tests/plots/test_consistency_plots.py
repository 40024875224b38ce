"""What plots of consistency draw follows from its tables."""

import pytest

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import consistency
from ethogram.plots import PLOTS
from ethogram.plots.archetype_map import MAX_POINTS, archetype_map_data
from ethogram.plots.bcm_controls import bcm_controls_data
from ethogram.plots.bcm_difficulty import bcm_difficulty_data
from ethogram.plots.bcm_scales import bcm_scales_data, plot_bcm_scales
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
            ("value", "cross_task_offset"),
            ("raw", "cross_task"),
        ):
            assert row[column] == result.estimate(name, system=row["system"]).value


def test_every_condition_of_every_system_has_a_mark(result: Result) -> None:
    frame = bcm_controls_data(result)

    assert frame.group_by("system").len()["len"].to_list() == [4, 4, 4]


def test_few_tasks_are_drawn_with_a_broken_outline() -> None:
    """Repeats of eight tasks, one run of all others."""
    runs = list(simulate(n_tasks=40, n_runs=3))
    repeated = sorted({str(run.task.task_id) for run in runs})[:8]
    kept = [run for run in runs if run.trial == 0 or run.task.task_id in repeated]
    few = from_trajectories(kept, labeler=default_labeler())
    found = consistency(few, controls="none")
    frame = bcm_scales_data(found).filter(pairs="within a task")

    assert frame["few"].to_list() == [True] * 3
    assert '"datum.few"' in plot_bcm_scales(found).to_json()


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
