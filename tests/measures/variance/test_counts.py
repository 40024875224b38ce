"""Spread of amounts and uniqueness of sequences, against other ways to compute them."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.counts import cv
from ethogram.results.result import Result
from ethogram.simulate.build import repeats, run
from ethogram.stats.dispersion import coefficient_of_variation, share_unique
from ethogram.trajectory import Trajectory


def measured(*trajectories: Trajectory, k: int | None = None) -> Result:
    return variance(from_trajectories(trajectories), k=k)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8).filter(any))
def test_cv_is_that_of_the_array_layer(counts: list[int]) -> None:
    found = pl.DataFrame({"n": counts}).select(cv("n")).item()

    assert found == pytest.approx(100 * coefficient_of_variation(counts))


def test_cv_by_hand() -> None:
    result = measured(
        *repeats([["x"] * 8, ["x"] * 10, ["x"] * 12], task="t1"),
        *repeats([["x"] * 10, ["x"] * 10], task="t2"),
    )

    assert result.to_frame("tasks")["cv_actions"].to_list() == pytest.approx([20.0, 0.0])
    estimate = result.estimate("cv_actions_mean", system="a")
    assert estimate.value == pytest.approx(10.0)
    assert (estimate.n_tasks, estimate.n_runs, estimate.n_excluded) == (2, 5, 0)
    assert (estimate.low, estimate.method) == (None, "no interval: too few tasks")


def test_runs_without_an_action_have_no_cv_but_count_as_runs() -> None:
    result = measured(*repeats([[], []], task="t1"), *repeats([["x"], ["x"]], task="t2"))

    assert result.to_frame("tasks")["cv_actions"].to_list() == [None, 0.0]
    assert result.estimate("actions_mean", system="a").value == 0.5
    assert result.estimate("cv_actions_mean", system="a").n_excluded == 2
    assert any("1 task has runs without any action" in note for note in result.notes)


def test_an_amount_that_a_run_lacks_is_neither_zero_nor_a_reason_to_drop_the_task() -> None:
    result = measured(
        run(["x"], trial=0, cost_usd=1.0),
        run(["x"], trial=1, cost_usd=3.0),
        run(["x"], trial=2),
    )

    estimate = result.estimate("cost_mean", system="a")
    assert (estimate.value, estimate.n_runs, estimate.n_excluded) == (2.0, 2, 1)
    assert result.to_frame("tasks")["cv_cost"][0] == pytest.approx(100 * np.sqrt(2) / 2)


def test_an_amount_that_nobody_records_is_named_once_and_has_no_rows() -> None:
    result = measured(*repeats([["x"], ["y"]]))

    assert "No run records its tokens or its cost or its duration." in result.notes
    assert "cost_mean" not in result.to_frame("systems")["name"].to_list()


def test_an_amount_that_one_system_lacks_has_a_reason_there() -> None:
    result = measured(
        *repeats([["x"], ["y"]], system="a", cost_usd=1.0), *repeats([["x"], ["y"]], system="b")
    )

    assert result.estimate("cost_mean", system="b").reason == "no run records its cost"
    assert result.estimate("cost_mean", system="a").value == 1.0


SEQUENCES = st.lists(st.lists(st.sampled_from("ab"), max_size=3), min_size=2, max_size=6)


@settings(deadline=None, max_examples=25)
@given(SEQUENCES, st.integers(2, 4))
def test_unique_sequences_are_those_of_the_array_layer(sequences: list[list[str]], k: int) -> None:
    found = measured(*repeats(sequences), k=k).estimate("unique_sequences", system="a")

    if len(sequences) < k:
        assert found.reason == f"no task has {k} or more runs"
    else:
        subsets = combinations(map(tuple, sequences), k)
        assert found.value == pytest.approx(np.mean([share_unique(runs) for runs in subsets]))


def test_identical_runs_are_not_unique_and_that_is_said() -> None:
    result = measured(*repeats([["x", "y"], ["x", "y"]]))

    assert result.estimate("unique_sequences", system="a").value == 0.0
    assert any("On 1 task no run is unique" in note for note in result.notes)


def test_the_order_of_actions_makes_a_sequence() -> None:
    result = measured(*repeats([["x", "y"], ["y", "x"]]))

    assert result.estimate("unique_sequences", system="a").value == 1.0


def test_tasks_with_more_runs_are_averaged_over_subsets_of_k() -> None:
    result = measured(
        *repeats([["x"], ["x"], ["y"]], task="t1"), *repeats([["x"], ["y"]], task="t2")
    )

    shares = result.to_frame("tasks")["unique_share"].to_list()

    assert shares == pytest.approx([2 / 3, 1.0])
    assert "Unique sequences and divergence are computed at k = 2 runs" in result.notes[0]


def test_tasks_with_fewer_runs_than_a_chosen_k_are_left_out_and_counted() -> None:
    result = measured(
        *repeats([["x"], ["y"], ["z"]], task="t1"), *repeats([["x"], ["y"]], task="t2"), k=3
    )

    estimate = result.estimate("unique_sequences", system="a")
    assert (estimate.n_tasks, estimate.n_runs, estimate.n_excluded) == (1, 3, 2)
    assert (
        "Fewer than 3 runs, hence in no figure about repeats at k = 3: a 1 task (2 runs)."
        in result.notes
    )
