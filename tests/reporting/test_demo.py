import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl
import pytest

from ethogram.actions.kinds import KINDS
from ethogram.errors import UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.reporting.beside_truth import beside_truth
from ethogram.reporting.demo import DemoResult, demo
from ethogram.simulate import DEFAULT, Policy, simulate, true_parameters

N_TASKS, N_RUNS = 7, 3


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    return demo(tmp_path_factory.mktemp("demo"), n_tasks=N_TASKS, n_runs=N_RUNS)


def test_every_run_is_read_back_with_its_outcome(made: DemoResult) -> None:
    runs = made.cohort.joined.sort("system", "task_id", "trial")
    expected = sorted(
        (run.system.name, run.task.task_id, run.trial, run.outcome.success, len(run.actions))
        for run in simulate(n_tasks=N_TASKS, n_runs=N_RUNS)
    )

    assert runs.select("system", "task_id", "trial", "success", "n_actions").rows() == expected
    assert made.cohort.problems.is_empty()


def test_outcomes_come_from_the_reports_and_not_from_the_files(made: DemoResult) -> None:
    reports = sorted((made.folder / "reports").iterdir())
    first = json.loads(reports[0].read_text("utf-8"))

    assert [path.name for path in reports[:2]] == ["erratic.run0.json", "erratic.run1.json"]
    assert sum(len(ids) for ids in first.values()) == N_TASKS
    assert set(first) == {"resolved_ids", "unresolved_ids", "empty_patch_ids"}
    assert not list((made.folder / "trajectories").rglob("*.csv"))
    assert all("report" in (source or "") for source in made.cohort.runs["outcome_source"])


def test_what_is_measured_does_not_depend_on_the_way_through_files(made: DemoResult) -> None:
    direct = from_trajectories(simulate(n_tasks=N_TASKS, n_runs=N_RUNS), labeler=default_labeler())
    columns = ["system", "name", "value"]

    found = made.variance.to_frame().select(columns).sort(columns[:2])
    expected = variance(direct).to_frame().select(columns).sort(columns[:2])

    assert found["name"].to_list() == expected["name"].to_list()
    assert found["value"].to_list() == pytest.approx(expected["value"].to_list(), nan_ok=True)


def test_the_page_and_the_policies_lie_in_the_folder(made: DemoResult) -> None:
    policies = msgspec.json.decode(
        (made.folder / "policies.json").read_bytes(), type=dict[str, Policy]
    )

    assert made.report.is_file()
    assert made.report.parent == made.folder
    assert list(policies.values()) == list(DEFAULT)


def compared_rows(made: DemoResult) -> pl.DataFrame:
    return pl.concat([table.frame for table in made.comparison.tables.values()])


def test_each_true_value_stands_above_what_was_found(made: DemoResult) -> None:
    rows = compared_rows(made)
    true, found = (rows.filter(pl.col("value_is") == which) for which in ("true", "found"))
    key = ["system", "name", "of"]

    assert true.select(key).rows() == found.select(key).rows()
    assert rows["value_is"].head(6).to_list() == ["true"] * 3 + ["found"] * 3
    assert true.filter(system="hasty", name="accuracy")["value"].item() == pytest.approx(0.3675)
    assert found.filter(system="hasty", name="accuracy")["value"].item() == (
        made.variance.estimate("accuracy", system="hasty").value
    )


def test_every_promised_figure_is_there(made: DemoResult) -> None:
    found = {(row["name"], row["of"]) for row in compared_rows(made).iter_rows(named=True)}

    assert {("phase_share", kind) for kind in KINDS} <= found
    assert ("failure_rate", "loop") in found
    assert ("pass_hat_k", str(N_RUNS)) in found
    assert ("first_action_share", "ls") in found
    assert {name for name, _ in found} >= {"divergence_mean", "cv_actions_mean", "flip_rate"}


def test_shares_are_those_of_the_runs(made: DemoResult) -> None:
    runs = [run for run in simulate(n_tasks=N_TASKS, n_runs=N_RUNS) if run.system.name == "erratic"]
    began = sum((run.actions[0].action or "").startswith("ls") for run in runs)
    rows = compared_rows(made).filter(system="erratic", value_is="found")

    assert rows.filter(name="failure_rate", of="loop")["value"].item() == pytest.approx(
        sum(run.extra["loops"] for run in runs) / len(runs)
    )
    assert rows.filter(name="first_action_share", of="ls")["value"].item() == pytest.approx(
        began / len(runs)
    )


def test_true_values_are_called_like_what_is_found() -> None:
    not_estimated = {"cv_actions_population"}
    for truth in true_parameters(DEFAULT[0], draws=2):
        if truth.name not in not_estimated and truth.name in CATALOGUE:
            assert truth.unit == CATALOGUE[truth.name].unit


def test_the_summary_counts_the_intervals_that_miss(made: DemoResult) -> None:
    rows = compared_rows(made)
    true = rows.filter(value_is="true")["value"].to_list()
    found = rows.filter(value_is="found").select("low", "high").rows()
    ranged = [(t, low, high) for t, (low, high) in zip(true, found, strict=True) if low is not None]
    hits = sum(low <= t <= high for t, low, high in ranged)

    assert made.comparison.summary[0] == (
        f"{hits} of {len(ranged)} intervals contain the true value."
    )


def test_with_too_few_tasks_there_is_nothing_to_hit() -> None:
    cohort = from_trajectories(simulate(n_tasks=2, n_runs=2), labeler=default_labeler())

    compared = beside_truth(variance(cohort), DEFAULT, n_runs=2)

    assert compared.summary == ("There are too few tasks for intervals.",)
    assert compared.to_frame().height > 0


def test_a_demo_is_written_over_and_says_what_it_does(made: DemoResult) -> None:
    said: list[str] = []
    again = demo(made.folder, n_tasks=N_TASKS, n_runs=N_RUNS, progress=said.append)

    assert compared_rows(again).equals(compared_rows(made))
    assert again.cohort.runs.height == made.cohort.runs.height
    assert len(said) == 5


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "trajectories" / "mine.json"
    other.parent.mkdir()
    other.write_text("{}", encoding="utf-8")

    with pytest.raises(UsageError, match="holds no earlier demo: name an empty folder"):
        demo(tmp_path, n_tasks=1, n_runs=2)
    assert list(tmp_path.rglob("*.json")) == [other]
    (tmp_path / "policies.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.json: name an empty folder"):
        demo(tmp_path, n_tasks=1, n_runs=2)


@pytest.mark.parametrize("sizes", [(0, 2), (1, 1)])
def test_a_demo_without_repeats_is_refused(tmp_path: Path, sizes: Sequence[int]) -> None:
    with pytest.raises(UsageError, match="two runs"):
        demo(tmp_path, n_tasks=sizes[0], n_runs=sizes[1])
