"""The runs that similarity compares."""

import numpy as np
import pytest
from measures.similarity.runs_made import cohort_of

from ethogram.errors import NotEnoughDataError
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.simulate.build import run
from ethogram.trajectory import Trajectory


def sample(*runs: Trajectory) -> Sample:
    return sample_of(cohort_of(runs))


TWO = (run(["ls"], system="a"), run(["ls"], system="b"))


def test_runs_are_numbered_by_system_and_task() -> None:
    found = sample(
        run(["ls"], system="b", task="t2", success=False),
        run(["ls"], system="a", task="t2", trial=1, success=None),
        run(["ls"], system="a", task="t2", trial=0),
        run(["ls"], system="b", task="t1"),
    )

    assert found.systems == ("a", "b")
    assert found.tasks == ("bench::t1", "bench::t2")
    assert found.system.tolist() == [0, 0, 1, 1]
    assert found.task.tolist() == [1, 1, 0, 1]
    assert found.n_runs.tolist() == [[0, 2], [1, 1]]
    assert found.won().tolist() == [True, False, True, False]
    assert [places.tolist() for places in found.by_task] == [[2], [0, 1, 3]]


def test_shares_of_successes_leave_out_what_is_not_recorded() -> None:
    found = sample(
        *(run(["ls"], system="a", trial=trial, success=success)
          for trial, success in enumerate((True, False, None, True))),
        run(["ls"], system="b", success=None),
        run(["ls"], system="b", task="t2"),
    )  # fmt: skip

    np.testing.assert_allclose(found.wins, [[2 / 3, np.nan], [np.nan, 1]])


def test_runs_without_an_action_stay_and_others_are_counted_by_why() -> None:
    found = sample(
        *TWO,
        run([], system="a", trial=1),
        run(["ls"], system="a", trial=2, ending="infra_error"),
        run(["ls"], system="b", trial=2, ending="limit"),
        run(["ls"], system="b", task_id=None, trial=3),
    )

    assert found.runs.height == 4
    assert found.left_out.rows() == [
        ("a", "infrastructure error", 1),
        ("b", "no task id", 1),
    ]


def test_sums_are_by_system_and_task() -> None:
    found = sample(*TWO, run(["ls"], system="a", trial=1), run(["ls"], system="b", task="t2"))

    assert found.sums(np.array([[1.0], [2.0], [4.0], [8.0]]))[:, :, 0].tolist() == [[3, 0], [4, 8]]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        pytest.param([], "none of 0 can be compared", id="nothing"),
        pytest.param([run(["ls"])], "\\(1 of 1\\) are all of one, a", id="one system"),
        pytest.param(
            [TWO[0], run(["ls"], system="b", ending="infra_error")],
            "\\(1 of 2\\) are all of one, a",
            id="one is broken",
        ),
        pytest.param(
            [TWO[0], run(["ls"], system="b", task="t2")],
            "none of the 2 tasks was run by two of the 2 systems",
            id="no shared task",
        ),
        pytest.param(
            [run(["ls"], system=name, digest=name) for name in "ab"],
            "none of the 2 tasks",
            id="one id for two tasks",
        ),
    ],
)
def test_without_two_systems_at_one_task_there_is_nothing_to_compare(
    runs: list[Trajectory], said: str
) -> None:
    with pytest.raises(NotEnoughDataError, match=said):
        sample(*runs)


def test_tasks_of_two_benchmarks_are_two_tasks() -> None:
    found = sample(*TWO, run(["ls"], system="a", benchmark="other", trial=1))

    assert found.tasks == ("bench::t1", "other::t1")
