"""What plots draw follows from the tables: same numbers, nothing made up, nothing lost."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_cohorts import empty, one_run, small
from toy_results import provenance

from ethogram.cohort.views import traces
from ethogram.measures.variance import variance
from ethogram.plots import PLOTS
from ethogram.plots.cv_dots import cv_dots_data
from ethogram.plots.divergence import divergence_data
from ethogram.plots.failure_modes import failure_modes_data
from ethogram.plots.pass_k import pass_k_data
from ethogram.plots.phases import phases_data
from ethogram.plots.plot import counted
from ethogram.plots.solved import solved_data
from ethogram.plots.step_counts import MAX_TASKS, step_counts_data
from ethogram.plots.step_distribution import step_distribution_data
from ethogram.plots.steps_cv import steps_cv_data
from ethogram.plots.task_accuracy import task_accuracy_data
from ethogram.results import Estimate, Result, Table
from ethogram.results.table import estimates_table


@pytest.fixture(scope="module")
def result() -> Result:
    return variance(small())


def counts_result(rows: list[tuple[str, str, int]]) -> Result:
    """Only what the plots of numbers of actions read."""
    frame = pl.DataFrame(rows, schema=["system", "task", "n_actions"], orient="row").with_columns(
        run_id=pl.int_range(pl.len()).cast(pl.String),
        trial=pl.lit(None, pl.Int32),
        success=pl.lit(None, pl.Boolean),
    )
    names = list(dict.fromkeys(system for system, _, _ in rows))
    systems = [
        (
            {"system": name},
            Estimate(name="actions_mean", unit="actions", value=1.0, n_tasks=1, n_runs=1),
        )
        for name in names
    ]
    tables = {
        "systems": estimates_table("systems", "Systems", systems),
        "step_counts": Table("step_counts", "Actions", frame),
    }
    return Result("variance", tables, (), provenance())


COUNTS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["t", "u"]), st.integers(0, 300)),
    min_size=1,
)


@given(COUNTS)
def test_heat_map_shows_every_run_once_and_darker_means_more(
    rows: list[tuple[str, str, int]],
) -> None:
    frame = step_counts_data(counts_result(rows))
    ordered = frame.sort("n_actions")

    assert sorted(frame["n_actions"]) == sorted(count for _, _, count in rows)
    assert ordered["level"].is_sorted()
    assert set(frame["level"]) <= set(range(7))
    assert frame.select("system", "task", "run").is_unique().all()


def test_heat_map_keeps_the_tasks_with_the_most_runs() -> None:
    rows = [("a", f"t{i:03d}", 5) for i in range(60)] + [("a", "t059", 6)]
    frame = step_counts_data(counts_result(rows))

    assert frame["task"].n_unique() == MAX_TASKS
    assert "t059" in set(frame["task"])
    assert "t058" not in set(frame["task"])


@given(COUNTS)
def test_quartiles_are_in_order_and_within_the_runs(rows: list[tuple[str, str, int]]) -> None:
    frame = step_distribution_data(counts_result(rows))
    places = frame.select("low", "lower", "median", "upper", "high")

    assert all(list(row) == sorted(row) for row in places.iter_rows())
    assert frame["n_runs"].sum() == len(rows)


def test_quartiles_by_hand() -> None:
    frame = step_distribution_data(counts_result([("a", "t", n) for n in (1, 2, 3, 4, 5)]))

    assert frame.select("low", "lower", "median", "upper", "high").row(0) == (1, 2.0, 3.0, 4.0, 5)


def test_dots_are_the_tasks_of_the_result(result: Result) -> None:
    tasks = result.to_frame("tasks")

    assert cv_dots_data(result)["cv"].to_list() == tasks["cv_actions"].drop_nulls().to_list()
    assert set(cv_dots_data(result)["system"]) == {"steady", "middling", "erratic"}
    assert steps_cv_data(result)["actions"].sum() == pytest.approx(tasks["actions_mean"].sum())


def test_parts_of_a_bar_fill_it(result: Result) -> None:
    frame = solved_data(result)
    ends = frame.group_by("system").agg(pl.col("end").max(), pl.col("n_tasks").sum())

    assert ends["end"].to_list() == pytest.approx([1.0] * 3)
    assert ends["n_tasks"].to_list() == [4] * 3
    assert (frame["end"] >= frame["start"]).all()


def test_curves_of_pass_part_from_one_point(result: Result) -> None:
    frame = pass_k_data(result)
    first = frame.filter(pl.col("k") == 1)

    for _, pair in first.group_by("system"):
        assert pair["value"].to_list() == pytest.approx([pair["value"][0]] * 2)
    assert set(frame["figure"]) == {"pass@k", "pass^k"}
    for _, curve in frame.filter(pl.col("figure") == "pass@k").group_by("system"):
        assert curve.sort("k")["value"].is_sorted()


def test_cells_of_accuracy_are_dark_only_if_always_and_pale_only_if_never(result: Result) -> None:
    frame = task_accuracy_data(result)

    assert set(frame.filter(pl.col("level") == 6)["accuracy"]) == {1.0}
    assert set(frame.filter(pl.col("level") == 0)["accuracy"]) == {0.0}
    assert frame["level"].to_list() != []


def test_every_plot_fits_what_it_was_made_for(result: Result) -> None:
    shown = traces(small())
    fitting = {plot.name for plot in PLOTS if plot.fits(result) or plot.fits(shown)}

    assert fitting >= {
        *("cv_dots", "solved", "task_accuracy", "pass_k", "step_counts", "step_distribution"),
        *("cv_accuracy", "steps_cv", "ribbons", "divergence", "phases", "failure_modes"),
    }


def test_names_in_the_registry_are_the_plots_names() -> None:
    assert [plot.name for plot in PLOTS] == PLOTS.names()


def test_a_plot_without_anything_to_show_does_not_fit() -> None:
    lone = variance(one_run())

    assert not PLOTS.get("cv_dots").fits(lone)
    assert not PLOTS.get("solved").fits(lone)
    assert PLOTS.get("step_counts").fits(lone)
    assert not PLOTS.get("ribbons").fits(traces(empty()))
    assert not PLOTS.get("ribbons").fits(lone)


def test_captions_say_how_many(result: Result) -> None:
    for plot in PLOTS:
        if plot.fits(result):
            assert any(character.isdigit() for character in plot.caption(result)), plot.name


@pytest.mark.parametrize(
    ("counts", "text"),
    [([5, 5], "5 runs"), ([1], "1 run"), ([1, 3], "1 to 3 runs"), ([], "0 runs")],
)
def test_counts_in_words(counts: list[int], text: str) -> None:
    assert counted(counts, "run") == text


def test_parts_of_what_actions_do_fill_the_bar(result: Result) -> None:
    frame = phases_data(result)
    ends = frame.group_by("system").agg(pl.col("end").max(), pl.col("share").sum())

    assert ends["end"].to_list() == pytest.approx([1.0] * 3)
    assert ends["share"].to_list() == pytest.approx([1.0] * 3)
    assert set(frame["letter"]) <= set("EUWVO")


def test_failed_runs_are_counted_once(result: Result) -> None:
    frame = failure_modes_data(result)
    failed = result.to_frame("tasks").select((pl.col("n_labelled") - pl.col("successes")).sum())

    assert frame["n_runs"].sum() == failed.item()
    assert (frame["end"] - frame["start"]).to_list() == frame["n_runs"].to_list()


def test_tasks_that_part_at_one_action_are_stacked(result: Result) -> None:
    frame = divergence_data(result)
    known = result.to_frame("divergence")["divergence"].drop_nulls()

    assert frame["divergence"].to_list() == known.to_list()
    for _, own in frame.group_by("system", pl.col("divergence").round()):
        assert sorted(own["stack"]) == list(range(own.height))
