"""One failure mode a failed run, the first that fits."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.failures import MODES, looping
from ethogram.simulate.build import run
from ethogram.stats.sequences import ends_in_loop
from ethogram.trajectory import Trajectory

LOOP = ["a", "b", "c"] * 4


def modes(*trajectories: Trajectory) -> dict[str, int]:
    frame = variance(from_trajectories(trajectories)).to_frame("failure_modes")
    return dict(frame.select("mode", "n_runs").iter_rows())


def counted(trajectory: Trajectory) -> str:
    (mode,) = [name for name, n in modes(trajectory).items() if n]
    return mode


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"ending": "agent_error", "submission": ""}, "error", id="error-first"),
        pytest.param({"ending": "cancelled"}, "error", id="cancelled"),
        pytest.param({"ending": "limit", "actions": LOOP}, "limit", id="limit-before-loop"),
        pytest.param({"actions": LOOP, "submission": ""}, "loop", id="loop-before-empty"),
        pytest.param({"submission": ""}, "empty_submission", id="empty"),
        pytest.param({"submission": "diff"}, "wrong_result", id="wrong"),
        pytest.param({"submission": None}, "wrong_result", id="no-submission-recorded"),
        pytest.param({"ending": None, "submission": "diff"}, "wrong_result", id="no-ending"),
    ],
)
def test_the_first_mode_that_fits_counts(fields: dict[str, object], expected: str) -> None:
    assert counted(run(success=False, **fields)) == expected  # type: ignore[arg-type]


def test_only_failed_runs_fail() -> None:
    found = modes(
        run(trial=0, success=True), run(trial=1, success=None), run(trial=2, success=False)
    )

    assert sum(found.values()) == 1
    assert tuple(found) == MODES


def test_shares_are_of_the_failed_runs_of_a_system() -> None:
    runs = [
        run(trial=0, success=False, submission=""),
        run(trial=1, success=False, submission="diff"),
        run(trial=0, system="b", success=False, submission=""),
        run(trial=0, system="c", success=True),
    ]
    frame = variance(from_trajectories(runs)).to_frame("failure_modes")

    assert frame.group_by("system").agg(pl.col("share").sum()).sort("system").rows() == [
        ("a", 1.0),
        ("b", 1.0),
    ]


def test_rates_are_of_all_runs_and_shares_of_failed_ones() -> None:
    runs = [
        run(trial=0, success=False, submission=""),
        run(trial=1, success=False, submission="diff"),
        run(trial=2, success=True, submission="diff"),
        run(trial=3, success=None, submission=""),
    ]
    result = variance(from_trajectories(runs))

    rate, share = (
        result.estimate(name, system="a", mode="empty_submission")
        for name in ("failure_rate", "failure_share")
    )
    assert rate.value == pytest.approx(1 / 3)
    assert share.value == 0.5
    assert (rate.n_runs, share.n_runs) == (3, 2)


def test_a_system_without_failures_has_rates_of_zero_and_no_shares() -> None:
    result = variance(from_trajectories([run(trial=0), run(trial=1)]))

    assert result.estimate("failure_rate", system="a", mode="loop").value == 0.0
    assert result.estimate("failure_share", system="a", mode="loop").reason == "no run failed"


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=16))
def test_loops_are_those_of_the_array_layer(sequence: list[str]) -> None:
    actions = pl.DataFrame(
        {
            "run_id": ["r"] * len(sequence),
            "action_index": list(range(len(sequence))),
            "text": [ord(letter) for letter in sequence],
        }
    )

    assert looping(actions)["loops"].to_list() == [ends_in_loop(sequence)]
