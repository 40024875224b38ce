"""When two records are one run and when they are not."""

from pathlib import Path
from typing import Any

import pytest
from toy_formats import write

from ethogram.ingest import Reading, Report, run_reading, worker

pytestmark = pytest.mark.usefixtures("toys")


def read(*paths: Path | str, **options: Any) -> Report:
    return run_reading(Reading(paths=paths, **options))


def reasons(report: Report) -> list[str]:
    return report.cohort.problems["reason"].to_list()


def test_the_same_file_given_twice_gives_its_runs_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    named_twice = read(path, tmp_path / "a.jsonl")
    found_twice = read(path, tmp_path)

    assert named_twice.cohort.runs.height == found_twice.cohort.runs.height == 1
    assert reasons(named_twice) == []
    assert reasons(found_twice) == [f"the same run as in {path}#line 1: kept once"]
    assert found_twice.cohort.steps.collect().height == 1


def test_a_run_that_two_files_hold_under_its_own_id_is_one_run(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"native_id": "x", "actions": ["a"]})
    write(tmp_path / "b.jsonl", {"native_id": "x", "actions": ["a", "b"]})
    report = read(tmp_path)

    assert report.cohort.runs["n_actions"].to_list() == [1]
    assert report.cohort.steps.collect()["action"].to_list() == ["a"]
    assert report.cohort.problems.select("severity", "source").rows() == [
        ("note", f"{tmp_path}/b.jsonl#line 1")
    ]


def test_duplicates_stay_out_even_where_parts_are_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PART_CHARS", 0)
    write(tmp_path / "a.jsonl", *[{"native_id": "x", "actions": ["a"], "prompt": "p"}] * 3)
    report = read(tmp_path)

    assert report.n_new == report.cohort.runs.height == 1
    assert report.cohort.steps.collect().height == 1
    assert len(reasons(report)) == 2


@pytest.mark.parametrize("layout", ["{task_id}/run{trial}.jsonl", "{task_id}/run{attempt}.jsonl"])
def test_identical_repeats_that_a_layout_tells_apart_stay_apart(
    tmp_path: Path, layout: str
) -> None:
    for trial in range(3):
        write(tmp_path / "t1" / f"run{trial}.jsonl", {"actions": ["ls"]})

    assert read(tmp_path, layout=layout).cohort.runs.height == 3
    assert read(tmp_path).cohort.runs.height == 1


def test_equal_files_of_systems_that_a_layout_tells_apart_stay_apart(tmp_path: Path) -> None:
    for system in ("a", "b"):
        write(tmp_path / system / "t1.jsonl", {"name": None})
    cohort = read(tmp_path, layout="{system}/{task_id}.jsonl").cohort

    assert cohort.systems["system"].to_list() == ["a", "b"]


def test_the_identity_of_a_run_does_not_depend_on_where_it_lies(tmp_path: Path) -> None:
    write(tmp_path / "x" / "a.jsonl", {"task": "t1"})
    write(tmp_path / "y" / "z" / "b.jsonl", {"task": "t1"})

    assert read(tmp_path / "x").cohort.digest == read(tmp_path / "y").cohort.digest
