from itertools import islice

import pytest

from ethogram.errors import UsageError
from ethogram.simulate.bulk import bulk
from ethogram.simulate.draw import simulate
from ethogram.trajectory import Trajectory


def size(run: Trajectory) -> int:
    return sum(len(event.observation or "") for event in run.actions)


@pytest.mark.parametrize("wanted", [0, 1, 10_000, 3_000_000])
def test_runs_are_as_large_as_wanted(wanted: int) -> None:
    plain = list(simulate(n_tasks=1, n_runs=2))
    made = list(bulk(6, bytes_a_run=wanted, n_repeats=2))

    assert [size(run) for run in made] == [size(run) + wanted for run in plain]


@pytest.mark.parametrize("n", [0, 1, 17])
def test_there_are_as_many_runs_as_wanted_and_all_differ(n: int) -> None:
    made = list(bulk(n, bytes_a_run=500))
    texts = {event.observation for run in made for event in run.actions}

    assert len({run.native_id for run in made}) == n
    assert len(texts) == sum(len(run.actions) for run in made)


def test_same_seed_same_bulk() -> None:
    assert list(bulk(3, seed=1)) == list(bulk(3, seed=1))
    assert list(bulk(3, seed=1)) != list(bulk(3, seed=2))


def test_runs_are_made_as_they_are_read() -> None:
    assert len(list(islice(bulk(10**5, bytes_a_run=10), 2))) == 2


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"n": -1}, id="runs"),
        pytest.param({"n": 1, "bytes_a_run": -1}, id="bytes"),
        pytest.param({"n": 1, "n_repeats": 0}, id="repeats"),
    ],
)
def test_sizes_that_are_none_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="runs in bulk need"):
        next(bulk(**options))
