"""The result of `consistency` as a whole: tables, words, and what it says when it can't."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

import ethogram as eg
from ethogram.cohort import Cohort
from ethogram.errors import MissingDependencyError, NotEnoughDataError, UnknownNameError, UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import CATALOGUE, consistency
from ethogram.results import Result
from ethogram.results.numbers import FORMATS
from ethogram.simulate import simulate
from ethogram.simulate.build import run
from ethogram.trajectory import Trajectory


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    return from_trajectories(simulate(n_tasks=24, n_runs=4), labeler=default_labeler())


@pytest.fixture(scope="module")
def result(cohort: Cohort) -> Result:
    groups = {"planful": ["methodical"], "others": ["hasty", "erratic"]}
    return consistency(
        cohort, bootstrap="runs", by_outcome=True, groups=groups, n_seeds=2, controls="quick"
    )


def test_the_first_table_shows_observed_null_difference_and_offset_side_by_side(
    result: Result,
) -> None:
    names = result.to_frame()["name"].unique(maintain_order=True).to_list()

    assert names[:8] == [
        "success_rate",
        "cross_task_offset_minus_null",
        "cross_task_offset",
        "cross_task_minus_null",
        "cross_task",
        "cross_task_offset_null",
        "cross_task_null",
        "cross_task_features",
    ]
    for system in ("methodical", "hasty", "erratic"):
        for name in names[1:4]:
            assert result.estimate(name, system=system).low is not None


def test_every_figure_is_in_the_catalogue_with_its_unit_and_within_its_range(
    result: Result,
) -> None:
    for name in ("systems", "predictor"):
        for row in result.to_frame(name).iter_rows(named=True):
            figure = CATALOGUE[row["name"]]
            assert row["unit"] == figure.unit
            for value in (row["value"], row["low"], row["high"]):
                assert value is None or figure.bounds[0] <= value <= figure.bounds[1]
    assert {figure.unit for figure in CATALOGUE.values()} <= {*FORMATS, ""}


def test_global_is_the_mixture_of_both_scales(result: Result) -> None:
    """96 runs, 4 a task: 3 of 95 other runs are repeats."""
    pairs = 3 / 95
    for variant in ("", "_offset"):
        across, within, total = (
            result.estimate(scale + variant, system="hasty").value or 0.0
            for scale in ("cross_task", "within_task", "global")
        )
        assert total == pytest.approx(pairs * within + (1 - pairs) * across, abs=1e-9)


def test_pairs_and_groups_are_differences_of_what_stands_in_the_first_table(result: Result) -> None:
    def value(name: str, system: str) -> float:
        return result.estimate(name, system=system).value or 0.0

    frame = result.to_frame("comparison").filter(first="erratic", second="hasty")
    for row in frame.iter_rows(named=True):
        expected = value(row["name"], "erratic") - value(row["name"], "hasty")
        assert row["value"] == pytest.approx(expected, abs=1e-9)
    groups = result.to_frame("groups").filter(name="cross_task_offset")
    found = dict(groups.select("group", "value").iter_rows())
    assert found["others"] == pytest.approx(
        (value("cross_task_offset", "hasty") + value("cross_task_offset", "erratic")) / 2
    )
    assert found["planful minus others"] == pytest.approx(found["planful"] - found["others"])


def test_the_published_intervals_lie_too_high(result: Result) -> None:
    frame = result.to_frame("over_runs")

    assert (frame["printed_low"] > frame["low"]).all()
    expected = ((1 - frame["bcm"]) / frame["n_runs"]).to_list()
    assert frame["excess"].to_list() == pytest.approx(expected, abs=1e-12)


def test_what_is_asked_for_is_there_and_a_result_can_be_stored(result: Result) -> None:
    assert {"over_runs", "by_outcome", "groups", "seeds", "null", "axes"} <= set(result.tables)
    assert {"archetypes", "spread", "silhouettes", "map", "difficulty"} <= set(result.tables)
    assert Result.from_dict(result.to_dict()).to_dict() == result.to_dict()
    assert str(result)
    assert (result.to_frame("null")["p_value"].is_null()).all()  # five permutations are too few


def test_names_of_systems_stand_in_rows_where_redaction_finds_them(result: Result) -> None:
    names = ("methodical", "hasty", "erratic")
    heads = [
        text
        for table in result.tables.values()
        for text in (*table.frame.columns, *(column.label for column in table.columns))
    ]

    assert not [text for text in heads if any(name in text for name in names)]


def test_raw_bcm_never_stands_alone(cohort: Cohort) -> None:
    least = consistency(cohort, controls="none")

    assert least.estimate("cross_task_offset", system="hasty").low is not None
    reason = least.estimate("cross_task_minus_null", system="hasty").reason
    assert reason == "no permutations (--controls quick)"
    assert "success offset" in "".join(least.summary)
    assert any(said.startswith("Outcomes were not shuffled") for said in least.summary)
    assert set(least.to_frame("axes")["profile"]) == {"not enough data"}


def test_every_table_with_raw_bcm_has_what_is_beyond_it_beside(result: Result) -> None:
    """Tables may be shown one at a time (--table)."""
    beside = {"over_runs": "beyond", "axes": "gap_minus_null", "alike": "bcm"}
    raw = {"cross_task", "within_task", "global"}
    checked = set()
    for name, table in result.tables.items():
        if name in beside:
            assert beside[name] in table.frame.columns
            checked.add(name)
        elif "name" in table.frame.columns:
            ends = "_(successes|failures|easy|medium|hard|(always|sometimes|never)_solved)$"
            names = set(table.frame["name"].str.replace(ends, ""))
            if names & raw:
                assert {f"{each}_offset" for each in names & raw} <= names
                checked.add(name)
    assert checked >= {"systems", "comparison", "difficulty", "by_outcome", "groups", "seeds"}
    assert set(result.to_frame("null")["attributions"]) == {"success offset", "raw"}


def test_one_seed_one_answer_whatever_the_threads(cohort: Cohort) -> None:
    with ThreadPoolExecutor(2) as pool:
        beside = consistency(cohort, controls="none", executor=pool)

    assert beside.to_dict() == consistency(cohort, controls="none").to_dict()


def test_where_the_predictor_is_no_better_than_chance_that_is_said_first() -> None:
    rng = np.random.default_rng(0)
    runs = [
        run(["ls"] * int(rng.integers(1, 9)), task=f"t{n}", success=bool(rng.integers(2)))
        for n in range(80)
    ]
    found = consistency(from_trajectories(runs), controls="none")

    assert found.summary[0].startswith("BCM can't be read here")
    assert set(found.to_frame("axes")["profile"]) == {"not enough data"}
    assert set(found.to_frame("axes")["profile_raw"]) == {"not enough data"}


def test_systems_from_two_formats_are_confounded_with_them(cohort: Cohort) -> None:
    other = from_trajectories(
        (made for made in simulate(n_tasks=24, n_runs=4) if made.system.name == "hasty"),
        labeler=default_labeler(),
        format_name="another",
    )
    mixed = eg.concat([cohort.filter(pl.col("system") != "hasty"), other])
    found = consistency(mixed, controls="none")

    assert any("confounded" in sentence for sentence in found.summary)
    row = found.to_frame("controls").filter(name="cross_task_shared_tasks", system="hasty")
    assert row["value"][0] == pytest.approx(found.estimate("cross_task", system="hasty").value)


def _runs(outcomes: list[bool | None], n_tasks: int = 10) -> Iterator[Trajectory]:
    for number, success in enumerate(outcomes):
        steps = ["ls", "cat x"] * (number % 3 + 1)
        yield run(steps, task=f"t{number % n_tasks}", trial=number, success=success)


@pytest.mark.parametrize(
    ("outcomes", "n_tasks", "says"),
    [
        pytest.param([None] * 10, 10, "none of the 10 runs has a known outcome", id="no outcomes"),
        pytest.param([True] * 10, 10, "all 10 runs with a known outcome succeeded", id="one class"),
        pytest.param([False] * 10, 10, "known outcome failed", id="all failed"),
        pytest.param([True, False] * 5, 1, "are of one task", id="one task"),
        pytest.param([True, False], 2, "only 2 runs have a known outcome", id="two runs"),
    ],
)
def test_what_can_not_be_computed_is_said_in_a_sentence(
    outcomes: list[bool | None], n_tasks: int, says: str
) -> None:
    with pytest.raises(NotEnoughDataError, match=says):
        consistency(from_trajectories(_runs(outcomes, n_tasks)))


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param([True, False, True], id="three runs"),
        pytest.param([True] * 7 + [False], id="one failure"),
        pytest.param([False, True, None, False, False], id="some unknown"),
    ],
)
@pytest.mark.parametrize("folds", ["tasks", "stratified"])
def test_a_handful_of_runs_breaks_nothing(outcomes: list[bool | None], folds: str) -> None:
    found = consistency(
        from_trajectories(_runs(outcomes, 3)),
        folds=folds,
        controls="quick",
        bootstrap="runs",
        by_outcome=True,
        sensitivity=True,
        monitor=True,
        by="benchmark",
        n_seeds=2,
    )

    assert found.summary[0].startswith("BCM can't be read here")
    assert str(found)


def test_ten_runs_are_too_few_to_learn_from_and_every_figure_says_why() -> None:
    found = consistency(from_trajectories(_runs([True, False] * 5)), controls="quick")
    rows = found.to_frame().filter(pl.col("name").str.contains("task|global"))

    trees = rows.filter(~pl.col("name").str.ends_with("_features"))
    assert trees["value"].is_null().all()
    assert trees["reason"].is_not_null().all()
    assert found.summary[0].startswith("BCM can't be read here")


def test_options_that_can_not_be_are_refused(cohort: Cohort) -> None:
    with pytest.raises(UnknownNameError, match="way to make folds"):
        consistency(cohort, folds="runs")
    with pytest.raises(UnknownNameError, match="set of controls"):
        consistency(cohort, controls="some")
    with pytest.raises(UsageError, match="level"):
        consistency(cohort, level=95)
    with pytest.raises(UnknownNameError, match="no system is called 'nobody'"):
        consistency(cohort, controls="none", groups={"a": ["nobody"]})


def test_one_system_has_no_pairs_and_every_control_all_the_same() -> None:
    runs = _runs([number % 3 == 0 for number in range(40)])
    found = consistency(from_trajectories(runs), controls="all", bootstrap="runs")

    assert "comparison" not in found.tables
    assert found.to_frame("predictor").filter(name="identity")["reason"][0] == "one system"
    assert "There is no difficulty of tasks: no two systems ran the same task." in found.notes
    assert {"cross_task_per_system", "cross_task_unseen_system"} <= set(
        found.to_frame("controls")["name"]
    )


@pytest.mark.skipif(find_spec("umap") is not None, reason="umap is installed")
def test_a_map_by_umap_says_which_extra_it_needs(cohort: Cohort) -> None:
    with pytest.raises(MissingDependencyError, match=r"ethogram\[umap\]"):
        consistency(cohort, controls="none", map_by="umap")
