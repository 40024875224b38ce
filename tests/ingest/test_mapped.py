"""Somebody's own logs, read through a mapping that also says where the outcomes lie."""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from ethogram.errors import UsageError
from ethogram.ingest import Reading, Report, run_reading

MAPPING = """
name = "mine"
[files]
path = "{system}/{task_id}.json"
runs = "attempts"
[run]
system = { capture = "system" }
task_id = { capture = "task_id" }
trial = { counted_from = 1 }
[steps]
list = "steps"
action = "do"
[outcomes]
path = "{short}-run{trial}.json"
fields = { short = "system" }
values.short = { al = "alpha" }
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two systems that do the same at two tasks, three times each, and reports on two of them."""
    for system in ("alpha", "beta"):
        for task in ("t1", "t2"):
            path = tmp_path / "logs" / system / f"{task}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"attempts": [{"steps": [{"do": "ls"}]}] * 3}), "utf-8")
    for trial in (1, 2):
        report = tmp_path / "logs" / f"al-run{trial}.json"
        report.write_text(json.dumps({"t1": True, "t2": trial == 1}), "utf-8")
    (tmp_path / "mine.toml").write_text(MAPPING, "utf-8")
    return tmp_path / "logs"


def read(*paths: Path, **options: Any) -> Report:
    mapping = options.pop("mapping", None) or next(
        folder / "mine.toml" for folder in paths[0].parents if (folder / "mine.toml").is_file()
    )
    return run_reading(Reading(paths=paths, mapping=mapping, **options))


def test_equal_runs_that_the_mapping_tells_apart_stay_apart(logs: Path) -> None:
    cohort = read(logs).cohort

    assert cohort.runs.height == 12
    assert cohort.systems["system"].to_list() == ["alpha", "beta"]
    assert cohort.runs["trial"].value_counts().sort("trial").rows() == [(1, 4), (2, 4), (3, 4)]


def test_the_mapping_s_outcomes_are_joined_without_being_asked_for(logs: Path) -> None:
    report = read(logs)
    known = report.cohort.joined.drop_nulls("success").sort("task_id", "trial")

    assert known.select("system", "task_id", "trial", "success").rows() == [
        ("alpha", "t1", 1, True),
        ("alpha", "t1", 2, True),
        ("alpha", "t2", 1, True),
        ("alpha", "t2", 2, False),
    ]
    assert report.outcomes is not None
    assert report.outcomes.without_run == ()
    assert len(report.outcomes.without_row) == 8
    assert report.ignored == ()


def test_several_roots_in_one_folder_read_its_reports_once(logs: Path) -> None:
    copies = [logs / name for name in ("x.json", "y.json")]
    for path in copies:
        path.write_text("{}", "utf-8")
    report = read(logs, *copies)

    assert report.outcomes is not None
    assert len(report.outcomes.rows) == 4


def test_reports_that_are_not_there_are_no_error(logs: Path) -> None:
    report = read(logs / "alpha")

    assert report.cohort.runs["success"].to_list() == [None] * 6
    assert "no file fits '{short}-run{trial}.json'" in report.cohort.problems["reason"][-1]


def test_outcomes_of_the_user_are_joined_beside_the_mapping_s(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("system,task_id,trial,success\nbeta,t1,3,1\n", "utf-8")
    report = read(logs, outcomes=[str(tmp_path / "b.csv")])

    assert (
        report.cohort.joined.filter(report.cohort.joined["success"])["system"]
        .to_list()
        .count("beta")
        == 1
    )


def test_a_changed_mapping_reads_the_files_anew(logs: Path, tmp_path: Path) -> None:
    first = read(logs, out=tmp_path / "c")
    (tmp_path / "mine.toml").write_text(
        MAPPING.replace("counted_from = 1", "counted_from = 0"), "utf-8"
    )
    second = read(logs, out=tmp_path / "c")

    assert first.cohort.runs["trial"].min() == 1
    assert second.cohort.runs["trial"].min() == 0
    assert second.cohort.runs.height == second.cohort.steps.collect().height == 12


@pytest.mark.slow
def test_a_mapping_travels_to_other_processes(logs: Path) -> None:
    alone = read(logs)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        together = read(logs, executor=pool, workers=2)

    assert together.cohort.digest == alone.cohort.digest


def test_a_mapping_that_is_not_there_is_said(logs: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml"):
        read(logs, mapping=logs / "no.toml")
