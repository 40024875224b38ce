from pathlib import Path
from typing import Any

import msgspec
import pytest
from toy_formats import write

from ethogram.ingest import Reading, Report, run_reading
from ethogram.ingest.checks import check
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import System


def severities(*steps: Any, **fields: Any) -> list[str]:
    return [problem.severity for problem in check(run(steps, **fields))]


def test_an_ordinary_run_has_no_problem() -> None:
    assert severities("ls", recorded_actions=1) == []


def test_a_run_without_actions_is_noted() -> None:
    assert severities(reply("no")) == ["note"]
    assert severities(recorded_actions=0) == ["note"]


def test_a_run_whose_actions_were_not_read_is_an_error() -> None:
    (problem,) = check(run([reply("no")], recorded_actions=3))

    assert problem.severity == "error"
    assert "no action was read although the file records 3 calls" in problem.reason


def test_calls_of_the_user_simulator_are_not_the_agents() -> None:
    steps = [user("hi"), action("look", actor="user")]

    assert severities(*steps, recorded_actions=2) == ["error"]


def test_an_infrastructure_error_is_noted_with_its_raw_name() -> None:
    (problem,) = check(run(["ls"], ending="infra_error", ending_raw="Timeout"))

    assert problem.severity == "note"
    assert problem.reason.startswith("ended by an infrastructure error (Timeout)")


def test_a_run_without_a_task_is_warned_of() -> None:
    (problem,) = check(run(["ls"], task_id=None))

    assert (problem.severity, problem.field) == ("warning", "task_id")


def test_a_run_of_nobody_knows_whom_is_warned_of_unless_the_user_names_its_system() -> None:
    nobodys = msgspec.structs.replace(run(["ls"]), system=System(scaffold="s", temperature=0.0))
    (problem,) = check(nobodys)

    assert (problem.severity, problem.field) == ("warning", "model")
    assert list(check(nobodys, named=True)) == []


@pytest.mark.usefixtures("toys")
def test_a_run_whose_actions_were_not_read_is_a_problem_and_no_run(tmp_path: Path) -> None:
    write(
        tmp_path / "a.jsonl",
        {"actions": [], "recorded_actions": 5},
        {"task": "t2"},
        {"actions": []},
    )
    report: Report = run_reading(Reading(paths=[tmp_path]))

    assert report.cohort.runs.sort("n_actions")["n_actions"].to_list() == [0, 1]
    assert report.cohort.problems.sort("severity").select("severity", "record").rows() == [
        ("error", "line 1"),
        ("note", "line 3"),
    ]
