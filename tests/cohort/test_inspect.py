from typing import Any

import pytest

from ethogram.cohort import Cohort
from ethogram.cohort.inspect import find, run_steps
from ethogram.errors import UnknownNameError, UsageError
from ethogram.ingest import from_trajectories
from ethogram.simulate.build import action, reply, run

STEPS: list[Any] = [
    action("ls", observation="a\n\n  b", exit_code=0),
    action("export API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF", is_error=True),
    reply("x" * 5_000),
]


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    return from_trajectories(
        [
            run(STEPS, task="t1", success=None, ending=None),
            run(["b"], task="t2"),
            run(["b"], task="t2", benchmark="other", trial=1),
            run(["c"], task="t3", trial=1),
            run(["c"], task="t3", trial=2, success=False),
        ]
    )


def id_of_run(cohort: Cohort, native_id: str) -> str:
    return str(cohort.runs.filter(cohort.runs["native_id"] == native_id)["run_id"][0])


@pytest.mark.parametrize("name", ["t1", "bench::t1"])
def test_a_task_is_found_by_its_id_and_by_its_key(cohort: Cohort, name: str) -> None:
    assert find(cohort, name) == ("task", "bench::t1")


def test_a_run_is_found_by_its_id_its_beginning_and_its_own_id(cohort: Cohort) -> None:
    run_id = id_of_run(cohort, "a/t3/2")
    others = set(cohort.runs["run_id"]) - {run_id}
    beginning = next(
        run_id[:n] for n in range(1, 13) if not any(o.startswith(run_id[:n]) for o in others)
    )

    assert [find(cohort, name) for name in (run_id, beginning, "a/t3/2")] == [("run", run_id)] * 3


def test_a_name_of_several_things_is_answered_with_all_of_them(cohort: Cohort) -> None:
    with pytest.raises(UsageError, match="'t2' could be any of 2: bench::t2, other::t2"):
        find(cohort, "t2")
    with pytest.raises(UsageError, match="'' could be any of 5"):
        find(cohort, "")


def test_a_name_of_nothing_is_answered_with_tasks(cohort: Cohort) -> None:
    with pytest.raises(UnknownNameError, match=r"no run or task is called 'zzz'.*bench::t1"):
        find(cohort, "zzz")


def test_names_that_are_left_out_are_counted() -> None:
    tasks = from_trajectories(run(["a"], task=f"t{n:02d}") for n in range(10))
    trials = from_trajectories(run(["a"], task="t1", trial=n) for n in range(10))

    with pytest.raises(UnknownNameError, match=r"known: bench::t00, .*bench::t07, and 2 more$"):
        find(tasks, "zzz")
    with pytest.raises(UsageError, match=r"could be any of 10: .*, and 2 more$"):
        find(trials, "")


def test_runs_of_no_known_task_have_no_name_to_list() -> None:
    with pytest.raises(UnknownNameError, match=r"known: bench::t1$"):
        find(from_trajectories([run(["a"], task_id=None), run(["a"])]), "zzz")


def test_a_run_is_shown_step_by_step_in_lines_that_are_short_and_hold_no_secret(
    cohort: Cohort,
) -> None:
    result = run_steps(cohort, id_of_run(cohort, "a/t1/0"))
    rows = result.table("steps").frame.to_dicts()

    assert [row["index"] for row in rows] == [0, 1, 2]
    assert rows[0]["what"] == "ls"
    assert rows[0]["answer"] == "a ⏎ b"
    assert "sk-abcdefghij" not in rows[1]["what"]
    assert rows[1]["is_error"]
    assert len(rows[2]["what"]) == 200
    assert result.summary == (
        "a at bench::t1: 2 actions, outcome not recorded, ending not recorded.",
    )


def test_a_run_can_be_shown_without_texts(cohort: Cohort, tmp_path: Any) -> None:
    bare = cohort.save(tmp_path / "c", texts=False)
    rows = run_steps(bare, id_of_run(cohort, "a/t1/0")).table("steps").frame.to_dicts()

    assert [row["what"] is None for row in rows] == [False, False, True]
    assert {row["answer"] for row in rows} == {None}
